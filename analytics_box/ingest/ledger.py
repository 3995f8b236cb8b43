"""The ledger: facts become rows of events.db. All of this runs in the writer thread."""

from collections.abc import Sequence

from analytics_box.ingest import sessions
from analytics_box.ingest.facts import (
    PAGE_EXIT,
    PARTS,
    SPAN_OWN,
    SPANS,
    STORED_ATTRIBUTES,
    STORED_COLUMNS,
    Event,
    Fact,
    Span,
    stored,
)
from analytics_box.ingest.repeats import EventIds
from analytics_box.ingest.sessions import Key, LiveSessions, Session
from analytics_box.profiles.people import People
from analytics_box.store.db import Connection
from analytics_box.store.strings import Strings

Value = int | float | str | None


def _insert(table: str, columns: Sequence[str]) -> str:
    return f"""
    -- ledger.append
    insert into {stored(table)} ({", ".join(columns)})
    values ({", ".join("?" * len(columns))})
    """


_EVENT = _insert("events", STORED_COLUMNS)
_SPAN = {table: _insert(table, (*SPAN_OWN, *own, *STORED_ATTRIBUTES)) for table, own in SPANS.items()}


class Ledger:
    """Appends facts: leaves out repeats, interns their strings, finds their sessions, writes their rows.

    Without `event_ids` every fact is taken for a new one; without `people` nobody is remembered by name.
    """

    def __init__(
        self,
        strings: Strings,
        live: LiveSessions,
        event_ids: EventIds | None = None,
        people: People | None = None,
    ) -> None:
        self._strings = strings
        self._live = live
        self._event_ids = event_ids
        self._people = people

    def append(self, db: Connection, facts: Sequence[Fact]) -> list[Fact]:
        """Write these facts inside the current transaction; those that were written before, and are not again."""
        repeats = self._repeats(db, facts)
        if repeats:
            again = {id(fact) for fact in repeats}
            facts = [fact for fact in facts if id(fact) not in again]
        if self._people is not None:
            self._people.note(db, facts)
        events = [self._event(db, fact) for fact in facts if isinstance(fact, Event)]
        if events:
            db.executemany(_EVENT, events)
        if len(events) < len(facts):
            for fact in facts:
                if isinstance(fact, Span):
                    db.execute(_SPAN[fact.table], self._span(db, fact))
        return repeats

    def _repeats(self, db: Connection, facts: Sequence[Fact]) -> list[Fact]:
        named = [fact for fact in facts if fact.event_id]
        if self._event_ids is None or not named:
            return []
        names = [(fact.table if isinstance(fact, Span) else "events", fact.site, fact.event_id) for fact in named]
        answers = self._event_ids.are_repeats(db, names)
        return [fact for fact, repeat in zip(named, answers, strict=True) if repeat]

    def _event(self, db: Connection, event: Event) -> tuple[Value, ...]:
        number = self._strings.number
        client_session = number(db, event.client_session)
        session = self._session(db, event, client_session)
        if session is None:
            attributes = stored_attributes(db, self._strings, event.attributes)
            session_number = since_start = 0
        else:
            attributes = session.attributes
            session_number, since_start = session.number, event.time - session.started
        if event.timings:
            self._timings(db, event, session_number, client_session, attributes)
        return (
            event.site,
            event.time,
            event.kind,
            number(db, event.name),
            number(db, event.namespace),
            event.visitor,
            session_number,
            number(db, event.profile),
            number(db, event.path),
            number(db, event.query_string),
            number(db, event.title),
            event.engaged,
            event.scroll,
            event.interactions,
            number(db, event.bot),
            number(db, event.agent),
            number(db, event.origin),
            since_start,
            client_session,
            *attributes,
            event.properties,
        )

    def _session(self, db: Connection, event: Event, client_session: int) -> Session | None:
        """The session that this event continues or begins; None for nobody, bots and a leave beacon on its own."""
        if not event.visitor or event.bot:
            return None
        keys = _keys(event, client_session)
        session = self._live.find(keys, event.time)
        if session is not None and session.attributes:
            session = sessions.heard(session, event.time)
        elif event.kind == PAGE_EXIT:
            return None
        else:
            number = session.number if session is not None else None
            session = self._live.begin(db, event.time, stored_attributes(db, self._strings, event.attributes), number)
        self._live.keep(keys[0], session)
        return session

    def _timings(
        self, db: Connection, event: Event, session: int, client_session: int, attributes: tuple[int, ...]
    ) -> None:
        """What a page event says of how its page was loaded, as rows of vitals."""
        number = self._strings.number
        who_and_where = (
            event.site,
            event.time,
            event.visitor,
            session,
            client_session,
            number(db, event.profile),
            number(db, event.path),
            number(db, event.query_string),
        )
        db.executemany(_SPAN["vitals"], [(*who_and_where, *timing, *attributes) for timing in event.timings])

    def _span(self, db: Connection, span: Span) -> tuple[Value, ...]:
        number = self._strings.number
        client_session = number(db, span.client_session)
        session = self._session_of_span(db, span, client_session)
        own = [number(db, value) if isinstance(value, str) else value for value in span.own]
        return (
            span.site,
            span.time,
            span.visitor,
            session.number if session is not None else 0,
            client_session,
            number(db, span.profile),
            number(db, span.path),
            number(db, span.query_string),
            *own,
            *(
                session.attributes
                if session is not None and session.attributes
                else stored_attributes(db, self._strings, span.attributes)
            ),
        )

    def _session_of_span(self, db: Connection, span: Span, client_session: int) -> Session | None:
        """The session that is live, else the number of one that the visitor's next event will begin: a page's
        measurements may come before the page view itself."""
        if not span.visitor:
            return None
        keys = _keys(span, client_session)
        session = self._live.find(keys, span.time)
        if session is not None and session.attributes:
            return session
        session = sessions.heard(session, span.time) if session is not None else self._live.begin(db, span.time, ())
        self._live.keep(keys[0], session)
        return session


def stored_attributes(db: Connection, strings: Strings, texts: tuple[str, ...]) -> tuple[int, ...]:
    """Attributes as they are stored, in the order of STORED_ATTRIBUTES. They are given in the order of ATTRIBUTES."""
    number, together = strings.number, strings.together
    return tuple(
        [
            number(db, texts[place])
            if combination is None
            else together(db, combination, texts[place : place + len(combination.parts)])
            for combination, place in PARTS
        ]
    )


def _keys(fact: Fact, client_session: int) -> tuple[Key, ...]:
    """Under what the session of this fact may be found; it is kept under the first."""
    if client_session:
        return ((fact.site, "client", client_session),)
    return ((fact.site, "visitor", fact.visitor), (fact.site, "visitor", fact.yesterday))
