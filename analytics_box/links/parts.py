"""What procedures and pages of links work with beside box.db."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from msgspec import Struct

from analytics_box.links import click_rows
from analytics_box.links.click_rows import Total
from analytics_box.links.clicks import Clicks
from analytics_box.links.directory import Directory
from analytics_box.links.domain_list import DomainList
from analytics_box.store.db import Db

_CLICKS_AT_ONCE: Final = 2_000
_LINKS_AT_ONCE: Final = 500


class Links(Struct, frozen=True):
    """The links in memory, their domains, and the clicks on them."""

    directory: Directory
    domains: DomainList
    clicks: Clicks
    events: Db

    async def totals(self, numbers: Sequence[int]) -> dict[int, Total]:
        """How often people have followed these links so far, by their numbers; those never followed are not there."""
        if not numbers:
            return {}
        await self.clicks.flush()
        return await self.events.read(lambda db: click_rows.totals(db, numbers))

    def forget_organization(self, organization_id: str) -> None:
        """An organization and all that it had is gone."""
        self.directory.forget_organization(organization_id)
        self.domains.forget_organization(organization_id)

    async def erase(self, numbers: Sequence[int]) -> int:
        """Remove all clicks on these links, which are gone; how many there were."""
        await self.clicks.flush()
        self.clicks.forget(numbers)
        return await erase(self.events, numbers)

    async def begin_to_erase(self, number: int) -> None:
        """Remove clicks on a link, which is gone, as far as that is done in a moment; care.sweep does the rest."""
        await self.clicks.flush()
        self.clicks.forget([number])
        await self.events.write(partial(click_rows.remove, links=[number], limit=_CLICKS_AT_ONCE))


async def erase(events: Db, numbers: Sequence[int]) -> int:
    """Remove all clicks on these links in small writes, so that others hardly wait; how many there were."""
    removed = 0
    for first in range(0, len(numbers), _LINKS_AT_ONCE):
        some = numbers[first : first + _LINKS_AT_ONCE]
        while True:
            gone = await events.write(partial(click_rows.remove, links=some, limit=_CLICKS_AT_ONCE))
            removed += gone
            if gone < _CLICKS_AT_ONCE:
                break
    return removed


async def erase_older(events: Db, before: int) -> int:
    """Remove the clicks from before this instant (UTC ms), but not their totals; how many there were."""
    removed = 0
    while gone := await events.write(lambda db: click_rows.remove_older(db, before, _CLICKS_AT_ONCE)):
        removed += gone
    return removed
