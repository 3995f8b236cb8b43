"""Events as facts: what an event is once it is understood, and in which columns of events.db it goes."""

from collections.abc import Iterator

from msgspec import Struct

from analytics_box.store.strings import Combination

PAGE_VIEW, CUSTOM, PAGE_EXIT = 1, 2, 3

# What a session has from its first event on, and every row of it repeats. The order is that of `attributes`.
ATTRIBUTES = (
    "entry",
    "referrer",
    "source",
    "channel",
    "click_id",
    "utm_source",
    "utm_medium",
    "utm_campaign",
    "utm_term",
    "utm_content",
    "country",
    "region",
    "city",
    "browser",
    "browser_version",
    "system",
    "system_version",
    "device",
    "language",
    "time_zone",
    "viewport",
    "screen",
    "connection",
)
# Of these, what is stored together.
CLIENTS = Combination(
    "clients",
    "client",
    ("browser", "browser_version", "system", "system_version", "device"),
    folds=("browser_version", "system_version"),
    closed=("device",),
)
_UTM = ("utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content")
CAMPAIGNS = Combination("campaigns", "campaign", _UTM, folds=_UTM)
COMBINATIONS = (CLIENTS, CAMPAIGNS)


def _parts() -> Iterator[tuple[Combination | None, int]]:
    for place, name in enumerate(ATTRIBUTES):
        combination = next((one for one in COMBINATIONS if name in one.parts), None)
        if combination is None or name == combination.parts[0]:
            yield combination, place


# The attributes as they are stored: each a column by itself, or a combination of those from its place on.
PARTS = tuple(_parts())
STORED_ATTRIBUTES = tuple(ATTRIBUTES[place] if one is None else one.column for one, place in PARTS)

# What the number in each of these columns is of: the table of strings, or that of a combination.
KINDS = tuple("strings" if one is None else one.table for one, _ in PARTS)

# Columns with few values, whatever is sent: they are stored even for a website that has used up its budget.
CLOSED = frozenset(
    ("channel", "click_id", "country", "region", "city", "time_zone", "connection", "bot", "exit_type", "device")
)

OWN = (
    "site",
    "time",
    "kind",
    "name",
    "namespace",
    "visitor",
    "session",
    "profile",
    "path",
    "query_string",
    "title",
    "engaged",
    "scroll",
    "interactions",
    "bot",
    "agent",
    "origin",
    "session_started",
    "client_session",
)
COLUMNS = (*OWN, *ATTRIBUTES, "properties")
# A row as it is stored: `since_start` is the time since its session began, in ms.
STORED_OWN = tuple("since_start" if name == "session_started" else name for name in OWN)
STORED_COLUMNS = (*STORED_OWN, *STORED_ATTRIBUTES, "properties")

# Facts that are no events: each kind has a table of its own, with these columns and what its `own` holds.
SPAN_OWN = ("site", "time", "visitor", "session", "client_session", "profile", "path", "query_string")
SPANS: dict[str, tuple[str, ...]] = {
    "vitals": ("metric", "value"),
    "errors": ("type", "message", "filename", "line", "position", "stack"),
    "outgoing_links": ("href", "text", "domain"),
    "engagement": (
        "page_index",
        "exit_type",
        "time_on_page",
        "active_time",
        "first_interaction",
        "scroll",
        "scrolls",
        "clicks",
        "keys",
        "interactions",
        "copies",
        "rage_clicks",
        "dead_clicks",
        "rage_target",
        "dead_target",
        "form_fields",
        "form_submits",
        "last_field",
        "errors",
    ),
}
TABLES = ("events", *SPANS)


def stored(table: str) -> str:
    """Where the rows of a table of facts are written and removed; the table itself is a view for all who read."""
    return f"stored_{table}"


# Columns that are null where nobody measured them; 0 is a measurement (semantics 22).
MEASURED = frozenset(("scroll", "interactions", "time_on_page", "active_time", "first_interaction"))

# Columns, of any of these tables, that hold the number of a string. What else holds no number of its own is an instant,
# a count or an id.
TEXTS = frozenset(
    (
        *ATTRIBUTES,
        *("name", "namespace", "profile", "path", "query_string", "title", "bot", "agent", "origin", "client_session"),
        *("type", "message", "filename", "stack", "href", "text", "domain"),
        *("exit_type", "rage_target", "dead_target", "last_field"),
    )
)

# Numbers of metrics in vitals: those with a name on the wire (1.8, 4.4), then what a page event may say of its loading.
METRICS = {"FCP": 1, "LCP": 2, "CLS": 3, "INP": 4, "TTFB": 5, "FPS": 6}
TIMINGS = {
    "load_time": 11,
    "dom_ready_time": 12,
    "dom_interactive": 13,
    "ttfb": 14,
    "render_time": 15,
    "redirect_time": 16,
    "domain_lookup_time": 17,
    "connection_time": 18,
    "request_time": 19,
}


class Event(Struct, frozen=True, gc=False):
    """One event, understood but not yet numbered. Times are UTC ms, `engaged` is seconds, `scroll` percent, both it and
    `interactions` None where nothing was said.

    `visitor` 0 is nobody: such an event has no session. `yesterday` is the same visitor's id under
    yesterday's salt, and today's where the event itself is yesterday's: so a session goes on across midnight, and a
    late event finds it. `profile` is who the site says it was. `bot` is why it
    is held for a program's, `agent` what that program called itself; both empty for people. `timings` are numbers of
    TIMINGS with milliseconds; they become rows of vitals.
    """

    site: int
    time: int
    kind: int
    name: str
    namespace: str
    visitor: int
    yesterday: int
    path: str
    query_string: str
    title: str
    engaged: int
    scroll: int | None
    bot: str
    origin: str
    client_session: str
    attributes: tuple[str, ...]
    properties: str | None
    event_id: str = ""
    profile: str = ""
    interactions: int | None = None
    agent: str = ""
    timings: tuple[tuple[int, float], ...] = ()


class Span(Struct, frozen=True, gc=False):
    """A measurement, an error, a click on a link that leads away or one visit of a page. It begins no session.

    `own` is in the order of SPANS[table]; its texts are interned. Everything else is as in Event.
    """

    table: str
    site: int
    time: int
    visitor: int
    yesterday: int
    client_session: str
    path: str
    query_string: str
    attributes: tuple[str, ...]
    own: tuple[int | float | str | None, ...]
    event_id: str = ""
    profile: str = ""


Fact = Event | Span
