"""The visits that payments belong to. A webhook may arrive before the events of its visitor, or know only the customer,
so visits are looked for afterwards: often while a payment is new, then every hour, for three days.

A payment belongs to the last session before it (last touch). `first_` columns describe the first session of the same
visitor or person in the time that is looked through.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Final

from msgspec import Struct

from analytics_box.base.clock import DAY, MINUTE
from analytics_box.base.facts.layout import STORED_ATTRIBUTES, stored_table
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.store.strings import Strings
from analytics_box.ingest.payments import TABLE, UNMATCHED

LOOK_BACK: Final = 30 * DAY
NEW: Final = 10 * MINUTE
_GIVEN_UP: Final = 3 * DAY
# A provider's clock may be behind, and the page after the payment may be the first one of the session.
_SLACK: Final = 10 * MINUTE
_MOST_ROWS: Final = 200
_MOST_SESSIONS: Final = 20_000
_SECONDS: Final = 30.0
_TRANSACTIONS, _EVENTS = stored_table(TABLE), stored_table("events")
_FIRST: Final = {"first_source": "source", "first_channel": "channel"} | {
    "first_campaign": "utm_campaign",
    "first_entry": "entry",
}
_ATTRIBUTES: Final = ", ".join(STORED_ATTRIBUTES)


class PendingPayment(Struct, frozen=True):
    """A payment whose visit, or whose visitor's first session, is looked for; the numbers in its row."""

    id: int
    time: int
    visitor: int
    session: int
    client_session: int
    profile: int
    payment: int
    customer: int


class CandidateSession(Struct, frozen=True):
    """A session of a visitor, by a row of its events. Times are UTC ms."""

    session: int
    visitor: int
    client_session: int
    profile: int
    started: int
    event: int


class FoundVisit(Struct, frozen=True):
    """The visit of a payment: its session, how it was found, and the first session."""

    session: CandidateSession
    method: str
    first: CandidateSession


async def attribute(
    events: Db, numbers: Callable[[], Strings], now: int, since: int = 0, *, elsewhere: bool = False
) -> int:
    """Look for the visits of pending payments from this time on; return how many are settled. If events are
    `elsewhere`, on ingest machines, later looks would find nothing."""
    sites = await events.read(_sites)
    settled = 0
    for site in sites:
        after = 0
        while rows := await events.read(partial(_pending, site=site, since=since, after=after)):
            after = rows[-1].id
            people = await events.read(partial(_people, site=site, profiles={row.profile for row in rows} - {0}))
            look = partial(events.read, seconds=_SECONDS, long=True)
            known = await look(partial(_sessions, site=site, rows=rows, visitors={*people}))
            # Other clues name visitors, whose first sessions are to be known.
            visitors = {one.visitor for one in known} - {0}
            if visitors - {*people} - {row.visitor for row in rows}:
                known = await look(partial(_sessions, site=site, rows=rows, visitors=visitors | {*people}))
            found = {row.id: visit for row in rows if (visit := find_visit(row, known, people)) is not None}
            settle = partial(_settle, numbers=numbers, site=site, rows=rows, found=found, now=now, elsewhere=elsewhere)
            settled += await events.write(settle)
    return settled


def find_visit(
    row: PendingPayment, known: Sequence[CandidateSession], people: dict[int, set[int]]
) -> FoundVisit | None:
    """The visit of a payment among sessions. `people` are the profiles of visitors. Pure."""
    mine = {visitor for visitor, profiles in people.items() if row.profile and row.profile in profiles}
    ways: tuple[tuple[str, Callable[[CandidateSession], bool]], ...] = (
        ("session", lambda one: bool(row.session) and one.session == row.session),
        ("session", lambda one: bool(row.client_session) and one.client_session == row.client_session),
        ("profile", lambda one: bool(row.profile) and (one.profile == row.profile or one.visitor in mine)),
        ("anonymous", lambda one: bool(row.visitor) and one.visitor == row.visitor),
    )
    for method, fits in ways:
        before = [one for one in known if fits(one) and one.started <= row.time + _SLACK]
        if before:
            last = max(before, key=lambda one: (one.started, one.session))
            who = {last.visitor, row.visitor, *mine} - {0}
            same = [one for one in known if one.visitor in who or (row.profile and one.profile == row.profile)]
            return FoundVisit(last, method, min([*same, last], key=lambda one: (one.started, one.session)))
    return None


def _sites(db: Connection) -> list[int]:
    rows = db.execute(
        f"-- revenue.sites\nselect distinct site from {_TRANSACTIONS} where pending <> 0 order by site"
    ).fetchall()
    return [int(str(site)) for (site,) in rows]


def _pending(db: Connection, *, site: int, since: int, after: int) -> list[PendingPayment]:
    rows = db.execute(
        f"""
        -- revenue.pending
        select id, time, visitor, session, client_session, profile, payment, customer from {_TRANSACTIONS}
        where site = ? and pending <> 0 and id > ? and time >= ? order by id limit ?
        """,
        (site, after, since, _MOST_ROWS),
    ).fetchall()
    return [PendingPayment(*_integers(row)) for row in rows]


