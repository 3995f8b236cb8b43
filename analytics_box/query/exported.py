"""The facts of a website, a link or a monitor as files, piece by piece so that memory stays bounded."""

import io
import json
import zipfile
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence, Set
from functools import partial
from sys import getsizeof
from typing import Any, Literal

import msgspec
from msgspec import Struct

from analytics_box.base.clock import iso
from analytics_box.base.facts.event import METRICS, TIMINGS
from analytics_box.base.facts.tables import CHECKS, FACTS, LINK_CLICKS, MONITOR_SPANS
from analytics_box.base.store.db import Connection
from analytics_box.query import sheets
from analytics_box.query.catalog.types import Record
from analytics_box.query.catalog.values import id_text
from analytics_box.query.engines import Engines

Format = Literal["csv", "json", "ndjson"]
PIECE, PIECE_BYTES = 500, 1 << 20  # rows, and what they may take before their texts are looked up
_HIDDEN = frozenset(("site", "bot", "agent", "kind", "session_started"))
_METRIC_NAMES = {number: name for name, number in (METRICS | TIMINGS).items()}
# Facts of links and monitors: the column of their owner, and that of their time. They are always here.
HISTORIES = {"link_clicks": ("link", "time"), "checks": ("monitor", "time"), "monitor_spans": ("monitor", "start")}
_HISTORY_TABLES = (LINK_CLICKS, CHECKS, MONITOR_SPANS)
_STRINGS = {table.name: frozenset(table.strings) for table in (*FACTS, *_HISTORY_TABLES)}
_TABLES = {table.name: tuple(name for name in table.names if name not in _HIDDEN) for table in FACTS}
_HISTORY_COLUMNS = {table.name: table.names[1:] for table in _HISTORY_TABLES}
_TIMES, _PEOPLE = ("time", "start", "until"), ("visitor", "session", "landing_visitor")
_JSON = ("properties", "data")
# What another server needs in addition, to give the same answers.
_WHOLE = {"events": ("kind", "session_started")}


class FactExport(Struct, frozen=True):
    """The data to export: a site's facts in [start, end), UTC ms; with `people`, identities are included.

    `site` is the number of a link or monitor for their facts. It begins behind the row at `after`, a time and an id.
    `whole` rows are for another server.
    """

    site: int
    start: int
    end: int
    format: Format
    people: bool = False
    whole: bool = False
    after: tuple[int, int] | None = None

    def columns(self, table: str) -> tuple[str, ...]:
        """The columns of a table's rows."""
        if table in HISTORIES:
            return _HISTORY_COLUMNS[table]
        return _TABLES[table] + (_WHOLE.get(table, ()) if self.whole else ())


