"""Who is there now, and whether anything ever came: the two quick looks that pages take at the facts."""

import json

from analytics_box.clock import MINUTE
from analytics_box.store.db import Connection, Db

WINDOW = 5 * MINUTE  # semantics 9


class Presence:
    """Looks into events.db for pages. Bots are not there."""

    def __init__(self, events: Db) -> None:
        self._events = events

    async def online(self, sites: tuple[int, ...], now: int) -> dict[int, int]:
        """Current visitors by site number: distinct ones with any event in the last 5 minutes."""
        return await self._events.read(lambda db: _online(db, sites, now), seconds=2)

    async def begun(self, sites: tuple[int, ...]) -> frozenset[int]:
        """The sites that have had an event."""
        return await self._events.read(lambda db: _begun(db, sites), seconds=2)

    async def beginnings(self, sites: tuple[int, ...]) -> dict[int, int]:
        """When the first event of each of these sites was (UTC ms); those without one are left out."""
        return await self._events.read(lambda db: _beginnings(db, sites), seconds=2)


def _online(db: Connection, sites: tuple[int, ...], now: int) -> dict[int, int]:
    rows = db.execute(
        """
        -- presence.online
        select site, count(distinct nullif(visitor, 0))
        from events
        where site in (select value from json_each(?)) and time > ? and time <= ? and bot = 0
        group by site
        """,
        (json.dumps(sites), now - WINDOW, now),
    ).fetchall()
    counted = {int(str(site)): int(str(visitors)) for site, visitors in rows}
    return {site: counted.get(site, 0) for site in sites}


def _begun(db: Connection, sites: tuple[int, ...]) -> frozenset[int]:
    rows = db.execute(
        """
        -- presence.begun
        select value from json_each(?) where exists (select 1 from events where site = value and bot = 0)
        """,
        (json.dumps(sites),),
    ).fetchall()
    return frozenset(int(str(site)) for (site,) in rows)


def _beginnings(db: Connection, sites: tuple[int, ...]) -> dict[int, int]:
    rows = db.execute(
        """
        -- presence.beginnings
        select value, (select time from events where site = value and bot = 0 order by time limit 1)
        from json_each(?)
        """,
        (json.dumps(sites),),
    ).fetchall()
    return {int(str(site)): int(str(time)) for site, time in rows if time is not None}
