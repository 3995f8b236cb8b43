"""Filters (spec 2.7, wire 2): from a field, an operator and values to a condition on the facts. Pure."""

from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.query import happened
from analytics_box.query.patterns import found_in
from analytics_box.web.recognition.known_sources import DIRECT
from analytics_box.web.recognition.source import host_of, name_of_host, name_of_tag

# Spec 2.7, and beyond it: what people expect of a filter.
Op = Literal[
    "eq",
    "ne",
    "contains",
    "not_contains",
    "starts_with",
    "not_starts_with",
    "ends_with",
    "regex",
    "in",
    "not_in",
    "is_set",
    "is_not_set",
]
Match = Literal["is", "contains", "starts_with", "ends_with", "regex", "set"]

UNKNOWN = "Unknown"  # how answers call an empty browser or system

# Field of the wire → column of the facts.
COLUMNS = {
    "path": "path",
    "query_string": "query_string",
    "country": "country",
    "region": "region",
    "city": "city",
    "device_type": "device",
    "browser_name": "browser",
    "browser_version": "browser_version",
    "os_name": "system",
    "os_version": "system_version",
    "language": "language",
    "timezone": "time_zone",
    "connection_type": "connection",
    "referrer": "source",
    "channel": "channel",
    "entry_page": "entry",
    "utm_source": "utm_source",
    "utm_medium": "utm_medium",
    "utm_campaign": "utm_campaign",
    "utm_term": "utm_term",
    "utm_content": "utm_content",
    "event_name": "name",
    "namespace": "namespace",
    "source": "origin",
    "session_id": "session",
    "anonymous_id": "visitor",
    "profile_id": "person",
    "website_id": "site",
    "client_id": "site",
    "message": "message",
    "error_type": "type",
    "fingerprint": "fingerprint",
    "release": "release",
    "href": "href",
    "text": "text",
    "property_key": "key",
    "variant": "variant",
    "rule": "rule",
    "http_code": "http_code",
    "status": "status",
    "reason": "reason",
    "currency": "currency",
    "provider": "provider",
    "type": "payment_type",
    "product_id": "product_id",
    "product_name": "product_name",
    "attribution_method": "attribution",
    "verified": "verified",
    "lifecycle": "lifecycle",
    "agent": "ai_agent",
    "product": "product",
    "purpose": "purpose",
    "format": "format",
    "flag": "flag",
    "conversion": "conversion",
    "tool": "tool",
    "client": "client_name",
    "server_name": "server_name",
    "environment": "environment",
    "client_version": "client_version",
    "server_version": "server_version",
    "funnel": "funnel",
    **happened.FIELDS,
}
# What every type about websites allows beyond the wire: what a flag gave the visitor, and what selects whole sessions.
SELECTING = ("flag", "entry_page", *happened.FIELDS)
# What most types allow (wire 1.0), and beyond it channel.
COMMON = (
    "path",
    "query_string",
    "country",
    "region",
    "city",
    "timezone",
    "language",
    "device_type",
    "browser_name",
    "os_name",
    "referrer",
    "utm_source",
    "utm_medium",
    "utm_campaign",
    "channel",
    *SELECTING,
)
# What pages about a website are narrowed by: it is on every fact, so every type can be, whatever the API allows of it.
OF_WEBSITES = (*COMMON, "utm_term", "utm_content")
# Answers never show these to the public, so it may not filter by them: trying enough values would find them.
NOT_PUBLIC = happened.NOT_PUBLIC | {"session_id", "flag"}
OF_VALUES = happened.OF_VALUES | {"query_string", "message", "fingerprint", "release", "href", "text"}
# What of the requests of AI agents filters select. All other conditions are about visitors.
OF_AI_REQUESTS = frozenset(("path", "ai_agent", "product", "purpose", "format"))
OF_THE_PAGE = frozenset(("path", "query_string"))  # columns that session types look for in any page view

_MATCHES: dict[str, Match] = {
    "contains": "contains",
    "not_contains": "contains",
    "starts_with": "starts_with",
    "not_starts_with": "starts_with",
    "ends_with": "ends_with",
    "regex": "regex",
    "is_set": "set",
    "is_not_set": "set",
}
_PATHS = happened.OF_PAGES | {"path", "entry_page"}  # written with or without a slash at their end
_ADDRESSES = frozenset(("outgoing_link", "href"))
_NEGATED = frozenset(("ne", "not_contains", "not_starts_with", "not_in", "is_not_set"))
_UNKNOWN_WHEN_EMPTY = frozenset(
    (
        *("country", "region", "city", "browser_name", "browser_version", "os_name", "os_version", "language"),
        *("timezone", "channel", "connection_type"),
    )
)


FunnelOrder = Literal["ordered", "strict", "any"]


class Filter(Struct, frozen=True):
    """A filter of a request. One on who dropped out of a funnel has that funnel once it has been looked up."""

    field: str
    op: Op
    values: tuple[str, ...]
    dropoff: "Dropoff | None" = None