def _people(db: Connection, *, site: int, profiles: Iterable[int]) -> dict[int, set[int]]:
    """The profiles of the visitors who are one of these, by visitor."""
    rows = db.execute(
        """
        -- revenue.people
        select visitor, profile from visitor_profiles
        where site = ? and profile in (select value from json_each(?)) limit ?
        """,
        (site, json.dumps([*profiles]), _MOST_SESSIONS),
    ).fetchall()
    found: dict[int, set[int]] = {}
    for visitor, profile in map(_integers, rows):
        found.setdefault(visitor, set()).add(profile)
    return found


def _sessions(
    db: Connection, *, site: int, rows: Sequence[PendingPayment], visitors: set[int]
) -> list[CandidateSession]:
    """The sessions before these payments to which they may belong, in one pass over the time."""
    times = [row.time for row in rows]
    visitors = ({row.visitor for row in rows} | visitors) - {0}
    found = db.execute(
        f"""
        -- revenue.sessions
        select session, visitor, client_session, profile, min(time), id from {_EVENTS}
        where site = :site and time between :first and :last and bot = 0 and session <> 0 and (
          visitor in (select value from json_each(:visitors))
          or client_session in (select value from json_each(:clients))
          or profile in (select value from json_each(:profiles))
          or session in (select value from json_each(:sessions))
        )
        group by session, visitor, client_session, profile order by min(time) limit :most
        """,
        {
            **{"site": site, "first": min(times) - LOOK_BACK, "last": max(times) + _SLACK, "most": _MOST_SESSIONS},
            "visitors": json.dumps(sorted(visitors)),
            "clients": json.dumps(sorted({row.client_session for row in rows} - {0})),
            "profiles": json.dumps(sorted({row.profile for row in rows} - {0})),
            "sessions": json.dumps(sorted({row.session for row in rows} - {0})),
        },
    ).fetchall()
    return [CandidateSession(*_integers(row)) for row in found]


def _settle(
    db: Connection,
    *,
    numbers: Callable[[], Strings],
    site: int,
    rows: Sequence[PendingPayment],
    found: dict[int, FoundVisit],
    now: int,
    elsewhere: bool,
) -> int:
    """Write the visits that were found, those of other payments of the same customer, and that others have none."""
    strings, settled, due = numbers(), 0, now - (NEW if elsewhere else _GIVEN_UP)
    for row in rows:
        visit = found.get(row.id)
        if visit is not None:
            changes = _of_visit(db, row, visit, strings)
        else:
            changes = _of_customer(db, site, row, strings)
            if not changes and row.time < due:
                has_clue = row.visitor or row.client_session or row.profile or row.customer
                reason = ("several_machines" if elsewhere else "not_found") if has_clue else "no_identifier"
                changes = {"unmatched_reason": strings.number(db, reason)} if not row.session else {"pending": 0}
        if changes:
            settled += 1
            names = ", ".join(f"{name} = :{name}" for name in changes if name != "pending")
            db.execute(
                f"-- revenue.settle\nupdate {_TRANSACTIONS} set {names}{', ' if names else ''}pending = 0"
                " where id = :row and pending <> 0",
                changes | {"row": row.id},
            )
    return settled


def _of_visit(db: Connection, row: PendingPayment, visit: FoundVisit, strings: Strings) -> dict[str, Any]:
    changes = _first_touch(db, visit.first.event)
    if row.session:
        return changes or {"pending": 0}
    found = db.execute(
        f"-- revenue.visit\nselect {_ATTRIBUTES} from {_EVENTS} where id = ?", (visit.session.event,)
    ).fetchone()
    if found is None:
        return {}
    return {
        **changes,
        **dict(zip(STORED_ATTRIBUTES, _integers(found), strict=True)),
        "visitor": visit.session.visitor,
        "session": visit.session.session,
        "client_session": visit.session.client_session,
        "profile": row.profile or visit.session.profile,
        "attribution": strings.number(db, visit.method),
        "unmatched_reason": 0,
    }


def _first_touch(db: Connection, event: int) -> dict[str, Any]:
    found = db.execute(
        f"-- revenue.first_touch\nselect {', '.join(_FIRST.values())} from events where id = ?", (event,)
    ).fetchone()
    return {} if found is None else dict(zip(_FIRST, _integers(found), strict=True))


def _of_customer(db: Connection, site: int, row: PendingPayment, strings: Strings) -> dict[str, Any]:
    """The visit of the same payment's other row, else of the customer's last payment that has one."""
    columns = (*STORED_ATTRIBUTES, "visitor", "session", "client_session", "profile", *_FIRST, "attribution")
    for condition, value in (("payment = :value", row.payment), ("customer = :value and time <= :time", row.customer)):
        found = (
            value
            and db.execute(
                f"""
            -- revenue.customer
            select {", ".join(columns)} from {_TRANSACTIONS}
            where site = :site and {condition} and session <> 0 and attribution <> :unmatched
            order by time desc limit 1
            """,
                {"site": site, "value": value, "time": row.time, "unmatched": strings.number(db, UNMATCHED)},
            ).fetchone()
        )
        if found:
            changes = dict(zip(columns, _integers(found), strict=True))
            if condition.startswith("customer"):
                changes["attribution"] = strings.number(db, "customer")
            return changes | {"unmatched_reason": 0}
    return {}


def _integers(row: Iterable[object]) -> list[int]:
    values = map(str, row)
    return [int(value) for value in values]
