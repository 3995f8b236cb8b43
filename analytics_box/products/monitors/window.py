"""A maintenance window: which monitors it covers, and when. Pure.

One that repeats begins at a local time of its zone. Where clocks go forward and that time does not exist, it begins as
much later as they jump (02:30 becomes 03:30); where they go back and it exists twice, it begins the first time. It
lasts its number of minutes in real time, even if clocks change in that time.
"""

import unicodedata
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Annotated, Final, Literal, NamedTuple
from zoneinfo import ZoneInfo

from msgspec import Meta, Struct

from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _
from analytics_box.products.monitors.monitor import LONGEST_GROUP, LONGEST_TAG, MOST_TAGS, Monitor
from analytics_box.resource.fields import Field, Instant, Stamp, instant_of
from analytics_box.resource.fields import date as date_of

LONGEST: Final = 7 * 24 * 60  # minutes of one that repeats
_MINUTE: Final = 60_000
_SEEKING: Final = 100  # days: two days 31 of a month are 62 apart at most
_DAY: Final = 86_400_000
_LAST: Final = 253_300_000_000_000  # in the year 9996

Weekday = Annotated[int, Meta(ge=1, le=7)]  # 1 is Monday
Every = Literal["day", "week", "month"]


class Covers(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    """The monitors that a window covers: all of the organization, or those with one of these ids, groups or tags."""

    all: bool = False
    monitor_ids: Annotated[tuple[Annotated[str, Meta(max_length=64)], ...], Meta(max_length=1_000)] = ()
    groups: Annotated[
        tuple[Annotated[str, Meta(min_length=1, max_length=LONGEST_GROUP)], ...], Meta(max_length=50)
    ] = ()
    tags: Annotated[
        tuple[Annotated[str, Meta(min_length=1, max_length=LONGEST_TAG)], ...], Meta(max_length=MOST_TAGS)
    ] = ()


class RepeatDays(Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """The recurrence of a window: each day, on `weekdays` of each week, or in each month on a `day`, else on the `nth`
    `weekday` of it.

    `time` is a local time such as 02:30 in `zone`, `minutes` is the duration. Months without the `day` are skipped;
    `day` and `nth` -1 are the last. No window begins at `until` or later; None is never.
    """

    every: Every
    time: Annotated[str, Meta(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$", examples=["22:00"])]
    minutes: Annotated[int, Meta(ge=1, le=LONGEST)]
    zone: Annotated[str, Meta(max_length=64)] = "UTC"
    weekdays: Annotated[tuple[Weekday, ...], Meta(max_length=7)] = ()
    day: Annotated[int, Meta(ge=-1, le=31)] | None = None
    nth: Literal[1, 2, 3, 4, -1] | None = None
    weekday: Weekday | None = None


class Repeat(RepeatDays, frozen=True, omit_defaults=True):
    """The recurrence of a window as it is stored. `until` is UTC ms."""

    until: int | None = None


class GivenRepeat(RepeatDays, frozen=True):
    """The recurrence of a window in messages."""

    until: datetime | None = None


def clean_name(given: str) -> str:
    """The name without spaces around it. Raises BadRequest."""
    name = given.strip()
    if not name or any(unicodedata.category(letter) in {"Cc", "Cf", "Cs"} for letter in name):
        raise BadRequest(_("Enter a name"))
    return name


def _clean_repeat(given: GivenRepeat) -> Repeat:
    try:
        until = instant_of(given.until) if given.until is not None else None
    except BadRequest as refused:
        raise BadRequest.about("repeat.until", refused.message) from refused
    days = {name: getattr(given, name) for name in RepeatDays.__struct_fields__}
    return Repeat(**days | {"weekdays": tuple(sorted({*given.weekdays}))}, until=until)


def _given_repeat(repeat: Repeat) -> GivenRepeat:
    days = {name: getattr(repeat, name) for name in RepeatDays.__struct_fields__}
    return GivenRepeat(**days, until=date_of(repeat.until) if repeat.until is not None else None)


class MaintenanceWindow(Struct, frozen=True, kw_only=True, rename="camel"):
    """A window, each field declared once. Times are UTC ms. Without `repeat` it is from `starts_at` until `ends_at`.

    One that repeats first begins at `starts_at` or later; `ends_at` is 0. If it was ended early at `ended_at`, an
    occurrence that had begun is over then. An `announced` window is scheduled maintenance on the status pages that show
    its monitors.
    """

    id: str
    organization_id: str
    name: Annotated[str, Meta(max_length=255), Field(clean=clean_name)]
    covers: Annotated[Covers, Field()]
    starts_at: Instant
    ends_at: Annotated[
        int,
        Field(
            wire=datetime,
            clean=instant_of,
            null=True,
            empty=0,
            shown=lambda instant: date_of(instant) if instant else None,
        ),
    ] = 0
    repeat: Annotated[Repeat, Field(wire=GivenRepeat, clean=_clean_repeat, shown=_given_repeat)] | None = None
    ended_at: int = 0
    announced: Annotated[bool, Field(name="isAnnounced")] = False
    created_at: Stamp = 0
    updated_at: Stamp = 0


class WindowSpan(NamedTuple):
    """Once that a window is: from `start` until before `end` (UTC ms)."""

    start: int
    end: int


def is_covered(window: MaintenanceWindow, monitor: Monitor) -> bool:
    """Whether a window is about a monitor."""
    covers = window.covers
    return window.organization_id == monitor.organization_id and (
        covers.all
        or monitor.id in covers.monitor_ids
        or (monitor.group != "" and monitor.group in covers.groups)
        or any(tag in covers.tags for tag in monitor.tags)
    )


def windows_at(windows: Iterable[MaintenanceWindow], monitor: Monitor, instant: int) -> tuple[MaintenanceWindow, ...]:
    """The windows in which a monitor is at an instant (UTC ms)."""
    return tuple(window for window in windows if is_covered(window, monitor) and is_on(window, instant))


def next_change(windows: Iterable[MaintenanceWindow], monitor: Monitor, instant: int) -> int | None:
    """The first instant after this one at which a window of a monitor begins or ends; None if none will."""
    changes = (change_after(window, instant) for window in windows if is_covered(window, monitor))
    return min((change for change in changes if change is not None), default=None)


def is_on(window: MaintenanceWindow, instant: int) -> bool:
    """Whether it is one at this instant."""
    return any(span.start <= instant < span.end for span in spans(window, instant, instant + 1))


def change_after(window: MaintenanceWindow, instant: int) -> int | None:
    """The next instant at which the window begins or ends; None if it is over."""
    for span in _from(window, instant):
        if span.start > instant:
            return span.start
        if span.end > instant:
            return span.end
    return None


def next_start(window: MaintenanceWindow, instant: int) -> int | None:
    """The next start after this instant; None if there is none."""
    return next((span.start for span in _from(window, instant) if span.start > instant), None)


def spans(window: MaintenanceWindow, start: int, end: int) -> list[WindowSpan]:
    """The occurrences of a window that overlap the time between two instants, in order, not cut."""
    found = []
    for span in _from(window, start):
        if span.start >= end:
            break
        if span.end > start:
            found.append(span)
    return found


def _from(window: MaintenanceWindow, instant: int) -> Iterator[WindowSpan]:
    """Each time that it is, in order, from those on that may still be on at this instant."""
    if window.repeat is None:
        end = min(window.ends_at, window.ended_at) if window.ended_at else window.ends_at
        if window.starts_at < end:
            yield WindowSpan(window.starts_at, end)
        return
    repeat, duration = window.repeat, window.repeat.minutes * _MINUTE
    first = max(instant - duration, window.starts_at) - _DAY
    if first > _LAST:
        return
    day, sought = datetime.fromtimestamp(max(first, 0) / 1000, _zone(repeat.zone)).date(), 0
    while sought < _SEEKING:
        sought += 1
        if _is_day(repeat, day):
            start = _instant(day, repeat.time, repeat.zone)
            if repeat.until is not None and start >= repeat.until:
                return
            end = start + duration
            if start <= window.ended_at:
                end = min(end, window.ended_at)
            if start >= window.starts_at and start < end:
                yield WindowSpan(start, end)
                sought = 0
        day += timedelta(days=1)


def _is_day(repeat: Repeat, day: date) -> bool:
    match repeat.every:
        case "day":
            return True
        case "week":
            return day.isoweekday() in repeat.weekdays
        case "month":
            return _is_day_of_month(repeat, day)


def _is_day_of_month(repeat: Repeat, day: date) -> bool:
    if repeat.day is not None:
        return _is_over_in(day, 1) if repeat.day == -1 else day.day == repeat.day
    if day.isoweekday() != repeat.weekday:
        return False
    return _is_over_in(day, 7) if repeat.nth == -1 else (day.day + 6) // 7 == repeat.nth


def _is_over_in(day: date, days: int) -> bool:
    """Whether its month has ended `days` days later."""
    return (day + timedelta(days=days)).month != day.month


def _instant(day: date, clock: str, zone: str) -> int:
    hour, minute = clock.split(":")
    local = datetime.combine(day, time(int(hour), int(minute)), _zone(zone))  # fold 0, as the docstring above says
    return round(local.astimezone(UTC).timestamp() * 1000)


@lru_cache(maxsize=64)
def _zone(name: str) -> ZoneInfo:
    return ZoneInfo(name)
