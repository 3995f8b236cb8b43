"""The goals that filters of queries name (query.named_goals)."""

from collections.abc import Iterable, Mapping

from analytics_box.base.store.db import Db
from analytics_box.products.goals import rows
from analytics_box.products.goals.rules import selecting
from analytics_box.query.named_goals import Meant
from analytics_box.tenants.websites.directory import Directory


class NamedGoals:
    """The goals of box.db."""

    def __init__(self, db: Db, websites: Directory) -> None:
        self._db = db
        self._websites = websites

    async def meant(self, site: int, goal_ids: Iterable[str]) -> Mapping[str, Meant]:
        """The filters that select the sessions which reached these goals, if they are this website's."""
        wanted = tuple(goal_ids)
        found = await self._db.read(lambda db: rows.these(db, wanted))
        websites = {goal.website_id: self._websites.find(goal.website_id) for goal in found}
        return {
            goal.id: selecting(goal.definition)
            for goal in found
            if (website := websites[goal.website_id]) is not None and website.site == site
        }
