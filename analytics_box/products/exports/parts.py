"""The parts of an export: the facts of one table in one UTC month, so that each can be downloaded again by itself."""

from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from typing import Final

from msgspec import Struct

from analytics_box.base.errors import NotFound
from analytics_box.base.facts.tables import BY_NAME, FACT_NAMES
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.query.catalog.types import Record
from analytics_box.query.engines import Engines
from analytics_box.query.exported import HISTORIES, FactExport, Format, opening, pieces, text
from analytics_box.tenants.websites.rules import Website

_TYPES: Final = {"string": "string", "text": "string", "blob": "string", "integer": "integer", "real": "number"}
# Columns whose exported values have another type than the stored ones.
_SPECIAL: Final = {
    **dict.fromkeys(("time", "start", "until"), "timestamp"),
    **dict.fromkeys(("visitor", "session", "metric", "link", "monitor", "landing", "landing_visitor"), "string"),
}


class ExportPart(Struct, frozen=True):
    """A part: a table and a month, such as `2026-06`."""

    table: str
    month: str


class ExportColumn(Struct, frozen=True):
    """A column of a part. Times are ISO 8601 in UTC, visitors and sessions 16 hexadecimal digits."""

    name: str
    type: str


def month_range(month: str) -> tuple[int, int]:
    """The start and the end of a UTC month, in UTC ms. Raises NotFound for what is no month."""
    try:
        first = datetime.strptime(month, "%Y-%m").replace(tzinfo=UTC)
    except ValueError as wrong:
        raise NotFound(_("There is no month {month}. Enter one such as 2026-06").format(month=month[:20])) from wrong
    following = first.replace(year=first.year + first.month // 12, month=first.month % 12 + 1)
    return round(first.timestamp() * 1000), round(following.timestamp() * 1000)


async def parts_of(engines: Engines, website: Website) -> list[ExportPart]:
    """The parts of a website that can have facts, oldest first."""

    def read(db: Connection) -> dict[str, tuple[int, int]]:
        found = {}
        for table in FACT_NAMES:
            sql = f"-- exports.parts_of\nselect min(time), max(time) from {table} where site = ?"
            ((first, last),) = db.execute(sql, (website.site,)).fetchall()
            if first is not None:
                found[table] = (int(str(first)), int(str(last)))
        return found

    spans = await engines.events.read(read)
    if engines.beyond.is_shared or await engines.beyond.has_any(website.site):
        latest = max((last for _first, last in spans.values()), default=website.created_at)
        spans = dict.fromkeys(FACT_NAMES, (website.created_at, latest))
    return [ExportPart(table, month) for table, (first, last) in spans.items() for month in _months(first, last)]


def _months(first: int, last: int) -> list[str]:
    """The UTC months from one instant to another."""
    start, end = (datetime.fromtimestamp(instant / 1000, UTC) for instant in (first, last))
    numbers = range(start.year * 12 + start.month - 1, end.year * 12 + end.month)
    return [f"{number // 12}-{number % 12 + 1:02}" for number in numbers]


def columns_of(table: str) -> list[ExportColumn]:
    """The columns of a part for another server."""
    kinds = {column.name: _TYPES[column.kind] for column in BY_NAME[table].columns} | _SPECIAL
    # The name of a link or monitor is in front of each of its rows.
    owner = HISTORIES[table][:1] if table in HISTORIES else ()
    return [
        ExportColumn(name, kinds[name]) for name in owner + FactExport(0, 0, 0, "ndjson", whole=True).columns(table)
    ]


def fact_export(website: Website, part: ExportPart, form: Format, *, people: bool) -> FactExport:
    """The facts of a part. Raises NotFound for an unknown table or month."""
    if part.table not in FACT_NAMES:
        raise NotFound(_("There is no table {table}").format(table=part.table[:40]))
    start, end = month_range(part.month)
    return FactExport(website.site, start, end, form, people=people, whole=True)


async def stream(engines: Engines, part: ExportPart, export: FactExport, *, seconds: float) -> AsyncIterator[bytes]:
    """A part as a file, piece by piece. Each read can take `seconds`."""
    columns = export.columns(part.table)
    async with engines.beyond.keeping():
        yield opening(export.format, columns)
        async for rows in pieces(engines, export, part.table, seconds):
            yield text(export.format, columns, rows, first=False)


async def piece(
    engines: Engines,
    part: ExportPart,
    export: FactExport,
    *,
    most_bytes: int,
    seconds: float,
    adjust: Callable[[Record], Record] | None = None,
) -> tuple[str, tuple[int, int] | None]:
    """The rows behind `export.after` as NDJSON, and where the following ones begin; None behind the last row."""
    content, place = b"", None
    names = [column.name for column in columns_of(part.table)]
    async with engines.beyond.keeping():
        async for rows in pieces(engines, export, part.table, seconds):
            shown = rows if adjust is None else [adjust(row) for row in rows]
            content += text("ndjson", names, shown, first=False)
            place = (int(str(rows[-1]["_place"][0])), int(str(rows[-1]["_place"][1])))
            if len(content) >= most_bytes:
                return content.decode(), place
    return content.decode(), None
