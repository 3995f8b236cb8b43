"""Properties of custom events (wire 1.9)."""

import json
from functools import partial
from typing import Any

from tests.query.brute.facts import CUSTOM, Answer, Facts, Question, Row
from tests.query.brute.filters import passes
from tests.query.brute.measures import share


def text_of(value: Any) -> str:
    """How a property's value reads as text."""
    if isinstance(value, str):
        return value
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def of_properties(name: str, facts: Facts, asked: Question) -> list[Row]:
    """The rows of the types about properties."""
    single: dict[tuple[str, str, str], int] = {}
    for row in facts["events"]:
        if row["kind"] == CUSTOM and not row["bot"] and asked.has(row["time"]) and passes(row, asked.filters):
            for key, value in json.loads(row["properties"] or "{}").items():
                if value is not None:
                    place = (row["name"], key, text_of(value))
                    single[place] = single.get(place, 0) + 1
    if name == "custom_event_properties":
        return [
            {"name": event, "property_key": key, "property_value": value, "count": count}
            for (event, key, value), count in sorted(single.items(), key=lambda item: (-item[1], item[0]))
        ]
    whole: dict[tuple[str, str], dict[str, int]] = {}
    for (event, key, value), count in single.items():
        whole.setdefault((event, key), {})[value] = count
    if name == "custom_events_property_cardinality":
        ordered = sorted(whole.items(), key=lambda item: (-sum(item[1].values()), item[0]))
        return [
            {
                "event_name": event,
                "property_key": key,
                "unique_values": len(values),
                "occurrences": sum(values.values()),
            }
            for (event, key), values in ordered
        ]
    most = 10 if name == "custom_events_property_top_values" else 20
    rows = []
    for (event, key), values in sorted(whole.items()):
        if name == "custom_events_property_distribution" and len(values) > most:
            continue
        total = sum(values.values())
        best = sorted(values.items(), key=lambda item: (-item[1], item[0]))[:most]
        for position, (value, count) in enumerate(best, start=1):
            made: Row = {
                "event_name": event,
                "property_key": key,
                "property_value": value,
                "count": count,
                "total": total,
                "percentage": share(count, total),
            }
            rows.append(made | ({"rank": position} if most == 10 else {"cardinality": len(values)}))
    return rows


ANSWERS: dict[str, Answer] = {
    name: partial(of_properties, name)
    for name in (
        "custom_event_properties",
        "custom_events_property_cardinality",
        "custom_events_property_top_values",
        "custom_events_property_distribution",
    )
}
