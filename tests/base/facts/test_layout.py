"""How rows are written."""

import apsw
import pytest

from analytics_box.base.facts.layout import INSERT, STORED_COLUMNS, insert
from analytics_box.base.store.db import Connection
from tests.cases import each
from tests.products.people.world import World


@each("count", [0, 1, 7, 8, 41, 200])
def test_rows_are_written_once_each_and_in_their_order_however_many(count: int) -> None:
    assert "monitor_spans (monitor, state, start, until)" in INSERT["monitor_spans"]
    db = apsw.Connection(":memory:")
    db.execute("create table monitor_spans (id integer primary key, monitor, state, start, until)")
    rows = [(number, 0, 1_000 * number, 1_000 * number + 1) for number in range(1, count + 1)]
    insert(db, "monitor_spans", rows)
    assert db.execute("select monitor, state, start, until from monitor_spans order by id").fetchall() == rows


def test_an_event_is_written_without_a_table_for_its_checks(world: World) -> None:
    values = [1] * len(STORED_COLUMNS["events"])
    steps = world.events.write_now(lambda db: db.execute(f"explain {INSERT['events']}", values).fetchall())
    assert not [step for step in steps if step[1] in {"OpenEphemeral", "OpenAutoindex"}]


@each("kind", [0, 5])
def test_other_kinds_of_events_are_refused(world: World, kind: int) -> None:
    columns = STORED_COLUMNS["events"]
    values = [kind if column == "kind" else 1 for column in columns]

    def write(db: Connection) -> None:
        db.execute(INSERT["events"], values)

    with pytest.raises(apsw.ConstraintError):
        world.events.write_now(write)
    values[columns.index("kind")] = 3
    world.events.write_now(write)
