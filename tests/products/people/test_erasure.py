"""Removing people: exactly theirs goes, down to the strings, held against brute force (GDPR)."""

import asyncio
import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from analytics_box.base.facts.event import PAGE_EXIT, TIMINGS, Event
from analytics_box.base.facts.tables import FACT_NAMES, SPANS
from analytics_box.ingest.enrich import EventTarget
from analytics_box.ingest.unflag import unflag
from analytics_box.ingest.visitors import by_client_id
from analytics_box.products.people.erasure import ErasureDone
from tests.inprocess import NOON, FixedClock
from tests.products.people.world import (
    ACTOR,
    Crash,
    Said,
    World,
    attributes,
    dangling,
    event,
    span,
    used_texts,
    website_of,
)

PEOPLE = ("ada", "bob", "eve")


class Step(NamedTuple):
    """Something arrives: a row of a table, or, without a table, somebody says who visitors are."""

    table: str
    on_shop: bool
    visitor: int
    profile: str
    minute: int
    session: str


_steps = st.lists(
    st.builds(
        Step,
        table=st.sampled_from(("", "events", "events", *SPANS)),
        on_shop=st.booleans(),
        visitor=st.integers(0, 3),
        profile=st.sampled_from(("", "", *PEOPLE)),
        minute=st.integers(0, 3),
        session=st.sampled_from(("", "", "s1", "s2")),
    ),
    max_size=30,
)


class Row(NamedTuple):
    """A row as the oracle remembers it."""

    table: str
    id: int
    site: int
    visitor: int
    time: int
    profile: str
    texts: frozenset[str]


