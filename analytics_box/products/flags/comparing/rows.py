"""People of a website in events.db. Every function takes a connection inside the caller's transaction."""

from collections.abc import Sequence
from typing import Any

from analytics_box.base.store.db import Connection


def latest(db: Connection, sites: Sequence[int], limit: int) -> list[tuple[int, str, bytes | None]]:
    """Site, id and sealed traits of the people of these sites who were named last, the latest first."""
    found: list[tuple[Any, ...]] = []
    for site in sites:
        rows = db.execute(
            """
            -- flag_people.latest
            select profiles.updated_at, profiles.site, strings.value, profiles.traits
            from profiles join strings on strings.id = profiles.profile
            where profiles.site = ?
            order by profiles.updated_at desc, profiles.profile
            limit ?
            """,
            (site, limit),
        )
        found += rows.fetchall()
    found.sort(key=lambda row: -int(row[0]))
    return [(int(site), str(name), traits) for _, site, name, traits in found[:limit]]
