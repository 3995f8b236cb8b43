"""What every query type must answer, worked out from the stored facts row by row in plain Python.

Written from the wire (1.2 to 1.18) and the semantics. It reads whole tables and knows nothing of plans, fragments or
the catalogue; sessions are taken as ingestion has numbered them (tests/ingest has an oracle of its own for that).
One noun per file; each has `ANSWERS`, by the names of the types.
"""

from tests.query.brute import (
    custom_events,
    engagement,
    errors,
    outbound,
    properties,
    sessions,
    tables,
    times,
    vitals,
)
from tests.query.brute.facts import Answer

ANSWERS: dict[str, Answer] = (
    tables.ANSWERS
    | vitals.ANSWERS
    | errors.ANSWERS
    | custom_events.ANSWERS
    | properties.ANSWERS
    | outbound.ANSWERS
    | engagement.ANSWERS
    | sessions.ANSWERS
    | times.ANSWERS
)