class FilterGroup(Struct, frozen=True):
    """Filters of which all must hold, or any; or with `negated`, which must not. They may be on the `allowed` fields,
    whatever a type takes; without any, on those that it takes."""

    any: bool
    items: "tuple[Filter | FilterGroup, ...]"
    negated: bool = False
    allowed: tuple[str, ...] = ()


class FunnelSteps(Struct, frozen=True):
    """The steps of a funnel with their names. One event must meet all of a step's filters.

    All steps must be taken `within` that many ms (0: within the session). With `people`, the sessions of a visitor
    count together, for visitors with lasting ids only. `filters` select sessions.
    """

    names: tuple[str, ...]
    steps: tuple[FilterGroup, ...]
    order: FunnelOrder = "ordered"
    within: int = 0
    people: bool = False
    filters: tuple[Filter | FilterGroup, ...] = ()

    def plan(self) -> "FunnelPlan":
        """The funnel as engines need it."""
        where, _ignored = conditions(self.steps, COMMON)
        return FunnelPlan(where, self.order, self.within, self.people)


class Dropoff(Struct, frozen=True):
    """The visits that reached the step before this one (from 2) of a funnel, and not this one. The step after the last
    one selects those that completed the funnel."""

    funnel: FunnelSteps
    step: int


class FilterCondition(Struct, frozen=True):
    """A condition on one column: it matches any of the values, or with `negated` none of them. One on an event of the
    session may say what `also` holds of that event, one on a drop-off has its funnel."""

    column: str
    match: Match
    values: tuple[str, ...]
    negated: bool
    also: "tuple[FilterCondition, ...]" = ()
    dropoff: "DropoffPlan | None" = None


class ConditionGroup(Struct, frozen=True):
    """Conditions of which all must hold, or any; or with `negated`, which must not."""

    any: bool
    items: "tuple[FilterCondition | ConditionGroup, ...]"
    negated: bool = False


Where = FilterCondition | ConditionGroup


class FunnelPlan(Struct, frozen=True):
    """The steps of a funnel as conditions, each of which one fact must meet. All steps must be taken `within` that many
    ms; 0 means within the session. With `people`, all sessions of a lasting visitor count together."""

    steps: tuple[Where, ...]
    order: FunnelOrder = "ordered"
    within: int = 0
    people: bool = False


class DropoffPlan(Struct, frozen=True):
    """A drop-off before a step as conditions, of the sessions that meet `where`."""

    funnel: FunnelPlan
    step: int
    where: tuple[Where, ...] = ()


def flag_of(where: "tuple[Where, ...]") -> FilterCondition | None:
    """The condition that names the flag which a question is about; others on flags narrow its visitors."""
    alone = (item for item in where if isinstance(item, FilterCondition) and item.column == "flag")
    return next((item for item in alone if item.match == "is" and not item.negated), None)


def conditions(
    filters: "tuple[Filter | FilterGroup, ...]", allowed: tuple[str, ...]
) -> tuple[tuple[Where, ...], tuple[str, ...]]:
    """The conditions of the allowed filters, and the names of the fields that are left aside: those that this type does
    not allow, and with one of them in a group of which any must hold all of that group, which would find less."""
    ignored: dict[str, None] = {}
    taken = tuple(where for item in filters if (where := _where(item, allowed, ignored)) is not None)
    return of_one_event(taken), tuple(ignored)


def fitting(items: Iterable[Where], knows: Callable[[FilterCondition], bool]) -> "tuple[Where, ...]":
    """The conditions without unknown ones. A group loses none of its conditions if that would find less: if any of them
    is enough, or if the group or one around it is negated."""
    return tuple(part for item in items if (part := _fitting(item, knows, whole=False)) is not None)


def _fitting(item: Where, knows: Callable[[FilterCondition], bool], *, whole: bool) -> Where | None:
    if isinstance(item, FilterCondition):
        return item if knows(item) else None
    whole = whole or item.negated
    parts = tuple(part for inner in item.items if (part := _fitting(inner, knows, whole=whole)) is not None)
    if len(parts) < len(item.items) and (whole or item.any):
        return None
    return replace(item, items=parts) if parts else None


def _where(item: "Filter | FilterGroup", allowed: tuple[str, ...], ignored: dict[str, None]) -> Where | None:
    if isinstance(item, Filter):
        if item.field in allowed:
            return condition(item)
        ignored[item.field] = None
        return None
    allowed = item.allowed or allowed
    missed: dict[str, None] = {}
    inner = tuple(where for part in item.items if (where := _where(part, allowed, missed)) is not None)
    if (item.any and len(inner) < len(item.items)) or (item.negated and missed):
        ignored.update(dict.fromkeys(_fields(item)))
        return None
    ignored.update(missed)
    return ConditionGroup(item.any, inner if item.any else of_one_event(inner), item.negated) if inner else None


def of_one_event(items: tuple[Where, ...]) -> tuple[Where, ...]:
    """Conditions that must all hold: properties are those of the event that is named next to them, of each if these are
    several, and of one event or page view where none is. What a session must not have stands for itself."""
    properties = tuple(item for item in items if _is(item, "session_property"))
    if not properties:
        return items
    named = tuple(item for item in items if _is(item, "session_event"))
    events = named or (FilterCondition("session_property", "set", (), negated=False),)
    others = tuple(item for item in items if item not in properties and item not in named)
    asked = tuple(item for item in properties if isinstance(item, FilterCondition))
    return (*others, *(replace(event, also=asked) for event in events if isinstance(event, FilterCondition)))


