"""A status page, its components and their groups: the one list of their fields. Pure.

The tables `status_pages`, `status_page_groups` and `status_page_components` have a column for each field. Messages,
answers, forms and the audit log have the fields by these types (resource/fields.py).
"""

import re
from typing import Annotated, Any, Final, Literal
from urllib.parse import quote

from msgspec import Meta, Struct, field

from analytics_box.base import names
from analytics_box.base.errors import BadRequest
from analytics_box.base.outgoing.failures import AddressRefused
from analytics_box.base.outgoing.target import target
from analytics_box.base.translation import _
from analytics_box.base.urls import web_address
from analytics_box.products.status_pages.incident import Incident
from analytics_box.resource.fields import Field, Stamp
from analytics_box.tenants.organizations.rules import known_zone

# Words that a path below /status/, a host or the box itself can need.
RESERVED: Final = frozenset(
    (
        *("admin", "api", "app", "assets", "auth", "badge", "docs", "embed", "favicon", "feed", "files", "health"),
        *("help", "history", "incidents", "login", "new", "preview", "public", "robots", "rss", "settings", "sign-in"),
        *("sitemap", "static", "status", "subscribe", "subscription", "support", "well-known", "www"),
    )
)
_SHAPE: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,98}[a-z0-9])?\Z")
# Characters of a fragment that are not encoded.
_FRAGMENT: Final = "!$&()*+,;=:@/?-._~%"


def name(given: str) -> str:
    """A name on one line. Raises BadRequest for a name without visible characters."""
    text = names.one_line(given)
    if not text or not names.is_visible(text):
        raise BadRequest(_("Enter a name with visible characters"))
    return text


def display_name(given: str) -> str:
    """A name, or an empty text for the monitor's name. Raises BadRequest."""
    return name(given) if given.strip() else ""


def slug(given: str, before: Any) -> str:
    """The last part of a page's address. Raises BadRequest.

    The slug of the page as it was `before` stays valid, because it can be older than these rules.
    """
    if before is not None and given == before.slug:
        return given
    if not _SHAPE.match(given):
        raise BadRequest(_("Use 1 to 100 letters a-z and digits, with hyphens only between them"))
    if given in RESERVED:
        raise BadRequest(_("This slug is reserved. Enter another one"))
    return given


def domain(given: str) -> str | None:
    """The host name in lower case; None for an empty one."""
    return given.strip().lower().rstrip(".") or None


def zone(given: str) -> str:
    """The time zone, UTC for an empty one. Raises BadRequest."""
    return known_zone(given) or "UTC"


def url(given: str) -> str | None:
    """An https URL in its one spelling; None for an empty one. Raises BadRequest."""
    if not given:
        return None
    text, sharp, fragment = given.strip().partition("#")
    try:
        found = target(text)
    except AddressRefused as wrong:
        raise BadRequest(str(wrong)) from wrong
    if found.scheme != "https":
        raise BadRequest(_("Enter a URL that starts with https://"))
    clean = found.url + (f"#{quote(fragment, safe=_FRAGMENT)}" if sharp else "")
    if len(clean) > 2_048:
        raise BadRequest(_("Enter a URL of up to 2,048 characters"))
    return clean


# Lengths are characters (wire 9.3); numbers of components and groups are per page.
LONGEST_NAME, LONGEST_SLUG, LONGEST_DESCRIPTION = 120, 100, 500
MOST_COMPONENTS, MOST_GROUPS = 100, 20
LATEST_ORDER: Final = 100_000
# Calls per minute of the list of public pages, and of one page.
LIST_LIMIT, PAGE_LIMIT = 60, 600
# The number of days that a page shows.
DAYS: Final = 90

Theme = Literal["system", "light", "dark"]
Policy = Literal["off", "draft", "publish"]
ComponentStatus = Literal["operational", "degraded_performance", "partial_outage", "major_outage", "under_maintenance"]
FileKind = Literal["logo", "favicon"]

Id = Annotated[str, Meta(min_length=1, max_length=255)]
Name = Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME), Field(clean=name)]
DisplayName = Annotated[str, Meta(max_length=LONGEST_NAME), Field(clean=display_name, null=True, empty="")]
Slug = Annotated[str, Meta(min_length=1, max_length=LONGEST_SLUG), Field(clean_in=slug)]
Description = Annotated[
    str,
    Meta(max_length=LONGEST_DESCRIPTION),
    Field(clean=str.strip, null=True, empty="", shown=lambda text: text or None),
]
Url = Annotated[str, Meta(max_length=2_048), Field(clean=url, typed=web_address)]
Zone = Annotated[str, Meta(max_length=64), Field(clean=zone)]
Domain = Annotated[str, Meta(max_length=255), Field(clean=domain)]
Password = Annotated[str, Meta(min_length=1, max_length=200), Field(secret=True, null=True, empty="")]
Minutes = Annotated[int, Meta(ge=0, le=1_440), Field()]
Order = Annotated[int, Meta(ge=0, le=LATEST_ORDER), Field()]
Choice = Annotated[bool, Field()]


