"""The notes of a website as its charts show them."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from analytics_box.base.clock import HOUR
from analytics_box.figures.marks import ChartNote, Notes
from analytics_box.figures.view import zone_in
from analytics_box.products.notes import rows
from analytics_box.products.notes.view import when
from analytics_box.query.ranges import zone as zone_of
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.page.dates import formats_of
from analytics_box.web.page.visit import PageRequest

MOST: Final = 500  # on one chart, the latest
_AROUND: Final = 15 * HOUR  # by which a whole day can begin earlier or later somewhere than in UTC


def on_charts(visit: PageRequest, website: Website) -> Notes:
    """The query for a website's notes within a time, with the link to edit them for those who may."""
    zone = zone_of(zone_in(visit.asked("zone")) or visit.person.time_zone)
    formats, writes = formats_of(visit.person), visit.person.may("member")

    async def notes(start: int, end: int) -> Sequence[ChartNote]:
        found = await visit.call.read(
            partial(rows.between, website_id=website.id, first=start - _AROUND, last=end + _AROUND, most=MOST)
        )
        return [
            ChartNote(
                id=note.id,
                at=note.at,
                until=note.until,
                days=note.content.days,
                text=note.content.text,
                when=when(note, zone, formats),
                color=note.content.color,
                href=f"/sites/{website.id}/notes/{note.id}" if writes else "",
            )
            for note in found
        ]

    return notes
