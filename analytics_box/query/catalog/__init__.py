"""The query types as data. Validation, /v1/query/types, the engines and the pages all read this catalogue."""

from difflib import get_close_matches

from analytics_box.query.catalog import custom_events, devices, pages, summary, traffic
from analytics_box.query.catalog.types import QueryType

TYPES: dict[str, QueryType] = {
    query_type.name: query_type
    for family in (summary.TYPES, pages.TYPES, traffic.TYPES, devices.TYPES, custom_events.TYPES)
    for query_type in family
}

__all__ = ["TYPES", "QueryType", "nearest"]


def nearest(name: str) -> str | None:
    """The type that a misspelt name was probably meant to be."""
    found = get_close_matches(name[:100], TYPES, n=1, cutoff=0.5)
    return found[0] if found else None
