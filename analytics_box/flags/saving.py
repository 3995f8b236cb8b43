"""How flags and target groups change: in box.db with a new revision of their scope, and after the commit in memory."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from analytics_box import errors
from analytics_box.flags import rows
from analytics_box.flags.access import UNKNOWN_OWNER
from analytics_box.flags.directory import Flags
from analytics_box.flags.scope import Scope
from analytics_box.http.call import Parts
from analytics_box.store.db import Connection

T = TypeVar("T")


async def save(parts: Parts, scope_id: str, work: Callable[[Connection], T], *, adds: bool = False) -> T:
    """Change flags or groups of a scope; returns after the commit, when evaluations meet the change.

    What `adds` is refused on a full disk. Raises what `work` raises, NotFound for an unknown scope, and Unavailable.
    """
    now = parts.clock.now()

    def saved(db: Connection) -> tuple[T, Scope]:
        done = work(db)
        return done, touched(db, scope_id, now)

    async def whole() -> T:
        done, scope = await parts.box_db.write(saved, adds=adds)
        await parts[Flags].renew(scope)
        return done

    return await asyncio.shield(whole())  # to the end even if nobody waits for it any more


def touched(db: Connection, scope_id: str, now: int) -> Scope:
    """Something of the scope has changed in the caller's transaction; remember what this returns after the commit.

    Raises NotFound for an id of neither a website nor an organization.
    """
    rows.touch(db, scope_id, now)
    found = rows.scope(db, scope_id)
    if found is None:
        raise errors.NotFound(UNKNOWN_OWNER)
    return found
