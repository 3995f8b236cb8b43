"""Clicks of links, and checks and states of monitors, in exports: their rows, and loading them into another server.

A history is loaded into a link or monitor that has none from before its creation there. The number of stored rows
says where an interrupted load goes on, as for the facts of a website.
"""

from datetime import datetime
from functools import partial
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from analytics_box.base.errors import BadRequest, Conflict, NotFound
from analytics_box.base.facts.layout import insert
from analytics_box.base.facts.tables import BY_NAME
from analytics_box.base.facts.uptime import STATES, UNKNOWN
from analytics_box.base.store.db import Connection
from analytics_box.base.store.strings import Strings
from analytics_box.base.translation import _
from analytics_box.products.exports.calls import PIECE_BYTES, ExportRows, place_of, place_text
from analytics_box.products.exports.loading import MOST_ROWS, FactLoader, LoadState, check_value
from analytics_box.products.exports.parts import ExportPart, piece
from analytics_box.products.links.clicks.waiting import Clicks
from analytics_box.products.links.lookup import find_link
from analytics_box.products.monitors.access import find_monitor
from analytics_box.query.catalog.types import Record
from analytics_box.query.catalog.values import id_number
from analytics_box.query.exported import HISTORIES, FactExport, moment_text
from analytics_box.query.run import QueryRunner
from analytics_box.tenants.tenancy.messages import Text
from analytics_box.tenants.websites.directory import Directory
from analytics_box.web.call import Call

_ROWS: Final = msgspec.json.Decoder(dict[str, Any])
_END: Final = 1 << 62
_TIMES: Final = ("time", "start", "until")


