"""Orders to remove what is in ClickHouse only (facts.orders), carried out there."""

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from analytics_box.facts.orders import Order
from analytics_box.facts.tables import BY_NAME, FACT_NAMES
from analytics_box.query.engines.clickhouse.opening import count
from analytics_box.query.engines.clickhouse.server import Away, Server

_AT_ONCE = 1_000  # numbers of texts in a statement


class Found(NamedTuple):
    """What an order is about: so many rows, the numbers of their texts, and their sessions."""

    rows: int
    strings: set[int]
    sessions: set[int]


def find(server: Server, order: Order) -> Found:
    """What the order would remove."""
    found = Found(0, set(), set())
    for table, condition in _conditions(order):
        found = Found(
            found.rows + count(server, table, condition),
            found.strings | numbers(server, f"arrayJoin([{_strings(table)}])", table, condition),
            found.sessions | numbers(server, "session", table, condition),
        )
    return Found(found.rows, found.strings - {0}, found.sessions - {0})


def remove(server: Server, order: Order) -> None:
    """Remove it, and look for it again. Raises Away."""
    for table, condition in _conditions(order):
        if count(server, table, condition):
            server.remove(table, condition)
            if left := count(server, table, condition):
                raise Away(f"{left} rows of {table} that were removed are still there")


def left(server: Server, site: int, floors: Mapping[str, int]) -> dict[str, tuple[int, int, int]]:
    """What is left of a site that is there only, up to the floors of now: how many rows of each table, from the first
    until the last (UTC ms)."""
    return {
        table: (int(rows), int(first or 0), int(last or 0))
        for table, floor in floors.items()
        for rows, first, last in server.look(
            f"select count(), min(time), max(time) from {table} where site = {site} and id <= {floor}"
        )
    }


def used(server: Server, wanted: Collection[int]) -> set[int]:
    """Which of these numbers of texts any row has."""
    found: set[int] = set()
    listed = sorted(wanted)
    for first in range(0, len(listed), _AT_ONCE):
        some = ", ".join(map(str, listed[first : first + _AT_ONCE]))
        for table in FACT_NAMES:
            columns = BY_NAME[table].strings
            where = " or ".join(f"{name} in ({some})" for name in columns)
            found |= numbers(server, f"arrayJoin([{', '.join(columns)}])", table, where)
    return found.intersection(wanted)


def visitors(server: Server, site: int, wanted: Collection[int]) -> set[int]:
    """Which of these visitors of a site any event has."""
    if not wanted:
        return set()
    return numbers(server, "visitor", "events", f"site = {site} and visitor in ({', '.join(map(str, wanted))})")


def numbers(server: Server, what: str, table: str, where: str) -> set[int]:
    """The different values of something in these rows."""
    return {int(number) for (number,) in server.look(f"select distinct {what} from {table} where {where}")}


def _strings(table: str) -> str:
    return ", ".join(BY_NAME[table].strings)


def _conditions(order: Order) -> Iterator[tuple[str, str]]:
    for table in FACT_NAMES:
        for condition in order.conditions(table):
            yield table, condition
