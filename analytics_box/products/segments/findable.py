"""Segments in the palette: each leads to the overview with its filters."""

from collections.abc import Sequence

from analytics_box.products.segments.segment import SEGMENTS
from analytics_box.tenants.saved.findable import kept
from analytics_box.web.call import Call
from analytics_box.web.palette.hit import Hit, Wanted


async def segments(call: Call, asked: Wanted) -> Sequence[Hit]:
    """Segments by name."""
    return await kept(call, asked, SEGMENTS, "tune", lambda one: f"/sites/{one.website_id}?segment={one.id}")
