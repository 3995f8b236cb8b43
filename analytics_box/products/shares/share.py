"""A share link of a website: its fields, declared once, and the input and output of its procedures."""

import re
from collections.abc import Sequence
from datetime import date, datetime
from typing import Annotated, Final, Literal, get_args

from msgspec import Meta, Struct

from analytics_box.base import names
from analytics_box.base.errors import BadRequest
from analytics_box.base.outgoing.failures import AddressRefused
from analytics_box.base.outgoing.target import clean_host
from analytics_box.base.translation import _
from analytics_box.base.urls import url_parts
from analytics_box.query.request import QueryFilterInput
from analytics_box.resource.audited import AuditedTable
from analytics_box.resource.fields import Field, Instant, Stamp, input_of
from analytics_box.tenants.tenancy.messages import Text

MOST_SHARES: Final = 50
MOST_HOSTS: Final = 20

PanelName = Literal["sources", "pages", "places", "devices", "events", "goals"]
USUAL_PANELS: Final[tuple[PanelName, ...]] = ("sources", "pages", "places", "devices")

_SLUG: Final = re.compile(r"[A-Za-z0-9_-]{3,64}\Z")
_COLOR: Final = re.compile(r"#[0-9a-f]{6}\Z")
_YEARS: Final = range(1980, 2101)


def _slug(given: str) -> str:
    """The end of the link's address, or nothing for a random one. Raises BadRequest."""
    if given and not _SLUG.match(given):
        raise BadRequest(_("Use 3 to 64 letters a-z, digits and hyphens"))
    return given


def _panels(given: Sequence[PanelName]) -> tuple[PanelName, ...]:
    """The chosen panels in the order of the page."""
    return tuple(name for name in get_args(PanelName) if name in given)


def _day(given: str) -> str | None:
    """A day as YYYY-MM-DD. Raises BadRequest."""
    try:
        day = date.fromisoformat(given) if given else None
    except ValueError:
        raise BadRequest(_("Enter a day, such as 2026-01-31")) from None
    if day is not None and day.year not in _YEARS:
        raise BadRequest(_("Enter a day, such as 2026-01-31"))
    return day.isoformat() if day is not None else None


def _color(given: str) -> str | None:
    """A color as #rrggbb. Raises BadRequest."""
    color = given.strip().lower()
    if color and not _COLOR.match(color):
        raise BadRequest(_("Enter a color as #rrggbb, for example #0b6b62"))
    return color or None


def _hosts(given: Sequence[str]) -> tuple[str, ...]:
    """The hosts in their one spelling, without scheme and path; `*.` before one means its subdomains. Raises
    BadRequest."""
    hosts = tuple(dict.fromkeys(map(_host, given)))
    if len(hosts) > MOST_HOSTS:
        raise BadRequest(_("Enter up to {most} websites").format(most=MOST_HOSTS))
    return hosts


def _host(given: str) -> str:
    parts = url_parts(given if "://" in given else f"//{given}")
    star, name = ("*.", parts.netloc[2:]) if parts.netloc.startswith("*.") else ("", parts.netloc)
    host, colon, port = name.partition(":")
    try:
        known = clean_host(host)
    except AddressRefused:
        known = ""
    if not known or (colon and not (port.isascii() and port.isdigit() and 0 < int(port) < 65_536)):
        raise BadRequest(_("{host} is not a host, such as www.example.com").format(host=given[:60]))
    return f"{star}{known}{colon}{port}"


def _domain(given: str) -> str | None:
    return given.strip().lower().rstrip(".") or None


Choice = Annotated[bool, Field()]


class ShareLink(Struct, frozen=True, rename="camel"):
    """A share link of a website. Times are UTC ms.

    Its `slug` is random, and then the secret, unless its owner chose one. Visitors see totals and its `panels` of what
    its `filters` let through, from the day `earliest_date` on in its time zone, until it expires or is deleted. Its
    `password` is a hash. It is also at the root of its `domain`. `logo` is the digest of its picture, empty for none;
    without one, it can show that of its organization. A link whose slug is the id of its website is the public
    dashboard, which works while the website is public. `embed_hosts` are the websites that can embed it,
    `views` counts how often people opened it.
    """

    id: str
    website_id: str
    slug: Annotated[str, Meta(max_length=64), Field(clean=_slug, null=True, empty="")]
    name: Annotated[str, Meta(max_length=names.LONGEST), Field(clean=names.clean_name)]
    title: Annotated[str, Meta(max_length=names.LONGEST), Field(clean=names.clean_name)] | None
    panels: Annotated[tuple[PanelName, ...], Field(clean=_panels)]
    earliest_date: Annotated[str, Meta(max_length=10), Field(clean=_day)] | None
    accent: Annotated[str, Meta(max_length=7), Field(clean=_color)] | None
    shows_logo: Choice
    is_indexed: Choice
    embed_hosts: Annotated[tuple[Annotated[str, Meta(max_length=255)], ...], Field(clean=_hosts)]
    has_badge: Choice
    domain: Annotated[str, Meta(max_length=255), Field(clean=_domain)] | None
    expires_at: Instant | None
    password: Annotated[str, Meta(min_length=4, max_length=128), Field(secret=True)] | None
    logo: str
    filters: tuple[QueryFilterInput, ...]
    time_zone: str
    views: int
    viewed_at: Stamp | None
    created_by: str
    created_at: Stamp
    updated_at: Stamp


SHARES: Final = AuditedTable(
    "shares",
    ShareLink,
    "share",
    "share",
    about=lambda share: {"name": share.name, "websiteId": share.website_id},
    conflicts={
        "shares.slug": ("slug", _("Another share link already has this address")),
        "shares.domain": ("domain", _("Another share link already uses this domain")),
    },
)


class ListShares(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of shares.list."""

    websiteId: Text


class OneShare(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of shares.delete."""

    id: Text


class NewShareLogo(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of shares.updateLogo. `image` is a PNG, JPEG or WebP picture of at most 512 KB, in base64 or as a data:
    URL; null removes the logo."""

    id: Text
    image: Annotated[str, Meta(min_length=1)] | None


@input_of(ShareLink, needed=("name",))
class NewShare(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Input of shares.create. With `segmentId` the link shows only what the filters of this segment let through now;
    later changes of the segment do not change the link."""

    websiteId: Text
    segmentId: Text | None = None


@input_of(ShareLink)
class ChangedShare(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Input of shares.update; omitted fields keep their values. An expired link works again with a later time."""

    id: Text


class ShareShown(Struct, frozen=True):
    """A share link. `url` is its address, the secret of the link unless `slug` was chosen. `views` counts how often
    people opened it; `isFiltered` links show only what a segment lets through; one that `hasLogo` shows its own."""

    id: str
    websiteId: str
    slug: str
    name: str
    url: str
    title: str | None
    panels: tuple[PanelName, ...]
    earliestDate: str | None
    accent: str | None
    showsLogo: bool
    hasLogo: bool
    isIndexed: bool
    embedHosts: tuple[str, ...]
    hasBadge: bool
    domain: str | None
    expiresAt: datetime | None
    hasPassword: bool
    isFiltered: bool
    views: int
    viewedAt: datetime | None
    createdAt: datetime
    updatedAt: datetime
