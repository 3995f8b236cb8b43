"""Dates, presets and zones as instants (semantics 2 to 6). Pure: no engine does time-zone arithmetic.

All instants are UTC epoch milliseconds; a local range is half-open, from its first local midnight to the one after
its last day.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal, NamedTuple
from zoneinfo import ZoneInfo

from analytics_box.base.clock import HOUR, MINUTE
from analytics_box.base.errors import InvalidQuery
from analytics_box.base.translation import _

Granularity = Literal["minute", "hour", "day", "week", "month"]
Preset = Literal[
    "today",
    "yesterday",
    "last_7d",
    "last_14d",
    "last_30d",
    "last_90d",
    "this_week",
    "last_week",
    "this_month",
    "last_month",
    "this_year",
]
PRESETS: tuple[Preset, ...] = Preset.__args__  # type: ignore[attr-defined]  # the arguments of a Literal

MAX_HOURLY_DAYS = 30  # spec 4, rule 3
MAX_DAYS = 3_660  # ten years in one question

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = timedelta(days=1)


class DayRange(NamedTuple):
    """Local calendar days, both included."""

    first: date
    last: date

    @property
    def length(self) -> int:
        return (self.last - self.first).days + 1

    def previous(self) -> "DayRange":
        """The preceding range of equal length (semantics 6)."""
        return DayRange(self.first - timedelta(days=self.length), self.first - _DAY)

    def year_before(self) -> "DayRange":
        """The range of equal calendar dates in the year before; the 29th of February becomes the 28th (semantics 6)."""
        return DayRange(_year_before(self.first), _year_before(self.last))


def _year_before(day: date) -> date:
    return day.replace(year=day.year - 1, day=28 if (day.month, day.day) == (2, 29) else day.day)


class TimeBucket(NamedTuple):
    """A day or an hour: its label, and when it begins. It ends where the next begins."""

    label: str
    start: int


class TimeWindow(NamedTuple):
    """A range as instants, with its buckets if it is a series; `now` is when it is asked about."""

    start: int
    end: int
    buckets: tuple[TimeBucket, ...] = ()
    now: int = 0


def offsets(start: int, end: int, tz: ZoneInfo) -> tuple[tuple[int, int], ...]:
    """From when on local time is how many ms ahead of UTC, over [start, end): (UTC ms, ms ahead), in order."""
    found = [(start, _ahead(start, tz))]
    at = start
    while at < end:
        following = min(at + _STEP, end)
        while _ahead(following, tz) != found[-1][1]:
            low, high = max(at, found[-1][0]), following
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (low, middle) if _ahead(middle, tz) != found[-1][1] else (middle, high)
            found.append((high, _ahead(high, tz)))
        at = following
    return tuple(item for item in found if item[0] < end or item[0] == start)


_STEP = 6 * HOUR  # no zone has changed twice within it


def _ahead(instant: int, tz: ZoneInfo) -> int:
    offset = datetime.fromtimestamp(instant / 1000, tz).utcoffset()
    return round(offset.total_seconds() * 1000) if offset is not None else 0


def zone(name: str | None) -> ZoneInfo:
    """The IANA zone of this name; UTC for none and for an unknown one (wire 3.3)."""
    try:
        return ZoneInfo(name or "UTC")
    except (ValueError, OSError, LookupError):
        return ZoneInfo("UTC")


def today(now: int, tz: ZoneInfo) -> date:
    """The local calendar day of an instant."""
    return datetime.fromtimestamp(now / 1000, tz).date()


SUNDAY: Final = 6  # as date.weekday counts


def of_preset(preset: Preset, now: int, tz: ZoneInfo, week_start: int = SUNDAY) -> DayRange:
    """The days of a preset (spec 2.8): last_N includes today, weeks begin on Sunday unless a page says otherwise."""
    end = today(now, tz)
    week = end - timedelta(days=(end.weekday() - week_start) % 7)
    first_of_month = end.replace(day=1)
    if preset.startswith("last_") and preset.endswith("d"):
        return DayRange(end - timedelta(days=int(preset[5:-1]) - 1), end)
    return {
        "today": DayRange(end, end),
        "yesterday": DayRange(end - _DAY, end - _DAY),
        "this_week": DayRange(week, end),
        "last_week": DayRange(week - timedelta(days=7), week - _DAY),
        "this_month": DayRange(first_of_month, end),
        "last_month": DayRange((first_of_month - _DAY).replace(day=1), first_of_month - _DAY),
        "this_year": DayRange(end.replace(month=1, day=1), end),
    }[preset]


def of_dates(start: str, end: str) -> DayRange:
    """The days between two dates, each YYYY-MM-DD or a date-time whose day counts. Raises InvalidQuery."""
    days = DayRange(parse_date(start, "startDate"), parse_date(end, "endDate"))
    if days.last < days.first:
        raise InvalidQuery.about("startDate", _("startDate is after endDate"))
    if days.length > MAX_DAYS:
        raise InvalidQuery.about("endDate", _("A range can have up to {most} days").format(most=MAX_DAYS))
    return days


def parse_date(text: str, field: str) -> date:
    """Parse a date. Raises InvalidQuery, including for years outside 1970–2999."""
    found: date | None = None
    try:
        if len(text) > 10 and text[10] in "T ":
            found = datetime.fromisoformat(text).date()
        elif text[4:8:3] == "--":
            found = date.fromisoformat(text)
    except ValueError:
        pass
    if found is None or not 1970 <= found.year <= 2999:
        raise InvalidQuery.about(field, _("Invalid date: {text}").format(text=text[:40]))
    return found


def check_granularity(days: DayRange, granularity: Granularity) -> None:
    """Raises InvalidQuery for hours over more than 30 days (spec 4, rule 3)."""
    if granularity == "hour" and days.length > MAX_HOURLY_DAYS:
        raise InvalidQuery.about(
            "granularity", _("Hourly granularity supports up to {most} days").format(most=MAX_HOURLY_DAYS)
        )
    if granularity == "minute" and days.length > 1:
        raise InvalidQuery.about("granularity", _("Minutes support one day"))


def window(
    days: DayRange, tz: ZoneInfo, granularity: Granularity | None = None, week_start: int = SUNDAY
) -> TimeWindow:
    """The range as instants; with a granularity also its buckets, oldest first."""
    start, end = midnight(days.first, tz), midnight(days.last + _DAY, tz)
    if granularity is None:
        return TimeWindow(start, end)
    make = {"minute": _minutes, "hour": _hours}.get(granularity)
    buckets = make(start, end, tz) if make is not None else _dates(days, granularity, tz, week_start)
    return TimeWindow(start, end, tuple(buckets))


def beginning_on(window: TimeWindow, starts: Sequence[date], tz: ZoneInfo) -> TimeWindow:
    """Replace the buckets of a window by buckets that begin on these days; the first bucket begins on the first of
    them.
    """
    return window._replace(buckets=tuple(_of_days(starts, tz)))


def cut(window: TimeWindow, until: int) -> TimeWindow:
    """Cut a window at an instant, and keep the part before it."""
    kept = tuple(bucket for bucket in window.buckets if bucket.start < until)
    return window._replace(end=min(window.end, max(until, window.start)), buckets=kept)


def begin_at(window: TimeWindow, since: int) -> TimeWindow:
    """Cut a window at an instant, and keep the part from it on. The bucket of the instant keeps its label."""
    over = {bucket for bucket, following in pairwise(window.buckets) if following.start <= since}
    return window._replace(start=since, buckets=tuple(one for one in window.buckets if one not in over))


@lru_cache(maxsize=20_000)
def midnight(day: date, tz: ZoneInfo) -> int:
    """The start of a local day: the earlier of two midnights, or the first valid instant if midnight does not exist."""
    wall = datetime(day.year, day.month, day.day, tzinfo=tz)
    instant = _ms(wall)
    if _local(instant, tz).replace(tzinfo=None) == wall.replace(tzinfo=None):
        return instant
    after_gap = _ms(wall.replace(fold=1))
    return _transition(min(instant, after_gap), max(instant, after_gap), tz)


def _dates(days: DayRange, granularity: Granularity, tz: ZoneInfo, week_start: int) -> list[TimeBucket]:
    """Days, or weeks that begin on this day, or months; the first one begins with the range."""
    dates = [days.first + timedelta(days=number) for number in range(days.length)]
    if granularity == "week":
        dates = [day for number, day in enumerate(dates) if number == 0 or day.weekday() == week_start]
    elif granularity == "month":
        dates = [day for number, day in enumerate(dates) if number == 0 or day.day == 1]
    return _of_days(dates, tz)


def _of_days(days: Sequence[date], tz: ZoneInfo) -> list[TimeBucket]:
    return [TimeBucket(day.isoformat(), midnight(day, tz)) for day in days]


def _minutes(start: int, end: int, tz: ZoneInfo) -> list[TimeBucket]:
    """Minutes with their offset from UTC, so that none is there twice."""
    return [
        TimeBucket(_local(instant, tz).isoformat(sep=" ", timespec="seconds"), instant)
        for instant in range(start, end, MINUTE)
    ]


def _hours(start: int, end: int, tz: ZoneInfo) -> list[TimeBucket]:
    """Hours aligned to the local clock: a doubled hour is two buckets, a skipped hour none (semantics 3)."""
    starts = [start]
    while starts[-1] < end:
        starts.append(_next_hour(starts[-1], tz))
    starts.pop()
    locals_ = [_local(instant, tz) for instant in starts]
    labels = [f"{local:%Y-%m-%d %H}:00:00" for local in locals_]
    doubled = {label for label, times in Counter(labels).items() if times > 1}
    return [
        TimeBucket(f"{label}{_offset_text(local)}" if label in doubled else label, instant)
        for label, local, instant in zip(labels, locals_, starts, strict=True)
    ]


def _next_hour(instant: int, tz: ZoneInfo) -> int:
    """The next instant at which a local hour begins: on the clock, or because the clock is moved."""
    local = _local(instant, tz)
    past = (local.minute * 60 + local.second) * 1000 + instant % 1000
    following = instant - past + HOUR
    if _local(following, tz).utcoffset() == local.utcoffset():
        return following
    moved = _transition(instant, following, tz)
    return moved if moved > instant else following


def _transition(before: int, after: int, tz: ZoneInfo) -> int:
    """The first instant in (before, after] with another offset than `before`, to the second."""
    offset = _local(before, tz).utcoffset()
    low, high = before // 1000, after // 1000
    while high - low > 1:
        middle = (low + high) // 2
        if _local(middle * 1000, tz).utcoffset() == offset:
            low = middle
        else:
            high = middle
    return high * 1000


def _local(instant: int, tz: ZoneInfo) -> datetime:
    return (_EPOCH + timedelta(milliseconds=instant)).astimezone(tz)


def _ms(wall: datetime) -> int:
    return (wall.astimezone(UTC) - _EPOCH) // timedelta(milliseconds=1)


def _offset_text(local: datetime) -> str:
    return f"{local:%z}"[:3] + ":" + f"{local:%z}"[3:5]
