"""Goals in the palette: each leads to the overview with its conversions."""

from collections.abc import Sequence

from analytics_box.base.identity import Person
from analytics_box.base.store.db import Connection
from analytics_box.products.goals import rows
from analytics_box.tenants.websites.owned import MOST, Fits, found
from analytics_box.web.call import Call
from analytics_box.web.palette.hit import Hit, Wanted


async def goals(call: Call, asked: Wanted) -> Sequence[Hit]:
    """Goals by name, the latest changed first."""
    return await found(call, asked, _read)


def _read(db: Connection, person: Person, fits: Fits) -> list[tuple[str, Hit]]:
    return [
        (website_id, Hit("goal", name, f"/sites/{website_id}?goal={goal_id}", "goal"))
        for goal_id, website_id, name in rows.fitting(db, person.organization_id, fits, MOST)
    ]
