"""Imported totals of days: the websites that have some, and how they are added to the answers of unfiltered questions.

A total belongs to the day that its source named, in whatever zone that was. So it is added to that calendar day of the
request, and questions by hour, with filters, or about anything else leave it out.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, time
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.clock import DAY, iso_day
from analytics_box.base.errors import Unavailable
from analytics_box.base.store.db import Connection, Db
from analytics_box.query.filters import FilterCondition
from analytics_box.query.plan import BUCKET, QueryPlan
from analytics_box.query.ranges import DayRange, TimeWindow
from analytics_box.query.rollups import OF_SESSIONS, STARTS, TIME, Roll, roll_of

TOTAL: Final = "total"
# Values of a dimension that are merged with those of events; further ones have fewer visitors.
MOST_VALUES: Final = 10_000
_EPOCH: Final = date(1970, 1, 1).toordinal()
Row = dict[str, Any]


class ImportedNote(Struct, frozen=True):
    """The imported totals of a question's range: their days, and whether its figures include them."""

    days: int
    first: str
    last: str
    included: bool


class DaySpan(NamedTuple):
    """Days with totals of an import, both included (days since 1970-01-01)."""

    first: int
    last: int


class ImportedDays:
    """The websites that have imported totals. They are in memory, because every question asks for them."""

    def __init__(self, events: Db) -> None:
        self._events = events
        self._spans: Mapping[int, tuple[DaySpan, ...]] = {}
        # Pages need this part, and they say what is damaged; questions about a damaged file are refused anyway.
        with suppress(Unavailable):
            self._spans = events.read_now(_spans)

    async def load(self) -> None:
        """Look again, after an import or its removal."""
        self._spans = await self._events.read(_spans)

    def overlap(self, sites: Sequence[int], days: DayRange | None) -> bool:
        """Whether these websites may have totals on these days."""
        if days is None or not self._spans:
            return False
        first, last = _numbers(days)
        return any(one.first <= last and one.last >= first for site in sites for one in self._spans.get(site, ()))

    async def note(self, sites: Sequence[int], days: DayRange, *, included: bool) -> ImportedNote | None:
        """The days with totals; None if there are none."""
        found = await self._events.read(lambda db: _days(db, sites, *_numbers(days)))
        if not found:
            return None
        return ImportedNote(len(found), iso_day(found[0] * DAY), iso_day(found[-1] * DAY), included)

    async def add(
        self, plan: QueryPlan, rows: list[Row], days: DayRange, window: TimeWindow, zone: ZoneInfo
    ) -> list[Row]:
        """Add the totals of these days to the rows of a plan that `can_add` allows."""
        roll = roll_of(plan)
        if roll is None:
            return rows
        totals = await self._events.read(lambda db: _totals(db, plan.sites, roll, *_numbers(days)))
        if roll in {TIME, STARTS}:
            return _by_time(plan, rows, totals, window, zone)
        return _by_value(plan, roll, rows, totals)


def can_add(plan: QueryPlan, *, hourly: bool) -> bool:
    """Whether imported totals can be part of the answer to a plan."""
    roll = roll_of(plan)
    if roll is None or plan.per != (0, 0):
        return False
    # The conditions of a query type itself, such as the sources that are not direct visits.
    if not all(isinstance(one, FilterCondition) and one.match == "is" and not one.also for one in plan.where):
        return False
    return not (hourly and BUCKET in plan.group)


def without_limit(plan: QueryPlan) -> QueryPlan:
    """The plan with as many rows as totals can be merged with."""
    return replace(plan, limit=MOST_VALUES, offset=0) if plan.limit else plan


def _numbers(days: DayRange) -> tuple[int, int]:
    return days.first.toordinal() - _EPOCH, days.last.toordinal() - _EPOCH


def _spans(db: Connection) -> dict[int, tuple[DaySpan, ...]]:
    rows = db.execute(
        """
        -- imported.spans
        select site, first_day, last_day from import_progress where sessions = 0 and first_day <= last_day
        """
    ).fetchall()
    found: dict[int, tuple[DaySpan, ...]] = {}
    for site, first, last in ((int(str(a)), int(str(b)), int(str(c))) for a, b, c in rows):
        found[site] = (*found.get(site, ()), DaySpan(first, last))
    return found


