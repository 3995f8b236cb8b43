"""Ranges of local days and their buckets, in words. All dates and times here are local to the page's zone."""

from datetime import date, datetime, timedelta

from msgspec import Struct

from analytics_box.query.ranges import Days, Granularity
from analytics_box.texts import Ranges


def granularity(days: Days) -> Granularity:
    """One day is drawn by hour, anything longer by day."""
    return "hour" if days.length == 1 else "day"


def period_text(days: Days) -> str:
    """22 Oct – 20 Nov 2026; what both ends share is said once."""
    first, last = days.first, days.last
    if first == last:
        return f"{day_text(last)} {last.year}"
    if first.year != last.year:
        return f"{day_text(first)} {first.year} – {day_text(last)} {last.year}"
    if first.month == last.month:
        return f"{first.day} – {day_text(last)} {last.year}"
    return f"{day_text(first)} – {day_text(last)} {last.year}"


def day_text(day: date) -> str:
    """20 Nov."""
    return f"{day.day} {Ranges.months[day.month - 1]}"


class Bucket(Struct, frozen=True):
    """The start of a row of a series, as local wall time, and how it is named."""

    start: datetime
    length: timedelta
    tick: str
    label: str


def bucket(named: str, year: int) -> Bucket:
    """Reads a row's `date`: YYYY-MM-DD, or YYYY-MM-DD HH:00:00 with an offset where two hours share a name.

    A day of another year than `year` is named with it.
    """
    start = datetime.fromisoformat(named[:19])
    weekday = Ranges.weekdays[start.weekday()]
    if len(named) == 10:
        other_year = f" {start.year}" if start.year != year else ""
        return Bucket(start, timedelta(days=1), day_text(start), f"{weekday} {day_text(start)}{other_year}")
    hour = f"{start:%H:%M}"
    offset = f" {named[19:].strip()}" if named[19:] else ""
    return Bucket(start, timedelta(hours=1), hour, f"{weekday} {day_text(start)}, {hour}{offset}")