class Oracle:
    """Who did what, by brute force: every statement about a visitor is remembered, the latest before a row counts."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.statements: dict[tuple[int, int], list[tuple[int, str]]] = {}

    def say(self, site: int, visitor: int, time: int, profile: str) -> None:
        if visitor and profile:
            self.statements.setdefault((site, visitor), []).append((time, profile))

    def owner(self, row: Row) -> str:
        if row.profile:
            return row.profile
        said = self.statements.get((row.site, row.visitor), []) if row.visitor else []
        before = [profile for time, profile in said if time <= row.time]
        return before[-1] if before else said[0][1] if said else ""


def play(world: World, steps: list[Step]) -> Oracle:
    """Let it all happen, a minute of the clock apart at least, so that statements come in their order."""
    oracle = Oracle()
    minute = 0
    counts = dict.fromkeys(FACT_NAMES, 0)
    for number, step in enumerate(steps):
        minute += 1
        world.clock.advance(seconds=60)
        site = world.shop.site if step.on_shop else world.blog.site
        if not step.table:
            if step.profile:
                world.identify(step.profile, *{step.visitor} - {0}, site=site, email=f"{step.profile}@example.com")
                oracle.say(site, step.visitor, world.clock.now(), step.profile)
            continue
        # Who says who they are says it now; what says nothing may come late.
        at = minute if step.profile else minute - step.minute
        path = f"/{step.profile or step.visitor}/{number % 4}"
        said = Said(step.visitor, step.profile, path, step.session, minute=at)
        world.add(event(site, said) if step.table == "events" else span(step.table, site, said))
        counts[step.table] += 1
        texts = frozenset({path, step.profile, step.session} - {""})
        oracle.rows.append(
            Row(step.table, counts[step.table], site, step.visitor, NOON + at * 60_000, step.profile, texts)
        )
        oracle.say(site, step.visitor, NOON + at * 60_000, step.profile)
    return oracle


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(steps=_steps, person=st.sampled_from(PEOPLE), on_shop=st.booleans())
def test_exactly_what_a_person_did_is_removed(
    tmp_path_factory: pytest.TempPathFactory, steps: list[Step], person: str, on_shop: bool
) -> None:
    world = World(tmp_path_factory.mktemp("world") / "data")
    try:
        oracle = play(world, steps)
        site = world.shop.site if on_shop else world.blog.site
        done = world.run(world.erasures.person(website_of(world, site), person, ACTOR))

        gone = [row for row in oracle.rows if row.site == site and oracle.owner(row) == person]
        left = [row for row in oracle.rows if row not in gone]
        assert world.ids() == {table: [row.id for row in left if row.table == table] for table in FACT_NAMES}
        assert done is None or done.removed == len(gone)

        # Strings that only they had are gone; nothing that is left misses one.
        assert world.events.read_now(dangling) == []
        known = {
            profile
            for _, profile in world.read(
                "select site, value from profiles join strings on strings.id = profiles.profile"
            )
        }
        only_theirs = {text for row in gone for text in row.texts} - world.events.read_now(used_texts) - known
        assert not only_theirs & world.texts()
        if person not in known and not any(person in row.texts for row in left):
            assert person not in world.texts()
        assert world.read("select 1 from erasures") == world.read("select 1 from erasure_numbers") == []
        assert [entry[3] for entry in world.audit()] == ([] if done is None else [done.id])
    finally:
        world.close()


def lived(world: World) -> None:
    """Ada and Bob on one computer, and Ada on another one."""
    world.add(event(world.shop.site, Said(1, path="/ada/secret", client_session="s-ada")))
    world.clock.advance(seconds=60)
    world.identify("ada@people.example", 1, email="Ada@People.example", name="Ada")
    world.add(span("errors", world.shop.site, Said(1, path="/ada/secret", minute=1)))
    world.add(span("errors", world.shop.site, Said(7, path="/pricing", minute=1)))
    world.add(event(world.shop.site, Said(2, "ada@people.example", "/pricing", minute=1)))
    world.clock.advance(seconds=3_600)
    world.identify("bob", 1)
    world.add(event(world.shop.site, Said(1, path="/pricing", minute=61)))
    world.clock.advance(seconds=3_600)
    world.add(event(world.shop.site, Said(1, "ada@people.example", "/ada/back", minute=121)))


def test_two_people_at_one_computer_are_told_apart(world: World) -> None:
    lived(world)
    done = world.run(world.erasures.person(world.shop, "ada@people.example", ACTOR))
    assert done is not None
    assert done.removed == 4
    assert world.read("select visitor, time from events") == [(1, NOON + 61 * 60_000)]
    assert world.read("select value from profiles join strings on strings.id = profile") == [("bob",)]
    assert not {"ada@people.example", "/ada/secret", "/ada/back", "s-ada"} & world.texts()
    assert {"/pricing", "bob"} <= world.texts()


def test_no_byte_of_a_person_stays_in_the_files(world: World) -> None:
    lived(world)
    world.run(world.erasures.person(world.shop, "ada@people.example", ACTOR))
    world.close()
    everything = b"".join(file.read_bytes() for file in sorted(world.directory.iterdir()) if file.is_file())
    assert b"/pricing" in everything
    for text in (b"ada@people.example", b"/ada/", b"s-ada"):
        assert text not in everything
    world.__init__(world.directory)  # type: ignore[misc]  # the fixture closes it once more


def test_the_audit_log_says_how_much_and_not_who(world: World) -> None:
    lived(world)
    done = world.run(world.erasures.person(world.shop, "ada@people.example", ACTOR))
    assert done is not None
    ((actor, action, subject, subject_id, detail),) = world.audit()
    assert (actor, action, subject, subject_id) == (ACTOR, "deleted", "person", done.id)
    assert json.loads(detail) == {"website": world.shop.website_id, "rowsRemoved": 4}


def test_erasure_of_an_unknown_visitor_removes_nothing(world: World) -> None:
    lived(world)
    assert world.run(world.erasures.person(world.shop, "carol", ACTOR)) is None
    assert world.run(world.erasures.person(world.shop, "/pricing", ACTOR)) is None
    assert world.run(world.erasures.person(world.blog, "bob", ACTOR)) is None
    assert world.audit() == []


def test_a_session_of_the_removed_is_not_continued(world: World) -> None:
    site = world.shop.site
    world.identify("ada", 1)
    world.add(event(site, Said(1, path="/ada/entry")))
    world.add(event(site, Said(5, client_session="named", profile="ada", path="/ada/other")))
    world.run(world.erasures.person(world.shop, "ada", ACTOR))
    world.add(event(site, Said(1, path="/new", minute=1)))
    world.add(event(site, Said(5, client_session="named", path="/new", minute=1)))
    rows = world.read("select session_started, value from events join strings on strings.id = entry order by events.id")
    assert rows == [(NOON + 60_000, "/new")] * 2


def test_returning_visitor_is_new_after_an_erasure(world: World) -> None:
    world.identify("ada", 1, plan="pro")
    world.add(event(world.shop.site, Said(1, "ada")))
    world.run(world.erasures.person(world.shop, "ada", ACTOR))
    world.add(event(world.shop.site, Said(1, "ada", minute=2)))
    person = world.run(world.profiles.find(world.shop, "ada"))
    assert person is not None
    assert person.traits == {}
    subject = world.run(world.profiles.of_person(world.shop, person))
    assert [stay.visitor for stay in subject.stays] == [1]
    done = world.run(world.erasures.person(world.shop, "ada", ACTOR))
    assert done is not None
    assert done.removed == 1


def test_events_that_arrive_during_an_erasure_are_removed(world: World) -> None:
    site = world.shop.site
    world.identify("ada", 1)
    world.add(event(site, Said(1, path="/ada/1")), event(site, Said(3, path="/else")), event(site, Said(4, path="/4")))
    seen: list[str] = []

    def meanwhile(step: str) -> None:
        if step == "settle" and "settle" not in seen:
            world.add(event(site, Said(1, path="/ada/2", minute=1)))
            world.identify("ada", 4, plan="pro")  # another visitor turns out to be her
        seen.append(step)

    world.before = meanwhile
    done = world.run(world.erasures.person(world.shop, "ada", ACTOR))
    assert done is not None
    assert done.removed == 3
    assert seen.count("settle") == 2
    assert world.read("select visitor from events") == [(3,)]
    assert world.run(world.profiles.find(world.shop, "ada")) is None
    assert not [text for text in world.texts() if text.startswith("/ada") or text == "ada"]


def test_string_of_a_removed_visitor_stays_while_in_use(world: World) -> None:
    world.identify("ada", 1)
    world.identify("ada", 1, site=world.blog.site)
    world.add(event(world.shop.site, Said(1, "ada", "/x")), event(world.blog.site, Said(9, path="/x")))
    world.run(world.erasures.person(world.shop, "ada", ACTOR))
    assert {"ada", "/x"} <= world.texts()
    assert world.run(world.profiles.find(world.blog, "ada")) is not None


def test_a_string_that_comes_again_while_it_is_removed_is_kept(world: World) -> None:
    world.identify("ada", 1)
    world.add(event(world.shop.site, Said(1, path="/x")))

    def meanwhile(step: str) -> None:
        if step == "strings":
            world.add(event(world.shop.site, Said(8, path="/x", minute=1)))

    world.before = meanwhile
    world.run(world.erasures.person(world.shop, "ada", ACTOR))
    assert world.events.read_now(dangling) == []
    world.add(event(world.shop.site, Said(8, path="/x", minute=2)))
    assert world.read("select count(*) from events join strings on strings.id = path and value = '/x'") == [(2,)]


@pytest.mark.parametrize("step", ["events", "errors", "settle", "strings", "audit", "finish"])
def test_a_crash_at_any_step_is_made_good_by_a_restart(tmp_path: Path, step: str) -> None:
    clock = FixedClock()
    world = World(tmp_path / "data", clock)
    lived(world)
    world.stop_at = step
    with pytest.raises(Crash):
        world.run(world.erasures.person(world.shop, "ada@people.example", ACTOR))
    world = world.again()
    world.add(event(world.shop.site, Said(1, "ada@people.example", "/ada/meanwhile", minute=122)))
    world.run(world.erasures.resume())
    try:
        assert world.read("select visitor, time from events where profile = 0") == [(1, NOON + 61 * 60_000)]
        late = step in {"audit", "finish"}  # all her rows were gone by then: what came after is new
        assert world.read("select count(*) from events") == [(2 if late else 1,)]
        if late:
            assert world.read("select value from events join strings on strings.id = entry where profile <> 0") == [
                ("/ada/meanwhile",)
            ]
        assert not {"/ada/secret", "/ada/back", "s-ada"} & world.texts()
        assert ("ada@people.example" in world.texts()) == late
        assert [json.loads(entry[4])["rowsRemoved"] for entry in world.audit()] == [4 if late else 5]
        assert world.read("select 1 from erasures") == []
        world.run(world.erasures.resume())
        assert len(world.audit()) == 1
    finally:
        world.close()


def test_an_erasure_that_is_broken_off_has_ended_the_sessions_of_what_it_removed(world: World) -> None:
    """What they have at their beginning goes with the strings: a session that went on would have nothing."""
    own = attributes(entry="/", browser="Firefox", utm_term="a word that only she has")
    world.add(replace(event(world.shop.site, Said(1, "ada", "/ada")), attributes=own))
    world.add(event(world.shop.site, Said(2, path="/")))
    ((before,),) = world.read("select session from events where path in (select id from strings where value = '/ada')")
    world.stop_at = "settle"
    with pytest.raises(Crash):
        world.run(world.erasures.person(world.shop, "ada", ACTOR))
    world.stop_at = ""
    world.run(world.erasures.resume())
    world.add(event(world.shop.site, Said(1, path="/after", minute=1)))
    assert "a word that only she has" not in world.texts()
    assert world.read("select count(*) from campaigns where utm_term <> 0") == [(0,)]
    found = world.read(
        "select session, utm_term from events where path in (select id from strings where value = '/after')"
    )
    assert [(session == before, term) for session, term in found] == [(False, 0)]


def test_a_combination_that_only_they_had_goes_though_others_have_its_parts(world: World) -> None:
    def with_(browser: str, system: str, said: Said) -> Event:
        return replace(event(world.shop.site, said), attributes=attributes(entry="/", browser=browser, system=system))

    world.add(with_("Firefox", "Linux", Said(1, "ada")), with_("Firefox", "Windows", Said(2)))
    world.add(with_("Chrome", "Linux", Said(3)))
    world.run(world.erasures.person(world.shop, "ada", ACTOR))
    named = "(select value from strings where id = {})"
    left = world.read(
        f"select {named.format('browser')}, {named.format('system')} from clients where id <> 0 order by id"
    )
    assert left == [("Firefox", "Windows"), ("Chrome", "Linux")]
    world.add(with_("Firefox", "Linux", Said(4, minute=1)))
    assert world.events.read_now(dangling) == []
    assert world.read("select count(*) from clients join stored_events on client = clients.id") == [(3,)]


def test_events_before_the_first_page_view_of_a_session_are_removed(world: World) -> None:
    """A custom event's referrer and campaign no longer stand in any row once the page view of its visit is there."""
    own = attributes(entry="/secret", referrer="https://ada.example", utm_campaign="to ada")
    early = replace(event(world.shop.site, Said(1, "ada"), name="signup"), attributes=own)
    world.add(early)
    world.add(event(world.shop.site, Said(1, "ada", minute=1)), event(world.shop.site, Said(2)))
    gone = {"/secret", "https://ada.example", "to ada"}
    assert gone <= world.texts()
    assert world.read("select count(*) from campaigns where id <> 0") == [(1,)]
    world.run(world.erasures.person(world.shop, "ada", ACTOR))
    assert not gone & world.texts()
    assert world.read("select count(*) from campaigns where id <> 0") == [(0,)]
    assert world.read("select count(*) from replaced") == [(0,)]


