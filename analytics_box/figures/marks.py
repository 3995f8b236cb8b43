"""Notes on a chart: where on its axis each is, and how those that would cover each other are put together. Pure."""

from bisect import bisect_right
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Final

from msgspec import Struct

from analytics_box.base.clock import DAY
from analytics_box.figures.periods import SeriesBucket, instant

MOST_FLAGS: Final = 40  # that fit next to each other


class ChartNote(Struct, frozen=True):
    """Something that happened, of an instant or until `until`, in UTC ms; of whole `days` these are midnights in UTC
    and mean those days in every zone. `when` says the whole of that in words, `day` its first day. `href` is where it
    is changed, or empty."""

    id: str
    at: int
    until: int | None
    days: bool
    text: str
    when: str
    color: str
    href: str = ""
    day: str = ""


# The notes within [start, end) in UTC ms.
Notes = Callable[[int, int], Awaitable[Sequence[ChartNote]]]


class Mark(Struct, frozen=True):
    """A note on the axis, where each bucket has its middle at its number: from one place to another, and the buckets
    that it touches."""

    note: ChartNote
    left: float
    right: float
    buckets: range


class NoteFlag(Struct, frozen=True):
    """The notes of one flag above a chart, at a place of its axis; `right` is where the longest of them ends."""

    place: float
    right: float
    notes: tuple[ChartNote, ...]

    @property
    def said(self) -> str:
        """All of its notes, as one text."""
        return ". ".join(f"{note.when}: {note.text}" for note in self.notes)


def marks(notes: Sequence[ChartNote], named: Sequence[SeriesBucket], zone: tzinfo) -> tuple[Mark, ...]:
    """The positions of notes among the buckets, from left to right, without those outside. Whole days are in the middle
    of a
    bucket of a day or more, and span hours from the first to the last.
    """
    found = [mark for note in notes if (mark := _mark(note, named, zone)) is not None]
    return tuple(sorted(found, key=lambda mark: (mark.left, mark.right, mark.note.id)))


def flags(marks: Sequence[Mark], buckets: int) -> tuple[NoteFlag, ...]:
    """Notes grouped under one flag if their flags would overlap."""
    apart = buckets / MOST_FLAGS
    found: list[list[Mark]] = []
    for mark in marks:
        if found and mark.left - found[-1][0].left < apart:
            found[-1].append(mark)
        else:
            found.append([mark])
    return tuple(
        NoteFlag(own[0].left, max(mark.right for mark in own), tuple(mark.note for mark in own)) for own in found
    )


def _mark(note: ChartNote, named: Sequence[SeriesBucket], zone: tzinfo) -> Mark | None:
    if not named:
        return None
    until = note.at if note.until is None else note.until
    if note.days and not named[0].is_hour:
        return _of_days(note, until, named)
    first, last = note.at / 1000, until / 1000
    if note.days:  # from the first of their hours to the last
        first, last = instant(_day(note.at), zone), instant(_day(until + DAY), zone) - 0.001
    bounds = [place.span(zone)[0] for place in named]
    bounds.append(named[-1].span(zone)[1])
    if first >= bounds[-1] or last < bounds[0]:
        return None
    touched = range(max(0, bisect_right(bounds, first) - 1), min(len(named), bisect_right(bounds, last)))
    return Mark(note, _place(first, bounds), _place(last, bounds), touched)


def _of_days(note: ChartNote, until: int, named: Sequence[SeriesBucket]) -> Mark | None:
    """Whole days where days are drawn as points, or lie within one: the middle of the bucket."""
    starts = [place.start for place in named]
    first, last = (bisect_right(starts, _day(at)) - 1 for at in (note.at, until))
    if last < 0 or _day(note.at) >= starts[-1] + named[-1].length:
        return None
    left, right = (float(index) if index >= 0 else -0.5 for index in (first, last))
    return Mark(note, left, right, range(max(first, 0), last + 1))


def _place(at: float, bounds: Sequence[float]) -> float:
    """The place of an instant on the axis, between the bounds of its buckets."""
    index = min(max(bisect_right(bounds, at) - 1, 0), len(bounds) - 2)
    within = (at - bounds[index]) / (bounds[index + 1] - bounds[index])
    return round(index - 0.5 + min(max(within, 0.0), 1.0), 3)


def _day(at: int) -> datetime:
    """The day of a midnight in UTC, which is the same everywhere."""
    return datetime.fromtimestamp(at / 1000, UTC).replace(tzinfo=None)
