"""The days of components: what is stored of them, and what is found anew of the others."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import partial
from typing import NamedTuple
from zoneinfo import ZoneInfo

from analytics_box.facts.uptime import Span
from analytics_box.status_pages.days import calendar, rows
from analytics_box.status_pages.days.figures import Checks, Figures, each_day
from analytics_box.status_pages.days.rows import Stored
from analytics_box.store.db import Connection, Db


class Measured(NamedTuple):
    """A component, with the number by which the facts know its monitor; None for one without."""

    component_id: str
    monitor: int | None


class Days(NamedTuple):
    """The days that a page shows, the oldest first, and the figures of each by component; `settled` are those that are
    over and were not stored."""

    dates: list[date]
    figures: dict[str, list[Figures]]
    settled: list[Stored]


class _Missing(NamedTuple):
    """Which days, by their place, are to be found anew of which component; `first` is the earliest place of all."""

    of: dict[Measured, list[int]]
    first: int

    @property
    def by_place(self) -> dict[int, list[int]]:
        """The monitors whose checks are to be read, by the place of the day."""
        found: dict[int, list[int]] = {}
        for one, places in self.of.items():
            for place in places if one.monitor is not None else ():
                found.setdefault(place, []).append(one.monitor)
        return found


async def read(box_db: Db, events: Db, components: Sequence[Measured], tz: ZoneInfo, now: int) -> Days:
    """The days that a page shows now. Raises Unavailable and DeadlineExceeded."""
    dates = calendar.shown(now, tz)
    edges = calendar.edges(dates, tz)
    known, own = await box_db.read(partial(_of_box, components=components, since=dates[0], start=edges[0]))
    missing = _missing(components, known, dates)
    spans, checks = await events.read(partial(_of_events, missing=missing, edges=edges))
    days = Days(dates, {}, [])
    for one in components:
        found = _found(one, own if one.monitor is None else spans, checks, edges[missing.first :], missing.first, now)
        have = known.get(one.component_id, {})
        computed = dict(zip(range(missing.first, len(dates)), found, strict=True))
        days.figures[one.component_id] = [
            have[day.isoformat()] if day.isoformat() in have else computed[place] for place, day in enumerate(dates)
        ]
        days.settled.extend(
            Stored(one.component_id, dates[place].isoformat(), computed[place])
            for place in missing.of[one]
            if calendar.is_settled(dates[place], tz, now)
        )
    return days


def _of_box(
    db: Connection, *, components: Sequence[Measured], since: date, start: int
) -> tuple[dict[str, dict[str, Figures]], dict[str | int, list[Span]]]:
    known = rows.stored(db, [one.component_id for one in components], since.isoformat())
    own = [one.component_id for one in components if one.monitor is None]
    return known, {**rows.component_spans(db, own, start)} if own else {}


def _missing(
    components: Iterable[Measured], known: Mapping[str, Mapping[str, Figures]], dates: Sequence[date]
) -> _Missing:
    """Today always is: it is never stored."""
    of = {
        one: [place for place, day in enumerate(dates) if day.isoformat() not in known.get(one.component_id, {})]
        for one in components
    }
    return _Missing(of, min((places[0] for places in of.values() if places), default=len(dates) - 1))


def _of_events(
    db: Connection, *, missing: _Missing, edges: Sequence[int]
) -> tuple[dict[str | int, list[Span]], dict[int, dict[int, Checks]]]:
    """Spans by monitor, and checks by monitor and place."""
    numbers = [one.monitor for one in missing.of if one.monitor is not None]
    if not numbers:
        return {}, {}
    checks: dict[int, dict[int, Checks]] = {number: {} for number in numbers}
    for place, asked in missing.by_place.items():
        for number, found in rows.checks(db, asked, edges[place], edges[place + 1]).items():
            checks[number][place] = found
    return {**rows.spans(db, numbers, edges[missing.first])}, checks


def _found(
    one: Measured,
    spans: Mapping[str | int, Sequence[Span]],
    checks: Mapping[int, Mapping[int, Checks]],
    edges: Sequence[int],
    first: int,
    now: int,
) -> list[Figures]:
    """Its figures of each day from the place `first` on."""
    if one.monitor is None:
        return each_day(spans.get(one.component_id, ()), None, edges, now)
    own = {place - first: found for place, found in checks.get(one.monitor, {}).items()}
    return each_day(spans.get(one.monitor, ()), own, edges, now)
