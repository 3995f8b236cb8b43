"""The log of changes of events.db: what copies of it have yet to remove or replace. It is kept until they have."""

import logging
import sys
from functools import partial

from analytics_box.base.store.db import Connection, Db

log = logging.getLogger(__name__)

MOST = 2_000_000  # that are kept for a ClickHouse that is away; about 100 MB


async def forget(events: Db, until: int | None) -> None:
    """Forget the changes up to this one, or all of them, in small writes."""
    last = sys.maxsize if until is None else until
    while await events.read(partial(_has, until=last)):
        await events.write(partial(_forget_some, until=last))


async def limit_changes(events: Db) -> None:
    """Forget changes that became too many while ClickHouse was away: then it is sent all that is here."""
    if await events.read(_has_too_many):
        log.warning("ClickHouse has been unavailable for too long. All events are sent again when it is back")
        await forget(events, None)


def _has_too_many(db: Connection) -> bool:
    found = db.execute("-- changes.has_too_many\nselect max(id) - min(id) from changes").fetchall()
    return int(str(found[0][0] or 0)) >= MOST


def _has(db: Connection, *, until: int) -> bool:
    return bool(db.execute("-- changes.has\nselect 1 from changes where id <= ? limit 1", (until,)).fetchall())


def _forget_some(db: Connection, *, until: int) -> None:
    db.execute(
        """
        -- changes.forget
        delete from changes where id in (select id from changes where id <= ? order by id limit 5000)
        """,
        (until,),
    )
