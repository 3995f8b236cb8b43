"""Custom events (wire 1.9)."""

from analytics_box.ingest.facts import CUSTOM
from analytics_box.query.catalog.types import Output, QueryType

TYPES = (
    QueryType(
        name="custom_events",
        family="CustomEvents",
        title="Custom events",
        description="The custom events of the range by how often they happened",
        outputs=(
            Output("name", "string", "Name of the event"),
            Output("total_events", "number", "How often it happened"),
            Output("unique_users", "number", "Distinct visitors with this event"),
            Output("unique_sessions", "number", "Distinct sessions with this event"),
            Output("last_occurrence", "datetime", "When it last happened, UTC"),
            Output("first_occurrence", "datetime", "When it first happened in the range, UTC"),
            Output("events_with_properties", "number", "How many of them carry properties"),
            Output("percentage", "number", "Share of all custom events of the range", "percent"),
        ),
        events=("count", "unique_users", "unique_sessions", "last", "first", "with_properties"),
        kinds=(CUSTOM,),
        dimension="name",
        share_of="count",
        order="count",
        filters=("path", "namespace", "session_id", "event_name", "source"),
        public=True,
        organization=True,
        default_limit=10_000,
        visualization="bar",
    ),
)
