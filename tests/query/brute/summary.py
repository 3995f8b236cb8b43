"""Totals and series of a website (wire 1.2)."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from tests.query import calendars
from tests.query.brute.facts import CUSTOM, EXIT, VIEW, Answer, Facts, Question, Row, Rows
from tests.query.brute.filters import passes
from tests.query.brute.measures import people, rank, sessions, share, views, visitors
from tests.query.brute.series import slots
from tests.query.brute.sessions import Visit, visits

_NINETY_DAYS = 90 * 86_400_000
_FIVE_MINUTES = 300_000


def _events(facts: Facts, asked: Question) -> list[Row]:
    return [row for row in facts["events"] if not row["bot"] and asked.has(row["time"]) and passes(row, asked.filters)]


def _totals(rows: Rows, begun: Sequence[Visit]) -> Row:
    return {
        "pageviews": views(rows),
        "visitors": visitors(rows),
        "unique_visitors": visitors(rows),
        "sessions": len(begun),
        "bounce_rate": share(sum(visit.bounced for visit in begun), len(begun)),
        "median_session_duration": share(rank((visit.duration for visit in begun), 50) or 0, 1000, 1),
        "total_events": sum(row["kind"] != EXIT for row in rows),
    }


def _in_all(facts: Facts, asked: Question) -> list[Row]:
    return [_totals(_events(facts, asked), visits(facts, asked))]


def _series(facts: Facts, asked: Question) -> list[Row]:
    begun = visits(facts, asked)
    made = []
    for number, (slot, rows) in enumerate(slots(_events(facts, asked), asked)):
        own = [visit for visit in begun if calendars.slot_of(visit.started, asked.slots) == number]
        made.append({"date": slot.label, **_totals(rows, own)})
    return made


def _by_date(facts: Facts, asked: Question) -> list[Row]:
    rows = _series(facts, asked)
    for row in rows:
        row["pages_per_session"] = share(row["pageviews"], row["sessions"], 1)
        del row["unique_visitors"], row["total_events"]
    return rows


def _today(facts: Facts, asked: Question) -> list[Row]:
    today = datetime.fromtimestamp(asked.now / 1000, asked.tz).date()
    (row,) = _in_all(facts, replace(asked, first=today, last=today))
    return [{name: row[name] for name in ("pageviews", "visitors", "sessions")}]


def _now(facts: Facts, asked: Question) -> list[Row]:
    rows = _events(facts, replace(asked, lately=_FIVE_MINUTES))
    return [{"active_users": people(rows), "active_sessions": sessions(rows)}]


def _sessions_series(facts: Facts, asked: Question) -> list[Row]:
    begun = visits(facts, asked)
    placed = [(calendars.slot_of(visit.started, asked.slots), visit) for visit in begun]
    return [
        {
            "date": slot.label,
            "sessions": sum(place == number for place, _ in placed),
            "visitors": len({visit.visitor for place, visit in placed if place == number}),
        }
        for number, slot in enumerate(asked.slots)
    ]


def _new_and_returning(facts: Facts, asked: Question) -> list[Row]:
    """Only odd ids last; of all others nobody knows (semantics 9)."""
    seen = [row for row in facts["events"] if not row["bot"] and row["kind"] in {VIEW, CUSTOM}]
    before = {row["visitor"] for row in seen if asked.start - _NINETY_DAYS <= row["time"] < asked.start}
    known = [row for row in _events(facts, asked) if row["kind"] in {VIEW, CUSTOM} and row["visitor"]]
    lasting = [row for row in known if row["visitor"] % 2]
    groups = {
        "new": [row for row in lasting if row["visitor"] not in before],
        "returning": [row for row in lasting if row["visitor"] in before],
        "unknown": [row for row in known if not row["visitor"] % 2],
    }
    return [{"name": name, "pageviews": views(rows), "visitors": visitors(rows)} for name, rows in groups.items()]


ANSWERS: dict[str, Answer] = {
    "summary_totals": _in_all,
    "summary_metrics": _series,
    "events_by_date": _by_date,
    "today_metrics": _today,
    "active_stats": _now,
    "sessions_time_series": _sessions_series,
    "new_vs_returning": _new_and_returning,
}
