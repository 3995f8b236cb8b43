"""The days of components: what is stored of them, and what is found again of the others."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import partial
from typing import NamedTuple
from zoneinfo import ZoneInfo

from analytics_box.base.facts.spans import read_spans
from analytics_box.base.facts.uptime import UptimeSpan, uptimes
from analytics_box.base.store.db import Connection, Db
from analytics_box.products.status_pages.days import figures as day_figures
from analytics_box.products.status_pages.days import rows
from analytics_box.products.status_pages.days.figures import Checks, DayFigures, figures
from analytics_box.products.status_pages.days.rows import StoredDay


class MeasuredComponent(NamedTuple):
    """A component, with the number by which the facts know its monitor; None for one without."""

    component_id: str
    monitor: int | None


class PageDays(NamedTuple):
    """The days that a page shows, the oldest first, and the figures of each by component; `settled` are those that are
    over and were not stored."""

    dates: list[date]
    figures: dict[str, list[DayFigures]]
    settled: list[StoredDay]


class _Missing(NamedTuple):
    """The days to compute by component, as indexes; `first` is the lowest index of all."""

    of: dict[MeasuredComponent, list[int]]
    first: int

    @property
    def by_place(self) -> dict[int, list[int]]:
        """The monitors whose checks are to be read, by the place of the day."""
        found: dict[int, list[int]] = {}
        for one, places in self.of.items():
            if one.monitor is not None:
                for place in places:
                    found.setdefault(place, []).append(one.monitor)
        return found


async def read_days(
    box_db: Db, events: Db, components: Sequence[MeasuredComponent], tz: ZoneInfo, now: int
) -> PageDays:
    """The days that a page shows now. Raises Unavailable and DeadlineExceeded.

    Checks are read day by day: where many are missing, none of the reads is long.
    """
    dates = day_figures.days_on_page(now, tz)
    edges = day_figures.edges(dates, tz)
    stored, own = await box_db.read(partial(_of_box, components=components, since=dates[0], start=edges[0]))
    settled = {day.isoformat() for day in dates if day_figures.is_settled(day, tz, now)}
    known = {one: {day: found[day] for day in found.keys() & settled} for one, found in stored.items()}
    missing = _missing(components, known, dates)
    spans, checks = await _of_events(events, missing, edges)
    days = PageDays(dates, {}, [])
    for one in components:
        its_spans = own.get(one.component_id, ()) if one.monitor is None else spans.get(one.monitor, ())
        its_checks = checks[one.monitor] if one.monitor is not None else None
        found = [
            figures(was, None if its_checks is None else its_checks.get(number, Checks()))
            for number, was in enumerate(uptimes(its_spans, edges[missing.first :], now))
        ]
        have = known.get(one.component_id, {})
        days.figures[one.component_id] = [
            have.get(day.isoformat()) or found[place - missing.first] for place, day in enumerate(dates)
        ]
        days.settled.extend(
            StoredDay(one.component_id, dates[place].isoformat(), found[place - missing.first])
            for place in missing.of[one]
            if dates[place].isoformat() in settled
        )
        await asyncio.sleep(0)  # a page may have many
    return days


async def _of_events(
    events: Db, missing: _Missing, edges: Sequence[int]
) -> tuple[dict[int, list[UptimeSpan]], dict[int, dict[int, Checks]]]:
    """Spans by monitor, and checks by monitor and day: 0 is the first that is missing."""
    numbers = [one.monitor for one in missing.of if one.monitor is not None]
    checks: dict[int, dict[int, Checks]] = {number: {} for number in numbers}
    if not numbers:
        return {}, checks
    for place, asked in sorted(missing.by_place.items()):
        start, end = edges[place : place + 2]
        for number, found in (await events.read(partial(rows.checks, numbers=asked, start=start, end=end))).items():
            checks[number][place - missing.first] = found
    return await events.read(lambda db: read_spans(db, "monitor_spans", numbers, edges[missing.first])), checks


async def with_day(box_db: Db, component_ids: Sequence[str], day: date) -> set[str]:
    """The components of these for which this day is stored. Raises Unavailable."""
    return await box_db.read(partial(rows.with_day, component_ids=component_ids, day=day.isoformat()))


async def store(box_db: Db, days: Iterable[StoredDay], zone: str) -> None:
    """Store days that are over in this zone of their page. Raises Unavailable."""
    await box_db.write(partial(rows.store, days=days, zone=zone), adds=True)


def _of_box(
    db: Connection, *, components: Sequence[MeasuredComponent], since: date, start: int
) -> tuple[dict[str, dict[str, DayFigures]], dict[str, list[UptimeSpan]]]:
    known = rows.stored_days(db, [one.component_id for one in components], since.isoformat())
    own = [one.component_id for one in components if one.monitor is None]
    return known, read_spans(db, "component_spans", own, start) if own else {}


def _missing(
    components: Iterable[MeasuredComponent], known: Mapping[str, Mapping[str, DayFigures]], dates: Sequence[date]
) -> _Missing:
    """Today always is: what is known is over."""
    of = {
        one: [place for place, day in enumerate(dates) if day.isoformat() not in known.get(one.component_id, {})]
        for one in components
    }
    return _Missing(of, min((places[0] for places in of.values() if places), default=len(dates) - 1))
