"""Funnels in box.db: those of a website, those that a caller can see, that queries name, and that the palette
finds."""

from collections.abc import Sequence
from typing import Final

from analytics_box.base import figures
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.translation import _
from analytics_box.figures.values import Value, like
from analytics_box.products.funnels.funnel import Funnel
from analytics_box.products.funnels.rules import step_name, steps_of
from analytics_box.query.filters import FunnelSteps
from analytics_box.resource.audited import AuditedTable
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.findable import owned_hits
from analytics_box.tenants.websites.reach import own_row
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.call import Call
from analytics_box.web.palette.hit import PaletteHit, PaletteSearch

FUNNELS: Final = AuditedTable(
    "funnels", Funnel, "funnel", "funnel", about=lambda funnel: {"name": funnel.name, "websiteId": funnel.website_id}
)


def of_website(db: Connection, website_id: str) -> list[Funnel]:
    """The funnels of a website, oldest first."""
    return FUNNELS.all(db, "website_id = ? order by created_at, id", website_id)


async def find_funnel(call: Call, funnel_id: str, website_id: str | None = None) -> tuple[Website, Funnel]:
    """A funnel that the caller can see, with its website. Raises NotFound for it, or for the website it must be of."""
    return await own_row(call, FUNNELS.find, "funnel", funnel_id, website_id)


class NamedFunnels:
    """The funnels of box.db, for queries that name one."""

    def __init__(self, db: Db, websites: Directory) -> None:
        self._db = db
        self._websites = websites

    async def find(self, site: int, funnel_id: str) -> FunnelSteps | None:
        """The steps of a funnel; None unless the website with this number has it."""
        funnel = await self._db.read(lambda db: FUNNELS.find(db, funnel_id))
        website = None if funnel is None else self._websites.find(funnel.website_id)
        if funnel is None or website is None or website.site != site:
            return None
        return steps_of(funnel.definition)


async def dropoffs(call: Call, site: int, typed: str) -> Sequence[Value]:
    """The steps that visitors can drop out before, of the funnels of the website with this number, as drop-offs are
    named. The funnels come in the order in which they were created."""
    website = next((one for one in call.parts[Directory].all() if one.site == site), None)
    found = () if website is None else await call.read(lambda db: of_website(db, website.id))
    named = [
        Value(
            f"{funnel.id}:{number}",
            figures.visible(
                _("{funnel}, before step {number} ({step})").format(
                    funnel=funnel.name, number=number, step=step_name(step)
                )
            ),
        )
        for funnel in found
        for number, step in enumerate(funnel.definition.steps[1:], start=2)
    ]
    return like(named, typed) if typed else named


async def funnels(call: Call, asked: PaletteSearch) -> Sequence[PaletteHit]:
    """Funnels by name, the latest changed first."""
    return await owned_hits(
        call, asked, FUNNELS, "funnel", "funnel", lambda one: f"/sites/{one.website_id}/funnels/{one.id}"
    )
