"""The monitors of a website on the pages of the website."""

from collections.abc import Awaitable, Callable, Sequence

from msgspec import Struct

from analytics_box.figures.chart import ChartOutage
from analytics_box.query.ranges import TimeWindow
from analytics_box.tenants.websites.rules import Website


class WatchedUptime(Struct, frozen=True):
    """A monitor of a website: its page, its state now, and its uptime in a range in percent, None if unknown."""

    name: str
    href: str
    state: str
    uptime: float | None


class WatchedWebsites(Struct, frozen=True):
    """The answers of the room that monitors websites. `page` is the path of the page of a website's monitor, or empty;
    `outages` are the times between two instants (UTC ms) in which the website was down; `count` is how many monitors
    check the website or its domain, `uptimes` are these within a range, up to now (UTC ms)."""

    page: Callable[[str], str]
    outages: Callable[[str, int, int], Awaitable[Sequence[ChartOutage]]]
    count: Callable[[Website], int]
    uptimes: Callable[[Website, TimeWindow, int], Awaitable[Sequence[WatchedUptime]]]
