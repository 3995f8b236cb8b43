"""What holds for every event route alike: who may send, how much, under which names (wire 4.1, 4.6, spec 8)."""

import json
import math
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
import pytest

from analytics_box.ingest.routes import ADDRESSES, MCP
from tests.cases import each
from tests.contract.conftest import unlimited
from tests.inprocess import Answer, WholeBox, whole_box

BODIES: dict[str, Any] = {
    "/track": {"name": "sign_up"},
    "/": {"name": "screen_view", "path": "/"},
    "/batch": [{"name": "screen_view", "path": "/"}],
    "/vitals": [{"metricName": "LCP", "metricValue": 1}],
    "/errors": [{"message": "x"}],
    "/events": [{"eventName": "sign_up"}],
    "/engagement": [{}],
    "/identify": {"profileId": "ada"},
    "/api/event": {"n": "sign_up", "u": "https://shop.example/", "d": "unknown.example"},
    "/api/send": {"type": "event", "payload": {"website": "unknown", "name": "sign_up", "url": "/"}},
}
# Without a key, or with the website in the body: tests/ingest/test_ai_traffic.py has the latter.
ROUTES = [path for _, path in ADDRESSES if path not in {MCP, "/ai-traffic"}]
TAKEN = {"/api/event": 202}  # The status of success, 200 on all other routes.
IMAGE = "/px.jpg"


@pytest.fixture
def open_shop(box: WholeBox) -> Iterator[WholeBox]:
    yield box
    allow(box)


def allow(box: WholeBox, **settings: Any) -> None:
    empty: dict[str, Any] = dict.fromkeys(("allowedOrigins", "allowedIps", "ignoredIps", "ignoredTrackingOrigins"), ())
    changed = {"id": box.sites["shop"], "settings": {**empty, **settings}}
    assert box.post("/websites/updateSettings", changed, key="all").status == 200


def send(box: WholeBox, path: str, *, address: str = "203.0.113.7", client: str = "", **headers: str) -> Answer:
    target = f"{path}?client_id={client or box.sites['shop']}"
    if path == IMAGE:
        return box.ask("GET", f"{target}&name=sign_up", headers=headers, address=address)
    given = {"content_type": "application/json", **headers}
    return box.ask("POST", target, headers=given, body=json.dumps(BODIES[path]).encode(), address=address)


# settings, Origin, address, what the answer says happened
DOORS: tuple[tuple[dict[str, Any], str, str, str], ...] = (
    ({}, "", "203.0.113.7", "stored=1"),
    ({}, "https://www.shop.example", "203.0.113.7", "stored=1"),
    ({}, "https://a.shop.example:8443", "203.0.113.7", "stored=1"),
    ({}, "https://shop.example.evil.net", "203.0.113.7", "dropped=1; reason=origin_not_authorized"),
    ({}, "null", "203.0.113.7", "dropped=1; reason=origin_not_authorized"),
    ({"allowedOrigins": ["*.app.net"]}, "", "203.0.113.7", "dropped=1; reason=origin_missing"),
    ({"allowedOrigins": ["*.app.net"]}, "https://x.app.net", "203.0.113.7", "stored=1"),
    ({"allowedIps": ["198.51.100.0/24"]}, "", "203.0.113.7", "dropped=1; reason=ip_not_authorized"),
    ({"allowedIps": ["198.51.100.0/24"]}, "", "198.51.100.9", "stored=1"),
    ({"ignoredIps": ["203.0.113.0/24"]}, "", "203.0.113.7", "dropped=1; reason=ignored_address"),
    (
        {"ignoredTrackingOrigins": ["https://x.shop.example"]},
        "https://x.shop.example",
        "203.0.113.7",
        "dropped=1; reason=ignored_origin",
    ),
)


@pytest.mark.parametrize(("settings", "origin", "address", "said"), DOORS)
def test_senders_are_admitted_equally_on_every_event_route(
    open_shop: WholeBox, settings: dict[str, Any], origin: str, address: str, said: str
) -> None:
    allow(open_shop, **settings)
    for path in ROUTES:
        answer = send(open_shop, path, origin=origin, address=address)
        assert answer.headers["x-analytics-box"] == said, path
        refused = said.endswith(("authorized", "missing"))
        assert answer.status == (403 if refused and path != IMAGE else TAKEN.get(path, 200)), path


CURL, AMAZON = "curl/8.5.0", "52.95.110.1"
CURL_ALLOWED = {"reason": "known_bot_user_agent", "agent": "curl"}
AMAZON_ALLOWED = {"reason": "data_centre", "agent": "Amazon AWS"}

