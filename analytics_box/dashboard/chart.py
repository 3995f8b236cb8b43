"""The chart of a page of figures, and the table with the same numbers. Pure: rows of an answer in, texts out."""

from collections.abc import Callable, Sequence
from datetime import datetime
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


class Chart(Struct, frozen=True):
    """A series as chart.js draws it (`unit` is count, percent or seconds) and as the table lists it."""

    unit: Unit
    points: tuple[Point, ...]
    compared: bool

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
        if self.compared:
            columns["before"] = [point.before for point in self.points]
            columns["beforeLabels"] = [point.before_label for point in self.points]
            columns["beforeTexts"] = [point.before_text for point in self.points]
        return columns

    @property
    def listed(self) -> tuple[Point, ...]:
        """The rows of the table: every bucket that has begun or that is compared with something."""
        return tuple(point for point in self.points if point.text or point.before_text)

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
) -> Chart:
    """The series of one metric beside the period before. `now` is wall time in the page's zone.

    Buckets after now are empty rather than zero, the bucket of now is marked as unfinished. The period before is
    laid on ours bucket by bucket; what it has more (a day of 25 hours before one of 24) is not drawn.
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
    return Chart(metric.unit, tuple(points), compared=previous is not None)


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
