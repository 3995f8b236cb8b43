"""Valid goals, and the filters that select the sessions which reached one. Pure."""

from typing import Final

import msgspec
from msgspec.structs import replace

from analytics_box.base.errors import BadRequest, InvalidQuery, WrongTypes
from analytics_box.base.translation import _
from analytics_box.products.goals.goal import GoalDefinition, GoalFilter, Property
from analytics_box.query.filters import COMMON, Filter, FilterGroup, Op
from analytics_box.query.happened import MOST, NAMED
from analytics_box.query.patterns import literal_pattern
from analytics_box.query.request import QueryFilterInput, check_filters
from analytics_box.web.recognition.paths import page

LONGEST_TARGET: Final = 1_000
MOST_FILTERS: Final = 10
MOST_CONDITIONS: Final = 5
LONGEST_KEY: Final = 128
MOST_BYTES: Final = 20_000  # of a definition as JSON: pages read those of all goals
# What a target of the type CUSTOM begins with; any other one is the name of a custom event.
SCROLL, TIME, OUTGOING = "scroll:", "time:", "outgoing:"

_OPERATORS: Final[dict[str, Op]] = {
    "equals": "eq",
    "contains": "contains",
    "not_equals": "ne",
    "in": "in",
    "not_in": "not_in",
}


def check_goal(given: GoalDefinition) -> GoalDefinition:
    """The goal in its one spelling. Raises BadRequest."""
    target = given.target.strip()
    if given.type == "PAGE_VIEW":
        target = _path(target)
    if not target or len(target) > LONGEST_TARGET:
        raise BadRequest.about(
            "target", _("Enter a target of 1 to {longest} characters").format(longest=LONGEST_TARGET)
        )
    if given.type == "CUSTOM":
        target = _custom(target)
    about_event = is_event(given.type, target)
    if given.conditions and not about_event:
        raise BadRequest.about("conditions", _("Only events have properties"))
    if given.amount and not about_event:
        raise BadRequest.about("revenueProperty", _("Only events can have a revenue property"))
    kept = replace(given, target=target, amount=given.amount.strip())
    _check_lists(kept)
    if len(msgspec.json.encode(kept)) > MOST_BYTES:
        raise BadRequest.about("filters", _("A goal can have up to {most:,} bytes").format(most=MOST_BYTES))
    try:
        selecting(kept)
    except (InvalidQuery, WrongTypes) as wrong:
        raise BadRequest.about("filters", wrong.message) from wrong
    return kept


def is_event(kind: str, target: str) -> bool:
    """Whether a goal is a custom event."""
    return kind == "EVENT" or (kind == "CUSTOM" and not target.startswith((SCROLL, TIME, OUTGOING)))


def filters_of(definition: GoalDefinition) -> tuple[QueryFilterInput, ...]:
    """A group of filters that a session matches entirely if it reached the goal."""
    kind, target = definition.type, definition.target
    if kind == "PAGE_VIEW":
        own = page_filter(target)
    elif kind == "CUSTOM" and target.startswith(SCROLL):
        own = QueryFilterInput("scroll", "eq", target.removeprefix(SCROLL))
    elif kind == "CUSTOM" and target.startswith(TIME):
        own = QueryFilterInput("engaged", "eq", target.removeprefix(TIME))
    elif kind == "CUSTOM" and target.startswith(OUTGOING):
        own = _outgoing(target.removeprefix(OUTGOING))
    else:
        own = QueryFilterInput("event", "eq", target)
    properties = [_property(item) for item in definition.conditions]
    event = QueryFilterInput(all=[own, *properties])
    return (QueryFilterInput(all=[event, *_narrowed(definition)]),)


def selecting(definition: GoalDefinition) -> tuple[Filter | FilterGroup, ...]:
    """The filters of `filters_of`, checked."""
    return check_filters(list(filters_of(definition)), "")


def narrowing_of(definition: GoalDefinition) -> tuple[Filter | FilterGroup, ...]:
    """The filters on sessions alone, checked."""
    return check_filters(_narrowed(definition), "")


