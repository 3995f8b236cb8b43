"""What happened in a session, for the filters that select whole sessions by it."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from tests.query.brute.facts import CUSTOM, EXIT, VIEW, Facts, Filter, Row

Matches = Callable[[str, str, str, list[str]], bool]  # what is stored, the field, the operator, its values

POSITIVE = {
    "ne": "eq",
    "not_in": "in",
    "not_contains": "contains",
    "not_starts_with": "starts_with",
    "is_not_set": "is_set",
}


@dataclass
class Happened:
    """All that a session has. Facts without a session have nothing of it."""

    events: list[tuple[str, list[tuple[str, str]]]] = field(default_factory=list)  # a name, keys and values
    said: list[list[tuple[str, str]]] = field(default_factory=list)  # keys and values of page views
    views: list[tuple[int, int, str]] = field(default_factory=list)  # time, id, path
    hrefs: set[str] = field(default_factory=set)
    domains: set[str] = field(default_factory=set)
    errors: set[str] = field(default_factory=set)
    scrolled: int = 0
    engaged: int = 0

    @property
    def texts(self) -> dict[str, set[str]]:
        return {
            "viewed_page": {path for _, _, path in self.views},
            "exit_page": {max(self.views)[-1]} if self.views else set(),
            "outgoing_link": self.hrefs,
            "outgoing_domain": self.domains,
            "error": self.errors,
        }


NOTHING = Happened()
FIELDS = {*NOTHING.texts, "event", "event_property", "scroll", "engaged"}
NUMBERS = {"scroll", "engaged"}


def with_sessions(facts: Facts) -> Facts:
    """The same rows, each with what its session has."""
    known: dict[int, Happened] = {}
    for row in facts["events"]:
        if row["session"] and not row["bot"]:
            _note(known.setdefault(row["session"], Happened()), row)
    for row in facts["outgoing_links"]:
        if row["session"]:
            own = known.setdefault(row["session"], Happened())
            own.hrefs.add(row["href"])
            own.domains.add(row["domain"])
    for row in facts["errors"]:
        if row["session"]:
            known.setdefault(row["session"], Happened()).errors.add(row["message"])
    return {
        table: [row | {"happened": known.get(row["session"], NOTHING)} for row in rows] for table, rows in facts.items()
    }


def _note(own: Happened, row: Row) -> None:
    own.engaged += row["engaged"]
    if row["kind"] == EXIT:
        own.scrolled = max(own.scrolled, row["scroll"] or 0)
    if row["kind"] == VIEW:
        own.views.append((row["time"], row["id"], row["path"]))
    properties = json.loads(row["properties"] or "{}").items()
    pairs = [(key, _text(value)) for key, value in properties if value is not None]
    if row["kind"] == CUSTOM:
        own.events.append((row["name"], pairs))
    if row["kind"] == VIEW:
        own.said.append(pairs)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def all_hold(row: Row, filters: Iterable[Filter], matches: Matches) -> bool:
    """Whether all of these hold of the row's session. Properties are those of each event that is named beside them,
    else of any one event or page view; what is negated stands alone."""
    own: Happened = row["happened"]
    items = list(filters)
    names = [item for item in items if item[0] == "event" and item[1] not in POSITIVE]
    properties = [item for item in items if item[0] == "event_property" and item[1] not in POSITIVE]
    others = [item for item in items if item not in names and item not in properties]
    if properties and not names and not _any_said(own, properties, matches):
        return False
    return all(_did(own, name, properties, matches) for name in names) and all(
        _one(own, one, matches) for one in others
    )


def _one(own: Happened, item: Filter, matches: Matches) -> bool:
    name, op, values = item
    if op in POSITIVE:
        return not _one(own, (name, POSITIVE[op], values), matches)
    if name in NUMBERS:
        reached = own.scrolled if name == "scroll" else own.engaged
        return reached >= min([int(value) for value in values] or [1])
    if name == "event":
        return _did(own, item, [], matches)
    if name == "event_property":
        return _any_said(own, [item], matches)
    return any(matches(text, name, op, values) for text in own.texts[name])


def _did(own: Happened, event: Filter, properties: list[Filter], matches: Matches) -> bool:
    """Whether one event has the name and all of the properties."""
    return any(
        _called(name, event, matches) and all(_has(pairs, item, matches) for item in properties)
        for name, pairs in own.events
    )


def _any_said(own: Happened, properties: list[Filter], matches: Matches) -> bool:
    """Whether one event or page view has all of the properties."""
    of_views = any(all(_has(pairs, item, matches) for item in properties) for pairs in own.said)
    return of_views or _did(own, ("event", "is_set", []), properties, matches)


def _called(name: str, event: Filter, matches: Matches) -> bool:
    """Without a name any event is meant, but what pages say of flags is none."""
    return name != "$flag_evaluated" if event[1] == "is_set" else matches(name, *event)


def _has(pairs: list[tuple[str, str]], item: Filter, matches: Matches) -> bool:
    _, op, values = item
    if op == "is_set":
        return any(key for key, _ in pairs)
    exact = op in {"eq", "in"}
    texts = {f"{key}={value}" for key, value in pairs} | ({key for key, _ in pairs} if exact else set())
    return any(matches(text, "event_property", op, values) for text in texts)
