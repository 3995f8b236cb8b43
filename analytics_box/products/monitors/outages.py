"""Outages of monitors, for charts and for the pages of websites."""

from collections.abc import Sequence

from analytics_box.base.facts.uptime import DOWN
from analytics_box.base.store.db import Db
from analytics_box.base.translation import _
from analytics_box.figures.chart import ChartOutage
from analytics_box.figures.watched import WatchedWebsites
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.listing import rows
from analytics_box.products.monitors.monitor import HOME


async def outages(events: Db, number: int, start: int, end: int) -> list[ChartOutage]:
    """The times between two instants (UTC ms) in which a monitor was down."""
    found = await events.read(lambda db: rows.spans(db, (number,), start))
    return [
        ChartOutage(max(span.start, start), min(span.until or end, end), _("Down"))
        for span in found[number]
        if span.state == DOWN and span.start < end
    ]


def watched_websites(monitors: Monitors, events: Db) -> WatchedWebsites:
    """The questions of websites' pages about their monitors. `events` is events.db."""

    def page(website_id: str) -> str:
        found = monitors.of_website(website_id)
        return f"{HOME}/{found.id}" if found is not None else ""

    async def of_website(website_id: str, start: int, end: int) -> Sequence[ChartOutage]:
        found = monitors.of_website(website_id)
        return await outages(events, found.number, start, end) if found is not None else ()

    return WatchedWebsites(page, of_website)
