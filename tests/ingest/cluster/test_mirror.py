"""Machines that take events know what the primary knows, and go on with it while it is away."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from analytics_box.base.clock import DAY
from analytics_box.base.store.db import Connection
from tests.ingest.cluster.world import World, cluster


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with cluster(tmp_path) as made:
        yield made


def test_a_machine_takes_no_events_before_it_has_heard_of_any_website(world: World) -> None:
    node, shop = world.nodes[0], world.primary.sites["shop"]
    refused = node.post("/track", {"websiteId": shop, "name": "screen_view"})
    assert (refused.status, refused.headers["retry-after"]) == (503, "5")
    assert b"has not reached its primary yet" in refused.body
    assert node.pull() == ""
    assert node.track(shop) == 200
    assert node.count() == 1


def test_a_machine_goes_on_without_the_primary_and_after_a_restart(world: World) -> None:
    node, shop = world.nodes[0], world.primary.sites["shop"]
    world.pull()
    node.wire.cut = True
    node.reopen()
    assert node.pull() == "The primary does not respond: Connection refused"
    assert node.track(shop) == 200
    secret = world.primary.keys["tracking"]
    assert node.post("/track", {"websiteId": shop, "name": "bought"}, x_api_key=secret).status == 200
    assert node.post("/track", {"websiteId": shop, "name": "b"}, x_api_key=world.primary.keys["revoked"]).status == 401
    assert node.count() == 2


def test_changes_on_the_primary_reach_machines(world: World) -> None:
    node, primary = world.nodes[0], world.primary
    world.pull()
    blog = primary.sites["blog"]
    assert node.track(blog) == 403, "the page of another website"
    assert node.post("/track", {"websiteId": blog, "name": "b"}, x_api_key=primary.keys["tracking"]).status == 200

    def change(db: Connection) -> None:
        db.execute("update websites set domain = 'www.shop.example' where domain = 'shop.example'")
        db.execute("update websites set domain = 'shop.example' where domain = 'blog.example'")
        db.execute("update api_keys set enabled = 0")

    primary.box.box_db.write_now(change)
    assert node.pull() == ""
    assert node.track(blog) == 200
    refused = node.post("/track", {"websiteId": blog, "name": "b"}, x_api_key=primary.keys["tracking"])
    assert refused.status == 401


def test_the_same_visitor_is_one_on_all_machines_also_after_midnight(world: World) -> None:
    shop = world.primary.sites["shop"]
    world.pull()
    for node in world.nodes:
        assert node.track(shop) == 200
        node.wire.cut = True
    world.clock.advance(seconds=DAY / 1000)
    for node in world.nodes:
        assert node.track(shop) == 200
    visitors = [node.rows("select visitor from events order by id") for node in world.nodes]
    assert visitors[0] == visitors[1]
    assert visitors[0][0] != visitors[0][1]
    primary = world.primary.box.events.salts.current(world.clock.now())
    assert {node.box.events.salts.current(world.clock.now()).today for node in world.nodes} == {primary.today}


def test_a_machine_whose_primary_was_away_for_days_goes_on_and_comes_back_to_its_salts(world: World) -> None:
    node, shop = world.nodes[0], world.primary.sites["shop"]
    world.pull()
    node.wire.cut = True
    world.clock.advance(seconds=3 * DAY / 1000)
    assert node.track(shop) == 200
    node.wire.cut = False
    assert node.pull() == ""
    now = world.clock.now()
    assert node.box.events.salts.current(now).today == world.primary.box.events.salts.current(now).today


def test_history_has_the_same_visitors_on_all_machines(world: World) -> None:
    shop, secret = world.primary.sites["shop"], world.primary.keys["tracking"]
    world.pull()
    sent = {"websiteId": shop, "name": "bought", "anonymousId": "a", "timestamp": world.clock.now() - 20 * DAY}
    visitors = set()
    for node in world.nodes:
        assert node.post("/track", sent, x_api_key=secret).status == 200
        visitors.update(node.rows("select visitor from events"))
    assert len(visitors) == 1


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/"), ("GET", "/sites"), ("GET", "/setup"), ("POST", "/v1/query"), ("GET", "/l/x")],
)
def test_a_machine_that_takes_events_does_nothing_else(world: World, method: str, path: str) -> None:
    world.pull()
    answer = world.nodes[0].ask(method, path, headers={"origin": "https://shop.example"}, body=b"{}")
    assert answer.status == 421
    assert b"This machine only accepts events" in answer.body


@pytest.mark.parametrize("path", ["/health", "/script.js", "/px.jpg", "/health/ready"])
def test_a_machine_that_takes_events_serves_what_that_takes(world: World, path: str) -> None:
    world.pull()
    assert world.nodes[0].get(path).status == 200


def test_the_primary_takes_no_events_and_is_told_who_people_are(world: World) -> None:
    refused = world.primary.post("/track", {"websiteId": world.primary.sites["shop"], "name": "screen_view"})
    assert refused.status == 421
    assert b"send them to an ingest machine" in refused.body
    said = {"profileId": "p-1", "websiteId": world.primary.sites["shop"], "anonymousId": "a"}
    assert world.primary.post("/identify", said, key="tracking").status == 200


def test_pages_know_who_is_there_and_that_a_website_has_begun_from_machines(world: World) -> None:
    shop, number = world.primary.sites["shop"], world.primary.numbers["shop"]
    presence, now = world.primary.box.events.presence, world.clock.now()
    world.pull()
    assert world.primary.run(presence.begun((number,))) == frozenset()
    for node in world.nodes:
        assert node.track(shop) == 200
    world.pull()
    assert world.primary.run(presence.online((number,), now)) == {number: 2}, "each machine counts for itself"
    assert world.primary.run(presence.beginnings((number,))) == {number: now}
    world.clock.advance(seconds=60)
    assert world.primary.run(presence.online((number,), world.clock.now())) == {number: 0}, "nobody has said so lately"
    assert world.primary.run(presence.begun((number,))) == {number}


def test_a_website_that_is_gone_for_good_is_gone_on_machines(world: World) -> None:
    shop = world.primary.sites["shop"]
    world.pull()
    assert world.nodes[0].track(shop) == 200
    world.remove_website("shop")
    world.pull()
    assert world.nodes[0].count() == 0
    assert world.nodes[0].track(shop) == 404
