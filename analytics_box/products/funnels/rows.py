"""Rows of funnels in box.db."""

from collections.abc import Callable
from itertools import islice
from typing import Final

from analytics_box.base.store.db import Connection
from analytics_box.products.funnels.funnel import Funnel
from analytics_box.resource.table import Table

FUNNELS: Final = Table("funnels", Funnel)


def of_website(db: Connection, website_id: str) -> list[Funnel]:
    """The funnels of a website, oldest first."""
    return FUNNELS.all(db, "website_id = ? order by created_at, id", website_id)


def fitting(
    db: Connection, organization_id: str, fits: Callable[[str, str], bool], most: int
) -> list[tuple[str, str, str]]:
    """The ids, websites and names of up to `most` funnels of an organization that `fits` accepts by their names and
    websites, the latest changed first."""
    found = db.execute(
        """
        -- funnels.fitting
        select funnels.id, funnels.website_id, funnels.name
        from funnels join websites on websites.id = funnels.website_id
        where websites.organization_id = ? order by funnels.updated_at desc, funnels.id
        """,
        (organization_id,),
    )
    named = ((str(funnel_id), str(website_id), str(name)) for funnel_id, website_id, name in found)
    return list(islice((one for one in named if fits(one[2], one[1])), most))