def _is(item: Where, column: str) -> bool:
    return isinstance(item, FilterCondition) and item.column == column and not item.negated


def _fields(item: "Filter | FilterGroup") -> tuple[str, ...]:
    return (item.field,) if isinstance(item, Filter) else tuple(name for part in item.items for name in _fields(part))


def flatten_filters(items: "Iterable[Filter | FilterGroup]") -> Iterator[Filter]:
    """Yield all filters, including those in groups and in funnels."""
    for item in items:
        if isinstance(item, FilterGroup):
            yield from flatten_filters(item.items)
        else:
            yield item
            if item.dropoff is not None:
                yield from flatten_filters((*item.dropoff.funnel.steps, *item.dropoff.funnel.filters))


FilterChange = Callable[[Filter], "Filter | FilterGroup"]


def change_filters(items: "Iterable[Filter | FilterGroup]", change: FilterChange) -> "tuple[Filter | FilterGroup, ...]":
    """Return these filters with each single one changed, including those in groups and in funnels."""
    changed: list[Filter | FilterGroup] = []
    for item in items:
        if isinstance(item, FilterGroup):
            changed.append(replace(item, items=change_filters(item.items, change)))
        elif item.dropoff is not None:
            funnel = change_funnel(item.dropoff.funnel, change)
            changed.append(replace(item, dropoff=replace(item.dropoff, funnel=funnel)))
        else:
            changed.append(change(item))
    return tuple(changed)


def change_funnel(funnel: FunnelSteps, change: FilterChange) -> FunnelSteps:
    """The funnel with each filter of its steps and sessions changed."""
    steps = tuple(replace(step, items=change_filters(step.items, change)) for step in funnel.steps)
    return replace(funnel, steps=steps, filters=change_filters(funnel.filters, change))


def condition(given: Filter) -> FilterCondition:
    """Convert one filter to a condition; a list with eq or ne means in or not_in (wire 2.2)."""
    match = _MATCHES.get(given.op, "is")
    if given.dropoff is not None:
        funnel = given.dropoff.funnel
        where, _ignored = conditions(funnel.filters, COMMON)
        dropoff = DropoffPlan(funnel.plan(), given.dropoff.step, where)
        return FilterCondition(COLUMNS[given.field], match, given.values, given.op in _NEGATED, dropoff=dropoff)
    values = () if match == "set" else given.values
    stored = tuple(dict.fromkeys(text for value in values for text in _stored_values(given.field, value, match)))
    return FilterCondition(COLUMNS[given.field], match, stored, given.op in _NEGATED)


def is_negated(op: Op) -> bool:
    """Whether an operator turns its condition around."""
    return op in _NEGATED


def matcher(given: Filter) -> Callable[[str], bool]:
    """The filter as a test of a single text, without its negation."""
    match = _MATCHES.get(given.op, "is")

    def matches(text: str) -> bool:
        if match == "set":
            return text != ""
        if match == "is":
            return text in given.values
        tests: dict[str, Callable[[str], bool]] = {
            "contains": lambda value: value in text,
            "starts_with": text.startswith,
            "ends_with": text.endswith,
            "regex": lambda value: found_in(value, text),
        }
        return any(tests[match](value) for value in given.values)

    return matches


def _stored_values(field: str, value: str, match: Match) -> tuple[str, ...]:
    """The spellings in the facts of a filter's value. In a pattern, letters mean more than themselves."""
    if match == "regex":
        return (value,)
    if field == "currency":
        return (value.upper(),)
    if field == "device_type":
        lower = value.lower()
        return (lower, "") if lower == "desktop" and match == "is" else (lower,)
    if field in _UNKNOWN_WHEN_EMPTY and value == UNKNOWN and match == "is":
        return (value, "")
    if field in _PATHS and match == "is" and value != "/":
        return (value.rstrip("/") or "/",)
    if field == "referrer" and match == "is":
        return (_source(value),)
    if field == "outgoing_domain" and match == "is":
        return (host_of(value if "://" in value else f"//{value}").removeprefix("www.") or value,)
    if field == "outgoing_domain" and match == "starts_with":
        return (value.lower().removeprefix("www."),)
    if field in _ADDRESSES and match == "is" and _is_bare(value):
        return (value, f"{value}/")
    return (value,)


def _is_bare(address: str) -> bool:
    """Whether an address ends with its host: browsers put a slash there."""
    _, found, rest = address.partition("://")
    return bool(found and rest) and not any(letter in rest for letter in "/?#")


def _source(value: str) -> str:
    """The name of the source that a caller calls by its name, its host or its URL."""
    text = value.strip()
    if not text:
        return DIRECT
    host = text.split("://", 1)[-1].split("/", 1)[0]
    return name_of_tag(text) or (name_of_host(host) if "." in host else value)
