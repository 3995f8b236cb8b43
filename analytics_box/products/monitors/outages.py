"""Outages and uptime of monitors, for charts and for the pages of websites."""

import json
from collections.abc import Sequence

from analytics_box.base.facts.spans import read_spans
from analytics_box.base.facts.uptime import DOWN, UptimeSpan, uptime
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.translation import _
from analytics_box.base.urls import url_parts
from analytics_box.figures.chart import ChartOutage
from analytics_box.figures.watched import WatchedUptime, WatchedWebsites
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.monitor import HOME, Monitor
from analytics_box.products.monitors.page_frame import state_label
from analytics_box.query.ranges import TimeWindow
from analytics_box.tenants.websites.rules import Website


def downtimes(db: Connection, numbers: Sequence[int], start: int, end: int) -> dict[int, tuple[int, int]]:
    """The downtime in ms and the number of outages of these monitors between two instants (UTC ms).

    An outage in progress lasts until `end`. Monitors that were not down are left out.
    """
    found = db.execute(
        """
        -- monitors.listing.downtimes
        select monitor, sum(min(iif(until = 0, :end, until), :end) - max(start, :start)), count(*) from monitor_spans
        where monitor in (select value from json_each(:numbers))
          and state = :down and start < :end and (until = 0 or until > :start)
        group by monitor
        """,
        {"numbers": json.dumps(list(numbers)), "start": start, "end": end, "down": DOWN},
    ).fetchall()
    return {int(str(monitor)): (int(str(lasted)), int(str(count))) for monitor, lasted, count in found}


def causes(db: Connection, number: int, incidents: Sequence[UptimeSpan]) -> dict[int, str]:
    """The first error within each incident of a monitor, by the start of the incident (UTC ms).

    Incidents older than the retention of checks have none.
    """
    found = db.execute(
        """
        -- monitors.listing.causes
        select json_extract(span.value, '$[0]') as start, (
          select strings.value from checks join strings on strings.id = checks.error
          where checks.monitor = :number and checks.time >= json_extract(span.value, '$[0]')
            and (json_extract(span.value, '$[1]') = 0 or checks.time < json_extract(span.value, '$[1]'))
            and strings.value <> ''
          order by checks.time limit 1
        )
        from json_each(:spans) as span
        """,
        {"number": number, "spans": json.dumps([(span.start, span.until) for span in incidents])},
    ).fetchall()
    return {int(str(start)): str(error) for start, error in found if error is not None}


def responses(db: Connection, numbers: Sequence[int], since: int) -> dict[int, float]:
    """The average response time in ms of these monitors since then; those that did not answer are left out."""
    found = db.execute(
        """
        -- monitors.listing.responses
        select monitor, sum(total), sum(count) from checks
        where monitor in (select value from json_each(:numbers)) and time >= :since and status = 1 and total is not null
        group by monitor
        """,
        {"numbers": json.dumps(list(numbers)), "since": since},
    ).fetchall()
    return {int(str(monitor)): int(str(total)) / int(str(count)) / 1000 for monitor, total, count in found}


async def outages(events: Db, number: int, start: int, end: int) -> list[ChartOutage]:
    """The times between two instants (UTC ms) in which a monitor was down."""
    found = await events.read(lambda db: read_spans(db, "monitor_spans", (number,), start))
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
        states = await events.read(
            lambda db: read_spans(db, "monitor_spans", (one.number for one in known), window.start)
        )
        return [
            WatchedUptime(
                one.called,
                f"{HOME}/{one.id}",
                state_label(monitors.state_of(one)),
                uptime(states[one.number], window.start, window.end, now).percentage,
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
