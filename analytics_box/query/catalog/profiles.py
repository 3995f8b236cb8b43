"""Profiles: visitors, and the identities that the website gives them (wire 1.11)."""

from collections.abc import Sequence

from msgspec.structs import replace

from analytics_box.base.facts.event import METRICS
from analytics_box.query.catalog.sessions import (
    EVENTS_OF,
    FIRST,
    LAST,
    NEWEST,
    OLDEST,
    SESSION,
    SESSION_ID,
    rows_by_session,
    tuples,
)
from analytics_box.query.catalog.summary import WITH_PEOPLE
from analytics_box.query.catalog.types import Follow, QueryType, Record, ScanRequest, column
from analytics_box.query.catalog.values import field, hexadecimal, id_text, instant_text, seconds
from analytics_box.query.plan import DerivedKey, PlanOrder
from analytics_box.query.ranges import TimeWindow

_LONGEST = 28_800_000  # ms (wire 1.11)
_LATEST = ("country", "region", "device", "browser", "system", "source")
_WHOSE = ("profile_of", "visitor_of")
_LATEST_OF = ScanRequest("events", tuple(f"latest_{name}" for name in _LATEST), _WHOSE)
_METRIC_NAMES = {number: name for name, number in METRICS.items()}


def duration_text(milliseconds: int) -> str:
    """A duration as people read it: 1h 2m 3s."""
    minutes, rest = divmod(milliseconds // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    parts = [f"{hours}h"] * bool(hours) + [f"{minutes}m"] * bool(hours or minutes) + [f"{rest}s"]
    return " ".join(parts)


def _people(rows: Sequence[list[Record]], _window: TimeWindow) -> list[Record]:
    latest = {(row["profile_of"], row["visitor_of"]): row for row in rows[1]}
    return [row | latest[row["profile_of"], row["visitor_of"]] for row in rows[0]]


def _person(rows: Sequence[list[Record]], window: TimeWindow) -> list[Record]:
    """The latest person that the filters match."""
    events, sessions, latest = rows
    duration = (sessions[0]["duration_total"] or 0) if sessions else 0
    return [row | {"duration_total": duration} for row in _people([events[:1], latest], window)]


def _stories(rows: Sequence[list[Record]], _window: TimeWindow) -> list[Record]:
    """Sessions with all that is known of them, in the order in which it happened."""
    events, errors, links, vitals = (rows_by_session(part) for part in rows[1:])
    told = []
    for row in rows[0]:
        number = row["session"]
        parts = [
            (event["time"], [*tuples(event), "custom" if event["kind"] == 2 else "analytics"])
            for event in events.get(number, [])
        ]
        parts += [
            (
                error["time"],
                [
                    str(error["id"]),
                    instant_text(error["time"]),
                    "error",
                    error["path"],
                    {"message": error["message"]},
                    "error",
                ],
            )
            for error in errors.get(number, [])
        ]
        parts += [
            (
                link["time"],
                [
                    str(link["id"]),
                    instant_text(link["time"]),
                    "outgoing_link",
                    link["path"],
                    {"href": link["href"]},
                    "outgoing_link",
                ],
            )
            for link in links.get(number, [])
        ]
        parts.sort(key=lambda part: part[0])
        duration = min(row["duration"], _LONGEST)
        told.append(
            row
            | {
                "lasted": duration,
                "tuples": [part for _, part in parts],
                "measured": [
                    [_METRIC_NAMES.get(one["metric"], ""), one["value"], instant_text(one["time"]), one["path"]]
                    for one in vitals.get(number, [])
                    if one["metric"] in _METRIC_NAMES
                ],
            }
        )
    return told


def _of_session(source: ScanRequest) -> Follow:
    return Follow(source, key="session")


_VISITOR = column("visitor_id", "string", "The visitor's id; empty for identified people", hexadecimal("visitor_of"))
_PROFILE = column("profile_id", "string", "Profile id of the identified person", field("profile_of"))
_PLACE = (
    column("country", "string", "English name of the country", field("latest_country")),
    column("region", "string", "Name of the region", field("latest_region")),
)

TYPES = (
    QueryType(
        name="profile_list",
        family="Profiles",
        personal=True,
        title="People",
        description="Visitors of the range, most recent first. Visitors identified as the same person are one row",
        columns=(
            _VISITOR,
            _PROFILE,
            FIRST,
            LAST,
            column("session_count", "number", "Distinct sessions", field("unique_sessions")),
            column("total_events", "number", "Page views and custom events"),
            column("unique_pages", "number", "Distinct pages viewed", field("pages")),
            column("user_agent", "string", "Always empty, because user agents are not stored", lambda _row: ""),
            *_PLACE,
            column("device_type", "string", "desktop, mobile or tablet", field("latest_device")),
            column("browser_name", "string", "Name of the browser", field("latest_browser")),
            column("os_name", "string", "Name of the operating system", field("latest_system")),
            column("referrer", "string", "Source of the latest session", field("latest_source")),
            column("custom_event_count", "number", "Custom events", field("custom")),
            column("unique_event_names", "number", "Distinct events", field("names")),
        ),
        asks=(
            ScanRequest(
                "events",
                ("first", "last", "unique_sessions", "total_events", "pages", "custom", "names"),
                _WHOSE,
                present=("visitor",),
                order=(PlanOrder("last"),),
            ),
        ),
        follows=(Follow(replace(_LATEST_OF, present=("visitor",)), key="visitor"),),
        shape=_people,
        filters=(*WITH_PEOPLE, "event_name"),
        having=("session_count", "total_events", "unique_pages"),
        default_limit=25,
    ),
    QueryType(
        name="profile_detail",
        family="Profiles",
        personal=True,
        title="A person",
        description="All data about one visitor or identified person in the range",
        columns=(
            _VISITOR,
            FIRST,
            LAST,
            column("total_sessions", "number", "Distinct sessions", field("unique_sessions")),
            column("total_pageviews", "number", "Page views", field("pageviews")),
            column(
                "total_duration",
                "number",
                "Time in sessions that start in the range",
                seconds("duration_total"),
                unit="seconds",
            ),
            column(
                "total_duration_formatted",
                "string",
                "Duration as text",
                lambda row: duration_text(row["duration_total"]),
            ),
            _PROFILE,
            column("device", "string", "desktop, mobile or tablet", field("latest_device")),
            column("browser", "string", "Name of the browser", field("latest_browser")),
            column("os", "string", "Name of the operating system", field("latest_system")),
            *_PLACE,
        ),
        asks=(
            ScanRequest(
                "events",
                ("first", "last", "unique_sessions", "pageviews"),
                _WHOSE,
                order=(PlanOrder("last"),),
            ),
            ScanRequest("sessions", ("duration_total",)),
            _LATEST_OF,
        ),
        shape=_person,
        filters=WITH_PEOPLE,
        needs=("anonymous_id", "profile_id"),
    ),
    QueryType(
        name="profile_sessions",
        family="Profiles",
        personal=True,
        title="Sessions of a person",
        description="Sessions of one visitor or identified person that start in the range, newest first, with their "
        "events",
        columns=(
            SESSION_ID,
            column(
                "session_name",
                "string",
                "Display name",
                lambda row: f"Session {id_text(row['session'])[-6:]}",
                sort=DerivedKey("session_end", ("session",)),
            ),
            FIRST,
            LAST,
            column(
                "duration",
                "number",
                "Time from first to last signal, up to 8 hours",
                seconds("lasted"),
                unit="seconds",
                sort="duration",
            ),
            column("duration_formatted", "string", "Duration as text", lambda row: duration_text(row["lasted"])),
            column("page_views", "number", "Page views", field("views")),
            column("unique_pages", "number", "Distinct pages", field("pages")),
            column("device", "string", "desktop, mobile or tablet"),
            column("browser", "string", "Name of the browser"),
            column("os", "string", "Name of the operating system", field("system")),
            column("country", "string", "English name of the country"),
            column("region", "string", "Name of the region"),
            column("referrer", "string", "Source", field("source")),
            column(
                "events",
                "json",
                "id, time, name, path, properties and source: custom, analytics, error or outgoing_link",
                field("tuples"),
            ),
            column("web_vitals", "json", "metric, value, time and path", field("measured")),
        ),
        asks=(
            ScanRequest(
                "sessions",
                columns=(
                    *("session", "client_session", "first", "last", "duration", "views", "pages", "device", "browser"),
                    *("system", "country", "region", "source"),
                ),
                order=NEWEST,
            ),
        ),
        follows=(
            EVENTS_OF,
            _of_session(ScanRequest("errors", columns=("id", "session", "time", "path", "message"), order=OLDEST)),
            _of_session(ScanRequest("outgoing_links", columns=("id", "session", "time", "path", "href"), order=OLDEST)),
            _of_session(ScanRequest("vitals", columns=("session", "time", "path", "metric", "value"), order=OLDEST)),
        ),
        shape=_stories,
        filters=SESSION,
        needs=("anonymous_id", "profile_id"),
    ),
)
