"""The disk space that events take."""

from pathlib import Path

import apsw

from analytics_box.base.store.db import Db
from analytics_box.base.store.migrations import migrate
from analytics_box.query.engines import columns
from tests.benchmarks.generator import fill
from tests.inprocess import NOON


def test_page_view_takes_at_most_92_bytes_of_the_ledger(tmp_path: Path) -> None:
    migrate(tmp_path)
    written = fill(tmp_path, 1, 20_000, end=NOON, days=10)
    with apsw.Connection(str(tmp_path / "events.db")) as db:
        ((size,),) = db.execute(
            "select sum(pgsize) from dbstat where name in ('stored_events', 'events_by_time')"
        ).fetchall()
    db.close()
    assert int(str(size)) <= 92 * written


def test_page_view_takes_at_most_36_bytes_of_the_replica(tmp_path: Path) -> None:
    migrate(tmp_path)
    written = fill(tmp_path, 1, 123_000, end=NOON, days=30)  # a whole row group of DuckDB
    db, path = Db(tmp_path / "events.db", readers=1), tmp_path / columns.FILE_NAME
    replica = db.read_now(
        lambda connection: columns.open_replica(path, connection, memory="256MB", threads=1), seconds=60
    )
    while db.read_now(replica.step, seconds=60):
        pass
    replica.connection.execute("checkpoint")
    replica.close()
    db.close()
    assert path.stat().st_size <= 36 * written
