"""Bots: their events count nowhere else (semantics 19)."""

from analytics_box.query.catalog.types import QueryType, ScanRequest, column
from analytics_box.query.catalog.values import field, instant
from analytics_box.query.plan import PlanOrder

TYPES = (
    QueryType(
        name="bots",
        family="Bots",
        title="Bots",
        description="Bots with quarantined events in the range, by reason and name. Quarantined events are kept for 30 "
        "days",
        columns=(
            column("name", "string", "Name of the bot", field("agent")),
            column("reason", "string", "Reason for the quarantine", field("bot")),
            column("count", "number", "Events"),
            column("first_seen", "datetime", "First event in the range, UTC", instant("first")),
            column("last_seen", "datetime", "Last request, UTC", instant("last")),
        ),
        asks=(
            ScanRequest("events", ("count", "first", "last"), ("agent", "bot"), order=(PlanOrder("count"),), bots=True),
        ),
    ),
)
