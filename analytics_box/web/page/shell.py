"""The frame around signed-in pages. Pure."""

from typing import Final, Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.identity import Person, Role, Theme, at_least, logo_path
from analytics_box.base.texts import (
    App,
    FlagList,
    Goals,
    Links,
    MonitorList,
    People,
    Queries,
    SiteSettings,
    StatusPageList,
)

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


class Entry(NamedTuple):
    """An entry of the navigation: the address, behind a website's where it is about one, and the least role that sees
    it. The bar of a phone has those with a `short` name, and all of them behind “More”."""

    here: Here
    href: str
    icon: str
    label: str
    short: str = ""
    least: Role = "viewer"


PRODUCTS: Final = (
    Entry("sites", "/sites", "sites", App.sites, short=App.sites),
    Entry("links", "/links", "link", Links.short, short=Links.short),
    Entry("monitors", "/monitors", "pulse", MonitorList.short, short=MonitorList.short),
    Entry("status", "/status-pages", "status", StatusPageList.title, short=StatusPageList.short),
    Entry("flags", "/flags", "flag", FlagList.short),
)
OF_WEBSITE: Final = (
    Entry("overview", "", "overview", App.overview, short=App.overview),
    Entry("goals", "/goals", "goal", Goals.short),
    Entry("people", "/visitors", "user", People.short, short=People.short, least="member"),
    Entry("queries", "/queries", "table", Queries.short),
    Entry("site-settings", "/settings", "tune", SiteSettings.short, short=SiteSettings.in_bar, least="member"),
    Entry("site-settings", "/not-counted", "tune", SiteSettings.dropped, short=SiteSettings.dropped_in_bar),
)


class Place(Struct, frozen=True):
    """A website in the navigation."""

    name: str
    href: str


class OrganizationShown(Struct, frozen=True):
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
    website: Place | None = None
    others: tuple[Place, ...] = ()
    theme: Theme = "system"
    organization: str = ""
    logo: str = ""
    organizations: tuple[OrganizationShown, ...] = ()
    is_administrator: bool = False
    of_website: tuple[Entry, ...] = ()

    @property
    def products(self) -> tuple[Entry, ...]:
        """The products, in the order of the navigation."""
        return PRODUCTS

    @property
    def bar(self) -> tuple[Entry, ...]:
        """What the bar of a phone has beside “More”: the first product and a website's pages, or the products."""
        if self.website is None:
            return tuple(entry for entry in PRODUCTS if entry.short)
        return (PRODUCTS[0], *(entry for entry in self.of_website if entry.short))


def about(shell: Shell, website: Place, others: tuple[Place, ...], role: Role) -> Shell:
    """The frame of a page about a website. Who may see its settings gets to its dropped traffic through them."""
    seen: dict[Here, Entry] = {}
    for entry in OF_WEBSITE:
        if at_least(role, entry.least):
            seen.setdefault(entry.here, entry._replace(href=f"{website.href}{entry.href}"))
    return replace(shell, website=website, others=others, of_website=tuple(seen.values()))


def frame(person: Person, here: Here) -> Shell:
    """The frame of a page that is about no website. The current organization is the session's."""
    current = person.session_organization_id or person.organization_id
    organizations = tuple(
        OrganizationShown(
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
