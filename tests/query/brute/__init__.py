"""What every query type must answer, worked out from the stored facts row by row in plain Python.

Written from the wire (1.2 to 1.18) and the semantics. It reads whole tables and knows nothing of plans, fragments or
the catalogue; sessions are taken as ingestion has numbered them (tests/ingest has an oracle of its own for that).
One noun per file; each has `ANSWERS`, by the names of the types.
"""

from tests.query.brute import (
    ai_agents,
    bots,
    custom_events,
    devices,
    engagement,
    error_effects,
    errors,
    flags,
    funnels,
    journeys,
    listings,
    mcp,
    outbound,
    pages,
    people,
    places,
    properties,
    realtime,
    retention,
    revenue,
    sessions,
    sources,
    summary,
    times,
    vitals,
)
from tests.query.brute.facts import Answer

_FILES = (
    *(summary, times, pages, sources, devices, places, errors, error_effects, vitals, sessions, custom_events),
    *(properties, outbound, engagement, bots, listings, people, realtime, flags, funnels, retention, journeys, mcp),
    revenue,
    ai_agents,
)
# Wire 1.23: an older name and today's.
OLDER = {
    "profile_metrics": "session_metrics",
    "profile_duration_distribution": "session_duration_distribution",
    "profiles_by_device": "sessions_by_device",
    "profiles_by_browser": "sessions_by_browser",
    "profiles_time_series": "sessions_time_series",
    "returning_visitors": "new_vs_returning",
}
_KNOWN: dict[str, Answer] = {name: answer for file in _FILES for name, answer in file.ANSWERS.items()}
ANSWERS = _KNOWN | {older: _KNOWN[name] for older, name in OLDER.items()}
