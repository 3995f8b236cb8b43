"""Admission of API keys (wire 0 and 11.3): so many requests, so many at once, whatever they ask for."""

import asyncio
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from analytics_box.base.errors import RateLimited
from analytics_box.base.identity import ApiKey
from analytics_box.base.limits import TokenBuckets
from analytics_box.base.settings import Settings
from analytics_box.tenants.keys.ring import Admission
from tests.inprocess import NOON, FixedClock, WholeBox, whole_box
from tests.tenants.keys.world import make

QUERY = {"parameters": ["summary_totals"], "preset": "today"}
EVENT = {"name": "seen"}


def low(settings: Settings) -> Settings:
    return msgspec.structs.replace(
        settings, limit_key=3, limit_key_events=5, limit_track=4, limit_query=100, limit_address=0, limit_rpc=100
    )


@pytest.fixture
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("door") / "data", adjust=low) as made:
        yield made


def test_all_api_routes_share_the_door_of_a_key(box: WholeBox) -> None:
    assert box.get("/v1/query/websites", x_api_key=box.keys["all"]).status == 200
    assert box.query("shop", QUERY).status == 200
    assert box.post("/rpc/websites/list", {}, key="all").status == 200
    refused = [box.query("shop", QUERY), box.get("/v1/query/types", x_api_key=box.keys["all"])]
    refused.append(box.post("/websites/list", {}, key="all"))
    for answer in refused:
        assert answer.status == 429
        assert (answer.json["code"], answer.json["limit"], answer.json["remaining"]) == ("RATE_LIMITED", 3, 0)
        assert answer.json["reset"] == NOON + 60_000
        assert answer.headers["retry-after"] == "20"
        assert answer.headers["x-ratelimit-limit"] == "3"
    assert box.query("shop", QUERY, key="reading").status == 200
    box.clock.advance(seconds=20)
    assert box.query("shop", QUERY).status == 200


def test_events_have_a_door_of_their_own(box: WholeBox) -> None:
    for _ in range(4):
        box.query("shop", QUERY)
    assert [box.post("/track", EVENT, key="all").status for _ in range(4)] == [200] * 4
    refused = box.post("/track", EVENT, key="all")
    assert (refused.status, refused.json["reason"]) == (429, "TRACK_RATE_LIMITED")  # the route's own limit
    refused = box.post("/track", EVENT, key="all")
    assert (refused.status, refused.json["limit"]) == (429, 5)  # the door's


def test_a_keys_own_limit_takes_the_place_of_the_usual_one(box: WholeBox) -> None:
    rate = {"enabled": True, "max": 2, "window": 3_600}
    secret = make(box, box.cookie, scopes=["read:data", "track:events"], ratelimit=rate)["secret"]
    assert box.get("/v1/query/websites", x_api_key=secret).headers["x-ratelimit-limit"] == "2"
    assert box.post("/track", EVENT, x_api_key=secret).status == 200
    refused = box.get("/v1/query/websites", x_api_key=secret)
    assert (refused.status, refused.json["limit"], refused.json["retryAfter"]) == (429, 2, 1_800)
    box.clock.advance(seconds=1_800)
    assert box.get("/v1/query/websites", x_api_key=secret).status == 200


def test_a_limit_that_is_not_enabled_counts_for_nothing(box: WholeBox) -> None:
    rate = {"enabled": False, "max": 1, "window": 60}
    secret = make(box, box.cookie, ratelimit=rate)["secret"]
    answers = [box.get("/v1/query/websites", x_api_key=secret).status for _ in range(4)]
    assert answers == [200, 200, 200, 429]


def test_keys_that_do_not_work_have_no_door(box: WholeBox) -> None:
    assert {box.get("/v1/query/websites", x_api_key=box.keys["revoked"]).status for _ in range(10)} == {401}


