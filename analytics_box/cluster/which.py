"""Which of several machines this is."""

from analytics_box.cluster import rows
from analytics_box.settings import Settings
from analytics_box.store.db import Db


def which(settings: Settings, box_db: Db) -> tuple[int, str, str, int] | None:
    """Its number, 0 for the primary, its box id, the primary's, and when this one was promoted; None for one that has
    not heard from its primary yet."""
    own, has = box_db.read_now(rows.box_id), box_db.read_now(rows.has)
    if settings.role != "ingest":
        return 0, own, own, box_db.read_now(rows.promoted_at)
    return (settings.node, own, has.cluster, 0) if has is not None else None
