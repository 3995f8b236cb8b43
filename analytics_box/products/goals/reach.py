"""Goals that a caller can see."""

from analytics_box.base import errors
from analytics_box.products.goals.goal import Goal
from analytics_box.products.goals.rows import GOALS
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.reach import is_own, own
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.call import Call


async def find_goal(call: Call, goal_id: str, website_id: str | None = None) -> tuple[Website, Goal]:
    """A goal that the caller may see, with its website. Raises NotFound for it, or for the website it must be of."""
    if website_id is not None:
        own(call, website_id)
    goal = await call.read(lambda db: GOALS.find(db, goal_id))
    website = None if goal is None else call.parts[Directory].find(goal.website_id)
    if goal is None or website is None or not is_own(call, website) or website_id not in {None, website.id}:
        raise errors.NotFound.of("goal", goal_id)
    return website, goal
