"""All facts of some websites as they are stored, and a question about them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from analytics_box.base.store.db import Connection
from tests.query import calendars

Row = dict[str, Any]
Rows = Sequence[Row]
Facts = dict[str, list[Row]]
Filter = tuple[str, str, list[str]]  # field, operator, values
Group = tuple[str, tuple["Filter | Group", ...]]  # any or all, and of what

VIEW, CUSTOM, EXIT = 1, 2, 3
TEXTS = {
    *("name", "namespace", "profile", "path", "query_string", "title", "bot", "agent", "origin", "client_session"),
    *("entry", "referrer", "source", "channel", "click_id", "utm_source", "utm_medium", "utm_campaign", "utm_term"),
    *("utm_content", "country", "region", "city", "browser", "browser_version", "system", "system_version", "device"),
    *("language", "time_zone", "viewport", "screen", "connection"),
    *(
        "type",
        "message",
        "filename",
        "stack",
        "release",
        "fingerprint",
        "href",
        "text",
        "domain",
        "exit_type",
        "rage_target",
        "dead_target",
    ),
    *("last_field", "flag", "variant"),
    *("tool", "error", "error_group", "client_name", "client_version", "server_name", "server_version", "environment"),
    *("ai_agent", "product", "purpose", "format", "report", "user_agent", "signature"),
    *("provider", "payment_type", "payment_status", "currency", "lifecycle", "attribution", "unmatched_reason"),
    *("transaction_id", "product_id", "product_name", "failure_reason", "first_source", "first_channel"),
    *("first_campaign", "first_entry"),
}
TABLES = (
    *("events", "vitals", "errors", "outgoing_links", "engagement", "flag_exposures", "mcp_calls", "transactions"),
    "ai_requests",
)

# Under this key a row may say what its numbers were before they were rounded, for it is sorted by that: {field: value}.
RAW = ""


def read(db: Connection, sites: Mapping[int, str]) -> Facts:
    """All facts of these sites, with texts in place of their numbers, in the order of arrival.

    `sites` are the ids of websites by their numbers, the empty one for the organization itself. Beside what is stored
    each row has its `website` and the `person` that its visitor was.
    """
    texts: dict[Any, Any] = {row[0]: row[1] for row in db.execute("select id, value from strings").fetchall()}
    wanted = ", ".join(str(site) for site in sites)
    found: Facts = {}
    for table in TABLES:
        rows = db.execute(f"select * from {table} where site in ({wanted}) order by id").fetchall()
        names = [str(item[0]) for item in db.execute(f"select name from pragma_table_info('{table}')").fetchall()]
        own = {name for name in names if name in TEXTS and (table, name) != ("engagement", "errors")}
        found[table] = [
            {name: texts[value] if name in own else value for name, value in zip(names, row, strict=True)}
            for row in rows
        ]
    links = db.execute(f"select site, visitor, time, profile from visitor_profiles where site in ({wanted})").fetchall()
    known = [(link[0], link[1], link[2], texts[link[3]]) for link in links]
    for row in (row for rows in found.values() for row in rows):
        row["website"] = sites[row["site"]]
        row["person"] = row["profile"] or _person(row, known)
    return found


def _person(row: Row, known: Sequence[tuple[Any, ...]]) -> str:
    """Who a visitor was at that time: by the newest link before, else by the first one after (semantics 7)."""
    own = sorted((time, who) for site, visitor, time, who in known if (site, visitor) == (row["site"], row["visitor"]))
    before = [who for time, who in own if time <= row["time"]]
    return before[-1] if before else own[0][1] if own else ""


@dataclass(frozen=True)
class Question:
    """Some local days of a zone, and filters of which all must hold. `now` is when it is asked (UTC ms).

    With `lately` it is about the last so many ms instead.
    """

    first: date
    last: date
    tz: ZoneInfo
    filters: tuple[Filter, ...] = ()
    hourly: bool = False
    now: int = 0
    lately: int = 0

    @property
    def start(self) -> int:
        return self.now - self.lately + 1 if self.lately else calendars.day_begins(self.first, self.tz)

    @property
    def end(self) -> int:
        return self.now + 1 if self.lately else calendars.day_begins(self.last + timedelta(days=1), self.tz)

    def has(self, instant: int) -> bool:
        """Whether the range contains it (semantics 2)."""
        return self.start <= instant < self.end

    @property
    def slots(self) -> list[calendars.Slot]:
        """Its days or hours."""
        return (calendars.hours if self.hourly else calendars.days)(self.first, self.last, self.tz)


def counted(facts: Facts, asked: Question) -> Facts:
    """The same rows, each with whether its visitor was there in the range and its session ever began."""
    seen = [row for row in facts["events"] if not row["bot"]]
    visitors = {row["visitor"] for row in seen if row["kind"] != EXIT and asked.has(row["time"])} - {0}
    sessions = {row["session"] for row in seen} - {0}
    return {
        table: [row | {"visited": row["visitor"] in visitors, "begun": row["session"] in sessions} for row in rows]
        for table, rows in facts.items()
    }


def with_flags(facts: Facts, asked: Question) -> Facts:
    """The same rows, each with what flags gave its visitor in the range, or within a day before the last minutes: pairs
    of a flag and a variant."""
    earliest = asked.start - (86_400_000 if asked.lately else 0)
    given: dict[int, set[tuple[str, str]]] = {}
    for row in facts["flag_exposures"]:
        if row["visitor"] and earliest <= row["time"] < asked.end:
            given.setdefault(row["visitor"], set()).add((row["flag"], row["variant"]))
    return {table: [row | {"given": given.get(row["visitor"], set())} for row in rows] for table, rows in facts.items()}


# The whole answer of a type, best row first, before it is sorted otherwise or cut into pages.
Answer = Callable[[Facts, Question], list[Row]]
