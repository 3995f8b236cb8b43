"""The comparison of a range: the previous period, the previous year, a custom range, or nothing. Pure.

compare=year | off | own&cfrom=2026-08-01&cto=2026-08-31      (the previous period is left out of addresses)
align=weekday (days of the week are compared with the same days of the week)
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Final, Literal

from msgspec import Struct

from analytics_box.base.translation import _
from analytics_box.figures.spans import day_in, quoted_value
from analytics_box.query.ranges import MAX_DAYS, DayRange

How = Literal["previous", "year", "own", "off"]
WEEK: Final = 7
YEAR_OF_WEEKS: Final = timedelta(weeks=52)


class Comparison(Struct, frozen=True):
    """The comparison in an address; a custom range has local days, both included. `unread` are remarks on invalid
    values.
    """

    how: How = "previous"
    weekdays: bool = False
    first: date | None = None
    last: date | None = None
    unread: str = ""

    @property
    def parameters(self) -> dict[str, str]:
        """Its parameters in an address; empty ones are left out."""
        return {
            "compare": self.how if self.how != "previous" else "",
            "align": "weekday" if self.weekdays else "",
            "cfrom": self.first.isoformat() if self.first else "",
            "cto": self.last.isoformat() if self.last else "",
        }


class ComparedDays(Struct, frozen=True):
    """The days that a range of `length` days is compared with; `begun` is the first day of which anything is known,
    where that is later than the first of these. What was before must not be shown if it is `closed`."""

    days: DayRange
    length: int
    begun: date | None = None
    closed: bool = False

    @property
    def nothing(self) -> bool:
        """Whether nothing at all can be said of these days."""
        return self.begun is not None and (self.closed or self.days.last < self.begun)

    @property
    def fair(self) -> bool:
        """Whether as many days stand here as there."""
        return self.days.length == self.length


def read_comparison(query: Mapping[str, str]) -> Comparison:
    """The comparison that an address asks for; the usual one for what is none."""
    asked, weekdays = query.get("compare", ""), query.get("align") == "weekday"
    if asked in {"", "on", "previous"}:
        return Comparison(weekdays=weekdays)
    if asked == "off":
        return Comparison("off")
    if asked == "year":
        return Comparison("year", weekdays)
    if asked != "own":
        return Comparison(
            unread=_("Unknown comparison “{name}”. Showing the previous period.").format(name=quoted_value(asked))
        )
    texts = [query.get(name, "").strip() for name in ("cfrom", "cto")]
    days = sorted(day for day in map(day_in, texts) if day is not None)
    if len(days) < 2 or (days[1] - days[0]).days >= MAX_DAYS:
        return Comparison(
            unread=_("Invalid comparison dates: {dates}. Showing the previous period.").format(
                dates=" – ".join(map(quoted_value, texts))
            )
        )
    return Comparison("own", first=days[0], last=days[1])


def compared_days(
    comparison: Comparison, days: DayRange, begun: date | None, earliest: date | None = None
) -> ComparedDays | None:
    """The days that these days are compared with; None for nothing. `begun` is the first day with any data, `earliest`
    the first that can be shown."""
    theirs = _days(comparison, days)
    if theirs is None:
        return None
    if earliest is not None and theirs.first < earliest:
        return ComparedDays(theirs, days.length, earliest, closed=True)
    return ComparedDays(theirs, days.length, begun if begun is not None and theirs.first < begun else None)


def _days(comparison: Comparison, days: DayRange) -> DayRange | None:
    match comparison.how:
        case "previous":
            return same_weekdays_before(days) if comparison.weekdays else days.previous()
        case "year":
            return _shift(days, YEAR_OF_WEEKS) if comparison.weekdays else days.year_before()
        case "own" if comparison.first is not None and comparison.last is not None:
            return DayRange(comparison.first, comparison.last)
    return None


def same_weekdays_before(days: DayRange) -> DayRange:
    """The days of this length moved back by the fewest whole weeks without an overlap."""
    return _shift(days, timedelta(days=-(-days.length // WEEK) * WEEK))


def as_far(days: DayRange, theirs: DayRange, now: datetime) -> datetime | None:
    """The local time up to which `theirs` have gone as far as `days` have by now, to the minute; None if all of
    these are over, or there are more days of one."""
    if theirs.length != days.length or days.last < now.date():
        return None
    if now.date() < days.first:
        return datetime.combine(theirs.first, time.min)
    there = theirs.first + (now.date() - days.first)
    return datetime.combine(there, now.time().replace(second=0, microsecond=0))


def alike(days: DayRange, theirs: DayRange, starts: Sequence[date]) -> tuple[date, ...]:
    """The starts of the points of `theirs`, so that each is as long as the point of `days` that it is drawn on, which
    start on
    these days: on the same dates of the year before if the whole range is that, else the same number of days after its
    first.
    """
    if theirs == days.year_before():
        return tuple(dict.fromkeys(DayRange(start, start).year_before().first for start in starts))
    shift = theirs.first - days.first
    moved = (start + shift for start in (*starts, days.last + timedelta(days=1)))
    return tuple(start for start in moved if start <= theirs.last)


def _shift(days: DayRange, back: timedelta) -> DayRange:
    return DayRange(days.first - back, days.last - back)
