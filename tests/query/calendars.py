"""Local days and hours by brute force: nothing is computed, a zone is only asked what its clock shows."""

from bisect import bisect_right
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple
from zoneinfo import ZoneInfo

MINUTE = 60_000
HOUR = 60 * MINUTE

_FURTHEST = 15 * HOUR  # no zone is further from UTC
_begins = attrgetter("begins")
_STEP = 5 * MINUTE  # local hours begin at such a mark or when the clock is moved, which the last steps find


class Slot(NamedTuple):
    """A day or an hour: its label and its first instant (UTC ms)."""

    label: str
    begins: int


def shown(instant: int, tz: ZoneInfo) -> datetime:
    """What the clock shows at an instant."""
    return datetime.fromtimestamp(instant // 1000, tz)


@lru_cache(maxsize=50_000)
def day_begins(day: date, tz: ZoneInfo) -> int:
    """The first instant at which the clock shows this day or a later one, looked for minute by minute.

    So it is the earlier of two midnights, and the end of the gap where there is none (semantics 2).
    """
    instant = round(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) * 1000 - _FURTHEST
    while shown(instant, tz).date() < day:
        instant += _STEP
    while shown(instant - MINUTE, tz).date() >= day:
        instant -= MINUTE
    return instant


def days(first: date, last: date, tz: ZoneInfo) -> list[Slot]:
    """The days of a range."""
    dates = [first + timedelta(days=number) for number in range((last - first).days + 1)]
    return [Slot(day.isoformat(), day_begins(day, tz)) for day in dates]


@lru_cache(maxsize=5_000)
def hours(first: date, last: date, tz: ZoneInfo) -> list[Slot]:
    """The hours of a range (semantics 3): as long as clock and offset stay in one hour, it is the same one."""
    found: list[tuple[datetime, timedelta | None, int]] = []
    for step in range(day_begins(first, tz), day_begins(last + timedelta(days=1), tz), _STEP):
        hour = _hour(step, tz)
        if not found or found[-1][:2] != hour:
            begins = step
            while found and _hour(begins - MINUTE, tz) == hour:
                begins -= MINUTE
            found.append((*hour, begins))
    labels = [f"{hour:%Y-%m-%d %H}:00:00" for hour, _, _ in found]
    offsets = [f"{shown(begins, tz):%z}" for _, _, begins in found]
    return [
        Slot(f"{label}{offset[:3]}:{offset[3:5]}" if labels.count(label) > 1 else label, begins)
        for label, offset, (_, _, begins) in zip(labels, offsets, found, strict=True)
    ]


def _hour(instant: int, tz: ZoneInfo) -> tuple[datetime, timedelta | None]:
    """The hour that the clock shows, and how far it is ahead of UTC."""
    clock = shown(instant, tz)
    return datetime(clock.year, clock.month, clock.day, clock.hour), clock.utcoffset()  # noqa: DTZ001  # what is shown


def slot_of(instant: int, slots: list[Slot]) -> int:
    """The last slot that begins at or before the instant; of an empty day and the next, the next."""
    after = bisect_right(slots, instant, key=_begins)
    assert after, "no slot begins before it"
    return after - 1
