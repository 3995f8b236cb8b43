"""Evaluation counts of flags: counted in the outcomes themselves, added to the table each minute.

No request waits for that. A kill -9 loses the counts of a minute, SIGTERM none.
"""

import asyncio
import logging
from collections.abc import Iterable
from functools import partial
from typing import Final

from analytics_box.base.clock import Clock, utc_day
from analytics_box.base.errors import Unavailable
from analytics_box.base.store.db import Db
from analytics_box.products.flags.directory import Flags
from analytics_box.products.flags.evaluation.outcome import Outcome
from analytics_box.products.flags.usage import rows
from analytics_box.products.flags.usage.rows import UsageCount, UsageKey

log = logging.getLogger(__name__)

KEPT_DAYS: Final = 400
MOST_WAITING: Final = 100_000  # Counts that wait while the disk is full, about 30 MB.
AT_ONCE: Final = 50  # Rulesets whose counts are collected without a pause.


class FlagCounts:
    """The counts of a box that are not on disk yet."""

    def __init__(self, box_db: Db, flags: Flags, clock: Clock) -> None:
        self._db = box_db
        self._flags = flags
        self._clock = clock
        self._waiting: dict[UsageKey, UsageCount] = {}
        flags.discard = self.take

    def take(self, outcomes: Iterable[Outcome]) -> None:
        """Take the counts out of these outcomes. Must be called on the event loop, as evaluations are."""
        now = self._clock.now()
        for outcome in outcomes:
            if outcome.count:
                self._add(UsageKey(outcome.flag_id, utc_day(now), outcome.gave), UsageCount(outcome.count, now))
                outcome.count = 0

    async def write(self, scope_id: str | None = None) -> None:
        """Add the counts to the table, of one scope or of all; counts that cannot be written wait for the next time."""
        for number, ruleset in enumerate(self._flags.rulesets(scope_id), 1):
            self.take(ruleset.outcomes())
            if not number % AT_ONCE:
                await asyncio.sleep(0)  # Let other tasks run.
        taken, self._waiting = self._waiting, {}
        if not taken:
            return
        try:
            await self._db.write(partial(rows.add, counts=taken), adds=True)
        except Unavailable:
            for key, counted in taken.items():
                self._add(key, counted)

    def write_now(self) -> None:
        """Add the counts to the table when the box stops, without an event loop."""
        for ruleset in self._flags.rulesets():
            self.take(ruleset.outcomes())
        taken, self._waiting = self._waiting, {}
        try:
            if taken:
                self._db.write_now(partial(rows.add, counts=taken))
        except Unavailable:
            log.warning("The most recent counts of flag evaluations are lost")

    async def forget(self) -> None:
        """Remove counts that are 400 days old or older; the time of a flag's last evaluation stays."""
        await self._db.write(partial(rows.forget, day=utc_day(self._clock.now()) - KEPT_DAYS))

    def _add(self, key: UsageKey, counted: UsageCount) -> None:
        known = self._waiting.get(key)
        if known is not None:
            known.count += counted.count
            known.last_at = max(known.last_at, counted.last_at)
        elif len(self._waiting) < MOST_WAITING:
            self._waiting[key] = counted
