"""The history of a monitor in another program: what it was when, and its checks by day.

Single checks are not kept. A day has a row for each part of its histogram, in parts five times as wide as those of
checks here, so that percentiles of imported days are within 5 %. Pure.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from msgspec import Struct

from analytics_box.base.clock import DAY, MINUTE
from analytics_box.base.facts.uptime import DOWN, UNKNOWN, UP, UptimeSpan, bin_of
from analytics_box.base.translation import _, ngettext
from analytics_box.products.monitors.running.states import FAILED, PASSED, merge_spans

MOST_DAYS: Final = 400  # Days of a monitor.
MOST_SPANS: Final = 5_000  # Older ones of a monitor are left out.
_MOST_ROWS: Final = 200_000  # Rows of a file.
_ROWS_OF_A_DAY: Final = 6  # Days that keep their histograms have about this number of rows.
_DETAILED: Final = 100  # In files with more monitors, days do not keep their histograms.
_MOST_BINS: Final = 12  # Parts of the histogram of a day.
_WIDTH: Final = 5  # A part has this number of bins of checks.
_LEAST_GAP: Final = 5 * MINUTE
_LONGEST: Final = 3_600_000_000  # Microseconds of a check.


class DayChecks(NamedTuple):
    """Checks of a monitor on a UTC day (days since 1970) that passed or failed. Durations are in microseconds; `total`
    is their sum, and the others are None if nothing was measured."""

    day: int
    passed: int
    checks: int
    total: int | None = None
    fastest: int | None = None
    slowest: int | None = None
    bin: int | None = None


class MonitorHistory(Struct, frozen=True):
    """The history of a monitor, the earliest first. Spans leave no gap, and the last one has ended (UTC ms)."""

    spans: tuple[UptimeSpan, ...] = ()
    days: tuple[DayChecks, ...] = ()

    @property
    def summary(self) -> str:
        """The days and outages in words."""
        days = len({one.day for one in self.days} | {one.start // DAY for one in self.spans if one.state != UNKNOWN})
        outages = sum(one.state == DOWN for one in self.spans)
        return _("History: {days}, {outages}").format(
            days=ngettext("1 day", "{count} days", days).format(count=f"{days:,}"),
            outages=ngettext("1 outage", "{count} outages", outages).format(count=f"{outages:,}"),
        )


class _Bucket:
    """Checks that are counted together."""

    __slots__ = ("count", "fastest", "slowest", "timed", "total")

    def __init__(self) -> None:
        self.count = self.timed = self.total = self.slowest = 0
        self.fastest = _LONGEST


class HistoryReader:
    """Collects the heartbeats of a monitor, in the order of their times, and the figures of days that came ready.

    A gap between two heartbeats is unknown, unless ready figures say that the monitor was checked on these days.
    """

    def __init__(self, interval: int, days_kept: int, *, is_detailed: bool) -> None:
        self._gap = max(3 * interval * 1000, _LEAST_GAP)
        self._interval = interval * 1000
        self._days_kept = min(days_kept, MOST_DAYS)
        self._is_detailed = is_detailed
        self._days: dict[int, dict[tuple[int, int], _Bucket]] = {}
        self._ready: dict[int, tuple[DayChecks, ...]] = {}
        self._spans: list[UptimeSpan] = []
        self._last = 0
        self._pending: int | None = None
        self._latest_day = 0

    def ready(self, day: int, up: int, down: int, mean: float, fastest: float | None, slowest: float | None) -> None:
        """Add the figures of a day; durations are in ms."""
        rows = []
        if up > 0:
            average = _microseconds(mean)
            times = (
                (average * up, _microseconds(fastest or mean), _microseconds(slowest or mean), bin_of(average))
                if average
                else ()
            )
            rows.append(DayChecks(day, PASSED, up, *times))
        if down > 0:
            rows.append(DayChecks(day, FAILED, down))
        if rows:
            self._ready[day] = tuple(rows)
            self._forget(self._ready, day)

    def beat(self, at: int, state: int | None, ping: float | None) -> None:
        """Add a heartbeat: UP, DOWN or MAINTENANCE, or None for a failure that is not confirmed. `ping` is in ms."""
        if at <= self._last:
            return  # The clock was set back.
        if state in {UP, DOWN}:
            self._count(at // DAY, state == UP, ping)
        if state is None:
            self._pending = at if self._pending is None else self._pending
        else:
            since = self._pending if state == DOWN and self._pending is not None else at
            self._pending = None
            self._span(since, state)
        if state is None and self._spans:
            self._span(at, self._spans[-1].state)
        self._last = at

    def finish(self) -> MonitorHistory:
        """The history that was collected."""
        spans = self._before() + self._spans
        if self._last and spans:
            last = spans[-1]
            spans[-1] = last._replace(until=self._last + self._interval)
        spans = merge_spans(spans)[-MOST_SPANS:]
        oldest = self._latest_day - self._days_kept
        spans = [one._replace(start=max(one.start, oldest * DAY)) for one in spans if one.until > oldest * DAY]
        days: list[DayChecks] = []
        for day in sorted(self._days.keys() | self._ready.keys()):
            if day > oldest:
                days += self._of_day(day)
        return MonitorHistory(tuple(spans), tuple(days))

    def _of_day(self, day: int) -> Sequence[DayChecks]:
        ready = self._ready.get(day, ())
        counted = self._days.get(day, {})
        if sum(one.checks for one in ready) > sum(one.count for one in counted.values()):
            return ready
        return [
            DayChecks(
                day,
                passed,
                one.count,
                *((one.total, one.fastest, one.slowest, number or bin_of(one.total // one.timed)) if one.timed else ()),
            )
            for (passed, number), one in sorted(counted.items())
        ]

    def _count(self, day: int, passed: bool, ping: float | None) -> None:
        buckets = self._days.get(day)
        if buckets is None:
            buckets = self._days[day] = {}
            self._forget(self._days, day)
        duration = _microseconds(ping) if passed and ping is not None else None
        number = 0
        if duration is not None:
            number = bin_of(duration) // _WIDTH * _WIDTH + _WIDTH // 2 if self._is_detailed else 0
        key = (int(passed), number if duration is not None else -1)
        bucket = buckets.get(key)
        if bucket is None:
            if len(buckets) >= _MOST_BINS and duration is not None:
                key = min(buckets, key=lambda one: (one[0] != key[0], abs(one[1] - number)))
            bucket = buckets.setdefault(key, _Bucket())
        bucket.count += 1
        if duration is not None:
            bucket.timed += 1
            bucket.total += duration
            bucket.fastest, bucket.slowest = min(bucket.fastest, duration), max(bucket.slowest, duration)

    def _forget(self, kept: dict[int, Any], day: int) -> None:
        self._latest_day = max(self._latest_day, day)
        if len(kept) > 2 * self._days_kept:
            for old in [one for one in kept if one <= self._latest_day - self._days_kept]:
                del kept[old]

    def _span(self, at: int, state: int) -> None:
        if not self._spans:
            self._spans.append(UptimeSpan(state, at))
            return
        last = self._spans[-1]
        if at - self._last > self._gap and not self._was_checked(self._last, at):
            seen_until = max(self._last + self._interval, last.start)
            self._spans[-1] = last._replace(until=seen_until)
            self._spans += (UptimeSpan(UNKNOWN, seen_until, at), UptimeSpan(state, at))
        elif state != last.state:
            at = max(at, last.start)
            self._spans[-1] = last._replace(until=at)
            self._spans.append(UptimeSpan(state, at))
        if len(self._spans) > 2 * MOST_SPANS:
            del self._spans[:-MOST_SPANS]

    def _was_checked(self, start: int, end: int) -> bool:
        first, last = start // DAY, end // DAY
        return last - first <= 2 * MOST_DAYS and all(day in self._ready for day in range(first, last + 1))

    def _before(self) -> list[UptimeSpan]:
        """Spans of days before the first heartbeat: up without a failed check, otherwise unknown."""
        first = self._spans[0].start if self._spans else None
        found: list[UptimeSpan] = []
        for day in sorted(self._ready):
            start, end = day * DAY, (day + 1) * DAY
            if first is not None:
                if start >= first:
                    break
                end = min(end, first)
            if found and found[-1].until < start:
                found.append(UptimeSpan(UNKNOWN, found[-1].until, start))
            was_up = all(row.passed for row in self._ready[day])
            found.append(UptimeSpan(UP if was_up else UNKNOWN, start, end))
        if found and first is not None and found[-1].until < first:
            found.append(UptimeSpan(UNKNOWN, found[-1].until, first))
        return found


def history_readers(intervals: Mapping[str, int]) -> dict[str, HistoryReader]:
    """A reader for each monitor of a file, by its id. Together they keep a limited number of rows.

    `intervals` are seconds.
    """
    is_detailed = len(intervals) <= _DETAILED
    days = max(_MOST_ROWS // (max(len(intervals), 1) * (_ROWS_OF_A_DAY if is_detailed else 2)), 1)
    return {ref: HistoryReader(every, days, is_detailed=is_detailed) for ref, every in intervals.items()}


def instant(value: object) -> int | None:
    """UTC ms of a date and time without a zone, which is UTC, or of a number of ms; None for anything else."""
    if isinstance(value, int):
        return value if 0 < value < 1 << 43 else None
    try:
        found = datetime.fromisoformat(str(value))
    except ValueError:
        return None
    if found.tzinfo is None:
        found = found.replace(tzinfo=UTC)
    at = round(found.timestamp() * 1000)
    return at if 0 < at < 1 << 43 else None


def _microseconds(milliseconds: float) -> int:
    found = round(milliseconds * 1000)
    return min(max(found, 0), _LONGEST)
