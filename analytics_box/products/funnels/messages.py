"""Input and output of funnel procedures (wire 10.5)."""

from datetime import datetime

from msgspec import Struct

from analytics_box.figures.earnings import Earnings
from analytics_box.products.funnels.funnel import Funnel, FunnelDefinition, FunnelStep, WindowUnit
from analytics_box.products.goals.goal import GoalFilter
from analytics_box.products.goals.messages import Day, GoalStep
from analytics_box.query.filters import FunnelOrder
from analytics_box.resource.fields import answer_of, input_of
from analytics_box.tenants.tenancy.messages import Text


class ListFunnels(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of funnels.list."""

    websiteId: Text


class OneFunnel(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of funnels.getById and funnels.delete."""

    id: Text
    websiteId: Text | None = None


@input_of(Funnel, needed=("name",))
@input_of(FunnelDefinition, needed=("steps",))
class NewFunnel(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Input of funnels.create. A step's `target` is a path (with * for anything), the name of an event, of the type
    CUSTOM `scroll:75`, `time:60` (seconds) or `outgoing:example.org`, and of the type GOAL the id of a goal.
    `windowUnit` is the time limit's unit: session needs no `window`, days count all sessions of visitors with lasting
    ids."""

    websiteId: Text


@input_of(Funnel)
@input_of(FunnelDefinition)
class ChangedFunnel(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Input of funnels.update: what is not given stays."""

    id: Text
    websiteId: Text | None = None


class AnalyzedFunnel(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of funnels.getAnalytics and funnels.getAnalyticsByReferrer: days in the time zone of the user, in UTC for
    keys; by default the last 30."""

    funnelId: Text
    websiteId: Text
    startDate: Day | None = None
    endDate: Day | None = None


class FunnelShown(Struct, frozen=True):
    """A funnel as procedures show it."""

    id: str
    websiteId: str
    name: str
    description: str | None
    steps: tuple[FunnelStep, ...]
    filters: tuple[GoalFilter, ...]
    order: FunnelOrder
    window: int
    windowUnit: WindowUnit
    isActive: bool
    createdBy: str
    createdAt: datetime
    updatedAt: datetime


class FunnelAnalytics(Struct, frozen=True):
    """Output of funnels.getAnalytics. Users are sessions, or visitors if the funnel counts days. Rates are percent,
    times seconds; `biggest_dropoff_step` is the number of the step before which most were lost, 1 if none were.
    `payments` are those that are attributed to sessions which completed the funnel, before refunds, by currency."""

    overall_conversion_rate: float
    total_users_entered: int
    total_users_completed: int
    avg_completion_time: float
    avg_completion_time_formatted: str
    biggest_dropoff_step: int
    biggest_dropoff_rate: float
    steps_analytics: list[GoalStep]
    payments: tuple[Earnings, ...]


class ReferrerShown(Struct, frozen=True):
    """A source of visitors."""

    name: str
    type: str
    domain: str
    url: str


class FunnelReferrer(Struct, frozen=True):
    """The part of a funnel that came from one source."""

    referrer: str
    referrer_parsed: ReferrerShown
    total_users: int
    completed_users: int
    conversion_rate: float


class FunnelReferrers(Struct, frozen=True):
    """Output of funnels.getAnalyticsByReferrer."""

    referrer_analytics: list[FunnelReferrer]


def funnel_answer(funnel: Funnel) -> FunnelShown:
    """A funnel as procedures show it."""
    return answer_of(FunnelShown, funnel, funnel.definition)
