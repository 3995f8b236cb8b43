"""How rows are written."""

import apsw

from analytics_box.facts.layout import INSERT, insert
from tests.cases import each


@each("count", [0, 1, 7, 8, 41, 200])
def test_rows_are_written_once_each_and_in_their_order_however_many(count: int) -> None:
    assert "monitor_spans (monitor, state, start, until)" in INSERT["monitor_spans"]
    db = apsw.Connection(":memory:")
    db.execute("create table monitor_spans (id integer primary key, monitor, state, start, until)")
    rows = [(number, 0, 1_000 * number, 1_000 * number + 1) for number in range(1, count + 1)]
    insert(db, "monitor_spans", rows)
    assert db.execute("select monitor, state, start, until from monitor_spans order by id").fetchall() == rows