# whether senders in data centres are bots, the bot that is allowed, headers, address, why the sender is a bot
BOTS: tuple[tuple[bool, dict[str, str] | None, dict[str, str], str, str], ...] = (
    (False, None, {}, "203.0.113.7", ""),
    (False, None, {"user_agent": CURL}, "203.0.113.7", "known_bot_user_agent"),
    (False, CURL_ALLOWED, {"user_agent": CURL}, "203.0.113.7", ""),
    (False, None, {}, AMAZON, ""),
    (True, None, {}, AMAZON, "data_centre"),
    (True, AMAZON_ALLOWED, {}, AMAZON, ""),
)


@pytest.mark.parametrize(("data_centres", "allowed", "headers", "address", "reason"), BOTS)
def test_bots_are_detected_equally_on_every_event_route(
    tmp_path: Path,
    data_centres: bool,
    allowed: dict[str, str] | None,
    headers: dict[str, str],
    address: str,
    reason: str,
) -> None:
    with whole_box(tmp_path / "data", adjust=unlimited) as box:
        website = {"websiteId": box.sites["shop"]}
        changed = box.post("/websites/updateBotOptions", {**website, "flagDataCentres": data_centres}, key="all")
        assert changed.status == 200
        if allowed is not None:
            assert box.post("/websites/allowBot", {**website, **allowed}, key="all").status == 200
        for path in ROUTES:
            answer = send(box, path, address=address, **headers)
            kind = "dropped" if path == "/identify" else "held"  # nothing is said of bots
            said = f"{kind}=1; reason={reason}" if reason else "stored=1"
            assert answer.headers["x-analytics-box"] == said, path


