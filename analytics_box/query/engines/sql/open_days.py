"""The roll-ups of open days in rollups.db: those of today, which each new event changes.

A day is rolled up once it is over. Until then the roll-ups that questions ask for are kept up to date here, so that a
question reads what they have and the few events after the file's state. They have the tables of closed days, and tables
that say which visitors are in them already. Sessions are kept one by one, because each event may change its session:
what a session was is taken out of the roll-ups, and what it is now is added. A day that loses an event, or of which one
has changed, has none of these until they are rebuilt.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from analytics_box.base.clock import DAY
from analytics_box.base.facts.event import LASTS, PAGE_VIEW, VISITOR_BITS
from analytics_box.base.facts.tables import COMBINATIONS
from analytics_box.base.store.db import Connection
from analytics_box.query.engines.sql.names import BOUNCED, DID, PLACE, STARTER
from analytics_box.query.plan import SESSION_AFTER, SESSION_BEFORE
from analytics_box.query.rollups import OF_EVENTS, OF_SESSIONS, ROLLS, SLOT, TIME, Roll

# Roll-ups of a day with fewer events save nothing.
FEWEST = 1_000
# Visitors of a day with more events would take too much disk.
MOST = 1_000_000
# The name of all roll-ups of sessions.
SESSIONS = "sessions"
# A missing place or starter, because the least one is wanted.
_NONE = (1 << 63) - 1

_DAY = "site integer, day integer"
_OF_A_SESSION = (
    *("started", "first", "last", "views", "deeds", "events", "engaged", "starter"),
    *("entry", "entry_path", "exit", "exit_path"),
)
TABLES = (
    # `latest` is the time of the day's last event, of sessions that of the last start.
    f"create table open_days ({_DAY}, roll text, latest integer, primary key (site, day, roll)) without rowid",
    f"create table open_ids ({_DAY}, roll integer, first_value integer, second_value integer, visitor integer,"
    " primary key (site, day, roll, first_value, second_value, visitor)) without rowid",
    f"create table open_seen ({_DAY}, visitor integer, first_slot integer, last_slot integer,"
    " primary key (site, day, visitor)) without rowid",
    f"create table open_slots ({_DAY}, slot integer, pageviews integer, total_events integer, firsts integer,"
    " lasts integer, primary key (site, day, slot)) without rowid",
    f"create table open_starts ({_DAY}, slot integer, sessions integer, bounces integer, total_events integer,"
    " duration_total integer, primary key (site, day, slot)) without rowid",
    # The number of the sessions that a visitor began or ended on a page. `alike` is 1 if the id changes daily.
    f"create table open_ends ({_DAY}, roll integer, path integer, alike integer, visitor integer, number integer,"
    " primary key (site, day, roll, path, alike, visitor)) without rowid",
    f"create table open_sessions ({_DAY}, session integer, {', '.join(f'{name} integer' for name in _OF_A_SESSION)},"
    " primary key (site, day, session)) without rowid",
)
_NUMBERS = {roll.name: number for number, roll in enumerate(ROLLS)}
_WITH_VISITORS = {roll.name: roll for roll in (TIME, *OF_EVENTS)}
_OF_STARTS = ("sessions", "bounces", "total_events", "duration_total")
_TAKEN = "(site, {0}) in (select site, day from taken_days where roll = '{1}')"
_DAY_OF_START = f"session_started / {DAY}"
_NEW_SLOTS = ("pageviews", "total_events", "firsts", "lasts")
# The roll-ups by page are views of one table (rollups_file).
_PAGES = "rolled_pages"

# A row of events as a session of one event. `started` is what the event says of its session.
_ONE_EVENT = {
    "started": "session_started",
    "first": "time",
    "last": "time",
    "views": "kind = 1",
    "deeds": DID,
    "events": "kind <> 3",
    "engaged": "engaged",
    "starter": f"case when kind <> 3 then {STARTER} else {_NONE} end",
    "entry": f"case when kind = 1 then {PLACE} else {_NONE} end",
    "entry_path": "path",
    "exit": f"case when kind = 1 then {PLACE} else -1 end",
    "exit_path": "path",
}
_TOGETHER = {
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
_COLUMN_OF = {part: one.column for one in COMBINATIONS for part in one.parts}
_TABLE_OF = {part: one.table for one in COMBINATIONS for part in one.parts}


class OpenRoll(NamedTuple):
    """A roll-up, by its name, of an open day of a website."""

    site: int
    day: int
    roll: str


def latest_of_days(db: Connection, site: int, first: int, last: int, name: str) -> dict[int, int]:
    """Return the days of a website, from `first` to `last`, on which a roll-up is kept, and the time of their last
    event."""
    found = db.execute(
        "-- open.days\nselect day, latest from open_days where site = ? and day between ? and ? and roll = ?",
        (site, first, last, name),
    )
    return {int(str(day)): int(str(latest)) for day, latest in found}


def kept_rolls(db: Connection) -> frozenset[OpenRoll]:
    """Return everything that is kept."""
    found = db.execute("-- open.rolls\nselect site, day, roll from open_days")
    return frozenset(OpenRoll(int(str(site)), int(str(day)), str(roll)) for site, day, roll in found)


def add(db: Connection, after: int, last: int) -> None:
    """Add new events, by their ids."""
    if kept := kept_rolls(db):
        values = {"after": after, "last": last}
        within = "id > :after and id <= :last and (site, {day}) in (select site, day from open_days)"
        _add(db, kept, within.format(day=f"time / {DAY}"), within.format(day=f"session_started / {DAY}"), values)


def begin(db: Connection, rolls: Collection[OpenRoll]) -> None:
    """Make these roll-ups. The file must know all events."""
    forget(db, rolls)
    for site, day in sorted({(roll.site, roll.day) for roll in rolls}):
        own = {roll for roll in rolls if (roll.site, roll.day) == (site, day)}
        values = {"site": site, "start": day * DAY, "end": (day + 1) * DAY}
        values |= {"earliest": day * DAY - SESSION_BEFORE, "latest": (day + 1) * DAY + SESSION_AFTER}
        db.executemany("-- open.begin\ninsert into open_days values (?, ?, ?, 0)", own)
        _add(
            db,
            own,
            "site = :site and time >= :start and time < :end",
            "site = :site and time >= :earliest and time < :latest"
            " and session_started >= :start and session_started < :end",
            values,
        )


def forget_days(db: Connection, days: Collection[tuple[int, int]]) -> None:
    """Remove all roll-ups of these days, while they are open."""
    if days:
        forget(db, [roll for roll in kept_rolls(db) if (roll.site, roll.day) in days])


def forget(db: Connection, rolls: Collection[OpenRoll]) -> None:
    """Remove these roll-ups, and what they have in the tables of closed days."""
    for site, day, name in rolls:
        db.execute("-- open.forget\ndelete from open_days where (site, day, roll) = (?, ?, ?)", (site, day, name))
        if name == SESSIONS:
            tables: tuple[str, ...] = ("open_sessions", "open_starts", "open_ends", "rolled_starts", "rolled_durations")
            tables += tuple(f"rolled_{roll.name}{kind}" for roll in OF_SESSIONS for kind in ("", "_ids"))
        else:
            tables = ("open_seen", "open_slots") if name == TIME.name else ()
            db.execute(
                "-- open.forget_ids\ndelete from open_ids where (site, day, roll) = (?, ?, ?)",
                (site, day, _NUMBERS[name]),
            )
            for table in (f"rolled_{name}", f"rolled_{name}_ids"):
                db.execute(f"-- open.forget_cells\ndelete from {table} where site = ? and day = ?", (site, day))
        for table in tables:
            db.execute(f"-- open.forget_rows\ndelete from {table} where site = ? and day = ?", (site, day))


def _add(
    db: Connection, rolls: Collection[OpenRoll], of_events: str, of_sessions: str, values: Mapping[str, int]
) -> None:
    """Add the events for which `of_events` holds, and to sessions those for which `of_sessions` does, to these
    roll-ups."""
    db.execute("create temp table if not exists taken_days (site integer, day integer, roll text)")
    db.execute("delete from taken_days")
    db.executemany("-- open.taken\ninsert into taken_days values (?, ?, ?)", rolls)
    names = {roll.roll for roll in rolls}
    if SESSIONS in names:
        _add_sessions(db, of_sessions, values)
    if rolls_of_events := [roll for name, roll in _WITH_VISITORS.items() if name in names]:
        _take_events(db, rolls_of_events, of_events, values)
        for roll in rolls_of_events:
            if roll is TIME:
                _add_times(db)
            else:
                _add_cells(db, roll)
        db.execute("drop table temp.taken_events")


def _add_sessions(db: Connection, within: str, values: Mapping[str, int]) -> None:
    columns = ", ".join(_ONE_EVENT.values())
    events = f"{_EVENTS} as fact where {_IN_A_SESSION} and {within} and {_TAKEN.format(_DAY_OF_START, SESSIONS)}"
    key = "site, day, session"
    db.execute(
        f"-- open.touched_sessions\ncreate temp table touched_sessions as"
        f" select distinct site, session_started / {DAY} as day, session from {events}",
        values,
    )
    kept = f"open_sessions where ({key}) in (select * from touched_sessions)"
    db.execute(f"-- open.sessions_before\ncreate temp table signed as select -1 as n, * from {kept}")
    db.execute(
        f"-- open.add_sessions\ninsert into open_sessions"
        f" select site, session_started / {DAY} as day, session, {columns} from {events}"
        f" on conflict do update set {', '.join(f'{name} = {text}' for name, text in _TOGETHER.items())}",
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
    for table in ("signed", "touched_sessions"):
        db.execute(f"drop table temp.{table}")


def _add_starts(db: Connection) -> None:
    """Add sessions, with their sign, to the roll-up of their starts."""
    db.execute(
        f"-- open.add_starts\ninsert into open_starts select site, day, started % {DAY} / {SLOT}, sum(n),"
        f" sum(n * ({BOUNCED})), sum(n * events), sum(n * (last - first)) from signed where true group by 1, 2, 3"
        f" {_plus(_OF_STARTS)}"
    )
    _add_up(db, "rolled_starts", "open_starts", _OF_STARTS, SESSIONS)


def _add_up(db: Connection, table: str, slots: str, columns: Sequence[str], name: str) -> None:
    """Make the sums since midnight again."""
    db.execute(f"-- open.forget_sums\ndelete from {table} where {_TAKEN.format('day', name)}")
    sums = ", ".join(f"sum({column}) over so_far" for column in columns)
    db.execute(
        f"-- open.add_up\ninsert into {table} (site, day, slot, {', '.join(columns)})"
        f" select site, day, slot, {sums} from {slots} where {_TAKEN.format('day', name)}"
        " window so_far as (partition by site, day order by slot)"
    )


def _add_ends(db: Connection, roll: Roll) -> None:
    """Add sessions, with their sign, to the roll-up of the pages that they begin or end on."""
    db.execute(f"create temp table moved as {_end_changes(roll, 'signed')}")
    table, columns = _cells_of(roll)
    ids, there = f"rolled_{roll.name}_ids", "was + n > 0"
    db.execute(
        f"-- open.add_ends\ninsert into {table} (site, day, path, {', '.join(columns)})"
        f" select site, day, path, sum(n), sum({_CAME}) from moved where true group by 1, 2, 3 {_plus(columns)}"
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
        f"-- open.add_numbers\ninsert into open_ends select site, day, {_NUMBERS[roll.name]}, path, alike, visitor, n"
        f" from moved where true {_plus(('number',))}"
    )
    db.execute(
        "-- open.remove_numbers\ndelete from open_ends where number = 0 and (site, day, roll, path, alike, visitor) in"
        f" (select site, day, {_NUMBERS[roll.name]}, path, alike, visitor from moved)"
    )
    db.execute("drop table temp.moved")


def _end_changes(roll: Roll, signed: str) -> str:
    """The change `n` of the number of sessions of each page and visitor, and the number before, `was`."""
    end = "entry" if roll.source == "entries" else "exit"
    number = (
        "select number from open_ends as own where own.site = moved.site and own.day = moved.day"
        f" and own.roll = {_NUMBERS[roll.name]} and own.path = moved.path and own.alike = moved.alike"
        " and own.visitor = moved.visitor"
    )
    return (
        f"select *, coalesce(({number}), 0) as was from (select site, day, {end}_path as path, {_ALIKE} as alike,"
        f" {_VISITOR}, sum(n) as n from {signed} where {end} not in ({_NONE}, -1) group by 1, 2, 3, 4, 5"
        " having sum(n) <> 0) as moved"
    )


# The number of visitors of a page, whose ids change daily, grows by this.
_CAME = "iif(alike and visitor <> 0, (was + n > 0) - (was > 0), 0)"


def _take_events(db: Connection, rolls: Collection[Roll], within: str, values: Mapping[str, int]) -> None:
    """Copy what these roll-ups need of the events."""
    parts = sorted({name for roll in rolls for name in roll.group} - {"path"})
    shown = "".join(
        f", coalesce((select {part} from {_TABLE_OF[part]} as its where its.id = fact.{_COLUMN_OF[part]}), 0) as {part}"
        if part in _TABLE_OF
        else f", {part}"
        for part in parts
    )
    db.execute(
        f"""
        -- open.take
        create temp table taken_events as
        select site, time / {DAY} as day, time % {DAY} / {SLOT} as slot, time, kind, visitor, path{shown}
        from stored_events as fact where bot = 0 and {within}
        """,
        values,
    )
    db.execute(
        """
        -- open.latest
        update open_days set latest = max(open_days.latest, new.latest)
        from (select site, day, max(time) as latest from taken_events group by 1, 2) as new
        where open_days.site = new.site and open_days.day = new.day and roll <> 'sessions'
        """
    )


def _add_cells(db: Connection, roll: Roll) -> None:
    """Add the events to a roll-up by dimensions."""
    group = ", ".join(roll.group)
    pair = (*roll.group, "0")[:2]
    table, columns = _cells_of(roll)
    source = (
        f"taken_events as taken where kind in ({', '.join(str(int(kind)) for kind in roll.kinds)})"
        f" and {_TAKEN.format('day', roll.name)}"
    )
    db.execute(
        f"""
        -- open.add_cells
        insert into {table} (site, day, {group}, {", ".join(columns)})
        select site, day, {group}, sum(views), sum(new) from (
          select site, day, {group}, count(*) filter (where kind = {PAGE_VIEW}) as views,
            {_is_new(roll, "taken", *(f"taken.{name}" for name in roll.group))} as new
          from {source} group by site, day, {group}, visitor
        ) where true group by site, day, {group}
        {_plus(columns)}
        """
    )
    db.execute(
        f"-- open.add_ids\ninsert or ignore into open_ids select distinct site, day, {_NUMBERS[roll.name]},"
        f" {', '.join(pair)}, visitor from {source} and visitor <> 0 and visitor & {LASTS} = 0"
    )
    db.execute(
        f"-- open.add_lasting\ninsert or ignore into rolled_{roll.name}_ids select distinct site, day, {group}, visitor"
        f" from {source} and visitor & {LASTS}"
    )


def _cells_of(roll: Roll) -> tuple[str, list[str]]:
    """The table of a roll-up's cells, and the columns of its measures, in their order."""
    measures = sorted(roll.measures)
    if roll.group == ("path",):
        return _PAGES, [f"rolled_{roll.name}_{measure}" for measure in measures]
    return f"rolled_{roll.name}", measures


