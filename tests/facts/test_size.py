"""The disk space that events take."""

from pathlib import Path

import apsw

from analytics_box.store.migrations import migrate
from tests.inprocess import NOON
from tests.load.generator import fill

EVENTS = 20_000
MOST = 92  # bytes of the ledger for each page view, its index included


def test_page_view_takes_at_most_92_bytes_of_the_ledger(tmp_path: Path) -> None:
    migrate(tmp_path)
    with apsw.Connection(str(tmp_path / "events.db")) as db:
        written = fill(tmp_path, 1, EVENTS, end=NOON, days=10)
        pages = db.execute(
            "select sum(pgsize) from dbstat where name in ('stored_events', 'events_by_time')"
        ).fetchall()
    db.close()
    assert written >= EVENTS - 10
    assert int(str(pages[0][0])) <= MOST * written
