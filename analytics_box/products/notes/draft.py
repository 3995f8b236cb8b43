"""Notes from a message or a form. Pure: raises BadRequest for invalid values."""

import re
from datetime import UTC, date, datetime
from typing import Final, NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _
from analytics_box.products.notes.annotation import Annotation, Content, Kind
from analytics_box.products.notes.messages import ChangedAnnotation, NewAnnotation
from analytics_box.resource import fields

_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d\Z")
_YEARS: Final = range(1980, 2101)
WRITE_A_TIME: Final = "Enter a day such as 2026-11-20 or a time such as 2026-11-20T14:30:00Z, from 1980 to 2100"


class NoteMoment(NamedTuple):
    """A time as it was written: UTC ms, and whether it is a whole day, which begins at midnight UTC."""

    at: int
    whole_day: bool


class NotePeriod(NamedTuple):
    """The time of a note: `until` is None for an instant; `days` marks both as whole days."""

    at: int
    until: int | None
    days: bool


def note_moment(text: str, field: str) -> NoteMoment:
    """Reads an ISO day or time; a time without an offset is UTC. Raises BadRequest about `field`."""
    written = text.strip()
    try:
        if _DAY.match(written):
            found, whole = datetime.combine(date.fromisoformat(written), datetime.min.time(), UTC), True
        else:
            found, whole = datetime.fromisoformat(written), False
            found = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError) as refused:
        raise BadRequest.about(field, WRITE_A_TIME) from refused
    if found.year not in _YEARS:
        raise BadRequest.about(field, WRITE_A_TIME)
    return NoteMoment(round(found.timestamp() * 1000), whole)


def note_period(start: NoteMoment, end: NoteMoment | None, *, ranged: bool) -> NotePeriod:
    """The time of a note; a range needs an end. Raises BadRequest about xEndValue."""
    if end is None:
        if ranged:
            raise BadRequest.about("xEndValue", _("Enter xEndValue for a range"))
        return NotePeriod(start.at, None, start.whole_day)
    if end.at < start.at:
        raise BadRequest.about("xEndValue", _("Enter an end after the start"))
    return NotePeriod(start.at, end.at, start.whole_day and end.whole_day)


def draft_note(given: NewAnnotation, now: int) -> tuple[NotePeriod, Content]:
    """A new note. `now` is UTC ms. Raises BadRequest."""
    values = {name: value for name, value in fields.values_of(given, Content).items() if value is not None}
    kind = values.setdefault("kind", "range" if given.xEndValue else "point")
    start = NoteMoment(now, whole_day=False) if given.xValue is None else note_moment(given.xValue, "xValue")
    end = note_moment(given.xEndValue, "xEndValue") if given.xEndValue else None
    period = note_period(start, end, ranged=kind == "range")
    return period, Content(**values, days=period.days)


def redraft_note(before: Annotation, given: ChangedAnnotation) -> Annotation:
    """A note as it would be changed; omitted fields keep their values. Raises BadRequest."""
    values = fields.values_of(given, Content) | {"kind": _kind(before, given)}
    period = note_period(_start(before, given), _end(before, given), ranged=values["kind"] == "range")
    content = replace(before.content, **values, days=period.days)
    return replace(before, at=period.at, until=period.until, content=content)


def _kind(before: Annotation, given: ChangedAnnotation) -> Kind:
    if given.annotationType is not UNSET:
        return given.annotationType
    if given.xEndValue is UNSET:
        return before.content.kind
    if given.xEndValue:
        return "range"
    return "point" if before.content.kind == "range" else before.content.kind


def _start(before: Annotation, given: ChangedAnnotation) -> NoteMoment:
    if given.xValue is not UNSET:
        return note_moment(given.xValue, "xValue")
    return NoteMoment(before.at, before.content.days)


def _end(before: Annotation, given: ChangedAnnotation) -> NoteMoment | None:
    if given.xEndValue is UNSET:
        return None if before.until is None else NoteMoment(before.until, before.content.days)
    return note_moment(given.xEndValue, "xEndValue") if given.xEndValue else None
