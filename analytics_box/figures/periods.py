"""Ranges of local days and their buckets, in words. All dates and times here are local to the page's zone."""

from calendar import monthrange
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Final, Literal
from zoneinfo import ZoneInfo

from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.translation import _
from analytics_box.figures.spans import quoted_value
from analytics_box.query.ranges import MAX_DAYS, MAX_HOURLY_DAYS, DayRange
from analytics_box.web.page.dates import WEEKDAYS, Formats, day_text, month_text, short_day_text, time_text

SO_FAR = {
    "hour": _("this hour so far"),
    "day": _("today so far"),
    "week": _("this week so far"),
    "month": _("this month so far"),
}
STEP_LABELS = {"hour": _("Hours"), "day": _("Days"), "week": _("Weeks"), "month": _("Months")}


Step = Literal["hour", "day", "week", "month"]
STEPS: Final[tuple[Step, ...]] = ("hour", "day", "week", "month")

# How many days a range may have, at least and at most, to be drawn in steps of this width.
_LEAST: Final[dict[Step, int]] = {"hour": 1, "day": 1, "week": 8, "month": 32}
_MOST: Final[dict[Step, int]] = {"hour": MAX_HOURLY_DAYS, "day": 800, "week": MAX_DAYS, "month": MAX_DAYS}
# Up to how many days a range is drawn in these steps by itself.
_USUAL: Final[tuple[tuple[int, Step], ...]] = ((1, "hour"), (184, "day"), (800, "week"))


def read_step(text: str) -> tuple[Step | Literal[""], str]:
    """The steps that an address asks for, empty for those that fit; and what could not be read of it."""
    found: Step | None = next((step for step in STEPS if step == text), None)
    return (found, "") if found is not None else ("", quoted_value(text))


def possible(days: DayRange, theirs: int = 0) -> tuple[Step, ...]:
    """The steps in which these days can be drawn next to those that they are compared with, of which there are
    `theirs`: neither may have too many hours."""
    return tuple(
        step
        for step in STEPS
        if _LEAST[step] <= days.length <= _MOST[step] and (step != "hour" or theirs <= MAX_HOURLY_DAYS)
    )


def usual(days: DayRange, theirs: int = 0) -> Step:
    """The steps that are drawn when none are chosen: about as many points as can be told apart."""
    wanted = next((step for most, step in _USUAL if days.length <= most), "month")
    can = possible(days, theirs)
    return wanted if wanted in can else can[0]


def steps_to_draw(by: Step | Literal[""], days: DayRange, theirs: int = 0) -> tuple[Step, str]:
    """The steps that are drawn, and what is said where they are not the chosen ones."""
    step = usual(days, theirs)
    if not by or by in possible(days, theirs):
        return by or step, ""
    words = _("{wanted} are not available for {days} days. Showing {steps}.").format(
        wanted=STEP_LABELS[by], days=figures.count(days.length), steps=STEP_LABELS[step].lower()
    )
    return step, words


_DAY: Final = timedelta(days=1)


def period_text(days: DayRange, formats: Formats) -> str:
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


def time_words(at: int, until: int | None, zone: ZoneInfo, formats: Formats, *, days: bool) -> str:
    """A time in words, such as "20 Nov 2026, 14:05" or "20 Nov 2026 – 22 Nov 2026". Instants are UTC ms."""
    start = _moment(at, days, zone, formats)
    if until is None:
        return start
    end = _moment(until, days, zone, formats)
    return start if start == end else f"{start} – {end}"


def _moment(at: int, days: bool, zone: ZoneInfo, formats: Formats) -> str:
    local = datetime.fromtimestamp(at / 1000, UTC if days else zone)
    day = day_text(local, formats.date)
    return day if days else f"{day}, {time_text(local, formats.time)}"


def imported_message(*, filtered: bool) -> str:
    """The message about imported totals between the days {first} and {last}."""
    if filtered:
        return _("Imported daily totals from {first} to {last} are left out, because they cannot be filtered.")
    return _(
        "Figures include imported daily totals from {first} to {last}. Hours, sessions, events, goals and other "
        "details of visits do not."
    )


class SeriesBucket(Struct, frozen=True):
    """The start of a row of a series, as local wall time, and how it is named. The second of two hours of one name has
    the `fold` of that time. `cut` says how much of a week or month is there, where the range begins or ends within it;
    `turns` that a month begins with or within it."""

    start: datetime
    length: timedelta
    tick: str
    label: str
    cut: str = ""
    turns: bool = False

    @property
    def is_hour(self) -> bool:
        """Whether it is as long as its length says, however clocks are moved."""
        return self.length < _DAY

    def span(self, zone: tzinfo) -> tuple[float, float]:
        """From when to when it is in a time zone, in seconds since 1970."""
        start = instant(self.start, zone)
        if self.is_hour:
            return start, start + self.length.total_seconds()
        return start, instant(self.start + self.length, zone)


def instant(wall: datetime, zone: tzinfo) -> float:
    """This wall time in a time zone, in seconds since 1970."""
    return wall.replace(tzinfo=zone).timestamp()


def buckets(named: Sequence[str], step: Step, last: date | None, year: int, formats: Formats) -> list[SeriesBucket]:
    """Reads the `date` of each row of a series in these steps, whose range ends with the day `last`.

    A day of another year than `year` is named with it.
    """
    if step not in {"week", "month"} or last is None:
        return [
            _bucket(name, year, formats, again=at > 0 and name[:19] == named[at - 1][:19])
            for at, name in enumerate(named)
        ]
    starts = [date.fromisoformat(name) for name in named]
    ends = [following - _DAY for following in (*starts[1:], last + _DAY)]
    make = _week if step == "week" else _month
    return [make(DayRange(start, end), formats) for start, end in zip(starts, ends, strict=True)]


def _bucket(named: str, year: int, formats: Formats, *, again: bool) -> SeriesBucket:
    """A day, YYYY-MM-DD; or an hour, YYYY-MM-DD HH:00:00 with an offset where two hours share a name, of which it may
    be the second."""
    start = datetime.fromisoformat(named[:19]).replace(fold=again)
    weekday, short = WEEKDAYS[start.weekday()], short_day_text(start, formats.date)
    if len(named) == 10:
        day = short if start.year == year else day_text(start, formats.date)
        return SeriesBucket(start, _DAY, short, f"{weekday} {day}", turns=start.day == 1)
    hour = time_text(start, formats.time)
    offset = f" {named[19:].strip()}" if named[19:] else ""
    return SeriesBucket(start, timedelta(hours=1), hour, f"{weekday} {short}, {hour}{offset}")


def _week(days: DayRange, formats: Formats) -> SeriesBucket:
    """Weeks begin on Sunday (semantics 6)."""
    turns = days.first.day == 1 or days.first.month != days.last.month
    tick = short_day_text(days.first, formats.date)
    return _several(days, tick, period_text(days, formats), whole=7, turns=turns)


def _month(days: DayRange, formats: Formats) -> SeriesBucket:
    whole = monthrange(days.first.year, days.first.month)[1]
    name = month_text(days.first, formats.date)
    return _several(days, name, name if days.length == whole else period_text(days, formats), whole=whole, turns=True)


def _several(days: DayRange, tick: str, label: str, *, whole: int, turns: bool) -> SeriesBucket:
    start = datetime.combine(days.first, time.min)
    cut = _("{there} of {whole} days").format(there=days.length, whole=whole) if days.length < whole else ""
    return SeriesBucket(start, timedelta(days=days.length), tick, label, cut, turns)
