"""Goals: an action that a website wants its visitors to take."""

from typing import Literal

from msgspec import Struct

Type = Literal["PAGE_VIEW", "EVENT", "CUSTOM"]
Operator = Literal["equals", "contains", "not_equals", "in", "not_in"]
PropertyOperator = Literal["equals", "contains", "in", "exists"]


class GoalFilter(Struct, frozen=True, forbid_unknown_fields=True):
    """A filter of a goal (wire 10.5): only sessions that it selects can reach the goal."""

    field: str
    operator: Operator
    value: str | tuple[str, ...]


class Property(Struct, frozen=True, forbid_unknown_fields=True):
    """A property that the event must have; `exists` needs no value."""

    property: str
    operator: PropertyOperator = "exists"
    value: str | tuple[str, ...] = ""


class GoalDefinition(Struct, frozen=True):
    """The condition under which a session reaches a goal. `amount` is the property of an event whose numbers are added
    up;
    empty for none.
    """

    type: Type
    target: str
    filters: tuple[GoalFilter, ...] = ()
    conditions: tuple[Property, ...] = ()
    amount: str = ""


class Goal(Struct, frozen=True):
    """A goal of a website. Times are UTC ms."""

    id: str
    website_id: str
    name: str
    description: str
    definition: GoalDefinition
    is_active: bool
    created_by: str
    created_at: int
    updated_at: int
