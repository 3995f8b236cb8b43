"""The ledger: facts become rows of events.db. All of this runs in the writer thread."""

from collections.abc import Callable, Sequence, Set
from operator import attrgetter
from typing import NamedTuple

from msgspec import Struct

from analytics_box.base.facts.event import CUSTOM, Event, Fact, FactSpan, describe_attributes
from analytics_box.base.facts.layout import INSERT, insert, stored_attributes
from analytics_box.base.facts.tables import CLOSED, SPANS
from analytics_box.base.store.budgets import Meter, size_of
from analytics_box.base.store.db import Connection
from analytics_box.base.store.strings import EMPTY, OTHER, Strings
from analytics_box.ingest.held import with_timings
from analytics_box.ingest.live import LiveSessions
from analytics_box.ingest.placing import MOST_MOVED, Placing, SessionOwner
from analytics_box.ingest.profiles import ProfileLinks
from analytics_box.ingest.repeats import EventIds
from analytics_box.ingest.sessions import SPAN_KINDS, Signal, VisitSession

Value = int | float | str | None


_TIME = attrgetter("time")
_FOLDS = {table: tuple(name not in CLOSED for name in own) for table, own in SPANS.items()}
_Placed = tuple[int, int, tuple[int, ...]]  # a session, its id as the client sent it, what its rows repeat
_PROPERTIES = '{"(other)":"(other)"}'  # of an event over budget
_MOST_ROWS = 256  # that wait to be written together


def _no_meter() -> None:
    """A meter that counts nothing."""


class AppendResult(NamedTuple):
    """The outcome of facts: those that had been written before, and how many were stored with "(other)" in them."""

    repeats: list[Fact]
    folded: int = 0


NOTHING = AppendResult([])


class FactBatch(Struct, frozen=True):
    """The facts of one request. They are taken in the order of their times, events before spans, and may move
    `most_moved` rows beside them. With a `meter` they are all of its site, and what it does not take is folded."""

    facts: Sequence[Fact]
    most_moved: int = MOST_MOVED
    meter: Callable[[], Meter | None] = _no_meter


