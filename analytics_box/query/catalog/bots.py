"""Bots: their events count nowhere else (semantics 19)."""

from analytics_box.query.catalog.types import QueryType, ScanRequest, column
from analytics_box.query.catalog.values import field, instant
from analytics_box.query.plan import PlanOrder

TYPES = (
    QueryType(
        name="bots",
        family="Bots",
        title="Bots",
        description="Bots whose events of the range are quarantined, by reason and by what they call themselves."
        " Such events are kept for 30 days",
        columns=(
            column("name", "string", "What the bot calls itself", field("agent")),
            column("reason", "string", "Why its events are quarantined", field("bot")),
            column("count", "number", "Events"),
            column("first_seen", "datetime", "When it was first there in the range, UTC", instant("first")),
            column("last_seen", "datetime", "When it was last there, UTC", instant("last")),
        ),
        asks=(
            ScanRequest("events", ("count", "first", "last"), ("agent", "bot"), order=(PlanOrder("count"),), bots=True),
        ),
    ),
)
