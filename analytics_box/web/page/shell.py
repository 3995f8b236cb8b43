"""The frame around signed-in pages. Pure."""

from typing import Final, Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.identity import Role, SignedInPerson, Theme, at_least, logo_path
from analytics_box.base.texts import (
    FlagList,
    GoalTexts,
    LinkTexts,
    MonitorList,
    People,
    QueryTexts,
    SiteSettings,
    StatusPageList,
)
from analytics_box.base.translation import _

Here = Literal[
    "sites",
    "add",
    "links",
    "monitors",
    "status",
    "flags",
    "overview",
    "queries",
    "people",
    "goals",
    "site-settings",
    "settings",
    "none",
]


class NavigationEntry(NamedTuple):
    """An entry of the navigation: the address, behind a website's where it is about one, and the least role that sees
    it. The bar of a phone has those with a `short` name, and all of them behind “More”."""

    here: Here
    href: str
    icon: str
    label: str
    short: str = ""
    least: Role = "viewer"


PRODUCTS: Final = (
    NavigationEntry("sites", "/sites", "sites", _("Websites"), short=_("Websites")),
    NavigationEntry("links", "/links", "link", LinkTexts.short, short=LinkTexts.short),
    NavigationEntry("monitors", "/monitors", "pulse", MonitorList.short, short=MonitorList.short),
    NavigationEntry("status", "/status-pages", "status", StatusPageList.title, short=StatusPageList.short),
    NavigationEntry("flags", "/flags", "flag", FlagList.short),
)
OF_WEBSITE: Final = (
    NavigationEntry("overview", "", "overview", _("Overview"), short=_("Overview")),
    NavigationEntry("goals", "/goals", "goal", GoalTexts.short),
    NavigationEntry("people", "/visitors", "user", People.short, short=People.short, least="member"),
    NavigationEntry("queries", "/queries", "table", QueryTexts.short),
    NavigationEntry(
        "site-settings", "/settings", "tune", SiteSettings.short, short=SiteSettings.in_bar, least="member"
    ),
    NavigationEntry("site-settings", "/not-counted", "tune", SiteSettings.dropped, short=SiteSettings.dropped_in_bar),
)


class WebsitePlace(Struct, frozen=True):
    """A website in the navigation."""

    name: str
    href: str


class OrganizationChoice(Struct, frozen=True):
    """An organization to turn to. `logo` is the address of its picture, or empty."""

    id: str
    name: str
    current: bool
    logo: str = ""


class Shell(Struct, frozen=True):
    """The frame: who is signed in, which page this is, which website it is about, and a
    few others. `of_website` are its pages in the navigation.

    `organization` is the name of the session's and `logo` its picture; `organizations` are all that the person
    belongs to. An administrator of the box is told what has to be done about it.
    """

    email: str
    here: Here
    website: WebsitePlace | None = None
    others: tuple[WebsitePlace, ...] = ()
    theme: Theme = "system"
    organization: str = ""
    logo: str = ""
    organizations: tuple[OrganizationChoice, ...] = ()
    is_administrator: bool = False
    of_website: tuple[NavigationEntry, ...] = ()

    @property
    def products(self) -> tuple[NavigationEntry, ...]:
        """The products, in the order of the navigation."""
        return PRODUCTS

    @property
    def bar(self) -> tuple[NavigationEntry, ...]:
        """Entries of the bar on phones besides “More”: the first product and a website's pages, or the products."""
        if self.website is None:
            return tuple(entry for entry in PRODUCTS if entry.short)
        return (PRODUCTS[0], *(entry for entry in self.of_website if entry.short))


def about(shell: Shell, website: WebsitePlace, others: tuple[WebsitePlace, ...], role: Role) -> Shell:
    """The frame of a page about a website. Who may see its settings gets to its dropped traffic through them."""
    seen: dict[Here, NavigationEntry] = {}
    for entry in OF_WEBSITE:
        if at_least(role, entry.least):
            seen.setdefault(entry.here, entry._replace(href=f"{website.href}{entry.href}"))
    return replace(shell, website=website, others=others, of_website=tuple(seen.values()))


def frame(person: SignedInPerson, here: Here) -> Shell:
    """The frame of a page that is about no website. The current organization is the session's."""
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
        theme=person.theme,
        organization=next((one.name for one in organizations if one.current), ""),
        logo=next((one.logo for one in organizations if one.current), ""),
        organizations=organizations,
        is_administrator=person.is_administrator,
    )