def test_events_that_waited_for_their_session_leave_no_text(world: World) -> None:
    own = attributes(entry="/secret", referrer="https://ada.example", utm_campaign="to ada")
    leave = replace(event(world.shop.site, Said(1, "ada"), name="page_exit"), kind=PAGE_EXIT, attributes=own)
    world.add(leave)
    world.add(event(world.shop.site, Said(1, "ada", minute=1)))
    world.run(world.erasures.person(world.shop, "ada", ACTOR))
    assert not {"/secret", "https://ada.example", "to ada"} & world.texts()


def test_quarantined_events_of_a_visitor_leave_no_text(world: World) -> None:
    own = attributes(entry="/secret", referrer="https://ada.example", utm_campaign="to ada")
    held = event(world.shop.site, Said(1, "ada", bot="known_bot_user_agent", minute=1))
    world.add(event(world.shop.site, Said(1, "ada")), replace(held, attributes=own, agent="Dog"))
    world.run(
        unflag(
            world.events,
            world.live,
            world.strings,
            EventTarget(world.shop.site),
            str.encode,
            reason="known_bot_user_agent",
            agent="Dog",
        )
    )
    world.run(world.erasures.person(world.shop, "ada", ACTOR))
    assert not {"/secret", "https://ada.example", "to ada"} & world.texts()


