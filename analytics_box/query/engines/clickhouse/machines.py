"""Several machines in one ClickHouse: whose rows are whose, and under which numbers.

A row's id is the machine's number, shifted by 40 bits, and its id in the machine's events.db; sessions and shipments
are numbered likewise. A text has the number `number_of` on every machine, and a row in `strings` for each machine that
sent it, named by `row`: what one machine forgets stays there as long as another one has it.

The primary makes the tables, with the owner row 1. Each machine has its own owner row, which says in `shape` when
the primary was promoted: an older primary stops. A machine whose position
is not that of its owner row, or of other tables, removes what it has there and sends all of its events.db again.
"""

import json
import secrets
from collections.abc import Collection, Iterable, Mapping

from analytics_box.base.facts.tables import FACT_NAMES
from analytics_box.base.store.text_numbers import text_number_sql
from analytics_box.ingest.cluster.which import Which
from analytics_box.query.engines.clickhouse import tables
from analytics_box.query.engines.clickhouse.server import Away, EventsLost, PrimaryReplaced, Server, count, counts
from analytics_box.query.engines.clickhouse.tables import OWNER, ClickHouseTable

SHIFT = 40
_MAIN, _FIRST_OWN = 1, 2  # ids of owner rows


class ClickHouseMachine(Which, frozen=True):
    """A machine, one of several that share ClickHouse, and the conditions of its rows."""

    @property
    def first(self) -> int:
        """The first of its numbers."""
        return self.number << SHIFT

    @property
    def promoted(self) -> str:
        """The time of its promotion, as its owner row records it."""
        return str(self.promoted_at or "")

    def key(self, table: ClickHouseTable) -> str:
        """The column that names a row of this machine."""
        return "row" if table.name == "strings" else "id"

    def own(self, table: ClickHouseTable) -> str:
        """A condition of this machine's rows."""
        return of_number(self.number, self.key(table))

    def names(self, table: ClickHouseTable) -> tuple[str, ...]:
        """The columns of a row as it is sent."""
        return (*table.names, "row") if table.name == "strings" else table.names

    def shown(self, table: ClickHouseTable, name: str) -> str:
        """SQLite's expression for a column as ClickHouse stores it."""
        if name == "row":
            return f"id + {self.first}"
        if table.name == "strings":
            return text_number_sql("strings.id") if name == "id" else name
        if name == "id":
            return f"id + {self.first}"
        if name == "session":
            return f"iif(session = 0, 0, session + {self.first})"
        return text_number_sql(name) if name in table.texts else name


def first_of(machine: ClickHouseMachine | None) -> int:
    """The first of its numbers, of one machine alone 0."""
    return 0 if machine is None else machine.first


def key_of(table: ClickHouseTable, machine: ClickHouseMachine | None) -> str:
    """The column that names a row of this machine, or of one machine alone."""
    return "id" if machine is None else machine.key(table)


def of_number(number: int, key: str = "id") -> str:
    """A condition of the rows of the machine with this number."""
    return f"{key} >= {number << SHIFT} and {key} < {(number + 1) << SHIFT}"


def found_tables(server: Server, machine: ClickHouseMachine) -> list[str]:
    """The epochs of the tables that are there, of which one that came late may be a second name; the primary makes them
    where they do not fit. Raises Away."""
    for statement in tables.create_statements(OWNER, server.cluster):
        server.do(statement)
    is_own(server, machine, "")  # first: a primary that was replaced must not make tables either
    shape = tables.shape(server.cluster, several=True)
    owners = server.look(f"select box, epoch, shape from {OWNER.name} where id = {_MAIN}")
    if any(box != machine.cluster for box, _, _ in owners):
        raise Away("the database has the events of another server. Set another database in clickhouse_url")
    there = {name for (name,) in server.look("select name from system.tables where database = currentDatabase()")}
    made = owners and all(made == shape for _, _, made in owners)
    if made and all(table.name in there for table in tables.SHIPPED):
        return sorted(str(epoch) for _, epoch, _ in owners)
    if machine.number:
        raise Away("the primary has not created the tables yet, or runs another version")
    if machine.alone or _has_rows_of(server, machine.retired, there):
        raise EventsLost("its tables are not whole, or of another version, and have events that are nowhere else")
    return [_make(server, machine, shape)]


