"""The days of a component: their limits by time zone, and the figures of one and of all together. Pure.

Uptime comes of spans alone, everything else of checks (semantics 20, wire 1.16), as in the queries of a monitor.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from msgspec import Struct

from analytics_box.base.clock import HOUR, SECOND
from analytics_box.base.facts.uptime import WindowUptime, percentage, percentile
from analytics_box.products.status_pages.page import DAYS
from analytics_box.products.status_pages.seen import ComponentDay, DayState
from analytics_box.query.catalog.values import quotient
from analytics_box.query.ranges import midnight, today


class Checks(Struct, frozen=True):
    """The checks of a day: how many passed or failed, how many passed, the sum of the durations of those that were
    timed, the quickest and the slowest (microseconds), and how many are in each bin of the histogram."""

    decided: int = 0
    passed: int = 0
    total: int = 0
    timed: int = 0
    fastest: int | None = None
    slowest: int | None = None
    bins: Mapping[int, int] = {}


class DayFigures(Struct, frozen=True, omit_defaults=True):
    """A day as it is stored: milliseconds in each state that is known, and its checks; `checks` is None of a component
    that has none. `total` is the sum of `timed` durations and `p95` one of them, in microseconds."""

    up: int = 0
    degraded: int = 0
    down: int = 0
    maintenance: int = 0
    checks: int | None = None
    passed: int | None = None
    total: int = 0
    timed: int = 0
    p95: float | None = None


NOTHING: Final = DayFigures()


def figures(was: WindowUptime, checks: Checks | None) -> DayFigures:
    """A day of what was seen of it; without `checks` of a component that has none."""
    known = DayFigures(up=was.up, degraded=was.degraded, down=was.down, maintenance=was.maintenance)
    if checks is None:
        return known
    return DayFigures(
        up=known.up,
        degraded=known.degraded,
        down=known.down,
        maintenance=known.maintenance,
        checks=checks.decided,
        passed=checks.passed,
        total=checks.total,
        timed=checks.timed,
        p95=_p95(checks),
    )


def _p95(checks: Checks) -> float | None:
    """Never outside of what was measured, as bins are coarser than it."""
    found = percentile(checks.bins, 0.95)
    if found is None or checks.fastest is None or checks.slowest is None:
        return None
    return min(max(found, checks.fastest), checks.slowest)


def day(date: str, found: DayFigures) -> ComponentDay:
    """A day as a page shows it."""
    observed = found.up + found.degraded + found.down
    return ComponentDay(
        date=date,
        state=_state(found),
        uptime=percentage(found.up + found.degraded, found.down),
        checks=found.checks,
        passed=found.passed,
        downtime_seconds=(found.down + SECOND // 2) // SECOND if observed else None,
        average_ms=quotient(found.total, 1000 * found.timed) if found.timed else None,
        p95_ms=quotient(found.p95, 1000) if found.p95 is not None else None,
    )


def _state(found: DayFigures) -> DayState:
    """The worst that it had."""
    if found.down:
        return "down"
    if found.degraded:
        return "degraded"
    if found.maintenance:
        return "maintenance"
    return "up" if found.up else "unknown"


def whole(days: Iterable[DayFigures]) -> float | None:
    """The uptime of all these days in percent; None where nothing is known of any."""
    up = down = 0
    for one in days:
        up, down = up + one.up + one.degraded, down + one.down
    return percentage(up, down)


SETTLED: Final = 2 * HOUR  # From then on a day is final: every check of it was verified.

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
