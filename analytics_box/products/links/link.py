"""A short link and its input fields: the one list of its fields. Pure.

The table `links` has a column for each field of ShortLink but its tags. Messages, answers, exports, the form and the
audit log have the fields by these types (resource/fields.py). A plain new field is a line in Fields, a column, and an
input in the template of the form.
"""

from typing import Annotated, Any, Final, Literal

from msgspec import Meta, Struct, field

from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _
from analytics_box.products.links import cleaning, slugs
from analytics_box.products.links.cleaning import LONGEST_TAG, MOST_TAGS
from analytics_box.products.links.targeting.query_strings import Forwarding
from analytics_box.products.links.targeting.rules import MOST_RULES, MOST_VARIANTS, TargetRule, TargetVariant
from analytics_box.resource.fields import Field, Instant, Stamp
from analytics_box.web.page.typed import web_address

PROPERTY_LABELS = {
    "country": _("Country"),
    "region": _("Region"),
    "city": _("City"),
    "device": _("Device"),
    "system": _("System"),
    "browser": _("Browser"),
    "language": _("Language"),
}
OPERATOR_LABELS = {
    "in": _("is one of"),
    "not_in": _("is not one of"),
    "equals": _("is"),
    "contains": _("contains"),
    "starts_with": _("starts with"),
    "ends_with": _("ends with"),
    "exists": _("is set"),
    "not_exists": _("is not set"),
}
FORWARDING_LABELS = {
    "none": _("Do not forward"),
    "keep": _("Forward; the destination's win"),
    "override": _("Forward; the visitor's win"),
}


MOST_FILE_BYTES: Final = 8_000_000  # of a file that is imported

RedirectStatus = Literal[301, 302, 307, 308]
Name = Annotated[str, Meta(min_length=1, max_length=255), Field(clean=cleaning.name)]
Destination = Annotated[
    str, Meta(max_length=4096), Field(clean_in=lambda url, policy: policy.clean_url(url), typed=web_address)
]
Url = Annotated[str, Meta(max_length=4096), Field(clean_in=cleaning.web_url, typed=web_address)]
AppUrl = Annotated[str, Meta(max_length=4096), Field(clean_in=cleaning.app_url, typed=web_address)]
Slug = Annotated[str, Meta(max_length=200), Field(clean=slugs.clean, null=True)]
Domain = Annotated[str, Meta(max_length=255), Field()]
TargetDomain = Annotated[str, Meta(max_length=255), Field(clean=cleaning.words, null=True)]
FolderId = Annotated[str, Meta(min_length=1, max_length=255), Field()]
Clicks = Annotated[int, Meta(ge=1, le=1_000_000_000), Field()]
Password = Annotated[str, Meta(min_length=4, max_length=128), Field(secret=True)]
App = Annotated[str, Meta(max_length=64), Field(clean=cleaning.app)]
Short = Annotated[str, Meta(max_length=64), Field(clean=cleaning.words)]
Text = Annotated[str, Meta(max_length=255), Field(clean=cleaning.words)]
Title = Annotated[str, Meta(max_length=200), Field(clean=cleaning.words)]
Description = Annotated[str, Meta(max_length=500), Field(clean=cleaning.words)]
Tag = Annotated[str, Meta(max_length=LONGEST_TAG)]
Tags = Annotated[tuple[Tag, ...], Meta(max_length=MOST_TAGS), Field(clean=cleaning.tags)]
Rules = Annotated[tuple[TargetRule, ...], Meta(max_length=MOST_RULES), Field(clean_in=cleaning.rules)]
Variants = Annotated[tuple[TargetVariant, ...], Meta(max_length=MOST_VARIANTS), Field(clean_in=cleaning.variants)]


class Utm(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """UTM parameters added to the destination, replacing parameters of the same name."""

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


def _utm(given: Utm) -> Utm:
    for name in given.__struct_fields__:
        try:
            cleaning.words(getattr(given, name))
        except BadRequest as refused:
            raise BadRequest.about(f"utm.{name}", refused.message) from refused
    return given


class Fields(Struct, frozen=True, kw_only=True, rename="camel"):
    """The fields that a link and the answer about it have in common, in the order of exports.

    `domain` is empty on the box's own host. `expired_url` is also the destination after `max_clicks`.
    """

    id: str
    organization_id: str
    created_by: str
    name: Name
    target_url: Destination
    target_domain: TargetDomain
    domain: Domain
    slug: Slug
    folder_id: FolderId | None
    tags: Tags
    external_id: Text | None
    expired_url: Url | None = field(name="expiredRedirectUrl")
    max_clicks: Clicks | None
    redirect_status: Annotated[RedirectStatus, Field()]
    query_forwarding: Annotated[Forwarding, Field()]
    utm: Annotated[Utm, Field(clean=_utm)]
    og_title: Title | None
    og_description: Description | None
    og_image_url: Url | None
    og_video_url: Url | None
    ios_url: AppUrl | None
    android_url: AppUrl | None
    deep_link_app: App | None
    source_type: Short | None
    source_id: Text | None
    source_owner_id: Text | None
    rules: Rules
    variants: Variants


class ShortLink(Fields, frozen=True, kw_only=True):
    """A short link. Times are UTC ms. `number` is what the facts know it by; `password` is a hash."""

    number: int
    created_at: Stamp
    updated_at: Stamp
    expires_at: Instant | None
    password: Password | None

    @property
    def has_preview(self) -> bool:
        """Whether the link has a social preview of its own."""
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
