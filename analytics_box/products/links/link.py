"""A short link and its input fields: the one list of its fields. Pure.

The table `links` has a column for each field of ShortLink but its tags. Messages, answers, exports, the form and the
audit log have the fields by these types (resource/fields.py). A plain new field is a line in Fields, a column, and an
input in the template of the form.
"""

import unicodedata
from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal, Protocol

from msgspec import Meta, Struct, field
from msgspec.structs import replace

from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _
from analytics_box.base.urls import web_address
from analytics_box.products.links import slugs
from analytics_box.products.links.targeting.rules import (
    APPS,
    MOST_RULES,
    MOST_VARIANTS,
    Forwarding,
    TargetRule,
    TargetVariant,
)
from analytics_box.resource.fields import Field, Instant, Stamp

MOST_TAGS, LONGEST_TAG = 20, 50
_JOINERS: Final = "\u200c\u200d\n"


class UrlPolicy(Protocol):
    """The URLs that links can redirect to."""

    def clean_url(self, given: str, *, field: str = "", app: bool = False) -> str:
        """The URL in its one spelling. Raises BadRequest."""


def web_url(given: str, policy: UrlPolicy) -> str | None:
    """A URL, or None for the empty field of a form. Raises BadRequest."""
    return policy.clean_url(given) if given else None


def app_url(given: str, policy: UrlPolicy) -> str | None:
    """A URL that can have the scheme of an app. Raises BadRequest."""
    return policy.clean_url(given, app=True) if given else None


def words(given: str) -> str | None:
    """Text without spaces around it. Raises BadRequest."""
    text = given.strip()
    if any(unicodedata.category(letter) in {"Cc", "Cf", "Cs"} and letter not in _JOINERS for letter in text):
        raise BadRequest(_("The text contains control or text-direction characters"))
    return text or None


def name(given: str) -> str:
    """The name of a link. Raises BadRequest."""
    found = words(given)
    if found is None:
        raise BadRequest(_("Enter a name"))
    return found


def app(given: str) -> str | None:
    """The app that opens a link. Raises BadRequest."""
    key = given.lower()
    if key and key not in APPS:
        raise BadRequest(_("This app is not supported. Supported apps are {apps}").format(apps=", ".join(APPS)))
    return key or None


def rules(given: Sequence[TargetRule], policy: UrlPolicy) -> tuple[TargetRule, ...]:
    """Targeting rules with their URLs. Raises BadRequest."""
    clean = []
    for number, rule in enumerate(given):
        url = policy.clean_url(rule.targetUrl, field=f"rules[{number}].targetUrl")
        for place, condition in enumerate(rule.conditions):
            asks = condition.operator not in {"exists", "not_exists"}
            if asks and not condition.value and not condition.values:
                raise BadRequest.about(f"rules[{number}].conditions[{place}]", _("Enter a value to compare with"))
        clean.append(replace(rule, targetUrl=url))
    return tuple(clean)


def variants(given: Sequence[TargetVariant], policy: UrlPolicy) -> tuple[TargetVariant, ...]:
    """Variants of a test with their URLs. Raises BadRequest."""
    names = [variant.name for variant in given]
    if len(set(names)) < len(names):
        raise BadRequest.about("variants", _("Two variants have the same name"))
    if len(given) == 1:
        raise BadRequest.about("variants", _("Add at least two variants"))
    return tuple(
        replace(variant, targetUrl=policy.clean_url(variant.targetUrl, field=f"variants[{number}].targetUrl"))
        for number, variant in enumerate(given)
    )


def tags(given: Sequence[str]) -> tuple[str, ...]:
    """Tags in their order, each once. Raises BadRequest."""
    found = {text for tag in given if (text := words(tag))}
    if len(found) > MOST_TAGS or any(len(tag) > LONGEST_TAG for tag in found):
        raise BadRequest(
            _("A link can have up to {most} tags of {longest} characters").format(most=MOST_TAGS, longest=LONGEST_TAG)
        )
    return tuple(sorted(found))


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
Name = Annotated[str, Meta(min_length=1, max_length=255), Field(clean=name)]
Destination = Annotated[
    str, Meta(max_length=4096), Field(clean_in=lambda url, policy: policy.clean_url(url), typed=web_address)
]
Url = Annotated[str, Meta(max_length=4096), Field(clean_in=web_url, typed=web_address)]
AppUrl = Annotated[str, Meta(max_length=4096), Field(clean_in=app_url, typed=web_address)]
Slug = Annotated[str, Meta(max_length=200), Field(clean=slugs.clean, null=True)]
Domain = Annotated[str, Meta(max_length=255), Field()]
TargetDomain = Annotated[str, Meta(max_length=255), Field(clean=words, null=True)]
FolderId = Annotated[str, Meta(min_length=1, max_length=255), Field()]
Clicks = Annotated[int, Meta(ge=1, le=1_000_000_000), Field()]
Password = Annotated[str, Meta(min_length=4, max_length=128), Field(secret=True)]
App = Annotated[str, Meta(max_length=64), Field(clean=app)]
Short = Annotated[str, Meta(max_length=64), Field(clean=words)]
Text = Annotated[str, Meta(max_length=255), Field(clean=words)]
Title = Annotated[str, Meta(max_length=200), Field(clean=words)]
Description = Annotated[str, Meta(max_length=500), Field(clean=words)]
Tag = Annotated[str, Meta(max_length=LONGEST_TAG)]
Tags = Annotated[tuple[Tag, ...], Meta(max_length=MOST_TAGS), Field(clean=tags)]
Rules = Annotated[tuple[TargetRule, ...], Meta(max_length=MOST_RULES), Field(clean_in=rules)]
Variants = Annotated[tuple[TargetVariant, ...], Meta(max_length=MOST_VARIANTS), Field(clean_in=variants)]


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
            words(getattr(given, name))
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
        """Whether the link has a custom social preview."""
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
