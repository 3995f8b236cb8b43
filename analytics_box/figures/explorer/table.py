"""Rows of an answer as a table for people. Pure."""

import json
from collections.abc import Sequence
from typing import Any, Literal

from msgspec import Struct

from analytics_box.figures.explorer.view import TypedQuery
from analytics_box.query.catalog.types import FieldType, QueryType, Record

Kind = Literal["text", "number", "json", "nothing"]
_MOST = 2_000  # characters of a cell
_AT_A_GLANCE = 60  # characters of JSON that stand there before the cell is opened


class AnswerHeading(Struct, frozen=True):
    """A column. `href` sorts by it, or is empty where that cannot be; `sorted` is how it is sorted now."""

    name: str
    unit: str
    text: str
    number: bool
    href: str
    sorted: Literal["", "ascending", "descending"]


class Cell(Struct, frozen=True):
    """A value. `nothing` is null or an empty text; `short` is how a long one begins, which is shown whole on demand."""

    text: str
    kind: Kind
    short: str = ""


class AnswerTable(Struct, frozen=True):
    """Columns and rows."""

    headings: tuple[AnswerHeading, ...]
    rows: tuple[tuple[Cell, ...], ...]


def table(query_type: QueryType, rows: Sequence[Record], tried: TypedQuery | None = None) -> AnswerTable:
    """The rows with the fields in the type's order; with a query its headings sort it."""
    can = query_type.sortable if tried is not None else ()
    headings = []
    for output in query_type.outputs:
        href, way = "", ""
        if tried is not None and output.name in can:
            href = tried.sorted_by(output.name)
            way = {"asc": "ascending"}.get(tried.order, "descending") if tried.sort == output.name else ""
        number = output.type == "number"
        headings.append(AnswerHeading(output.name, output.unit, output.description, number, href, way))  # type: ignore[arg-type]  # the two ways are the words of aria-sort
    lines = [tuple(cell(row[output.name], output.type) for output in query_type.outputs) for row in rows]
    return AnswerTable(tuple(headings), tuple(lines))


def cell(value: Any, kind: FieldType) -> Cell:
    """A value as it stands in JSON, but for text without its quotes."""
    if value is None or value == "":
        return Cell("", "nothing")
    if isinstance(value, str):
        return Cell(_cut(value, _MOST), "text")
    if kind == "number":
        return Cell(json.dumps(value), "number")
    whole = json.dumps(value, ensure_ascii=False)
    return Cell(_cut(whole, _MOST), "json", _cut(whole, _AT_A_GLANCE) if len(whole) > _AT_A_GLANCE else "")


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"
