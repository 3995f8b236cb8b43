"""Notes from a message or a form. Pure: raises BadRequest for invalid values."""

from datetime import UTC, datetime

from msgspec import UNSET
from msgspec.structs import replace

from analytics_box.products.notes import rules
from analytics_box.products.notes.annotation import Annotation, Content, Kind
from analytics_box.products.notes.messages import ChangedAnnotation, NewAnnotation
from analytics_box.products.notes.rules import NoteMoment, NotePeriod
from analytics_box.resource import fields


def draft_note(given: NewAnnotation, now: int) -> tuple[NotePeriod, Content]:
    """A new note. `now` is UTC ms. Raises BadRequest."""
    values = {name: value for name, value in fields.values_of(given, Content).items() if value is not None}
    kind = values.setdefault("kind", "range" if given.xEndValue else "point")
    start = NoteMoment(now, whole_day=False) if given.xValue is None else rules.moment(given.xValue, "xValue")
    end = rules.moment(given.xEndValue, "xEndValue") if given.xEndValue else None
    period = rules.period(start, end, ranged=kind == "range")
    return period, Content(**values, days=period.days)


def redraft_note(before: Annotation, given: ChangedAnnotation) -> Annotation:
    """A note as it would be changed; omitted fields keep their values. Raises BadRequest."""
    values = fields.values_of(given, Content) | {"kind": _kind(before, given)}
    period = rules.period(_start(before, given), _end(before, given), ranged=values["kind"] == "range")
    content = replace(before.content, **values, days=period.days)
    return replace(before, at=period.at, until=period.until, content=content)


def day_of(at: int) -> str:
    """The day of a note of whole days, as YYYY-MM-DD."""
    return datetime.fromtimestamp(at / 1000, UTC).date().isoformat()


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
        return rules.moment(given.xValue, "xValue")
    return NoteMoment(before.at, before.content.days)


def _end(before: Annotation, given: ChangedAnnotation) -> NoteMoment | None:
    if given.xEndValue is UNSET:
        return None if before.until is None else NoteMoment(before.until, before.content.days)
    return rules.moment(given.xEndValue, "xEndValue") if given.xEndValue else None
