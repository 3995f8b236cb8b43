"""Properties of custom events (wire 1.9)."""

import json
import re
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from math import floor
from typing import Any

from tests.query.brute.custom_events import custom_events_of
from tests.query.brute.facts import VIEW, Answer, Facts, Question, Row
from tests.query.brute.filters import passes
from tests.query.brute.measures import between, half_up, people, share


def text_of(value: Any) -> str:
    """How a property's value reads as text."""
    if isinstance(value, str):
        return value
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


@dataclass
class Property:
    """A property of an event: its values as they came."""

    event: str
    key: str
    values: list[Any] = field(default_factory=list)

    @property
    def texts(self) -> list[str]:
        return [text_of(value) for value in self.values]

    @property
    def counted(self) -> list[tuple[str, int]]:
        """Its values as texts, the commonest first."""
        texts = self.texts
        return sorted(((text, texts.count(text)) for text in set(texts)), key=lambda item: (-item[1], item[0]))


def _properties(facts: Facts, asked: Question) -> list[Property]:
    """All properties, by event and key."""
    of_keys = [item for item in asked.filters if item[0] == "property_key"]
    found: dict[tuple[str, str], Property] = {}
    for row in custom_events_of(facts, asked):
        for key, value in json.loads(row["properties"] or "{}").items():
            if value is not None and passes({"key": key}, of_keys):
                found.setdefault((row["name"], key), Property(row["name"], key)).values.append(value)
    return [found[place] for place in sorted(found)]


def _values(facts: Facts, asked: Question) -> list[Row]:
    rows = [
        {"name": item.event, "property_key": item.key, "property_value": value, "count": count}
        for item in _properties(facts, asked)
        for value, count in item.counted
    ]
    return sorted(rows, key=lambda row: (-row["count"], row["name"], row["property_key"], row["property_value"]))


def _commonest_first(found: list[Property]) -> list[Property]:
    return sorted(found, key=lambda item: -len(item.values))


def _cardinality(facts: Facts, asked: Question) -> list[Row]:
    return [
        {
            "event_name": item.event,
            "property_key": item.key,
            "unique_values": len(item.counted),
            "occurrences": len(item.values),
        }
        for item in _commonest_first(_properties(facts, asked))
    ]


def _best(most: int, facts: Facts, asked: Question) -> list[Row]:
    """The commonest values of each property, with their rank; or with 20 all values of those that have no more."""
    rows = []
    for item in _properties(facts, asked):
        if most == 20 and len(item.counted) > most:
            continue
        for rank, (value, count) in enumerate(item.counted[:most], start=1):
            made: Row = {
                "event_name": item.event,
                "property_key": item.key,
                "property_value": value,
                "count": count,
                "total": len(item.values),
                "percentage": share(count, len(item.values)),
            }
            rows.append(made | ({"rank": rank} if most == 10 else {"cardinality": len(item.counted)}))
    return rows


def _classification(facts: Facts, asked: Question) -> list[Row]:
    events = custom_events_of(facts, asked)
    return [
        _classified(item, sum(row["name"] == item.event for row in events))
        for item in _commonest_first(_properties(facts, asked))
    ]


def _classified(item: Property, events: int) -> Row:
    lengths = [len(text) for text in item.texts]
    holds = {
        "is_numeric": all(isinstance(value, int | float) and not isinstance(value, bool) for value in item.values),
        "is_boolean": all(isinstance(value, bool) for value in item.values),
        "is_date_like": all(re.match(r"[12]\d{3}-[01]\d-[0-3]\d", text) is not None for text in item.texts),
        "is_url_like": all(re.match("https?://", text) is not None for text in item.texts),
    }
    kind = _kind(holds, item, sum(lengths) / len(lengths))
    return {
        "event_name": item.event,
        "property_key": item.key,
        "cardinality": len(item.counted),
        "total_count": len(item.values),
        "coverage_ratio": half_up(Fraction(len(item.values), events), 4),
        "avg_length": share(sum(lengths), len(lengths), 1),
        "max_length": max(lengths),
        **holds,
        "inferred_type": kind,
        "render_strategy": _strategy(kind, len(item.counted)),
        "sample_values": [value for value, _ in item.counted[:5]],
    }


