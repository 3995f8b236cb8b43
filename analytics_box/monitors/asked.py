"""What other rooms ask of monitors: when they were down, for charts; which there are and what is down, for
alarms."""

from collections.abc import Sequence

from analytics_box.alarms.monitored import Monitored, MonitorName
from analytics_box.dashboard.chart import Outage
from analytics_box.dashboard.watched import WatchedWebsites
from analytics_box.facts.uptime import DOWN
from analytics_box.monitors.directory import Monitors
from analytics_box.monitors.engine import State
from analytics_box.monitors.listing import rows
from analytics_box.monitors.monitor import HOME, Monitor
from analytics_box.store.db import Db
from analytics_box.texts import MonitorStats


async def outages(events: Db, number: int, start: int, end: int) -> list[Outage]:
    """The times between two instants (UTC ms) in which a monitor was down."""
    found = await events.read(lambda db: rows.spans(db, (number,), start))
    return [
        Outage(max(span.start, start), min(span.until or end, end), MonitorStats.outage)
        for span in found[number]
        if span.state == DOWN and span.start < end
    ]


def monitored(monitors: Monitors) -> Monitored:
    """What alarms ask of monitors."""

    def of(organization_id: str) -> list[MonitorName]:
        return [MonitorName(one.id, one.called, one.group, one.tags) for one in monitors.of(organization_id)]

    def is_down(website_id: str) -> bool:
        return _state(monitors, monitors.of_website(website_id)) in {"down", "maintenance"}

    def rests(monitor_id: str) -> bool:
        found = monitors.find(monitor_id)
        if found is None or _state(monitors, found) in {"up", "unknown", "maintenance", "paused"}:
            return True
        above = monitors.find(found.parent_id) if found.parent_id is not None else None
        return _state(monitors, above) in {"verifying", "down"}

    return Monitored(of, is_down, rests)


def _state(monitors: Monitors, found: Monitor | None) -> State | None:
    live = monitors.state_of(found) if found is not None else None
    return live.state if live is not None else None


def watched_websites(monitors: Monitors, events: Db) -> WatchedWebsites:
    """What the pages of websites ask of their monitors. `events` is events.db."""

    def page(website_id: str) -> str:
        found = monitors.of_website(website_id)
        return f"{HOME}/{found.id}" if found is not None else ""

    async def of_website(website_id: str, start: int, end: int) -> Sequence[Outage]:
        found = monitors.of_website(website_id)
        return await outages(events, found.number, start, end) if found is not None else ()

    return WatchedWebsites(page, of_website)
