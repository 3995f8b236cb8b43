"""Outages and uptime of monitors, for charts and for the pages of websites."""

from collections.abc import Sequence

from analytics_box.base.facts.uptime import DOWN, uptime
from analytics_box.base.store.db import Db
from analytics_box.base.translation import _
from analytics_box.base.urls import url_parts
from analytics_box.figures.chart import ChartOutage
from analytics_box.figures.watched import WatchedUptime, WatchedWebsites
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.listing import rows
from analytics_box.products.monitors.monitor import HOME, Monitor
from analytics_box.products.monitors.page_frame import state_label
from analytics_box.query.ranges import TimeWindow
from analytics_box.tenants.websites.rules import Website


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

    def watching(website: Website) -> list[Monitor]:
        return [one for one in monitors.of(website.organization_id) if _checks(one, website)]

    async def uptimes(website: Website, window: TimeWindow, now: int) -> list[WatchedUptime]:
        known = watching(website)
        spans = await events.read(lambda db: rows.spans(db, tuple(one.number for one in known), window.start))
        return [
            WatchedUptime(
                one.called,
                f"{HOME}/{one.id}",
                state_label(monitors.state_of(one)),
                uptime(spans[one.number], window.start, window.end, now).percentage,
            )
            for one in known
        ]

    return WatchedWebsites(page, of_website, lambda website: len(watching(website)), uptimes)


def _checks(monitor: Monitor, website: Website) -> bool:
    """Return whether a monitor checks this website, or a service of its domain."""
    if monitor.website_id is not None:
        return monitor.website_id == website.id
    parts = url_parts(monitor.url if "//" in monitor.url else f"//{monitor.url}")
    return f".{parts.hostname or ''}".endswith(f".{website.domain}")