def _days(db: Connection, sites: Sequence[int], first: int, last: int) -> list[int]:
    marks = ", ".join("?" * len(sites))
    rows = db.execute(
        f"-- imported.days\nselect distinct day from imported_days where site in ({marks}) and roll = '{TOTAL}'"
        " and day between ? and ? order by day",
        (*sites, first, last),
    ).fetchall()
    return [int(str(row[0])) for row in rows]


def _totals(db: Connection, sites: Sequence[int], roll: Roll, first: int, last: int) -> list[tuple[Any, ...]]:
    """By day for totals of the website, by value for those of a dimension: two keys, then what was counted."""
    by_time = roll in {TIME, STARTS}
    keys = "day, ''" if by_time else "value, second"
    marks = ", ".join("?" * len(sites))
    return [
        tuple(row)
        for row in db.execute(
            f"""
            -- imported.totals
            select {keys}, sum(visitors), sum(visits), sum(pageviews), sum(bounces), sum(seconds), sum(events)
            from imported_days where site in ({marks}) and roll = ? and day between ? and ?
            group by 1, 2 order by 3 desc limit {2 * MOST_VALUES}
            """,
            (*sites, TOTAL if by_time else roll.name, first, last),
        ).fetchall()
    ]


def _measures_of(total: tuple[Any, ...]) -> dict[str, int]:
    """The measures of a total by the names of plans."""
    visitors, visits, pageviews, bounces, seconds, events = total[2:]
    return {
        "visitors": visitors,
        "sessions": visits,
        "pageviews": pageviews,
        "bounces": bounces,
        "duration_total": seconds * 1000,
        "total_events": pageviews + events,
    }


def _sum(row: Row, measured: Mapping[str, int]) -> Row:
    return row | {name: (row[name] or 0) + value for name, value in measured.items() if name in row}


def _by_time(
    plan: QueryPlan, rows: list[Row], totals: list[tuple[Any, ...]], window: TimeWindow, zone: ZoneInfo
) -> list[Row]:
    found = {row.get(BUCKET, 0): row for row in rows}
    starts = [bucket.start for bucket in window.buckets]
    empty: Row = dict.fromkeys(plan.measures, 0)
    if "median_duration" in empty:  # Totals have none.
        empty["median_duration"] = None
    for total in totals:
        number = 0
        if BUCKET in plan.group:
            midnight = datetime.combine(date.fromordinal(int(total[0]) + _EPOCH), time(12), zone)
            number = bisect_right(starts, int(midnight.timestamp() * 1000)) - 1
            if number < 0:
                continue
        row = found.get(number) or ({BUCKET: number} if BUCKET in plan.group else {}) | empty
        found[number] = _sum(row, _measures_of(total))
    return [found[number] for number in sorted(found)]


def _matches(plan: QueryPlan, values: Mapping[str, str]) -> bool:
    return all(
        (values[one.column] in one.values) is not one.negated for one in plan.where if isinstance(one, FilterCondition)
    )


def _by_value(plan: QueryPlan, roll: Roll, rows: list[Row], totals: list[tuple[Any, ...]]) -> list[Row]:
    names = roll.group
    found = {tuple(row[name] for name in names): row for row in rows}
    share = plan.share_of
    whole = (rows[0].get("whole") or 0) if rows else 0
    for total in totals:
        key = (total[0], total[1])[: len(names)]
        if any(not part for name, part in zip(names, key, strict=True) if name in plan.present):
            continue
        if not _matches(plan, dict(zip(names, key, strict=True))):
            continue
        measured = _measures_of(total)
        if roll in OF_SESSIONS and "pageviews" in plan.measures:
            measured["pageviews"] = measured["sessions"]
        row = found.get(key) or dict(zip(names, key, strict=True)) | dict.fromkeys(plan.measures, 0)
        found[key] = _sum(row, measured)
        whole += measured.get(share, 0)
    merged = [row | {"whole": whole} for row in found.values()] if share else list(found.values())
    for item in reversed(plan.order):
        if isinstance(item.key, str):
            merged.sort(key=lambda row, name=item.key: row[name] or 0, reverse=item.descending)  # type: ignore[misc]
    return merged
