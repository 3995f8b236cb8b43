"""Counting quarantined events of an allowed bot (semantics 19), and what was measured with them, with the sessions that
they would have had.

They are taken for events that come late: each continues a session of its visitor that it fits, else it begins one
(semantics 10 and 15). What an event's salt of the day before would have told is gone, so that a visit across midnight
UTC becomes two. Rows are never changed: they are inserted again, and the old ones removed.
"""

import json
from functools import partial
from typing import Any

import msgspec

from analytics_box.base.facts.event import CUSTOM, MEASURED
from analytics_box.base.facts.layout import INSERT, STORED_AS, STORED_ATTRIBUTES, STORED_COLUMNS, stored_table
from analytics_box.base.facts.tables import CLOSED, SPAN_OWN, SPANS
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.store.strings import EMPTY, Strings
from analytics_box.ingest import exposures, payments
from analytics_box.ingest.enrich import EventTarget, payment_of
from analytics_box.ingest.held import own_of, without_timings
from analytics_box.ingest.live import LiveSessions
from analytics_box.ingest.payload import InvalidEvent
from analytics_box.ingest.placing import Placing, SessionOwner, note_replaced
from analytics_box.ingest.recovery import RecoveredVisits, around
from analytics_box.ingest.sessions import IDLE, LONGEST, SPAN_KINDS, Signal
from analytics_box.ingest.visitors import Derive

CHUNK = 500  # events per write: those that arrive wait in the meantime
_SECONDS = 60.0  # for the look at a chunk's sessions

_COLUMNS = STORED_COLUMNS["events"]
_AT = {column: place for place, column in enumerate(_COLUMNS)}
_ATTRIBUTES = slice(_AT[STORED_ATTRIBUTES[0]], _AT[STORED_ATTRIBUTES[0]] + len(STORED_ATTRIBUTES))
_MOST_MOVED = 20 * CHUNK  # rows of their sessions that may follow a chunk of them
Row = list[Any]


async def unflag(
    events: Db, live: LiveSessions, strings: Strings, target: EventTarget, key: Derive, *, reason: str, agent: str
) -> int:
    """Count a site's events quarantined for this reason under this bot's name; return how many there were.

    `key` derives the key of customers' ids.
    """
    done = 0
    while True:
        found, known = await events.read(partial(_next, site=target.site, reason=reason, agent=agent), seconds=_SECONDS)
        if not found:
            return done
        done += await events.write(
            partial(_write, live=live, strings=strings, found=found, known=known, target=target, key=key)
        )


def _next(db: Connection, *, site: int, reason: str, agent: str) -> tuple[list[int], list[RecoveredVisits]]:
    """The oldest quarantined events by id, and the visits of their visitors around that time."""
    numbers = db.execute(
        """
        -- unflag.next
        select (select id from strings where value = ?), (select id from strings where value = ?)
        """,
        (reason, agent),
    ).fetchone()
    if numbers is None or None in numbers:
        return [], []
    rows = db.execute(
        f"""
        -- unflag.next
        select id, time, visitor, client_session
        from {stored_table("events")} indexed by events_flagged
        where site = ? and bot = ? and agent = ? and bot <> 0
        order by time, id
        limit ?
        """,
        (site, *numbers, CHUNK),
    ).fetchall()
    if not rows:
        return [], []
    found, times, visitors, clients = ([int(str(value)) for value in column] for column in zip(*rows, strict=True))
    span = min(times) - LONGEST - IDLE, max(times) + LONGEST + IDLE
    return found, around(db, site, span, set(visitors), {client for client in clients if client})


