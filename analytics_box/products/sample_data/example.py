"""An example website: 90 days of made-up visits up to now, to look around in before the first real one."""

import asyncio
import logging

from analytics_box.base import background
from analytics_box.base.clock import DAY, Clock, utc_day
from analytics_box.base.errors import BoxError
from analytics_box.base.facts.event import Fact
from analytics_box.base.store.db import Connection, Db
from analytics_box.ingest.dropped import count_quarantined
from analytics_box.ingest.enrich import EventTarget
from analytics_box.ingest.ledger import Ledger
from analytics_box.products.sample_data import history
from analytics_box.products.sample_data.arrivals import DAYS
from analytics_box.tenants.websites.rules import Website

log = logging.getLogger(__name__)

_AT_ONCE = 1_000  # events of one commit, so that others wait a few milliseconds


class Examples:
    """Fills example websites, one after the other, beside everything else."""

    def __init__(self, events: Db, ledger: Ledger, clock: Clock) -> None:
        self._events, self._ledger, self._clock = events, ledger, clock
        self._turn = asyncio.Lock()
        self._filling: set[asyncio.Task[None]] = set()

    def begin(self, website: Website) -> None:
        """Fill a website that has had no visits. Until it is complete, pages show the days so far."""
        background.begin(self._fill(website), self._filling)

    async def filled(self) -> None:
        """Returns when all that was begun is there."""
        await asyncio.gather(*self._filling)

    async def _fill(self, website: Website) -> None:
        now = self._clock.now()
        today, target = utc_day(now), EventTarget(website.site, website.domain)
        try:
            async with self._turn:
                for day in range(today - DAYS, today + 1):
                    await self._append(await asyncio.to_thread(_of_day, website.id, target, day, now))
        except BoxError as refused:  # the disk is full, or the box is stopping
            log.warning("The example website was not updated: %s", refused.message)
        except Exception:
            log.exception("The example website was not updated")

    async def _append(self, happened: list[Fact]) -> None:
        for first in range(0, len(happened), _AT_ONCE):
            batch = happened[first : first + _AT_ONCE]

            def append(db: Connection, batch: list[Fact] = batch) -> None:
                self._ledger.append(db, batch)
                count_quarantined(db, batch)

            await self._events.write(append, adds=True)


def _of_day(seed: str, target: EventTarget, day: int, now: int) -> list[Fact]:
    """The events of one UTC day, as far as it is over."""
    return history.events(seed, target, first_day=utc_day(now) - DAYS, start=day * DAY, end=min((day + 1) * DAY, now))
