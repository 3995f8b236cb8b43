"""The short links and flags of a website on the pages of the website."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from analytics_box.figures.marks import ChartNote
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.call import Call

if TYPE_CHECKING:  # The start loads links, but neither pages nor the web framework.
    from analytics_box.web.page.visit import PageRequest


class FollowedLink(Struct, frozen=True):
    """A short link that a session came from, and its page."""

    name: str
    href: str


class FollowedLinks(Struct, frozen=True):
    """The answer of the room of short links: the first link that a visitor of a website followed to one of these page
    views (UTC ms, oldest first), if the caller can see it."""

    find: Callable[[Call, Website, int, Sequence[int]], Awaitable[FollowedLink | None]]


class FlagHistories(Struct, frozen=True):
    """The answer of the room of flags: the latest changes of a website's flags between two instants (UTC ms), oldest
    first, of those that the reader of the page can see."""

    find: Callable[["PageRequest", Website, int, int], Awaitable[Sequence[ChartNote]]]