def _narrowed(definition: GoalDefinition) -> list[QueryFilterInput]:
    return [QueryFilterInput(item.field, _OPERATORS[item.operator], _values(item)) for item in definition.filters]


def page_filter(target: str) -> QueryFilterInput:
    """A path, or with stars a pattern; a star matches anything."""
    if "*" not in target:
        return QueryFilterInput("viewed_page", "eq", target)
    return QueryFilterInput(
        "viewed_page", "regex", f"^{'.*'.join(literal_pattern(part) for part in target.split('*'))}$"
    )


def _outgoing(target: str) -> QueryFilterInput:
    """A link by its address, else every link to a host."""
    return QueryFilterInput("outgoing_link" if "://" in target else "outgoing_domain", "eq", target)


def _property(item: Property) -> QueryFilterInput:
    values = (item.value,) if isinstance(item.value, str) else item.value
    if item.operator == "exists":
        return QueryFilterInput("event_property", "eq", item.property)
    if item.operator == "contains":
        found = "|".join(literal_pattern(value) for value in values)
        return QueryFilterInput("event_property", "regex", f"^{literal_pattern(item.property)}=(?s:.*)(?:{found})")
    return QueryFilterInput("event_property", "in", [f"{item.property}={value}" for value in values])


def _values(item: GoalFilter) -> str | list[str | int | float]:
    return item.value if isinstance(item.value, str) else list(item.value)


def _path(target: str) -> str:
    """The path of an address or of a path, as facts have it: decoded, without query and fragment."""
    return page(target if "://" in target or target.startswith("/") else f"/{target}").path if target else ""


def _custom(target: str) -> str:
    """A target of the type CUSTOM. Raises BadRequest."""
    for prefix, field in ((SCROLL, "scroll"), (TIME, "engaged")):
        if target.startswith(prefix):
            number = target.removeprefix(prefix).strip().removesuffix("%")
            if not (number.isascii() and number.isdigit() and 1 <= int(number[:9]) <= MOST[field]):
                what = "A scroll depth is 1 to 100 percent" if field == "scroll" else "A time is 1 to 86400 seconds"
                raise BadRequest.about("target", _("{what}, as in {prefix}60").format(what=what, prefix=prefix))
            return f"{prefix}{int(number)}"
    if target.startswith(OUTGOING):
        where = target.removeprefix(OUTGOING).strip()
        if not where:
            raise BadRequest.about("target", _("Enter a host or address, such as outgoing:example.org"))
        return OUTGOING + (where if "://" in where else where.lower().rstrip("/"))
    return target


def _check_lists(kept: GoalDefinition) -> None:
    if len(kept.filters) > MOST_FILTERS:
        raise BadRequest.about("filters", _("A goal can have up to {most} filters").format(most=MOST_FILTERS))
    if len(kept.conditions) > MOST_CONDITIONS:
        raise BadRequest.about("conditions", _("A goal can have up to {most} conditions").format(most=MOST_CONDITIONS))
    unknown = [item.field for item in kept.filters if item.field not in COMMON or item.field in NAMED]
    if unknown:
        raise BadRequest.about("filters", _("Goals cannot be filtered by {unknown}").format(unknown=unknown[0][:100]))
    for item in kept.conditions:
        if not 1 <= len(item.property) <= LONGEST_KEY:
            raise BadRequest.about(
                "conditions", _("Enter a property name of 1 to {longest} characters").format(longest=LONGEST_KEY)
            )
        if item.operator == "exists" and item.value:
            raise BadRequest.about(
                "conditions",
                _("Enter an operator such as equals for the value of {property}").format(property=item.property),
            )
        if item.operator != "exists" and not item.value:
            raise BadRequest.about("conditions", _("Enter a value for {property}").format(property=item.property))
    if len(kept.amount) > LONGEST_KEY:
        raise BadRequest.about(
            "revenueProperty", _("Enter a property name of 1 to {longest} characters").format(longest=LONGEST_KEY)
        )
