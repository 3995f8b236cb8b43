"""events.db with its in-memory state, and events to put into it."""

from pathlib import Path
from typing import Any, NamedTuple

import apsw

from analytics_box.base.clock import MINUTE
from analytics_box.base.facts.event import PAGE_VIEW, Event
from analytics_box.base.facts.tables import ATTRIBUTES
from analytics_box.base.store.db import Db
from analytics_box.base.store.strings import Strings
from analytics_box.ingest.ledger import Ledger
from analytics_box.ingest.live import LiveSessions

NOON = 1_780_000_000_000  # UTC ms
SITE = 7


class Books(NamedTuple):
    """An open events.db, with what is in memory beside it."""

    db: Db
    strings: Strings
    live: LiveSessions
    ledger: Ledger


def open_books(path: Path, **options: Any) -> Books:
    """Open events.db with its in-memory state, as the box does."""
    strings, live = Strings(), LiveSessions()
    db = Db(path, readers=1, **options)
    db.attach(strings, live)
    return Books(db, strings, live, Ledger(strings, live))


def view(path: str, *, minute: float = 0, visitor: int = 1, properties: str | None = None) -> Event:
    """A page view, so many minutes after noon."""
    attributes = {"entry": path, "referrer": f"https://from.example{path}", "browser": "Firefox"}
    return Event(
        site=SITE,
        time=NOON + round(minute * MINUTE),
        kind=PAGE_VIEW,
        name="screen_view",
        namespace="",
        visitor=visitor,
        yesterday=0,
        path=path,
        query_string="",
        title=f"Title of {path}",
        engaged=0,
        scroll=0,
        bot="",
        origin="",
        client_session="",
        attributes=tuple(attributes.get(name, "") for name in ATTRIBUTES),
        properties=properties,
    )


class Stored(NamedTuple):
    """A row as text again."""

    path: str
    title: str
    referrer: str
    session: int
    session_started: int


def stored(connection: apsw.Connection) -> list[Stored]:
    """Every row in the order of arrival; raises when a number stands for no string."""
    rows = connection.execute(
        """
        select path.value, title.value, referrer.value, session, session_started
        from events
        left join strings as path on path.id = events.path
        left join strings as title on title.id = events.title
        left join strings as referrer on referrer.id = events.referrer
        order by events.id
        """
    ).fetchall()
    assert all(None not in row for row in rows), "a number without its string"
    return [Stored(*row) for row in rows]  # type: ignore[arg-type]  # the table is strict
