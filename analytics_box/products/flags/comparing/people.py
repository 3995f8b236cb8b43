"""Recently identified people of websites, as evaluation contexts."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Final

from analytics_box.base.store.db import Db
from analytics_box.base.store.seal import Seal, SealBroken
from analytics_box.ingest import profile_rules, profiles
from analytics_box.products.flags.comparing import rows
from analytics_box.products.flags.evaluation.context import EvaluationContext
from analytics_box.products.flags.flag import Flag
from analytics_box.tenants.websites.directory import Directory

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
        found = await self._events.read(partial(rows.latest, sites=sites, limit=MOST))
        return await asyncio.to_thread(self._contexts, found)

    def _contexts(self, found: Sequence[tuple[int, str, bytes | None]]) -> list[EvaluationContext]:
        return [self._context(*one) for one in found]

    def _context(self, site: int, name: str, sealed: bytes | None) -> EvaluationContext:
        try:
            traits = profiles.open_traits(self._seal, site, name, sealed)
        except SealBroken:  # The key is gone, so only the id is known.
            traits = {}
        return EvaluationContext(user_id=name, email=profile_rules.email(traits), properties=traits)
