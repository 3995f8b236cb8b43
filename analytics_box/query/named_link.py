"""The short link that a query names."""

from analytics_box.links.lookup import known_link
from analytics_box.query.access import KnownLink, Target
from analytics_box.store.db import Db


async def named_link(box_db: Db, target: Target) -> KnownLink | None:
    """The link, whoever it belongs to; None where the query names none, or an unknown one."""
    link_id = target.link_id
    if link_id is None:
        return None
    found = await box_db.read(lambda db: known_link(db, link_id))
    return KnownLink(*found) if found is not None else None
