"""The notes of a website as its charts show them."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Final
from zoneinfo import ZoneInfo

from msgspec import Struct

from analytics_box.base.clock import HOUR
from analytics_box.figures.marks import ChartNote, Notes
from analytics_box.figures.periods import time_words
from analytics_box.figures.view import zone_in
from analytics_box.products.notes import change
from analytics_box.products.notes.annotation import Annotation
from analytics_box.query.ranges import zone as zone_of
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.page.dates import Formats, formats_of, short_day_text
from analytics_box.web.page.visit import PageRequest


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
        when=time_words(note.at, note.until, zone, formats, days=note.content.days),
        text=note.content.text,
        tags=note.content.tags,
        color=note.content.color,
        public=note.content.public,
        href=f"/sites/{note.website_id}/notes/{note.id}",
    )


MOST: Final = 500  # on one chart, the latest
_AROUND: Final = 15 * HOUR  # by which a whole day can begin earlier or later somewhere than in UTC


def on_charts(visit: PageRequest, website: Website) -> Notes:
    """The query for a website's notes within a time, with the link to edit them for those who may."""
    zone = zone_of(zone_in(visit.asked("zone")) or visit.person.time_zone)
    formats, writes = formats_of(visit.person), visit.person.may("member")

    async def notes(start: int, end: int) -> Sequence[ChartNote]:
        found = await visit.call.read(
            partial(change.between, website_id=website.id, first=start - _AROUND, last=end + _AROUND, most=MOST)
        )
        return [
            ChartNote(
                id=note.id,
                at=note.at,
                until=note.until,
                days=note.content.days,
                text=note.content.text,
                when=time_words(note.at, note.until, zone, formats, days=note.content.days),
                color=note.content.color,
                href=f"/sites/{website.id}/notes/{note.id}" if writes else "",
                day=short_day_text(
                    datetime.fromtimestamp(note.at / 1000, UTC if note.content.days else zone), formats.date
                ),
            )
            for note in found
        ]

    return notes
