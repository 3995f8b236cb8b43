"""Counts of dropped traffic, by reason: in memory first, added to the table at most once a second.

Only traffic of existing websites is counted, so anonymous callers cannot make rows. A crash loses at most a second.
"""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from analytics_box.base.clock import Clock, utc_day
from analytics_box.base.errors import Unavailable
from analytics_box.base.facts.event import Event, Fact
from analytics_box.base.store.db import Connection, Db

Key = tuple[int, int, str]  # site, UTC day, reason


class DroppedCount(NamedTuple):
    """The number of events dropped for a reason on a UTC day (days since 1970)."""

    day: int
    reason: str
    times: int


def add_counts(db: Connection, counts: Mapping[Key, int]) -> None:
    """Add these to what is there."""
    db.executemany(
        """
        -- dropped.counts
        insert into drops (site, day, reason, count) values (?, ?, ?, ?)
        on conflict (site, day, reason) do update set count = count + excluded.count
        """,
        ((*key, count) for key, count in counts.items()),
    )


def take_all(db: Connection) -> dict[int, list[tuple[int, str, int]]]:
    """Take all counts out of the table: by site the day, the reason and how much."""
    found: dict[int, list[tuple[int, str, int]]] = {}
    taken = db.execute("-- dropped.counts\ndelete from drops returning site, day, reason, count").fetchall()
    for site, day, reason, count in taken:
        found.setdefault(int(str(site)), []).append((int(str(day)), str(reason), int(str(count))))
    return found


def counts_since(db: Connection, site: int, day: int) -> list[DroppedCount]:
    """The dropped events of a site from this UTC day on, the newest day first."""
    rows = db.execute(
        """
        -- dropped.counts
        select day, reason, count from drops where site = ? and day >= ? order by day desc, count desc, reason
        """,
        (site, day),
    ).fetchall()
    return [DroppedCount(int(str(found)), str(reason), int(str(count))) for found, reason, count in rows]


def forget_counts(db: Connection, day: int) -> None:
    """Remove what is older than this UTC day."""
    db.execute("-- dropped.counts\ndelete from drops where day < ?", (day,))


__all__ = ["FOLDED", "KEPT_DAYS", "DroppedCount", "DroppedTraffic", "count_quarantined"]

log = logging.getLogger(__name__)

KEPT_DAYS = 90
FOLDED = "hourly_budget"  # the reason of events that count with "(other)" in them
CAPACITY = 20_000  # different (site, day, reason) between two writes


class DroppedTraffic:
    """The counts of dropped traffic of a box, and of events that were folded."""

    def __init__(
        self,
        events: Db,
        clock: Clock,
        capacity: int = CAPACITY,
        told: Callable[[int], None] = lambda _site: None,
    ) -> None:
        self._events = events
        self._clock = clock
        self._capacity = capacity
        self._told = told  # of each website that lost something
        self._waiting: dict[Key, int] = {}
        self.stored = 0  # events, since the start of the box
        self.reasons: Counter[str] = Counter()  # why others were dropped, also those of no website, since then
        self.folded = 0  # of those stored, the ones with "(other)" in them

    def note(self, site: int, reason: str, count: int = 1) -> None:
        """Count dropped traffic of this site, with its reason."""
        self.reasons[reason] += count
        self._add(site, reason, count)
        self._told(site)

    def note_folded(self, site: int, count: int) -> None:
        """Count events of this site that are stored with "(other)", because their new texts were over its budget."""
        self.folded += count
        self._add(site, FOLDED, count)

    def _add(self, site: int, reason: str, count: int) -> None:
        key = (site, utc_day(self._clock.now()), reason[:64])
        so_far = self._waiting.get(key, 0)
        if so_far or len(self._waiting) < self._capacity:
            self._waiting[key] = so_far + count

    async def write(self) -> None:
        """Add what was noted to the table; what cannot be written waits for the next time."""
        taken, self._waiting = self._waiting, {}
        if not taken:
            return
        try:
            await self._events.write(partial(add_counts, counts=taken))
        except Unavailable:
            for key, count in taken.items():
                self._waiting[key] = self._waiting.get(key, 0) + count

    def write_now(self) -> None:
        """Add what was noted to the table when the box stops, without an event loop."""
        taken, self._waiting = self._waiting, {}
        try:
            if taken:
                self._events.write_now(partial(add_counts, counts=taken))
        except Unavailable:
            log.warning("The most recent counts of dropped events are lost")

    async def of(self, site: int, *, days: int) -> list[DroppedCount]:
        """Dropped traffic of the last `days` UTC days, today included; the newest day first."""
        await self.write()
        first = utc_day(self._clock.now()) - days + 1
        return await self._events.read(lambda db: counts_since(db, site, first))

    async def forget(self) -> None:
        """Remove what is older than 90 days."""
        await self._events.write(partial(forget_counts, day=utc_day(self._clock.now()) - KEPT_DAYS))


def add(db: Connection, site: int, counts: Iterable[tuple[int, str, int]]) -> None:
    """Add what another machine has taken out."""
    add_counts(db, {(site, day, reason): count for day, reason, count in counts})


def count_quarantined(db: Connection, facts: Sequence[Fact]) -> None:
    """Count the facts of bots among facts that did not come over the network."""
    sent = Counter((fact.site, utc_day(fact.time), fact.bot) for fact in facts if isinstance(fact, Event) and fact.bot)
    add_counts(db, sent)
