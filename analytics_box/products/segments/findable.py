"""Segments in the palette: each leads to the overview with its filters."""

from collections.abc import Sequence

from analytics_box.products.segments.segment import SEGMENTS
from analytics_box.tenants.saved.verbs import saved_hits
from analytics_box.web.call import Call
from analytics_box.web.palette.hit import PaletteHit, PaletteSearch


async def segments(call: Call, asked: PaletteSearch) -> Sequence[PaletteHit]:
    """Segments by name."""
    return await saved_hits(call, asked, SEGMENTS, "tune", lambda one: f"/sites/{one.website_id}?segment={one.id}")
