"""Types with a row per value: how they are grouped, measured and ordered."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from tests.query.brute.facts import CUSTOM, VIEW, Answer, Facts, Question, Row, Rows
from tests.query.brute.filters import passes
from tests.query.brute.measures import Measure, share, views, visitors


@dataclass(frozen=True)
class Table:
    """A type with a row per value: which facts, grouped by what, measured how, and in which order.

    `fields` make a row from the values of the group, its facts, and `whole`, the sum of `shared` over all groups."""

    table: str
    key: tuple[str, ...]
    fields: Callable[[tuple[Any, ...], Rows, float], Row]
    order: Callable[[tuple[Any, ...], Rows], float] = lambda _key, _rows: 0
    shared: Measure = lambda _rows: 0
    kinds: frozenset[int] = frozenset()
    keep: Callable[[Row], bool] = lambda _row: True
    bots: bool = False


def rows_of(known: Table, facts: Facts, asked: Question) -> list[Row]:
    """The rows of a type with a row per value, best first; equal ones by their values."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in facts[known.table]:
        own = not known.kinds or row["kind"] in known.kinds
        own = own and bool(row.get("bot")) == known.bots and known.keep(row)
        if own and asked.has(row["time"]) and passes(row, asked.filters):
            groups.setdefault(tuple(row[part] for part in known.key), []).append(row)
    whole = sum(known.shared(rows) for rows in groups.values())
    ordered = sorted(groups.items(), key=lambda item: (-known.order(*item), *item[0]))
    return [known.fields(key, rows, whole) for key, rows in ordered]


def answers(tables: dict[str, Table]) -> dict[str, Answer]:
    """Tables as answers."""
    return {name: partial(rows_of, table) for name, table in tables.items()}


def count(_key: tuple[Any, ...], rows: Rows) -> float:
    """Most facts first."""
    return len(rows)


def device(key: tuple[Any, ...]) -> str:
    """The kind of device as people write it; an unknown one is a desktop (wire 1.5)."""
    return (key[0] or "desktop").capitalize()


def standard(
    *key: str,
    present: bool = False,
    more: Callable[[tuple[Any, ...]], Row] = lambda _key: {},
    kinds: tuple[int, ...] = (VIEW, CUSTOM),
    named: Callable[[tuple[Any, ...]], str] = lambda key: key[0] or "Unknown",
    where: Callable[[Row], bool] = lambda _row: True,
) -> Table:
    """The standard row (wire 1.0); `present` leaves out facts without the value."""

    def fields(values: tuple[Any, ...], rows: Rows, whole: float) -> Row:
        return {
            "name": named(values),
            "pageviews": views(rows),
            "visitors": visitors(rows),
            "percentage": share(visitors(rows), whole),
            **more(values),
        }

    return Table(
        "events",
        key,
        fields,
        order=lambda _key, rows: visitors(rows),
        shared=visitors,
        kinds=frozenset(kinds),
        keep=lambda row: where(row) and (row[key[0]] != "" or not present),
    )