def _plus(columns: Iterable[str]) -> str:
    """A clause that adds these columns to a row that is there."""
    sums = [f"{name} = {name} + excluded.{name}" for name in columns]
    return f"on conflict do update set {', '.join(sums)}"


def _is_new(roll: Roll, row: str, *columns: str) -> str:
    """A condition: this roll-up lacks the id of a row's visitor, which changes daily."""
    first, second = (*columns, "0")[:2]
    return (
        f"{row}.visitor <> 0 and {row}.visitor & {LASTS} = 0 and not exists (select 1 from open_ids as own"
        f" where own.site = {row}.site and own.day = {row}.day and own.roll = {_NUMBERS[roll.name]}"
        f" and own.first_value = {first} and own.second_value = {second} and own.visitor = {row}.visitor)"
    )


def _add_times(db: Connection) -> None:
    """Add the events to the roll-up by the time of day."""
    taken = f"from taken_events where kind <> 3 and {_TAKEN.format('day', TIME.name)}"
    met = f"select site, day, visitor, min(slot) as low, max(slot) as high {taken} and visitor <> 0"
    widen = (
        "on conflict do update set first_slot = min(first_slot, excluded.first_slot),"
        " last_slot = max(last_slot, excluded.last_slot)"
    )
    db.execute(
        f"-- open.add_time_ids\ninsert into rolled_time_ids {met} and visitor & {LASTS} group by 1, 2, 3 {widen}"
    )
    db.execute(f"create temp table met as {met} and visitor & {LASTS} = 0 group by 1, 2, 3")
    old = "met left join open_seen as seen using (site, day, visitor)"
    moves = (
        ("low", "0, 0, 1, 0", "first_slot is null or low < first_slot"),
        ("first_slot", "0, 0, -1, 0", "low < first_slot"),
        ("high", "0, 0, 0, 1", "last_slot is null or high > last_slot"),
        ("last_slot", "0, 0, 0, -1", "high > last_slot"),
    )
    changed = "".join(
        f" union all select site, day, {slot}, {numbers} from {old} where {moved}" for slot, numbers, moved in moves
    )
    db.execute(
        f"""
        -- open.add_slots
        insert into open_slots
        select site, day, slot, sum(pageviews), sum(total_events), sum(firsts), sum(lasts) from (
          select site, day, slot, kind = {PAGE_VIEW} as pageviews, kind <> 3 as total_events, 0 as firsts, 0 as lasts
          from taken_events where {_TAKEN.format("day", TIME.name)}{changed}
        ) where true group by 1, 2, 3
        {_plus(_NEW_SLOTS)}
        """
    )
    db.execute(f"-- open.add_seen\ninsert into open_seen select * from met where true {widen}")
    db.execute("drop table temp.met")
    _add_up(db, "rolled_time", "open_slots", _NEW_SLOTS, TIME.name)


