"""The chart of a page of figures, and the table with the same numbers. Pure: rows of an answer in, texts out."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Any, Literal

from msgspec import Struct

from analytics_box.dashboard.board import Metric, Rows, Unit
from analytics_box.dashboard.periods import Bucket, bucket
from analytics_box.http.page.dates import USUAL, Formats
from analytics_box.texts import Overview, figures

WRITTEN: dict[Unit, Callable[[float], str]] = {
    "count": figures.count,
    "percent": figures.percent,
    "seconds": figures.duration,
    "ms": figures.milliseconds,
    "uptime": figures.uptime,
}
UNKNOWN = "–"
Step = Literal["hour", "day", "month"]


def written(metric: Metric, value: float | None) -> str:
    """A number in words."""
    return UNKNOWN if value is None else WRITTEN[metric.unit](value)


class Point(Struct, frozen=True):
    """One bucket as shown. It has no value before it has begun, nor a rate without sessions; `unfinished` says that
    it is still filling. `step` is what it begins: an hour, a day, or a day that begins a month."""

    tick: str
    step: Step
    label: str
    value: float | None
    text: str
    unfinished: str = ""
    before: float | None = None
    before_label: str = ""
    before_text: str = ""


class Outage(Struct, frozen=True):
    """A time in which something was down, in UTC ms, and what is said of it."""

    start: int
    until: int
    label: str


class Shade(Struct, frozen=True):
    """An outage as a chart shades it: from one place on its axis to another; a bucket reaches half a place around its
    own. `buckets` are those that it touches."""

    left: float
    right: float
    label: str
    buckets: range


class Chart(Struct, frozen=True):
    """A series as chart.js draws it and as the table lists it."""

    unit: Unit
    points: tuple[Point, ...]
    compared: bool
    shades: tuple[Shade, ...] = ()

    @property
    def columns(self) -> dict[str, Any]:
        """For chart.js, column by column; `unfinished` is the index of the bucket that is still filling, `months` are
        those of first days of months."""
        filling = (index for index, point in enumerate(self.points) if point.unfinished)
        columns: dict[str, Any] = {
            "unit": self.unit,
            "unfinished": next(filling, None),
            "note": self.unfinished,
            "hourly": any(point.step == "hour" for point in self.points),
            "months": [index for index, point in enumerate(self.points) if point.step == "month"],
            "ticks": [point.tick for point in self.points],
            "labels": [point.label for point in self.points],
            "values": [point.value for point in self.points],
            "texts": [point.text for point in self.points],
        }
        if self.shades:
            columns["shades"] = [[shade.left, shade.right] for shade in self.shades]
            columns["notes"] = [self.note(index) for index in range(len(self.points))]
        if self.compared:
            columns["before"] = [point.before for point in self.points]
            columns["beforeLabels"] = [point.before_label for point in self.points]
            columns["beforeTexts"] = [point.before_text for point in self.points]
        return columns

    @property
    def listed(self) -> tuple[Point, ...]:
        """The rows of the table: every bucket that has begun or that is compared with something."""
        return tuple(point for point in self.points if point.text or point.before_text)

    def note(self, index: int) -> str:
        """What is said of the outages of a bucket; empty without one."""
        return ", ".join(dict.fromkeys(shade.label for shade in self.shades if index in shade.buckets))

    def note_of(self, point: Point) -> str:
        """What is said of the outages of a point's bucket; empty without one."""
        return self.note(self.points.index(point)) if self.shades else ""

    @property
    def unfinished(self) -> str:
        """Words for the bucket that is still filling, else empty."""
        return next((point.unfinished for point in self.points if point.unfinished), "")


def chart(
    metric: Metric,
    rows: Rows,
    previous: Rows | None,
    *,
    now: datetime,
    formats: Formats = USUAL,
    outages: Sequence[Outage] = (),
    zone: tzinfo = UTC,
) -> Chart:
    """The series of one metric beside the period before. `now` is wall time in the page's zone.

    Buckets after now are empty rather than zero, the bucket of now is marked as unfinished. The period before is
    laid on ours bucket by bucket; what it has more (a day of 25 hours before one of 24) is not drawn. `outages` are
    shaded.
    """
    named = [bucket(row["date"], now.year, formats) for row in rows]
    filling = _filling(named, now)
    points = []
    for index, (place, row) in enumerate(zip(named, rows, strict=True)):
        theirs = previous[index] if previous and index < len(previous) else None
        begun = place.start <= now
        value = metric.of(row) if begun else None
        old = metric.of(theirs) if theirs else None
        points.append(
            Point(
                tick=place.tick,
                step=_step(place),
                label=place.label,
                value=value,
                text=written(metric, value) if begun else "",
                unfinished=_so_far(place, now) if index == filling else "",
                before=old,
                before_label=bucket(theirs["date"], now.year, formats).label if theirs else "",
                before_text=written(metric, old) if theirs else "",
            )
        )
    shades = tuple(shade for outage in outages if (shade := _shade(outage, named, zone)) is not None)
    return Chart(metric.unit, tuple(points), compared=previous is not None, shades=shades)


def _shade(outage: Outage, named: Sequence[Bucket], zone: tzinfo) -> Shade | None:
    """Where an outage lies among the buckets; None outside of them."""
    left, right = (_place(instant, named, zone) for instant in (outage.start, outage.until))
    touched = range(max(0, round(left)), min(len(named), round(right) + 1))
    return Shade(round(left, 3), round(right, 3), outage.label, touched) if touched and right > left else None


def _place(instant: int, named: Sequence[Bucket], zone: tzinfo) -> float:
    """The place of an instant on the axis, where each bucket has its middle at its number."""
    wall = datetime.fromtimestamp(instant / 1000, zone).replace(tzinfo=None)
    index = max(bisect_right(named, wall, key=lambda place: place.start) - 1, 0)
    within = (wall - named[index].start) / named[index].length if named else 0
    return index - 0.5 + min(max(within, 0), 1)


def _step(place: Bucket) -> Step:
    if not place.length.days:
        return "hour"
    return "month" if place.start.day == 1 else "day"


def _filling(named: Sequence[Bucket], now: datetime) -> int | None:
    """The bucket that holds now: the last that has begun, when it has not ended."""
    begun = [index for index, place in enumerate(named) if place.start <= now]
    if not begun or named[begun[-1]].start + named[begun[-1]].length <= now:
        return None
    return begun[-1]


def _so_far(place: Bucket, now: datetime) -> str:
    if place.start.date() != now.date():
        return Overview.unfinished
    return Overview.unfinished_day if place.length.days else Overview.unfinished_hour
