"""Funnels of a website. Their fields, declared once. Pure."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from analytics_box.base import names
from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _
from analytics_box.products.goals.goal import GoalFilter, Property, Type
from analytics_box.query.filters import FunnelOrder
from analytics_box.query.plan import MOST_STEPS
from analytics_box.resource.fields import Field, Stamp, or_null

StepType = Type | Literal["GOAL"]
WindowUnit = Literal["session", "minutes", "hours", "days"]
LEAST_STEPS = 2


class FunnelStep(Struct, frozen=True, forbid_unknown_fields=True):
    """A step of a funnel: a page, an event, what goals of the type CUSTOM can be, or a goal by its id. An event can be
    required to have properties."""

    type: StepType
    target: Annotated[str, Meta(max_length=1_000)]
    name: Annotated[str, Meta(max_length=100)] = ""
    conditions: tuple[Property, ...] = ()


def _steps(given: tuple[FunnelStep, ...]) -> tuple[FunnelStep, ...]:
    if not LEAST_STEPS <= len(given) <= MOST_STEPS:
        raise BadRequest(_("Enter {least} to {most} steps").format(least=LEAST_STEPS, most=MOST_STEPS))
    return given


class FunnelDefinition(Struct, frozen=True):
    """The steps of a funnel, in which sessions they are looked for (`filters`), how they must be taken, and the time
    limit: `window` of the `window_unit`, which without one is the session."""

    steps: Annotated[tuple[FunnelStep, ...], Field(clean=_steps)]
    filters: Annotated[tuple[GoalFilter, ...], Field(null=True, empty=())] = ()
    order: Annotated[FunnelOrder, Field()] = "ordered"
    window: Annotated[int, Meta(ge=1, le=1_000), Field()] = 1
    window_unit: Annotated[WindowUnit, Field(name="windowUnit")] = "session"


class Funnel(Struct, frozen=True, rename="camel"):
    """A funnel of a website. Times are UTC ms."""

    id: str
    website_id: str
    name: Annotated[str, Meta(max_length=100), Field(clean=names.clean_name)]
    description: Annotated[str, Meta(max_length=500), Field(clean=str.strip, null=True, empty="", shown=or_null)]
    definition: FunnelDefinition
    is_active: Annotated[bool, Field()]
    created_by: str
    created_at: Stamp
    updated_at: Stamp
