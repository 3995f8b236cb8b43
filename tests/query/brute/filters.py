"""Filters on stored facts (wire 2.2)."""

import re
from collections.abc import Iterable

from tests.query.brute.facts import Filter, Row

COLUMN = {
    "path": "path",
    "query_string": "query_string",
    "country": "country",
    "region": "region",
    "city": "city",
    "timezone": "time_zone",
    "language": "language",
    "device_type": "device",
    "browser_name": "browser",
    "os_name": "system",
    "referrer": "source",
    "utm_source": "utm_source",
    "utm_medium": "utm_medium",
    "utm_campaign": "utm_campaign",
    "channel": "channel",
    "event_name": "name",
    "namespace": "namespace",
    "message": "message",
    "error_type": "type",
    "href": "href",
    "profile_id": "profile",
}
UNKNOWN_IS_EMPTY = {"country", "region", "city", "timezone", "language", "browser_name", "os_name", "channel"}


def passes(row: Row, filters: Iterable[Filter]) -> bool:
    return all(_matches(row[COLUMN[name]], name, op, values) for name, op, values in filters)


def _matches(stored: str, name: str, op: str, values: list[str]) -> bool:
    if name == "device_type":
        values = [value.lower() for value in values]
    if op in {"is_set", "is_not_set"}:
        return (stored != "") == (op == "is_set")
    found = any(_one(stored, name, op, value) for value in values)
    return found != (op in {"ne", "not_in", "not_contains", "not_starts_with"})


def _one(stored: str, name: str, op: str, value: str) -> bool:
    if "contains" in op:
        return value in stored
    if "starts_with" in op:
        return stored.startswith(value)
    if op == "ends_with":
        return stored.endswith(value)
    if op == "regex":
        return re.search(value, stored) is not None
    if name == "path" and value != "/":
        value = value.rstrip("/") or "/"
    same = stored == value
    if name == "device_type":
        return same or (value == "desktop" and stored == "")
    return same or (name in UNKNOWN_IS_EMPTY and value == "Unknown" and stored == "")
