"""Clicks on their way to the disk: in groups, after the answer, none lost at an orderly end or a full disk."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from analytics_box.app.jobs import JOBS, run_job
from analytics_box.base.clock import DAY
from analytics_box.base.errors import Unavailable
from analytics_box.base.store.strings import Strings
from analytics_box.products.links.clicks import waiting
from analytics_box.products.links.clicks.waiting import Clicks
from tests.inprocess import FixedClock, whole_box
from tests.products.links.conftest import unlimited
from tests.products.links.world import ANDROID, GOOGLEBOT, World, name_of
from tests.query.clicks_of_all_kinds import click
from tests.query.world import world_in


@contextmanager
def clicks_over(directory: Path) -> Iterator[tuple[Clicks, Any]]:
    with world_in(directory) as world:
        yield Clicks(world.db, Strings(), FixedClock()), world


def stored(world: Any) -> int:
    return int(world.db.read_now(lambda db: db.execute("select count(*) from link_clicks").fetchall())[0][0])


def test_clicks_wait_for_each_other_and_are_written_together(tmp_path: Path) -> None:
    with clicks_over(tmp_path) as (clicks, world):

        async def follow() -> None:
            before = world.db.version
            for _ in range(waiting.AT_ONCE - 1):
                clicks.note(click(1, 1))
            assert stored(world) == 0
            clicks.note(click(1, 1))  # now there are enough
            await clicks.flush()
            assert world.db.version == before + 1

        world._runner.run(follow())
        assert stored(world) == waiting.AT_ONCE


def test_clicks_are_written_after_a_moment_without_being_asked(tmp_path: Path) -> None:
    with clicks_over(tmp_path) as (clicks, world):

        async def follow() -> None:
            clicks.note(click(1, 1))
            assert clicks._timer is not None
            assert waiting.WAIT <= 0.1
            clicks._timer._run()  # what the loop does when the moment is over
            await clicks.flush()

        world._runner.run(follow())
        assert stored(world) == 1


def test_clicks_refused_by_the_disk_are_kept_and_retried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with clicks_over(tmp_path) as (clicks, world):
        write = world.db.write

        async def refuse(_: object, *, adds: bool) -> None:
            raise Unavailable("The disk is full")

        async def follow() -> None:
            monkeypatch.setattr(world.db, "write", refuse)
            clicks.note(click(1, 1))
            clicks.note_orphan("", 1, "gone")
            await clicks.flush()
            monkeypatch.setattr(world.db, "write", write)
            clicks.note(click(1, 2))
            await clicks.flush()

        world._runner.run(follow())
        times = world.db.read_now(lambda db: db.execute("select time from link_clicks order by id").fetchall())
        assert times == [(1,), (2,)]
        assert world.db.read_now(lambda db: db.execute("select count from link_orphans").fetchall()) == [(1,)]


def test_a_disk_that_refuses_for_long_does_not_fill_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "MOST_WAITING", 5)
    with clicks_over(tmp_path) as (clicks, world):

        async def refuse(_: object, *, adds: bool) -> None:
            raise Unavailable("The disk is full")

        async def follow() -> None:
            monkeypatch.setattr(world.db, "write", refuse)
            for number in range(8):
                clicks.note(click(1, number))
            await clicks.flush()

        world._runner.run(follow())
        monkeypatch.undo()
        clicks.write_now()
        times = world.db.read_now(lambda db: db.execute("select time from link_clicks order by id").fetchall())
        assert times == [(3,), (4,), (5,), (6,), (7,)]


def test_no_click_is_lost_when_the_box_ends(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data", adjust=unlimited) as box:
        world = World(box)
        made = world.link()
        for _ in range(5):
            world.follow(made["slug"])
        box.reopen()
        assert world.rows("select count(*) from link_clicks") == [(5,)]
        assert world.call("links.get", id=made["id"]).json["clicks"] == 5


def test_a_click_holds_what_is_told_and_nobodys_address(world: World) -> None:
    made = world.link(variants=[{"name": "a", "targetUrl": "https://example.com/", "weight": 1}] * 0)
    world.follow(
        made["slug"],
        user_agent=ANDROID,
        referer="https://www.google.com/search?q=secret#x",
        accept_language="de-DE,de;q=0.9",
    )
    columns = ("referrer", "source", "browser", "system", "device", "language", "variant", "rule", "agent")
    (row,) = world.clicks(", ".join(name_of(column) for column in columns))
    assert row == ("https://www.google.com/search", "Google", "Chrome", "Android", "mobile", "de-DE", "", "", "")
    texts = [text for (text,) in world.rows("select value from strings")]
    assert not any("203.0.113.7" in text or "secret" in text for text in texts)


def test_a_visitor_is_the_same_for_a_day_and_a_link(world: World) -> None:
    one, two = world.link()["slug"], world.link()["slug"]
    world.follow(one)
    world.follow(one)
    world.follow(two)
    world.follow(one, user_agent=ANDROID)
    world.box.clock.advance(seconds=DAY / 1000)
    world.follow(one)
    first, second, other_link, other_agent, next_day = [row[0] for row in world.clicks("visitor")]
    assert first == second
    assert len({first, other_link, other_agent, next_day}) == 4


def test_a_click_on_an_own_website_tells_who_the_visitor_will_be(world: World) -> None:
    made = world.link(targetUrl="https://www.shop.example/x")
    foreign = world.link(targetUrl="https://foreign.example/")  # a website of another organization
    world.follow(made["slug"])
    world.follow(foreign["slug"])
    event = b'{"name": "screen_view", "path": "/x"}'
    world.box.ask(
        "POST",
        f"/?client_id={world.box.sites['shop']}",
        headers={"content_type": "application/json", "origin": "https://shop.example"},
        body=event,
    )
    ((visitor,),) = world.rows("select visitor from events")
    assert world.clicks("landing, landing_visitor") == [(world.box.numbers["shop"], visitor), (0, 0)]


def test_many_clicks_on_a_link_that_is_gone_go_bit_by_bit(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "ERASED_AT_ONCE", 3)
    gone, kept, bots = world.link(), world.link(), world.link()
    for _ in range(8):
        world.follow(gone["slug"])
    world.follow(kept["slug"])
    world.follow(bots["slug"], user_agent=GOOGLEBOT)
    world.call("links.delete", id=gone["id"])
    assert world.rows("select count(*) from link_clicks") == [(5 + 2,)]
    with_bots = world.box.box.box_db
    with_bots.write_now(lambda db: db.execute("delete from links where id = ?", (bots["id"],)) and None)  # a crash
    world.box.run(run_job(next(job for job in JOBS if job.name == "sweep clicks"), world.box.box))
    assert world.counted() == ["click"]
    assert world.rows("select count(*) from link_totals") == [(1,)]


def test_clicks_go_with_their_link_and_old_ones_with_time(tmp_path: Path) -> None:

    with whole_box(tmp_path / "data", adjust=lambda given: replace(unlimited(given), link_clicks_days=30)) as box:
        world = World(box)
        kept, gone = world.link(), world.link()
        for slug in (kept["slug"], gone["slug"], "nothing"):
            world.follow(slug)
        world.call("links.delete", id=gone["id"])
        assert len(world.clicks("id")) == 1
        assert world.rows("select count(*) from link_totals") == [(1,)]
        retain = next(job for job in JOBS if job.name == "retain clicks")
        box.clock.advance(seconds=31 * DAY / 1000)
        world.follow(kept["slug"])
        box.run(box.box.events.clicks.flush())
        box.run(run_job(retain, box.box))
        assert len(world.clicks("id")) == 1
        assert world.call("links.get", id=kept["id"]).json["clicks"] == 2
        assert world.rows("select count(*) from link_orphans") == [(1,)]
        box.clock.advance(seconds=60 * DAY / 1000)
        box.run(run_job(retain, box.box))
        assert world.rows("select count(*) from link_orphans") == [(0,)]


def test_removing_a_person_leaves_the_words_that_clicks_use(world: World) -> None:
    """Strings are kept once for all facts: one that only clicks still use must not go with a person's last row."""
    page = "https://only-here.example/page"
    made = world.link()
    world.follow(made["slug"], referer=page)
    site = world.box.sites["shop"]
    event = {"name": "screen_view", "path": "/", "referrer": page, "profileId": "ada", "anonymousId": "a1"}
    sent = world.box.ask(
        "POST",
        f"/?client_id={site}",
        headers={"content_type": "application/json", "origin": "https://shop.example"},
        body=json.dumps(event).encode(),
    )
    assert sent.status == 200
    assert world.clicks(name_of("referrer")) == [(page,)]
    removed = world.call("profiles.delete", key="all", websiteId=site, profileId="ada")
    assert removed.status == 200, removed.body
    assert world.rows("select count(*) from events") == [(0,)]
    assert world.rows("select count(*) from strings where value = 'ada'") == [(0,)]
    assert world.clicks(name_of("referrer")) == [(page,)]
    body = {"parameters": ["link_top_referrers"], "preset": "today"}
    (entry,) = world.box.post(f"/v1/query?link_id={made['id']}", body, key="all").json["data"]
    assert [row["name"] for row in entry["data"]] == ["only-here.example"]
