"""Presence: current visitors, whether a website has any events, and the kinds of its facts. Quick reads for pages."""

import json
from typing import Final, Protocol

from analytics_box.base.clock import MINUTE
from analytics_box.base.facts.layout import stored_table
from analytics_box.base.facts.trimmed import NOBODYS
from analytics_box.base.store.db import Connection, Db
from analytics_box.query.catalog.types import SubjectName

# Each is the first entry of an index. When websites begin is in query.presence.
_FIRST: dict[SubjectName, str] = {
    "link": """
        -- beginnings.first
        select time from link_clicks where link = :number order by time limit 1
        """,
    "monitor": """
        -- beginnings.first
        select start from monitor_spans where monitor = :number order by start limit 1
        """,
}


async def first(events: Db, subject: SubjectName, number: int) -> int | None:
    """The time of the first fact about this subject, in UTC ms; None if nothing has come yet."""
    return await events.read(lambda db: _first(db, subject, number), seconds=2)


def _first(db: Connection, subject: SubjectName, number: int) -> int | None:
    row = db.execute(_FIRST[subject], {"number": number}).fetchone()
    return None if row is None else int(str(row[0]))


WINDOW = 5 * MINUTE  # semantics 9
KINDS: Final = ("flags", "errors", "vitals")  # of facts that not all websites have


class RemotePresence(Protocol):
    """Presence as other machines reported it, for sites whose events they receive."""

    def online(self, site: int) -> int:
        """Current visitors."""

    def begun(self, site: int) -> int:
        """The time of the first event (UTC ms); 0 if there is none."""

    def kinds(self, site: int) -> frozenset[str]:
        """Of KINDS those of which there are facts."""


class Presence:
    """Looks into events.db for pages, and at what other machines have said, where there are any. Bots are not there."""

    def __init__(self, events: Db) -> None:
        self._events = events
        self.elsewhere: RemotePresence | None = None

    async def online(self, sites: tuple[int, ...], now: int) -> dict[int, int]:
        """Current visitors by site number: distinct ones with any event in the last 5 minutes."""
        found = await self._events.read(lambda db: _online(db, sites, now), seconds=2)
        if self.elsewhere is None:
            return found
        return {site: here + self.elsewhere.online(site) for site, here in found.items()}

    async def begun(self, sites: tuple[int, ...]) -> frozenset[int]:
        """The sites that have had an event."""
        found = await self._events.read(lambda db: _sites_with_events(db, sites), seconds=2)
        return found if self.elsewhere is None else found.union(filter(self.elsewhere.begun, sites))

    async def beginnings(self, sites: tuple[int, ...]) -> dict[int, int]:
        """The time of the first event of each of these sites (UTC ms), without sites that have none."""
        found = await self._events.read(lambda db: _beginnings(db, sites), seconds=2)
        if self.elsewhere is None:
            return found
        told = {site: first for site in sites if (first := self.elsewhere.begun(site))}
        return {site: min(found.get(site, first), first) for site, first in told.items()} | {
            site: first for site, first in found.items() if site not in told
        }

    async def kinds(self, site: int) -> frozenset[str]:
        """Of KINDS those of which a site has facts."""
        found = await self._events.read(lambda db: _kinds(db, site), seconds=2)
        return found if self.elsewhere is None else found | self.elsewhere.kinds(site)


def active(db: Connection) -> list[int]:
    """All sites that have had an event."""
    rows = db.execute(
        f"""
        -- presence.active
        with recursive found (number) as (
          select min(site) from {stored_table("events")} where site > {NOBODYS}
          union all
          select (select min(site) from {stored_table("events")} where site > number) from found where number is not
          null
        )
        select number from found where number is not null
        """
    ).fetchall()
    return [int(str(number)) for (number,) in rows]


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


def _sites_with_events(db: Connection, sites: tuple[int, ...]) -> frozenset[int]:
    rows = db.execute(
        """
        -- presence.begun
        select value from json_each(?)
        where exists (select 1 from events where site = value and bot = 0)
          or exists (select 1 from trimmed_sites where site = value and source = 'events')
          or exists (select 1 from import_progress where site = value and first_day <= last_day)
        """,
        (json.dumps(sites),),
    ).fetchall()
    return frozenset(int(str(site)) for (site,) in rows)


def _beginnings(db: Connection, sites: tuple[int, ...]) -> dict[int, int]:
    rows = db.execute(
        """
        -- presence.beginnings
        select value, (
          select min(first.value) from json_each(json_array(here, there, imported)) as first
        ) from (
          select value,
            (select time from events where site = value and bot = 0 order by time limit 1) as here,
            (select first from trimmed_sites where site = value and source = 'events') as there,
            -- Imports without sessions have totals of days.
            (
              select min(first_day) * 86400000 from import_progress
              where site = value and sessions = 0 and first_day <= last_day
            ) as imported
          from json_each(?)
        )
        """,
        (json.dumps(sites),),
    ).fetchall()
    return {int(str(site)): int(str(time)) for site, time in rows if time is not None}


def _kinds(db: Connection, site: int) -> frozenset[str]:
    (found,) = db.execute(
        """
        -- presence.kinds
        select
          exists (select 1 from flag_exposures where site = :site
            union all select 1 from trimmed_sites where site = :site and source = 'flag_exposures'),
          exists (select 1 from errors where site = :site
            union all select 1 from trimmed_sites where site = :site and source = 'errors'),
          exists (select 1 from vitals where site = :site and metric <= 6)
        """,
        {"site": site},
    ).fetchall()
    return frozenset(name for name, there in zip(KINDS, found, strict=True) if there)
