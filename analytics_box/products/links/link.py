"""A short link and its input fields: the one list of its fields. Pure.

The table `links` has a column for each field of Link but its tags. Messages, answers and exports have the fields by
their names in camel case. A plain new field is a line in Fields, a line in GivenFields and a column.
"""

from typing import Annotated, Any, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field

from analytics_box.products.links.messages import Id, Short, Url
from analytics_box.products.links.targeting.query_strings import Forwarding
from analytics_box.products.links.targeting.rules import MOST_RULES, MOST_VARIANTS, TargetRule, TargetVariant
from analytics_box.tenants.tenancy.messages import Text

MOST_TAGS, LONGEST_TAG = 20, 50
MOST_FILE_BYTES: Final = 8_000_000  # of a file that is imported

RedirectStatus = Literal[301, 302, 307, 308]
Name = Annotated[str, Meta(min_length=1, max_length=255)]
Slug = Annotated[str, Meta(max_length=200)]
Clicks = Annotated[int, Meta(ge=1, le=1_000_000_000)]
Password = Annotated[str, Meta(min_length=4, max_length=128)]
Tag = Annotated[str, Meta(max_length=LONGEST_TAG)]
Tags = Annotated[tuple[Tag, ...], Meta(max_length=MOST_TAGS)]
Rules = Annotated[tuple[TargetRule, ...], Meta(max_length=MOST_RULES)]
Variants = Annotated[tuple[TargetVariant, ...], Meta(max_length=MOST_VARIANTS)]


class Utm(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Campaign values that the target's address gets; they replace what it has of the same name."""

    source: Annotated[str, Meta(max_length=128)] = ""
    medium: Annotated[str, Meta(max_length=128)] = ""
    campaign: Annotated[str, Meta(max_length=128)] = ""
    term: Annotated[str, Meta(max_length=128)] = ""
    content: Annotated[str, Meta(max_length=128)] = ""

    @property
    def parameters(self) -> tuple[tuple[str, str], ...]:
        """The campaign values as query parameters."""
        named = (
            ("utm_source", self.source),
            ("utm_medium", self.medium),
            ("utm_campaign", self.campaign),
            ("utm_term", self.term),
            ("utm_content", self.content),
        )
        return tuple((name, value) for name, value in named if value)


class Fields(Struct, frozen=True, kw_only=True, rename="camel"):
    """The fields that a link and the answer about it have in common, in the order of exports.

    `domain` is empty on the box's own host. `expired_url` is also the target once a link has had its `max_clicks`.
    """

    id: str
    organization_id: str
    created_by: str
    name: str
    target_url: str
    target_domain: str
    domain: str
    slug: str
    folder_id: str | None
    tags: tuple[str, ...]
    external_id: str | None
    expired_url: str | None = field(name="expiredRedirectUrl")
    max_clicks: int | None
    redirect_status: RedirectStatus
    query_forwarding: Forwarding
    utm: Utm
    og_title: str | None
    og_description: str | None
    og_image_url: str | None
    og_video_url: str | None
    ios_url: str | None
    android_url: str | None
    deep_link_app: str | None
    source_type: str | None
    source_id: str | None
    source_owner_id: str | None
    rules: tuple[TargetRule, ...]
    variants: tuple[TargetVariant, ...]


class ShortLink(Fields, frozen=True, kw_only=True):
    """A short link. Times are UTC ms. `number` is what the facts know it by; `password` is a hash."""

    number: int
    created_at: int
    updated_at: int
    expires_at: int | None
    password: str | None

    @property
    def has_preview(self) -> bool:
        """Whether it says itself how it is shown where people share it."""
        return any((self.og_title, self.og_description, self.og_image_url, self.og_video_url))


_DEFAULTS: Final = {
    **dict.fromkeys(("name", "target_url", "target_domain", "domain", "slug"), ""),
    **{"tags": (), "rules": (), "variants": (), "utm": Utm(), "redirect_status": 302, "query_forwarding": "none"},
    "number": 0,
}


def new_link(*, id: str, organization_id: str, created_by: str, now: int, **more: Any) -> ShortLink:
    """A link with these values; every other field is empty or has its default. `now` is UTC ms."""
    said: dict[str, Any] = dict.fromkeys(ShortLink.__struct_fields__) | _DEFAULTS
    said |= {"id": id, "organization_id": organization_id, "created_by": created_by}
    return ShortLink(**said | {"created_at": now, "updated_at": now} | more)


class LinkFields(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """The fields of a link that input may have. What is not given stays; null empties a field."""

    name: Name | UnsetType = UNSET
    target_url: Url | UnsetType = UNSET
    slug: Slug | UnsetType | None = UNSET
    domain: Text | UnsetType = UNSET
    folder_id: Id | UnsetType | None = UNSET
    expired_url: Url | UnsetType | None = field(default=UNSET, name="expiredRedirectUrl")
    max_clicks: Clicks | UnsetType | None = UNSET
    og_title: Annotated[str, Meta(max_length=200)] | UnsetType | None = UNSET
    og_description: Annotated[str, Meta(max_length=500)] | UnsetType | None = UNSET
    og_image_url: Url | UnsetType | None = UNSET
    og_video_url: Url | UnsetType | None = UNSET
    ios_url: Url | UnsetType | None = UNSET
    android_url: Url | UnsetType | None = UNSET
    deep_link_app: Short | UnsetType | None = UNSET
    external_id: Text | UnsetType | None = UNSET
    source_type: Short | UnsetType | None = UNSET
    source_id: Text | UnsetType | None = UNSET
    source_owner_id: Text | UnsetType | None = UNSET
    target_domain: Text | UnsetType | None = UNSET
    redirect_status: RedirectStatus | UnsetType = UNSET
    query_forwarding: Forwarding | UnsetType = UNSET
    rules: Rules | UnsetType = UNSET
    variants: Variants | UnsetType = UNSET
    utm: Utm | UnsetType = UNSET
    tags: Tags | UnsetType = UNSET
