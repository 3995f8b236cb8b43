"""The frame around pages of one website, and what each of them says about it."""

from collections.abc import Sequence

from msgspec import Struct

from analytics_box.base.identity import SignedInPerson
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.navigation import other_places, place
from analytics_box.tenants.websites.rules import LOCAL, Website
from analytics_box.web.page.shell import Here, Shell, about, frame
from analytics_box.web.page.visit import PageRequest


class WebsiteHeader(Struct, frozen=True):
    """A website on its own page. `live` is the address that says who is there now, `online` how many that are."""

    name: str
    domain: str
    href: str
    live: str
    online: str
    snippet: str
    local: bool
    public: bool = False


def shell(
    person: SignedInPerson,
    here: Here,
    *,
    website: Website | None = None,
    websites: Sequence[Website] = (),
) -> Shell:
    """The frame of a page about `website`, with some others of `websites` to switch to."""
    if website is None:
        return frame(person, here)
    return about(frame(person, here), place(website), other_places(website, websites), person.role)


def site_shell(visit: PageRequest, here: Here, website: Website) -> Shell:
    """The frame of a page about a website, for whoever visits it."""
    return shell(visit.person, here, website=website, websites=visit.parts[Directory].of(visit.person.organization_id))


def website_shown(website: Website, *, online: str, script: str) -> WebsiteHeader:
    """`script` is the absolute address of the tracker; `online` is who is there now, in words (semantics 9)."""
    href = f"/sites/{website.id}"
    return WebsiteHeader(
        name=website.name,
        domain=website.domain,
        href=href,
        live=f"{href}/live",
        online=online,
        snippet=snippet(website, script),
        local=website.domain in LOCAL,
        public=website.is_public,
    )


def snippet(website: Website, script: str) -> str:
    """The line to paste. A website on localhost says so, else the tracker stays silent there."""
    local = " data-track-localhost" if website.domain in LOCAL else ""
    return f'<script src="{script}" data-client-id="{website.client_id}"{local} defer></script>'
