"""The procedures `segments.*`. Keys need read:data to read and manage:websites to write, and see shared ones only."""

from datetime import datetime
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from analytics_box.products.segments import segment
from analytics_box.products.segments.segment import SEGMENTS, Segment, filters_as_json
from analytics_box.query.request import MAX_FILTERS, QueryFilterInput
from analytics_box.tenants.saved import verbs
from analytics_box.tenants.tenancy.messages import Success, Text, date
from analytics_box.tenants.websites.messages import ByWebsite
from analytics_box.tenants.websites.reach import own
from analytics_box.web.call import Call

Filters = Annotated[list[QueryFilterInput], Meta(max_length=MAX_FILTERS)]


class OneSegment(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that names a segment."""

    id: Text


class NewSegment(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of segments.create. `filters` are those of a query; groups may stand in filters, but not in groups of
    their own kind. Without `isShared` only who saves it sees it."""

    websiteId: Text
    name: Text
    filters: Filters
    isShared: bool = False


class ChangedSegment(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of segments.update; omitted fields keep their values."""

    id: Text
    name: Text | UnsetType = UNSET
    filters: Filters | UnsetType = UNSET
    isShared: bool | UnsetType = UNSET


class SegmentShown(Struct, frozen=True):
    """A segment. `filters` can be put into a query as they are."""

    id: str
    websiteId: str
    name: str
    filters: list[dict[str, Any]]
    isShared: bool
    createdAt: datetime
    updatedAt: datetime


def segment_answer(saved: Segment) -> SegmentShown:
    """A segment for an answer."""
    return SegmentShown(
        id=saved.id,
        websiteId=saved.website_id,
        name=saved.name,
        filters=filters_as_json(saved.content),
        isShared=saved.is_shared,
        createdAt=date(saved.created_at),
        updatedAt=date(saved.updated_at),
    )


async def list_segments(call: Call, given: ByWebsite) -> list[SegmentShown]:
    """segments.list: list the caller's and shared segments by name. Raises NotFound."""
    return [segment_answer(one) for one in await verbs.visible(call, SEGMENTS, own(call, given.websiteId))]


async def get_by_id(call: Call, given: OneSegment) -> SegmentShown:
    """segments.getById: get a segment. Raises NotFound."""
    _, found = await verbs.find_visible(call, SEGMENTS, given.id)
    return segment_answer(found)


async def create(call: Call, given: NewSegment) -> SegmentShown:
    """segments.create: create a segment. Raises NotFound, BadRequest or Conflict."""
    filters = segment.filters(given.filters)
    return segment_answer(
        await verbs.create(call, SEGMENTS, given.websiteId, given.name, filters, is_shared=given.isShared)
    )


async def update(call: Call, given: ChangedSegment) -> SegmentShown:
    """segments.update: update a segment. Raises NotFound, BadRequest or Conflict.

    Omitted fields keep their values.
    """
    filters = UNSET if given.filters is UNSET else segment.filters(given.filters)
    return segment_answer(
        await verbs.update(call, SEGMENTS, given.id, name=given.name, content=filters, is_shared=given.isShared)
    )


async def delete(call: Call, given: OneSegment) -> Success:
    """segments.delete: delete a segment. Raises NotFound."""
    await verbs.delete(call, SEGMENTS, given.id)
    return Success()
