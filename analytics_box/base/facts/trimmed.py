"""Facts that have left events.db and are in ClickHouse only.

Of a table of facts these are all rows up to an id, its floor: ids grow in the order of arrival, so above it all rows
are here. A row of no website, the anchor, is in the place of the last one that was trimmed, so that no id is given
again. Trimming is no removal: at and below a floor no `changes` are noted.
"""

from collections.abc import Mapping

from msgspec import Struct

from analytics_box.base.facts.layout import STORED_COLUMNS, stored_table
from analytics_box.base.facts.tables import BY_NAME, FACT_NAMES
from analytics_box.base.store.db import Connection

NOBODYS = 0  # the site of anchors
_NULLABLE = {name: frozenset(column.name for column in BY_NAME[name].columns if column.null) for name in FACT_NAMES}


class TrimPiece(Struct, frozen=True):
    """Rows that may be trimmed: those above the floor up to this id, how many they are, and of each of their sites the
    time of the last of them (UTC ms)."""

    table: str
    until: int
    count: int
    last: Mapping[int, int]


def floors(db: Connection) -> dict[str, int]:
    """The last id that was trimmed, by table; only of those of which anything was."""
    rows = db.execute("-- trimmed.floors\nselect source, until from trimmed").fetchall()
    return {str(source): int(str(until)) for source, until in rows}


def counts(db: Connection) -> dict[str, int]:
    """The number of rows of each table that are in ClickHouse only."""
    rows = db.execute("-- trimmed.counts\nselect source, sum(count) from trimmed_sites group by source").fetchall()
    return {str(source): int(str(count)) for source, count in rows}


def latest(db: Connection) -> dict[int, int]:
    """The time of the last fact of each site that is in ClickHouse only (UTC ms)."""
    rows = db.execute("-- trimmed.latest\nselect site, max(last) from trimmed_sites group by site").fetchall()
    return {int(str(site)): int(str(last)) for site, last in rows}


def has_any(db: Connection, site: int) -> bool:
    """Whether a site has facts in ClickHouse only."""
    return bool(db.execute("-- trimmed.has_any\nselect 1 from trimmed_sites where site = ?", (site,)).fetchall())


def next_piece(db: Connection, table: str, *, until: int, before: int, most: int) -> TrimPiece | None:
    """The next rows above the floor up to this id: in the order of arrival, as long as each is from before this instant
    (UTC ms) and none is quarantined. The newest row of a table is not among them."""
    bot = "bot" if table == "events" else "0"
    rows = db.execute(
        f"""
        -- trimmed.next_piece
        select id, site, time, {bot} from {stored_table(table)}
        where id > coalesce((select until from trimmed where source = :table), -1) and id <= :until
          and id < (select max(id) from {stored_table(table)})
        order by id limit :most
        """,
        {"table": table, "until": until, "most": most},
    )
    last: dict[int, int] = {}
    end = count = 0
    for number, site, time, quarantined in rows:
        if int(str(time)) >= before or quarantined:
            break
        end, count = int(str(number)), count + 1
        last[int(str(site))] = max(last.get(int(str(site)), 0), int(str(time)))
    rows.close(force=True)
    return TrimPiece(table, end, count, last) if count else None


def trim(db: Connection, table: str, *, until: int, applied: int, most: int) -> bool | None:
    """Trim the next rows above the floor up to this id, at most so many; whether there are more of them. None if it
    has to wait for changes of them after the one that was `applied`."""
    waits = db.execute(
        "-- trimmed.trim\nselect 1 from changes where id > ? and source = ? and row <= ? limit 1",
        (applied, table, until),
    ).fetchall()
    if waits:
        return None
    floor = floors(db).get(table, -1)
    ((last, count),) = db.execute(
        f"""
        -- trimmed.trim
        select max(id), count(*) from (
          select id from {stored_table(table)} where id > ? and id <= ? order by id limit ?)
        """,
        (floor, until, most),
    ).fetchall()
    if last is None:
        return False
    db.execute(
        f"""
        -- trimmed.trim
        insert into trimmed_sites (site, source, count, first, last)
        select site, :table, count(*), min(time), max(time) from {stored_table(table)}
        where id > :floor and id <= :last group by site
        on conflict (site, source) do update set
          count = count + excluded.count, first = min(first, excluded.first), last = max(last, excluded.last)
        """,
        {"table": table, "floor": floor, "last": int(str(last))},
    )
    db.execute(
        """
        -- trimmed.trim
        insert into trimmed (source, until) values (?, ?) on conflict (source) do update set until = excluded.until
        """,
        (table, int(str(last))),
    )
    db.execute(f"-- trimmed.trim\ndelete from {stored_table(table)} where id <= ?", (int(str(last)),))
    _anchor(db, table, int(str(last)))
    return int(str(count)) == most and int(str(last)) < until


def _anchor(db: Connection, table: str, number: int) -> None:
    """A row that is nobody's and says nothing."""
    columns = STORED_COLUMNS[table]
    kept = {"site": NOBODYS, "kind": 1}
    values = [None if name in _NULLABLE[table] else kept.get(name, 0) for name in columns]
    db.execute(
        f"-- trimmed.anchor\ninsert into {stored_table(table)} (id, {', '.join(columns)}) "
        f"values (?{', ?' * len(columns)})",
        (number, *values),
    )
