"""The days that a page shows in its time zone, their beginnings, and whether they are settled (semantics 2 and 3).
Pure.
"""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from analytics_box.base.clock import HOUR
from analytics_box.products.status_pages.page import DAYS
from analytics_box.query.ranges import midnight, today

SETTLED: Final = 2 * HOUR  # after its end a day does not change any more: what was being verified is decided

_DAY = timedelta(days=1)


def days_on_page(now: int, tz: ZoneInfo, count: int = DAYS) -> list[date]:
    """The days that a page shows, the oldest first; the last is today."""
    last = today(now, tz)
    return [last - timedelta(days=number) for number in range(count - 1, -1, -1)]


def edges(days: Sequence[date], tz: ZoneInfo) -> list[int]:
    """The beginning of each of these consecutive days, and the end of the last one (UTC ms)."""
    return [midnight(day, tz) for day in days] + [midnight(days[-1] + _DAY, tz)] if days else []


def is_settled(day: date, tz: ZoneInfo, now: int) -> bool:
    """Whether this day is over for long enough that it can be stored."""
    return midnight(day + _DAY, tz) + SETTLED <= now


def reopened_days(before: ZoneInfo, after: ZoneInfo, now: int) -> list[date]:
    """The days that are settled in the zone before and not in the one after."""
    return [
        day for day in days_on_page(now, before) if is_settled(day, before, now) and not is_settled(day, after, now)
    ]