def _has_rows_of(server: Server, numbers: Iterable[int], tables_there: Collection[str]) -> bool:
    """Whether facts of these machines are there."""
    there = [table for table in FACT_NAMES if table in tables_there]
    return any(any(counts(server, dict.fromkeys(there, of_number(number))).values()) for number in numbers if there)


def _make(server: Server, machine: ClickHouseMachine, shape: str) -> str:
    """Make all tables again: every machine sends its events again."""
    epoch = secrets.token_hex(8)
    server.remove(OWNER.name, "id > 0")
    for table in tables.SHIPPED:
        made = tables.create_statements(table, server.cluster, several=True)
        for statement in (*tables.drop_statements(table.name, server.cluster), *made):
            server.do(statement)
    _insert_owner(server, [_MAIN, machine.cluster, epoch, shape, 0])
    return epoch


def is_own(server: Server, machine: ClickHouseMachine, epoch: str) -> bool:
    """Whether what this machine has there is what it sent under this epoch. Raises Away where its number is another
    machine's, and PrimaryReplaced."""
    number = _FIRST_OWN + machine.number
    found = server.look(f"select box, epoch, shape from {OWNER.name} where id = {number}")
    if any(box != machine.box for box, _, _ in found):
        raise Away(f"the machine number {machine.number} belongs to another machine. Use a unique number")
    newest = max((int(promoted or 0) for _, _, promoted in found), default=0)
    if newest > machine.promoted_at:
        raise PrimaryReplaced(newest)
    return (machine.box, epoch, machine.promoted) in found


def begin(server: Server, machine: ClickHouseMachine, epoch_of_tables: str, floors: Mapping[str, int]) -> str:
    """Remove what this machine has there, but for what it has there only; the epoch of what it sends now."""
    epoch = f"{epoch_of_tables}.{secrets.token_hex(8)}"
    server.remove(OWNER.name, f"id = {_FIRST_OWN + machine.number}")
    for table in tables.SHIPPED:
        where = _above(machine, table, floors)
        server.remove(table.name, where)
        if left := count(server, table.name, where):
            raise Away(f"{left} rows of {table.name} that were removed are still there")
    _insert_owner(server, [_FIRST_OWN + machine.number, machine.box, epoch, machine.promoted, 0])
    return epoch


def check(server: Server, machine: ClickHouseMachine, epoch: str) -> None:
    """See that the tables are still those that this machine sent its rows to. Raises Away."""
    found = server.look(f"select epoch from {OWNER.name} where id = {_MAIN}")
    if (epoch.partition(".")[0],) not in found or not is_own(server, machine, epoch):
        raise Away("the tables were recreated. This machine sends its events again")


def first_shipment(machine: ClickHouseMachine, now: int) -> int:
    """A number above those of all shipments that this machine has sent before it begins again, `now` (UTC ms): there
    are far fewer than a hundred in a second."""
    return machine.first + now // 10


def remove_late(server: Server, machine: ClickHouseMachine, before: int, kept: Mapping[str, int]) -> None:
    """Remove what came late of what this machine sent before it began again with this shipment, above what it kept."""
    late = {table.name: f"{_above(machine, table, kept)} and shipment < {before}" for table in tables.SHIPPED}
    for table, found in counts(server, late).items():
        if found:
            server.remove(table, late[table])


def _above(machine: ClickHouseMachine, table: ClickHouseTable, floors: Mapping[str, int]) -> str:
    """A condition of this machine's rows above its floors; only tables of facts have floors."""
    floor = floors.get(table.name)
    return machine.own(table) if floor is None else f"{machine.own(table)} and id > {machine.first + floor}"


def _insert_owner(server: Server, row: list[int | str]) -> None:
    server.insert(OWNER.name, (*OWNER.names, "shipment"), json.dumps(row).encode(), f"{row[0]}-{row[2]}")
