"""Removing a website takes everything of it and nothing of others; retention goes by days, and whole sessions."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analytics_box.base.clock import DAY
from analytics_box.base.facts import erase
from analytics_box.base.facts.layout import stored_table
from analytics_box.base.facts.tables import FACT_NAMES
from analytics_box.base.store import schema
from analytics_box.base.store.db import Db
from analytics_box.base.store.migrations import migrate
from tests.ingest.rows import count, rows
from tests.inprocess import NOON, FixedClock, WholeBox, whole_box

PAID = {"revenue": "12.30", "currency": "EUR"}
PEOPLE = ("profiles", "visitor_profiles", "drops")


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data", clock=FixedClock(NOON)) as made:
        yield made


def fill(box: WholeBox, site: str, who: str) -> None:
    """One of everything for a website, from a visitor who is somebody."""
    identity = {"path": f"https://{site}.example/a", "anonymousId": who, "profileId": f"person {who}"}
    bodies: dict[str, Any] = {
        "/": {**identity, "name": "screen_view"},
        "/vitals": [{**identity, "metricName": "LCP", "metricValue": 1}],
        "/errors": [{**identity, "message": "x"}],
        "/engagement": [identity],
        "/batch": [{**identity, "type": "outgoing_link", "href": "https://partner.example/"}],
        "/events": [{**identity, "eventName": "$flag_evaluated", "properties": {"flag": "new", **PAID}}],
        "/identify": {"profileId": f"person {who}", "anonymousId": who, "traits": {"plan": "pro"}},
    }
    for path, body in bodies.items():
        answer = box.post(f"{path}?client_id={box.sites[site]}", body)  # type: ignore[index]  # this box has sites
        assert answer.status == 200, answer.body
    call = {"tool": "find", "websiteId": box.sites[site]}  # type: ignore[index]  # this box has sites
    assert box.post("/mcp", [call], key="tracking").status == 200
    read = {"websiteId": box.sites[site], "host": f"{site}.example", "path": "/a", "userAgent": "GPTBot/1.2"}  # type: ignore[index]  # this box has sites
    assert box.post("/ai-traffic", read).status == 202
    assert box.post(f"/vitals?client_id={box.sites[site]}", [7]).status == 400  # type: ignore[index]  # this box has sites
    box.run(_written(box))


async def _written(box: WholeBox) -> None:
    await box.box.events.dropped.write()


def sites_in(box: WholeBox, table: str) -> set[int]:
    found = box.box.events.db.read_now(lambda db: db.execute(f"select distinct site from {table}").fetchall())
    return {int(str(site)) for (site,) in found}


def test_a_website_goes_with_everything_and_leaves_the_others_alone(box: WholeBox) -> None:
    fill(box, "shop", "ada")
    fill(box, "blog", "bob")
    shop, blog = box.numbers["shop"], box.numbers["blog"]
    every = (*FACT_NAMES, *PEOPLE)
    for table in every:
        assert sites_in(box, table) == {shop, blog}, table
    before = {table: count(box, table) for table in FACT_NAMES}
    assert box.run(erase.site(box.box.events.db, shop)) == 2
    for table in every:
        assert sites_in(box, table) == {blog}, table
    assert {table: count(box, table) for table in FACT_NAMES} == {
        table: number // 2 for table, number in before.items()
    }


def test_erasure_covers_more_than_a_chunk(tmp_path: Path) -> None:
    migrate(tmp_path)
    db = Db(tmp_path / schema.EVENTS_FILE, readers=1, durability="normal")

    def write(connection: Any) -> None:
        for site in (1, 2):
            connection.executemany(
                "insert into visitor_profiles (site, visitor, time, profile) values (?, ?, ?, 1)",
                [(site, number, number) for number in range(erase.CHUNK * 2 + 1)],
            )

    db.write_now(write)
    asyncio.run(erase.site(db, 1))
    left = db.read_now(
        lambda connection: connection.execute("select site, count(*) from visitor_profiles group by site").fetchall()
    )
    db.close()
    assert left == [(2, erase.CHUNK * 2 + 1)]


def test_retention_removes_earlier_days_of_every_kind_and_their_identities(box: WholeBox) -> None:
    fill(box, "shop", "ada")
    box.clock.advance(seconds=10 * 86_400)
    fill(box, "shop", "bob")
    fill(box, "blog", "cid")
    events, shop = box.box.events.db, box.numbers["shop"]
    assert box.run(erase.older(events, shop, days=10, now=box.clock.now())) == 0
    assert box.run(erase.older(events, shop, days=9, now=box.clock.now())) == 2
    today = box.clock.now()
    for table in FACT_NAMES:
        assert {time for site, time in rows(box, table, "site", "time") if site == shop} == {today}, table
        assert count(box, table) == (4 if table == "events" else 2), table
    people = "select value from profiles join strings on strings.id = profile where site = ?"
    assert events.read_now(lambda db: db.execute(people, (shop,)).fetchall()) == [("person bob",)]
    links = "select distinct value from visitor_profiles join strings on strings.id = profile where site = ?"
    assert events.read_now(lambda db: db.execute(links, (shop,)).fetchall()) == [("person bob",)]


def test_active_visitor_stays_identified_however_old_the_identification_is(box: WholeBox) -> None:
    lasting = {"path": "https://shop.example/a", "anonymousId": "ada", "anonymizeVisitorIds": False}
    target = f"client_id={box.sites['shop']}"
    box.post(f"/?{target}", {**lasting, "name": "screen_view"})
    said = {"profileId": "Ada", "anonymousId": "ada", "anonymizeVisitorIds": False, "traits": {"plan": "pro"}}
    assert box.post(f"/identify?{target}", said).status == 200
    box.clock.advance(seconds=30 * 86_400)
    box.post(f"/?{target}", {**lasting, "name": "screen_view"})
    events, shop = box.box.events.db, box.numbers["shop"]
    assert box.run(erase.older(events, shop, days=7, now=box.clock.now())) == 1
    kept = "select count(*) from visitor_profiles union all select count(*) from profiles"
    assert events.read_now(lambda db: db.execute(kept).fetchall()) == [(1,), (1,)]
    box.clock.advance(seconds=30 * 86_400)
    assert box.run(erase.older(events, shop, days=7, now=box.clock.now())) == 1
    assert events.read_now(lambda db: db.execute(kept).fetchall()) == [(0,), (0,)]


def test_a_session_goes_or_stays_as_a_whole(box: WholeBox) -> None:
    target = f"/?client_id={box.sites['shop']}"
    view = {"name": "screen_view", "path": "https://shop.example/", "anonymousId": "ada"}
    box.clock.advance(seconds=11.9 * 3600)  # shortly before midnight UTC
    box.post(target, view)
    box.clock.advance(seconds=0.4 * 3600)
    box.post(target, view)
    assert len(set(rows(box, "events", "session"))) == 1
    later = box.clock.now() + DAY
    assert box.run(erase.older(box.box.events.db, box.numbers["shop"], days=2, now=later)) == 0
    assert box.run(erase.older(box.box.events.db, box.numbers["shop"], days=1, now=later)) == 2


def test_a_chunk_is_deleted_by_id(tmp_path: Path) -> None:
    migrate(tmp_path)
    db = Db(tmp_path / schema.EVENTS_FILE, readers=1)
    for table, delete in erase.DELETE.items():
        plan = db.read_now(
            lambda connection, delete=delete: connection.execute(f"explain query plan {delete}", ("[1]", 1)).fetchall()  # type: ignore[misc]  # a lambda with a default
        )
        assert f"SEARCH {stored_table(table)} USING INTEGER PRIMARY KEY (rowid=?)" in [str(step[-1]) for step in plan]
    db.close()
