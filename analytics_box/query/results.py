"""Rows of answers from what engines measured, and the cache of those measures, in bounded memory."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from analytics_box.base.cache import BoundedCache
from analytics_box.query.catalog.types import QueryType, Record
from analytics_box.query.filters import FilterCondition, Where
from analytics_box.query.plan import BUCKET, QueryPlan, nothing
from analytics_box.query.ranges import TimeWindow
from analytics_box.query.request import QueryRequest

Rows = list[tuple[Any, ...]]
# Amounts of money are decimal numbers, which JSON has as numbers too.
ROWS: Final = msgspec.json.Encoder(decimal_format="number")
MOST_BYTES = 12 << 20  # in all that is kept; some 30 MB at most
MOST_OF_ONE = 1 << 20
_OF_A_PLAN = 2_000
_OF_A_CONDITION = 200  # or a group of them
_OF_A_VALUE = 60
_OF_A_LETTER = 4  # in a text that has any beyond ASCII


class CachedRows(NamedTuple):
    """Rows that were read when the facts had this version, or a later one, and their bytes."""

    version: int
    rows: Rows
    size: int


class ResultCache:
    """Rows by plan and version of the facts."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._kept: BoundedCache[QueryPlan, CachedRows] = BoundedCache(
            most_weight=most_bytes,
            weigh=lambda plan, kept: (_OF_A_PLAN + _of_conditions(plan.where)) + kept.size,
            largest=MOST_OF_ONE,
        )

    def find(self, plan: QueryPlan, version: int) -> CachedRows | None:
        """The rows of this plan in this version of the facts."""
        kept = self._kept.get(plan)
        if kept is None:
            return None
        if kept.version != version:
            self._kept.drop(plan)
            return None
        return kept

    def keep(self, plan: QueryPlan, kept: CachedRows) -> None:
        """Remember rows, unless they are many."""
        self._kept.put(plan, kept)

    def __len__(self) -> int:
        return len(self._kept)


def _of_conditions(items: Iterable[Where]) -> int:
    return sum(
        _OF_A_CONDITION
        + (
            sum(map(_of_value, item.values)) + _of_conditions(item.also)
            if isinstance(item, FilterCondition)
            else _of_conditions(item.items)
        )
        for item in items
    )


def _of_value(value: str) -> int:
    return _OF_A_VALUE + len(value) * (1 if value.isascii() else _OF_A_LETTER)


_UNKNOWN = (None, "", "Unknown", "unknown")  # what is not known, as answers show it


def records(
    query_type: QueryType, request: QueryRequest, window: TimeWindow, rows: Sequence[list[Record]]
) -> list[Record]:
    """The rows of an answer, from those of each ask and follow."""
    if query_type.series and query_type.shape is None:
        return _page(_in_order(_series(query_type, window, rows), request, window), request)
    if query_type.shape is not None:
        shaped = [_record(query_type, row) for row in query_type.shape(rows, window)]
        return shaped if query_type.paged_by_engine else _page(_in_order(shaped, request, window), request)
    if query_type.paged_by_engine:
        return [_record(query_type, row) for row in rows[0]]
    measured: Record = {}
    for found in rows:
        measured |= found[0]
    return _page([_record(query_type, measured)], request)


def merged_page(query_type: QueryType, request: QueryRequest, window: TimeWindow, rows: list[Record]) -> list[Record]:
    """The page of an answer whose rows were merged after the engine, in their usual order."""
    return _page(_in_order([_record(query_type, row) for row in rows], request, window), request)


def _series(query_type: QueryType, window: TimeWindow, rows: Sequence[list[Record]]) -> list[Record]:
    """A row for each bucket; with another dimension one for each of its values that is there, in their order."""
    if query_type.asks[0].group:
        labelled = [row | {"date": window.buckets[row[BUCKET]].label} for row in rows[0]]
        names = query_type.asks[0].group
        labelled.sort(key=lambda row: (row[BUCKET], *(row[name] for name in names)))
        return [_record(query_type, row) for row in labelled]
    measures = [name for ask in query_type.asks for name in ask.measures]
    by_bucket: list[Record] = [{name: nothing(name) for name in measures} for _ in window.buckets]
    for found in rows:
        for row in found:
            by_bucket[row[BUCKET]] |= row
    return [
        _record(query_type, row | {"date": bucket.label}) for bucket, row in zip(window.buckets, by_bucket, strict=True)
    ]


def _record(query_type: QueryType, row: Record) -> Record:
    return {
        column.output.name: row[column.output.name] if column.value is None else column.value(row)
        for column in query_type.columns
    }


def _in_order(found: list[Record], request: QueryRequest, window: TimeWindow) -> list[Record]:
    """Sorted as the request wants it, by what is shown; equal rows stay in their order, what is unknown comes last."""
    name = request.sort_by
    if name is None:
        return found
    buckets = {bucket.label: number for number, bucket in enumerate(window.buckets)}

    def place(row: Record) -> Any:
        return buckets[row[name]] if name == "date" else row[name]

    there = sorted((row for row in found if row[name] not in _UNKNOWN), key=place, reverse=request.descending)
    return there + [row for row in found if row[name] in _UNKNOWN]


def _page(found: list[Record], request: QueryRequest) -> list[Record]:
    first = (request.page - 1) * request.limit
    return found[first : first + request.limit]
