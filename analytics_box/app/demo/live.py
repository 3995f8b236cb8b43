"""Visitors of the demo while it is served: its made-up days go on, with a few visits more, so that someone is there.

All of it is stored as events from the network are. The visits more begin every 40 seconds at first and more and more
seldom: about 60 in the first hour, and 450 in the first day.
"""

import asyncio
import heapq
import logging
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from random import Random
from typing import Final

from msgspec.structs import replace

from analytics_box.app.demo import fill, flags, links
from analytics_box.app.demo.flags import DemoEvaluations
from analytics_box.base.clock import MINUTE, SECOND, Clock
from analytics_box.base.errors import BoxError
from analytics_box.base.facts.event import Event, Fact
from analytics_box.base.store.db import Connection, Db
from analytics_box.ingest.dropped import count_quarantined
from analytics_box.ingest.intake import Intake
from analytics_box.products.links.clicks.waiting import Clicks
from analytics_box.products.sample_data import history

log = logging.getLogger(__name__)

LOOKS: Final = 3.0  # seconds between two looks at what is due
GAP: Final = 40 * SECOND  # between two visits at first
SLOWER: Final = 60  # after so many visits the gap is twice that
_FOR_EVER: Final = 10**15  # later than all that is made up


class Visitors:
    """The demo's visitors from now on. Times are UTC ms."""

    def __init__(
        self, clock: Clock, box_db: Db, intake: Intake, clicks: Clicks, directory: Path, filled: fill.FilledDemo
    ) -> None:
        self._clock, self._box_db, self._intake, self._clicks = clock, box_db, intake, clicks
        self._directory = directory
        self._demo, self._made = filled.demo, filled.made
        self._random = Random(f"{fill.SEED}:live:{filled.demo.filled}")  # noqa: S311  believable, not secret
        self._due: list[tuple[int, int, Fact]] = []
        self._numbers, self._visits = count(), 0
        self._next = filled.demo.filled
        self._seen: set[int] = set()

    async def come(self) -> None:
        """Until this is cancelled, or the box takes nothing more."""
        while True:
            await asyncio.sleep(LOOKS)
            try:
                await self.look(self._clock.now())
            except BoxError as refused:  # the disk is full, or the box is stopping
                log.warning("The demo generates no visits for a moment: %s", refused.message)

    async def look(self, now: int) -> None:
        """Store what has happened up to now. Raises BoxError."""
        if now - self._demo.filled >= MINUTE:
            start, self._demo = self._demo.filled, replace(self._demo, filled=now)
            happened, given = await asyncio.to_thread(fill.since, self._demo, self._made, start)
            await asyncio.to_thread(fill.note, self._directory, self._demo)  # before: a crash loses a minute at most
            await self._store([*happened, *given.events], given)
        while self._next <= now:
            await self._visit(self._next)
        due = []
        while self._due and self._due[0][0] <= now:
            due.append(heapq.heappop(self._due)[2])
        if due:
            await self._store(due)

    async def _visit(self, at: int) -> None:
        """Add a visit, with its flag evaluations, and choose when the next one begins."""
        facts = history.one_visit(fill.SEED, self._made.target, self._random, at)
        given = flags.evaluations_between(self._made.flags, facts, fill.SEED, start=0, end=_FOR_EVER)
        for fact in (*facts, *given.events):
            heapq.heappush(self._due, (fact.time, next(self._numbers), fact))
        self._visits += 1
        self._next = at + round(self._random.uniform(0.5, 1.5) * GAP * (1 + self._visits / SLOWER))
        await self._box_db.write(lambda db: flags.append(db, given))

    async def _store(self, happened: Sequence[Fact], given: DemoEvaluations | None = None) -> None:
        """Store events, and counts of flag evaluations that are not stored yet."""
        facts = sorted(happened, key=lambda fact: fact.time)
        intake = self._intake

        def append(db: Connection) -> None:
            intake.ledger.append(db, facts)
            count_quarantined(db, facts)

        if facts:
            await intake.events.write(append, adds=True)
            intake.arrivals.note_stored(facts)
        if given is not None:
            await self._box_db.write(lambda db: flags.append(db, given))
        for click in links.clicks(self._made.short, [*self._first(facts)], fill.SEED):
            self._clicks.note(click)

    def _first(self, facts: Sequence[Fact]) -> Iterator[Fact]:
        """The events of visitors who were not there before: only these can have come over a link."""
        fresh = {fact.visitor for fact in facts if isinstance(fact, Event)} - self._seen
        self._seen |= fresh
        return (fact for fact in facts if isinstance(fact, Event) and fact.visitor in fresh)
