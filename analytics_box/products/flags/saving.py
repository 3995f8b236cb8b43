"""Changes of flags and target groups: in box.db with a new revision of their scope, and after the commit in memory.

Deleted flags are removed after their grace period.
"""

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from typing import Final, TypeVar

from analytics_box.base import errors
from analytics_box.base.clock import DAY
from analytics_box.base.store.db import Connection
from analytics_box.products.flags import rows
from analytics_box.products.flags.access import UNKNOWN_OWNER
from analytics_box.products.flags.directory import Flags
from analytics_box.products.flags.flag import FlagScope
from analytics_box.web.call import Parts

log = logging.getLogger(__name__)
T = TypeVar("T")
LARGEST_HISTORY: Final = 67_108_864  # Bytes of all versions of a scope's flags; the oldest are removed.
LEAST_VERSIONS: Final = 20  # Versions of each flag that are always kept.
_EVERY: Final = 8  # The history of a scope is checked after this number of changes.
_AT_ONCE: Final = 1_000  # Versions that one transaction removes.


async def save(parts: Parts, scope_id: str, work: Callable[[Connection], T], *, adds: bool = False) -> T:
    """Change flags or groups of a scope; return after the commit, when evaluations use the change.

    If it `adds`, it is refused on a full disk. Raises the errors of `work`, NotFound for an unknown scope, and
    Unavailable.
    """
    now = parts.clock.now()

    def saved(db: Connection) -> tuple[T, FlagScope]:
        done = work(db)
        return done, touch_scope(db, scope_id, now)

    async def whole() -> T:
        done, scope = await parts.box_db.write(saved, adds=adds)
        await parts[Flags].renew(scope)
        if scope.revision % _EVERY == 0:
            await _trim(parts, scope_id)
        return done

    return await asyncio.shield(whole())  # The change is completed even if the caller disconnects.


async def _trim(parts: Parts, scope_id: str) -> None:
    """Remove the oldest versions of a history that has become too large. After a failure, later changes try again."""
    try:
        gone = await parts.box_db.read(lambda db: rows.surplus(db, scope_id, LARGEST_HISTORY, LEAST_VERSIONS))
        for first in range(0, len(gone), _AT_ONCE):
            await parts.box_db.write(partial(rows.remove_versions, numbers=gone[first : first + _AT_ONCE]))
    except errors.BoxError as refused:
        log.warning("Old versions of flags could not be removed: %s", refused.message)


def touch_scope(db: Connection, scope_id: str, now: int) -> FlagScope:
    """Record a change of the scope in the caller's transaction; remember the returned scope after the commit.

    Raises NotFound if the id is neither a website nor an organization.
    """
    rows.touch(db, scope_id, now)
    found = rows.scope(db, scope_id)
    if found is None:
        raise errors.NotFound.of("website", scope_id, UNKNOWN_OWNER)
    return found


async def purge(parts: Parts) -> None:
    """Remove flags that were deleted `grace_days` ago, with their history."""
    before = parts.clock.now() - parts.settings.grace_days * DAY
    removed = await parts.box_db.write(lambda db: rows.remove_deleted_before(db, before))
    if removed:
        log.info("Removed %d deleted flags", removed)
