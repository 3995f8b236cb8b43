"""Events of all machines are in one ClickHouse, each once, and the primary answers from all of them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analytics_box.base.store.text_numbers import number_of
from analytics_box.query.engines.clickhouse import shipping
from analytics_box.query.engines.clickhouse.machines import ClickHouseMachine
from tests.ingest.cluster.world import Node, Shipped, World, cluster
from tests.inprocess import Answer
from tests.query.clickhouse.served import Served, needs_chdb

pytestmark = needs_chdb


@pytest.fixture
def world(tmp_path: Path, shipped: Shipped) -> Iterator[World]:
    with shipped.copied(tmp_path) as made:
        yield made


def ask(world: World, *parameters: str, **given: Any) -> dict[str, Any]:
    """What the primary answers for each of these types."""
    day = "2026-06-17"
    found = world.primary.query("shop", {"parameters": list(parameters), "startDate": day, "endDate": day, **given})
    assert found.status == 200, found.body
    return {part["parameter"]: part for part in found.json["data"]}


def erase(world: World, profile_id: str) -> Answer:
    given = {"websiteId": shop(world), "profileId": profile_id}
    return world.primary.post("/rpc/profiles/delete", {"json": given}, key="all")


def shop(world: World) -> str:
    return world.primary.sites["shop"]


def test_figures_are_of_all_machines_together(world: World, served: Served) -> None:
    one, two = world.nodes
    for path in ("/", "/a", "/only-one"):
        assert one.track(shop(world), path) == 200
    for path in ("/b", "/a"):
        assert two.track(shop(world), path) == 200
    world.ship()
    pages = {row["name"]: row["pageviews"] for row in ask(world, "top_pages")["top_pages"]["data"]}
    assert pages == {"/": 1, "/a": 2, "/b": 1, "/only-one": 1}
    figures = ask(world, "summary_metrics")["summary_metrics"]["data"][0]
    assert (figures["pageviews"], figures["unique_visitors"]) == (5, 1), "one visitor on both machines"


def test_rows_of_machines_have_numbers_of_their_own_and_texts_the_same(world: World, served: Served) -> None:
    for node in world.nodes:
        assert node.track(shop(world), "/same") == 200
    world.ship()
    url = world.url
    ids = served.ask("select id, session from events order by id", url).split()
    assert ids == [str(1 << 40 | 1), str(1 << 40 | 1), str(2 << 40 | 1), str(2 << 40 | 1)]
    assert served.ask("select distinct path from events", url).split() == [str(number_of("/same"))]
    assert served.ask(
        f"select count(), uniqExact(value) from strings where id = {number_of('/same')}", url
    ).split() == [
        "2",
        "1",
    ]


@pytest.mark.parametrize(
    "fault", ["lost", *(pytest.param(fault, marks=pytest.mark.thorough) for fault in ("late", "refused"))]
)
def test_failures_on_the_way_duplicate_and_lose_nothing(world: World, served: Served, fault: str) -> None:
    one, two = world.nodes
    assert one.track(shop(world)) == two.track(shop(world)) == 200
    world.ship()
    assert one.track(shop(world), "/more") == 200
    for _ in range(3):
        served.fault(fault, "insert into events")
    world.ship()
    served.fault("none", "")
    served.fault("land", "")
    one.reopen()
    world.ship()
    assert ask(world, "summary_metrics")["summary_metrics"]["data"][0]["pageviews"] == 3


def test_a_machine_that_lost_its_position_sends_its_own_rows_again_and_no_others(world: World, served: Served) -> None:
    for node in world.nodes:
        assert node.track(shop(world)) == 200
    world.ship()
    (world.nodes[0].box.settings.data_dir / shipping.FILE_NAME).unlink()
    before = served.ask("select shipment from events where id > pow(2, 41)", world.url)
    world.nodes[0].reopen()
    world.ship()
    assert served.ask("select count(), uniqExact(id) from events", world.url).split() == ["2", "2"]
    assert served.ask("select shipment from events where id > pow(2, 41)", world.url) == before


def test_tables_that_were_emptied_get_the_events_of_all_machines_again(world: World, served: Served) -> None:
    for node in world.nodes:
        assert node.track(shop(world)) == 200
    world.ship()
    served.ask("drop table events sync", world.url)
    served.ask("drop table analytics_box sync", world.url)
    for node in world.nodes:
        assert node.track(shop(world), "/later") == 200
    world.ship()
    world.ship()
    assert served.ask("select count(), uniqExact(id) from events", world.url).split() == ["4", "4"]


def test_two_machines_with_one_number_do_not_mix_in_clickhouse(
    world: World, served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    assert world.nodes[0].track(shop(world)) == 200
    world.ship()
    other: Node = world.node(3, folder="twin")
    assert other.pull() == ""
    assert other.track(shop(world)) == 200
    own = other.box.events.engines._far
    assert own is not None
    own.following._among = lambda: ClickHouseMachine(1, "b" * 32, other.box.mirroring.cluster)  # type: ignore[union-attr]  # a node has one
    other.maintain()
    assert "the machine number 1 belongs to another machine" in caplog.text
    assert served.ask("select count() from events", world.url).strip() == "1"


def test_while_clickhouse_is_away_the_primary_says_so_and_machines_take_events(world: World, tmp_path: Path) -> None:
    with cluster(tmp_path / "other") as away:
        away.pull()
        assert away.nodes[0].track(shop(away)) == 200
        day = "2026-06-17"
        found = away.primary.query("shop", {"parameters": ["summary_metrics"], "startDate": day, "endDate": day})
        assert (found.status, found.headers["retry-after"]) == (503, "5")
        assert "which has the events of all machines, is not available" in found.json["error"]
        assert away.nodes[0].count() == 1


def test_a_website_that_is_removed_is_gone_from_all_machines_and_from_clickhouse(world: World, served: Served) -> None:
    for node in world.nodes:
        assert node.track(shop(world)) == 200
    world.ship()
    world.remove_website("shop")
    world.pull()
    world.ship()
    assert served.ask("select count() from events", world.url).strip() == "0"


def test_a_person_is_erased_on_all_machines_and_in_clickhouse(world: World, served: Served) -> None:
    one, two = world.nodes
    secret = world.primary.keys["tracking"]
    for node in world.nodes:  # on one of them the visitor is known by name, on the other only by the client's id
        named = {"profileId": "ada@work"} if node is one else {}
        sent = {"websiteId": shop(world), "name": "bought", "anonymousId": "c-1", **named}
        assert node.post("/track", sent, x_api_key=secret).status == 200
        assert node.post("/track", sent | {"anonymousId": "o", "profileId": "bob"}, x_api_key=secret).status == 200
    world.ship()
    erased = erase(world, "ada@work")
    assert (erased.status, erased.json["json"]["complete"]) == (200, False), "the machines have not heard of it"
    world.ship()
    world.ship()
    world.primary.run(world.primary.box.events.erasures.resume())
    assert (one.count(), two.count()) == (1, 1)
    assert served.ask("select count() from events", world.url).strip() == "2"
    assert one.rows("select value from strings where value = 'ada@work'") == []
    assert served.ask("select count() from strings where value = 'ada@work'", world.url).strip() == "0"
    orders = "select count(*) from node_orders"
    assert world.primary.box.box_db.read_now(lambda db: db.execute(orders).fetchall()) == [(0,)]


def test_erasure_of_an_unknown_visitor_or_without_clickhouse_is_refused(world: World, tmp_path: Path) -> None:
    assert erase(world, "nobody").status == 404
    with cluster(tmp_path / "other") as away:
        assert erase(away, "ada@work").status == 503
