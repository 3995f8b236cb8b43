"""Writes what the demo's monitors have found: checks, those of older days together by hour, and their timelines."""

from collections.abc import Iterator, Sequence
from typing import Final

from analytics_box.app.demo.found import DemoCheck, MonitorCourse
from analytics_box.app.demo.monitors import DemoMonitors
from analytics_box.base.clock import DAY, HOUR, utc_day
from analytics_box.base.facts.layout import INSERT
from analytics_box.base.facts.tables import CHECKS
from analytics_box.base.facts.uptime import PAUSED, UNKNOWN
from analytics_box.base.store.db import Connection
from analytics_box.base.store.strings import Strings
from analytics_box.products.monitors.monitor import Monitor
from analytics_box.products.monitors.running import rows
from analytics_box.products.monitors.running.overlay import Overlay
from analytics_box.products.monitors.running.rollup_rows import ONE_BY_ONE
from analytics_box.products.monitors.running.rows import CheckRow
from analytics_box.products.monitors.running.spans import Stroke
from analytics_box.products.monitors.running.states import FAILED, PASSED, MonitorStanding

ALONE: Final = 30  # days for which checks stand by themselves, as the box keeps them
_SUMMED: Final = frozenset(name for name, how in ONE_BY_ONE.items() if how.startswith("sum"))
_DROPPED: Final = frozenset(name for name, how in ONE_BY_ONE.items() if how == "0")


def append(db: Connection, strings: Strings, made: DemoMonitors, seed: str, *, first_day: int, now: int) -> None:
    """Write what the monitors have found since the box last watched; of new ones, since the first day.

    It belongs into one transaction. What is paused stays as it is, and of monitors that are not the demo's nothing is
    known of the time since.
    """
    stored = rows.load_states(db)
    since = now if stored.alive_at is None else min(stored.alive_at, now)
    standings: dict[int, MonitorStanding] = {}
    for name, monitor in made.monitors.items():
        before = stored.standings.get(monitor.number, MonitorStanding())
        start = since if monitor.number in stored.open_spans else first_day * DAY
        if monitor.is_paused or start >= now:
            continue
        course = MonitorCourse(name, monitor, seed, first_day, Overlay(monitor, made.windows))
        last, strokes = _append(db, strings, course, start, now), course.strokes(start, now)
        rows.paint(db, strokes)
        standings[monitor.number] = MonitorStanding(
            base="up",
            since=before.since if before.base == "up" and len(strokes) == 1 else strokes[-1].at,
            heard=(last or before.heard) if monitor.kind == "push" else 0,
        )
    unknown = [
        Stroke(number, since, UNKNOWN)
        for number, span in stored.open_spans.items()
        if number not in standings and span.state != PAUSED and since < now
    ]
    rows.paint(db, unknown)
    rows.save(db, standings)
    rows.alive(db, now)


def _append(db: Connection, strings: Strings, course: MonitorCourse, start: int, end: int) -> int:
    """Write the checks between two instants; returns when the last of them was, 0 without any."""
    alone, monitor = (utc_day(end) - ALONE) * DAY, course.monitor
    found = list(course.checks(start, end, alone))
    together = [one for one in found if one.result.at < alone]
    rows.append(db, strings, (_check(monitor, one) for one in found[len(together) :]))
    db.executemany(INSERT["checks"], _together(db, strings, monitor, together))
    return found[-1].result.at if found else 0


def _check(monitor: Monitor, found: DemoCheck) -> CheckRow:
    status = FAILED if found.result.outcome == "fail" else PASSED
    return CheckRow(monitor, found.result, status, 1, found.streak)


def _together(
    db: Connection, strings: Strings, monitor: Monitor, found: Sequence[DemoCheck]
) -> Iterator[tuple[object, ...]]:
    """Rows of checks as they are once they were put together by hour."""
    for one in found:
        row = rows.row(db, strings, _check(monitor, one))
        yield tuple(_stored_checks(name, value, one.alike) for name, value in zip(CHECKS.names, row, strict=True))


def _stored_checks(name: str, value: object, count: int) -> object:
    if name == "time":
        return int(str(value)) // HOUR * HOUR
    if name in _DROPPED:
        return 0
    return value * count if name in _SUMMED and isinstance(value, int) else value
