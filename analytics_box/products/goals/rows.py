"""Rows of goals in box.db."""

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Final

import msgspec

from analytics_box.base.store.db import Connection
from analytics_box.products.goals.goal import Goal
from analytics_box.resource.table import Table

GOALS: Final = Table("goals", Goal)


def fitting(
    db: Connection, organization_id: str, fits: Callable[[str, str], bool], most: int
) -> list[tuple[str, str, str]]:
    """The goals of an organization whose name and website's id fit: their ids, websites and names, up to `most`,
    the latest changed first."""
    found = db.execute(
        """
        -- goals.fitting
        select goals.id, goals.website_id, goals.name from goals join websites on websites.id = goals.website_id
        where websites.organization_id = ? order by goals.updated_at desc, goals.id
        """,
        (organization_id,),
    )
    named = ((str(goal_id), str(website_id), str(name)) for goal_id, website_id, name in found)
    return list(islice((one for one in named if fits(one[2], one[1])), most))


def these(db: Connection, goal_ids: Iterable[str]) -> list[Goal]:
    """The goals with these ids that are there."""
    wanted = msgspec.json.encode(list(goal_ids)).decode()
    return GOALS.all(db, "id in (select value from json_each(?)) order by created_at, id", wanted)


def of_website(db: Connection, website_id: str) -> list[Goal]:
    """The goals of a website, oldest first."""
    return GOALS.all(db, "website_id = ? order by created_at, id", website_id)
