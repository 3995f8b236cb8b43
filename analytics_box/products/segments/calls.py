"""The procedures `segments.*`. Keys need read:data to read and manage:websites to write, and see shared ones only."""

from msgspec import UNSET

from analytics_box.products.segments import rules
from analytics_box.products.segments.messages import (
    ChangedSegment,
    NewSegment,
    OneSegment,
    SegmentShown,
    segment_answer,
)
from analytics_box.products.segments.segment import SEGMENTS
from analytics_box.tenants.saved import verbs
from analytics_box.tenants.tenancy.messages import Success
from analytics_box.tenants.websites.messages import ByWebsite
from analytics_box.tenants.websites.reach import own
from analytics_box.web.call import Call


async def list_segments(call: Call, given: ByWebsite) -> list[SegmentShown]:
    """segments.list: list the caller's and shared segments by name. Raises NotFound."""
    return [segment_answer(one) for one in await verbs.visible(call, SEGMENTS, own(call, given.websiteId))]


async def get_by_id(call: Call, given: OneSegment) -> SegmentShown:
    """segments.getById: get a segment. Raises NotFound."""
    _, found = await verbs.find_visible(call, SEGMENTS, given.id)
    return segment_answer(found)


async def create(call: Call, given: NewSegment) -> SegmentShown:
    """segments.create: create a segment. Raises NotFound, BadRequest or Conflict."""
    filters = rules.filters(given.filters)
    return segment_answer(
        await verbs.create(call, SEGMENTS, given.websiteId, given.name, filters, is_shared=given.isShared)
    )


async def update(call: Call, given: ChangedSegment) -> SegmentShown:
    """segments.update: update a segment. Raises NotFound, BadRequest or Conflict.

    Omitted fields keep their values.
    """
    filters = UNSET if given.filters is UNSET else rules.filters(given.filters)
    return segment_answer(
        await verbs.update(call, SEGMENTS, given.id, name=given.name, content=filters, is_shared=given.isShared)
    )


async def delete(call: Call, given: OneSegment) -> Success:
    """segments.delete: delete a segment. Raises NotFound."""
    await verbs.delete(call, SEGMENTS, given.id)
    return Success()
