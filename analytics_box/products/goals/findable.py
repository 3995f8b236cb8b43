"""Goals in the palette: each leads to the overview with its conversions."""

from collections.abc import Sequence

from analytics_box.base.identity import SignedInPerson
from analytics_box.base.store.db import Connection
from analytics_box.products.goals import rows
from analytics_box.tenants.websites.findable import MOST, Fits, owned_hits
from analytics_box.web.call import Call
from analytics_box.web.palette.hit import PaletteHit, PaletteSearch


async def goals(call: Call, asked: PaletteSearch) -> Sequence[PaletteHit]:
    """Goals by name, the latest changed first."""
    return await owned_hits(call, asked, _read_goals)


def _read_goals(db: Connection, person: SignedInPerson, fits: Fits) -> list[tuple[str, PaletteHit]]:
    return [
        (website_id, PaletteHit("goal", name, f"/sites/{website_id}?goal={goal_id}", "goal"))
        for goal_id, website_id, name in rows.fitting(db, person.organization_id, fits, MOST)
    ]