class Ledger:
    """Appends facts: leaves out repeats, interns their strings, finds their sessions, writes their rows.

    Without `event_ids` every fact is taken for a new one; without `profile_links` profiles are not linked.
    """

    def __init__(
        self,
        strings: Strings,
        live: LiveSessions,
        event_ids: EventIds | None = None,
        profile_links: ProfileLinks | None = None,
    ) -> None:
        self._strings = strings
        self._live = live
        self._placing = Placing(live, self._flush)
        self._event_ids = event_ids
        self._profile_links = profile_links
        self._rows: list[tuple[Value, ...]] = []  # events that are placed and not yet written

    def append(self, db: Connection, facts: Sequence[Fact]) -> AppendResult:
        """Write these facts inside the current transaction."""
        return self.append_all(db, [FactBatch(facts)])[0]

    def append_all(self, db: Connection, batches: Sequence[FactBatch]) -> list[AppendResult]:
        """Write these batches inside the current transaction, one after the other."""
        again = self._repeats(db, batches)
        self._rows = []
        appended = []
        for batch in batches:
            alone = len(batch.facts) == 1 and not again
            if alone and (row := self._usual_row(batch.facts[0])) is not None:
                self._rows.append(row)
                appended.append(NOTHING)
            else:
                appended.append(self._append(db, batch, again, usual=not alone))
        self._flush(db)
        return appended

    def _append(self, db: Connection, batch: FactBatch, again: Set[int], *, usual: bool) -> AppendResult:
        """Write a batch. Without `usual` its event is known to be an unusual one."""
        facts: Sequence[Fact] = batch.facts
        repeats: list[Fact] = []
        if again:
            repeats = [fact for fact in facts if id(fact) in again]
            facts = [fact for fact in facts if id(fact) not in again]
        if len(facts) > 1:
            facts = sorted(facts, key=_TIME)
        meter = self._strings.meter = batch.meter()
        if self._profile_links is not None:
            self._profile_links.note(db, facts)
            if meter is not None:
                meter.take_folded()  # which is seen again below
        self._placing.begin(batch.most_moved)
        spans = []
        folded = 0
        for fact in facts:
            if isinstance(fact, Event):
                row = self._usual_row(fact) if usual else None
                row = row or self._event(db, fact)  # which may flush those before
                self._rows.append(row)
                if meter is not None and meter.folded:
                    folded += meter.take_folded()
            else:
                spans.append(fact)
        for span in spans:
            db.execute(INSERT[span.table], self._span(db, span))
            if meter is not None and meter.folded:
                folded += meter.take_folded()
        if len(self._rows) > _MOST_ROWS:
            self._flush(db)
        return AppendResult(repeats, folded) if repeats or folded else NOTHING

    def _flush(self, db: Connection) -> None:
        if self._rows:
            insert(db, "events", self._rows)
            self._rows = []

    def _repeats(self, db: Connection, batches: Sequence[FactBatch]) -> Set[int]:
        """The facts that were written before, or are in here twice, by their identity."""
        if self._event_ids is None:
            return frozenset()
        named = [fact for batch in batches for fact in batch.facts if fact.event_id]
        if not named:
            return frozenset()
        names = [("events" if isinstance(fact, Event) else fact.table, fact.site, fact.event_id) for fact in named]
        answers = self._event_ids.are_repeats(db, names)
        if True not in answers:
            return frozenset()
        return {id(fact) for fact, repeat in zip(named, answers, strict=True) if repeat}

    def _usual_row(self, event: Fact) -> tuple[Value, ...] | None:
        """The row of a person's event that goes on with the one session of its visitor and brings no text that is not
        in memory, as most do; None for any other, of which nothing has been remembered then.

        It is the row that `_event` makes, without a meter, a description of the event or a search for sessions.
        """
        if (
            type(event) is not Event
            or event.bot
            or event.profile
            or event.namespace
            or event.properties
            or event.timings
            or event.exposure is not None
            or event.visitor == event.yesterday  # nobody, or an id that lasts, which has to be noted
        ):
            return None
        known = self._strings.recent.get
        path, name, title = known(event.path), known(event.name), known(event.title, EMPTY)
        query, origin = known(event.query_string, EMPTY), known(event.origin, EMPTY)
        text = event.client_session
        client_session = known(text, EMPTY)
        if (
            not path
            or not name
            or (not title and event.title)
            or (not query and event.query_string)
            or (not origin and event.origin)
            or (text and (not client_session or text == OTHER))
        ):
            return None
        time = event.time
        session = self._live.go_on_at_end(
            event.site, event.visitor, event.yesterday, client_session, Signal(time, path, event.kind)
        )
        if session is None:
            return None
        return (
            event.site,
            time,
            event.kind,
            name,
            EMPTY,
            event.visitor,
            session.number,
            EMPTY,
            path,
            query,
            title,
            event.engaged,
            event.scroll,
            event.interactions,
            EMPTY,
            EMPTY,
            origin,
            time - session.started,
            client_session,
            *session.attributes,
            None,
        )

    def _event(self, db: Connection, event: Event) -> tuple[Value, ...]:
        strings = self._strings
        known, number, folded = strings.recent.get, strings.number, strings.folded
        client_session = strings.named(db, event.client_session) if event.client_session else EMPTY
        path = known(event.path) or folded(db, event.path)
        session = None
        if event.visitor and not event.bot:  # nobody and bots have none
            session = self._place(db, event, Signal(event.time, path, event.kind), client_session)
        if session is None:
            attributes = stored_attributes(db, strings, describe_attributes(event))
            session_number = since_start = 0
        else:
            attributes = session.attributes
            session_number, since_start = session.number, event.time - session.started
        properties = event.properties and _properties(event.properties, strings.meter)
        if event.timings:
            if event.bot:
                properties = with_timings(properties, event.timings)
            else:
                self._timings(db, event, session_number, client_session, attributes)
        if event.exposure is not None:
            self._exposure(db, event, event.exposure, (session_number, client_session, attributes))
        return (
            event.site,
            event.time,
            event.kind,
            known(event.name) or (folded if event.kind == CUSTOM else number)(db, event.name),
            folded(db, event.namespace) if event.namespace else EMPTY,
            event.visitor,
            session_number,
            strings.named(db, event.profile) if event.profile else EMPTY,
            path,
            folded(db, event.query_string) if event.query_string else EMPTY,
            known(event.title) or folded(db, event.title),
            event.engaged,
            event.scroll,
            event.interactions,
            number(db, event.bot) if event.bot else EMPTY,
            folded(db, event.agent) if event.agent else EMPTY,
            folded(db, event.origin) if event.origin else EMPTY,
            since_start,
            client_session,
            *attributes,
            properties,
        )

    def _place(self, db: Connection, fact: Fact, signal: Signal, client_session: int) -> VisitSession | None:
        who = SessionOwner(fact.site, fact.visitor, fact.yesterday, client_session)
        return self._placing.place(
            db, who, signal, lambda: stored_attributes(db, self._strings, describe_attributes(fact))
        )

    def _timings(
        self, db: Connection, event: Event, session: int, client_session: int, attributes: tuple[int, ...]
    ) -> None:
        """Insert the page load timings of a page event as rows of vitals."""
        who_and_where = self._who_and_where(db, event, session, client_session)
        db.executemany(INSERT["vitals"], [(*who_and_where, *timing, *attributes) for timing in event.timings])

    def _exposure(self, db: Connection, event: Event, exposure: tuple[str, str], placed: _Placed) -> None:
        """Insert a visitor's flag exposure as a row of flag_exposures."""
        session, client_session, attributes = placed
        own = [self._strings.folded(db, text) for text in exposure]
        row = (*self._who_and_where(db, event, session, client_session), *own, *attributes)
        db.execute(INSERT["flag_exposures"], row)

    def _who_and_where(self, db: Connection, event: Event, session: int, client_session: int) -> tuple[Value, ...]:
        """The first columns of an additional row of an event."""
        strings = self._strings
        return (
            event.site,
            event.time,
            event.visitor,
            session,
            client_session,
            strings.named(db, event.profile),
            strings.folded(db, event.path),
            strings.folded(db, event.query_string),
        )

    def _span(self, db: Connection, span: FactSpan) -> tuple[Value, ...]:
        strings = self._strings
        number, folded = strings.number, strings.folded
        client_session, path = strings.named(db, span.client_session), folded(db, span.path)
        session = None
        if span.visitor:
            session = self._place(db, span, Signal(span.time, path, SPAN_KINDS[span.table]), client_session)
        own = [
            (folded if folds else number)(db, value) if isinstance(value, str) else value
            for value, folds in zip(span.own, _FOLDS[span.table], strict=True)
        ]
        return (
            span.site,
            span.time,
            span.visitor,
            session.number if session is not None else 0,
            client_session,
            strings.named(db, span.profile),
            path,
            folded(db, span.query_string),
            *own,
            *(session.attributes if session is not None else stored_attributes(db, strings, describe_attributes(span))),
        )


def _properties(text: str, meter: Meter | None) -> str:
    """Properties as they are stored, as far as the budget has room for them."""
    if meter is None or meter.takes_bytes(size_of(text)):
        return text
    return _PROPERTIES
