"""Events as facts: from what arrived to a row in events.db. All of this runs in the writer thread."""

from collections.abc import Sequence
from typing import NamedTuple

import apsw

from analytics_box.ingest import sessions
from analytics_box.ingest.repeats import RecentIds
from analytics_box.ingest.sessions import Key, LiveSessions, Session
from analytics_box.store.strings import Strings

PAGE_VIEW, CUSTOM, PAGE_EXIT = 1, 2, 3

# What a session has from its first event on, and every row of it repeats. The order is that of Event.attributes.
ATTRIBUTES = (
    "entry",
    "referrer",
    "source",
    "utm_source",
    "utm_medium",
    "utm_campaign",
    "utm_term",
    "utm_content",
    "browser",
    "browser_version",
    "system",
    "system_version",
    "device",
    "language",
    "time_zone",
    "viewport",
    "screen",
)
OWN = (
    "site",
    "time",
    "kind",
    "name",
    "namespace",
    "visitor",
    "session",
    "path",
    "query_string",
    "title",
    "engaged",
    "scroll",
    "bot",
    "origin",
    "session_started",
    "client_session",
)
COLUMNS = (*OWN, *ATTRIBUTES, "properties")

_INSERT = f"""
    -- facts.append
    insert into events ({", ".join(COLUMNS)})
    values ({", ".join("?" * len(COLUMNS))})
    """


class Event(NamedTuple):
    """One event, understood but not yet numbered. Times are UTC ms, `engaged` is seconds, `scroll` percent.

    `visitor` 0 is nobody: such an event has no session. `yesterday` is the id that the same visitor had under
    yesterday's salt, so that a session goes on across midnight.
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
    scroll: int
    bot: str
    origin: str
    client_session: str
    attributes: tuple[str, ...]
    properties: str | None
    event_id: str = ""


class Ledger:
    """Appends events: leaves out repeats, interns their strings, finds their sessions, writes their rows.

    Without `recent` every event is taken for a new one.
    """

    def __init__(self, strings: Strings, live: LiveSessions, recent: RecentIds | None = None) -> None:
        self._strings = strings
        self._live = live
        self._recent = recent

    def append(self, db: apsw.Connection, events: Sequence[Event]) -> None:
        """Write these events inside the current transaction."""
        if self._recent is not None:
            is_repeat = self._recent.is_repeat
            events = [event for event in events if not is_repeat(event.site, event.event_id)]
        db.executemany(_INSERT, [self._row(db, event) for event in events])

    def _row(self, db: apsw.Connection, event: Event) -> tuple[int | str | None, ...]:
        number = self._strings.number
        client_session = number(db, event.client_session)
        session = self._session(db, event, client_session)
        if session is None:
            attributes = self._attributes(db, event)
            session_number = session_started = 0
        else:
            attributes = session.attributes
            session_number, session_started = session.number, session.started
        return (
            event.site,
            event.time,
            event.kind,
            number(db, event.name),
            number(db, event.namespace),
            event.visitor,
            session_number,
            number(db, event.path),
            number(db, event.query_string),
            number(db, event.title),
            event.engaged,
            event.scroll,
            number(db, event.bot),
            number(db, event.origin),
            session_started,
            client_session,
            *attributes,
            event.properties,
        )

    def _session(self, db: apsw.Connection, event: Event, client_session: int) -> Session | None:
        """The session that this event continues or begins; None for nobody, bots and a leave beacon on its own."""
        if not event.visitor or event.bot:
            return None
        keys: tuple[Key, ...]
        if client_session:
            keys = ((event.site, "client", client_session),)
        else:
            keys = ((event.site, "visitor", event.visitor), (event.site, "visitor", event.yesterday))
        session = self._live.find(keys, event.time)
        if session is not None:
            session = Session(session.number, session.started, max(session.last, event.time), session.attributes)
        elif event.kind == PAGE_EXIT:
            return None
        else:
            session = sessions.new(event.time, self._attributes(db, event))
        self._live.keep(keys[0], session)
        return session

    def _attributes(self, db: apsw.Connection, event: Event) -> tuple[int, ...]:
        number = self._strings.number
        return tuple([number(db, text) for text in event.attributes])
