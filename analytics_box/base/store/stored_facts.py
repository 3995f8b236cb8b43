"""A step of events.db: how facts lie on disk, and how they are read.

A table of facts is stored as `stored_NAME`, and NAME is a view of it with a column for everything that can be asked.
What comes together in the same few combinations, a browser with its system and device or the five parts of a campaign,
is stored once and stands in the rows as one number. A session has the next small number instead of a random one, its
start stands in a row as the time since, and ids of visitors have 47 bits, which SQLite stores in six bytes.
"""

_CLIENT = ("browser", "browser_version", "system", "system_version", "device")
_CAMPAIGN = ("utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content")
_COMBINATIONS = {"clients": ("client", _CLIENT), "campaigns": ("campaign", _CAMPAIGN)}

_ATTRIBUTES = (
    *("entry", "referrer", "source", "channel", "click_id", *_CAMPAIGN, "country", "region", "city"),
    *(*_CLIENT, "language", "time_zone", "viewport", "screen", "connection"),
)
_WHERE = ("site", "time", "visitor", "session", "client_session", "profile", "path", "query_string")
_OWN = {
    "events": (
        *("site", "time", "kind", "name", "namespace", "visitor", "session", "profile", "path", "query_string"),
        *("title", "engaged", "scroll", "interactions", "bot", "agent", "origin", "session_started", "client_session"),
    ),
    "vitals": (*_WHERE, "metric", "value"),
    "errors": (*_WHERE, "type", "message", "filename", "line", "position", "stack"),
    "outgoing_links": (*_WHERE, "href", "text", "domain"),
    "engagement": (
        *(*_WHERE, "page_index", "exit_type", "time_on_page", "active_time", "first_interaction", "scroll", "scrolls"),
        *("clicks", "keys", "interactions", "copies", "rage_clicks", "dead_clicks", "rage_target", "dead_target"),
        *("form_fields", "form_submits", "last_field", "errors"),
    ),
}
_LATER = {"flag_exposures": (*_WHERE, "flag", "variant")}  # made after the step of the others
_ALL = _OWN | _LATER
_MORE = {"events": ("properties",)}
_CHECKS = {
    "kind": "check (kind in (1, 2, 3))",
    "engaged": "check (engaged >= 0)",
    "interactions": "check (interactions >= 0)",
    "scroll": "check (scroll between 0 and 100)",
    "value": "check (value >= 0)",
    "line": "check (line >= 0)",
    "position": "check (position >= 0)",
    "visitor": "check (visitor between 0 and 0x7fffffffffff)",
    "session": "check (session >= 0)",
}
_TYPES = {"value": "real    not null", "properties": "text"}
_STARTED = {"session_started": ("since_start", "iif(session = 0, 0, time - session_started)")}
_SHIFTED = "visitor >> 15"  # of the 62 bits that ids of visitors had


# Tables with ids of visitors beside the facts. Their triggers sleep meanwhile: a replica of another shape is rebuilt.
_RENAMED = {
    "visitor_profiles": f"visitor = {_SHIFTED}",
    "link_clicks": f"visitor = {_SHIFTED}, landing_visitor = landing_visitor >> 15",
}


def _noted(table: str) -> str:
    return f"insert into changes (source, row) values ('{table}', old.id);"


def _combination_of(name: str) -> tuple[str, str, tuple[str, ...]] | None:
    for table, (column, columns) in _COMBINATIONS.items():
        if name in columns:
            return table, column, columns
    return None


def _stored(table: str) -> dict[str, str]:
    """The columns as they are stored, each with what it is made of."""
    columns = {}
    for name in (*_ALL[table], *_ATTRIBUTES, *_MORE.get(table, ())):
        combination = _combination_of(name)
        if combination is not None:
            columns[combination[1]] = f"{combination[0]}.id"
        elif name in _STARTED:
            columns[_STARTED[name][0]] = _STARTED[name][1]
        else:
            columns[name] = _SHIFTED if name == "visitor" else f"old.{name}"
    return columns


