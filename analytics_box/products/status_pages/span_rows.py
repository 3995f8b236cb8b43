"""Past states of components without a monitor, in box.db. Every function takes a connection inside the caller's
transaction.
"""

from typing import Final

from msgspec import Struct

from analytics_box.base.store import records
from analytics_box.base.store.db import Connection


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


def open_of(db: Connection, page_id: str) -> dict[str, OpenSpan]:
    """The current states of a page's components by id, without components that have no recorded state yet."""
    return {span.component_id: span for span in records.all_of(db, OpenSpan, _OPEN, (page_id,))}


def begin(db: Connection, component_id: str, state: int, start: int) -> None:
    """A component is in this state from now on; end what it was first."""
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
