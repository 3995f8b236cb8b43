"""Funnels by their ids and names: those that a caller can see, that queries name, and that the palette finds."""

from collections.abc import Sequence

from analytics_box.base.identity import SignedInPerson
from analytics_box.base.store.db import Connection, Db
from analytics_box.products.funnels import rows
from analytics_box.products.funnels.funnel import Funnel
from analytics_box.products.funnels.rules import steps_of
from analytics_box.query.request import FunnelSteps
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.findable import MOST, Fits, owned_hits
from analytics_box.tenants.websites.reach import own_row
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.call import Call
from analytics_box.web.palette.hit import PaletteHit, PaletteSearch


async def find_funnel(call: Call, funnel_id: str, website_id: str | None = None) -> tuple[Website, Funnel]:
    """A funnel that the caller can see, with its website. Raises NotFound for it, or for the website it must be of."""
    return await own_row(call, rows.FUNNELS.find, "funnel", funnel_id, website_id)


class NamedFunnels:
    """The funnels of box.db, for queries that name one."""

    def __init__(self, db: Db, websites: Directory) -> None:
        self._db = db
        self._websites = websites

    async def find(self, site: int, funnel_id: str) -> FunnelSteps | None:
        """The steps of a funnel; None unless the website with this number has it."""
        funnel = await self._db.read(lambda db: rows.FUNNELS.find(db, funnel_id))
        website = None if funnel is None else self._websites.find(funnel.website_id)
        if funnel is None or website is None or website.site != site:
            return None
        return steps_of(funnel.definition)


async def funnels(call: Call, asked: PaletteSearch) -> Sequence[PaletteHit]:
    """Funnels by name, the latest changed first."""
    return await owned_hits(call, asked, _read_funnels)


def _read_funnels(db: Connection, person: SignedInPerson, fits: Fits) -> list[tuple[str, PaletteHit]]:
    return [
        (website_id, PaletteHit("funnel", name, f"/sites/{website_id}/funnels/{funnel_id}", "funnel"))
        for funnel_id, website_id, name in rows.fitting(db, person.organization_id, fits, MOST)
    ]
