"""The state of rollups.db: until which event and which change it is true, and the days that changed since."""

import json
from typing import NamedTuple

from analytics_box.base.clock import DAY
from analytics_box.base.store.db import Connection
from analytics_box.query.engines.sql.rolling import SiteDay

_DAYS_OF_ROWS = f"site, time / {DAY} as day, iif(session = 0, time, time - since_start) / {DAY} as began"


class RollupsState(NamedTuple):
    """Until which event and which change the file is true."""

    last: int
    applied: int

    def is_at_most(self, other: "RollupsState") -> bool:
        """Whether the other one is the same or later, and has lost no newest event."""
        return self.last <= other.last and self.applied <= other.applied


class TouchedDays(NamedTuple):
    """The days of events that came, went or changed, and among them the days of those that went or changed."""

    days: frozenset[SiteDay] = frozenset()
    changed: frozenset[SiteDay] = frozenset()


class DayChanges(NamedTuple):
    """The days that came, went or changed from one state to another."""

    since: RollupsState
    until: RollupsState
    touched: TouchedDays


def mark_of(db: Connection, row: int) -> str:
    """A fingerprint that tells an event from an event with the same id in other facts."""
    found = db.execute(
        "-- rollups.mark\nselect site, time, kind, visitor, session, path from stored_events where id = ?", (row,)
    )
    return json.dumps(found.fetchall()) if row >= 0 else ""


def state_of(db: Connection) -> RollupsState:
    ((last, applied),) = db.execute("-- rollups.state\nselect last, applied from rolled_state").fetchall()
    return RollupsState(int(str(last)), int(str(applied)))


def set_state(db: Connection, state: RollupsState) -> None:
    db.execute(
        "-- rollups.set_state\nupdate rolled_state set last = ?, applied = ?, mark = ?",
        (*state, mark_of(db, state.last)),
    )


def newest(db: Connection) -> RollupsState:
    ((last, applied),) = db.execute(
        """
        -- rollups.newest
        select (select coalesce(max(id), -1) from stored_events),
          coalesce((select seq from sqlite_sequence where name = 'changes'), 0)
        """
    ).fetchall()
    return RollupsState(int(str(last)), int(str(applied)))


def has_changes(db: Connection, state: RollupsState, newest: RollupsState) -> bool:
    """Whether all changes since this state are still known."""
    ((found,),) = db.execute("-- rollups.oldest\nselect coalesce(min(id), 0) from changes").fetchall()
    oldest = int(str(found)) or newest.applied + 1
    return oldest - 1 <= state.applied


def touched_days(db: Connection, since: RollupsState, until: RollupsState) -> TouchedDays:
    """The days of events that came, went or changed since, before and after that."""
    found = db.execute(
        f"""
        -- rollups.touched
        with changed as (select * from changes where id > :applied and id <= :until_change and source = 'events')
        select 1, of_site, day, began from changed
        union select 1, {_DAYS_OF_ROWS} from stored_events where id in (select row from changed)
        union select 0, {_DAYS_OF_ROWS} from stored_events where id > :last and id <= :until_row
        """,
        {"applied": since.applied, "until_change": until.applied, "last": since.last, "until_row": until.last},
    ).fetchall()
    days = {(SiteDay(int(str(site)), int(str(day))), changed) for changed, site, *both in found for day in both}
    return TouchedDays(frozenset(day for day, _ in days), frozenset(day for day, changed in days if changed))
