"""Which of several machines this is."""

from analytics_box.cluster import rows
from analytics_box.settings import Settings
from analytics_box.store.db import Db


def which(settings: Settings, box_db: Db) -> tuple[int, str, str] | None:
    """Its number, 0 for the primary, its box id, and the primary's; None for one that has not heard from it yet."""
    own, has = box_db.read_now(rows.box_id), box_db.read_now(rows.has)
    if settings.role != "ingest":
        return 0, own, own
    return (settings.node, own, has.cluster) if has is not None else None
