"""Sessions of made-up stories against a brute-force telling (semantics 10, 13): any silence, lateness, midnight, spans
before their page view, and a restart anywhere."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from msgspec import structs

from analytics_box.ingest import sessions
from analytics_box.ingest.facts import SPANS, Fact, Span
from analytics_box.ingest.ledger import Ledger
from analytics_box.ingest.sessions import LiveSessions
from analytics_box.store.strings import Strings
from tests.query.happenings import DAY, MINUTE, Happening, at
from tests.query.stage import Stage, stage_in

BEGIN = at(2026, 6, 17, 22)
IDLE = 30 * MINUTE
# Silences around the bound, and those that walk over midnight and over 24 hours.
SILENCES = (0, 1, 60_000, 5 * MINUTE, 29 * MINUTE, IDLE - 1, IDLE, IDLE + 1, 31 * MINUTE, 60 * MINUTE, 23 * 60 * MINUTE)
LATENESS = (0, 0, 0, 0, 1, 3 * MINUTE, 10 * MINUTE, IDLE)


class Step:
    """Something arrives: an event, or with `table` a span; before it the box may start anew."""

    def __init__(self, happening: Happening, table: str = "", *, restart: bool = False) -> None:
        self.happening, self.table, self.restart = happening, table, restart

    def __repr__(self) -> str:
        one = self.happening
        what = self.table or one.kind
        minutes = (one.time - BEGIN) / MINUTE
        late = (one.arrived - one.time) / MINUTE
        return f"{'restart, ' * self.restart}{what} of {one.client_session or one.person} at {minutes:g}, {late:g} late"

    @property
    def fact(self) -> Fact:
        event = self.happening.fact()
        if not self.table:
            return event
        return Span(
            table=self.table,
            site=event.site,
            time=event.time,
            visitor=event.visitor,
            yesterday=event.yesterday,
            client_session=event.client_session,
            path=event.path,
            query_string="",
            attributes=event.attributes,
            own=tuple("" if self.table == "outgoing_links" else 1 for _ in SPANS[self.table]),
        )


@st.composite
def stories(draw: st.DrawFn) -> list[Step]:
    arrived = BEGIN + draw(st.integers(0, 4 * 60)) * MINUTE
    told = []
    for _ in range(draw(st.integers(1, 14))):
        arrived += draw(st.sampled_from(SILENCES))
        time = arrived - draw(st.sampled_from(LATENESS))
        kind = draw(st.sampled_from(("view", "view", "custom", "exit")))
        happening = Happening(
            site=1,
            time=time,
            arrived=arrived,
            kind=kind,
            person=draw(st.sampled_from((1, 1, 1, 2))),
            name={"view": "screen_view", "exit": "page_exit"}.get(kind, "buy"),
            client_session=draw(st.sampled_from(("", "", "", "s1"))),
        )
        table = draw(st.sampled_from(("", "", "vitals", "outgoing_links")))
        told.append(Step(happening, table, restart=draw(st.booleans())))
    return told


class Open:
    """A session while the story is told. It has not begun while only spans are in it."""

    def __init__(self, time: int, *, begun: bool) -> None:
        self.started, self.last, self.begun = time, time, begun

    def takes(self, step: Step) -> bool:
        time = step.happening.time
        near = bool(step.happening.client_session) or time - self.last <= IDLE
        return near and self.started - IDLE <= time <= self.started + DAY


def expected(story: Sequence[Step]) -> list[int]:
    """The session of each step by number, 0 for none, told in the plainest way."""
    by_whom: dict[tuple[int, str], list[Open]] = {}
    every: list[Open] = []
    found = []
    for step in story:
        happening = step.happening
        named = happening.client_session
        own = by_whom.setdefault((0, named) if named else (happening.person, ""), [])
        newest_first = sorted(own, key=lambda one: one.started, reverse=True)
        session = next((one for one in newest_first if one.takes(step)), None)
        alone = happening.kind == "exit" and not step.table and (session is None or not session.begun)
        if alone:
            found.append(0)
            continue
        if session is None:
            session = Open(happening.time, begun=not step.table)
            own.append(session)
            every.append(session)
        elif not step.table:
            if not session.begun:
                session.started = session.last = happening.time
                session.begun = True
            session.last = max(session.last, happening.time)
        elif not session.begun:
            session.started, session.last = min(session.started, happening.time), max(session.last, happening.time)
        found.append(every.index(session) + 1)
    return found


def stored(stage: Stage, story: Sequence[Step], site: int) -> list[int]:
    """The same as the box has it, with its restarts."""
    strings, live = Strings(), LiveSessions()
    ledger = Ledger(strings, live)
    numbers: list[int] = []
    for step in story:
        if step.restart:
            strings, live = Strings(), LiveSessions()
            ledger = Ledger(strings, live)
            now = step.happening.arrived
            stage.db.read_now(lambda db, live=live, now=now: sessions.recover(db, live, now))  # type: ignore[misc]  # a lambda with a default
        fact = structs.replace(step.fact, site=site)
        stage.db.write_now(lambda db, ledger=ledger, fact=fact: ledger.append(db, [fact]))  # type: ignore[misc]  # a lambda with a default
        live.committed()
        table = step.table or "events"
        query = f"select session from {table} where site = ? order by id desc limit 1"
        numbers.append(int(str(stage.db.read_now(lambda db, query=query: db.execute(query, (site,)).fetchall())[0][0])))  # type: ignore[misc]  # a lambda with a default
    order = list(dict.fromkeys(number for number in numbers if number))
    return [order.index(number) + 1 if number else 0 for number in numbers]


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with TemporaryDirectory() as folder, stage_in(Path(folder)) as made:
        yield made


def step(minute: float, kind: str = "view", table: str = "", *, late: float = 0, restart: bool = False) -> Step:
    time = BEGIN + round(minute * MINUTE)
    name = {"view": "screen_view", "exit": "page_exit"}.get(kind, "buy")
    happening = Happening(site=1, time=time, arrived=time + round(late * MINUTE), kind=kind, person=1, name=name)
    return Step(happening, table, restart=restart)


@settings(max_examples=80, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(story=stories())
@example(story=[step(0, table="vitals"), step(1)])
@example(story=[step(0, table="vitals"), step(1, restart=True), step(31, restart=True)])
@example(story=[step(0, table="vitals"), step(30 + 1 / 60_000)])
@example(story=[step(0, table="vitals"), step(1, "exit"), step(2)])
@example(story=[step(122), step(119, late=5), step(125, restart=True), step(118, late=10)])
@example(story=[step(0, table="vitals"), step(1, table="outgoing_links"), step(31, restart=True)])
@example(story=[step(90), step(120 + 1 / 60_000), step(120 - 1 / 60_000, late=1)])
@example(story=[step(0), step(30, restart=True), step(60 + 1 / 60_000, restart=True)])
def test_every_story_has_the_sessions_of_the_plain_telling(stage: Stage, story: list[Step]) -> None:
    (site,) = stage.new_sites(1)
    numbers = expected(story)
    order = list(dict.fromkeys(number for number in numbers if number))
    told = [order.index(number) + 1 if number else 0 for number in numbers]
    assert stored(stage, story, site) == told, "\n".join(str(step) for step in story)
