"""Notes on a chart: where on its axis each is, and how those that would cover each other are put together. Pure."""

from bisect import bisect_right
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Final

from msgspec import Struct

from analytics_box.dashboard.periods import Bucket

MOST_FLAGS: Final = 40  # that fit beside each other


class Note(Struct, frozen=True):
    """Something that happened, of an instant or until `until`, in UTC ms; of whole `days` these are midnights in UTC
    and mean those days in every zone. `href` is where it is changed, or empty."""

    id: str
    at: int
    until: int | None
    days: bool
    text: str
    when: str
    color: str
    href: str = ""


# The notes within [start, end) in UTC ms.
Notes = Callable[[int, int], Awaitable[Sequence[Note]]]


class Mark(Struct, frozen=True):
    """A note on the axis, where each bucket has its middle at its number: from one place to another, and the buckets
    that it touches."""

    note: Note
    left: float
    right: float
    buckets: range


class Flag(Struct, frozen=True):
    """The notes of one flag above a chart, at a place of its axis; `right` is where the longest of them ends."""

    place: float
    right: float
    notes: tuple[Note, ...]

    @property
    def said(self) -> str:
        """All of its notes, as one text."""
        return ". ".join(f"{note.when}: {note.text}" for note in self.notes)


def marks(notes: Sequence[Note], named: Sequence[Bucket], zone: tzinfo) -> tuple[Mark, ...]:
    """Where notes are among the buckets, from left to right; those outside of them are left out."""
    found = [mark for note in notes if (mark := _mark(note, named, zone)) is not None]
    return tuple(sorted(found, key=lambda mark: (mark.left, mark.right, mark.note.id)))


def flags(marks: Sequence[Mark], buckets: int) -> tuple[Flag, ...]:
    """One flag for all notes that begin so close to each other that flags would cover one another."""
    apart = buckets / MOST_FLAGS
    found: list[list[Mark]] = []
    for mark in marks:
        if found and mark.left - found[-1][0].left < apart:
            found[-1].append(mark)
        else:
            found.append([mark])
    return tuple(Flag(own[0].left, max(mark.right for mark in own), tuple(mark.note for mark in own)) for own in found)


def _mark(note: Note, named: Sequence[Bucket], zone: tzinfo) -> Mark | None:
    if not named:
        return None
    start, end = _wall(note.at, note, zone), _wall(note.until if note.until is not None else note.at, note, zone)
    first, last = _bucket(start, named), _bucket(end, named)
    if last < 0 or start >= named[-1].start + named[-1].length:
        return None
    left, right = (_place(wall, named, middle=note.days) for wall in (start, end))
    return Mark(note, left, right if note.until is not None else left, range(max(first, 0), last + 1))


def _wall(instant: int, note: Note, zone: tzinfo) -> datetime:
    """The local time of an instant; a whole day is the same everywhere."""
    return datetime.fromtimestamp(instant / 1000, UTC if note.days else zone).replace(tzinfo=None)


def _bucket(wall: datetime, named: Sequence[Bucket]) -> int:
    """The bucket of a local time; -1 before the first."""
    return bisect_right(named, wall, key=lambda place: place.start) - 1


def _place(wall: datetime, named: Sequence[Bucket], *, middle: bool) -> float:
    """The place on the axis; of whole days that are drawn as points, or within one, the middle of the bucket."""
    index = _bucket(wall, named)
    if index < 0:
        return -0.5
    if middle:
        return float(index)
    within = (wall - named[index].start) / named[index].length
    return round(index - 0.5 + min(max(within, 0.0), 1.0), 3)
