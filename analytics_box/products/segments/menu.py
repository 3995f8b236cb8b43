"""The segments of a website on its pages of figures and in the palette: what an address names, and what the menu
offers."""

from collections.abc import Sequence
from urllib.parse import urlencode

from msgspec.structs import replace

from analytics_box.base import errors, figures
from analytics_box.figures.narrowing import EVERYTHING, Segment
from analytics_box.figures.narrowing_question import narrowing_of
from analytics_box.figures.segmented import SavedSegments, SegmentChoice, SegmentMenu
from analytics_box.figures.view import View
from analytics_box.products.segments import segment as kept
from analytics_box.products.segments.segment import SEGMENTS
from analytics_box.query.request import QueryFilterInput
from analytics_box.tenants.saved import verbs
from analytics_box.tenants.saved.verbs import saved_hits
from analytics_box.tenants.websites.reach import all_own
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.call import Call
from analytics_box.web.page.visit import PageRequest
from analytics_box.web.palette.hit import PaletteHit, PaletteSearch


def saved_segments() -> SavedSegments:
    """The segments as pages of figures look them up."""
    return SavedSegments(_find, _menu)


async def _menu(visit: PageRequest, number: int, view: View) -> SegmentMenu | None:
    """The segments in the menu of filters; none for a website that the user cannot see."""
    website = next((one for one in all_own(visit.call) if one.site == number), None)
    if website is None:
        return None
    home = f"/sites/{website.id}/segments"
    chosen = view.segment.id if view.segment is not None else ""
    may_save = bool(view.filters.items) and visit.person.may("member")
    return SegmentMenu(
        choices=tuple(_choice(view, one, chosen) for one in await verbs.visible(visit.call, SEGMENTS, website)),
        manage=home,
        saves=home if may_save else "",
        query=urlencode(view.filters.parameters, safe="/,^"),
        back=replace(view, filters=EVERYTHING, segment=None).link(),
    )


def _choice(view: View, saved: kept.Segment, chosen: str) -> SegmentChoice:
    selected = saved.id == chosen
    segment = None if selected else Segment(saved.id, saved.name)
    name = figures.visible(saved.name)
    return SegmentChoice(saved.id, name, replace(view, segment=segment).link(), saved.is_shared, selected)


async def _find(call: Call, number: int, segment_id: str) -> Segment | None:
    try:
        website, saved = await verbs.find_visible(call, kept.SEGMENTS, segment_id)
    except errors.NotFound:
        return None
    return Segment(saved.id, saved.name, narrowing_of(saved.content) or EVERYTHING) if website.site == number else None


async def segment_hits(call: Call, asked: PaletteSearch) -> Sequence[PaletteHit]:
    """Segments by name."""
    return await saved_hits(call, asked, SEGMENTS, "tune", lambda one: f"/sites/{one.website_id}?segment={one.id}")


async def filters_of_segment(call: Call, website: Website, segment_id: str) -> tuple[QueryFilterInput, ...]:
    """The filters of a segment of this website, for what copies them. Raises NotFound."""
    owner, segment = await verbs.find_visible(call, SEGMENTS, segment_id)
    if owner.id != website.id:
        raise errors.NotFound.of("segment", segment_id)
    return segment.content
