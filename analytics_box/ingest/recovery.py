"""Reading back from the facts which sessions there are, after a restart and for what comes very late."""

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, cast

from analytics_box.base.clock import DAY
from analytics_box.base.facts.layout import STORED_ATTRIBUTES, stored_table
from analytics_box.base.facts.tables import SPANS
from analytics_box.base.store.db import Connection
from analytics_box.ingest.live import Key, LiveSessions, client_key, visitor_key
from analytics_box.ingest.sessions import MOST_SIGNALS, SPAN_KINDS, Visits, VisitSession

_FRESH = 2 * DAY  # an event may be a day late (semantics 1) and continue a session that had begun a day before it
_BEFORE = DAY  # such a session may take in a span that lies that far before it
_NEWEST = 300_000  # events, a quarter as many spans of each kind

# Signals as they are packed (sessions.py), in hexadecimal digits.
_PACKED = "group_concat(printf('%016x%016x%02x', time, path, what), '')"
_DIGITS = 2 * 17 * MOST_SIGNALS


class RecoveredVisits(NamedTuple):
    """Visits with the keys that they are known under."""

    keys: tuple[Key, ...]
    visits: Visits


def recover(db: Connection, live: LiveSessions, now: int, newest: int = _NEWEST) -> None:
    """Read the live sessions back from the newest rows."""
    least = f"id > (select coalesce(max(id), 0) from {{table}}) - {newest}"
    few = f"id > (select coalesce(max(id), 0) from {{table}}) - {newest // 4}"
    for found in _read_visits(
        db, events=least, spans=few, given={"since": now - _FRESH, "spans_since": now - _FRESH - _BEFORE}
    ):
        live.learn(*found)
    live.committed()


def around(
    db: Connection, site: int, times: tuple[int, int], visitors: Iterable[int], clients: Iterable[int]
) -> list[RecoveredVisits]:
    """The visits of these visitors and client session ids of a site, between these times."""
    chosen = """
    site = :site and time <= :until and (
      client_session = 0 and visitor in (select value from json_each(:visitors))
      or client_session in (select value from json_each(:clients))
    )
    """
    given = {
        "site": site,
        "since": times[0],
        "spans_since": times[0],
        "until": times[1],
        "visitors": json.dumps(sorted(visitors)),
        "clients": json.dumps(sorted(clients)),
    }
    return list(_read_visits(db, events=chosen, spans=chosen, given=given))


def _read_visits(db: Connection, *, events: str, spans: str, given: dict[str, Any]) -> Iterator[RecoveredVisits]:
    within = _spans_of_sessions(db, spans, given)
    rows = db.execute(
        f"""
        -- recovery.sessions
        select site, client_session, session, json_group_array(distinct visitor), time - since_start,
          min(time), max(time), min(iif(kind = 1, time, null)), {_PACKED}, {", ".join(STORED_ATTRIBUTES)}
        from (
          select *, kind as what from {stored_table("events")}
          where {events.format(table=stored_table("events"))} and time >= :since and session <> 0
          order by time
        )
        group by session
        order by max(time)
        """,
        given,
    )
    for row in cast(list[tuple[Any, ...]], rows.fetchall()):  # the tables are strict
        site, client, number, visitors, began, first, last, viewed, signals, *attributes = row
        text = (signals + within.get(number, ""))[:_DIGITS]
        if viewed is None and began < first:
            viewed = began  # what it began with is older than what is read
        known = bytearray.fromhex(text)
        session = VisitSession(number, began, first, last, viewed or 0, tuple(attributes), known, len(known))
        yield RecoveredVisits(_keys(site, client, json.loads(visitors)), Visits((session,)))
    yield from _waiting(db, events, spans, given)


def _keys(site: int, client: int, visitors: list[int]) -> tuple[Key, ...]:
    return (client_key(site, client),) if client else tuple(visitor_key(site, visitor) for visitor in visitors)


def _spans_of_sessions(db: Connection, spans: str, given: dict[str, Any]) -> dict[int, str]:
    rows = db.execute(
        f"""
        -- recovery.spans
        select session, {_PACKED} from ({_all_spans(spans)}) where session <> 0 group by session
        """,
        given,
    )
    return {int(str(number)): str(signals) for number, signals in rows.fetchall()}


def _waiting(db: Connection, events: str, spans: str, given: dict[str, Any]) -> Iterator[RecoveredVisits]:
    """Leave beacons and spans that have no session yet."""
    rows = db.execute(
        f"""
        -- recovery.waiting
        select site, client_session, visitor, {_PACKED} from (
          {_all_spans(spans)}
          union all
          select site, client_session, visitor, session, time, path, kind from {stored_table("events")}
          where {events.format(table=stored_table("events"))} and time >= :since and kind = 3 and bot = 0
        )
        where session = 0 and visitor <> 0
        group by site, client_session, iif(client_session = 0, visitor, 0)
        """,
        given,
    )
    for site, client, visitor, signals in rows.fetchall():
        visits = Visits(waiting=bytes.fromhex(str(signals)[:_DIGITS]))
        yield RecoveredVisits(_keys(int(str(site)), int(str(client)), [int(str(visitor))]), visits)


def _all_spans(spans: str) -> str:
    return " union all ".join(
        f"""
        select site, client_session, visitor, session, time, path, {SPAN_KINDS[table]} as what from
        {stored_table(table)}
        where {spans.format(table=stored_table(table))} and time >= :spans_since
        """
        for table in SPANS
    )
