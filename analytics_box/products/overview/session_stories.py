"""Sessions as pages tell them: the query types behind a list of sessions and behind one of them, and their rows in
words. Pure.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, Literal
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.facts.event import CUSTOM, EXPOSURE, METRICS, PAGE_EXIT, PAGE_VIEW
from analytics_box.base.identity import TimeFormat
from analytics_box.base.translation import _, ngettext
from analytics_box.figures.board import BoardSubject
from analytics_box.ingest import exposures
from analytics_box.products.overview.board import WEBSITE
from analytics_box.products.source_maps.mappings import Stack
from analytics_box.query.catalog.registry import TYPES
from analytics_box.query.catalog.sessions import NEWEST, OLDEST, SESSION, SESSION_ID, WHO, WHO_COLUMNS, rows_by_session
from analytics_box.query.catalog.types import Follow, QueryType, Record, ScanRequest, column
from analytics_box.query.catalog.values import field, hexadecimal, properties_of
from analytics_box.query.ranges import TimeWindow
from analytics_box.web.page.dates import Formats, day_text, second_text, time_text
from analytics_box.web.recognition.language import display_name

StepKind = Literal["page", "event", "flag", "error", "link"]

# The limit of named custom events in a line of the list.
MOST_NAMES: Final = 3
# The limits of an event in a timeline: properties, and characters of each.
MOST_PROPERTIES: Final = 12
LONGEST_VALUE: Final = 200
# A session can have any length, because the ids of websites are public.
MOST_STEPS: Final = 500
_UNITS: Final[Mapping[str, Callable[[float], str]]] = {"CLS": lambda value: f"{value:.2f}"}


class SessionLine(Struct, frozen=True):
    """A session in a list, in words. `marks` are errors and custom events, each with its tone or ""."""

    href: str
    when: str
    entry: str
    pages: str
    source: str
    place: str
    client: str
    duration: str
    marks: tuple[tuple[str, str], ...]


class SessionStep(Struct, frozen=True):
    """Something that happened in a session: when, how long after its beginning, what, and what is known of it."""

    time: str
    after: str
    kind: StepKind
    label: str
    path: str = ""
    notes: tuple[str, ...] = ()
    properties: tuple[tuple[str, str], ...] = ()
    stack: Stack = ()


class SessionShown(Struct, frozen=True):
    """A session on its own page. `facts` are labels and values; `more` is the number of steps that are not shown."""

    title: str
    facts: tuple[tuple[str, str], ...]
    steps: tuple[SessionStep, ...]
    more: int


def _with_parts(rows: Sequence[list[Record]], _window: TimeWindow) -> list[Record]:
    """Sessions with the rows of all that happened in them, by the names of `_PARTS`."""
    parts = [rows_by_session(part) for part in rows[1:]]
    return [
        row | {"parts": {name: part.get(row["session"], []) for name, part in zip(_PARTS, parts, strict=True)}}
        for row in rows[0]
    ]


_PARTS: Final = {
    "events": ("id", "time", "name", "path", "properties", "kind", "title", "engaged", "scroll"),
    "errors": ("id", "time", "path", "message", "type", "stack", "release"),
    "outgoing_links": ("id", "time", "path", "href", "text"),
    "vitals": ("id", "time", "path", "metric", "value"),
    "engagement": ("id", "time", "path", "rage_clicks", "dead_clicks"),
}
WORTH_A_LOOK: Final = TYPES["interesting_sessions"]
LISTED: Final = replace(WORTH_A_LOOK, asks=(replace(WORTH_A_LOOK.asks[0], order=NEWEST),))


def _also_of_sessions(query_type: QueryType) -> QueryType:
    """A type with the filters of pages and with its own, which say what session or visitor it is about."""
    asked = WEBSITE.about({}).asks(query_type)
    return replace(asked, filters=tuple(dict.fromkeys((*asked.filters, *query_type.filters))))


# The board of what is asked about single sessions or visitors.
OF_SESSIONS: Final = replace(WEBSITE, about=lambda _: BoardSubject({}, _also_of_sessions))
# Asked as the types with these names, whose filters they have.
NEIGHBOURS: Final = replace(LISTED, name="profile_sessions", needs=TYPES["profile_sessions"].needs)
STORY: Final = QueryType(
    name="session_events",
    family="Sessions",
    title="A session",
    description="Everything that is known of one session",
    columns=(
        SESSION_ID,
        column("visitor_id", "string", "The visitor's id", hexadecimal("person")),
        column("person", "number", "The visitor's number", field("person")),
        *WHO,
        *(
            column(name, "string", name, field(name))
            for name in ("region", "city", "language", "channel", "utm_campaign")
        ),
        column("first", "number", "When it began, UTC ms", field("first")),
        column("duration", "number", "Time from first to last signal", field("duration"), unit="ms"),
        column("page_views", "number", "Page views", field("views")),
        column("parts", "json", "Rows of what happened", field("parts")),
    ),
    asks=(
        ScanRequest(
            "sessions",
            columns=(
                *("session", "client_session", "person", "first", "last", "duration", "views", *WHO_COLUMNS),
                *("region", "city", "language", "channel", "utm_campaign"),
            ),
            order=NEWEST,
        ),
    ),
    follows=tuple(
        Follow(
            ScanRequest(
                source,  # type: ignore[arg-type]
                columns=("session", *columns),
                kinds=(PAGE_VIEW, CUSTOM, PAGE_EXIT) if source == "events" else (),
                order=OLDEST,
            ),
            key="session",
        )
        for source, columns in _PARTS.items()
    ),
    shape=_with_parts,
    filters=SESSION,
    needs=("session_id",),
    default_limit=1,
)

# Whether a session is among those that a filter lets through.
MATCHED: Final = replace(STORY, columns=(SESSION_ID,), follows=(), shape=None)


def session_line(row: Record, zone: ZoneInfo, formats: Formats, now: datetime, href: str) -> SessionLine:
    """A line of a list from a row of `LISTED` or `WORTH_A_LOOK`; `now` is the wall clock of the zone."""
    began = datetime.fromisoformat(row["first_visit"]).replace(tzinfo=UTC).astimezone(zone)
    paths = row["paths"]
    return SessionLine(
        href=href,
        when=_when(began, formats, now),
        entry=figures.visible(paths[0]) if paths else _("No page view"),
        pages=ngettext("{count} page", "{count} pages", row["page_views"]).format(
            count=figures.count(row["page_views"])
        ),
        source=display_name("referrer", row["referrer"] or ""),
        place=display_name("country", row["country"] or ""),
        client=_client(row),
        duration=figures.duration(row["duration_seconds"]),
        marks=tuple(_marks(row)),
    )


def _when(began: datetime, formats: Formats, now: datetime) -> str:
    """The minute of an instant, with its day unless that is today."""
    time = time_text(began, formats.time)
    return time if began.date() == now.date() else f"{day_text(began, formats.date)}, {time}"


def _client(row: Record) -> str:
    parts = ((row["device_type"] or "").capitalize(), row["browser_name"] or "", row["os_name"] or "")
    return " · ".join(part for part in parts if part)


def _marks(row: Record) -> Iterator[tuple[str, str]]:
    """Marks for errors, then for custom events by their names."""
    if row["errors"]:
        yield (
            ngettext("{count} error", "{count} errors", row["errors"]).format(count=figures.count(row["errors"])),
            "bad",
        )
    names = [name for name in row["custom_event_names"] if name != EXPOSURE]
    yield from ((figures.visible(name), "") for name in names[:MOST_NAMES])
    if len(names) > MOST_NAMES:
        yield _("{count} more").format(count=len(names) - MOST_NAMES), ""


def session_view(
    row: Record,
    stacks: Mapping[tuple[str, str], Stack],
    goals: Sequence[str],
    zone: ZoneInfo,
    formats: Formats,
    now: datetime,
) -> SessionShown:
    """A session from a row of `STORY`; `stacks` are those of its errors by release and stack, `goals` the names of the
    goals that it reached."""
    began = datetime.fromtimestamp(row["first"] / 1000, zone)
    place = ", ".join(part for part in (row["city"], row["region"], row["country"]) if part)
    facts = (
        (_("Started"), f"{day_text(began, formats.date)}, {second_text(began, formats.time)}"),
        (_("Duration"), figures.duration(row["duration"] / 1000)),
        (_("Page views"), figures.count(row["page_views"])),
        (_("Goals reached"), ", ".join(goals)),
        (_("Source"), display_name("referrer", row["referrer"] or "")),
        (_("Channel"), display_name("channel", row["channel"] or "")),
        (_("Campaign"), row["utm_campaign"] or ""),
        (_("Location"), place),
        (_("Device"), _client(row)),
        (_("Language"), display_name("language", row["language"] or "")),
    )
    found = _timeline(row["parts"], stacks)
    return SessionShown(
        title=_("Session of {when}").format(when=_when(began, formats, now)),
        facts=tuple((label, figures.visible(value)) for label, value in facts if value),
        steps=tuple(_steps(found[:MOST_STEPS], row["parts"], row["first"], zone, formats.time)),
        more=max(0, len(found) - MOST_STEPS),
    )


class TimelineEntry(Struct):
    """A step while its notes are collected: `at` is when it happened (UTC ms), `order` what came before others then."""

    at: int
    order: int
    step: SessionStep
    engaged: int = 0
    scroll: int | None = None
    clicks: dict[str, int] = {}
    vitals: dict[str, float] = {}


def _timeline(parts: Mapping[str, Sequence[Record]], stacks: Mapping[tuple[str, str], Stack]) -> list[TimelineEntry]:
    """The steps of a session, oldest first."""
    found = [
        TimelineEntry(record["time"], order, made) for order, (record, made) in enumerate(_occurrences(parts, stacks))
    ]
    found.sort(key=lambda noted: (noted.at, noted.order))
    return found


def _steps(
    found: Sequence[TimelineEntry],
    parts: Mapping[str, Sequence[Record]],
    first: int,
    zone: ZoneInfo,
    form: TimeFormat,
) -> Iterator[SessionStep]:
    """The steps to show. Measurements of a page are notes of the last view before them."""
    views: dict[str, list[TimelineEntry]] = {}
    for noted in found:
        if noted.step.kind == "page":
            views.setdefault(noted.step.path, []).append(noted)
    for record in parts["events"]:
        view = _view_of(views, record) if record["kind"] == PAGE_EXIT else None
        if view is not None:
            view.engaged += record["engaged"] or 0
            view.scroll = max(view.scroll or 0, record["scroll"]) if record["scroll"] is not None else view.scroll
    for record in parts["engagement"]:
        view = _view_of(views, record)
        for name in ("rage_clicks", "dead_clicks"):
            if view is not None and record[name]:
                view.clicks[name] = view.clicks.get(name, 0) + record[name]
    for record in parts["vitals"]:
        view = _view_of(views, record)
        if view is not None:
            view.vitals[_METRIC_NAMES.get(record["metric"], "")] = record["value"]
    for noted in found:
        at = datetime.fromtimestamp(noted.at / 1000, zone)
        yield replace(
            noted.step,
            time=second_text(at, form),
            after=f"+{figures.duration(seconds)}" if (seconds := (noted.at - first) // 1000) > 0 else "",
            notes=(*noted.step.notes, *_notes(noted)),
        )


def _view_of(views: Mapping[str, Sequence[TimelineEntry]], record: Record) -> TimelineEntry | None:
    """The last view of a record's page before it, else the first."""
    own = views.get(record["path"], ())
    before = bisect_right(own, record["time"], key=lambda view: view.at)
    return own[max(0, before - 1)] if own else None


