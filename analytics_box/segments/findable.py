"""Segments in the palette: each leads to the overview with its filters."""

from collections.abc import Sequence

from analytics_box.http.call import Call
from analytics_box.palette.hit import Hit, Wanted
from analytics_box.saved.findable import kept
from analytics_box.segments.segment import SEGMENTS


async def segments(call: Call, asked: Wanted) -> Sequence[Hit]:
    """Segments by name."""
    return await kept(call, asked, SEGMENTS, "tune", lambda one: f"/sites/{one.website_id}?segment={one.id}")
