"""Removing events goes by their ids, however many a site has, so that events that arrive hardly wait."""

from pathlib import Path

from analytics_box.ingest import erase
from analytics_box.store import schema
from analytics_box.store.db import Db
from analytics_box.store.migrations import migrate


def test_a_chunk_is_deleted_by_id(tmp_path: Path) -> None:
    migrate(tmp_path)
    db = Db(tmp_path / schema.EVENTS_FILE, readers=1)
    plan = db.read_now(
        lambda connection: connection.execute(f"explain query plan {erase.DELETE}", ("[1]", 1)).fetchall()
    )
    db.close()
    steps = [str(step[-1]) for step in plan]
    assert "SEARCH events USING INTEGER PRIMARY KEY (rowid=?)" in steps
