"""Imported totals in an export of this product: JSON lines, one for each day and value."""

from collections.abc import Iterator
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from analytics_box.products.imports.files import ImportFiles
from analytics_box.products.imports.records import (
    DayTotal,
    ExportReader,
    ImportRecord,
    Locate,
    RowRefusal,
    day_of,
    json_lines,
)

Count = Annotated[int, Meta(ge=0, lt=10**15)]
COLUMNS: Final = ("day", "roll", "value", "second", "visitors", "visits", "pageviews", "bounces", "seconds", "events")


class ExportedTotal(Struct, frozen=True):
    """A total of a value on a day, such as 2025-03-31."""

    day: str
    roll: Annotated[str, Meta(min_length=1, max_length=64, pattern="^[a-z_]+$")]
    value: Annotated[str, Meta(max_length=1024)]
    second: Annotated[str, Meta(max_length=1024)]
    visitors: Count
    visits: Count
    pageviews: Count
    bounces: Count
    seconds: Count
    events: Count


def _recognize(files: ImportFiles) -> str:
    lines = [files.first_line(name) for name in files.names]
    return "1" if lines and all(isinstance(_record(row), DayTotal) for row in json_lines(lines)) else ""


def _read(files: ImportFiles, _version: str, _locate: Locate) -> Iterator[ImportRecord]:
    lines = (line for name in files.names for line in files.lines(name))
    return map(_record, json_lines(lines))


def _record(row: dict[str, Any] | RowRefusal) -> ImportRecord:
    if isinstance(row, RowRefusal):
        return row
    try:
        found = msgspec.convert(row, ExportedTotal)
    except msgspec.ValidationError as wrong:
        return RowRefusal("row", str(wrong))
    day = day_of(found.day)
    return RowRefusal("time", found.day) if day is None else DayTotal(day, *msgspec.structs.astuple(found)[1:])


READER: Final = ExportReader(
    "analytics_box", "Analytics Box", "totals", "Imported totals of analytics-box export, as NDJSON", _recognize, _read
)
