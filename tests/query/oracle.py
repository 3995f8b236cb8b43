"""What every query type must answer, worked out from a list of events in plain Python.

Written from the specification, the wire and the semantics; it knows nothing of SQL, plans or the catalogue.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from math import floor
from statistics import median
from typing import Any
from zoneinfo import ZoneInfo

from analytics_box.web.recognition import source as sources
from tests.query import calendars
from tests.query.happenings import SECOND, Happening
from tests.query.visits import Visit, visits

Row = dict[str, Any]
Filter = tuple[str, str, list[str]]  # field, operator, values

SUMMARIES = ("summary_metrics", "summary_totals", "events_by_date")
TYPES = (*SUMMARIES, "top_pages", "traffic_sources", "browser_name", "os_name", "custom_events")

OF_THE_SESSION = {
    "referrer": "source",
    "browser_name": "browser",
    "os_name": "system",
    "device_type": "device",
    "language": "language",
    "timezone": "time_zone",
    "utm_source": "utm_source",
    "utm_campaign": "utm_campaign",
}
OF_THE_FIRST_EVENT = ("browser", "system", "device")  # all others are those of the first page view
SPOKEN = {"": "Direct", "direct": "Direct", "google": "Google", "hn": "Hacker News", "gmail": "Gmail"}
OF_THE_PAGE = ("path", "query_string")
OPPOSITES = {"ne": "eq", "not_in": "in", "not_contains": "contains"}


@dataclass(frozen=True, eq=False)
class Session:
    """A session, and what all of it has (semantics 15)."""

    visit: Visit
    kept: dict[str, str]

    @property
    def started(self) -> int:
        return self.visit.started

    @property
    def duration(self) -> int:
        return self.visit.last - self.visit.first

    @property
    def bounced(self) -> bool:
        done = [one for one in self.visit.happenings if one.name != "$flag_evaluated"]  # what a page says of a flag
        kinds = [happening.kind for happening in done]
        engaged = sum(happening.engaged for happening in self.visit.happenings)
        return kinds.count("view") == 1 and "custom" not in kinds and engaged < 10


@dataclass(frozen=True)
class Told:
    """An event with its session, if it has one."""

    happening: Happening
    session: Session | None

    def value(self, field_name: str) -> str:
        """What this event has under a filter's field: its session's wherever sessions keep it."""
        own = {"path": self.happening.path, "event_name": self.happening.name, "source": self.happening.own["origin"]}
        own["session_id"] = self.happening.client_session
        if field_name in own:
            return own[field_name]
        if field_name not in OF_THE_SESSION:
            return self.happening.own[field_name]
        return (self.session.kept if self.session else self.happening.session)[OF_THE_SESSION[field_name]]


def tell(happenings: Sequence[Happening]) -> list[Told]:
    """Every event with its session (semantics 10 and 13), in the order of arrival; bots are nobody's (19)."""
    sessions = {
        id(happening): session
        for visit in (visit.counted() for visit in visits(happenings))
        for session in [Session(visit, visit.kept(OF_THE_FIRST_EVENT))]
        for happening in visit.happenings
    }
    return [Told(happening, sessions.get(id(happening))) for happening in happenings if not happening.bot]


@dataclass(frozen=True)
class Asked:
    """A question about some sites and local days."""

    type: str
    sites: tuple[int, ...]
    first: date
    last: date
    tz: ZoneInfo
    hourly: bool = False
    filters: tuple[Filter, ...] = ()
    sort_by: str | None = None
    descending: bool = True
    limit: int = 100
    page: int = 1


def answer(asked: Asked, told: Sequence[Told]) -> list[Row]:
    """The rows of the answer."""
    own = [one for one in told if one.happening.site in asked.sites]
    if asked.type in SUMMARIES:
        rows = _summaries(asked, own)
        if asked.sort_by == "date" and asked.descending:
            rows.reverse()
    else:
        rows = _values(asked, [one for one in own if _within(asked, one.happening.time)])
    return rows[(asked.page - 1) * asked.limit :][: asked.limit]


def _within(asked: Asked, instant: int) -> bool:
    """Semantics 2: from the first local midnight to the one after the last day."""
    after = calendars.day_begins(asked.last + timedelta(days=1), asked.tz)
    return calendars.day_begins(asked.first, asked.tz) <= instant < after


# Summaries


def _summaries(asked: Asked, told: Sequence[Told]) -> list[Row]:
    events = [one for one in told if _within(asked, one.happening.time) and _passes(one, asked.filters)]
    sessions = [session for session in _sessions(asked, told) if _within(asked, session.started)]
    if asked.type == "summary_totals":
        return [_totals(events, sessions)]
    make = calendars.hours if asked.hourly else calendars.days
    slots = make(asked.first, asked.last, asked.tz)
    rows = []
    for number, slot in enumerate(slots):
        totals = _totals(
            [one for one in events if calendars.slot_of(one.happening.time, slots) == number],
            [session for session in sessions if calendars.slot_of(session.started, slots) == number],
        )
        if asked.type == "events_by_date":
            totals["pages_per_session"] = _share(totals["pageviews"], totals["sessions"], 1)
            del totals["unique_visitors"], totals["total_events"]
        rows.append({"date": slot.label, **totals})
    return rows


