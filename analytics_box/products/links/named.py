"""The links that filters of queries name (query.named_links)."""

from collections.abc import Collection
from functools import partial

from analytics_box.base.store.db import Db
from analytics_box.products.links.lookup import numbers_called
from analytics_box.tenants.websites.directory import Directory


class NamedLinks:
    """The links of box.db."""

    def __init__(self, db: Db, websites: Directory) -> None:
        self._db = db
        self._websites = websites

    async def numbers(self, sites: Collection[int], called: tuple[str, ...]) -> tuple[int, ...]:
        """The numbers among the clicks of those with these ids or slugs, of the organizations of these websites."""
        owners = {one.organization_id for one in self._websites.all() if one.site in sites}
        return await self._db.read(partial(numbers_called, organizations=tuple(owners), called=called))
