"""Ranges of local days and their buckets, in words. All dates and times here are local to the page's zone."""

from datetime import datetime, timedelta
from typing import Literal

from msgspec import Struct

from analytics_box.http.page.dates import Formats, day_text, short_day_text, time_text
from analytics_box.query.ranges import Days
from analytics_box.texts import Ranges


def granularity(days: Days) -> Literal["hour", "day"]:
    """One day is drawn by hour, anything longer by day."""
    return "hour" if days.length == 1 else "day"


def period_text(days: Days, formats: Formats) -> str:
    """22 Oct – 20 Nov 2026; where months have names, what both ends share is said once."""
    first, last = days.first, days.last
    if first == last:
        return day_text(last, formats.date)
    if formats.date not in {"D MMM YYYY", "MMM D, YYYY"} or first.year != last.year:
        return f"{day_text(first, formats.date)} – {day_text(last, formats.date)}"
    if first.month != last.month:
        return f"{short_day_text(first, formats.date)} – {day_text(last, formats.date)}"
    if formats.date == "D MMM YYYY":
        return f"{first.day} – {day_text(last, formats.date)}"
    return f"{short_day_text(first, formats.date)} – {last.day}, {last.year}"


class Bucket(Struct, frozen=True):
    """The start of a row of a series, as local wall time, and how it is named."""

    start: datetime
    length: timedelta
    tick: str
    label: str


def bucket(named: str, year: int, formats: Formats) -> Bucket:
    """Reads a row's `date`: YYYY-MM-DD, or YYYY-MM-DD HH:00:00 with an offset where two hours share a name.

    A day of another year than `year` is named with it.
    """
    start = datetime.fromisoformat(named[:19])
    weekday, short = Ranges.weekdays[start.weekday()], short_day_text(start, formats.date)
    if len(named) == 10:
        day = short if start.year == year else day_text(start, formats.date)
        return Bucket(start, timedelta(days=1), short, f"{weekday} {day}")
    hour = time_text(start, formats.time)
    offset = f" {named[19:].strip()}" if named[19:] else ""
    return Bucket(start, timedelta(hours=1), hour, f"{weekday} {short}, {hour}{offset}")