def _seen(table: str) -> list[str]:
    """The columns as they are read."""
    columns = ["id"]
    for name in (*_ALL[table], *_ATTRIBUTES, *_MORE.get(table, ())):
        combination = _combination_of(name)
        if combination is not None:
            found = f"select {name} from {combination[0]} where id = stored.{combination[1]}"
            columns.append(f"coalesce(({found}), 0) as {name}")
        elif name in _STARTED:
            columns.append(f"iif(session = 0, 0, time - {_STARTED[name][0]}) as {name}")
        else:
            columns.append(name)
    return columns


def _combination(table: str) -> tuple[str, ...]:
    columns = _COMBINATIONS[table][1]
    names = ", ".join(columns)
    found = " union ".join(f"select {names} from {facts}" for facts in _OWN)
    return (
        f"create table {table} (id integer primary key autoincrement, "
        + ", ".join(f"{name} integer not null" for name in columns)
        + f", unique ({names})) strict",
        f"insert into {table} values (0, {', '.join('0' * len(columns))})",
        f"insert or ignore into {table} ({names}) {found}",
    )


def _table(table: str) -> str:
    columns = ",\n".join(
        f"  {name} {_TYPES.get(name, 'integer not null')} {_CHECKS.get(name, '')}".rstrip() for name in _stored(table)
    )
    return f"create table stored_{table} (\n  id integer primary key,\n{columns}\n) strict"


def _facts(table: str) -> tuple[str, ...]:
    stored = _stored(table)
    joins = " ".join(f"join {other} using ({', '.join(names)})" for other, (_, names) in _COMBINATIONS.items())
    return (
        _table(table),
        f"insert into stored_{table} select old.id, {', '.join(stored.values())} from {table} as old {joins}",
        f"drop table {table}",
        *_around(table),
    )


def _around(table: str) -> tuple[str, ...]:
    """What belongs to a table of facts: its indexes, the triggers for the replica, and its view."""
    return (
        f"create index {table}_by_time on stored_{table} (site, time)",
        *(
            ("create index events_flagged on stored_events (site, bot, agent, time) where bot <> 0",)
            if table == "events"
            else ()
        ),
        *(
            f"create trigger {table}_{event} after {event} on stored_{table} begin {_noted(table)} end"
            for event in ("delete", "update")
        ),
        f"create view {table} as select {', '.join(_seen(table))} from stored_{table} as stored",
    )


STORED_FACTS = (
    *(statement for table in _COMBINATIONS for statement in _combination(table)),
    *(statement for table in _OWN for statement in _facts(table)),
    # Who a visitor was, and whose traces are being removed, by the same ids.
    *(f"drop trigger {table}_update" for table in _RENAMED),
    *(f"update {table} set {changes}" for table, changes in _RENAMED.items()),
    *(f"create trigger {table}_update after update on {table} begin {_noted(table)} end" for table in _RENAMED),
    """
    update erasures set visitors = (
      select json_group_array(
        json_array(json_extract(value, '$[0]') >> 15, json_extract(value, '$[1]'), json_extract(value, '$[2]'))
      )
      from json_each(visitors)
    )
    """,
    # What removed rows had: numbers of strings and of combinations; those that no other row has go last.
    """
    create table erasure_numbers (
      erasure          text    not null references erasures (id) on delete cascade,
      kind             text    not null,
      number           integer not null,
      primary key (erasure, kind, number)
    ) strict, without rowid
    """,
    "insert into erasure_numbers (erasure, kind, number) select erasure, 'strings', string from erasure_strings",
    "drop table erasure_strings",
    # The number of the next session.
    "create table session_numbers (next integer not null check (next > 0)) strict",
    "insert into session_numbers values (1)",
)


def _nullable(table: str, *columns: str) -> str:
    """Let these columns of a table be null; no row changes."""
    sql = "sql"
    for name in columns:
        sql = f"replace({sql}, '  {name} integer not null', '  {name} integer')"
    return f"update sqlite_schema set sql = {sql} where type = 'table' and name = 'stored_{table}'"


