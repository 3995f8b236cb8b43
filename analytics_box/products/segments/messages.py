"""Input and output of segment procedures."""

from datetime import datetime
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from analytics_box.products.segments.segment import Segment, filters_as_json
from analytics_box.query.request import MAX_FILTERS, QueryFilterInput
from analytics_box.tenants.tenancy.messages import Text, date

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
