"""Loading the parts of an export of another server: their rows become facts of a website that has no others.

Rows of a part arrive in the order of time, and a piece of them is stored in one transaction. So the number of stored
rows says where an interrupted load goes on, and no row is stored twice.
"""

from datetime import datetime
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from analytics_box.base.errors import BadRequest, Conflict
from analytics_box.base.facts.event import METRICS, TIMINGS
from analytics_box.base.facts.layout import STORED_ATTRIBUTES, STORED_COLUMNS, insert, stored_attributes
from analytics_box.base.facts.tables import ATTRIBUTES, BY_NAME, FactColumn
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.store.strings import Strings
from analytics_box.base.translation import _
from analytics_box.ingest.live import LiveSessions
from analytics_box.products.exports.parts import ExportPart, fact_export
from analytics_box.query.catalog.values import id_number
from analytics_box.tenants.tenancy.messages import Text
from analytics_box.tenants.websites.reach import own
from analytics_box.web.call import Call

MOST_ROWS: Final = 5_000  # In one transaction.
_METRICS: Final[dict[Any, int]] = {**METRICS, **TIMINGS}
_ROWS: Final = msgspec.json.Decoder(dict[str, Any])
_Row = dict[str, Any]


class FactLoader(Struct, frozen=True):
    """The parts that loading needs."""

    events: Db
    strings: Strings
    live: LiveSessions


class LoadPart(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of `load state`: a part of an export."""

    websiteId: Text
    table: Text
    month: Text


class LoadRows(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of `load rows`: NDJSON behind the first `skip` rows of a part."""

    websiteId: Text
    table: Text
    month: Text
    skip: Annotated[int, Meta(ge=0)]
    content: str


class LoadState(Struct, frozen=True):
    """The number of a part's rows that are stored."""

    stored: int


async def state(call: Call, given: LoadPart) -> LoadState:
    """load state: the number of a part's rows that are stored. Raises NotFound."""
    part, website = ExportPart(given.table, given.month), own(call, given.websiteId)
    export = fact_export(website, part, "ndjson", people=True)
    bots = " and bot = 0" if part.table == "events" else ""
    sql = f"-- loading.state\nselect count(*) from {part.table} where site = ?{bots} and time >= ? and time < ?"
    stored = await call.parts[FactLoader].events.read(
        lambda db: db.execute(sql, (website.site, export.start, export.end)).fetchall()
    )
    return LoadState(int(str(stored[0][0])))


async def rows(call: Call, given: LoadRows) -> LoadState:
    """load rows: store rows of a part. Raises BadRequest, NotFound, or Conflict if the website has other rows."""
    part, loader = ExportPart(given.table, given.month), call.parts[FactLoader]
    website = own(call, given.websiteId)
    export = fact_export(website, part, "ndjson", people=True)
    found = [_read_row(line, part.table) for line in given.content.splitlines() if line.strip()]
    times = [int(row["time"]) for row in found]
    if len(found) > MOST_ROWS:
        raise BadRequest(_("Load up to {most:,} rows at a time").format(most=MOST_ROWS))
    if times != sorted(times) or (times and not export.start <= times[0] <= times[-1] < export.end):
        raise BadRequest(_("The rows are not those of one month in the order of time"))

    def write(db: Connection) -> None:
        last = _last_time(db, website.site, part.table, export.start, export.end)
        if (last is None) != (given.skip == 0) or (last is not None and times and last > times[0]):
            raise Conflict(_("The website has other events in this month. Load into a website without events"))
        loader.strings.charge(lambda: None)
        insert(db, part.table, [_stored_row(db, loader.strings, part.table, website.site, row) for row in found])
        loader.live.skip_to(db, max((row["session"] for row in found), default=0))

    if found:
        await loader.events.write(write, adds=True)
    return LoadState(given.skip + len(found))


def _last_time(db: Connection, site: int, table: str, start: int, end: int) -> int | None:
    """The time of the last row of a site in a range."""
    bots = " and bot = 0" if table == "events" else ""
    sql = f"""-- loading.last_time
        select time from {table} where site = ?{bots} and time >= ? and time < ? order by time desc limit 1"""
    last = db.execute(sql, (site, start, end)).fetchone()
    return None if last is None else int(str(last[0]))


def _read_row(line: str, table: str) -> _Row:
    """A row of a file, with numbers instead of texts where rows are stored so. Raises BadRequest."""
    try:
        row = _ROWS.decode(line)
        checked: _Row = {"bot": "", "agent": ""}
        for column in BY_NAME[table].columns:
            value = row.get(column.name)
            if column.name == "time":
                at = msgspec.convert(value, datetime)
                checked["time"] = round(at.timestamp() * 1000)
            elif column.name in {"visitor", "session"}:
                checked[column.name] = (id_number(value) or 0) if isinstance(value, str) else 0
            elif column.name == "metric":
                checked["metric"] = _METRICS[value]
            elif column.name == "properties":
                checked["properties"] = msgspec.json.encode(value).decode() if value else None
            elif column.name not in {"site", "bot", "agent"}:
                checked[column.name] = check_value(value, column)
    except (msgspec.MsgspecError, KeyError, TypeError, OverflowError, RecursionError) as wrong:
        raise BadRequest(_("This is not a row of an export: {line}").format(line=line[:80])) from wrong
    return checked


def check_value(value: object, column: FactColumn) -> object:
    """A value of a column. Raises TypeError for one of another type."""
    if value is None and (column.null or column.kind == "string"):
        return "" if column.kind == "string" else None
    kinds: dict[str, type | tuple[type, ...]] = {"string": str, "integer": int, "real": (int, float)}
    if not isinstance(value, kinds[column.kind]) or isinstance(value, bool):
        raise TypeError(column.name)
    return value


def _stored_row(db: Connection, strings: Strings, table: str, site: int, row: _Row) -> tuple[object, ...]:
    """A row as it is stored, with the numbers that its texts have here."""
    texts = {column.name for column in BY_NAME[table].columns if column.kind == "string"}
    attributes = stored_attributes(db, strings, tuple(row[name] for name in ATTRIBUTES))
    known = dict(zip(STORED_ATTRIBUTES, attributes, strict=True)) | {"site": site}
    if table == "events":
        known["since_start"] = row["time"] - row["session_started"] if row["session"] else 0
    if table == "errors":
        known["error_group"] = strings.number(db, row["fingerprint"])
    found = []
    for name in STORED_COLUMNS[table]:
        if name in known:
            found.append(known[name])
        else:
            found.append(strings.number(db, row[name]) if name in texts else row[name])
    return tuple(found)
