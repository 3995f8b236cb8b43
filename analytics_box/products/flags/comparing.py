"""Recently identified people of websites, as evaluation contexts."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from analytics_box.base.store.db import Connection, Db
from analytics_box.base.store.seal import Seal, SealBroken
from analytics_box.ingest import profile_rules, profiles
from analytics_box.products.flags.evaluation.outcome import EvaluationContext
from analytics_box.products.flags.flag import Flag
from analytics_box.tenants.websites.directory import Directory


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


MOST: Final = 500  # Recently identified visitors that are compared.


class RecentPeople:
    """The latest of a website's people, or of all websites of an organization."""

    def __init__(self, events: Db, seal: Seal, websites: Directory) -> None:
        self._events = events
        self._seal = seal
        self._websites = websites

    async def of(self, flag: Flag) -> list[EvaluationContext]:
        """The latest people of a flag's scope, at most `MOST`: their ids as user ids, their traits as properties."""
        if flag.website_id is None:
            sites = [one.site for one in self._websites.of(flag.organization_id)]
        else:
            website = self._websites.find(flag.website_id)
            sites = [website.site] if website is not None else []
        found = await self._events.read(partial(latest, sites=sites, limit=MOST))
        return await asyncio.to_thread(self._contexts, found)

    def _contexts(self, found: Sequence[tuple[int, str, bytes | None]]) -> list[EvaluationContext]:
        return [self._context(*one) for one in found]

    def _context(self, site: int, name: str, sealed: bytes | None) -> EvaluationContext:
        try:
            traits = profiles.open_traits(self._seal, site, name, sealed)
        except SealBroken:  # The key is gone, so only the id is known.
            traits = {}
        return EvaluationContext(user_id=name, email=profile_rules.email(traits), properties=traits)
