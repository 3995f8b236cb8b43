"""States of components without a monitor, by their status and incidents, over time: the basis of their uptime."""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from analytics_box.base.facts.uptime import DEGRADED, DOWN, MAINTENANCE, UP
from analytics_box.base.store import records
from analytics_box.base.store.db import Connection
from analytics_box.products.status_pages.incident import Impact, Incident
from analytics_box.products.status_pages.page import Component, ComponentStatus, Whole


class OpenSpan(Struct, frozen=True):
    """A component's state since `start` (UTC ms): a state of monitors' spans (facts.uptime)."""

    id: int
    component_id: str
    state: int
    start: int


_OPEN: Final = """
-- component_spans.open
select id, component_id, state, start from component_spans
where until = 0 and component_id in (select id from status_page_components where page_id = ?)
"""


def begin(db: Connection, component_id: str, state: int, start: int) -> None:
    """Start a span with this state; end the previous one first."""
    db.execute(
        "-- component_spans.begin\ninsert into component_spans (component_id, state, start) values (?, ?, ?)",
        (component_id, state, start),
    )


def end(db: Connection, span: OpenSpan, until: int) -> None:
    """Close a span at `until`. A span of no length is removed."""
    if until <= span.start:
        db.execute("-- component_spans.end\ndelete from component_spans where id = ?", (span.id,))
    else:
        db.execute("-- component_spans.end\nupdate component_spans set until = ? where id = ?", (until, span.id))


_OWN: Final[dict[ComponentStatus, int]] = {
    "operational": UP,
    "degraded_performance": DEGRADED,
    "partial_outage": DEGRADED,
    "major_outage": DOWN,
    "under_maintenance": MAINTENANCE,
}
_OF_IMPACT: Final[dict[Impact, int]] = {
    "operational": UP,
    "degraded": DEGRADED,
    "partial": DEGRADED,
    "down": DOWN,
    "maintenance": MAINTENANCE,
}
_WORSE: Final = (UP, MAINTENANCE, DEGRADED, DOWN)  # an outage ranks above a maintenance


def state_of(component: Component, incidents: Iterable[Incident]) -> int:
    """The worst of a component's status and its active incidents; a partial outage does not count as down. Pure."""
    said = [
        _OF_IMPACT[one.impact]
        for incident in incidents
        if incident.is_active
        for one in incident.affected
        if one.component_id == component.id
    ]
    return max((_OWN[component.status], *said), key=_WORSE.index)


def note(db: Connection, whole: Whole, now: int) -> None:
    """Record changed states of components without a monitor from `now` (UTC ms), in the caller's transaction.

    If the clock was set back, a state starts no earlier than the previous one.
    """
    by_people = [component for component in whole.components if component.monitor_id is None]
    if not by_people:
        return
    known = {span.component_id: span for span in records.all_of(db, OpenSpan, _OPEN, (whole.page.id,))}
    for component in by_people:
        before, state = known.get(component.id), state_of(component, whole.incidents)
        if before is None:
            begin(db, component.id, state, now)
        elif before.state != state:
            at = max(now, before.start)
            end(db, before, at)
            begin(db, component.id, state, at)
