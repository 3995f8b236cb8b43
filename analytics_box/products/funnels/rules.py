"""Valid funnels, and their steps as queries need them. Pure."""

from typing import Final

import msgspec
from msgspec.structs import replace

from analytics_box.base.clock import DAY, HOUR, MINUTE
from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _
from analytics_box.products.funnels.funnel import FunnelDefinition, FunnelStep
from analytics_box.products.goals.form import goal_text
from analytics_box.products.goals.goal import GoalDefinition
from analytics_box.products.goals.rules import check_goal, narrowing_of, selecting
from analytics_box.query.filters import Filter, FilterGroup, FunnelSteps
from analytics_box.query.named import GOAL

MOST_BYTES: Final = 50_000
UNITS: Final = {"minutes": MINUTE, "hours": HOUR, "days": DAY}
MOST_DAYS: Final = 90


def check_funnel(given: FunnelDefinition) -> FunnelDefinition:
    """The funnel as it is stored. Raises BadRequest."""
    steps = tuple(_check_step(number, step) for number, step in enumerate(given.steps))
    kept = replace(given, steps=steps)
    check_goal(GoalDefinition("PAGE_VIEW", "/", kept.filters))
    if window_of(kept) > MOST_DAYS * DAY:
        raise BadRequest.about("window", _("Enter a time limit of up to {most} days").format(most=MOST_DAYS))
    if kept.window_unit in {"minutes", "hours"} and window_of(kept) > DAY:
        raise BadRequest.about("window", _("A session lasts up to 24 hours. Enter a shorter time limit, or use days"))
    if len(msgspec.json.encode(kept)) > MOST_BYTES:
        raise BadRequest.about(
            "steps", _("A funnel can have up to {most:,} bytes with all of its values").format(most=MOST_BYTES)
        )
    return kept


def window_of(definition: FunnelDefinition) -> int:
    """The time limit in ms; 0 for the session."""
    return definition.window * UNITS.get(definition.window_unit, 0)


def steps_of(definition: FunnelDefinition) -> FunnelSteps:
    """The steps as queries need them."""
    return FunnelSteps(
        names=tuple(step_name(step) for step in definition.steps),
        steps=tuple(_group(step) for step in definition.steps),
        order=definition.order,
        within=window_of(definition),
        people=definition.window_unit == "days",
        filters=narrowing_of(GoalDefinition("PAGE_VIEW", "/", definition.filters)),
    )


def step_name(step: FunnelStep) -> str:
    """The name of a step; without one, what visitors do."""
    return step.name or step_text(step)


def step_text(step: FunnelStep) -> str:
    """The step in words."""
    if step.type == "GOAL":
        return _("Reaches a goal")
    return goal_text(_goal(step))


def _goal(step: FunnelStep) -> GoalDefinition:
    kind = "EVENT" if step.type == "GOAL" else step.type
    return GoalDefinition(kind, step.target, conditions=step.conditions)


def _group(step: FunnelStep) -> FilterGroup:
    if step.type == "GOAL":
        return FilterGroup(any=False, items=(Filter(GOAL, "eq", (step.target,)),))
    return FilterGroup(any=False, items=selecting(_goal(step)))


def _check_step(number: int, step: FunnelStep) -> FunnelStep:
    """The step as it is stored. Raises BadRequest."""
    name = " ".join(step.name.split())
    if step.type == "GOAL":
        if not step.target.strip() or step.conditions:
            raise BadRequest.about(f"steps[{number}].target", _("Select a goal"))
        return replace(step, name=name, target=step.target.strip())
    try:
        goal = check_goal(_goal(step))
    except BadRequest as wrong:
        field = wrong.details[0].field if wrong.details else "target"
        raise BadRequest.about(f"steps[{number}].{field}", wrong.message) from wrong
    return replace(step, name=name, target=goal.target, conditions=goal.conditions)
