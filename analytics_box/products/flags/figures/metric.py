"""The success metric of a flag: the event that its results count, stored with the flag."""

from analytics_box.base import audit
from analytics_box.base.store.db import Connection
from analytics_box.products.flags.access import FlagReach
from analytics_box.products.flags.flag import SUBJECT, Flag


def find_metric(db: Connection, flag_id: str) -> str:
    """The success metric of a flag, the name of an event; empty if it has none."""
    row = db.execute("-- flag_metrics.find\nselect event from flag_metrics where flag_id = ?", (flag_id,)).fetchone()
    return str(row[0]) if row is not None else ""


def store_metric(db: Connection, own: FlagReach, flag: Flag, event: str) -> None:
    """Store the success metric of a flag, with an audit entry if it changes."""
    before = find_metric(db, flag.id)
    if event == before:
        return
    db.execute("-- flag_metrics.remove\ndelete from flag_metrics where flag_id = ?", (flag.id,))
    if event:
        db.execute("-- flag_metrics.add\ninsert into flag_metrics (flag_id, event) values (?, ?)", (flag.id, event))
    audit.record(
        db,
        own.by,
        flag.organization_id,
        "updated",
        SUBJECT,
        flag.id,
        {"key": flag.key, "successMetric": {"from": before or None, "to": event or None}},
    )
