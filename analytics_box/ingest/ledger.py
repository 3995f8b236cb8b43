"""The ledger: facts become rows of events.db. All of this runs in the writer thread."""

from collections.abc import Callable, Sequence, Set
from operator import attrgetter
from typing import NamedTuple

from msgspec import Struct

from analytics_box.base.facts.event import CUSTOM, Event, Fact, FactSpan, describe_attributes
from analytics_box.base.facts.layout import INSERT, insert, stored_attributes
from analytics_box.base.facts.tables import CLOSED, SPANS, with_added
from analytics_box.base.store.budgets import Meter, size_of
from analytics_box.base.store.db import Connection
from analytics_box.base.store.strings import EMPTY, Strings
from analytics_box.ingest import payments
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
    `most_moved` rows next to them. With a `meter` they are all of its site, and what it does not take is folded."""

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

    def numbers(self) -> Strings:
        """The numbers of texts, for rows that a website's budget does not limit."""
        self._strings.charge(_no_meter)
        return self._strings

    def append(self, db: Connection, facts: Sequence[Fact]) -> AppendResult:
        """Write these facts inside the current transaction."""
        return self.append_all(db, [FactBatch(facts)])[0]

    def append_all(self, db: Connection, batches: Sequence[FactBatch]) -> list[AppendResult]:
        """Write these batches inside the current transaction, one after the other."""
        again = self._repeats(db, batches)
        self._rows = []
        appended = [self._append(db, batch, again) for batch in batches]
        self._flush(db)
        return appended

    def _append(self, db: Connection, batch: FactBatch, again: Set[int]) -> AppendResult:
        facts: Sequence[Fact] = batch.facts
        repeats: list[Fact] = []
        if again:
            repeats = [fact for fact in facts if id(fact) in again]
            facts = [fact for fact in facts if id(fact) not in again]
        if len(facts) > 1:
            facts = sorted(facts, key=_TIME)
        strings = self._strings
        strings.charge(batch.meter)
        if self._profile_links is not None:
            self._profile_links.note(db, facts)
            strings.take_folded()  # Profiles are numbered again with their events, which count them.
        self._placing.begin(batch.most_moved)
        spans = []
        folded = 0
        for fact in facts:
            if isinstance(fact, Event):
                row = self._event(db, fact)  # This may replace self._rows.
                self._rows.append(row)
                folded += strings.take_folded()
            else:
                spans.append(fact)
        for span in spans:
            db.execute(INSERT[span.table], self._span(db, span))
            folded += strings.take_folded()
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

    def _event(self, db: Connection, event: Event) -> tuple[Value, ...]:
        """The row of an event. Most texts are in memory and most sessions just go on, so both are tried first."""
        strings = self._strings
        known, number, folded = strings.recent.get, strings.number, strings.folded
        time, visitor, kind = event.time, event.visitor, event.kind
        name, title, query, origin = event.name, event.title, event.query_string, event.origin
        path = known(event.path) or folded(db, event.path)
        client_session = EMPTY
        if event.client_session:
            client_session = known(event.client_session) or strings.named(db, event.client_session)
        session = None
        if visitor and not event.bot:  # Unidentified senders and bots have no session.
            signal = Signal(time, path, kind)
            session = self._live.go_on_at_end(
                event.site, visitor, event.yesterday, client_session, signal
            ) or self._place(db, event, signal, client_session)
        if session is None:
            attributes = stored_attributes(db, strings, describe_attributes(event))
            session_number = since_start = 0
        else:
            attributes = session.attributes
            session_number, since_start = session.number, time - session.started
        properties = event.properties and _properties(event.properties, strings)
        if event.timings:
            if event.bot:
                properties = with_timings(properties, event.timings)
            else:
                self._timings(db, event, session_number, client_session, attributes)
        if event.exposure is not None:
            self._exposure(db, event, event.exposure, (session_number, client_session, attributes))
        if event.payment is not None:
            who_and_where = self._who_and_where(db, event, session_number, client_session)
            payments.store(db, strings, event.payment, who_and_where, attributes)
        return (
            event.site,
            time,
            kind,
            known(name) or (folded if kind == CUSTOM else number)(db, name),
            folded(db, event.namespace) if event.namespace else EMPTY,
            visitor,
            session_number,
            strings.named(db, event.profile) if event.profile else EMPTY,
            path,
            (known(query) or folded(db, query)) if query else EMPTY,
            (known(title) or folded(db, title)) if title else EMPTY,
            event.engaged,
            event.scroll,
            event.interactions,
            number(db, event.bot) if event.bot else EMPTY,
            folded(db, event.agent) if event.agent else EMPTY,
            (known(origin) or folded(db, origin)) if origin else EMPTY,
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
        db.executemany(INSERT["vitals"], [(*who_and_where, *timing, EMPTY, *attributes) for timing in event.timings])

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
            for value, folds in zip(with_added(span.table, span.own), _FOLDS[span.table], strict=True)
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


def _properties(text: str, strings: Strings) -> str:
    """Return properties for storage, replaced if the budget has no room for them."""
    meter = strings.meter
    if meter is None or meter.takes_bytes(size_of(text)):
        return text
    return _PROPERTIES
