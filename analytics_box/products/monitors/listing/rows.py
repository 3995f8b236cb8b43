"""Queries of the monitor list on events.db. Every function takes a reader."""

import json
from collections.abc import Sequence

from analytics_box.base.facts.uptime import DOWN, UptimeSpan
from analytics_box.base.store.db import Connection


def spans(db: Connection, numbers: Sequence[int], since: int) -> dict[int, list[UptimeSpan]]:
    """The spans of these monitors that had not ended at `since` (UTC ms), the earliest first."""
    found = db.execute(
        """
        -- monitors.listing.spans
        select monitor, state, start, until from monitor_spans
        where monitor in (select value from json_each(:numbers)) and (until = 0 or until > :since)
        order by monitor, start
        """,
        {"numbers": json.dumps(list(numbers)), "since": since},
    ).fetchall()
    by_monitor: dict[int, list[UptimeSpan]] = {number: [] for number in numbers}
    for monitor, state, start, until in found:
        by_monitor[int(str(monitor))].append(UptimeSpan(int(str(state)), int(str(start)), int(str(until))))
    return by_monitor


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