# What questions read. New events are looked for by their ids, which the unary plus and the limit make SQLite do.

# The events after the file's state, and their UTC day.
NEW_EVENTS = f"(select *, time / {DAY} as day from events where id > :after limit -1)"


def new_visitor(roll: Roll) -> str:
    """The visitor of a new event, if the roll-up of its open day lacks it; of lasting ids questions see each anyway. By
    time a day has two parts, before and after the slot :edge."""
    if not roll.by_time:
        new = _is_new(roll, "fact", *(f"fact.{name}" for name in roll.group))
    else:
        slot = f"fact.time % {DAY} / {SLOT}"
        new = (
            "not exists (select 1 from open_seen as own where own.site = fact.site and own.day = fact.day"
            f" and own.visitor = fact.visitor and iif({slot} < :edge, first_slot < :edge, last_slot >= :edge))"
        )
    return f"case when kind <> 3 and (visitor & {LASTS} or ({new})) then nullif(visitor, 0) end"


def _with_signed() -> str:
    """The sessions of new events as they were, and as they are now: those of the open day :day that begin from :start
    until :end."""
    columns = ", ".join(f"{text} as {name}" for name, text in _ONE_EVENT.items())
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
        f"was as materialized (select session, {', '.join(_OF_A_SESSION)} from open_sessions"
        " where site = :site and day = :day and session in (select session from fresh)),\n"
        "signed as materialized (select -1 as n, :site as site, :day as day, * from was\n"
        f"union all select 1, :site, :day, session, {', '.join(_MERGED[name] for name in _OF_A_SESSION)}"
        f" from (select *, {paths} from (select * from was union all select * from fresh)) group by session)\n"
    )


# As one value: of pairs SQLite would look through all that are left, for each row.
PAGE_AND_VISITOR = "path || ' ' || visitor"


def ends(roll: Roll) -> tuple[str, str]:
    """Changes of this roll-up by new events of an open day: the pages that sessions begin or end on, with the
    `sessions` and the `visitors` to add, and each other visitor; and the pages that such visitors have left."""
    changes = _end_changes(roll, "signed")
    there = f"iif(not alike and was + n > 0, visitor, null) as visitor from ({changes})"
    changed = f"({_SIGNED}select path, n as sessions, {_CAME} as visitors, {there})"
    return changed, f"({_SIGNED}select {PAGE_AND_VISITOR} from ({changes}) where not alike and was + n <= 0)"


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

# Everything that the tables depend on.
SHAPE = (TABLES, [*_NUMBERS], [*_ONE_EVENT.values()], [*_TOGETHER.values()])
