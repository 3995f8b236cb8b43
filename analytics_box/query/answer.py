"""The conversion of an engine's measures to the rows of an answer. Pure."""

from collections.abc import Sequence
from typing import Any

from analytics_box.query.catalog.types import QueryType, Record
from analytics_box.query.plan import BUCKET, nothing
from analytics_box.query.ranges import TimeWindow
from analytics_box.query.request import QueryRequest

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
