"""Notes as pages show them. Pure."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from msgspec import Struct

from analytics_box.base.texts import NoteTexts
from analytics_box.products.notes.annotation import Annotation
from analytics_box.web.page.dates import Formats, day_text, time_text


class NoteLine(Struct, frozen=True):
    """A note in a list: when it was, in words, what it says, its tags, its colour, and the page that changes it."""

    id: str
    when: str
    text: str
    tags: tuple[str, ...]
    color: str
    public: bool
    href: str


def line(note: Annotation, zone: ZoneInfo, formats: Formats) -> NoteLine:
    """A note as lists show it, in a time zone."""
    return NoteLine(
        id=note.id,
        when=when(note, zone, formats),
        text=note.content.text,
        tags=note.content.tags,
        color=note.content.color,
        public=note.content.public,
        href=f"/sites/{note.website_id}/notes/{note.id}",
    )


def when(note: Annotation, zone: ZoneInfo, formats: Formats) -> str:
    """The time of a note in words, such as "20 Nov 2026, 14:05" or "20 Nov 2026 – 22 Nov 2026"."""
    start = _moment(note.at, note.content.days, zone, formats)
    if note.until is None:
        return start
    end = _moment(note.until, note.content.days, zone, formats)
    return start if start == end else NoteTexts.period.format(start=start, end=end)


def _moment(at: int, days: bool, zone: ZoneInfo, formats: Formats) -> str:
    local = datetime.fromtimestamp(at / 1000, UTC if days else zone)
    day = day_text(local, formats.date)
    return day if days else f"{day}, {time_text(local, formats.time)}"
