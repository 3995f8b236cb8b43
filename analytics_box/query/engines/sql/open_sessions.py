"""The sessions of open days, each with the pages that it begins and ends on.

When an event changes a session, its old values are subtracted from the roll-ups and its new ones added.
"""

from collections.abc import Mapping

from analytics_box.base.clock import DAY
from analytics_box.base.facts.event import LASTS, VISITOR_BITS
from analytics_box.base.store.db import Connection
from analytics_box.query.engines.sql.names import ACTED, BOUNCED, PLACE, STARTER
from analytics_box.query.engines.sql.open_tables import (
    NUMBERS,
    OF_A_SESSION,
    SESSIONS,
    add_up,
    cells_of,
    plus,
)
from analytics_box.query.plan import SESSION_BEFORE
from analytics_box.query.rollups import OF_SESSIONS, SLOT, Roll

# A missing place or starter, because the least one is wanted.
_NONE = (1 << 63) - 1
_OF_STARTS = ("sessions", "bounces", "total_events", "duration_total")
_DAY_OF_START = f"session_started / {DAY}"

# A row of events as a session of one event. `started` is what the event says of its session.
ONE_EVENT = {
    "started": "session_started",
    "first": "time",
    "last": "time",
    "views": "kind = 1",
    "deeds": ACTED,
    "events": "kind <> 3",
    "engaged": "engaged",
    "starter": f"case when kind <> 3 then {STARTER} else {_NONE} end",
    "entry": f"case when kind = 1 then {PLACE} else {_NONE} end",
    "entry_path": "path",
    "exit": f"case when kind = 1 then {PLACE} else -1 end",
    "exit_path": "path",
}
TOGETHER = {
    "first": "min(first, excluded.first)",
    "last": "max(last, excluded.last)",
    **{name: f"{name} + excluded.{name}" for name in ("views", "deeds", "events", "engaged")},
    "starter": "min(starter, excluded.starter)",
    "entry": "min(entry, excluded.entry)",
    "entry_path": "iif(excluded.entry < entry, excluded.entry_path, entry_path)",
    "exit": "max(exit, excluded.exit)",
    "exit_path": "iif(excluded.exit > exit, excluded.exit_path, exit_path)",
}
_VISITOR = f"starter % {1 << VISITOR_BITS} as visitor"
# A session's id is one of its day, and changes daily (rolling).
_ALIKE = f"(starter & {LASTS} = 0 and starter >> {VISITOR_BITS} in (0, 2, 6))"
_IN_A_SESSION = f"bot = 0 and session <> 0 and (kind <> 3 or time >= session_started - {SESSION_BEFORE})"
_EVENTS = "(select *, time - since_start as session_started from stored_events)"
# A session of several rows.
_MERGED: Mapping[str, str] = {
    "started": "min(started)",
    "first": "min(first)",
    "last": "max(last)",
    **{name: f"sum({name})" for name in ("views", "deeds", "events", "engaged")},
    "starter": "min(starter)",
    "entry": "min(entry)",
    "entry_path": "min(first_path)",
    "exit": "max(exit)",
    "exit_path": "min(last_path)",
}
# The number of visitors of a page, whose ids change daily, grows by this.
_CAME = "iif(alike and visitor <> 0, (was + n > 0) - (was > 0), 0)"
# As one value: of pairs SQLite would look through all that are left, for each row.
PAGE_AND_VISITOR = "path || ' ' || visitor"


def add_sessions(db: Connection, within: str, values: Mapping[str, int]) -> None:
    """Add the events that match `within` to their sessions, and the sessions to their roll-ups."""
    columns = ", ".join(ONE_EVENT.values())
    taken = f"(+site, {_DAY_OF_START}) in (select site, day from taken_days where roll = '{SESSIONS}')"
    events = f"{_EVENTS} as fact where {_IN_A_SESSION} and {within} and {taken}"
    key = "site, day, session"
    db.execute(
        f"-- open.touched_sessions\ninsert into touched_sessions"
        f" select distinct site, session_started / {DAY} as day, session from {events}",
        values,
    )
    kept = f"open_sessions where ({key}) in (select * from touched_sessions)"
    db.execute(f"-- open.sessions_before\ninsert into signed select -1, * from {kept}")
    db.execute(
        f"-- open.add_sessions\ninsert into open_sessions"
        f" select site, session_started / {DAY} as day, session, {columns} from {events}"
        f" on conflict do update set {', '.join(f'{name} = {text}' for name, text in TOGETHER.items())}",
        values,
    )
    db.execute(f"-- open.sessions_after\ninsert into signed select 1, * from {kept}")
    db.execute(
        """
        -- open.latest_start
        update open_days set latest = max(open_days.latest, new.latest)
        from (select site, day, max(started) as latest from signed group by 1, 2) as new
        where open_days.site = new.site and open_days.day = new.day and roll = 'sessions'
        """
    )
    _add_starts(db)
    for roll in OF_SESSIONS:
        _add_ends(db, roll)


