"""The frame around signed-in pages, and what every page of one website says about it. Pure."""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from analytics_box.identity import Person, Theme
from analytics_box.organizations.rules import logo_path
from analytics_box.texts import figures
from analytics_box.websites.rules import LOCAL, MANAGERS, Website

OTHERS = 6

Here = Literal["sites", "add", "links", "overview", "queries", "people", "site-settings", "settings", "none"]


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
    changed and websites added, and a few others.

    `organization` is the name of the session's and `logo` its picture; `organizations` are all that the person
    belongs to.
    """

    email: str
    here: Here
    website: Place | None = None
    others: tuple[Place, ...] = ()
    theme: Theme = "system"
    may_configure: bool = False
    may_add: bool = False
    organization: str = ""
    logo: str = ""
    organizations: tuple[OrganizationShown, ...] = ()


class WebsiteShown(Struct, frozen=True):
    """A website on its own page. `live` is the address of the fragment that says who is there now."""

    name: str
    domain: str
    href: str
    live: str
    online: str
    snippet: str
    local: bool


def shell(
    person: Person,
    here: Here,
    *,
    website: Website | None = None,
    websites: Sequence[Website] = (),
) -> Shell:
    """The frame of a page about `website`, with up to six others of `websites` to switch to."""
    organizations = tuple(
        OrganizationShown(
            id=one.organization_id,
            name=one.name,
            current=one.organization_id == person.organization_id,
            logo=logo_path(one.organization_id, one.logo),
        )
        for one in person.memberships
    )
    others = [place(other) for other in websites if website is not None and other.id != website.id]
    return Shell(
        email=person.email,
        here=here,
        website=place(website) if website else None,
        others=tuple(others[:OTHERS]),
        theme=person.theme,
        may_configure=person.role != "viewer",
        may_add=person.role in MANAGERS,
        organization=next((one.name for one in organizations if one.current), ""),
        logo=next((one.logo for one in organizations if one.current), ""),
        organizations=organizations,
    )


def place(website: Website) -> Place:
    """Where a website's overview is."""
    return Place(website.name, f"/sites/{website.id}")


def website_shown(website: Website, *, online: int, script: str) -> WebsiteShown:
    """`script` is the absolute address of the tracker; `online` is the number of current visitors (semantics 9)."""
    href = f"/sites/{website.id}"
    return WebsiteShown(
        name=website.name,
        domain=website.domain,
        href=href,
        live=f"{href}/live",
        online=figures.count(online),
        snippet=snippet(website, script),
        local=website.domain in LOCAL,
    )


def snippet(website: Website, script: str) -> str:
    """The line to paste. A website on localhost says so, else the tracker stays silent there."""
    local = " data-track-localhost" if website.domain in LOCAL else ""
    return f'<script src="{script}" data-client-id="{website.client_id}"{local} defer></script>'