class _Outbox(io.RawIOBase):
    """The stream that the archive is written to, and read from as it grows."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._waiting.append(bytes(data))
        return len(data)

    def take(self) -> bytes:
        taken = b"".join(self._waiting)
        self._waiting.clear()
        return taken


async def archive(engines: Engines, part: FactExport, *, seconds: float) -> AsyncIterator[bytes]:
    """A ZIP file with one file for each kind of facts that there is. Raises InClickHouse."""
    async with engines.beyond.keeping():
        async for piece in _archive(engines, part, seconds=seconds):
            yield piece


async def _archive(engines: Engines, part: FactExport, *, seconds: float) -> AsyncIterator[bytes]:
    outbox = _Outbox()
    with zipfile.ZipFile(outbox, "w", zipfile.ZIP_DEFLATED) as file:
        for table, names in _TABLES.items():
            written = False
            with file.open(f"{table}.{part.format}", "w", force_zip64=True) as member:
                member.write(opening(part.format, names))
                async for rows in pieces(engines, part, table, seconds):
                    member.write(text(part.format, names, rows, first=not written))
                    written = True
                    yield outbox.take()
                member.write(b"\n]\n" if part.format == "json" else b"")
    yield outbox.take()


async def pieces(engines: Engines, part: FactExport, table: str, seconds: float) -> AsyncIterator[list[Record]]:
    """First what is in ClickHouse only, then what is here. Of several machines, all of it is there."""
    after = first = part.after or (part.start, 0)
    is_here = table in HISTORIES
    if engines.beyond.is_shared and not is_here:
        while there := await _there(engines, part, table, after):
            after = (there[-1]["time"], there[-1]["id"])
            yield await _of_all_machines(engines, part, table, there)
        return
    if not is_here and await engines.beyond.has_any(part.site, part.start):
        while there := await _there(engines, part, table, after):
            after = (there[-1]["time"], there[-1]["id"])
            yield await engines.events.read(partial(_readable, part=part, table=table, found=there), seconds=seconds)
        after = first
    while rows := await engines.events.read(partial(_piece, part=part, table=table, after=after), seconds=seconds):
        after = rows[-1]["_place"]
        yield rows


async def _there(engines: Engines, part: FactExport, table: str, after: tuple[int, int]) -> list[dict[str, Any]]:
    columns = ("id", *part.columns(table))
    bots = " and bot = 0" if table == "events" else ""
    where = (
        f"site = {part.site}{bots} and time >= {after[0]} and (time > {after[0]} or id > {after[1]})"
        f" and time < {part.end}"
    )
    rows = await engines.beyond.rows(table, columns, where, order="time, id", most=PIECE)
    return [dict(zip(columns, row, strict=True)) for row in rows]


async def _of_all_machines(engines: Engines, part: FactExport, table: str, found: list[dict[str, Any]]) -> list[Record]:
    _without_people(part, found)
    names = part.columns(table)
    texts = await engines.beyond.texts(_numbers(found, _STRINGS[table].intersection(names)))
    return [_export_record(row, names, _STRINGS[table], texts) for row in found]


def opening(format_of: Format, names: Sequence[str]) -> bytes:
    if format_of == "csv":
        return sheets.lines(names, ()).encode()
    return b"[" if format_of == "json" else b""


def text(format_of: Format, names: Sequence[str], rows: list[Record], *, first: bool) -> bytes:
    if format_of == "csv":
        return sheets.lines(names, rows, heading=False).encode()
    shown = [msgspec.json.encode({name: row[name] for name in names}) for row in rows]
    if format_of == "ndjson":
        return b"\n".join(shown) + b"\n"
    return (b"\n" if first else b",\n") + b",\n".join(shown)


def _piece(db: Connection, *, part: FactExport, table: str, after: tuple[int, int]) -> list[Record]:
    """The next rows in the order of time; equal ones as they arrived."""
    names = part.columns(table)
    owner, time = HISTORIES.get(table, ("site", "time"))
    bots = " and bot = 0" if table == "events" else ""
    rows = db.execute(
        f"""
        -- exported.piece
        select id, {", ".join(names)} from {table}
        where {owner} = :site{bots} and ({time}, id) > (:time, :id) and {time} >= :time and {time} < :end
        order by {time}, id limit :most
        """,
        {"site": part.site, "time": after[0], "id": after[1], "end": part.end, "most": PIECE},
    )
    found = [dict(zip(("id", *names), row, strict=True)) for row in _up_to(PIECE_BYTES, rows)]
    rows.close(force=True)
    return _readable(db, part=part, table=table, found=found)


def _readable(db: Connection, *, part: FactExport, table: str, found: list[dict[str, Any]]) -> list[Record]:
    """Convert these rows to export records, with the texts instead of their numbers."""
    names = part.columns(table)
    _without_people(part, found)
    strings = _STRINGS[table]
    texts = _texts(db, found, strings.intersection(names))
    return [_export_record(row, names, strings, texts) for row in found]


def _without_people(part: FactExport, found: list[dict[str, Any]]) -> None:
    if not part.people:
        for row in found:
            if "profile" in row:
                row["profile"] = 0


def _up_to(most: int, rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """The first rows, at least one, until they take that many bytes."""
    size = 0
    for row in rows:
        yield row
        size += sum(map(getsizeof, row))
        if size >= most:
            return


def _texts(db: Connection, rows: list[dict[str, Any]], names: Set[str]) -> dict[int, str]:
    found = db.execute(
        "-- exported.texts\nselect id, value from strings where id in (select value from json_each(?))",
        (json.dumps(sorted(_numbers(rows, names))),),
    ).fetchall()
    return {int(str(number)): str(value) for number, value in found}


def _numbers(rows: list[dict[str, Any]], names: Set[str]) -> set[int]:
    return {row[name] for row in rows for name in names}


def _export_record(row: dict[str, Any], names: Sequence[str], strings: Set[str], texts: dict[int, str]) -> Record:
    shown: Record = {name: texts.get(row[name], "") if name in strings else row[name] for name in names}
    for name in shown.keys() & _TIMES:
        shown[name] = moment_text(row[name])
    for name in shown.keys() & _PEOPLE:
        shown[name] = id_text(row[name])
    for name in shown.keys() & _JSON:
        shown[name] = msgspec.json.decode(row[name]) if row[name] else None
    if "metric" in shown:
        shown["metric"] = _METRIC_NAMES.get(row["metric"], str(row["metric"]))
    shown["_place"] = (row["time"] if "time" in row else row["start"], row["id"])
    return shown


def moment_text(instant: int) -> str | None:
    """UTC ms as ISO 8601; None for 0, as of a span that is open."""
    return iso(instant) if instant else None