def _add_starts(db: Connection) -> None:
    """Add sessions, with their sign, to the roll-up of their starts."""
    db.execute(
        f"-- open.add_starts\ninsert into open_starts select site, day, started % {DAY} / {SLOT}, sum(n),"
        f" sum(n * ({BOUNCED})), sum(n * events), sum(n * (last - first)) from signed where true group by 1, 2, 3"
        f" {plus(_OF_STARTS)}"
    )
    add_up(db, "rolled_starts", "open_starts", _OF_STARTS, SESSIONS)


def _add_ends(db: Connection, roll: Roll) -> None:
    """Add sessions, with their sign, to the roll-up of the pages that they begin or end on."""
    db.execute("-- open.forget_moved\ndelete from moved")
    db.execute(f"-- open.moved\ninsert into moved {_end_changes(roll, 'signed')}")
    table, columns = cells_of(roll)
    ids, there = f"rolled_{roll.name}_ids", "was + n > 0"
    db.execute(
        f"-- open.add_ends\ninsert into {table} (site, day, path, {', '.join(columns)})"
        f" select site, day, path, sum(n), sum({_CAME}) from moved where true group by 1, 2, 3 {plus(columns)}"
    )
    db.execute(
        f"-- open.add_ids_of_ends\ninsert or ignore into {ids}"
        f" select site, day, path, visitor from moved where not alike and {there}"
    )
    db.execute(
        f"-- open.remove_ids_of_ends\ndelete from {ids} where (site, day, path, visitor) in"
        f" (select site, day, path, visitor from moved where not alike and not {there})"
    )
    db.execute(
        f"-- open.add_numbers\ninsert into open_ends select site, day, {NUMBERS[roll.name]}, path, alike, visitor, n"
        f" from moved where true {plus(('number',))}"
    )
    db.execute(
        "-- open.remove_numbers\ndelete from open_ends where number = 0 and (site, day, roll, path, alike, visitor) in"
        f" (select site, day, {NUMBERS[roll.name]}, path, alike, visitor from moved)"
    )


def _end_changes(roll: Roll, signed: str) -> str:
    """The change `n` of the number of sessions of each page and visitor, and the number before, `was`."""
    end = "entry" if roll.source == "entries" else "exit"
    number = (
        "select number from open_ends as own where own.site = moved.site and own.day = moved.day"
        f" and own.roll = {NUMBERS[roll.name]} and own.path = moved.path and own.alike = moved.alike"
        " and own.visitor = moved.visitor"
    )
    return (
        f"select *, coalesce(({number}), 0) as was from (select site, day, {end}_path as path, {_ALIKE} as alike,"
        f" {_VISITOR}, sum(n) as n from {signed} where {end} not in ({_NONE}, -1) group by 1, 2, 3, 4, 5"
        " having sum(n) <> 0) as moved"
    )


def ends(roll: Roll) -> tuple[str, str]:
    """Changes of this roll-up by new events of an open day: the pages that sessions begin or end on, with the
    `sessions` and the `visitors` to add, and each other visitor; and the pages that such visitors have left."""
    changes = _end_changes(roll, "signed")
    there = f"iif(not alike and was + n > 0, visitor, null) as visitor from ({changes})"
    changed = f"({_SIGNED}select path, n as sessions, {_CAME} as visitors, {there})"
    return changed, f"({_SIGNED}select {PAGE_AND_VISITOR} from ({changes}) where not alike and was + n <= 0)"


def _with_signed() -> str:
    """The sessions of new events as they were, and as they are now: those of the open day :day that begin from :start
    until :end."""
    columns = ", ".join(f"{text} as {name}" for name, text in ONE_EVENT.items())
    fresh = (
        f"select session, {columns} from {_EVENTS} as fact where id > :after and +site = :site"
        f" and {_IN_A_SESSION} and session_started >= :start and session_started < :end"
    )
    paths = (
        "first_value(entry_path) over (partition by session order by entry) as first_path,"
        " first_value(exit_path) over (partition by session order by exit desc) as last_path"
    )
    return (
        f"with fresh as materialized ({fresh}),\n"
        f"was as materialized (select session, {', '.join(OF_A_SESSION)} from open_sessions"
        " where site = :site and day = :day and session in (select session from fresh)),\n"
        "signed as materialized (select -1 as n, :site as site, :day as day, * from was\n"
        f"union all select 1, :site, :day, session, {', '.join(_MERGED[name] for name in OF_A_SESSION)}"
        f" from (select *, {paths} from (select * from was union all select * from fresh)) group by session)\n"
    )


_SIGNED = _with_signed()
# The sessions of new events of an open day, by their start; as they were before, they are negative.
CHANGED_STARTS = (
    f"({_SIGNED}select started, n as sessions, n * ({BOUNCED}) as bounces, n * events as total_events,"
    " n * (last - first) as duration_total from signed)"
)
# The start and the duration of each session of an open day.
DURATIONS = (
    f"({_SIGNED}select started, last - first as duration from open_sessions where site = :site and day = :day"
    " and started >= :start and started < :end and session not in (select session from fresh)\n"
    "union all select started, last - first from signed where n > 0)"
)
