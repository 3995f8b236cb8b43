"""The delivery of a shipment to ClickHouse: insert it, remove the rows that it replaces, and check that
they are gone."""

from collections.abc import Collection

from analytics_box.query.engines.clickhouse import tables
from analytics_box.query.engines.clickhouse.machines import ClickHouseMachine, first_of, key_of
from analytics_box.query.engines.clickhouse.server import Away, Server, count
from analytics_box.query.engines.clickhouse.shipping import Position, Shipment
from analytics_box.query.engines.clickhouse.tables import ClickHouseTable


def deliver(server: Server, position: Position, shipment: Shipment, machine: ClickHouseMachine | None = None) -> None:
    """Send what it has, then remove what that replaces, and see that nothing is left of it. Raises Away."""
    number, tries = position.number + 1, shipment.sending.tries
    for part in shipment.parts:
        if part.count:
            token = f"{position.epoch}-{number}-{tries}-{part.table.name}"
            names = part.table.names if machine is None else machine.names(part.table)
            server.insert(part.table.name, (*names, "shipment"), part.lines, token)
    for part in reversed(shipment.parts):
        if part.changed:
            first, key = first_of(machine), key_of(part.table, machine)
            changed = ", ".join(str(row + first) for row in part.changed)
            _remove(server, part.table.name, f"{key} in ({changed}) and shipment < {number}")


def _remove(server: Server, table: str, where: str) -> None:
    """Remove rows, and look for them again."""
    server.remove(table, where)
    if left := count(server, table, where):
        raise Away(f"{left} rows of {table} that were removed are still there")


def take_back(server: Server, number: int) -> None:
    """Remove the rows of a shipment that is too old for ClickHouse to recognize as a duplicate."""
    for table in tables.SHIPPED:
        server.remove(table.name, f"shipment = {number}")


def came_with(
    server: Server, table: ClickHouseTable, number: int, machine: ClickHouseMachine | None = None
) -> set[int]:
    """The ids here of the rows of a table that came with a shipment and are still there."""
    key, first = key_of(table, machine), first_of(machine)
    return {int(row) - first for (row,) in server.look(f"select {key} from {table.name} where shipment = {number}")}


def came_again(
    server: Server, table: ClickHouseTable, number: int, rows: Collection[int], machine: ClickHouseMachine | None = None
) -> set[int]:
    """Return the rows, of these, that later shipments contain as well."""
    key, first = key_of(table, machine), first_of(machine)
    listed = ", ".join(str(row + first) for row in rows)
    found = server.look(f"select distinct {key} from {table.name} where {key} in ({listed}) and shipment > {number}")
    return {int(row) - first for (row,) in found}


def take_back_rows(
    server: Server, table: ClickHouseTable, number: int, rows: Collection[int], machine: ClickHouseMachine | None = None
) -> None:
    """Remove these rows of a shipment, and look for them again. Raises Away."""
    key, first = key_of(table, machine), first_of(machine)
    listed = ", ".join(str(row + first) for row in rows)
    _remove(server, table.name, f"{key} in ({listed}) and shipment = {number}")


def purge(server: Server, position: Position) -> None:
    """Have what was removed leave the server's disk."""
    kept = {} if position.own_from else position.kept  # of several machines, each looks for these by remove_late
    for name, until in kept.items():
        server.remove(name, f"id > {until} and shipment <= {position.before}")
    for table in tables.SHIPPED:
        name = tables.own(table.name, server.cluster)
        server.do(f"alter table {name}{tables.on(server.cluster)} apply deleted mask", waits=False)
