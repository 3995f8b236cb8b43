"""Session list, and what happened in them (wire 1.10)."""

import json
from typing import Any

from tests.query.brute.facts import CUSTOM, RAW, VIEW, Answer, Facts, Question, Row
from tests.query.brute.filters import passes
from tests.query.brute.measures import instant, share
from tests.query.brute.sessions import Visit, visits

WHO = {
    "country": "country",
    "referrer": "source",
    "device_type": "device",
    "browser_name": "browser",
    "os_name": "system",
}


def hexadecimal(number: int) -> str:
    """A number as people see it; 0 is nobody."""
    return f"{number:016x}" if number else ""


def session_id(row: Row) -> str:
    """As its client calls it, else its number."""
    return row["client_session"] or hexadecimal(row["session"])


def newest(found: list[Visit]) -> list[Visit]:
    """The latest begun first."""
    return sorted(found, key=lambda visit: (visit.in_order[0]["time"], visit.number), reverse=True)


def who(row: Row) -> Row:
    """What a session keeps from its first event (semantics 15)."""
    return {field: row[column] for field, column in WHO.items()}


def shown(visit: Visit) -> list[Row]:
    """Its page views and custom events, oldest first, equal ones as they arrived."""
    return [row for row in visit.in_order if row["kind"] in {VIEW, CUSTOM}]


def told(row: Row) -> list[Any]:
    """An event as id, time, name, path and properties."""
    properties = json.loads(row["properties"]) if row["properties"] else None
    return [str(row["id"]), instant(row["time"]), row["name"], row["path"], properties]


def _frame(visit: Visit) -> Row:
    return {
        "session_id": session_id(visit.rows[0]),
        "first_visit": instant(visit.in_order[0]["time"]),
        "last_visit": instant(visit.in_order[-1]["time"]),
        "page_views": len(visit.pages),
    }


def session_list(facts: Facts, asked: Question) -> list[Row]:
    """The newest session first, each with its page views and custom events."""
    return [
        _frame(visit)
        | who(visit.rows[0])
        | {"visitor_id": hexadecimal(visit.visitor), "events": [told(row) for row in shown(visit)]}
        for visit in newest(visits(facts, asked))
    ]


def session_events(facts: Facts, asked: Question) -> list[Row]:
    """All events of the range that are the session's, oldest first."""
    found = [
        row
        for row in facts["events"]
        if row["session"] and not row["bot"] and asked.has(row["time"]) and passes(row, asked.filters)
    ]
    return [
        {
            "session_id": session_id(row),
            "event_id": str(row["id"]),
            "time": instant(row["time"]),
            "event_name": row["name"],
            "path": row["path"],
            "properties": json.loads(row["properties"]) if row["properties"] else None,
            "device_type": row["device"],
            "browser_name": row["browser"],
            "country": row["country"],
        }
        for row in sorted(found, key=lambda row: (row["time"], row["id"]))
    ]


def score(visit: Visit) -> int:
    """A point for each page view, 20 at most, and each whole minute, 30 at most; three for each of 10 custom events."""
    custom: int = sum(row["kind"] == CUSTOM for row in visit.rows)
    return min(len(visit.pages), 20) + 3 * min(custom, 10) + min(visit.duration // 60_000, 30)


def interesting_sessions(facts: Facts, asked: Question) -> list[Row]:
    """Most points first; of equal ones the latest."""

    def place(visit: Visit) -> tuple[int, int, int]:
        return score(visit), visit.in_order[-1]["time"], visit.number

    ordered = sorted(visits(facts, asked), key=place, reverse=True)
    return [_interesting(visit, facts) for visit in ordered]


def _interesting(visit: Visit, facts: Facts) -> Row:
    custom = [row for row in visit.in_order if row["kind"] == CUSTOM]
    paths = [row["path"] for row in visit.pages]
    return (
        _frame(visit)
        | who(visit.rows[0])
        | {
            "visitor_id": hexadecimal(visit.visitor),
            "duration_seconds": share(visit.duration, 1000, 1),
            "unique_pages": len(set(paths)),
            "analytics_engagement_events": visit.touched,
            "custom_events": len(custom),
            "errors": sum(row["session"] == visit.number for row in facts["errors"]),
            "paths": list(dict.fromkeys(paths))[:100],
            "custom_event_names": list(dict.fromkeys(row["name"] for row in custom))[:100],
            "interesting_score": score(visit),
            RAW: {"duration_seconds": visit.duration},
        }
    )


ANSWERS: dict[str, Answer] = {
    "session_list": session_list,
    "session_events": session_events,
    "interesting_sessions": interesting_sessions,
}