def _kind(holds: dict[str, bool], item: Property, length: float) -> str:
    kinds = {"is_boolean": "boolean", "is_numeric": "numeric", "is_date_like": "datetime", "is_url_like": "url"}
    for name, kind in kinds.items():
        if holds[name]:
            return kind
    if len(item.counted) <= 20:
        return "categorical"
    if length > 100:
        return "text"
    return "aggregatable" if len(item.counted) * 2 <= len(item.values) else "high_cardinality"


def _strategy(kind: str, values: int) -> str:
    if kind == "boolean" or values <= 10:
        return "distribution_bar"
    if kind in {"text", "high_cardinality"}:
        return "detail_only"
    return "top_n_chart" if values <= 20 else "top_n_with_other"


def _discovery(facts: Facts, asked: Question) -> list[Row]:
    """Every event stands there, also without a property."""
    events: dict[str, list[Row]] = {}
    for row in custom_events_of(facts, asked):
        events.setdefault(row["name"], []).append(row)
    properties = _properties(facts, asked)
    return [
        {
            "event_name": name,
            "total_events": len(rows),
            "unique_users": people(rows),
            "property_key": item.key,
            "unique_values": len(item.counted),
            "top_values": [{"value": value, "count": count} for value, count in item.counted[:5]],
        }
        for name, rows in sorted(events.items(), key=lambda item: (-len(item[1]), item[0]))
        for item in [item for item in properties if item.event == name] or [Property(name, "")]
    ]


def _numbers(facts: Facts, asked: Question) -> list[Row]:
    """What is a number and no larger than a billion, in thousandths."""
    rows = []
    for item in _properties(facts, asked):
        numbers = [value for value in item.values if isinstance(value, int | float) and not isinstance(value, bool)]
        exact = [Fraction(floor(value * 1000 + 0.5), 1000) for value in numbers if abs(value) <= 1_000_000_000]
        if exact:
            rows.append(
                {
                    "event_name": item.event,
                    "property_key": item.key,
                    "count": len(exact),
                    "sum": half_up(sum(exact, start=Fraction(0))),
                    "average": half_up(sum(exact, start=Fraction(0)) / len(exact)),
                    "median": half_up(between(exact, 50)),
                    "p90": half_up(between(exact, 90)),
                }
            )
    return sorted(rows, key=lambda row: -row["count"])


def _of_page_views(facts: Facts, asked: Question) -> list[Row]:
    of_keys = [item for item in asked.filters if item[0] == "property_key"]
    filters = [item for item in asked.filters if item[0] != "property_key"]
    found: dict[tuple[str, str], list[Row]] = {}
    for row in facts["events"]:
        if row["kind"] == VIEW and not row["bot"] and asked.has(row["time"]) and passes(row, filters):
            for key, value in json.loads(row["properties"] or "{}").items():
                if value is not None and passes({"key": key}, of_keys):
                    found.setdefault((key, text_of(value)), []).append(row)
    rows = [
        {
            "name": f"{key}={value}",
            "property_key": key,
            "property_value": value,
            "page_views": len(own),
            "visitors": people(own),
        }
        for (key, value), own in sorted(found.items())
    ]
    return sorted(rows, key=lambda row: -row["page_views"])


def _of_event(name: str, of_key: str, counted: str, facts: Facts, asked: Question) -> list[Row]:
    """The values of one property of one event; of missing pages also the pages."""
    found: dict[tuple[str, ...], list[Row]] = {}
    for row in custom_events_of(facts, asked):
        for key, value in json.loads(row["properties"] or "{}").items():
            if row["name"] == name and key == of_key and value is not None:
                place = (row["path"], text_of(value)) if name == "not_found" else (text_of(value),)
                found.setdefault(place, []).append(row)
    names = ("name", "referrer") if name == "not_found" else ("name",)
    rows = [
        {**dict(zip(names, place, strict=True)), counted: len(own), "visitors": people(own)}
        for place, own in sorted(found.items())
    ]
    return sorted(rows, key=lambda row: -row[counted])


ANSWERS: dict[str, Answer] = {
    "custom_event_properties": _values,
    "custom_events_property_cardinality": _cardinality,
    "custom_events_property_top_values": partial(_best, 10),
    "custom_events_property_distribution": partial(_best, 20),
    "custom_events_property_classification": _classification,
    "custom_events_discovery": _discovery,
    "custom_events_property_numbers": _numbers,
    "page_properties": _of_page_views,
    "site_searches": partial(_of_event, "site_search", "term", "searches"),
    "missing_pages": partial(_of_event, "not_found", "referrer", "views"),
    "file_downloads": partial(_of_event, "file_download", "href", "downloads"),
}
