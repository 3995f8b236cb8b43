"""Filters (spec 2.7, wire 2): from a field, an operator and values to a condition on a column of the facts. Pure."""

from typing import Literal

from msgspec import Struct

from analytics_box.ingest.source import DIRECT, known, name_of_host

Op = Literal["eq", "ne", "contains", "not_contains", "starts_with", "in", "not_in"]
Match = Literal["is", "contains", "starts_with"]

UNKNOWN = "Unknown"  # how answers call an empty browser or system

# Field of the wire → column of the facts.
COLUMNS = {
    "path": "path",
    "query_string": "query_string",
    "device_type": "device",
    "browser_name": "browser",
    "os_name": "system",
    "language": "language",
    "timezone": "time_zone",
    "referrer": "source",
    "utm_source": "utm_source",
    "utm_medium": "utm_medium",
    "utm_campaign": "utm_campaign",
    "utm_term": "utm_term",
    "utm_content": "utm_content",
    "event_name": "name",
    "namespace": "namespace",
    "source": "origin",
    "session_id": "client_session",
}
# What every type allows (wire 1.0), as far as the facts know it.
COMMON = (
    "path",
    "query_string",
    "timezone",
    "language",
    "device_type",
    "browser_name",
    "os_name",
    "referrer",
    "utm_source",
    "utm_medium",
    "utm_campaign",
)


class Filter(Struct, frozen=True):
    """A filter of a request."""

    field: str
    op: Op
    values: tuple[str, ...]


class Condition(Struct, frozen=True):
    """A condition on one column: it matches any of the values, or with `negated` none of them."""

    column: str
    match: Match
    values: tuple[str, ...]
    negated: bool


def conditions(filters: tuple[Filter, ...], allowed: tuple[str, ...]) -> tuple[tuple[Condition, ...], tuple[str, ...]]:
    """The conditions of the allowed filters, and the names of the fields that this type does not allow."""
    taken = tuple(condition(item) for item in filters if item.field in allowed)
    ignored = tuple(dict.fromkeys(item.field for item in filters if item.field not in allowed))
    return taken, ignored


def condition(given: Filter) -> Condition:
    """One filter as a condition; a list with eq or ne means in or not_in (wire 2.2)."""
    match: Match = "is"
    if given.op in {"contains", "not_contains"}:
        match = "contains"
    elif given.op == "starts_with":
        match = "starts_with"
    values = tuple(dict.fromkeys(text for value in given.values for text in _stored(given.field, value, match)))
    return Condition(COLUMNS[given.field], match, values, given.op in {"ne", "not_contains", "not_in"})


def _stored(field: str, value: str, match: Match) -> tuple[str, ...]:
    """How the facts spell what the caller wrote."""
    if field == "device_type":
        lower = value.lower()
        return (lower, "") if lower == "desktop" and match == "is" else (lower,)
    if field in {"browser_name", "os_name"} and value == UNKNOWN and match == "is":
        return (value, "")
    if field == "path" and match == "is" and value != "/":
        return (value.rstrip("/") or "/",)
    if field == "referrer" and match == "is":
        return (_source(value),)
    return (value,)


def _source(value: str) -> str:
    """The name of the source that a caller calls by its name, its host or its URL."""
    lower = value.strip().lower()
    if lower in {"", "direct"}:
        return DIRECT
    host = lower.split("://", 1)[-1].split("/", 1)[0]
    if "." in host:
        return name_of_host(host)
    return known().names.get(lower, value)