def _write(
    db: Connection,
    *,
    live: LiveSessions,
    strings: Strings,
    found: list[int],
    known: list[RecoveredVisits],
    target: EventTarget,
    key: Derive,
) -> int:
    """Rewrite those of these events that are still quarantined: another call may have been quicker."""
    rows = db.execute(
        f"""
        -- unflag.write
        select {", ".join(_COLUMNS)} from {stored_table("events")}
        where id in (select value from json_each(?)) and bot <> 0
        order by time, id
        """,
        (json.dumps(found),),
    ).fetchall()
    for visits in known:
        live.learn(*visits)
    placing = Placing(live, most_moved=_MOST_MOVED)
    exposing = strings.number(db, exposures.NAME)
    tables = {strings.number(db, table): table for table in SPANS}
    for row in rows:
        if row[_AT["kind"]] == MEASURED:
            _measure(db, list(row), tables[int(str(row[_AT["name"]]))], placing, strings)
            continue
        counted = _as_visitor_event(db, list(row), placing)
        if counted[_AT["kind"]] != CUSTOM:
            _timings(db, counted)
        elif counted[_AT["properties"]]:
            _pay(db, counted, strings, target, key)
        if counted[_AT["name"]] == exposing:
            _expose(db, counted, strings)
        db.execute(INSERT["events"], counted)
    db.execute(
        f"""
        -- unflag.write
        delete from {stored_table("events")} where id in (select value from json_each(?)) and bot <> 0
        """,
        (json.dumps(found),),
    )
    return len(rows)


def _expose(db: Connection, row: Row, strings: Strings) -> None:
    """Insert the visitor's flag exposure, as the event would have left it on arrival."""
    exposure = exposures.of(msgspec.json.decode(row[_AT["properties"]] or "null"))
    if exposure is None:
        return
    own = dict(zip(("flag", "variant"), [strings.number(db, text) for text in exposure], strict=True))
    of_event = dict(zip(_COLUMNS, row, strict=True))
    db.execute(INSERT["flag_exposures"], [(of_event | own)[name] for name in STORED_COLUMNS["flag_exposures"]])


def _pay(db: Connection, row: Row, strings: Strings, target: EventTarget, key: Derive) -> None:
    """Insert the payment that a custom event reports. Only events that came with an API key have no origin."""
    of_event = dict(zip(_COLUMNS, row, strict=True))
    properties = msgspec.json.decode(of_event["properties"])
    try:
        payment = payment_of(properties, target, of_event["origin"] == EMPTY, "", key)
    except InvalidEvent:
        # The event was accepted, and its amount is too large to count.
        return
    if payment is not None:
        payments.store(db, strings, payment, [of_event[name] for name in SPAN_OWN], row[_ATTRIBUTES])


def _timings(db: Connection, row: Row) -> None:
    """Write the timings of a page event as rows of vitals, and leave its properties as they were sent."""
    row[_AT["properties"]], timings = without_timings(row[_AT["properties"]])
    if timings:
        of_event = dict(zip(_COLUMNS, row, strict=True))
        of_each = [of_event | {"metric": metric, "value": value, "release": EMPTY} for metric, value in timings]
        db.executemany(INSERT["vitals"], [[one[name] for name in STORED_COLUMNS["vitals"]] for one in of_each])


def _measure(db: Connection, row: Row, table: str, placing: Placing, strings: Strings) -> None:
    """Convert a measurement to the row that its table would have had without quarantine."""
    own = own_of(table, row[_AT["properties"]])
    if own is None:
        return
    row[_AT["kind"]] = SPAN_KINDS[table]
    of_event = dict(zip(_COLUMNS, _as_visitor_event(db, row, placing), strict=True))
    for name, value in zip(SPANS[table], own, strict=True):
        number = strings.number if name in CLOSED else strings.folded
        of_event[STORED_AS.get(name, name)] = number(db, value) if isinstance(value, str) else value
    db.execute(INSERT[table], [of_event[name] for name in STORED_COLUMNS[table]])


def _as_visitor_event(db: Connection, row: Row, placing: Placing) -> Row:
    """The row as one of a person's event."""
    row[_AT["bot"]] = row[_AT["agent"]] = EMPTY
    site, time, visitor = row[_AT["site"]], row[_AT["time"]], row[_AT["visitor"]]
    if not visitor:
        return row
    who = SessionOwner(site, visitor, visitor, row[_AT["client_session"]])
    signal = Signal(time, row[_AT["path"]], row[_AT["kind"]])
    session = placing.place(db, who, signal, lambda: tuple(row[_ATTRIBUTES]))
    if session is not None:
        note_replaced(db, site, session, tuple(row[_ATTRIBUTES]))
        row[_AT["session"]], row[_AT["since_start"]] = session.number, time - session.started
        row[_ATTRIBUTES] = session.attributes
    return row
