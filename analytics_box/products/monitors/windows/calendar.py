"""The maintenance of five weeks as a calendar, by the days of somebody's time zone. Pure."""

from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from msgspec import Struct

from analytics_box.products.monitors.window import MaintenanceWindow, spans

WEEKS: Final = 5
MOST: Final = 6  # on a day


class CalendarEntry(Struct, frozen=True):
    """A maintenance on a day. `begins` and `ends` are local times; empty where it began before or ends later."""

    id: str
    name: str
    begins: time | None
    ends: time | None


class MaintenanceDay(Struct, frozen=True):
    """A day of the calendar; `more` is how many maintenances it has beyond those that are listed."""

    date: date
    is_today: bool
    entries: tuple[CalendarEntry, ...]
    more: int


def weeks(windows: Iterable[MaintenanceWindow], now: int, zone: str) -> tuple[tuple[MaintenanceDay, ...], ...]:
    """Five weeks from the Monday of this one on."""
    place = ZoneInfo(zone)
    today = datetime.fromtimestamp(now / 1000, place).date()
    first = today - timedelta(days=today.weekday())
    days = [first + timedelta(days=number) for number in range(7 * WEEKS)]
    found: dict[date, list[CalendarEntry]] = {day: [] for day in days}
    start, end = _instant(days[0], place), _instant(days[-1] + timedelta(days=1), place)
    for window in windows:
        for span in spans(window, start, end):
            _enter(found, window, span.start, span.end, place)
    made = [_day(day, today, found[day]) for day in days]
    return tuple(tuple(made[number : number + 7]) for number in range(0, len(made), 7))


def _enter(
    found: dict[date, list[CalendarEntry]], window: MaintenanceWindow, start: int, end: int, place: ZoneInfo
) -> None:
    begins, ends = (datetime.fromtimestamp(instant / 1000, place) for instant in (start, end))
    last = (ends - timedelta(microseconds=1)).date()
    for day, entries in found.items():
        if begins.date() <= day <= last:
            entry = CalendarEntry(
                window.id,
                window.name,
                begins.time() if begins.date() == day else None,
                ends.time() if ends.date() == day else None,
            )
            entries.append(entry)


def _day(day: date, today: date, entries: list[CalendarEntry]) -> MaintenanceDay:
    ordered = sorted(entries, key=lambda one: (one.begins or time.min, one.name))
    return MaintenanceDay(day, day == today, tuple(ordered[:MOST]), max(len(ordered) - MOST, 0))


def _instant(day: date, place: ZoneInfo) -> int:
    """The start of a local day, in UTC ms."""
    return round(datetime.combine(day, time(), place).timestamp() * 1000)
