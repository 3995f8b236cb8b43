"""The frame around signed-in pages. Pure."""

from collections.abc import Set
from typing import Final, Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.identity import Role, SignedInPerson, Theme, WeekStart, at_least, logo_path
from analytics_box.base.translation import _

Here = Literal[
    "sites",
    "add",
    "links",
    "monitors",
    "status",
    "flags",
    "overview",
    "changes",
    "realtime",
    "queries",
    "people",
    "goals",
    "funnels",
    "journeys",
    "retention",
    "revenue",
    "sessions",
    "errors",
    "performance",
    "engagement",
    "ai-traffic",
    "mcp",
    "reports",
    "site-settings",
    "settings",
    "none",
]


class NavigationEntry(NamedTuple):
    """An entry of the navigation: the address, relative to a website's for its pages, and the least role that sees it.

    Phones show entries with a `short` name in the bottom bar, and all of them under “More”. Above one that `begins` a
    group there is a gap.
    """

    here: Here
    href: str
    icon: str
    label: str
    short: str = ""
    least: Role = "viewer"
    begins: bool = False


PRODUCTS: Final = (
    NavigationEntry("sites", "/sites", "sites", _("Websites")),
    NavigationEntry("links", "/links", "link", _("Links"), short=_("Links")),
    NavigationEntry("monitors", "/monitors", "pulse", _("Monitors"), short=_("Monitors")),
    NavigationEntry("status", "/status-pages", "status", _("Status pages")),
    NavigationEntry("flags", "/flags", "flag", _("Flags")),
)
OF_WEBSITE: Final = (
    NavigationEntry("overview", "", "overview", _("Dashboard"), short=_("Dashboard")),
    NavigationEntry("realtime", "/realtime", "live", _("Realtime"), short=_("Realtime")),
    NavigationEntry("changes", "/changes", "sources", _("What changed")),
    NavigationEntry("goals", "/goals", "goal", _("Goals"), begins=True),
    NavigationEntry("revenue", "/revenue", "revenue", _("Revenue")),
    NavigationEntry("funnels", "/funnels", "funnel", _("Funnels")),
    NavigationEntry("journeys", "/journeys", "journey", _("Journeys")),
    NavigationEntry("retention", "/retention", "retention", _("Retention")),
    NavigationEntry("sessions", "/sessions", "pages", _("Sessions"), begins=True),
    NavigationEntry("people", "/visitors", "user", _("Visitors"), least="member"),
    NavigationEntry("engagement", "/details/attention", "eye", _("Engagement")),
    NavigationEntry("errors", "/errors", "warning", _("Errors"), begins=True),
    NavigationEntry("performance", "/performance", "speed", _("Performance")),
    NavigationEntry("ai-traffic", "/ai-traffic", "globe", _("AI traffic")),
    NavigationEntry("mcp", "/mcp", "pulse", _("MCP")),
    NavigationEntry("queries", "/queries", "table", _("API explorer"), begins=True),
    NavigationEntry("reports", "/reports", "mail", _("Reports"), least="admin"),
    NavigationEntry("site-settings", "/settings", "tune", _("Website settings"), least="member"),
    NavigationEntry("site-settings", "/not-counted", "tune", _("Dropped traffic")),
)


class WebsitePlace(Struct, frozen=True):
    """A website in the navigation."""

    id: str
    name: str
    href: str


class OrganizationChoice(Struct, frozen=True):
    """An organization to turn to. `logo` is the address of its picture, or empty."""

    id: str
    name: str
    current: bool
    logo: str = ""


class Shell(Struct, frozen=True):
    """The frame: the signed-in user, the current page, the website that the navigation shows with its pages
    (`of_website`), and a few other websites.

    `organization_id`, `organization` (its name), `logo` (its picture) and `role` are those of the session's
    organization; `organizations` are all that the user belongs to. Administrators of the box see its notices.
    `resources` are the ids of what they can access in the session's organization; None for all of it.
    """

    email: str
    here: Here
    user_id: str = ""
    organization_id: str = ""
    role: Role = "viewer"
    website: WebsitePlace | None = None
    others: tuple[WebsitePlace, ...] = ()
    theme: Theme = "system"
    week_start: WeekStart = "sunday"
    organization: str = ""
    logo: str = ""
    organizations: tuple[OrganizationChoice, ...] = ()
    is_administrator: bool = False
    resources: Set[str] | None = None
    of_website: tuple[NavigationEntry, ...] = ()

    @property
    def is_restricted(self) -> bool:
        """Whether the user can access selected resources only."""
        return self.resources is not None

    @property
    def products(self) -> tuple[NavigationEntry, ...]:
        """The products, in the order of the navigation."""
        return PRODUCTS

    @property
    def bar(self) -> tuple[NavigationEntry, ...]:
        """The entries of the bottom bar on phones besides “More”: a website's pages, then products."""
        return tuple(entry for entry in (*self.of_website, *PRODUCTS) if entry.short)


def about(shell: Shell, website: WebsitePlace, others: tuple[WebsitePlace, ...], role: Role) -> Shell:
    """The frame with the pages of a website. Dropped events are a tab of its settings for roles that see these."""
    seen: dict[Here, NavigationEntry] = {}
    for entry in OF_WEBSITE:
        if at_least(role, entry.least):
            seen.setdefault(entry.here, entry._replace(href=f"{website.href}{entry.href}"))
    return replace(shell, website=website, others=others, of_website=tuple(seen.values()))


def frame(person: SignedInPerson, here: Here) -> Shell:
    """The frame of a page that is not about a website."""
    current = person.session_organization_id or person.organization_id
    organizations = tuple(
        OrganizationChoice(
            id=one.organization_id,
            name=one.name,
            current=one.organization_id == current,
            logo=logo_path(one.organization_id, one.logo),
        )
        for one in person.memberships
    )
    return Shell(
        email=person.email,
        here=here,
        user_id=person.user_id,
        organization_id=current,
        role=person.role_in(current) or person.role,
        theme=person.theme,
        week_start=person.week_start,
        organization=next((one.name for one in organizations if one.current), ""),
        logo=next((one.logo for one in organizations if one.current), ""),
        organizations=organizations,
        is_administrator=person.is_administrator,
        resources=next((one.resources for one in person.memberships if one.organization_id == current), None),
    )
