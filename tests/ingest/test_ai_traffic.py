"""Requests of AI agents: reported by servers, and seen by the tracker (wire 4.5)."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from analytics_box.base.settings import Settings
from analytics_box.ingest.ai_requests import RANGES_FOLDER, format_of
from tests.cases import each
from tests.ingest.rows import rows
from tests.inprocess import NOON, Answer, FixedClock, WholeBox, whole_box

GPTBOT = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)"
CHROME = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0 Safari/537.36"
NONCE = "nonce-0123456789"


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data", clock=FixedClock(NOON)) as made:
        yield made


def report(box: WholeBox, **changed: Any) -> Answer:
    body = {"websiteId": box.sites["shop"], "host": "shop.example", "path": "/pricing", "userAgent": GPTBOT}
    sent = json.dumps({name: value for name, value in (body | changed).items() if value is not None})
    return box.ask("POST", "/ai-traffic", headers={"content_type": "application/json"}, body=sent.encode())


def test_reported_request_is_on_disk_when_it_is_accepted(box: WholeBox) -> None:
    answer = report(box, format="html", status=200, referrer="https://a.example/x?secret=1#y", accept="*/*")
    assert (answer.status, answer.body, answer.headers["x-analytics-box"]) == (202, b"", "stored=1")
    names = ("ai_agent", "product", "purpose", "format", "report", "status", "known_address", "path", "referrer")
    assert rows(box, "ai_requests", *names) == [
        ("gptbot", "ChatGPT", "training", "html", "server", 200, None, "/pricing", "https://a.example/x")
    ]
    assert rows(box, "ai_requests", "user_agent", "visitor", "session") == [(GPTBOT, 0, 0)]
    assert rows(box, "events", "id") == []


def test_request_of_a_person_is_not_stored(box: WholeBox) -> None:
    answer = report(box, userAgent=CHROME)
    assert (answer.status, answer.headers["x-analytics-box"]) == (204, "stored=0; reason=not_an_ai_agent")
    assert rows(box, "ai_requests", "id") == []


def test_agent_that_only_signs_its_requests_is_known_by_its_signature(box: WholeBox) -> None:
    assert report(box, userAgent=CHROME, signatureAgent='"https://chatgpt.com"').status == 202
    assert rows(box, "ai_requests", "ai_agent", "signature", "known_address") == [
        ("chatgpt-agent", "chatgpt.com", None)
    ]


# What is sent, the status of the refusal and its reason.
REFUSED: tuple[tuple[dict[str, Any], int, str], ...] = (
    ({"host": "evil.example"}, 403, "INGEST_ORIGIN_NOT_AUTHORIZED"),
    ({"host": "shop.example.evil.example"}, 403, "INGEST_ORIGIN_NOT_AUTHORIZED"),
    ({"host": "shop.example@evil.example"}, 403, "INGEST_ORIGIN_NOT_AUTHORIZED"),
    ({"host": "evil.example#.shop.example"}, 403, "INGEST_ORIGIN_NOT_AUTHORIZED"),
    ({"websiteId": "unknown"}, 400, "INGEST_INVALID_CLIENT_ID"),
    ({"websiteId": None}, 400, "INVALID_EVENT_SCHEMA"),
    ({"userAgent": None}, 400, "INVALID_EVENT_SCHEMA"),
    ({"path": ""}, 400, "INVALID_EVENT_SCHEMA"),
    ({"path": "/" * 4_097}, 400, "INVALID_EVENT_SCHEMA"),
    ({"status": 99}, 400, "INVALID_EVENT_SCHEMA"),
    ({"status": "200"}, 400, "INVALID_EVENT_SCHEMA"),
    ({"accept": "a" * 20_000}, 413, "INGEST_PAYLOAD_TOO_LARGE"),
)


@each(("changed", "status", "reason"), REFUSED)
def test_wrong_report_is_refused_and_not_stored(
    box: WholeBox, changed: dict[str, Any], status: int, reason: str
) -> None:
    answer = report(box, **changed)
    assert (answer.status, answer.json["reason"]) == (status, reason)
    assert rows(box, "ai_requests", "id") == []


def test_report_for_another_host_is_dropped_as_another_domain_that_can_be_allowed(box: WholeBox) -> None:
    for host in ("evil.example", "shop.example@evil.example"):
        assert report(box, host=host).headers["x-analytics-box"] == "dropped=1; reason=origin_not_authorized"
    asked = {"websiteId": box.sites["shop"], "days": 1}
    (dropped,) = box.post("/websites/listDropped", asked, key="all").json["reasons"]
    assert (dropped["reason"], dropped["count"]) == ("origin_not_authorized", 2)
    assert b"https://evil.example" in box.ask("GET", f"/sites/{box.sites['shop']}", headers={"cookie": box.cookie}).body


def test_subdomains_belong_to_the_website(box: WholeBox) -> None:
    assert [report(box, host=host).status for host in ("docs.shop.example", "WWW.shop.example:8443")] == [202, 202]


def test_ignored_paths_are_not_stored(box: WholeBox) -> None:
    settings = {"id": box.sites["shop"], "settings": {"ignoredPaths": ["/internal/*"]}}
    assert box.post("/websites/updateSettings", settings, key="all").status == 200
    answer = report(box, path="/internal/a")
    assert (answer.status, answer.headers["x-analytics-box"]) == (204, "dropped=1; reason=ignored_path")
    assert rows(box, "ai_requests", "id") == []


def test_million_paths_of_a_stranger_fold_into_one_text(tmp_path: Path) -> None:
    def adjust(settings: Settings) -> Settings:
        return replace(settings, budget_texts=10, limit_track=10_000)

    with whole_box(tmp_path / "data", clock=FixedClock(NOON), adjust=adjust) as box:
        said = [report(box, path=f"/{number}", userAgent=f"GPTBot/{number}.0").headers for number in range(30)]
        assert said[-1]["x-analytics-box"] == "stored=1, folded=1; reason=hourly_budget"
        assert len(rows(box, "ai_requests", "id")) == 30
        assert len({path for (path,) in rows(box, "ai_requests", "path")}) <= 11
        assert {agent for (agent,) in rows(box, "ai_requests", "ai_agent")} == {"gptbot"}


def test_flood_of_one_address_is_limited(tmp_path: Path) -> None:
    with whole_box(
        tmp_path / "data", clock=FixedClock(NOON), adjust=lambda settings: replace(settings, limit_track=3)
    ) as box:
        assert [report(box, userAgent=CHROME).status for _ in range(4)] == [204, 204, 204, 429]


def test_address_is_compared_with_published_ranges_and_never_stored(box: WholeBox) -> None:
    folder = box.box.settings.data_dir / RANGES_FOLDER
    folder.mkdir()
    ranges = {"prefixes": [{"ipv4Prefix": "192.0.2.0/24"}, {"ipv6Prefix": "2001:db8::/32"}, {"ipv4Prefix": "x"}, 7]}
    (folder / "gptbot.json").write_text(json.dumps(ranges))
    for address in ("192.0.2.7", "::ffff:192.0.2.7", "2001:db8::1", "198.51.100.1", "not an address", None):
        assert report(box, ip=address).status == 202
    assert [verified for (verified,) in rows(box, "ai_requests", "known_address")] == [1, 1, 1, 0, None, None]
    (folder / "gptbot.json").write_text("[" * 100_000)
    assert report(box, ip="192.0.2.7").status == 202
    assert rows(box, "ai_requests", "known_address")[-1] == (None,)
    stored = b"".join(path.read_bytes() for path in box.box.settings.data_dir.glob("*.db*"))
    assert b"198.51.100.1" not in stored


def view(box: WholeBox, event_id: str = "") -> None:
    body = {"name": "screen_view", "path": "https://shop.example/pricing", "eventId": event_id}
    headers = {
        "content_type": "application/json",
        "origin": "https://shop.example",
        "user_agent": GPTBOT,
        "accept": "*/*",
    }
    sent = json.dumps(body).encode()
    assert box.ask("POST", f"/?client_id={box.sites['shop']}", headers=headers, body=sent).status == 204


def test_page_view_of_an_agent_that_runs_the_tracker_is_a_request(box: WholeBox) -> None:
    view(box, "a")
    view(box, "a")
    assert rows(box, "ai_requests", "ai_agent", "report", "path") == [("gptbot", "tracker", "/pricing")]


def test_request_that_a_server_has_just_reported_is_not_stored_for_its_page_view_again(box: WholeBox) -> None:
    report(box)
    view(box)
    assert rows(box, "ai_requests", "report") == [("server",)]
    box.clock.advance(seconds=61)
    view(box)
    assert rows(box, "ai_requests", "report") == [("server",), ("tracker",)]


def check(box: WholeBox, nonce: str, site: str = "shop") -> Answer:
    return box.ask("GET", f"/ai-traffic/setup-check/{box.sites[site]}/{nonce}")  # type: ignore[index]  # this box has sites


def test_setup_check_is_recorded_once_a_request_with_its_nonce_is_reported(box: WholeBox) -> None:
    report(box, path=f"/?check={NONCE}")
    assert check(box, NONCE).json == {"recorded": False}
    before = rows(box, "ai_requests", "id")
    report(box, path=f"/?check={NONCE}")
    assert rows(box, "ai_requests", "id") == before, "the check itself is no traffic"
    assert check(box, NONCE).json == {"recorded": True}
    assert check(box, NONCE, "blog").json == {"recorded": False}
    box.clock.advance(seconds=1_000)
    assert check(box, NONCE).json == {"recorded": False}


def test_setup_check_refuses_unknown_websites_and_short_nonces(box: WholeBox) -> None:
    assert box.ask("GET", f"/ai-traffic/setup-check/unknown/{NONCE}").status == 404
    assert check(box, "short").status == 400
    assert check(box, "a" * 65).status == 400
    assert box.ask("POST", f"/ai-traffic/setup-check/{box.sites['shop']}/{NONCE}").status == 405


@each(
    ("named", "path", "accept", "expected"),
    (
        ("html", "/llms.txt", None, "html"),
        ("MD", "/", None, "markdown"),
        ("pdf", "/", None, "other"),
        (None, "/llms-full.txt", None, "llms"),
        (None, "/docs/a.md", None, "markdown"),
        (None, "/a.png", None, "other"),
        (None, "/a.html", "text/html", "html"),
        (None, "/docs", "text/markdown, text/html;q=0.5", "markdown"),
        (None, "/v1.2", None, "other"),
        (None, "/", None, "html"),
    ),
)
def test_format_is_the_named_one_or_derived_from_path_and_accept(
    named: str | None, path: str, accept: str | None, expected: str
) -> None:
    assert format_of(named, path, accept) == expected