def test_answers_tell_what_is_left(box: WholeBox) -> None:
    def left(answer: Any) -> tuple[str, str, str]:
        headers = answer.headers
        return headers["x-ratelimit-limit"], headers["x-ratelimit-remaining"], headers["x-ratelimit-reset"]

    assert left(box.query("shop", QUERY)) == ("100", "99", str(NOON + 600))
    assert left(box.post("/track", EVENT, key="all")) == ("4", "3", str(NOON + 15_000))
    page = {"name": "screen_view", "path": "https://shop.example/"}
    assert left(box.post(f"/?client_id={box.sites['shop']}", page)) == ("4", "3", str(NOON + 15_000))
    assert left(box.post(f"/batch?client_id={box.sites['shop']}", [page])) == ("4", "2", str(NOON + 30_000))
    assert left(box.post("/rpc/websites/list", {}, key="reading")) == ("100", "99", str(NOON + 600))
    assert left(box.get("/v1/query/websites", x_api_key=box.keys["reading"])) == ("3", "1", str(NOON + 40_000))
    assert "x-ratelimit-limit" not in box.get("/health").headers


def key(name: str = "key") -> ApiKey:
    return ApiKey(id=name, organization_id="organization", name=name, start="svc_0000", scopes=frozenset())


def door(**settings: int) -> Admission:
    clock = FixedClock()
    return Admission(clock, TokenBuckets(clock), msgspec.structs.replace(Settings(), **settings))


def test_only_so_many_requests_of_a_key_at_once() -> None:
    entrance, scopes = door(), [dict[str, Any]() for _ in range(20)]
    for scope in scopes:
        entrance.enter(scope, key(), "api")
    with pytest.raises(RateLimited, match="Too many concurrent requests with this API key") as refused:
        entrance.enter({}, key(), "api")
    assert refused.value.headers["Retry-After"] == "1"
    assert (refused.value.status, refused.value.limit) == (429, 20)
    entrance.enter({}, key("other"), "api")
    entrance.enter({}, key(), "ingest")
    scopes[0].pop("leave")()
    entrance.enter(scopes[0], key(), "api")
    with pytest.raises(RateLimited):
        entrance.enter({}, key(), "api")


def test_refused_request_does_not_count_as_in_flight() -> None:
    entrance = door(limit_key=1)
    scope: dict[str, Any] = {}
    entrance.enter(scope, key(), "api")
    with pytest.raises(RateLimited):
        entrance.enter({}, key(), "api")
    scope.pop("leave")()
    assert entrance.in_flight("key") == 0


def test_requests_in_flight_are_let_go_however_they_end(tmp_path_factory: pytest.TempPathFactory) -> None:
    def two(settings: Settings) -> Settings:
        return msgspec.structs.replace(low(settings), limit_key=0, limit_key_in_flight=2, body_seconds=0.01)

    with whole_box(tmp_path_factory.mktemp("flight") / "data", adjust=two) as box:
        for _ in range(5):
            assert box.query("shop", QUERY).status == 200
            assert box.query("shop", {"parameters": []}).status == 400
            assert box.query("shop", b"broken").status == 400
            assert box.post("/websites/create", {"name": "x"}, key="all").status == 400
            assert box.post("/nothing", {}, key="all").status == 404
            assert box.post("/rpc/apikeys/list", {}, key="all").status == 403
        assert asyncio.run(side_by_side(box, 3)) == [200, 200, 429]
        assert box.query("shop", QUERY).status == 200


async def side_by_side(box: WholeBox, number: int) -> list[int]:
    """Statuses of queries that all have been let in, or not, before the first body arrives."""
    waiting, all_in = 0, asyncio.Event()
    body = msgspec.json.encode(QUERY)

    async def one() -> int:
        nonlocal waiting
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            nonlocal waiting
            waiting += 1
            if waiting >= number - 1:
                all_in.set()
            await all_in.wait()
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        await box.box.application(scope(box), receive, send)
        return int(sent[0]["status"])

    return sorted(await asyncio.gather(*(one() for _ in range(number))))


def scope(box: WholeBox) -> dict[str, Any]:
    """A query with the key that may do everything."""
    headers = {"host": "localhost", "content-type": "application/json", "x-api-key": box.keys["all"]}
    return {
        "type": "http",
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": "/v1/query",
        "raw_path": b"/v1/query",
        "query_string": f"website_id={box.sites['shop']}".encode(),
        "root_path": "",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("203.0.113.7", 40_000),
        "server": ("localhost", 8000),
    }


def test_the_numbers_of_the_wire_are_the_defaults() -> None:
    settings = Settings()
    assert (settings.limit_key, settings.limit_key_in_flight) == (300, 20)
    assert (settings.limit_key_events, settings.limit_key_events_in_flight) == (1_200, 200)
