"""Instants and days as visitors read them, in the zone of the page. Pure."""

from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo

from msgspec import Struct

from analytics_box.base.translation import _
from analytics_box.web.page.dates import MONTHS

_MONTHS = (
    _("January"),
    _("February"),
    _("March"),
    _("April"),
    _("May"),
    _("June"),
    _("July"),
    _("August"),
    _("September"),
    _("October"),
    _("November"),
    _("December"),
)


_MINUTE: Final = 60_000


class DisplayTime(Struct, frozen=True):
    """An instant for machines (RFC 3339, UTC) and for people."""

    iso: str
    text: str


@lru_cache(maxsize=8_192)
def moment(instant: int, zone: str) -> DisplayTime:
    """An instant in UTC ms, such as "20 Nov 2026, 14:05"."""
    local = datetime.fromtimestamp(instant / 1000, ZoneInfo(zone))
    return DisplayTime(iso(instant), f"{_day(local)}, {local:%H:%M}")


@lru_cache(maxsize=1_024)
def end(instant: int, start: int, zone: str) -> DisplayTime:
    """The end of something that began before: without the day where it is the same."""
    tz = ZoneInfo(zone)
    local, first = (datetime.fromtimestamp(one / 1000, tz) for one in (instant, start))
    return DisplayTime(iso(instant), f"{local:%H:%M}") if local.date() == first.date() else moment(instant, zone)


def iso(instant: int) -> str:
    """An instant in UTC ms to the second, as feeds and HTML have it."""
    return f"{datetime.fromtimestamp(instant // 1000, UTC):%Y-%m-%dT%H:%M:%SZ}"


def day(text: str) -> str:
    """A date YYYY-MM-DD as "20 Nov 2026"."""
    return _day(date.fromisoformat(text))


def days(first: str, last: str) -> str:
    """Dates from one to another, which may be the same: "3 – 20 Nov 2026"."""
    if first == last:
        return day(last)
    start, end = date.fromisoformat(first), date.fromisoformat(last)
    if start.year != end.year:
        return f"{_day(start)} – {_day(end)}"
    if start.month != end.month:
        return f"{start.day} {_month(start)} – {_day(end)}"
    return f"{start.day} – {_day(end)}"


def month(year: int, number: int) -> str:
    """A month as "November 2026"."""
    return f"{_MONTHS[number - 1]} {year}"


def duration_text(milliseconds: int) -> str:
    """A duration in its two largest units: "2 h 5 min"."""
    minutes = max(milliseconds, 0) // _MINUTE
    parts = ((minutes // 1_440, "d"), (minutes // 60 % 24, "h"), (minutes % 60, "min"))
    said = [f"{count}\N{NO-BREAK SPACE}{unit}" for count, unit in parts if count]
    return " ".join(said[:2]) or _("less than a minute")


def _day(when: date) -> str:
    return f"{when.day} {_month(when)} {when.year}"


def _month(when: date) -> str:
    return MONTHS[when.month - 1]
