"""Goals over RPC (wire 10.5). Keys need read:data to read, manage:websites to write."""

from msgspec import structs

from analytics_box.base import errors
from analytics_box.products.goals import lookup
from analytics_box.products.goals.figures import GoalFigures, given_period, goal_figures
from analytics_box.products.goals.goal import Goal
from analytics_box.products.goals.lookup import GOALS, find_goal
from analytics_box.products.goals.messages import (
    Analysing,
    AnalysingAll,
    Analytics,
    ChangedGoal,
    GoalAnalyticsAnswer,
    GoalShown,
    GoalStep,
    ListGoals,
    NewGoal,
    OneGoal,
    goal_answer,
)
from analytics_box.query.run import QueryRunner
from analytics_box.tenants.tenancy.messages import Success
from analytics_box.tenants.websites.reach import own
from analytics_box.web.call import Call


async def list_goals(call: Call, given: ListGoals) -> list[GoalShown]:
    """goals.list: list goals, oldest first. Raises NotFound."""
    website = own(call, given.websiteId)
    return [goal_answer(goal) for goal in await call.read(lambda db: lookup.of_website(db, website.id))]


async def get_by_id(call: Call, given: OneGoal) -> GoalShown:
    """goals.getById: get a goal. Raises NotFound."""
    _, goal = await find_goal(call, given.id, given.websiteId)
    return goal_answer(goal)


async def create(call: Call, given: NewGoal) -> GoalShown:
    """goals.create: create a goal. Raises NotFound, BadRequest or Conflict."""
    website = own(call, given.websiteId)
    return goal_answer(
        await call.parts.box_db.write(lambda db: lookup.create(db, call.by, website, given), adds=True),
    )


async def update(call: Call, given: ChangedGoal) -> GoalShown:
    """goals.update: update a goal. Raises NotFound or BadRequest.

    Omitted fields keep their values.
    """
    website, _ = await find_goal(call, given.id, given.websiteId)
    return goal_answer(await call.write(lambda db: lookup.update(db, call.by, website, given)))


async def delete(call: Call, given: OneGoal) -> Success:
    """goals.delete: delete a goal. Raises NotFound."""
    website, _ = await find_goal(call, given.id, given.websiteId)
    await call.write(lambda db: GOALS.remove(db, call.by, website.organization_id, GOALS.existing(db, given.id)))
    return Success()


async def get_analytics(call: Call, given: Analysing) -> Analytics:
    """goals.getAnalytics: return the conversions of a goal. Raises NotFound, BadRequest or Unavailable."""
    website, goal = await find_goal(call, given.goalId, given.websiteId)
    period = given_period(call, given.startDate, given.endDate)
    (found,) = await goal_figures(call.parts[QueryRunner], website.site, [goal.definition], period, paid=True)
    if isinstance(found, str):
        raise errors.Unavailable(found)
    return _analytics(goal, found)


async def bulk_analytics(call: Call, given: AnalysingAll) -> dict[str, GoalAnalyticsAnswer]:
    """goals.bulkAnalytics: return the conversions of several goals, by id. Raises NotFound or BadRequest.

    A goal that fails has an error; the others are still answered.
    """
    website = own(call, given.websiteId)
    period = given_period(call, given.startDate, given.endDate)
    every = {goal.id: goal for goal in await call.read(lambda db: lookup.of_website(db, website.id))}
    wanted = [every[goal_id] for goal_id in dict.fromkeys(given.goalIds) if goal_id in every]
    definitions = [goal.definition for goal in wanted]
    found = await goal_figures(call.parts[QueryRunner], website.site, definitions, period, paid=True)
    known_ones = {
        goal.id: GoalAnalyticsAnswer(error=one)
        if isinstance(one, str)
        else GoalAnalyticsAnswer(**structs.asdict(_analytics(goal, one)))
        for goal, one in zip(wanted, found, strict=True)
    }
    return {goal_id: known_ones.get(goal_id, GoalAnalyticsAnswer(error=lookup.UNKNOWN)) for goal_id in given.goalIds}


def _analytics(goal: Goal, found: GoalFigures) -> Analytics:
    step = GoalStep(
        step_number=1,
        step_name=goal.name,
        users=found.conversions,
        total_users=found.visitors,
        conversion_rate=found.rate,
        dropoffs=0,
        dropoff_rate=0.0,
        avg_time_to_complete=0.0,
    )
    return Analytics(
        overall_conversion_rate=found.rate,
        total_users_entered=found.visitors,
        total_users_completed=found.conversions,
        avg_completion_time=0.0,
        avg_completion_time_formatted="0s",
        steps_analytics=[step],
        revenue=found.revenue,
        payments=found.payments,
    )