def test_website_that_was_deleted_takes_nothing_on_any_route(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data", adjust=unlimited) as box:
        assert box.post("/websites/delete", {"id": box.sites["shop"]}, key="all").status == 200
        for path in ROUTES:
            answer = send(box, path)
            assert answer.status in ((200,) if path == IMAGE else (400, 404)), path
            assert "stored=1" not in answer.headers["x-analytics-box"], path


def test_all_routes_have_one_limit_together_for_each_website_and_address(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    def few(settings: Any) -> Any:
        return msgspec.structs.replace(unlimited(settings), limit_track=len(ROUTES) + 1, limit_identify=60)

    with whole_box(tmp_path_factory.mktemp("few") / "data", adjust=few) as box:
        sent = [send(box, path) for path in ("/track", *ROUTES)]
        assert {answer.status for answer in sent} == {200, 202}
        assert sent[0].headers["x-ratelimit-limit"] == str(len(sent))
        assert [answer.headers["x-ratelimit-remaining"] for answer in sent[:3]] == [
            str(len(sent) - number) for number in (1, 2, 3)
        ]
        for path in ROUTES:
            over = send(box, path)
            assert (over.status, over.headers["retry-after"]) == (429, str(math.ceil(60 / len(sent)))), path
            assert over.headers["x-analytics-box"] == "dropped=1; reason=rate_limited"
            assert send(box, path, address="198.51.100.9").status in {200, 202}, "another address has its own"
            assert send(box, path, client=box.sites["local"]).status in {200, 202}, "so has another website"
        by_key = box.post("/track", {"name": "x"}, key="all")
        assert by_key.status == 200, "and so has a key"


@pytest.mark.parametrize(
    ("path", "items"),
    [
        ("/track", [{"name": "x"}] * 100),
        ("/batch", [{"name": "x"}] * 100),
        ("/events", [{"eventName": "x"}] * 100),
        ("/errors", [{"message": "x"}] * 41),
    ],
)
def test_a_request_of_a_page_with_many_events_counts_as_several(
    tmp_path_factory: pytest.TempPathFactory, path: str, items: Any
) -> None:
    def twenty(settings: Any) -> Any:
        return msgspec.structs.replace(unlimited(settings), limit_track=20)

    with whole_box(tmp_path_factory.mktemp("many") / "data", adjust=twenty) as box:
        target = f"{path}?client_id={box.sites['shop']}"
        before = 10 if len(items) == 100 else 15
        assert [send(box, "/track").status for _ in range(before)] == [200] * before
        assert box.post(target, items[:10]).status == 200, "ten are one"
        assert box.post(target, items).status == 200
        assert send(box, "/track").status == 429
        assert box.post("/track", [{"name": "x"}] * 100, key="all").status == 200


def test_identify_calls_of_a_key_have_their_own_limit(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:  # spec 8 rule 1
    def two(settings: Any) -> Any:
        return msgspec.structs.replace(unlimited(settings), limit_track=2)

    with whole_box(tmp_path_factory.mktemp("two") / "data", adjust=two) as box:
        assert box.post("/track", {"name": "x"}, key="all").status == 200
        who = {"profileId": "ada", "websiteId": box.sites["shop"]}
        assert [box.post("/identify", who, key="all").status for _ in range(3)] == [200, 200, 429]
        assert [box.post("/track", {"name": "x"}, key="all").status for _ in range(2)] == [200, 429]


def test_the_limit_of_an_address_is_told_in_a_way_that_pages_can_read(tmp_path_factory: pytest.TempPathFactory) -> None:
    def few(settings: Any) -> Any:
        return msgspec.structs.replace(unlimited(settings), limit_address=3)

    with whole_box(tmp_path_factory.mktemp("few") / "data", adjust=few) as box:
        for _ in range(3):
            assert send(box, "/vitals").status == 200
        for path in ROUTES:
            answer = send(box, path, origin="https://shop.example")
            assert answer.status == 429, path
            assert answer.headers["x-analytics-box"] == "dropped=1; reason=rate_limited"
            assert answer.headers["retry-after"] == "20"
            if path != IMAGE:
                assert answer.headers["access-control-allow-origin"] == "https://shop.example"
                assert answer.json["retryable"] is True
                assert answer.json["status"] == "error"
        asked = box.ask("OPTIONS", "/vitals", headers={"origin": "https://shop.example"})
        assert asked.status == 429
        listed = box.box.events.dropped
        found = box.run(listed.of(box.numbers["shop"], days=1))
        assert [(one.reason, one.times) for one in found] == [("rate_limited", len(ROUTES))]


def test_both_names_of_the_box_take_events(tmp_path_factory: pytest.TempPathFactory) -> None:
    def named(settings: Any) -> Any:
        return msgspec.structs.replace(
            unlimited(settings), base_url="https://stats.example.com", ingest_url="https://in.example.com:8443"
        )

    with whole_box(tmp_path_factory.mktemp("named") / "data", adjust=named) as box:
        for path in ROUTES:
            for host in ("stats.example.com", "in.example.com:8443"):
                assert send(box, path, host=host).status == TAKEN.get(path, 200), (path, host)
            assert send(box, path, host="other.example.com").status == 421


def test_a_rotated_client_id_is_taken_for_its_days_of_grace(tmp_path_factory: pytest.TempPathFactory) -> None:
    with whole_box(tmp_path_factory.mktemp("old") / "data", adjust=unlimited) as box:
        old = box.sites["shop"]
        assert box.post("/websites/rotateTracking", {"id": old}, key="all").status == 200
        for path in ROUTES:
            assert send(box, path, client=old).status == TAKEN.get(path, 200)
        box.clock.advance(seconds=(box.box.settings.client_id_grace_days + 1) * 86_400)
        for path in ROUTES:
            assert send(box, path, client=old).headers["x-analytics-box"] == "dropped=1; reason=invalid_client_id"


@each(("path", "method"), product(ROUTES, ["PUT", "PATCH", "DELETE"]))
def test_other_methods_are_refused(box: WholeBox, path: str, method: str) -> None:
    answer = box.ask(method, f"{path}?client_id={box.sites['shop']}")
    assert (answer.status, answer.json["code"]) == (405, "METHOD_NOT_ALLOWED")
    assert answer.headers["allow"]


@pytest.mark.parametrize("path", [path for path in ROUTES if path != IMAGE])
def test_pages_of_other_sites_may_ask_first(box: WholeBox, path: str) -> None:  # wire 4.1
    answer = box.ask(
        "OPTIONS", path, headers={"origin": "https://any.example", "access-control-request-method": "POST"}
    )
    assert (answer.status, answer.body) == (204, b"")
    assert answer.headers["access-control-allow-origin"] == "https://any.example"
    assert answer.headers["access-control-allow-credentials"] == "true"
    assert answer.headers["access-control-allow-methods"] == "POST, GET, OPTIONS, PUT, DELETE"
    assert answer.headers["access-control-allow-headers"].split(", ") == [
        *("Content-Type", "Authorization", "X-Requested-With"),
        *("databuddy-client-id", "databuddy-sdk-name", "databuddy-sdk-version"),
        *("x-umami-cache", "x-umami-hostname", "x-umami-website-id"),
    ]
    assert "X-Analytics-Box" in answer.headers["access-control-expose-headers"]
    assert "access-control-allow-origin" not in box.ask("OPTIONS", path).headers
