"""All facts of some websites as they are stored, and a question about them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from analytics_box.store.db import Connection
from tests.query import calendars

Row = dict[str, Any]
Rows = Sequence[Row]
Facts = dict[str, list[Row]]
Filter = tuple[str, str, list[str]]  # field, operator, values

VIEW, CUSTOM, EXIT = 1, 2, 3
TEXTS = {
    *("name", "namespace", "profile", "path", "query_string", "title", "bot", "agent", "origin", "client_session"),
    *("entry", "referrer", "source", "channel", "click_id", "utm_source", "utm_medium", "utm_campaign", "utm_term"),
    *("utm_content", "country", "region", "city", "browser", "browser_version", "system", "system_version", "device"),
    *("language", "time_zone", "viewport", "screen", "connection"),
    *("type", "message", "filename", "stack", "href", "text", "domain", "exit_type", "rage_target", "dead_target"),
    "last_field",
}
TABLES = ("events", "vitals", "errors", "outgoing_links", "engagement")


def read(db: Connection, sites: Iterable[int]) -> Facts:
    """All facts of these sites, with texts in place of their numbers, in the order of arrival."""
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
    return found


@dataclass(frozen=True)
class Question:
    """Some local days of a zone, and filters of which all must hold. `now` is when it is asked (UTC ms)."""

    first: date
    last: date
    tz: ZoneInfo
    filters: tuple[Filter, ...] = ()
    hourly: bool = False
    now: int = 0

    @property
    def start(self) -> int:
        return calendars.day_begins(self.first, self.tz)

    @property
    def end(self) -> int:
        return calendars.day_begins(self.last + timedelta(days=1), self.tz)

    def has(self, instant: int) -> bool:
        """Whether the range contains it (semantics 2)."""
        return self.start <= instant < self.end

    @property
    def slots(self) -> list[calendars.Slot]:
        """Its days or hours."""
        return (calendars.hours if self.hourly else calendars.days)(self.first, self.last, self.tz)


# The whole answer of a type, best row first, before it is sorted otherwise or cut into pages.
Answer = Callable[[Facts, Question], list[Row]]