def test_page_load_timings_that_were_held_for_a_bot_are_exported_and_removed_with_the_page_view(world: World) -> None:
    held = event(world.shop.site, Said(1, "ada", bot="known_bot_user_agent"), properties='{"plan":"pro"}')
    world.add(event(world.shop.site, Said(1, "ada")), replace(held, timings=((TIMINGS["load_time"], 900.0),)))

    async def exported() -> list[Any]:
        traced = await world.profiles.everything_of(world.shop, "ada")
        assert traced is not None
        _, subject = traced
        return [row async for _, rows in world.profiles.traces(subject) for row in rows]

    [view] = [row for row in world.run(exported()) if row.get("bot")]
    assert view["properties"] == [{"plan": "pro"}, {"load_time": 900.0}]
    world.run(world.erasures.person(world.shop, "ada", ACTOR))
    assert world.read("select count(*) from events") == [(0,)]


def test_a_lasting_id_that_an_earlier_version_stored_is_found(world: World) -> None:
    lasting = by_client_id(b"", world.shop.site, "ann") & ~1
    world.add(event(world.shop.site, Said(lasting, yesterday=lasting)))
    assert world.run(world.erasures.device(world.shop, "ann", ACTOR)).removed == 1


def test_a_combination_that_no_row_has_goes_with_its_strings(world: World) -> None:
    """Rows that grew too old left it behind; what comes with the same words again must not find it."""

    def from_(source: str, said: Said) -> Event:
        own = attributes(entry="/", utm_source=source, utm_term="hers")
        return replace(event(world.shop.site, said), attributes=own)

    world.add(
        event(world.shop.site, Said(5)),
        from_("old", Said(2)),
        from_("new", Said(1, "ada")),
        event(world.shop.site, Said(6)),
    )
    world.events.write_now(lambda db: db.execute("delete from stored_events where visitor = 2").fetchall())
    world.run(world.erasures.person(world.shop, "ada", ACTOR))
    assert "hers" not in world.texts()
    assert world.read("select count(*) from campaigns where utm_term <> 0") == [(0,)]
    world.add(from_("old", Said(7, minute=1)))
    assert world.events.read_now(dangling) == []
    assert world.read("select value from events join strings on strings.id = utm_term where visitor = 7") == [("hers",)]


