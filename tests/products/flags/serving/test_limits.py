"""How often anybody may ask for flags (wire 6.1, spec 8)."""

from collections.abc import Iterator

import pytest

from tests.inprocess import NOON, Answer
from tests.products.flags.serving.test_answers import check_refused
from tests.products.flags.serving.world import ACME, OLD, SHOP, World

EVALUATE, BULK = f"evaluate?key=on&clientId={SHOP}", f"bulk?clientId={SHOP}"


@pytest.fixture
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    made = World(tmp_path_factory.getbasetemp(), limit_flags=3, limit_address=20)
    yield made
    made.close()


def check_limited(answer: Answer, limit: int, retry_after: int) -> None:
    body = answer.json
    assert answer.status == 429
    assert (body["reason"], body["code"]) == ("RATE_LIMITED", "RATE_LIMITED")
    assert (body["limit"], body["remaining"], body["retryAfter"]) == (limit, 0, retry_after)
    assert answer.headers["retry-after"] == str(retry_after)
    assert answer.headers["x-ratelimit-limit"] == str(limit)
    assert answer.headers["x-ratelimit-remaining"] == "0"
    assert answer.headers["x-ratelimit-reset"] == str(NOON + 60_000) == str(body["reset"])
    check_refused(answer)


def test_both_routes_share_a_limit_in_their_own_shapes(world: World) -> None:
    tag = world.get(BULK).headers["etag"]
    assert world.get(EVALUATE).status == 200
    assert world.get(BULK, if_none_match=tag).status == 304
    refused = world.get(EVALUATE)
    check_limited(refused, 3, 20)
    assert {name: refused.json[name] for name in ("enabled", "value", "payload")} == {
        "enabled": False,
        "value": False,
        "payload": None,
    }
    refused = world.get(BULK)
    check_limited(refused, 3, 20)
    assert refused.json["flags"] == []
    assert world.get("health").status == 200


def test_the_limit_is_per_website_and_address(world: World) -> None:
    assert [world.get(BULK).status for _ in range(4)] == [200, 200, 200, 429]
    assert world.get(f"bulk?clientId={OLD}").status == 429  # the same website
    assert world.get(f"bulk?clientId={ACME}").status == 200
    world.address = "203.0.113.8"
    assert world.get(BULK).status == 200


def test_made_up_ids_share_what_their_address_has(world: World) -> None:
    assert [world.get(f"bulk?clientId=nobody-{number}").status for number in range(4)] == [200, 200, 200, 429]
    assert world.get(BULK).status == 200


def test_a_flood_is_refused_so_that_pages_can_read_it(world: World) -> None:
    for _ in range(20):
        world.get("health")
    refused = world.get(BULK)
    check_limited(refused, 20, 3)
    assert refused.json["flags"] == []
    for path in ("health", "definitions", f"{SHOP}/ofrep/v1/evaluate/flags"):
        check_refused(refused := world.get(path))
        assert refused.status == 429
    assert world.remote == []


def test_other_hosts_are_refused_so_that_pages_can_read_it(tmp_path_factory: pytest.TempPathFactory) -> None:
    world = World(tmp_path_factory.getbasetemp(), base_url="https://box.example")
    answer = world.get(BULK, host="evil.example")
    assert (answer.status, answer.json["code"], answer.json["flags"]) == (421, "MISDIRECTED_REQUEST", {})
    check_refused(answer)
    world.close()
