"""People (wire 1.11): visitors, those together whom the site says to be one."""

from typing import Any

from tests.query.brute.facts import CUSTOM, EXIT, RAW, VIEW, Answer, Facts, Filter, Question, Row
from tests.query.brute.filters import passes
from tests.query.brute.listings import hexadecimal, newest, session_id, shown, told
from tests.query.brute.measures import first, instant, last, sessions, share, views
from tests.query.brute.sessions import Visit, visits

COUNTED = {"session_count", "total_events", "unique_pages"}
LONGEST = 28_800  # seconds
METRICS = {1: "FCP", 2: "LCP", 3: "CLS", 4: "INP", 5: "TTFB", 6: "FPS"}

Person = tuple[str, int]  # whom the site says it is, else the visitor


def grouped(facts: Facts, asked: Question, filters: list[Filter]) -> dict[Person, list[Row]]:
    """The events of the range by whose they are, in the order of time."""
    found: dict[Person, list[Row]] = {}
    for row in sorted(facts["events"], key=lambda row: (row["time"], row["id"])):
        if not row["bot"] and asked.has(row["time"]) and passes(row, filters):
            found.setdefault((row["person"], 0) if row["person"] else ("", row["visitor"]), []).append(row)
    return found


def latest_first(found: dict[Person, list[Row]]) -> list[tuple[Person, list[Row]]]:
    return sorted(found.items(), key=lambda item: (-item[1][-1]["time"], item[0]))


def profile_list(facts: Facts, asked: Question) -> list[Row]:
    """The latest person first. Only what has a visitor counts; attributes are those of the latest event."""
    own = [item for item in asked.filters if item[0] not in COUNTED]
    visited = facts | {"events": [row for row in facts["events"] if row["visitor"]]}
    rows = [_listed(person, found) for person, found in latest_first(grouped(visited, asked, own))]
    return [row for row in rows if all(_counts(row, item) for item in asked.filters if item[0] in COUNTED)]


def _counts(row: Row, item: Filter) -> bool:
    field, operator, values = item
    return (row[field] in {float(value) for value in values}) == (operator in {"eq", "in"})


def _listed(person: Person, found: list[Row]) -> Row:
    newest_one = found[-1]
    return {
        "visitor_id": hexadecimal(person[1]),
        "profile_id": person[0],
        "first_visit": first(found),
        "last_visit": last(found),
        "session_count": sessions(found),
        "total_events": sum(row["kind"] != EXIT for row in found),
        "unique_pages": len({row["path"] for row in found if row["kind"] == VIEW}),
        "user_agent": "",
        "country": newest_one["country"],
        "region": newest_one["region"],
        "device_type": newest_one["device"],
        "browser_name": newest_one["browser"],
        "os_name": newest_one["system"],
        "referrer": newest_one["source"],
        "custom_event_count": sum(row["kind"] == CUSTOM for row in found),
        "unique_event_names": len({row["name"] for row in found if row["kind"] != EXIT}),
    }


def formatted(seconds: float) -> str:
    """Hours and minutes only where there are any."""
    hours, minutes, rest = int(seconds) // 3600, int(seconds) // 60 % 60, int(seconds) % 60
    if hours:
        return f"{hours}h {minutes}m {rest}s"
    return f"{minutes}m {rest}s" if minutes else f"{rest}s"


def profile_detail(facts: Facts, asked: Question) -> list[Row]:
    """One row: of several people whom the filters leave, the latest."""
    found = latest_first(grouped(facts, asked, list(asked.filters)))
    if not found:
        return []
    (person, rows), *_ = found
    duration = sum(visit.duration for visit in visits(facts, asked))
    return [
        {
            "visitor_id": hexadecimal(person[1]),
            "first_visit": first(rows),
            "last_visit": last(rows),
            "total_sessions": sessions(rows),
            "total_pageviews": views(rows),
            "total_duration": share(duration, 1000, 1),
            "total_duration_formatted": formatted(duration / 1000),
            "profile_id": person[0],
            "device": rows[-1]["device"],
            "browser": rows[-1]["browser"],
            "os": rows[-1]["system"],
            "country": rows[-1]["country"],
            "region": rows[-1]["region"],
        }
    ]


def profile_sessions(facts: Facts, asked: Question) -> list[Row]:
    """The newest session first, with all that happened in it, from all tables."""
    return [_session(visit, facts) for visit in newest(visits(facts, asked))]


def _session(visit: Visit, facts: Facts) -> Row:
    one = visit.rows[0]
    lasted = min(visit.duration, LONGEST * 1000)
    return {
        "session_id": session_id(one),
        "session_name": f"Session {visit.number % 16**6:06x}",
        "first_visit": instant(visit.in_order[0]["time"]),
        "last_visit": instant(visit.in_order[-1]["time"]),
        "duration": share(lasted, 1000, 1),
        "duration_formatted": formatted(lasted / 1000),
        "page_views": len(visit.pages),
        "unique_pages": len({row["path"] for row in visit.pages}),
        "device": one["device"],
        "browser": one["browser"],
        "os": one["system"],
        "country": one["country"],
        "region": one["region"],
        "referrer": one["source"],
        "events": _story(visit, facts),
        "web_vitals": [
            [METRICS[row["metric"]], row["value"], instant(row["time"]), row["path"]]
            for row in _of(visit, facts, "vitals")
            if row["metric"] in METRICS
        ],
        RAW: {"duration": visit.duration},
    }


def _of(visit: Visit, facts: Facts, table: str) -> list[Row]:
    own = [row for row in facts[table] if row["session"] == visit.number]
    return sorted(own, key=lambda row: (row["time"], row["id"]))


def _story(visit: Visit, facts: Facts) -> list[Any]:
    """In the order of time; what happened at once comes by its kind: events, errors, links."""
    parts = [(row["time"], 0, [*told(row), "custom" if row["kind"] == CUSTOM else "analytics"]) for row in shown(visit)]
    for place, (table, name, shown_as) in enumerate(
        (("errors", "error", "message"), ("outgoing_links", "outgoing_link", "href")), start=1
    ):
        parts += [
            (
                row["time"],
                place,
                [str(row["id"]), instant(row["time"]), name, row["path"], {shown_as: row[shown_as]}, name],
            )
            for row in _of(visit, facts, table)
        ]
    return [part for _, _, part in sorted(parts, key=lambda part: part[:2])]


ANSWERS: dict[str, Answer] = {
    "profile_list": profile_list,
    "profile_detail": profile_detail,
    "profile_sessions": profile_sessions,
}