# A step of events.db: what was not measured is null, and 0 a measurement. Earlier zeros stay; only those of the time to
# the first interaction are known to have said nothing.
NOT_MEASURED = (
    "pragma writable_schema = on",
    _nullable("events", "scroll", "interactions"),
    _nullable("engagement", "time_on_page", "active_time", "first_interaction", "scroll", "interactions"),
    "pragma writable_schema = reset",
    "update stored_engagement set first_interaction = null where first_interaction = 0",
)


# A step of events.db: ids of visitors that last are odd, all others even (ingest/visitors). Earlier ids that were there
# on more than one UTC day are taken to last; so are ids of history that servers had sent in one go, because no row
# distinguishes them. Triggers sleep as above.
_WITH_VISITORS = (*(f"stored_{table}" for table in _OWN), "visitor_profiles")
_LASTS = "visitor in (select visitor from lasting)"
LASTING_IDS = (
    "create temp table lasting (visitor integer primary key) strict",
    """
    insert into lasting
    select visitor from (select distinct visitor, time / 86400000 from stored_events where visitor <> 0)
    group by visitor having count(*) > 1
    """,
    *(f"drop trigger {table.removeprefix('stored_')}_update" for table in (*_WITH_VISITORS, "link_clicks")),
    *(
        f"update or ignore {table} set visitor = iif({_LASTS}, visitor | 1, max(visitor & ~1, 2))"
        f" where visitor <> 0 and visitor & 1 <> ({_LASTS})"
        for table in _WITH_VISITORS
    ),
    "update link_clicks set visitor = visitor & ~1, landing_visitor = landing_visitor & ~1",
    """
    update erasures set visitors = (
      select json_group_array(
        json_array(
          iif(json_extract(value, '$[0]') in (select visitor from lasting), json_extract(value, '$[0]') | 1,
            json_extract(value, '$[0]') & ~1),
          json_extract(value, '$[1]'), json_extract(value, '$[2]')
        )
      )
      from json_each(visitors)
    )
    """,
    "drop table lasting",
    *(
        f"create trigger {table.removeprefix('stored_')}_update after update on {table}"
        f" begin {_noted(table.removeprefix('stored_'))} end"
        for table in (*_WITH_VISITORS, "link_clicks")
    ),
)


# A step of events.db: what visitors were given by feature flags.
FLAG_EXPOSURES = (_table("flag_exposures"), *_around("flag_exposures"))


# A step of events.db: of an event that was removed or changed also the website and the UTC days that it was of, by its
# time and by the start of its session, so that what was rolled up of these days is known not to be true any more.
_CHANGED = "insert into changes (source, row, of_site, day, began) values"
_DAYS = "old.time / 86400000, iif(old.session = 0, old.time, old.time - old.since_start) / 86400000"
CHANGED_DAYS = (
    *(f"alter table changes add column {name} integer" for name in ("of_site", "day", "began")),
    *(
        statement
        for event in ("delete", "update")
        for statement in (
            f"drop trigger events_{event}",
            f"create trigger events_{event} after {event} on stored_events"
            f" begin {_CHANGED} ('events', old.id, old.site, {_DAYS}); end",
        )
    ),
)


# A step of events.db: what is trimmed is not removed, so it is no change.
_ABOVE_FLOOR = "when old.id > coalesce((select until from trimmed where source = '{table}'), -1)"
SILENT_BELOW_FLOORS = tuple(
    statement
    for table in _ALL
    for event in ("delete", "update")
    for statement in (
        f"drop trigger {table}_{event}",
        f"create trigger {table}_{event} after {event} on stored_{table} {_ABOVE_FLOOR.format(table=table)} begin "
        + (f"{_CHANGED} ('events', old.id, old.site, {_DAYS});" if table == "events" else _noted(table))
        + " end",
    )
)


# A step of events.db: the same kinds of events as a range; no row changes. For each row that is written SQLite looks a
# list of three up in a table that it makes of it, which took a third of writing the row.
KINDS_AS_A_RANGE = (
    "pragma writable_schema = on",
    "update sqlite_schema set sql = replace(sql, 'check (kind in (1, 2, 3))', 'check (kind between 1 and 3)')"
    " where type = 'table' and name = 'stored_events'",
    "pragma writable_schema = reset",
)

