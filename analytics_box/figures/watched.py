"""A website's monitor on the pages of the website."""

from collections.abc import Awaitable, Callable, Sequence

from msgspec import Struct

from analytics_box.figures.chart import ChartOutage


class WatchedWebsites(Struct, frozen=True):
    """Told by whoever watches websites. `page` is the path of the page of a website's monitor, or empty; `outages` are
    the times between two instants (UTC ms) in which the website was down."""

    page: Callable[[str], str]
    outages: Callable[[str, int, int], Awaitable[Sequence[ChartOutage]]]
