"""Input and output of goal procedures (wire 10.5)."""

from datetime import datetime
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from analytics_box.figures.earnings import Amount, Earnings
from analytics_box.products.goals.goal import Goal, GoalDefinition, GoalFilter, Property, Type
from analytics_box.resource.fields import answer_of, input_of
from analytics_box.tenants.tenancy.messages import Text

Day = Annotated[str, Meta(max_length=64)]
MOST_AT_ONCE = 100


class ListGoals(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of goals.list."""

    websiteId: Text


class OneGoal(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of goals.getById and goals.delete."""

    id: Text
    websiteId: Text | None = None


@input_of(Goal, needed=("name",))
@input_of(GoalDefinition, needed=("type", "target"))
class NewGoal(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Input of goals.create. `target` is a path (with * for anything), the name of an event, or of the type CUSTOM
    `scroll:75`, `time:60` (seconds) or `outgoing:example.org`. `revenueProperty` is a property of the event whose
    numbers are added up."""

    websiteId: Text


@input_of(Goal)
@input_of(GoalDefinition)
class ChangedGoal(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Input of goals.update: omitted fields keep their values."""

    id: Text
    websiteId: Text | None = None


class Analysing(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of goals.getAnalytics: days in the time zone of who is signed in, in UTC for keys; the last 30 without."""

    goalId: Text
    websiteId: Text
    startDate: Day | None = None
    endDate: Day | None = None


class AnalysingAll(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of goals.bulkAnalytics."""

    goalIds: Annotated[list[Text], Meta(max_length=MOST_AT_ONCE)]
    websiteId: Text
    startDate: Day | None = None
    endDate: Day | None = None


class GoalShown(Struct, frozen=True):
    """A goal as procedures show it."""

    id: str
    websiteId: str
    type: Type
    target: str
    name: str
    description: str | None
    filters: tuple[GoalFilter, ...]
    conditions: tuple[Property, ...]
    revenueProperty: str | None
    isActive: bool
    createdBy: str
    createdAt: datetime
    updatedAt: datetime


class GoalStep(Struct, frozen=True):
    """The one step of a goal: `users` reached it, of `total_users`. Rates are percent."""

    step_number: int
    step_name: str
    users: int
    total_users: int
    conversion_rate: float
    dropoffs: int
    dropoff_rate: float
    avg_time_to_complete: float


class Analytics(Struct, frozen=True):
    """Output of goals.getAnalytics. `total_users_entered` are all visitors of the range, `total_users_completed` those
    who reached the goal. `revenue` is the sum of the goal's amounts, null where it has none. `payments` are those that
    are attributed to sessions which reached the goal, before refunds, by currency."""

    overall_conversion_rate: float
    total_users_entered: int
    total_users_completed: int
    avg_completion_time: float
    avg_completion_time_formatted: str
    steps_analytics: list[GoalStep]
    revenue: Amount | None
    payments: tuple[Earnings, ...]


class GoalAnalyticsAnswer(Struct, frozen=True):
    """A goal of goals.bulkAnalytics: the fields of goals.getAnalytics, or only an error."""

    overall_conversion_rate: float | UnsetType = UNSET
    total_users_entered: int | UnsetType = UNSET
    total_users_completed: int | UnsetType = UNSET
    avg_completion_time: float | UnsetType = UNSET
    avg_completion_time_formatted: str | UnsetType = UNSET
    steps_analytics: list[GoalStep] | UnsetType = UNSET
    revenue: Amount | UnsetType | None = UNSET
    payments: tuple[Earnings, ...] | UnsetType = UNSET
    error: str | UnsetType = UNSET


def goal_answer(goal: Goal) -> GoalShown:
    """A goal as procedures show it."""
    return answer_of(GoalShown, goal, goal.definition)
