"""Goals in the palette: each leads to the overview with its conversions."""

from collections.abc import Sequence

from analytics_box.goals import rows
from analytics_box.http.call import Call
from analytics_box.identity import Person
from analytics_box.palette.hit import Hit, Wanted
from analytics_box.store.db import Connection
from analytics_box.websites.owned import MOST, Fits, found


async def goals(call: Call, asked: Wanted) -> Sequence[Hit]:
    """Goals by name, the latest changed first."""
    return await found(call, asked, _read)


def _read(db: Connection, person: Person, fits: Fits) -> list[tuple[str, Hit]]:
    return [
        (website_id, Hit("goal", name, f"/sites/{website_id}?goal={goal_id}", "goal"))
        for goal_id, website_id, name in rows.fitting(db, person.organization_id, fits, MOST)
    ]
