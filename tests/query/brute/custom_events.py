"""Custom events, without their properties (wire 1.9)."""

import json
from typing import Any

from tests.query.brute.facts import CUSTOM, Answer, Facts, Question, Row, Rows
from tests.query.brute.filters import passes
from tests.query.brute.measures import distinct, first, instant, last, people, sessions, share
from tests.query.brute.series import by_slot, slots
from tests.query.brute.tables import Table, answers, count


def custom_events_of(facts: Facts, asked: Question) -> list[Row]:
    """The custom events that a question is about; of properties only those ask that look at properties."""
    filters = [item for item in asked.filters if item[0] != "property_key"]
    return [
        row
        for row in facts["events"]
        if row["kind"] == CUSTOM and not row["bot"] and asked.has(row["time"]) and passes(row, filters)
    ]


def _totals(rows: Rows) -> Row:
    return {
        "total_events": len(rows),
        "unique_event_types": distinct("name")(rows),
        "unique_users": people(rows),
        "unique_sessions": sessions(rows),
        "unique_pages": len({row["path"] for row in rows} - {""}),
    }


def _summary(facts: Facts, asked: Question) -> list[Row]:
    return [_totals(custom_events_of(facts, asked))]


def _trends(facts: Facts, asked: Question) -> list[Row]:
    return by_slot(custom_events_of(facts, asked), asked, _totals)


def _trends_by_event(facts: Facts, asked: Question) -> list[Row]:
    """Only those that happened."""
    return [
        {"date": slot.label, "event_name": name, "total_events": sum(row["name"] == name for row in rows)}
        for slot, rows in slots(custom_events_of(facts, asked), asked)
        for name in sorted({row["name"] for row in rows})
    ]


def _recent(facts: Facts, asked: Question) -> list[Row]:
    newest = sorted(custom_events_of(facts, asked), key=lambda row: (row["time"], row["id"]), reverse=True)
    return [
        {
            "event_name": row["name"],
            "namespace": row["namespace"],
            "path": row["path"],
            "source": row["origin"],
            "properties": None if row["properties"] is None else json.loads(row["properties"]),
            "anonymous_id": f"{row['visitor']:016x}" if row["visitor"] else "",
            "session_id": row["client_session"] or (f"{row['session']:016x}" if row["session"] else ""),
            "timestamp": instant(row["time"]),
        }
        for row in newest
    ]


def _by_name(key: tuple[Any, ...], rows: Rows, whole: float) -> Row:
    return {
        "name": key[0],
        "total_events": len(rows),
        "unique_users": people(rows),
        "unique_sessions": sessions(rows),
        "last_occurrence": last(rows),
        "first_occurrence": first(rows),
        "events_with_properties": sum(row["properties"] is not None for row in rows),
        "percentage": share(len(rows), whole),
    }


def _by_path(key: tuple[Any, ...], rows: Rows, _whole: float) -> Row:
    return {
        "name": key[0],
        "total_events": len(rows),
        "unique_event_types": distinct("name")(rows),
        "unique_users": people(rows),
    }


_OTHERS: dict[str, Answer] = {
    "custom_events_summary": _summary,
    "custom_events_trends": _trends,
    "custom_events_trends_by_event": _trends_by_event,
    "custom_events_recent": _recent,
}
ANSWERS = _OTHERS | answers(
    {
        "custom_events": Table("events", ("name",), _by_name, order=count, shared=len, kinds=frozenset((CUSTOM,))),
        "custom_events_by_path": Table("events", ("path",), _by_path, order=count, kinds=frozenset((CUSTOM,))),
    }
)
