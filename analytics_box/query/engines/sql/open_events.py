"""The events of open days: their visitors by dimensions and by the time of day.

Queries find new events by their ids, which the unary plus and the limit make SQLite do.
"""

from collections.abc import Collection, Mapping

from analytics_box.base.clock import DAY
from analytics_box.base.facts.event import LASTS, PAGE_VIEW
from analytics_box.base.facts.tables import COMBINATION_OF
from analytics_box.base.store.db import Connection
from analytics_box.query.engines.sql.open_tables import NUMBERS, TAKEN, add_up, cells_of, plus
from analytics_box.query.rollups import SLOT, TIME, Roll

_NEW_SLOTS = ("pageviews", "total_events", "firsts", "lasts")
# The events after the file's state, and their UTC day.
NEW_EVENTS = f"(select *, time / {DAY} as day from events where id > :after limit -1)"


def add_events(db: Connection, rolls: Collection[Roll], within: str, values: Mapping[str, int]) -> None:
    """Add the events that match `within` to these roll-ups."""
    _take_events(db, rolls, within, values)
    for roll in rolls:
        if roll is TIME:
            _add_times(db)
        else:
            _add_cells(db, roll)


def _take_events(db: Connection, rolls: Collection[Roll], within: str, values: Mapping[str, int]) -> None:
    """Copy what these roll-ups need of the events."""
    parts = sorted({name for roll in rolls for name in roll.group} - {"path"})
    named = "".join(f", {part}" for part in parts)
    shown = "".join(
        f", coalesce((select {part} from {one.table} as its where its.id = fact.{one.column}), 0) as {part}"
        if (one := COMBINATION_OF.get(part))
        else f", {part}"
        for part in parts
    )
    db.execute(
        f"""
        -- open.take
        insert into taken_events (site, day, slot, time, kind, visitor, path{named})
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
    table, columns = cells_of(roll)
    source = (
        f"taken_events as taken where kind in ({', '.join(str(int(kind)) for kind in roll.kinds)})"
        f" and {TAKEN.format('day', roll.name)}"
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
        {plus(columns)}
        """
    )
    db.execute(
        f"-- open.add_ids\ninsert or ignore into open_ids select distinct site, day, {NUMBERS[roll.name]},"
        f" {', '.join(pair)}, visitor from {source} and visitor <> 0 and visitor & {LASTS} = 0"
    )
    db.execute(
        f"-- open.add_lasting\ninsert or ignore into rolled_{roll.name}_ids select distinct site, day, {group}, visitor"
        f" from {source} and visitor & {LASTS}"
    )


def _add_times(db: Connection) -> None:
    """Add the events to the roll-up by the time of day."""
    taken = f"from taken_events where kind <> 3 and {TAKEN.format('day', TIME.name)}"
    met = f"select site, day, visitor, min(slot) as low, max(slot) as high {taken} and visitor <> 0"
    widen = (
        "on conflict do update set first_slot = min(first_slot, excluded.first_slot),"
        " last_slot = max(last_slot, excluded.last_slot)"
    )
    db.execute(
        f"-- open.add_time_ids\ninsert into rolled_time_ids {met} and visitor & {LASTS} group by 1, 2, 3 {widen}"
    )
    db.execute(f"-- open.met\ninsert into met {met} and visitor & {LASTS} = 0 group by 1, 2, 3")
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
          from taken_events where {TAKEN.format("day", TIME.name)}{changed}
        ) where true group by 1, 2, 3
        {plus(_NEW_SLOTS)}
        """
    )
    db.execute(f"-- open.add_seen\ninsert into open_seen select * from met where true {widen}")
    add_up(db, "rolled_time", "open_slots", _NEW_SLOTS, TIME.name)


def _is_new(roll: Roll, row: str, *columns: str) -> str:
    """A condition: this roll-up lacks the id of a row's visitor, which changes daily."""
    first, second = (*columns, "0")[:2]
    return (
        f"{row}.visitor <> 0 and {row}.visitor & {LASTS} = 0 and not exists (select 1 from open_ids as own"
        f" where own.site = {row}.site and own.day = {row}.day and own.roll = {NUMBERS[roll.name]}"
        f" and own.first_value = {first} and own.second_value = {second} and own.visitor = {row}.visitor)"
    )


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
