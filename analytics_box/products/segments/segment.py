"""A segment: filters of a website under a name. Pure."""

from typing import Any, Final, TypeAlias

import msgspec

from analytics_box.query.filters import OF_WEBSITES
from analytics_box.query.request import GivenFilter
from analytics_box.tenants.saved.kept import Kept, Kind

MOST_BYTES: Final = 20_000  # of the filters as JSON: pages read those of all segments
# What all pages of a website can be filtered by.
FIELDS: Final = frozenset(OF_WEBSITES) - {"query_string", "timezone"}

Filters: TypeAlias = tuple[GivenFilter, ...]
Segment: TypeAlias = Kept[Filters]


def said(filters: Filters) -> list[dict[str, Any]]:
    """Filters as JSON, without what they do not say."""
    return [_said(one) for one in filters]


def _said(given: GivenFilter) -> dict[str, Any]:
    inner = {name: [_said(one) for one in items] for name in ("any", "all") if (items := getattr(given, name))}
    own = {name: value for name in ("field", "op", "value") if (value := getattr(given, name)) is not None}
    return {**own, **inner}


def _written(filters: Filters) -> str:
    return msgspec.json.encode(said(filters)).decode()


def _read(text: str) -> Filters:
    return msgspec.json.decode(text, type=Filters)


SEGMENTS: Final[Kind[Filters]] = Kind("segment", "segments", "filters", _written, _read)
