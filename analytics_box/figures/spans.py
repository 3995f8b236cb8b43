"""The range in the address of a page of figures, and the local days that it selects. Pure.

Beside the presets of the API, pages know the last twelve months and all time, and own dates of as many days as a
query may have.
"""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Final, Literal
from zoneinfo import ZoneInfo

from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.clock import DAY
from analytics_box.base.translation import _
from analytics_box.query import ranges
from analytics_box.query.ranges import MAX_DAYS, PRESETS, DayRange, Preset
from analytics_box.web.page.dates import USUAL as FORMATS
from analytics_box.web.page.dates import Formats

RANGE_LABELS = {
    "today": _("Today"),
    "yesterday": _("Yesterday"),
    "last_7d": _("Last 7 days"),
    "last_14d": _("Last 14 days"),
    "last_30d": _("Last 30 days"),
    "last_90d": _("Last 90 days"),
    "this_week": _("This week"),
    "last_week": _("Last week"),
    "this_month": _("This month"),
    "last_month": _("Last month"),
    "this_year": _("This year"),
    "last_12m": _("Last 12 months"),
    "all": _("All time"),
}


RangeName = Preset | Literal["last_12m", "all", "custom"]
NAMED: Final[tuple[RangeName, ...]] = (*PRESETS, "last_12m", "all")
USUAL: Final[RangeName] = "last_30d"
# The age (ms) up to which a subject opens on today, by hours.
YOUNG: Final = 2 * DAY
_LONGEST: Final = timedelta(days=MAX_DAYS - 1)


class RangeSpan(Struct, frozen=True):
    """A range: one of the named ones, or own dates (local days, both included). `unread` says what could not be read
    of the address."""

    name: RangeName = USUAL
    first: date | None = None
    last: date | None = None
    unread: str = ""


def read_span(query: Mapping[str, str]) -> RangeSpan:
    """The range that an address asks for; the usual one for what is none. Own dates that are too many are the last of
    them."""
    asked = query.get("range", "")
    named = next((name for name in NAMED if name == asked), None)
    if named is not None:
        return RangeSpan(named)
    if asked != "custom":
        return RangeSpan(
            unread=_("Unknown range “{name}”. Showing {range}.").format(name=quoted_value(asked), range=_usual())
            if asked
            else ""
        )
    texts = [query.get(name, "").strip() for name in ("from", "to")]
    days = [day for day in map(day_in, texts) if day is not None]
    if len(days) < 2:
        given = " – ".join(quoted_value(text) for text in texts if text)
        return RangeSpan(
            unread=(
                _("Invalid dates: {dates}. Showing {range}.")
                if all(texts)
                else _("A custom range needs a first and a last day. Showing {range}.")
            ).format(dates=given, range=_usual())
        )
    first, last = sorted(days)
    if last - first > _LONGEST:
        return RangeSpan(
            "custom",
            last - _LONGEST,
            last,
            _("Ranges are limited to {most} days. Showing the last {most} days.").format(most=figures.count(MAX_DAYS)),
        )
    return RangeSpan("custom", first, last)


def days_of(
    span: RangeSpan, now: int, zone: ZoneInfo, begun: date | None = None, formats: Formats = FORMATS
) -> DayRange:
    """The local days of a range, whose weeks begin as `formats` say. `now` is in UTC ms; all time begins on the day
    in `begun`, the last twelve months are this month so far and the eleven before it.
    """
    if span.name == "custom":
        return DayRange(span.first or date.min, span.last or date.max)
    today = ranges.today(now, zone)
    if span.name == "last_12m":
        return DayRange(today.replace(year=today.year - (today.month < 12), month=today.month % 12 + 1, day=1), today)
    if span.name == "all":
        return DayRange(max(min(begun or today, today), today - _LONGEST), today)
    return ranges.of_preset(span.name, now, zone, formats.week[0])


def day_in(text: str | None) -> date | None:
    """The day in an address, if it is one that a range may have."""
    try:
        day = date.fromisoformat(text or "")
    except ValueError:
        return None
    return day if 1980 <= day.year <= 2100 else None


def quoted_value(text: str) -> str:
    """The value in an address, shortened for a remark to the visitor."""
    return figures.visible(text[:40])


def _usual() -> str:
    return RANGE_LABELS[USUAL].lower()
