"""Filters on stored facts (wire 2.2)."""

import re
from collections.abc import Iterable

from tests.query.brute import happened
from tests.query.brute.facts import Filter, Group, Row

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
    "entry_page": "entry",
    "utm_source": "utm_source",
    "utm_medium": "utm_medium",
    "utm_campaign": "utm_campaign",
    "channel": "channel",
    "event_name": "name",
    "namespace": "namespace",
    "message": "message",
    "error_type": "type",
    "fingerprint": "fingerprint",
    "release": "release",
    "href": "href",
    "profile_id": "person",
    "utm_term": "utm_term",
    "utm_content": "utm_content",
    "source": "origin",
    "text": "text",
    "property_key": "key",
    "tool": "tool",
    "client": "client_name",
    "server_name": "server_name",
    "environment": "environment",
    "client_version": "client_version",
    "server_version": "server_version",
    "website_id": "website",
    "client_id": "website",
    "currency": "currency",
    "provider": "provider",
    "type": "payment_type",
    "product_id": "product_id",
    "product_name": "product_name",
    "attribution_method": "attribution",
    "lifecycle": "lifecycle",
    "agent": "ai_agent",
    "product": "product",
    "purpose": "purpose",
    "format": "format",
}
OF_SPANS = {
    "agent": "ai_requests",
    "product": "ai_requests",
    "purpose": "ai_requests",
    "format": "ai_requests",
    "message": "errors",
    "error_type": "errors",
    "fingerprint": "errors",
    "release": "errors",
    "href": "outgoing_links",
    "text": "outgoing_links",
}
IDS = {"session_id": ("session", "client_session"), "anonymous_id": ("visitor", "person")}
UNKNOWN_IS_EMPTY = {"country", "region", "city", "timezone", "language", "browser_name", "os_name", "channel"}


OF_PAGES = {"path", "entry_page", "exit_page", "viewed_page"}


def passes(row: Row, filters: Iterable[Filter]) -> bool:
    items = list(filters)
    of_sessions = [item for item in items if item[0] in happened.FIELDS]
    others = all(_passes(row, name, op, values) for name, op, values in items if name not in happened.FIELDS)
    return others and (not of_sessions or happened.all_hold(row, of_sessions, _matches))


def holds(row: Row, item: Filter | Group) -> bool:
    """Whether a filter or a group of them, also of groups, holds."""
    if len(item) == 3:
        return passes(row, [item])
    which, items = item
    if which == "any":
        return any(holds(row, part) for part in items)
    filters = [part for part in items if len(part) == 3]
    return passes(row, filters) and all(holds(row, part) for part in items if len(part) == 2)


def _passes(row: Row, name: str, op: str, values: list[str]) -> bool:
    """Sessions and visitors go by several names: what the client called them, their number, who it was. A flag goes by
    its key, and with its variant."""
    if name == "flag":
        return _was_given(row["given"], op, values)
    if name not in IDS:
        return _matches(row[COLUMN[name]], name, op, values)
    number: int = row[IDS[name][0]]
    if op in {"is_set", "is_not_set"}:
        return (number != 0) == (op == "is_set")
    names = {f"{number:016x}" if number else None, row[IDS[name][1]] or None} - {None}
    return any(value in names for value in values) != (op in {"ne", "not_in"})


def _was_given(given: Iterable[tuple[str, str]], op: str, values: list[str]) -> bool:
    if op in {"is_set", "is_not_set"}:
        return bool(given) == (op == "is_set")
    exact = op in {"eq", "ne", "in", "not_in"}
    texts = {f"{key}={variant}" for key, variant in given} | ({key for key, _ in given} if exact else set())
    found = any(_one(text, "flag", op, value) for text in texts for value in values)
    return found != (op in {"ne", "not_in", "not_contains", "not_starts_with"})


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
    if name in OF_PAGES and value != "/":
        value = value.rstrip("/") or "/"
    same = stored == value
    if name == "device_type":
        return same or (value == "desktop" and stored == "")
    return same or (name in UNKNOWN_IS_EMPTY and value == "Unknown" and stored == "")
