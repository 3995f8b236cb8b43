"""Limits (spec 7 and 8, wire 0 and 11.3): what a 429 says, and who shares a limit with whom."""

from collections.abc import Iterator

import msgspec
import pytest

from analytics_box.base.settings import Settings
from tests.inprocess import NOON, Answer, FixedClock, WholeBox, whole_box

SPECIFIED = {"success", "error", "code", "requestId", "limit", "remaining", "reset", "retryAfter"}
QUERY = {"parameters": ["summary_totals"], "preset": "today"}
EVENT = {"name": "seen"}


def low(settings: Settings) -> Settings:
    return msgspec.structs.replace(
        settings, limit_query=3, limit_query_anonymous=2, limit_track=4, limit_sign_in=2, limit_address=0
    )


@pytest.fixture
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("low") / "data", clock=FixedClock(), adjust=low) as made:
        yield made


def check_limited(answer: Answer, *, limit: int, reset: int, retry_after: int) -> None:
    """Spec 7: fields and headers of a 429."""
    assert answer.status == 429
    body = answer.json
    assert set(body) >= SPECIFIED
    assert body["success"] is False
    assert body["code"] == "RATE_LIMITED"
    assert (body["limit"], body["remaining"], body["reset"], body["retryAfter"]) == (limit, 0, reset, retry_after)
    assert answer.headers["retry-after"] == str(retry_after)
    assert answer.headers["x-ratelimit-limit"] == str(limit)
    assert answer.headers["x-ratelimit-remaining"] == "0"
    assert answer.headers["x-ratelimit-reset"] == str(reset)
    assert answer.headers["x-request-id"] == body["requestId"]


def test_queries_of_a_key_have_a_limit(box: WholeBox) -> None:
    assert [box.query("shop", QUERY).status for _ in range(3)] == [200] * 3
    check_limited(box.query("shop", QUERY), limit=3, reset=NOON + 60_000, retry_after=20)


def test_a_third_of_a_window_later_one_of_three_is_free_again(box: WholeBox) -> None:  # wire 0, token bucket
    for _ in range(4):
        box.query("shop", QUERY)
    box.clock.advance(seconds=19.9)
    check_limited(box.query("shop", QUERY), limit=3, reset=NOON + 60_000, retry_after=1)
    box.clock.advance(seconds=0.1)
    assert box.query("shop", QUERY).status == 200
    assert box.query("shop", QUERY).status == 429


def test_after_a_whole_window_everything_is_free_again(box: WholeBox) -> None:
    for _ in range(5):
        box.query("shop", QUERY)
    box.clock.advance(seconds=60)
    assert [box.query("shop", QUERY).status for _ in range(4)] == [200, 200, 200, 429]


def test_each_identity_has_a_limit_of_its_own(box: WholeBox) -> None:  # spec 8 rule 2
    target = f"/v1/query?website_id={box.sites['blog']}"
    cookie = box.cookie
    for _ in range(4):
        box.post(target, QUERY, key="all")
    assert box.post(target, QUERY, key="all").status == 429
    assert box.post(target, QUERY, key="reading").status == 200
    assert box.post(target, QUERY, cookie=cookie).status == 200
    assert [box.post(target, QUERY).status for _ in range(3)] == [200, 200, 429]
    check_limited(box.post(target, QUERY), limit=2, reset=NOON + 60_000, retry_after=30)


def test_addresses_of_one_ipv6_network_share_a_limit(box: WholeBox) -> None:  # wire 0
    def asked(address: str) -> int:
        target = f"/v1/query?website_id={box.sites['blog']}"
        headers = {"content_type": "application/json"}
        return box.ask("POST", target, headers=headers, body=msgspec.json.encode(QUERY), address=address).status

    assert [asked(f"2001:db8:1:2::{number}") for number in range(3)] == [200, 200, 429]
    assert asked("2001:db8:1:3::1") == 200
    assert asked("::ffff:198.51.100.1") == asked("198.51.100.1") == 200
    assert asked("198.51.100.1") == 429


def test_each_endpoint_has_a_limit_of_its_own(box: WholeBox) -> None:  # spec 8 rule 1
    for _ in range(4):
        box.query("shop", QUERY)
    assert box.query("shop", QUERY).status == 429
    assert box.post("/track", EVENT, key="all").status == 200
    assert box.get("/v1/query/websites", x_api_key=box.keys["all"]).status == 200


def test_events_of_a_key_have_a_limit(box: WholeBox) -> None:  # spec 8
    assert [box.post("/track", EVENT, key="all").status for _ in range(4)] == [200] * 4
    refused = box.post("/track", EVENT, key="all")
    check_limited(refused, limit=4, reset=NOON + 60_000, retry_after=15)
    assert refused.json["reason"] == "TRACK_RATE_LIMITED"  # wire 4.8
    assert refused.json["status"] == "error"
    assert refused.json["retryable"] is True
    assert box.post("/track", EVENT, key="tracking").status == 200


def test_events_of_a_website_have_a_limit_for_each_address(box: WholeBox) -> None:  # spec 8
    target = f"/track?website_id={box.sites['shop']}"
    assert [box.post(target, EVENT).status for _ in range(5)] == [200] * 4 + [429]
    assert box.post(f"/track?website_id={box.sites['local']}", EVENT).status == 200
    elsewhere = box.ask("POST", target, body=msgspec.json.encode(EVENT), address="198.51.100.9")
    assert elsewhere.status == 200


def test_page_events_and_their_batches_have_one_limit(box: WholeBox) -> None:
    view = {"name": "screen_view", "path": "https://shop.example/"}
    client = f"client_id={box.sites['shop']}"
    assert [box.post(f"/?{client}", view).status for _ in range(5)] == [200] * 4 + [429]
    assert box.post(f"/batch?{client}", [view]).status == 429
    assert box.post(f"/track?{client}", EVENT).status == 429


def test_tries_to_sign_in_have_a_limit(box: WholeBox) -> None:  # security
    def tried() -> int:
        return box.post("/sign-in", b"email=x&password=y", content_type="application/x-www-form-urlencoded").status

    assert [tried() for _ in range(3)] == [401, 401, 429]


def test_all_requests_of_an_address_have_a_limit_but_for_health(tmp_path_factory: pytest.TempPathFactory) -> None:
    def two(settings: Settings) -> Settings:
        return msgspec.structs.replace(settings, limit_address=2)

    with whole_box(tmp_path_factory.mktemp("two") / "data", adjust=two) as box:
        assert [box.get(path).status for path in ("/v1/query/types", "/nothing", "/v1/query/types")] == [200, 404, 429]
        check_limited(box.get("/script.js"), limit=2, reset=NOON + 60_000, retry_after=30)
        assert box.post("/track", EVENT, key="all").status == 429
        assert [box.get("/health").status for _ in range(5)] == [200] * 5


def test_a_limit_of_zero_is_none(tmp_path_factory: pytest.TempPathFactory) -> None:
    def none(settings: Settings) -> Settings:
        return msgspec.structs.replace(settings, limit_track=0, limit_address=0)

    with whole_box(tmp_path_factory.mktemp("none") / "data", adjust=none) as box:
        assert {box.post("/track", EVENT, key="all").status for _ in range(700)} == {200}


def test_the_limits_of_the_specification_are_the_defaults() -> None:  # spec 8, wire 0 and 11.3
    assert Settings().limit_track == 600
    assert Settings().limit_query == 120
    assert Settings().limit_query_anonymous == 60
    assert Settings().limit_address == 6_000
