"""Goals of a website, for rooms that show figures of them."""

from collections.abc import Collection, Sequence

from analytics_box.base import figures
from analytics_box.figures.converting import GoalTarget
from analytics_box.figures.goals import KeptGoals
from analytics_box.products.goals import rows
from analytics_box.products.goals.goal import Goal
from analytics_box.products.goals.rules import selecting
from analytics_box.tenants.websites.directory import Directory
from analytics_box.web.call import Call


def kept_goals() -> KeptGoals:
    """The goals as pages of figures look them up."""
    return KeptGoals(_find, _of)


async def active_goals(call: Call, website_id: str) -> tuple[GoalTarget, ...]:
    """The goals of a website that are active, oldest first."""
    found = await call.read(lambda db: rows.of_website(db, website_id))
    return tuple(_target(goal) for goal in found if goal.is_active)


async def _find(call: Call, number: int, goal_ids: Collection[str]) -> Sequence[GoalTarget]:
    websites = call.parts[Directory]
    found = await call.read(lambda db: rows.these(db, goal_ids))
    return [
        _target(goal)
        for goal in found
        if (website := websites.find(goal.website_id)) is not None and website.site == number
    ]


async def _of(call: Call, number: int) -> Sequence[GoalTarget]:
    website = next((one for one in call.parts[Directory].all() if one.site == number), None)
    found = () if website is None else await call.read(lambda db: rows.of_website(db, website.id))
    return [_target(goal) for goal in found]


def _target(goal: Goal) -> GoalTarget:
    return GoalTarget(goal.id, figures.visible(goal.name), selecting(goal.definition))