def _occurrences(
    parts: Mapping[str, Sequence[Record]], stacks: Mapping[tuple[str, str], Stack]
) -> Iterator[tuple[Record, SessionStep]]:
    for event in parts["events"]:
        if event["kind"] == PAGE_VIEW:
            yield event, SessionStep("", "", "page", event["title"] or event["path"], event["path"])
        elif event["name"] == EXPOSURE:
            yield event, _flag_step(event)
        elif event["kind"] == CUSTOM:
            properties = _properties(properties_of(event["properties"]))
            yield event, SessionStep("", "", "event", event["name"], event["path"], properties=properties)
    for error in parts["errors"]:
        label = error["message"] or error["type"]
        lines = stacks[error["release"], error["stack"] or ""]
        yield error, SessionStep("", "", "error", label, error["path"], stack=lines)
    for link in parts["outgoing_links"]:
        notes = (link["text"],) if link["text"] else ()
        yield link, SessionStep("", "", "link", link["href"], link["path"], notes=notes)


def _flag_step(event: Record) -> SessionStep:
    given = exposures.of(properties_of(event["properties"]))
    return SessionStep("", "", "flag", " → ".join(given) if given is not None else event["name"], event["path"])


def _properties(given: Any) -> tuple[tuple[str, str], ...]:
    """Names and values in words, the first ones of many."""
    if not isinstance(given, dict):
        return ()
    pairs = [(figures.visible(str(name)), _value_text(value)) for name, value in given.items()]
    return tuple(pairs[:MOST_PROPERTIES])


def _value_text(value: Any) -> str:
    text = str(value) if not isinstance(value, bool) else (_("yes") if value else _("no"))
    return figures.visible(text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…")


_METRIC_NAMES: Final = {number: name for name, number in METRICS.items()}


def _notes(noted: TimelineEntry) -> Iterator[str]:
    """Measurements of a page view in words."""
    if noted.engaged:
        yield _("{duration} engaged").format(duration=figures.duration(noted.engaged))
    if noted.scroll:
        yield _("scrolled {percent} %").format(percent=noted.scroll)
    if noted.clicks.get("rage_clicks"):
        count = noted.clicks["rage_clicks"]
        yield ngettext("{count} rage click", "{count} rage clicks", count).format(count=count)
    if noted.clicks.get("dead_clicks"):
        count = noted.clicks["dead_clicks"]
        yield ngettext("{count} dead click", "{count} dead clicks", count).format(count=count)
    for name, value in noted.vitals.items():
        if name:
            yield f"{name} {_UNITS.get(name, figures.milliseconds)(value)}"