class PageFields(Struct, frozen=True, kw_only=True, rename="camel"):
    """The fields that a status page and the answer about it have in common.

    `zone` is the time zone of its days. `indexed` pages are in search engines and lists. `automatic` selects the
    incidents of monitors that go down: published after `publish_after` minutes, or drafts. Only members see a page that
    is not `published`.
    """

    id: str
    organization_id: str
    slug: Slug
    name: Name
    website_url: Url | None
    support_url: Url | None
    theme: Annotated[Theme, Field()] | None
    zone: Zone = field(name="timeZone")
    domain: Domain | None
    indexed: Choice = field(name="isIndexed")
    subscribable: Choice = field(name="isSubscribable")
    automatic: Annotated[Policy, Field()] = field(name="automaticIncidents")
    publish_after: Minutes = field(name="publishAfterMinutes")
    published: Choice = field(name="isPublished")


class StatusPage(PageFields, frozen=True, kw_only=True):
    """A status page. Times are UTC ms; `version` grows with each change of anything on the page.

    `logo` and `favicon` are digests of stored images, empty for none; `logo_url` and `favicon_url` are the URLs that
    they were fetched from. `password` is a hash, empty if the page needs none.
    """

    description: Description
    logo: str
    logo_url: str | None
    favicon: str
    favicon_url: str | None
    password: Password
    version: int
    created_at: Stamp
    updated_at: Stamp

    @property
    def is_listed(self) -> bool:
        """Whether search engines and lists of pages can show it, once it is published."""
        return self.indexed and not self.password


_PAGE_DEFAULTS: Final = {
    **dict.fromkeys(("slug", "name", "description", "logo", "favicon", "password"), ""),
    **dict.fromkeys(("indexed", "subscribable", "published"), True),
    **dict.fromkeys(("version", "created_at", "updated_at"), 0),
    **{"zone": "UTC", "automatic": "off", "publish_after": 5},
}


def new_page(*, id: str, organization_id: str, **more: Any) -> StatusPage:
    """A page with these values; every other field is empty or has its default."""
    values: dict[str, Any] = dict.fromkeys(StatusPage.__struct_fields__) | _PAGE_DEFAULTS
    return StatusPage(**values | {"id": id, "organization_id": organization_id} | more)


class ComponentGroup(Struct, frozen=True, kw_only=True, rename="camel"):
    """A group of components. Groups and components share one order of positions."""

    id: str
    page_id: str
    name: Name
    description: Description = ""
    position: Order = field(default=0, name="order")
    created_at: Stamp = 0
    updated_at: Stamp = 0


class ComponentFields(Struct, frozen=True, kw_only=True, rename="camel"):
    """The fields that a component and the answer about it have in common. `only_if_degraded` hides it while it is
    operational."""

    id: str
    group_id: Annotated[Id, Field()] | None
    hide_url: Choice
    hide_uptime: Choice = field(name="hideUptimePercentage")
    hide_latency: Choice
    only_if_degraded: Choice = field(name="onlyShowIfDegraded")
    position: Order = field(name="order")


class Component(ComponentFields, frozen=True, kw_only=True):
    """A component: its status is that of a monitor or, without one, the `status` that members set.

    Without a `name` it has the name of its monitor.
    """

    page_id: str
    monitor_id: str | None
    name: DisplayName
    description: Description
    status: Annotated[ComponentStatus, Field()]
    created_at: Stamp
    updated_at: Stamp


_COMPONENT_DEFAULTS: Final = {
    **dict.fromkeys(("name", "description"), ""),
    **dict.fromkeys(("hide_url", "hide_uptime", "hide_latency", "only_if_degraded"), False),
    **dict.fromkeys(("position", "created_at", "updated_at"), 0),
    "status": "operational",
}


def new_component(*, id: str, page_id: str, **more: Any) -> Component:
    """A component with these values; every other field is empty or has its default."""
    values: dict[str, Any] = dict.fromkeys(Component.__struct_fields__) | _COMPONENT_DEFAULTS
    return Component(**values | {"id": id, "page_id": page_id} | more)


class Whole(Struct, frozen=True):
    """A status page with all that is kept of it in memory.

    Groups and components are in the order of the page. `incidents` are its incidents and maintenances, newest first:
    all that are open, and the latest others.
    """

    page: StatusPage
    groups: tuple[ComponentGroup, ...] = ()
    components: tuple[Component, ...] = ()
    incidents: tuple[Incident, ...] = ()

    @property
    def id(self) -> str:
        """The id of the page."""
        return self.page.id

    @property
    def organization_id(self) -> str:
        """The owner of the page."""
        return self.page.organization_id
