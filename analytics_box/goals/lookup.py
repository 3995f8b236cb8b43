"""Which goals a website has, for rooms that show figures of them."""

from analytics_box.goals import rows
from analytics_box.goals.goal import Goal
from analytics_box.http.call import Call


async def active_goals(call: Call, website_id: str) -> tuple[Goal, ...]:
    """The goals of a website that are active, oldest first."""
    return tuple(goal for goal in await call.read(lambda db: rows.of_website(db, website_id)) if goal.is_active)


async def goal_of(call: Call, website_id: str, goal_id: str) -> Goal | None:
    """The goal of a website with this id, active or not."""
    found = await call.read(lambda db: rows.find(db, goal_id))
    return found if found is not None and found.website_id == website_id else None
