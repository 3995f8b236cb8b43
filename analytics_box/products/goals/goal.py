"""Goals: an action that a website wants its visitors to take. Their fields, declared once. Pure."""

from decimal import Decimal
from typing import Annotated, Final, Literal
from urllib.parse import urlencode

from msgspec import Meta, Struct
from msgspec.structs import replace

from analytics_box.base import figures, names
from analytics_box.resource.fields import Field, Stamp, or_null
from analytics_box.tenants.websites.rules import Website

Type = Literal["PAGE_VIEW", "EVENT", "CUSTOM"]
Operator = Literal["equals", "contains", "not_equals", "in", "not_in"]
PropertyOperator = Literal["equals", "contains", "in", "exists"]
Key = Annotated[str, Meta(max_length=128)]
Value = (
    Annotated[str, Meta(max_length=1_000)]
    | Annotated[tuple[Annotated[str, Meta(max_length=1_000)], ...], Meta(max_length=100)]
)


class GoalFilter(Struct, frozen=True, forbid_unknown_fields=True):
    """A filter of a goal (wire 10.5): only sessions that it selects can reach the goal."""

    field: Key
    operator: Operator
    value: Value


class Property(Struct, frozen=True, forbid_unknown_fields=True):
    """A property that the event must have; `exists` needs no value."""

    property: Key
    operator: PropertyOperator = "exists"
    value: Value = ""


def _properties(given: tuple[Property, ...]) -> tuple[Property, ...]:
    return tuple(replace(one, property=one.property.strip()) for one in given)


class GoalDefinition(Struct, frozen=True):
    """The condition under which a session reaches a goal. `amount` is the property of an event whose numbers are added
    up;
    empty for none.
    """

    type: Annotated[Type, Field()]
    target: Annotated[str, Meta(max_length=1_000), Field()]
    filters: Annotated[tuple[GoalFilter, ...], Field(null=True, empty=())] = ()
    conditions: Annotated[tuple[Property, ...], Field(clean=_properties, null=True, empty=())] = ()
    amount: Annotated[Key, Field(name="revenueProperty", clean=str.strip, null=True, empty="", shown=or_null)] = ""


class Goal(Struct, frozen=True, rename="camel"):
    """A goal of a website. Times are UTC ms."""

    id: str
    website_id: str
    name: Annotated[str, Meta(max_length=100), Field(clean=names.clean_name)]
    description: Annotated[str, Meta(max_length=500), Field(clean=str.strip, null=True, empty="", shown=or_null)]
    definition: GoalDefinition
    is_active: Annotated[bool, Field()]
    created_by: str
    created_at: Stamp
    updated_at: Stamp


WRITER: Final = "member"


def home(website: Website) -> str:
    """The address of a website's goals."""
    return f"/sites/{website.id}/goals"


def address(path: str, **given: str) -> str:
    """A path with those of these values that are there."""
    query = urlencode({name: value for name, value in given.items() if value})
    return f"{path}?{query}" if query else path


def amount(value: Decimal) -> str:
    """A sum: with two decimals unless it is whole."""
    return f"{value:,.{0 if value == round(value) else 2}f}".replace("-", figures.MINUS)
