"""A machine becomes the primary in the place of one that is lost, by files that may be some seconds older."""

from pathlib import Path

from analytics_box.base.errors import Conflict, NotFound
from analytics_box.base.store import schema
from analytics_box.base.store.db import Db
from analytics_box.base.store.migrations import migrate
from analytics_box.base.store.pairing import bring_together
from analytics_box.base.store.seal import KEY_FILE
from analytics_box.base.translation import _
from analytics_box.ingest.cluster import rows
from analytics_box.ingest.visitors import SALTS_FILE, History, SaltFile


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
