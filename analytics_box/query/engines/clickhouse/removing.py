"""Orders to remove what is in ClickHouse only (facts.orders), carried out there.

Of several machines, each carries out its own orders over its own rows. What one removes on behalf of all of them, the
primary looks for again in the rows of all machines, among those that were there when it was ordered (`Everywhere`).
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from analytics_box.base.facts.orders import ErasureOrder, OfPerson, Older
from analytics_box.base.facts.tables import BY_NAME, FACT_NAMES
from analytics_box.query.engines.clickhouse.machines import SHIFT, ClickHouseMachine, first_of, of_number
from analytics_box.query.engines.clickhouse.server import Away, Server, count
from analytics_box.query.engines.clickhouse.tables import SHIPPED

_AT_ONCE = 1_000  # numbers in a statement


class AffectedRows(NamedTuple):
    """The rows that an order affects: their number, the numbers of their texts, and their sessions."""

    rows: int
    strings: set[int]
    sessions: set[int]


class Everywhere(NamedTuple):
    """A person's facts on all machines: in the shipments that contained any of them when this was determined, as
    (first, last) of each machine. Later shipments are new facts. `retired` are the machines that do not remove them
    themselves.
    """

    what: OfPerson
    shipments: Sequence[tuple[int, int]]
    retired: Sequence[int] = ()

    def conditions(self, table: str) -> list[str]:
        """In the words of SQL, one after the other."""
        among = " or ".join(f"(shipment >= {first} and shipment <= {last})" for first, last in self.shipments)
        return [f"{condition} and ({among})" for condition in self.what.conditions(table)] if among else []


def shipments(server: Server, what: OfPerson) -> list[tuple[int, int]]:
    """In which shipments something is of someone, as (first, last) of each machine."""
    found: set[int] = set()
    for table in FACT_NAMES:
        for condition in what.conditions(table):
            found |= numbers(server, "shipment", table, condition)
    return [(number << SHIFT, max(of)) for number, of in _by_machine(found).items()]


def _by_machine(ids: Collection[int]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for one in sorted(ids):
        found.setdefault(one >> SHIFT, []).append(one)
    return found


def remove_everywhere(server: Server, wanted: Everywhere) -> None:
    """Remove what is left of someone, and look for it again. Raises Away."""
    texts = {number: _texts_of(server, wanted, number) for number in wanted.retired}
    for table in FACT_NAMES:
        for condition in wanted.conditions(table):
            _remove(server, table, condition)
    for number, theirs in texts.items():
        _forget_person(server, wanted.what, number)
        _forget_texts(server, theirs, number)


def _texts_of(server: Server, wanted: Everywhere, number: int) -> set[int]:
    """The numbers of texts that what a machine has of someone refers to, and of who it is."""
    found = {wanted.what.profile}
    for table in FACT_NAMES:
        for condition in wanted.conditions(table):
            own = f"{condition} and {of_number(number)}"
            found |= numbers(server, f"arrayJoin([{_strings(table)}])", table, own)
    return found - {0}


def _forget_texts(server: Server, texts: set[int], number: int) -> None:
    """Remove those of these texts of a machine that none of its rows has."""
    own = of_number(number)
    left = texts - used(server, texts, own)
    if left:
        known = f"profile in ({', '.join(map(str, sorted(left)))}) and {own}"
        left -= numbers(server, "profile", "visitor_profiles", known)
    if left:
        _remove(server, "strings", f"id in ({', '.join(map(str, sorted(left)))}) and {of_number(number, 'row')}")


def _forget_person(server: Server, what: OfPerson, number: int) -> None:
    """A machine that is retired has told who someone was."""
    if what.profile:
        who = f"profile = {what.profile}"
    elif what.stays:
        who = f"visitor in ({', '.join(str(visitor) for visitor, _, _ in what.stays)})"
    else:
        return
    _remove(server, "visitor_profiles", f"site = {what.site} and {who} and {of_number(number)}")


def remove_of_retired(server: Server, number: int, sites: Sequence[int], older: Iterable[Older]) -> None:
    """Remove what a machine that is retired has of these sites, and what is too old. Raises Away."""
    own = of_number(number)
    for first in range(0, len(sites), _AT_ONCE):
        listed = ", ".join(map(str, sites[first : first + _AT_ONCE]))
        for table in SHIPPED:
            if "site" in table.names:
                _remove(server, table.name, f"site in ({listed}) and {own}")
    for what in older:
        for name in FACT_NAMES:
            for condition in what.conditions(name):
                _remove(server, name, f"{condition} and {own}")


def find(server: Server, order: ErasureOrder, machine: ClickHouseMachine | None = None) -> AffectedRows:
    """Find the rows that the order would remove."""
    found = AffectedRows(0, set(), set())
    for table, condition in _conditions(order, machine):
        found = AffectedRows(
            found.rows + count(server, table, condition),
            found.strings | numbers(server, f"arrayJoin([{_strings(table)}])", table, condition),
            found.sessions | numbers(server, "session", table, condition),
        )
    return AffectedRows(found.rows, found.strings - {0}, found.sessions - {0})


def remove(server: Server, order: ErasureOrder, machine: ClickHouseMachine | None = None) -> None:
    """Remove it, and look for it again. Raises Away."""
    for table, condition in _conditions(order, machine):
        _remove(server, table, condition)


def _remove(server: Server, table: str, where: str) -> None:
    if count(server, table, where):
        server.remove(table, where)
        if left := count(server, table, where):
            raise Away(f"{left} rows of {table} that were removed are still there")


def remaining_rows(
    server: Server, site: int, floors: Mapping[str, int], machine: ClickHouseMachine | None = None
) -> dict[str, tuple[int, int, int]]:
    """Return the remaining rows of a site that are only there, up to the current floors: the number of rows of each
    table, and the first and last time (UTC ms).
    """
    own = first_of(machine)
    return {
        table: (int(rows), int(first or 0), int(last or 0))
        for table, floor in floors.items()
        for rows, first, last in server.look(
            f"select count(), min(time), max(time) from {table}"
            f" where site = {site} and id >= {own} and id <= {own + floor}"
        )
    }


def used(server: Server, wanted: Collection[int], of: str = "") -> set[int]:
    """Return the text numbers, of these, that any row uses; `of` is a further condition of the rows."""
    found: set[int] = set()
    listed = sorted(wanted)
    for first in range(0, len(listed), _AT_ONCE):
        some = ", ".join(map(str, listed[first : first + _AT_ONCE]))
        for table in FACT_NAMES:
            columns = BY_NAME[table].strings
            has_one = " or ".join(f"{name} in ({some})" for name in columns)
            where = f"({has_one}) and {of}" if of else has_one
            found |= numbers(server, f"arrayJoin([{', '.join(columns)}])", table, where)
    return found.intersection(wanted)


def visitors(server: Server, site: int, wanted: Collection[int]) -> set[int]:
    """Return the visitors of a site, of these, that have any event."""
    if not wanted:
        return set()
    return numbers(server, "visitor", "events", f"site = {site} and visitor in ({', '.join(map(str, wanted))})")


def numbers(server: Server, what: str, table: str, where: str) -> set[int]:
    """The different values of something in these rows."""
    return {int(number) for (number,) in server.look(f"select distinct {what} from {table} where {where}")}


def _strings(table: str) -> str:
    return ", ".join(BY_NAME[table].strings)


def _conditions(order: ErasureOrder, machine: ClickHouseMachine | None) -> Iterator[tuple[str, str]]:
    for table in FACT_NAMES:
        for condition in order.conditions(table, first_of(machine)):
            yield table, condition
