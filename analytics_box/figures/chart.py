"""The chart of a page of figures, and the table with the same numbers. Pure: rows of an answer in, texts out."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, tzinfo
from functools import partial
from math import ceil, floor
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.translation import _
from analytics_box.figures.board import Metric, Rows, Unit
from analytics_box.figures.marks import ChartNote, Mark, NoteFlag, flags, marks
from analytics_box.figures.periods import SO_FAR, SeriesBucket, Step, buckets, instant
from analytics_box.query.catalog.types import Record
from analytics_box.web.page.dates import USUAL, Formats

_CUT_KEY = {"week": _("part of a week"), "month": _("part of a month")}


WRITTEN: dict[Unit, Callable[[float], str]] = {
    "count": figures.count,
    "percent": figures.percent,
    "seconds": figures.duration,
    "ms": figures.milliseconds,
    "uptime": figures.uptime,
}
UNKNOWN = "–"


def number_text(metric: Metric, value: float | None) -> str:
    """A number in words."""
    return UNKNOWN if value is None else WRITTEN[metric.unit](value)


class ChartPoint(Struct, frozen=True):
    """A bucket as shown. It has no value before it has begun and before anything is known, nor a rate without sessions.
    `unfinished` is a bucket that is still filling, `cut` the part of it inside the range; a month begins where it
    `turns`.
    `second` is the value of the second measure.
    """

    tick: str
    label: str
    value: float | None
    text: str
    turns: bool = False
    unfinished: str = ""
    cut: str = ""
    before: float | None = None
    before_label: str = ""
    before_text: str = ""
    second: float | None = None
    second_text: str = ""

    @property
    def note(self) -> str:
        """The reason why the bucket is shorter than others; empty for a whole one."""
        return self.unfinished or self.cut


class Axis(Struct, frozen=True):
    """The axis of a chart: steps up to the day `last`, written in these formats. `now` and `begun`, before which
    nothing is
    known, are wall times in the page's `zone`.
    """

    now: datetime
    step: Step = "day"
    last: date | None = None
    formats: Formats = USUAL
    begun: datetime | None = None
    zone: tzinfo = UTC

    def places(self, rows: Rows, last: date | None) -> list[SeriesBucket]:
        """The buckets of these rows, whose range ends with this day."""
        return buckets([row["date"] for row in rows], self.step, last, self.now.year, self.formats)

    def known(self, place: SeriesBucket) -> bool:
        """Whether anything can be known of a bucket: it has begun, and does not lie before all that is known."""
        start, end = place.span(self.zone)
        return start <= instant(self.now, self.zone) and (self.begun is None or end > instant(self.begun, self.zone))


class ChartOutage(Struct, frozen=True):
    """A time in which something was down, in UTC ms, and what is said of it."""

    start: int
    until: int
    label: str


class OutageShade(Struct, frozen=True):
    """An outage as a chart shades it: from one place on its axis to another; a bucket reaches half a place around its
    own. `buckets` are those that it touches."""

    left: float
    right: float
    label: str
    buckets: range


class SeriesChart(Struct, frozen=True):
    """A series as chart.js draws it and as the table lists it; `second` is the unit of the measure next to it, and
    `affixes` are the texts before and after each number of the axis."""

    unit: Unit
    points: tuple[ChartPoint, ...]
    compared: bool
    shades: tuple[OutageShade, ...] = ()
    marks: tuple[Mark, ...] = ()
    step: Step = "day"
    second: Unit | None = None
    affixes: tuple[str, str] = ("", "")

    @property
    def columns(self) -> dict[str, Any]:
        """For chart.js, column by column. `partial` are the indexes of the buckets that are still filling, or lie
        partly outside of the range; `months` are those with which a month begins."""
        columns: dict[str, Any] = {
            "unit": self.unit,
            "step": self.step,
            "partial": [index for index, point in enumerate(self.points) if point.note],
            "partialNotes": [point.note for point in self.points if point.note],
            "months": [index for index, point in enumerate(self.points) if point.turns],
            "ticks": [point.tick for point in self.points],
            "labels": [point.label for point in self.points],
            "values": [point.value for point in self.points],
            "texts": [point.text for point in self.points],
        }
        if any(self.affixes):
            columns["affixes"] = self.affixes
        if self.shades:
            columns["shades"] = [[shade.left, shade.right] for shade in self.shades]
        if self.shades or self.marks:
            columns["notes"] = [self.note(index) for index in range(len(self.points))]
        if self.compared:
            columns["before"] = [point.before for point in self.points]
            columns["beforeLabels"] = [point.before_label for point in self.points]
            columns["beforeTexts"] = [point.before_text for point in self.points]
        if self.second:
            columns["secondUnit"] = self.second
            columns["second"] = [point.second for point in self.points]
            columns["secondTexts"] = [point.second_text for point in self.points]
        return columns

    @property
    def listed(self) -> tuple[ChartPoint, ...]:
        """The rows of the table: every bucket that has begun, that is compared with something, or that has a note."""
        noted = {self.points[index] for mark in self.marks for index in mark.buckets}
        return tuple(point for point in self.points if point.text or point.before_text or point in noted)

    def note(self, index: int) -> str:
        """The text about the outages and the notes of a bucket; empty without any."""
        said = [shade.label for shade in self.shades if index in shade.buckets]
        said += [mark.note.text for mark in self.marks if index in mark.buckets]
        return ", ".join(dict.fromkeys(said))

    def note_of(self, point: ChartPoint) -> str:
        """The text about the outages and the notes of a point's bucket; empty without any."""
        return self.note(self.points.index(point)) if self.shades or self.marks else ""

    @property
    def flags(self) -> tuple[NoteFlag, ...]:
        """The notes as they stand above the chart, from left to right."""
        return flags(self.marks, len(self.points))

    @property
    def unfinished(self) -> str:
        """Words for the bucket that is still filling, else empty."""
        return next((point.unfinished for point in self.points if point.unfinished), "")

    @property
    def cut(self) -> str:
        """The text about steps that are partly outside the range, besides the unfinished one; empty without any."""
        return _CUT_KEY[self.step] if any(point.cut and not point.unfinished for point in self.points) else ""