# A step of events.db: a kind for what is measured of bots; no row changes.
MORE_KINDS = (
    "pragma writable_schema = on",
    "update sqlite_schema set sql = replace(sql, 'check (kind between 1 and 3)', 'check (kind between 1 and 4)')"
    " where type = 'table' and name = 'stored_events'",
    "pragma writable_schema = reset",
)


# A step of events.db: four more combinations. A column takes a byte of each row's header in addition to its value, so
# four numbers instead of eleven save 18 of the 104 bytes of a page view that has neither region, city nor properties.
_MORE_COMBINATIONS = {
    "referrals": ("referral", ("referrer", "source", "channel", "click_id")),
    "places": ("place", ("country", "region", "city")),
    "locales": ("locale", ("language", "time_zone")),
    "displays": ("display", ("viewport", "screen", "connection")),
}
_COMBINED = {name: (table, column) for table, (column, names) in _MORE_COMBINATIONS.items() for name in names}
_NOW = {"kind": "check (kind between 1 and 4)"}
_NULL_NOW = {
    "events": ("scroll", "interactions"),
    "engagement": ("time_on_page", "active_time", "first_interaction", "scroll", "interactions"),
}


def _columns_from_now_on(table: str) -> dict[str, str]:
    """The columns as they are stored from this step on, each with its source."""
    columns = {}
    for name in _stored(table):
        combination = _COMBINED.get(name)
        columns[name if combination is None else combination[1]] = (
            f"old.{name}" if combination is None else f"{combination[0]}.id"
        )
    return columns


def _read(name: str) -> str:
    if name not in _COMBINED:
        return name
    table, column = _COMBINED[name]
    return f"coalesce((select {name} from {table} where id = stored.{column}), 0) as {name}"


def _combine(table: str) -> tuple[str, ...]:
    columns, null = _columns_from_now_on(table), _NULL_NOW.get(table, ())
    definitions = ",\n".join(
        f"  {name} {_TYPES.get(name, 'integer' if name in null else 'integer not null')}"
        f" {_NOW.get(name, _CHECKS.get(name, ''))}".rstrip()
        for name in columns
    )
    # Left joins keep the order of the rows, and a row without its combination would be refused.
    joins = " ".join(
        f"left join {other} using ({', '.join(names)})" for other, (_, names) in _MORE_COMBINATIONS.items()
    )
    return (
        f"drop view {table}",
        f"alter table stored_{table} rename to separate_{table}",
        f"create table stored_{table} (\n  id integer primary key,\n{definitions}\n) strict",
        f"insert into stored_{table} select old.id, {', '.join(columns.values())} from separate_{table} as old {joins}",
        f"drop table separate_{table}",
        f"create index {table}_by_time on stored_{table} (site, time)",
        *(
            ("create index events_flagged on stored_events (site, bot, agent, time) where bot <> 0",)
            if table == "events"
            else ()
        ),
        *(one for one in SILENT_BELOW_FLOORS if one.startswith("create") and f" on stored_{table} " in one),
        f"create view {table} as select {', '.join(map(_read, _seen(table)))} from stored_{table} as stored",
    )


def _more_combination(table: str) -> tuple[str, ...]:
    names = _MORE_COMBINATIONS[table][1]
    listed = ", ".join(names)
    rows = " union ".join(f"select {listed} from stored_{facts}" for facts in _ALL)
    return (
        f"create table {table} (id integer primary key autoincrement, "
        + ", ".join(f"{name} integer not null" for name in names)
        + f", unique ({listed})) strict",
        f"insert into {table} values (0, {', '.join('0' * len(names))})",
        f"insert or ignore into {table} ({listed}) {rows}",
    )


MORE_COMBINATIONS = (
    *(statement for table in _MORE_COMBINATIONS for statement in _more_combination(table)),
    *(statement for table in _ALL for statement in _combine(table)),
    "pragma writable_schema = on",
    "update sqlite_schema set sql = replace(sql, 'check (kind in (''strings'', ''clients'', ''campaigns''))',"
    " 'check (kind <> '''')') where type = 'table' and name = 'replaced'",
    "pragma writable_schema = reset",
)
