"""Websites in the navigation of pages."""

from collections.abc import Sequence
from typing import Final

from analytics_box.base.cache import BoundedCache
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.page.shell import Shell, WebsitePlace, about

OTHERS: Final = 12
MOST_USERS: Final = 10_000


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


def place(website: Website) -> WebsitePlace:
    """The address of a website's dashboard."""
    return WebsitePlace(website.id, website.name, f"/sites/{website.id}")
