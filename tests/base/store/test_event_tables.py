"""The tables of events.db refuse impossible values, and record changes for the column replica."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from analytics_box.base.facts.tables import FACT_NAMES


@pytest.fixture
def db(events_path: Path) -> Iterator[apsw.Connection]:
    with closing(apsw.Connection(str(events_path))) as opened:
        for table in FACT_NAMES:
            columns = [
                str(name) for (name,) in opened.execute("select name from pragma_table_info(?)", (f"stored_{table}",))
            ]
            for number in (30, 33):
                own = {"events": {"properties": "{}"}}.get(table, {})
                own_numbers = {"id": number} | ({"reference": number} if table == "transactions" else {})
                row = dict.fromkeys(columns, 1) | own_numbers | own
                places = ", ".join("?" * len(row))
                opened.execute(f"insert into stored_{table} values ({places})", tuple(row.values()))
        yield opened


@pytest.mark.parametrize("wrong", ["kind = 5", "scroll = 101", "visitor = -1", "engaged = null", "place = null"])
def test_event_with_an_impossible_value_is_refused(db: apsw.Connection, wrong: str) -> None:
    with pytest.raises(apsw.ConstraintError):
        db.execute(f"update stored_events set {wrong}")


def test_event_without_a_measured_scroll_depth_is_accepted(db: apsw.Connection) -> None:
    db.execute("update stored_events set scroll = null, interactions = null")
    assert db.execute("select scroll, interactions from events").fetchall() == [(None, None)] * 2


@pytest.mark.parametrize("table", FACT_NAMES)
def test_deleted_rows_are_recorded_as_changes_unless_they_were_trimmed(db: apsw.Connection, table: str) -> None:
    db.execute("insert into trimmed (source, until) values (?, 30)", (table,))
    db.execute(f"delete from stored_{table}")
    assert db.execute("select source, row from changes").fetchall() == [(table, 33)]
