"""Events that were held for a program's become people's (semantics 19), with the sessions that they would have had.

They are taken for events that come late: each continues a session of its visitor that it fits, else it begins one
(semantics 10 and 15). What an event's salt of the day before would have told is gone, so that a visit across midnight
UTC becomes two. Rows are never changed: they are written anew, and the old ones removed.
"""

import json
from functools import partial
from typing import Any

from analytics_box.clock import DAY
from analytics_box.ingest import sessions
from analytics_box.ingest.facts import PAGE_EXIT, STORED_ATTRIBUTES, STORED_COLUMNS, STORED_OWN, stored
from analytics_box.ingest.sessions import IDLE, LONGEST, Key, LiveSessions, Session
from analytics_box.store.db import Connection, Db
from analytics_box.store.strings import EMPTY

CHUNK = 500  # events per write: those that arrive wait meanwhile
_SECONDS = 60.0  # for the look at a chunk's sessions

_AT = {column: place for place, column in enumerate(STORED_COLUMNS)}
_FIRST_ATTRIBUTE = len(STORED_OWN)
_INSERT = f"""
    -- unflag.write
    insert into {stored("events")} ({", ".join(STORED_COLUMNS)}) values ({", ".join("?" * len(STORED_COLUMNS))})
    """
Row = list[Any]
Known = dict[Key, list[Session]]


async def unflag(events: Db, live: LiveSessions, *, site: int, reason: str, agent: str, now: int) -> int:
    """Count all events of a site that were held for this reason under this agent's name; how many there were."""
    done = 0
    while True:
        found, known = await events.read(partial(_next, site=site, reason=reason, agent=agent), seconds=_SECONDS)
        if not found:
            return done
        done += await events.write(partial(_write, live=live, found=found, known=known, now=now))


def _next(db: Connection, *, site: int, reason: str, agent: str) -> tuple[list[int], Known]:
    """The oldest held events by id, and the sessions of their visitors around that time."""
    numbers = db.execute(
        """
        -- unflag.next
        select (select id from strings where value = ?), (select id from strings where value = ?)
        """,
        (reason, agent),
    ).fetchone()
    if numbers is None or None in numbers:
        return [], {}
    rows = db.execute(
        f"""
        -- unflag.next
        select id, time, visitor, client_session
        from {stored("events")} indexed by events_flagged
        where site = ? and bot = ? and agent = ? and bot <> 0
        order by time, id
        limit ?
        """,
        (site, *numbers, CHUNK),
    ).fetchall()
    if not rows:
        return [], {}
    ids, times, visitors, clients = (list(column) for column in zip(*rows, strict=True))
    return [int(str(one)) for one in ids], _sessions(db, site, times, visitors, clients)


def _sessions(db: Connection, site: int, times: list[Any], visitors: list[Any], clients: list[Any]) -> Known:
    rows = db.execute(
        f"""
        -- unflag.sessions
        select visitor, client_session, session, time - since_start, max(time), {", ".join(STORED_ATTRIBUTES)}
        from {stored("events")}
        where site = :site and time between :first and :last and session <> 0
          and (
            client_session = 0 and visitor in (select value from json_each(:visitors))
            or client_session in (select value from json_each(:clients))
          )
        group by session
        """,
        {
            "site": site,
            "first": min(times) - LONGEST - IDLE,
            "last": max(times) + LONGEST + IDLE,
            "visitors": json.dumps(sorted(set(visitors))),
            "clients": json.dumps(sorted({client for client in clients if client})),
        },
    ).fetchall()
    known: Known = {}
    for row in rows:
        visitor, client, number, started, last, *attributes = (int(str(value)) for value in row)
        known.setdefault(_key(site, visitor, client), []).append(Session(number, started, last, tuple(attributes)))
    return known


def _write(db: Connection, *, live: LiveSessions, found: list[int], known: Known, now: int) -> int:
    """Write these events anew; those that are still held, for another call may have been quicker."""
    rows = db.execute(
        f"""
        -- unflag.write
        select {", ".join(STORED_COLUMNS)} from {stored("events")}
        where id in (select value from json_each(?)) and bot <> 0
        order by time, id
        """,
        (json.dumps(found),),
    ).fetchall()
    counted = [_counted(db, list(row), live, known, now) for row in rows]
    db.executemany(_INSERT, counted)
    db.execute(
        f"""
        -- unflag.write
        delete from {stored("events")} where id in (select value from json_each(?)) and bot <> 0
        """,
        (json.dumps(found),),
    )
    return len(counted)


def _counted(db: Connection, row: Row, live: LiveSessions, known: Known, now: int) -> Row:
    """The row as one of a person's event."""
    row[_AT["bot"]] = row[_AT["agent"]] = EMPTY
    session = _session(db, row, live, known, now)
    if session is not None:
        row[_AT["session"]], row[_AT["since_start"]] = session.number, row[_AT["time"]] - session.started
        row[_FIRST_ATTRIBUTE : _FIRST_ATTRIBUTE + len(STORED_ATTRIBUTES)] = session.attributes
    return row


def _session(db: Connection, row: Row, live: LiveSessions, known: Known, now: int) -> Session | None:
    """The session that this event continues or begins; None for nobody and for a leave beacon on its own."""
    time, visitor = row[_AT["time"]], row[_AT["visitor"]]
    if not visitor:
        return None
    key = _key(row[_AT["site"]], visitor, row[_AT["client_session"]])
    announced = live.find((key,), time)
    if announced is not None and announced.attributes:
        session = announced._replace(last=max(announced.last, time))
        live.keep(key, session)
        return session
    found = _fitting(known.get(key, ()), key, time)
    if found is not None:
        session = found._replace(last=max(found.last, time))
    elif row[_AT["kind"]] == PAGE_EXIT:
        return None
    else:
        attributes = row[_FIRST_ATTRIBUTE : _FIRST_ATTRIBUTE + len(STORED_ATTRIBUTES)]
        session = live.begin(db, time, tuple(attributes), announced.number if announced is not None else None)
    known[key] = [other for other in known.get(key, ()) if other.number != session.number] + [session]
    if now - session.last <= DAY:
        live.keep(key, session)
    return session


def _fitting(known: "list[Session] | tuple[()]", key: Key, time: int) -> Session | None:
    """The newest of these sessions that an event at this time continues."""
    fitting = [session for session in known if sessions.continues(session, key, time)]
    return max(fitting, key=lambda session: (session.started, session.number), default=None)


def _key(site: int, visitor: int, client_session: int) -> Key:
    return (site, "client", client_session) if client_session else (site, "visitor", visitor)
