"""What people take away from the primary has the events of all machines."""

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analytics_box.products.people import calls, reading
from analytics_box.query import exported
from tests.ingest.cluster.world import Shipped, World, cluster
from tests.inprocess import Answer, KeyName
from tests.query.clickhouse.served import needs_chdb

pytestmark = needs_chdb


@pytest.fixture
def world(tmp_path: Path, shipped: Shipped) -> Iterator[World]:
    with shipped.copied(tmp_path) as made:
        yield made


def export(world: World, key: KeyName = "all", **given: Any) -> Answer:
    wanted = {"website_id": world.primary.sites["shop"], "start_date": "2026-06-01", "end_date": "2026-06-17"}
    return world.primary.post("/v1/export/data", wanted | given, key=key)


def rows(answer: Answer, table: str = "events") -> list[dict[str, Any]]:
    assert answer.status == 200, answer.body
    with zipfile.ZipFile(io.BytesIO(answer.body)) as file:
        return [json.loads(line) for line in file.read(f"{table}.ndjson").decode().splitlines()]


def test_an_export_has_the_events_of_all_machines_in_their_order(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = world.nodes
    shop, secret = world.primary.sites["shop"], world.primary.keys["tracking"]
    for number, node in enumerate((one, two, one, two)):
        world.clock.advance(seconds=1)
        assert node.track(shop, f"/page-{number}") == 200
    bought = {"websiteId": shop, "name": "bought", "anonymousId": "a", "profileId": "ada", "properties": {"n": 1}}
    assert two.post("/track", bought, x_api_key=secret).status == 200
    world.ship()
    monkeypatch.setattr(exported, "PIECE", 2)
    found = rows(export(world, format="ndjson"))
    assert [row["path"] for row in found] == ["/page-0", "/page-1", "/page-2", "/page-3", ""]
    assert (found[4]["name"], found[4]["properties"]) == ("bought", {"n": 1})
    assert len({row["visitor"] for row in found[:4]}) == 1
    assert all(row["browser"] == found[0]["browser"] != "" for row in found[:4])


def test_bots_are_left_out(world: World) -> None:
    (node, *_), shop = world.nodes, world.primary.sites["shop"]
    assert node.track(shop, "/person") == 200
    event = {"websiteId": shop, "name": "screen_view", "path": "https://shop.example/bot"}
    node.post("/track", event, origin="https://shop.example", user_agent="Googlebot/2.1")
    world.ship()
    assert [row["path"] for row in rows(export(world, format="ndjson"))] == ["/person"]


def named(world: World, path: str, **given: Any) -> dict[str, Any]:
    event = {"websiteId": world.primary.sites["shop"], "name": "screen_view", "path": f"https://shop.example{path}"}
    return event | {"anonymousId": "a", "anonymizeVisitorIds": False} | given


def export_person(world: World, **who: Any) -> Answer:
    given = {"json": {"websiteId": world.primary.sites["shop"], **who}}
    return world.primary.post("/rpc/profiles/export", given, key="all")


def paths(answer: Answer) -> list[str]:
    """The pages of an export of a person."""
    assert answer.status == 200, answer.body
    return [row["path"] for row in answer.json["json"]["items"]["events"]]


@pytest.fixture
def told(world: World) -> World:
    """On one machine somebody is named, on the other one known by the client's id alone, until it is another's."""
    (one, two), secret = world.nodes, world.primary.keys["tracking"]
    assert two.post("/track", named(world, "/before"), x_api_key=secret).status == 200
    world.clock.advance(seconds=1)
    assert one.post("/track", named(world, "/named", profileId="ada"), x_api_key=secret).status == 200
    world.clock.advance(seconds=1)
    assert two.post("/track", named(world, "/after"), x_api_key=secret).status == 200
    assert two.post("/track", named(world, "/others", anonymousId="b", profileId="bob"), x_api_key=secret).status == 200
    world.clock.advance(seconds=1)
    assert two.post("/track", named(world, "/bobs", profileId="bob"), x_api_key=secret).status == 200
    world.clock.advance(seconds=1)
    assert one.post("/track", named(world, "/bobs-too"), x_api_key=secret).status == 200
    world.ship()
    return world


def test_an_export_of_a_person_has_what_all_machines_have_and_nothing_of_others(told: World) -> None:
    assert sorted(paths(export_person(told, profileId="ada"))) == ["/after", "/before", "/named"]
    assert sorted(paths(export_person(told, profileId="bob"))) == ["/bobs", "/bobs-too", "/others"]
    assert export_person(told, profileId="nobody").status == 404


def test_an_export_of_a_device_has_what_all_machines_have(told: World) -> None:
    every = ["/after", "/before", "/bobs", "/bobs-too", "/named"]
    assert sorted(paths(export_person(told, anonymousId="a"))) == every
    target = f"/sites/{told.primary.sites['shop']}/visitors/export?device=a"
    page = told.primary.get(target, cookie=told.primary.cookie)
    assert sorted(row["path"] for row in json.loads(page.body)["events"]) == every


def test_an_export_of_a_person_goes_on_where_its_cursor_says(told: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_THERE", 1)
    monkeypatch.setattr(calls, "ITEMS", 1)
    found, cursor = list[str](), None
    while True:
        answer = export_person(told, anonymousId="a", cursor=cursor)
        assert answer.status == 200, answer.body
        found += [row["path"] for row in answer.json["json"]["items"].get("events", ())]
        cursor = answer.json["json"].get("nextCursor")
        if not cursor:
            break
    assert sorted(found) == ["/after", "/before", "/bobs", "/bobs-too", "/named"]


def test_while_clickhouse_is_away_an_export_says_so(tmp_path: Path) -> None:
    with cluster(tmp_path / "away") as away:
        away.pull()
        refused = export(away)
        assert (refused.status, refused.json["success"]) == (503, False)
        assert "only in ClickHouse, which is unavailable" in refused.json["error"]
        for who in ({"profileId": "ada"}, {"anonymousId": "a"}):
            assert export_person(away, **who).status == 503
