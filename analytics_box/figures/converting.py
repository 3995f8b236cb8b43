"""A goal on a page of figures: how many visitors of each row reached it, and their share. Pure.

What rows measure of a goal is said here once: tiles, charts, lists, tables, files and what is shaded take it from them.
The room of goals says which visitors reached one.
"""

from collections.abc import Callable, Hashable, Mapping
from functools import partial
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.figures.board import Board, FigureColumn, FigureList, Metric, Rows
from analytics_box.query.catalog.types import QueryType, Record
from analytics_box.query.catalog.values import quotient
from analytics_box.query.filters import Filter, FilterGroup

CONVERSIONS, RATE = "conversions", "conversion_rate"
COLUMNS: Final = (FigureColumn(CONVERSIONS), FigureColumn(RATE, "percent"))
Key = Callable[[Record], Hashable]  # what tells rows of a type apart


class GoalTarget(Struct, frozen=True):
    """A goal that an address names. What was found of it has a name, and the filters that select who reached it."""

    id: str
    name: str = ""
    filters: tuple[Filter | FilterGroup, ...] = ()


def metrics(total: str, series: str) -> tuple[Metric, ...]:
    """The metrics of a goal in tiles and charts, from types whose rows count visitors."""
    return (Metric(CONVERSIONS, total, series), Metric(RATE, total, series, unit="percent", needs="visitors"))


def with_conversions(rows: Rows, reached: Rows, key: Key, *, complete: bool = True) -> Rows:
    """The rows with their conversions, and the rate of these in percent. `reached` are rows of the same type of those
    who reached the goal; a row that is not among them has none, or where they are not `complete`, that is unknown."""
    found = {key(row): _visitors(row) for row in reached}
    missing = 0 if complete else None
    return [{**row, **_conversion_rows(found.get(key(row), missing), _visitors(row))} for row in rows]


def counting_visitors(query_type: QueryType) -> QueryType:
    """The type with no more than conversions are made of, where it looks at more than one kind of facts."""
    if len(query_type.asks) == 1:
        return query_type
    return replace(
        query_type,
        asks=tuple(ask for ask in query_type.asks if "visitors" in ask.measures),
        columns=tuple(one for one in query_type.columns if one.output.name in {"date", "visitors"}),
    )


def key_of(listed: FigureList) -> Key:
    """The key of a list's rows."""
    return partial(_key, listed)


def keys(of: Board) -> Mapping[str, Key]:
    """The keys of the rows that tiles and charts use."""
    return {
        key: by
        for one in of.converting
        for key, by in ((one.total, _whole), (one.series, lambda row: str(row["date"])))
    }


def _conversion_rows(conversions: int | None, visitors: int) -> Record:
    known = conversions is not None and visitors > 0
    return {CONVERSIONS: conversions, RATE: quotient(100 * (conversions or 0), visitors) if known else None}


def _visitors(row: Record) -> int:
    """Types of events and links count visitors by another name."""
    return int(row["visitors"] if "visitors" in row else row["unique_users"])


def _key(listed: FigureList, row: Record) -> Hashable:
    country = row.get("country_code") if listed.places else None
    return row[listed.shown], country, listed.detail(row) if listed.detail is not None else None


def _whole(_: Record) -> Hashable:
    return None
