"""The identity of this machine among several."""

from msgspec import Struct

from analytics_box.base.settings import Settings
from analytics_box.base.store.db import Db
from analytics_box.ingest.cluster import rows


class Which(Struct, frozen=True):
    """Its number, 0 for the primary, its box id, and the primary's. A machine `may_trim` once the primary knows that it
    does. The primary knows the numbers of those that are `retired`, whether others may have rows in ClickHouse `alone`,
    which are nowhere else, and when it was promoted (UTC ms; 0 for the first primary)."""

    number: int
    box: str
    cluster: str
    may_trim: bool = False
    alone: bool = False
    retired: tuple[int, ...] = ()
    promoted_at: int = 0


def which(settings: Settings, box_db: Db) -> Which | None:
    """None for one that has not reached its primary yet."""
    own = box_db.read_now(rows.box_id)
    if settings.role != "ingest":
        nodes = box_db.read_now(rows.nodes)
        retired = tuple(node.number for node in nodes if node.retired_at is not None)
        alone = any(node.alone and node.retired_at is None for node in nodes)
        promoted_at = box_db.read_now(rows.promoted_at)
        return Which(0, own, own, alone=alone, retired=retired, promoted_at=promoted_at)
    has = box_db.read_now(rows.has)
    return Which(settings.node, own, has.cluster, may_trim=has.alone) if has is not None else None
