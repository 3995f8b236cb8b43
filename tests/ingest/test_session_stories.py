"""Sessions of made-up stories against a brute-force telling (semantics 10, 13): any silence, lateness, midnight, spans
before their page view, and a restart anywhere."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, assume, example, given
from hypothesis import strategies as st
from msgspec import structs

from analytics_box.base.facts.event import Fact, FactSpan
from analytics_box.base.facts.tables import SPANS
from analytics_box.base.store.strings import Strings
from analytics_box.ingest import recovery
from analytics_box.ingest.ledger import Ledger
from analytics_box.ingest.live import LiveSessions
from tests.examples import examples
from tests.query.happenings import MINUTE, Happening, at
from tests.query.visits import is_bound_by_the_past, visits
from tests.query.world import World, world_in

BEGIN = at(2026, 6, 17, 22)
IDLE = 30 * MINUTE
# Silences around the bound, and those that walk over midnight and over 24 hours.
SILENCES = (0, 1, 60_000, 5 * MINUTE, 29 * MINUTE, IDLE - 1, IDLE, IDLE + 1, 31 * MINUTE, 60 * MINUTE, 23 * 60 * MINUTE)
LATENESS = (0, 0, 0, 0, 1, 3 * MINUTE, 10 * MINUTE, IDLE, 100 * MINUTE)


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
        return FactSpan(
            table=self.table,
            site=event.site,
            time=event.time,
            visitor=event.visitor,
            yesterday=event.yesterday,
            client_session=event.client_session,
            path=event.path,
            query_string="",
            attributes=event.attributes,
            own=tuple("" if self.table in {"outgoing_links", "flag_exposures"} else 1 for _ in SPANS[self.table]),
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
            path=draw(st.sampled_from(("/", "/", "/a"))),
            client_session=draw(st.sampled_from(("", "", "", "s1"))),
        )
        table = draw(st.sampled_from(("", "", "vitals", "outgoing_links")))
        told.append(Step(happening, table, restart=draw(st.booleans())))
    return told


def expected(story: Sequence[Step]) -> list[int]:
    """The session of each step by number, 0 for none, told in the plainest way."""
    steps = {id(one.happening): one for one in story}
    told = visits([one.happening for one in story], lambda one: bool(steps[id(one)].table))
    found = {id(one): number for number, visit in enumerate(told, 1) for one in (*visit.happenings, *visit.spans)}
    return [found.get(id(one.happening), 0) for one in story]


def stored(world: World, story: Sequence[Step], site: int) -> list[int]:
    """The same as the box has it in the end, with its restarts."""
    strings, live = Strings(), LiveSessions()
    ledger = Ledger(strings, live)
    rows: list[tuple[str, int]] = []
    for step in story:
        if step.restart:
            strings, live = Strings(), LiveSessions()
            ledger = Ledger(strings, live)
            now = step.happening.arrived
            world.db.read_now(lambda db, live=live, now=now: recovery.recover(db, live, now))  # type: ignore[misc]  # a lambda with a default
        fact = structs.replace(step.fact, site=site)
        world.db.write_now(lambda db, ledger=ledger, fact=fact: ledger.append(db, [fact]))  # type: ignore[misc]  # a lambda with a default
        live.committed()
        table = step.table or "events"
        newest = world.db.read_now(lambda db, table=table: db.execute(f"select max(id) from {table}").fetchall())  # type: ignore[misc]  # a lambda with a default
        rows.append((table, int(str(newest[0][0]))))
    return [session_of(world, *row) for row in rows]


def session_of(world: World, table: str, row: int) -> int:
    found = world.db.read_now(lambda db: db.execute(f"select session from {table} where id = ?", (row,)).fetchall())
    return int(str(found[0][0]))


def numbered(sessions: Sequence[int]) -> list[int]:
    """The same sessions, numbered as they come."""
    order = list(dict.fromkeys(number for number in sessions if number))
    return [order.index(number) + 1 if number else 0 for number in sessions]


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with TemporaryDirectory() as folder, world_in(Path(folder)) as made:
        yield made


def step(
    minute: float, kind: str = "view", table: str = "", *, late: float = 0, restart: bool = False, client: str = ""
) -> Step:
    time = BEGIN + round(minute * MINUTE)
    name = {"view": "screen_view", "exit": "page_exit"}.get(kind, "buy")
    happening = Happening(site=1, time=time, arrived=time + round(late * MINUTE), kind=kind, person=1, name=name)
    happening = replace(happening, client_session=client)
    return Step(happening, table, restart=restart)


@examples(80, unchecked=HealthCheck)
@given(story=stories())
@example(story=[step(0, table="vitals"), step(1)])
@example(story=[step(0, table="vitals"), step(1, restart=True), step(31, restart=True)])
@example(story=[step(0, table="vitals"), step(30 + 1 / 60_000)])
@example(story=[step(0, table="vitals"), step(1, "exit"), step(2)])
@example(story=[step(122), step(119, late=5), step(125, restart=True), step(118, late=10)])
@example(story=[step(0, table="vitals"), step(1, table="outgoing_links"), step(31, restart=True)])
@example(story=[step(90), step(120 + 1 / 60_000), step(120 - 1 / 60_000, late=1)])
@example(story=[step(0), step(30, restart=True), step(60 + 1 / 60_000, restart=True)])
@example(
    story=[
        *(step(-3), step(29, "custom"), step(59 + 1 / 60_000, table="vitals")),
        *(step(59 + 2 / 60_000, "custom"), step(59 + 2 / 60_000, "exit")),
    ]
)
@example(story=[step(0, table="vitals", client="s1"), step(61, client="s1"), step(1_441, client="s1")])
@example(story=[step(0, table="vitals", client="s1"), step(30, "exit", client="s1"), step(1_441, client="s1")])
@example(
    story=[
        *(step(0, table="vitals", client="s1"), step(1_440, "exit", client="s1")),
        step(2_880, late=30, restart=True, client="s1"),
    ]
)
@example(story=[step(61, client="s1"), step(1_441, client="s1"), step(0, table="vitals", late=1_442, client="s1")])
def test_every_story_has_the_sessions_of_the_plain_telling(world: World, story: list[Step]) -> None:
    (site,) = world.new_sites(1)
    assert numbered(stored(world, story, site)) == numbered(expected(story)), "\n".join(str(step) for step in story)


@st.composite
def permutations(draw: st.DrawFn) -> tuple[list[Step], list[int], list[int]]:
    """What happens within a day, the order in which it arrives, and how many come in each request."""
    minutes = draw(st.lists(st.integers(0, 4 * 60), min_size=2, max_size=9, unique=True))
    arrived = BEGIN + 23 * 60 * MINUTE
    told = []
    for number, minute in enumerate(sorted(minutes)):
        kind = draw(st.sampled_from(("view", "view", "custom", "exit")))
        happening = Happening(
            site=1,
            time=BEGIN + minute * MINUTE,
            arrived=arrived,
            kind=kind,
            person=draw(st.sampled_from((1, 1, 1, 2))),
            name={"view": "screen_view", "exit": "page_exit"}.get(kind, "buy"),
            path=draw(st.sampled_from(("/", "/a"))),
            client_session=draw(st.sampled_from(("", "", "s1"))),
            session={"source": f"source {number}", "browser": f"browser {number}"},
        )
        told.append(Step(happening, draw(st.sampled_from(("", "", "", "vitals", "outgoing_links")))))
    order = draw(st.permutations(range(len(told))))
    return told, order, draw(st.lists(st.integers(1, 4), min_size=len(told), max_size=len(told)))


def told_step(minute: int, table: str = "", *, kind: str = "view") -> Step:
    one = step(minute, kind, table, late=60)
    return Step(replace(one.happening, session={"source": f"source {minute}", "browser": f"browser {minute}"}), table)


def in_requests(order: Sequence[int], sizes: Sequence[int]) -> Iterator[Sequence[int]]:
    first = 0
    for size in sizes:
        if first < len(order):
            yield order[first : first + size]
        first += size


def is_bound(steps: Sequence[Step], arrivals: Iterable[Sequence[int]]) -> bool:
    """Whether the order of arrival decides about a session, as far as it may."""
    order = [
        steps[number] for numbers in arrivals for number in sorted(numbers, key=lambda it: steps[it].happening.time)
    ]
    tables = {id(step.happening): step.table for step in order}
    return is_bound_by_the_past([step.happening for step in order], lambda one: bool(tables[id(one)]))


def rows_of(world: World, site: int) -> list[tuple[object, ...]]:
    """Everything that a site has of its sessions, in the order of time, with sessions numbered as they come."""
    found = []
    for table in ("events", "vitals", "outgoing_links"):
        query = f"""
            select fact.time, fact.visitor, fact.client_session, session, sources.value, browsers.value,
              {"session_started, time - session_started" if table == "events" else "0, 0"}
            from {table} as fact
            join strings as sources on sources.id = source
            join strings as browsers on browsers.id = browser
            where site = ?
            order by time
            """
        found += world.db.read_now(lambda db, query=query: db.execute(query, (site,)).fetchall())  # type: ignore[misc]  # a lambda with a default
    order = numbered([int(str(row[3])) for row in found])
    return [(*row[:1], row[2] != 0, number, *row[4:]) for row, number in zip(found, order, strict=True)]


@examples(150, unchecked=HealthCheck)
@given(told=permutations())
@example(told=([told_step(0), told_step(28, "vitals"), told_step(50)], [2, 1, 0], [1, 1, 1]))
@example(told=([told_step(0), told_step(120), told_step(121, kind="exit")], [0, 2, 1], [1, 1, 1]))
@example(told=([told_step(0), told_step(120), told_step(121, kind="exit"), told_step(140)], [0, 2, 3, 1], [1] * 4))
@example(told=([told_step(0, kind="exit"), told_step(28, "vitals"), told_step(40)], [1, 2, 0], [1, 1, 1]))
def test_the_order_of_arrival_does_not_matter(world: World, told: tuple[list[Step], list[int], list[int]]) -> None:
    """Whatever comes within a day, in any order and cut into any requests, makes the same rows; but sessions that were
    apart before what joins them came stay apart, and what has had a session keeps one."""
    steps, order, sizes = told
    assume(not is_bound(steps, [[number] for number in range(len(steps))]))
    assume(not is_bound(steps, in_requests(order, sizes)))
    here, there = world.new_sites(2)
    for step in steps:
        world.store_facts([structs.replace(step.fact, site=here)])
    for numbers in in_requests(order, sizes):
        world.store_facts([structs.replace(steps[number].fact, site=there) for number in numbers])
    assert rows_of(world, there) == rows_of(world, here), "\n".join(str(steps[number]) for number in order)
