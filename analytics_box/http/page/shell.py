"""The frame around signed-in pages. Pure."""

from typing import Literal

from msgspec import Struct

from analytics_box.identity import Person, Theme, at_least, logo_path

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
    "site-settings",
    "settings",
    "none",
]


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
    """The frame: who is signed in, which page this is, which website it is about, whether its settings may be
    changed, and a few others.

    `organization` is the name of the session's and `logo` its picture; `organizations` are all that the person
    belongs to. An administrator of the box is told what has to be done about it.
    """

    email: str
    here: Here
    website: Place | None = None
    others: tuple[Place, ...] = ()
    theme: Theme = "system"
    may_configure: bool = False
    organization: str = ""
    logo: str = ""
    organizations: tuple[OrganizationShown, ...] = ()
    is_administrator: bool = False


def frame(person: Person, here: Here) -> Shell:
    """The frame of a page that is about no website."""
    organizations = tuple(
        OrganizationShown(
            id=one.organization_id,
            name=one.name,
            current=one.organization_id == person.organization_id,
            logo=logo_path(one.organization_id, one.logo),
        )
        for one in person.memberships
    )
    return Shell(
        email=person.email,
        here=here,
        theme=person.theme,
        may_configure=at_least(person.role, "member"),
        organization=next((one.name for one in organizations if one.current), ""),
        logo=next((one.logo for one in organizations if one.current), ""),
        organizations=organizations,
        is_administrator=person.is_administrator,
    )
