"""The frame around pages of one website, and what each of them says about it."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from analytics_box.base.cache import BoundedCache
from analytics_box.base.identity import SignedInPerson
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.rules import LOCAL, Website
from analytics_box.web.page.shell import Here, Shell, WebsitePlace, about, frame
from analytics_box.web.page.visit import PageRequest

OTHERS: Final = 12
MOST_USERS: Final = 10_000


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


class WebsiteNavigation:
    """The website that each user looked at last, in memory: pages of the organization keep it in the navigation."""

    def __init__(self, directory: Directory) -> None:
        self._directory = directory
        self._last: BoundedCache[str, str] = BoundedCache(MOST_USERS)

    def complete_frame(self, frame: Shell) -> Shell:
        """The frame with its website; else with the one that the user looked at last, or the organization's oldest."""
        if frame.website is not None:
            self._last.put(frame.user_id, frame.website.id)
            return frame
        websites = self._directory.of(frame.organization_id)
        if not websites:
            return frame
        last = self._last.get(frame.user_id)
        current = next((website for website in websites if website.id == last), websites[0])
        return about(frame, place(current), other_places(current, websites), frame.role)


def other_places(website: Website, websites: Sequence[Website]) -> tuple[WebsitePlace, ...]:
    """The first other websites, for the switcher."""
    return tuple(place(other) for other in websites if other.id != website.id)[:OTHERS]


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


def place(website: Website) -> WebsitePlace:
    """The address of a website's dashboard."""
    return WebsitePlace(website.id, website.name, f"/sites/{website.id}")


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