class ReadHistory(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of `history read`: a table of HISTORIES and the id of a link or monitor. `after` is `next` of the answer
    before."""

    table: Text
    id: Text
    after: Text | None = None


class FindHistory(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of `history state`."""

    table: Text
    id: Text


class LoadHistory(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of `history load`: NDJSON behind the first `skip` rows of a history."""

    table: Text
    id: Text
    skip: Annotated[int, Meta(ge=0)]
    content: str


class HistoryOwner(Struct, frozen=True):
    """A link or a monitor: its number, when it was created here (UTC ms), and the name that its rows have in a file."""

    number: int
    created_at: int
    name: str


async def read(call: Call, given: ReadHistory) -> ExportRows:
    """history read: get rows of a history, in the order of time. Raises NotFound."""
    owner = await _owner(call, given.table, given.id)
    export = FactExport(owner.number, 0, _END, "ndjson", after=place_of(given.after))
    # Another server cannot know how long the open state of a monitor lasts after now.
    still_open = {"until": moment_text(call.now)} if given.table == "monitor_spans" else {}
    domains = {website.site: website.domain for website in call.parts[Directory].all()}

    def with_owner(row: Record) -> Record:
        more = {"landing": domains.get(int(str(row["landing"])), "")} if "landing" in row else {}
        return (
            {HISTORIES[given.table][0]: owner.name} | row | more | (still_open if row.get("until", "") is None else {})
        )

    content, following = await piece(
        call.parts[QueryRunner].engines,
        ExportPart(given.table, ""),
        export,
        most_bytes=PIECE_BYTES,
        seconds=call.parts.settings.query_seconds,
        adjust=with_owner,
    )
    return ExportRows(content, place_text(following))


async def state(call: Call, given: FindHistory) -> LoadState:
    """history state: the number of rows from before the link or monitor was created here. Raises NotFound."""
    owner = await _owner(call, given.table, given.id)
    return LoadState(await call.parts[FactLoader].events.read(lambda db: _count_rows(db, given.table, owner)[0]))


async def load(call: Call, given: LoadHistory) -> LoadState:
    """history load: store rows of a history from before the link or monitor was created here.

    Raises BadRequest, NotFound, or Conflict if it has another history.
    """
    owner, loader, clicks = await _owner(call, given.table, given.id), call.parts[FactLoader], call.parts[Clicks]
    sites = {website.domain: website.site for website in call.parts[Directory].of(call.organization())}
    time = HISTORIES[given.table][1]
    lines = [line for line in given.content.split("\n") if line.strip()]
    if len(lines) > MOST_ROWS:
        raise BadRequest(_("Load up to {most:,} rows at a time").format(most=MOST_ROWS))
    found = [_read_row(line, given.table, sites) for line in lines]
    times = [row[time] for row in found]
    if times != sorted(times) or (times and times[0] <= 0):
        raise BadRequest(_("The rows are not in the order of time"))
    found = [row for row in found if row[time] < owner.created_at]

    def write(db: Connection) -> None:
        stored, last = _count_rows(db, given.table, owner)
        if stored != given.skip or last > times[0]:
            raise Conflict(_("{name} has another history").format(name=owner.name))
        loader.strings.charge(lambda: None)
        if given.table == "link_clicks":
            clicks.store_older(db, owner.number, found)
        elif given.table == "checks":
            _store_checks(db, loader.strings, owner, found)
        else:
            _store_spans(db, owner, found)

    if found:
        await loader.events.write(write, adds=True)
        if given.table == "link_clicks":
            clicks.recount(owner.number)
    return LoadState(given.skip + len(found))


async def _owner(call: Call, table: str, owner_id: str) -> HistoryOwner:
    if table not in HISTORIES:
        raise NotFound(_("There is no table {table}").format(table=table[:40]))
    if table == "link_clicks":
        link = await find_link(call, owner_id)
        return HistoryOwner(link.number, link.created_at, f"{link.domain or ''}/{link.slug}")
    _reach, monitor = find_monitor(call, owner_id)
    return HistoryOwner(monitor.number, monitor.created_at, monitor.called)


def _count_rows(db: Connection, table: str, owner: HistoryOwner) -> tuple[int, int]:
    """The number of rows from before the owner was created here, and the time of the last."""
    column, time = HISTORIES[table]
    # The gap between a loaded history and the own one is not in any file.
    gap = f" and not (state = {UNKNOWN} and until = {owner.created_at})" if table == "monitor_spans" else ""
    sql = f"-- histories.count_rows\nselect count(*), max({time}) from {table} where {column} = ? and {time} < ?{gap}"
    [[count, last]] = db.execute(sql, (owner.number, owner.created_at)).fetchall()
    return int(str(count)), int(str(last or 0))


def _read_row(line: str, table: str, sites: dict[str, int]) -> dict[str, Any]:
    """A row of a file, with numbers for times, visitors and websites. Raises BadRequest."""
    try:
        row = _ROWS.decode(line)
        checked: dict[str, Any] = {}
        for column in BY_NAME[table].columns[1:]:
            value = row.get(column.name)
            if column.name in _TIMES:
                empty = value is None and column.name == "until"
                checked[column.name] = 0 if empty else round(msgspec.convert(value, datetime).timestamp() * 1000)
            elif column.name in {"visitor", "landing_visitor"}:
                checked[column.name] = (id_number(value) or 0) if isinstance(value, str) else 0
            elif column.name == "landing":
                checked[column.name] = sites.get(value, 0) if isinstance(value, str) else 0
            elif column.name == "data":
                checked[column.name] = msgspec.json.encode(value).decode() if value else None
            else:
                checked[column.name] = check_value(value, column)
    except (msgspec.MsgspecError, KeyError, TypeError, OverflowError, RecursionError) as wrong:
        raise BadRequest(_("This is not a row of an export: {line}").format(line=line[:80])) from wrong
    return checked


def _store_checks(db: Connection, strings: Strings, owner: HistoryOwner, rows: list[dict[str, Any]]) -> None:
    table = BY_NAME["checks"]
    texts = frozenset(table.strings)
    number = partial(strings.number, db)
    insert(
        db,
        table.name,
        [
            (owner.number, *(number(row[name]) if name in texts else row[name] for name in table.names[1:]))
            for row in rows
        ],
    )


def _store_spans(db: Connection, owner: HistoryOwner, rows: list[dict[str, Any]]) -> None:
    """Spans end where those of this server begin, with a gap of an unknown state."""
    end = owner.created_at
    ended = [(row["state"], row["start"], min(row["until"] or end, end)) for row in rows]
    if any(start > until or state not in STATES for state, start, until in ended):
        raise BadRequest(_("A period of a monitor has an unknown state, or ends before it begins"))
    db.execute(
        "-- histories.gap\ndelete from monitor_spans where monitor = ? and state = ? and start < ? and until = ?",
        (owner.number, UNKNOWN, end, end),
    )
    if ended[-1][2] < end:
        ended.append((UNKNOWN, ended[-1][2], end))
    insert(db, "monitor_spans", [(owner.number, *span) for span in ended])