def chart(
    metric: Metric,
    rows: Rows,
    previous: Rows | None,
    *,
    axis: Axis,
    previous_last: date | None = None,
    second: tuple[Metric, Rows] | None = None,
    outages: Sequence[ChartOutage] = (),
    notes: Sequence[ChartNote] = (),
) -> SeriesChart:
    """The series of one metric next to the period before, which ends with the day `previous_last`, and next to a second
    metric with its rows.

    Buckets after now are empty rather than zero, as are those before anything is known; the bucket of now is marked
    as unfinished. The period before is laid on ours bucket by bucket; what it has more (a day of 25 hours before one
    of 24) is not drawn. `outages` are shaded, `notes` stand above.
    """
    named = axis.places(rows, axis.last)
    filling = _filling(named, axis)
    points = [
        _point(metric, axis, place, row, filling=index == filling)
        for index, (place, row) in enumerate(zip(named, rows, strict=True))
    ]
    if previous:
        theirs = zip(axis.places(previous, previous_last), previous, strict=True)
        points = [*map(partial(_compared_values, metric, axis), points, theirs), *points[len(previous) :]]
    if second is not None:
        points = [_beside(second[0], axis, *each) for each in zip(points, named, second[1], strict=True)]
    shades = tuple(shade for outage in outages if (shade := _shade(outage, named, axis.zone)) is not None)
    return SeriesChart(
        unit=metric.unit,
        points=tuple(points),
        compared=previous is not None,
        shades=shades,
        marks=marks(notes, named, axis.zone),
        step=axis.step,
        second=second[0].unit if second is not None else None,
    )


def _point(metric: Metric, axis: Axis, place: SeriesBucket, row: Record, *, filling: bool) -> ChartPoint:
    known = axis.known(place)
    value = metric.of(row) if known else None
    return ChartPoint(
        tick=place.tick,
        label=place.label,
        value=value,
        text=number_text(metric, value) if known else "",
        turns=place.turns,
        unfinished=_so_far(place, axis) if filling else "",
        cut=place.cut,
    )


def _compared_values(metric: Metric, axis: Axis, point: ChartPoint, theirs: tuple[SeriesBucket, Record]) -> ChartPoint:
    place, row = theirs
    if not axis.known(place):
        return replace(point, before_label=place.label)
    value = metric.of(row)
    return replace(point, before=value, before_label=place.label, before_text=number_text(metric, value))


def _beside(metric: Metric, axis: Axis, point: ChartPoint, place: SeriesBucket, row: Record) -> ChartPoint:
    if not axis.known(place):
        return point
    value = metric.of(row)
    return replace(point, second=value, second_text=number_text(metric, value))


def _shade(outage: ChartOutage, named: Sequence[SeriesBucket], zone: tzinfo) -> OutageShade | None:
    """The position of an outage among the buckets; None outside of them."""
    left, right = (_place(instant, named, zone) for instant in (outage.start, outage.until))
    touched = range(floor(left + 0.5), min(len(named), ceil(right + 0.5)))
    return OutageShade(round(left, 3), round(right, 3), outage.label, touched) if touched and right > left else None


def _place(at: int, named: Sequence[SeriesBucket], zone: tzinfo) -> float:
    """The place of an instant (UTC ms) on the axis, where each bucket has its middle at its number."""
    moment = at / 1000
    index = max(bisect_right(named, moment, key=lambda place: place.span(zone)[0]) - 1, 0)
    if not named:
        return -0.5
    start, end = named[index].span(zone)
    return index - 0.5 + min(max((moment - start) / (end - start), 0), 1)


def _filling(named: Sequence[SeriesBucket], axis: Axis) -> int | None:
    """The bucket that holds now: the last that has begun, when it has not ended."""
    now = instant(axis.now, axis.zone)
    spans = [place.span(axis.zone) for place in named]
    last = max((index for index, (start, _rest) in enumerate(spans) if start <= now), default=None)
    return last if last is not None and now < spans[last][1] else None


def _so_far(place: SeriesBucket, axis: Axis) -> str:
    if axis.step in {"hour", "day"} and place.start.date() != axis.now.date():
        return _("so far")
    return SO_FAR[axis.step]
