"""Journeys: the pages and events that sessions go through, step by step."""

from collections.abc import Sequence
from typing import Any

from analytics_box.query.catalog.types import QueryType, Record, ScanRequest, column
from analytics_box.query.catalog.values import percent_of
from analytics_box.query.filters import COMMON
from analytics_box.query.plan import END_NODE, EVENT_NODE, OTHER_NODE, PAGE_NODE, PATTERN_NODE
from analytics_box.query.ranges import TimeWindow

_KINDS = {PAGE_NODE: "page", EVENT_NODE: "event", OTHER_NODE: "other", END_NODE: "end"}
SETTINGS = ("from_page", "from_event", "to_page", "to_event", "direction", "steps", "nodes", "collapse", "events")


def _flows(rows: Sequence[list[Record]], _window: TimeWindow) -> list[Record]:
    """The steps in order, each with its commonest first; the rest and those who leave come last."""
    measured, (notes,) = rows
    names = dict(enumerate(notes["patterns"], start=PATTERN_NODE))
    taken: dict[tuple[Any, ...], int] = {}
    for row in measured:
        key = (row["step"], row["node_kind"], row["node"])
        taken[key] = taken.get(key, 0) + row["sessions"]

    def place(row: Record) -> tuple[Any, ...]:
        own = (row["step"], row["node_kind"], row["node"])
        return (
            row["step"],
            row["node_kind"] == OTHER_NODE,
            -taken[own],
            own,
            row["to_kind"] == END_NODE,
            row["to_kind"] == OTHER_NODE,
            -row["sessions"],
            row["to_kind"],
            row["to_node"],
        )

    return [
        {
            "step": row["step"],
            "node_type": _KINDS.get(row["node_kind"], "pattern"),
            "node": names.get(row["node_kind"], row["node"]),
            "next_type": _KINDS.get(row["to_kind"], "pattern"),
            "next": names.get(row["to_kind"], row["to_node"]),
            "sessions": row["sessions"],
            "percentage": percent_of(row["sessions"], taken[row["step"], row["node_kind"], row["node"]]),
        }
        for row in sorted(measured, key=place)
    ]


TYPES = (
    QueryType(
        name="journeys",
        family="Pages",
        title="Journeys",
        description="How many sessions go from one page to the next, step by step. Begins at the first page of the"
        " session, or at from_page or from_event; with to_page or to_event it goes back from there (a page can be a"
        " pattern such as /blog/*). Has 2 to 6 steps, and of each step the commonest nodes (8 unless nodes says"
        " otherwise); all others are one node. Pages that match a pattern of collapse, such as /blog/*, are one node",
        columns=(
            column("step", "number", "1 for the first step, the one to begin at"),
            column("node_type", "string", "page, event, pattern or other"),
            column("node", "string", "Path of the page, name of the event, or pattern; empty for other"),
            column("next_type", "string", "The type of the next node, or end"),
            column("next", "string", "The next node; backwards, the one before"),
            column("sessions", "number", "Sessions that took this step"),
            column("percentage", "number", "Their share of the sessions at the node", unit="percent"),
        ),
        asks=(ScanRequest("flows", ("sessions",), ("step", "node_kind", "node", "to_kind", "to_node")),),
        shape=_flows,
        study="journeys",
        alone=SETTINGS,
        filters=(*COMMON, *SETTINGS),
        default_limit=1_000,
    ),
)
