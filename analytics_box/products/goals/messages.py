"""Input and output of goal procedures (wire 10.5)."""

from datetime import datetime
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from analytics_box.products.goals.goal import Goal, GoalFilter, Operator, Property, PropertyOperator, Type
from analytics_box.tenants.tenancy.messages import Text, date

Name = Annotated[str, Meta(max_length=100)]
Description = Annotated[str, Meta(max_length=500)]
Target = Annotated[str, Meta(max_length=1_000)]
Key = Annotated[str, Meta(max_length=128)]
Day = Annotated[str, Meta(max_length=64)]
Value = (
    Annotated[str, Meta(max_length=1_000)]
    | Annotated[list[Annotated[str, Meta(max_length=1_000)]], Meta(max_length=100)]
)
MOST_AT_ONCE = 100


class GoalFilterInput(Struct, frozen=True, forbid_unknown_fields=True):
    """A filter: only sessions that it selects can reach the goal."""

    field: Key
    operator: Operator
    value: Value


class GivenProperty(Struct, frozen=True, forbid_unknown_fields=True):
    """A property that the event must have; `exists` needs no value."""

    property: Key
    operator: PropertyOperator = "exists"
    value: Value = ""


class ListGoals(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of goals.list."""

    websiteId: Text


class OneGoal(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of goals.getById and goals.delete."""

    id: Text
    websiteId: Text | None = None


class NewGoal(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of goals.create. `target` is a path (with * for anything), the name of an event, or of the type CUSTOM
    `scroll:75`, `time:60` (seconds) or `outgoing:example.org`. `revenueProperty` is a property of the event whose
    numbers are added up."""

    websiteId: Text
    type: Type
    target: Target
    name: Name
    description: Description | None = None
    filters: list[GoalFilterInput] | None = None
    conditions: list[GivenProperty] | None = None
    revenueProperty: Key | None = None
    isActive: bool = True


class ChangedGoal(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of goals.update: what is not given stays."""

    id: Text
    websiteId: Text | None = None
    type: Type | UnsetType = UNSET
    target: Target | UnsetType = UNSET
    name: Name | UnsetType = UNSET
    description: Description | UnsetType | None = UNSET
    filters: list[GoalFilterInput] | UnsetType | None = UNSET
    conditions: list[GivenProperty] | UnsetType | None = UNSET
    revenueProperty: Key | UnsetType | None = UNSET
    isActive: bool | UnsetType = UNSET


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
    filters: list[GoalFilterInput]
    conditions: list[GivenProperty]
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
    who reached the goal. `revenue` is the sum of the goal's amounts, null where it has none."""

    overall_conversion_rate: float
    total_users_entered: int
    total_users_completed: int
    avg_completion_time: float
    avg_completion_time_formatted: str
    steps_analytics: list[GoalStep]
    revenue: float | None


class GoalAnalyticsAnswer(Struct, frozen=True):
    """A goal of goals.bulkAnalytics: the fields of goals.getAnalytics, or only an error."""

    overall_conversion_rate: float | UnsetType = UNSET
    total_users_entered: int | UnsetType = UNSET
    total_users_completed: int | UnsetType = UNSET
    avg_completion_time: float | UnsetType = UNSET
    avg_completion_time_formatted: str | UnsetType = UNSET
    steps_analytics: list[GoalStep] | UnsetType = UNSET
    revenue: float | UnsetType | None = UNSET
    error: str | UnsetType = UNSET


def goal_filters(given: list[GoalFilterInput] | None) -> tuple[GoalFilter, ...]:
    """Filters as goals keep them."""
    return tuple(GoalFilter(item.field, item.operator, _stored_values(item.value)) for item in given or ())


def properties(given: list[GivenProperty] | None) -> tuple[Property, ...]:
    """Conditions as goals keep them."""
    return tuple(Property(item.property.strip(), item.operator, _stored_values(item.value)) for item in given or ())


def goal_answer(goal: Goal) -> GoalShown:
    """A goal as procedures show it."""
    of = goal.definition
    return GoalShown(
        id=goal.id,
        websiteId=goal.website_id,
        type=of.type,
        target=of.target,
        name=goal.name,
        description=goal.description or None,
        filters=[GoalFilterInput(item.field, item.operator, _given_values(item.value)) for item in of.filters],
        conditions=[GivenProperty(item.property, item.operator, _given_values(item.value)) for item in of.conditions],
        revenueProperty=of.amount or None,
        isActive=goal.is_active,
        createdBy=goal.created_by,
        createdAt=date(goal.created_at),
        updatedAt=date(goal.updated_at),
    )


def _stored_values(value: str | list[str]) -> str | tuple[str, ...]:
    return value if isinstance(value, str) else tuple(value)


def _given_values(value: str | tuple[str, ...]) -> str | list[str]:
    return value if isinstance(value, str) else list(value)
