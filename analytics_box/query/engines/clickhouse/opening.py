"""The checks of ClickHouse's tables when it is opened, and the consequences: they belong to this position, to another,
or do not exist.

As long as events.db has all rows, tables that do not match are rebuilt. Once rows were trimmed, only ClickHouse has
them: then it keeps these, drops everything else, and is sent the rows of events.db (`resume`). If it does not even have
these, nothing is done until an administrator intervenes (EventsLost).
"""

import json
from collections.abc import Mapping

from analytics_box.query.engines.clickhouse import tables
from analytics_box.query.engines.clickhouse.machines import ClickHouseMachine, first_of, key_of
from analytics_box.query.engines.clickhouse.server import Away, EventsLost, Server, count
from analytics_box.query.engines.clickhouse.shipping import Position, TopChanged
from analytics_box.query.engines.clickhouse.tables import OWNER
from analytics_box.query.engines.counting import Row


def why_not(server: Server, position: Position | None, box: str) -> str:
    """Return why the tables there do not match this position; empty if they do. Raises Away if they belong to another
    box.
    """
    for statement in tables.create_statements(OWNER, server.cluster):
        server.do(statement)
    found = server.look(f"select box, epoch, shape from {OWNER.name}")
    if any(owner != box for owner, _, _ in found):
        raise Away("the database has the events of another server. Set another database in clickhouse_url")
    if position is None or not found:
        return "they are not there yet"
    if missing := _missing(server, [table.name for table in tables.SHIPPED]):
        return f"there is no {', '.join(missing)}"
    if found != [(box, position.epoch, tables.shape(server.cluster))]:
        return "they have another shape, or are of an earlier time"
    return ""


def _missing(server: Server, wanted: list[str]) -> list[str]:
    there = {name for (name,) in server.look("select name from system.tables where database = currentDatabase()")}
    return [name for name in wanted if name not in there]


def make(server: Server, box: str, epoch: str) -> None:
    """Make the tables again."""
    server.remove(OWNER.name, "id = 1")
    for table in tables.SHIPPED:
        _make_table(server, table)
    _own(server, box, epoch)


def _make_table(server: Server, table: tables.ClickHouseTable) -> None:
    for statement in (
        *tables.drop_statements(table.name, server.cluster),
        *tables.create_statements(table, server.cluster),
    ):
        server.do(statement)


def _own(server: Server, box: str, epoch: str) -> None:
    row = json.dumps([1, box, epoch, tables.shape(server.cluster), 0]).encode()
    server.insert(OWNER.name, (*OWNER.names, "shipment"), row, epoch)


def resume(server: Server, box: str, epoch: str, floors: Mapping[str, int]) -> int:
    """Keep what is there only, and remove everything else; the number of the last shipment of which anything is left.

    Broken off, it begins again: until its end there are two owners, or one of another epoch."""
    _own(server, box, epoch)
    for name, floor in floors.items():
        where = f"id > {floor}"
        server.remove(name, where)
        if left := count(server, name, where):
            raise Away(f"{left} rows of {name} that were removed are still there")
    for table in tables.SHIPPED:
        if table.name not in floors:
            _make_table(server, table)
    last = max(int(server.look(f"select max(shipment) from {name}")[0][0] or 0) for name in floors)
    server.remove(OWNER.name, f"id = 1 and epoch <> '{epoch}'")
    return last


def require_shape(server: Server) -> None:
    """See that the tables, which have what is nowhere else, are of this version. Raises EventsLost."""
    shapes = {shape for (shape,) in server.look(f"select shape from {OWNER.name}")}
    if shapes - {tables.shape(server.cluster)}:
        raise EventsLost("its tables are of another version, and have events that are nowhere else")


def require(
    server: Server, counts: Mapping[str, int], floors: Mapping[str, int], machine: ClickHouseMachine | None = None
) -> None:
    """See that ClickHouse has what is there only, so many rows of these tables up to these ids. Raises EventsLost."""
    if missing := _missing(server, [*floors]):
        raise EventsLost(f"there is no {', '.join(missing)}, with events that are nowhere else")
    first = first_of(machine)
    for name, floor in floors.items():
        lacks = counts.get(name, 0) - count(server, name, f"id >= {first} and id <= {first + floor}")
        if lacks > 0:
            raise EventsLost(f"it lacks {lacks} rows of {name} that are nowhere else")


def newest_left(server: Server, position: Position, top: TopChanged, machine: ClickHouseMachine | None = None) -> int:
    """The newest row of a table that this machine has sent, without those that have changed since; -1 for none."""
    table, first = tables.BY_NAME[top.table], first_of(machine)
    key = key_of(table, machine)
    own = f"{machine.own(table)} and " if machine is not None else ""
    changed = ", ".join(str(row + first) for row in top.changed)
    ((rows, newest),) = server.look(
        f"select count(), max({key}) from {top.table}"
        f" where {own}{key} <= {position.last_of(top.table) + first} and {key} not in ({changed})"
    )
    return int(newest) - first if rows else -1


def newest_rows(server: Server, position: Position, machine: ClickHouseMachine | None = None) -> dict[str, list[Row]]:
    """The newest row of each table that this machine has sent."""
    first = first_of(machine)
    return {
        table.name: server.look(
            f"select {', '.join(table.plain)} from {table.name}"
            f" where {key_of(table, machine)} = {position.last_of(table.name) + first}"
        )
        for table in tables.SHIPPED
    }
