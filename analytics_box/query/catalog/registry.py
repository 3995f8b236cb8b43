"""The query types as data. Validation, /v1/query/types, the engines and the pages all read this catalogue."""

from difflib import get_close_matches

from analytics_box.query.catalog import (
    ai_agents,
    custom_events,
    devices,
    engagement,
    error_effects,
    errors,
    flags,
    funnels,
    geo,
    journeys,
    links,
    mcp,
    older,
    pages,
    profiles,
    realtime,
    retention,
    revenue,
    sessions,
    site_use,
    summary,
    traffic,
    uptime,
    vitals,
)
from analytics_box.query.catalog.types import QueryType

# In the order of wire 1.0.
FAMILIES = (
    summary.TYPES,
    pages.TYPES,
    traffic.TYPES,
    devices.TYPES,
    geo.TYPES,
    errors.TYPES,
    error_effects.TYPES,
    vitals.PERFORMANCE,
    sessions.TYPES,
    custom_events.TYPES,
    profiles.TYPES,
    revenue.PERSONAL,
    site_use.OUTBOUND,
    links.TYPES,
    engagement.TYPES,
    site_use.TYPES,
    vitals.TYPES,
    ai_agents.TYPES,
    mcp.TYPES,
    uptime.TYPES,
    revenue.TYPES,
    realtime.TYPES,
    retention.TYPES,
    journeys.TYPES,
    traffic.BOTS,
    flags.TYPES,
    funnels.TYPES,
    older.TYPES,
)
TYPES: dict[str, QueryType] = {query_type.name: query_type for family in FAMILIES for query_type in family}

__all__ = ["FAMILIES", "TYPES", "QueryType", "nearest"]


def nearest(name: str) -> str | None:
    """The type that a misspelt name was probably meant to be."""
    found = get_close_matches(name[:100], TYPES, n=1, cutoff=0.5)
    return found[0] if found else None
