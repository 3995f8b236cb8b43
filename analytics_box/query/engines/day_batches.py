"""Days that are over are rolled up here, in batches, and spans of days from their days."""

import json
from collections.abc import Collection, Mapping

from analytics_box.base.clock import DAY, HOUR, MINUTE
from analytics_box.base.store.db import Connection
from analytics_box.query.engines.sql import open_days
from analytics_box.query.engines.sql.rolling import OF_ROLLS, RollupBatch, SiteDay
from analytics_box.query.engines.sql.texts import Values
from analytics_box.query.rollups import span, spans_of

MOST_EVENTS = 100_000  # of a batch of days, unless a single day has more
MOST_DAYS = 5_000  # that are looked for at once
CLOSED = HOUR  # after its end a day is rolled up: until then sessions go on into the next, and events come late
AGAIN = 10 * MINUTE  # between two roll-ups of a day


class DayBatches:
    """Rolls up days in a connection to rollups.db, which knows events.db as `facts`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._rolled_at: dict[SiteDay, int] = {}  # UTC ms, of the last minutes

    def roll(self, now: int) -> bool:
        """Roll up a batch of days that are over, and spans of them that are complete; whether there are more."""
        self._rolled_at = {day: then for day, then in self._rolled_at.items() if 0 <= now - then < AGAIN}
        found = self._connection.execute(
            """
            -- rollups.to_roll
            select site, day from days where not rolled and day < ? order by day, site limit ?
            """,
            ((now - CLOSED) // DAY, MOST_DAYS + len(self._rolled_at)),
        ).fetchall()
        waiting = [
            day for day in (SiteDay(int(str(site)), int(str(day))) for site, day in found) if day not in self._rolled_at
        ]
        if not waiting:
            return False
        events = self._batch(waiting)
        open_days.forget_days(self._connection, events)
        batch = RollupBatch(self._do, events)
        batch.forget()
        batch.roll()
        _mark(self._connection, events)
        spans = {SiteDay(site, span(days, first)): 0 for site, days, first in _complete(self._connection, events, now)}
        if spans:
            RollupBatch(self._do, spans).put_together()
            _mark(self._connection, spans)
        self._rolled_at |= dict.fromkeys(events, now)
        return len(events) < len(waiting) or len(found) >= MOST_DAYS

    def _do(self, statement: str, values: Values | list[str] | None = None) -> int:
        before = self._connection.total_changes()
        self._connection.execute(statement, values)
        return self._connection.total_changes() - before

    def _batch(self, days: list[SiteDay]) -> dict[SiteDay, int]:
        """The first of these days, as many as may be read together and no other day between them, with the number of
        their events."""
        batch: dict[SiteDay, int] = {}
        sites: set[int] = set()
        read, before = 0, days[0].day
        for day in sorted({day.day for day in days}):
            if day > before + 1 or read >= MOST_EVENTS:
                break
            wanted = {one.site for one in days if one.day == day}
            sites |= wanted
            counted = self._connection.execute(
                """
                -- rollups.count
                select site, count(*) from stored_events
                where site in (select value from json_each(?)) and time >= ? and time < ? group by site
                """,
                (json.dumps([*sites]), day * DAY, (day + 1) * DAY),
            ).fetchall()
            numbers = {int(str(site)): int(str(number)) for site, number in counted}
            read += sum(numbers.values())
            batch |= {SiteDay(site, day): numbers.get(site, 0) for site in wanted}
            before = day
        return batch


def forget_spans(db: Connection, days: Collection[SiteDay]) -> None:
    """Remove the spans with one of these days."""
    spans = json.dumps([[day.site, span(many, first)] for day in days for many, first in spans_of(day.day)])
    found = db.execute(
        """
        -- rollups.spans_of
        select distinct days.site, days.day from json_each(?) as one
        join days on days.site = one.value ->> 0 and days.day = one.value ->> 1
        """,
        (spans,),
    ).fetchall()
    for table in ("days", *OF_ROLLS) if found else ():
        db.executemany(f"-- rollups.forget_span\ndelete from {table} where site = ? and day = ?", found)


def _mark(db: Connection, days: Mapping[SiteDay, int]) -> None:
    """Record that these days are rolled up, with their numbers of events, and number this roll-up."""
    db.execute("-- rollups.number\nupdate rolled_state set roll = roll + 1")
    db.execute(
        """
        -- rollups.rolled
        insert or replace into days
        select value ->> 0, value ->> 1, (select roll from rolled_state), value ->> 2 from json_each(?)
        """,
        (json.dumps([(*day, events) for day, events in days.items()]),),
    )


def _complete(db: Connection, days: Collection[SiteDay], now: int) -> set[tuple[int, int, int]]:
    """The spans with one of these days, or right before such a span, that are over and all rolled up: (site, how many
    days, the first of them)."""
    spans = {(day.site, *one) for day in days for one in spans_of(day.day)}
    spans |= {(site, days_, first - days_) for site, days_, first in spans}
    over = [one for one in spans if one[2] + one[1] <= (now - CLOSED) // DAY]
    found = db.execute(
        f"""
        -- rollups.complete
        with span as (
          select value ->> 0 as of_site, value ->> 1 as days, value ->> 2 as first from json_each(?)
        )
        select of_site, days, first from span
        where not exists (select 1 from days where site = of_site and day = span.days * {span(1, 0)} + first)
        and not exists (
          select 1 from days where site = of_site and day >= first and day < first + span.days and not rolled
        )
        """,
        (json.dumps(over),),
    ).fetchall()
    return {(int(str(site)), int(str(many)), int(str(first))) for site, many, first in found}
