"""The place of this machine among several: which one it is, and how it becomes the primary in the place of a lost one.

The files of a promoted machine may be some seconds older than those of the lost primary.
"""

from pathlib import Path

from msgspec import Struct

from analytics_box.base.errors import Conflict, NotFound
from analytics_box.base.settings import Settings
from analytics_box.base.store import schema
from analytics_box.base.store.db import Db
from analytics_box.base.store.migrations import migrate
from analytics_box.base.store.pairing import bring_together
from analytics_box.base.store.seal import KEY_FILE
from analytics_box.base.translation import _
from analytics_box.ingest.cluster import rows
from analytics_box.ingest.visitors import SALTS_FILE, History, SaltFile


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


def promote(directory: Path, now: int) -> int:
    """Make the box in this directory, which nobody has open, the primary; since when it is (UTC ms).

    Raises NotFound and Conflict, and what `bring_together` raises.
    """
    for name in (schema.BOX_FILE, schema.EVENTS_FILE, KEY_FILE):
        if not (directory / name).exists():
            raise NotFound(
                _("There is no {name} in {directory}. Restore it from a copy of the lost primary first").format(
                    name=name, directory=directory
                )
            )
    migrate(directory)
    box_db = Db(directory / schema.BOX_FILE, readers=1)
    try:
        if box_db.read_now(rows.has) is not None:
            raise Conflict(
                _(
                    "{directory} belongs to an ingest machine, which has no accounts and cannot become the primary"
                ).format(directory=directory)
            )
        box_db.write_now(lambda db: rows.promote(db, now))
        promoted_at = box_db.read_now(rows.promoted_at)
    finally:
        box_db.close()
    bring_together(directory)
    if not (salts := directory / SALTS_FILE).exists():  # a primary without any does not start
        SaltFile(salts, History(lambda: b"")).current(now)
    return promoted_at