def test_id_of_a_removed_profile_can_be_reused(tmp_path: Path) -> None:
    world = World(tmp_path / "data")
    world.add(event(world.shop.site, Said(1, path="/pricing")), event(world.shop.site, Said(1, "ada", "/pricing")))
    world.stop_at = "audit"
    with pytest.raises(Crash):
        world.run(world.erasures.person(world.shop, "ada", ACTOR))
    world = world.again()
    world.add(event(world.shop.site, Said(2, "bob", "/pricing", minute=1)))
    world.run(world.erasures.resume())
    assert world.read("select value from events join strings on strings.id = profile") == [("bob",)]
    world.close()


def test_a_device_is_removed_by_the_id_that_it_sends(world: World) -> None:
    site = world.shop.site
    salts = world.salts.current(world.clock.now())
    today, yesterday, lasting = (by_client_id(salt, site, "anon_1") for salt in (salts.today, salts.yesterday, b""))
    world.identify("ada", today)
    for visitor, profile in ((today, ""), (yesterday, "bob"), (lasting, ""), (3, "ada")):
        world.add(event(site, Said(visitor, profile, f"/{visitor}", client_session=f"sess_{profile}")))
    done = world.run(world.erasures.device(world.shop, "anon_1", ACTOR))
    assert done.removed == 3
    assert world.read("select visitor from events") == [(3,)]
    assert world.read("select visitor from visitor_profiles") == [(3,)]
    assert {"ada", "bob", "sess_ada"} <= world.texts()  # people stay
    assert not {"sess_", "sess_bob", f"/{today}", f"/{yesterday}", f"/{lasting}"} & world.texts()


def test_the_box_that_goes_on_and_the_one_who_asks_do_not_meet(world: World) -> None:
    """The job that completes erasures runs while one is under way: each row is removed, and counted, once."""
    lived(world)

    async def both() -> tuple[object, None]:
        return await asyncio.gather(
            world.erasures.person(world.shop, "ada@people.example", ACTOR), world.erasures.resume()
        )

    done, _ = world.run(both())
    assert isinstance(done, ErasureDone)
    assert done.removed == 4
    assert [json.loads(entry[4])["rowsRemoved"] for entry in world.audit()] == [4]


def test_canceled_request_does_not_stop_an_erasure(world: World) -> None:
    lived(world)

    async def impatient() -> None:
        asked = asyncio.ensure_future(world.erasures.person(world.shop, "ada@people.example", ACTOR))
        await asyncio.sleep(0)
        asked.cancel()
        await asyncio.gather(asked, return_exceptions=True)
        async with world.erasures.lock:  # the removal has had it since before
            pass

    world.run(impatient())
    assert world.read("select visitor, time from events") == [(1, NOON + 61 * 60_000)]
    assert len(world.audit()) == 1
