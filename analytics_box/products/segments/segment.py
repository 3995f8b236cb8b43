"""A segment: filters of a website under a name. Pure."""

from typing import Any, Final, TypeAlias

import msgspec

from analytics_box.query.filters import OF_WEBSITES
from analytics_box.query.request import QueryFilterInput
from analytics_box.tenants.saved.kept import SavedItem, SavedKind

MOST_BYTES: Final = 20_000  # of the filters as JSON: pages read those of all segments
# What all pages of a website can be filtered by.
FIELDS: Final = frozenset(OF_WEBSITES) - {"query_string", "timezone"}

Filters: TypeAlias = tuple[QueryFilterInput, ...]
Segment: TypeAlias = SavedItem[Filters]


def filters_as_json(filters: Filters) -> list[dict[str, Any]]:
    """Filters as JSON, without what they do not say."""
    return [_filter_as_json(one) for one in filters]


def _filter_as_json(given: QueryFilterInput) -> dict[str, Any]:
    inner = {
        name: [_filter_as_json(one) for one in items] for name in ("any", "all") if (items := getattr(given, name))
    }
    own = {name: value for name in ("field", "op", "value") if (value := getattr(given, name)) is not None}
    return {**own, **inner}


def _stored_filter(filters: Filters) -> str:
    return msgspec.json.encode(filters_as_json(filters)).decode()


SEGMENTS: Final[SavedKind[Filters]] = SavedKind("segment", "segments", "filters", Filters, _stored_filter)
