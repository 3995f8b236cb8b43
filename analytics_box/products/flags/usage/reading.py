"""Reading of usage: last evaluations, counts for each outcome, and stale flags."""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from analytics_box.base.clock import Clock, utc_day
from analytics_box.base.store.db import Connection
from analytics_box.products.flags.flag import Flag
from analytics_box.products.flags.scope import FlagScope
from analytics_box.products.flags.usage import rows
from analytics_box.products.flags.usage.counts import FlagCounts
from analytics_box.products.flags.usage.rows import DayCount
from analytics_box.products.flags.usage.rules import LastGiven, Stale, needed_keys, stale
from analytics_box.web.call import Parts

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
