"""Evaluation counts of flags: counted in the outcomes themselves, added to the table each minute.

No request waits for that. A kill -9 loses the counts of a minute, SIGTERM none.

One of these requests is evaluated each hour, so that a flag that is only requested this way does not look unused.
"""

import asyncio
import logging
from collections.abc import Iterable
from functools import partial
from typing import Final

from msgspec import Struct

from analytics_box.base.cache import BoundedCache
from analytics_box.base.clock import Clock, utc_day
from analytics_box.base.errors import Unavailable
from analytics_box.base.store.db import Connection, Db
from analytics_box.products.flags.directory import Flags
from analytics_box.products.flags.evaluation.outcome import Outcome
from analytics_box.products.flags.flag import Flag, FlagScope
from analytics_box.products.flags.usage import rows
from analytics_box.products.flags.usage.rows import DayCount, UsageCount, UsageKey
from analytics_box.products.flags.usage.rules import LastGiven, Stale, needed_keys, stale
from analytics_box.web.call import Parts

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


EVERY: Final = 3_600  # seconds
MOST: Final = 10_000  # Answers that are remembered.


def recent_evaluations(clock: Clock) -> BoundedCache[int, bool]:
    """Requests evaluated within an hour, by the hash of their flags, scope and environment, without the user."""
    return BoundedCache(MOST, seconds=EVERY, clock=clock)


NEVER: Final = LastGiven()


class FlagUsage(Struct, frozen=True):
    """The last evaluation of a flag (UTC ms; None: never), and whether it is stale."""

    last_at: int | None = None
    stale: Stale | None = None


class Usage(Struct, frozen=True):
    """The usage of a flag, with the last time of each outcome, and the counts for each UTC day, newest first."""

    used: FlagUsage
    given: LastGiven
    days: tuple[DayCount, ...]


async def used(parts: Parts, scope: FlagScope, flags: Iterable[Flag] | None = None) -> dict[str, FlagUsage]:
    """The usage of these flags of a scope, or of all its flags, by their ids; at most a moment old."""
    wanted = scope.flags if flags is None else tuple(flags)
    await parts[FlagCounts].write(scope.id)
    return await parts.box_db.read(lambda db: _used(db, scope, wanted, parts.clock, parts.settings.flag_stale_days))


async def usage(parts: Parts, scope: FlagScope, flag: Flag, *, days: int) -> Usage:
    """The usage of one flag in the last `days` UTC days, today included."""
    await parts[FlagCounts].write(scope.id)
    first = utc_day(parts.clock.now()) - days + 1

    def read(db: Connection) -> Usage:
        own = _used(db, scope, (flag,), parts.clock, parts.settings.flag_stale_days)
        given = rows.last_given(db, (flag.id,)).get(flag.id, NEVER)
        return Usage(own[flag.id], given, tuple(rows.since(db, flag.id, first)))

    return await parts.box_db.read(read)


def _used(db: Connection, scope: FlagScope, flags: Iterable[Flag], clock: Clock, days: int) -> dict[str, FlagUsage]:
    wanted = tuple(flags)
    groups = {group.id: group for group in scope.groups}
    given = rows.last_given(db, (flag.id for flag in wanted))
    needed = needed_keys(scope.flags)

    def one(flag: Flag) -> FlagUsage:
        own, now = given.get(flag.id, NEVER), clock.now()
        by_others = (flag.environment, flag.key) in needed
        found = stale(flag, groups, own, active_since=0, now=now, days=days, needed=by_others)
        if found is not None:  # Only the history of flags that can be stale is read.
            since = rows.active_since(db, flag.id)
            found = stale(flag, groups, own, active_since=since, now=now, days=days, needed=by_others)
        return FlagUsage(own.last_at, found)

    return {flag.id: one(flag) for flag in wanted}