def _sessions(asked: Asked, told: Sequence[Told]) -> list[Session]:
    """The sessions that the filters select (semantics 15): by what they keep, by having such a page view, and with a
    negated filter on pages by having none."""
    others = [item for item in asked.filters if item[0] not in OF_THE_PAGE]
    found = dict.fromkeys(one.session for one in told if one.session is not None and _passes(one, others))
    of_pages = [item for item in asked.filters if item[0] in OF_THE_PAGE]
    ever = [item for item in of_pages if item[1] not in OPPOSITES]
    never = [(name, OPPOSITES[operator], values) for name, operator, values in of_pages if operator in OPPOSITES]
    for wanted, items in ((True, ever), *((False, [item]) for item in never)):
        if items:
            having = {one.session for one in told if one.happening.kind == "view" and _passes(one, items)}
            found = {session: None for session in found if (session in having) == wanted}
    return list(found)


def _totals(events: Sequence[Told], sessions: Sequence[Session]) -> Row:
    visitors = _visitors(events)
    seconds = [Fraction(session.duration, SECOND) for session in sessions]
    return {
        "pageviews": _views(events),
        "visitors": visitors,
        "unique_visitors": visitors,
        "sessions": len(sessions),
        "bounce_rate": _share(sum(session.bounced for session in sessions), len(sessions)),
        "median_session_duration": _half_up(median(seconds)) if seconds else 0,
        "total_events": sum(one.happening.kind != "exit" for one in events),
    }


# Lists of values


def _values(asked: Asked, told: Sequence[Told]) -> list[Row]:
    custom = asked.type == "custom_events"
    kinds = {"custom"} if custom else {"view"} if asked.type == "top_pages" else {"view", "custom"}
    groups: dict[str, list[Told]] = {}
    for one in told:
        if one.happening.kind in kinds and _passes(one, asked.filters):
            groups.setdefault(_group(asked.type, one), []).append(one)
    rows = {value: _custom_row(value, group) if custom else _row(value, group) for value, group in groups.items()}
    whole = sum(row["total_events" if custom else "visitors"] for row in rows.values())
    for value, row in rows.items():
        row["percentage"] = _share(row["total_events" if custom else "visitors"], whole)
        row.update(_more(asked.type, value))
    own = "total_events" if custom else "visitors"
    key = asked.sort_by or own
    # Equal rows stand as the type orders them by itself, and those that are still equal by name (semantics 22).
    named = [row for _, row in sorted(rows.items(), key=lambda item: (-item[1][own], item[0]))]
    descending = asked.descending or asked.sort_by is None
    known = [row for row in named if row[key] != "Unknown"]
    known.sort(key=lambda row: row[key], reverse=descending)
    return known + [row for row in named if row[key] == "Unknown"]  # last both ways (semantics 22)


def _group(query_type: str, one: Told) -> str:
    if query_type == "custom_events":
        return one.happening.name
    fields = {"top_pages": "path", "traffic_sources": "referrer"}
    return one.value(fields.get(query_type, query_type))


def _row(value: str, group: Sequence[Told]) -> Row:
    return {"name": value or "Unknown", "pageviews": _views(group), "visitors": _visitors(group)}


def _custom_row(value: str, group: Sequence[Told]) -> Row:
    times = [one.happening.time for one in group]
    return {
        "name": value,
        "total_events": len(group),
        "unique_users": _visitors(group),
        "unique_sessions": len({one.session for one in group if one.session is not None}),
        "last_occurrence": _text(max(times)),
        "first_occurrence": _text(min(times)),
        "events_with_properties": sum(one.happening.properties is not None for one in group),
    }


def _more(query_type: str, value: str) -> Row:
    if query_type == "top_pages":
        return {"path": value}
    if query_type == "traffic_sources":
        domain = sources.domain_of(value)
        url = f"https://{domain}" if domain else ""
        kind = sources.kind_of(value)
        return {
            "source": value,
            "domain": domain,
            "referrer": url,
            "referrer_type": kind,
            "parsed_referrer": {"name": value, "domain": domain, "url": url, "type": kind},
        }
    return {}


# Measures


def _views(told: Sequence[Told]) -> int:
    return sum(one.happening.kind == "view" for one in told)


def _visitors(told: Sequence[Told]) -> int:
    """Distinct visitors of page views and custom events (semantics 8 and 13)."""
    return len({one.happening.visitor for one in told if one.happening.person and one.happening.kind != "exit"})


def _share(part: int, whole: int, of: int = 100) -> float:
    return _half_up(Fraction(of * part, whole)) if whole else 0


def _half_up(value: Fraction) -> float:
    return floor(value * 100 + Fraction(1, 2)) / 100


def _text(instant: int) -> str:
    moment = datetime.fromtimestamp(instant // 1000, UTC)
    return f"{moment:%Y-%m-%d %H:%M:%S}.{instant % 1000:03d}"


# Filters (wire 2.2)


def _passes(one: Told, filters: Iterable[Filter]) -> bool:
    return all(_matches(one.value(name), name, operator, values) for name, operator, values in filters)


def _matches(stored: str, name: str, operator: str, values: Sequence[str]) -> bool:
    wanted = [value.lower() if name == "device_type" else value for value in values]
    if operator in {"contains", "not_contains"}:
        found = any(value in stored for value in wanted)
    elif operator == "starts_with":
        found = any(stored.startswith(value) for value in wanted)
    else:
        found = any(_same(stored, name, value) for value in wanted)
    return found != (operator in OPPOSITES)


def _same(stored: str, name: str, value: str) -> bool:
    if name == "device_type":
        return (stored or "desktop") == value
    if name in {"browser_name", "os_name"}:
        return stored == value or (value == "Unknown" and not stored)
    if name == "path":
        return stored == (value.rstrip("/") or "/")
    if name == "referrer":
        return stored == SPOKEN.get(value, value)
    return stored == value
