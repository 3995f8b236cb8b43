"""The form of a note: what is typed, in a person's time zone, and what becomes of it. Pure."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from typing import Final
from zoneinfo import ZoneInfo

from analytics_box.base.errors import BadRequest
from analytics_box.products.notes.annotation import Annotation
from analytics_box.products.notes.messages import ChangedAnnotation, NewAnnotation
from analytics_box.products.notes.rules import WRITE_A_TIME

# The fields of the form; those that are days are named as the wire names what they become.
FIELDS: Final = ("text", "xValue", "time", "xEndValue", "endTime", "color", "public", "back", "zone")


def new_of(form: Mapping[str, str], website_id: str, zone: ZoneInfo) -> NewAnnotation:
    """The input for a new note from its form. Raises BadRequest."""
    return NewAnnotation(
        websiteId=website_id,
        text=form.get("text", ""),
        xValue=_instant(form, "xValue", "time", zone) or None,
        xEndValue=_instant(form, "xEndValue", "endTime", zone) or None,
        color=form.get("color") or None,
        isPublic="public" in form,
    )


def change_of(form: Mapping[str, str], annotation_id: str, zone: ZoneInfo) -> ChangedAnnotation:
    """The input for a changed note from its form. Raises BadRequest."""
    when = _instant(form, "xValue", "time", zone)
    if not when:
        raise BadRequest.about("xValue", "Choose a day")
    return ChangedAnnotation(
        id=annotation_id,
        text=form.get("text", ""),
        xValue=when,
        xEndValue=_instant(form, "xEndValue", "endTime", zone) or None,
        color=form.get("color", ""),
        isPublic="public" in form,
    )


def values_of(note: Annotation, zone: ZoneInfo) -> dict[str, str]:
    """A stored note as its form shows it."""
    day, clock = _date_and_time(note.at, note.content.days, zone)
    end_day, end_clock = ("", "") if note.until is None else _date_and_time(note.until, note.content.days, zone)
    return {
        "text": note.content.text,
        "xValue": day,
        "time": clock,
        "xEndValue": end_day,
        "endTime": end_clock,
        "color": note.content.color,
        "public": "on" if note.content.public else "",
    }


def _date_and_time(at: int, days: bool, zone: ZoneInfo) -> tuple[str, str]:
    """The day and the time of day of an instant, as inputs of forms take them."""
    if days:
        return datetime.fromtimestamp(at / 1000, UTC).date().isoformat(), ""
    local = datetime.fromtimestamp(at / 1000, zone)
    return local.date().isoformat(), local.time().isoformat("seconds" if local.second else "minutes")


def _instant(form: Mapping[str, str], day_field: str, time_field: str, zone: ZoneInfo) -> str:
    """A day, or a time with its offset, of two fields; empty where both are. Raises BadRequest."""
    day, clock = form.get(day_field, "").strip(), form.get(time_field, "").strip()
    if not clock:
        return day
    if not day:
        raise BadRequest.about(day_field, "Choose the day of this time")
    try:
        local = datetime.combine(date.fromisoformat(day), time.fromisoformat(clock), zone)
        return local.astimezone(UTC).isoformat()
    except (ValueError, OverflowError) as refused:
        raise BadRequest.about(day_field, WRITE_A_TIME) from refused
