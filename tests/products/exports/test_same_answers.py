"""A website that is exported and loaded into an empty server gives the same answer to every query."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest

from analytics_box.app.admin import commands
from analytics_box.base.errors import BadRequest, BoxError, Conflict
from analytics_box.query.catalog.registry import TYPES
from tests.contract.conftest import unlimited
from tests.inprocess import BROWSER, NOON, WholeBox, whole_box

DAY = 86_400_000
PAGE = "https://shop.example"
AGENTS = ("GPTBot/1.2", "ClaudeBot/1.0", "ChatGPT-User/1.0", "PerplexityBot/1.0")
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile Safari/604.1"
# Of other subjects than websites, and of bots, which are left out.
OTHER = ("link_", "uptime_", "bots")


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("first") / "data", adjust=unlimited) as box:
        fill(box)
        yield box


@pytest.fixture(scope="module")
def second(first: WholeBox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("second") / "data", adjust=unlimited) as box:
        for part, content in exported(first):
            load(box, part, content)
        yield box


def fill(box: WholeBox) -> None:
    """Events of 70 days, most of them by key, and today's of all kinds from pages."""
    draw, events = Random(7), []
    for number in range(300):
        at = NOON - draw.randrange(70 * DAY)
        name = draw.choice(("screen_view", "screen_view", "page_exit", "sign_up", "purchase"))
        event = {
            "name": name,
            "websiteId": box.sites["shop"],
            "anonymousId": f"visitor {draw.randrange(40)}",
            "sessionId": f"session {draw.randrange(80)}",
            "timestamp": at,
            "path": f"{PAGE}/{draw.choice(('', 'pricing', 'docs?utm_source=news&utm_medium=email', 'ünï'))}",
            "title": draw.choice(("Start", "Prices")),
            "referrer": draw.choice(("", "https://www.google.com/", "https://news.example/a")),
            "language": draw.choice(("de-DE", "en-US")),
            "timezone": draw.choice(("Europe/Berlin", "America/New_York")),
            "screen_resolution": draw.choice(("1920x1080", "390x844")),
            "time_on_page": draw.randrange(90),
            "scroll_depth": draw.randrange(101),
            "load_time": draw.randrange(100, 4_000),
            "properties": {"plan": draw.choice(("free", "pro")), "amount": number, "deep": {"a": [1, None]}},
        }
        events.append({name: value for name, value in event.items() if value != ""})
    for start in range(0, len(events), 100):
        assert box.post("/track", events[start : start + 100], key="all").status == 200
    for number in range(30):
        agent, address = draw.choice((BROWSER, PHONE)), f"198.51.100.{number % 9 + 1}"
        send(box, "/", {"name": "screen_view", "path": f"{PAGE}/{number % 4}"}, agent, address)
        send(box, "/vitals", [{"metricName": "LCP", "metricValue": 900 + number, "path": f"{PAGE}/1"}], agent, address)
        error = {"message": f"x is {number % 3}", "stack": "at f (a.js:1:2)", "path": f"{PAGE}/1", "release": "v1"}
        send(box, "/errors", [error], agent, address)
        send(box, "/engagement", [{"timeOnPage": 9_000, "clicks": 3, "path": f"{PAGE}/2"}], agent, address)
        link = {"type": "outgoing_link", "href": f"https://out.example/{number % 2}", "text": "Out", "path": PAGE}
        send(box, "/", link, agent, address)
    calls = [
        {
            "tool": f"tool {number % 5}",
            "websiteId": box.sites["shop"],
            "durationMs": number * 7,
            "outputChars": number * 90,
            "clientName": f"client {number % 3}",
            "sessionId": f"chat {number % 6}",
            "timestamp": NOON - number * 9_000_000,
            **({"error": f"Order {number} was not found"} if number % 4 == 0 else {}),
        }
        for number in range(40)
    ]
    assert box.post("/mcp", calls, key="all").status == 200
    read_by_agents(box)
    pay(box)
    flag = {"name": "$flag_exposure", "path": PAGE, "properties": {"flag": "checkout", "variant": "on"}}
    send(box, "/", flag, BROWSER, "198.51.100.2")
    send(box, "/", {"name": "screen_view", "path": PAGE}, "curl/8.5.0", "198.51.100.3")


def read_by_agents(box: WholeBox) -> None:
    """Servers report requests of AI agents, and an assistant refers a visitor."""
    for number in range(40):
        request = {
            "websiteId": box.sites["shop"],
            "host": "shop.example",
            "path": ("/pricing", "/llms.txt", f"/gone/{number % 4}", "/docs.md")[number % 4],
            "userAgent": AGENTS[number % len(AGENTS)],
            "status": 404 if number % 4 == 2 else 200,
            "signatureAgent": '"https://chatgpt.com"' if number % 5 == 0 else None,
            "referrer": "https://www.google.com/" if number % 7 == 0 else None,
        }
        sent = box.ask(
            "POST", "/ai-traffic", headers={"content_type": "application/json"}, body=json.dumps(request).encode()
        )
        assert sent.status == 202
    view = {"name": "screen_view", "path": f"{PAGE}/pricing", "referrer": "https://chatgpt.com/"}
    send(box, "/", view, BROWSER, "198.51.100.40")


def pay(box: WholeBox) -> None:
    """Servers report sales, renewals and refunds in two currencies."""
    payments = []
    for number in range(40):
        more: dict[str, Any] = {"subscriptionId": f"plan {number}"} if number % 3 == 1 else {}
        amount = -3.5 if number % 3 == 2 else 12.5 + number
        order = {"orderId": f"order {number}", "customerId": f"customer {number % 9}"}
        product = {"productId": f"p{number % 3}", "productName": f"Product {number % 3}"}
        payments.append(
            {
                "name": "payment",
                "websiteId": box.sites["shop"],
                "timestamp": NOON - number * 9_000_000,
                "anonymousId": f"visitor {number}",
                "properties": {"revenue": amount, "currency": ("EUR", "JPY")[number % 2], **order, **product, **more},
            }
        )
    assert box.post("/track", payments, key="all").status == 200


def send(box: WholeBox, path: str, body: Any, agent: str, address: str) -> None:
    headers = {"content_type": "application/json", "user_agent": agent}
    target = f"{path}?client_id={box.sites['shop']}"
    assert box.ask("POST", target, headers=headers, body=json.dumps(body).encode(), address=address).status < 300


def exported(box: WholeBox) -> Iterator[tuple[dict[str, str], str]]:
    website = {"websiteId": box.sites["shop"]}
    for part in box.post("/exports/listParts", website, key="all").json:
        given = website | {name: part[name] for name in ("table", "month")} | {"people": True}
        answer = box.post("/exports/getRows", given, key="all").json
        assert answer["next"] is None
        yield {name: part[name] for name in ("table", "month")}, answer["content"]


def load(box: WholeBox, part: dict[str, str], content: str, skip: int = 0) -> Any:
    given = {"websiteId": box.sites["shop"], **part, "skip": skip, "content": content}
    return box.run(commands.run_command(box.box.parts, "load rows", json.dumps(given).encode(), "ada"))


def ask(box: WholeBox, name: str, **more: Any) -> Any:
    given = {"parameters": [name], "limit": 1_000, **more}
    [answer] = box.post(f"/v1/query?website_id={box.sites['shop']}", given, key="all").json["data"]
    rows = answer.get("data") or []
    if name == "session_list":  # Its events have the numbers of their rows, which are a server's own.
        rows = [row | {"events": [event[1:] for event in row["events"]]} for row in rows]
    return {key: value for key, value in answer.items() if key != "meta"} | {"data": rows}


SERVERS = [name for name in TYPES if name.startswith(("mcp_", "ai_", "revenue_"))]
NAMES = [name for name, kind in TYPES.items() if not name.startswith(OTHER)]
RANGES: tuple[dict[str, Any], ...] = (
    {"preset": "last_90d"},
    {"preset": "last_7d", "timeZone": "America/New_York", "granularity": "hourly"},
    {"preset": "last_30d", "filters": [{"field": "browser_name", "op": "eq", "value": "Firefox"}]},
    {"preset": "last_90d", "filters": [{"field": "path", "op": "contains", "value": "pricing"}]},
)


@pytest.mark.parametrize("name", NAMES)
def test_every_query_type_answers_the_same_after_a_move(first: WholeBox, second: WholeBox, name: str) -> None:
    for given in RANGES:
        assert ask(second, name, **given) == ask(first, name, **given), given


def test_answers_are_not_all_empty(second: WholeBox) -> None:
    for name in (
        "summary_metrics",
        "top_pages",
        "error_summary",
        "outbound_links",
        "custom_events",
        "web_vitals",
        *SERVERS,
    ):
        if name in TYPES:
            assert ask(second, name, preset="last_90d")["data"], name
    [totals] = ask(second, "summary_totals", preset="last_90d")["data"]
    assert totals["pageviews"] > 100


def test_exporting_what_was_loaded_gives_the_same_files(first: WholeBox, second: WholeBox) -> None:
    assert list(exported(second)) == list(exported(first))


def test_interrupted_load_goes_on_behind_the_last_stored_row(first: WholeBox, tmp_path: Path) -> None:
    part, content = next(one for one in exported(first) if one[0]["table"] == "events")
    lines = content.splitlines(keepends=True)
    with whole_box(tmp_path / "data") as box:
        load(box, part, "".join(lines[:5]))
        asked = json.dumps({"websiteId": box.sites["shop"], **part}).encode()
        stored = box.run(commands.run_command(box.box.parts, "load state", asked, "ada"))
        assert stored == {"stored": 5}
        with pytest.raises(Conflict):
            load(box, part, "".join(lines[:5]))
        load(box, part, "".join(lines[5:]), skip=5)
        again = {"websiteId": box.sites["shop"], **part, "people": True}
        assert box.post("/exports/getRows", again, key="all").json["content"] == content


def test_website_with_other_events_refuses_a_load(first: WholeBox, tmp_path: Path) -> None:
    part, content = next(iter(exported(first)))
    with whole_box(tmp_path / "data", adjust=unlimited) as box:
        at = round(datetime.strptime(part["month"], "%Y-%m").replace(tzinfo=UTC).timestamp() * 1000) + DAY
        own = {"name": "own", "websiteId": box.sites["shop"], "timestamp": at, "anonymousId": "a"}
        assert box.post("/track", own, key="all").status == 200
        with pytest.raises(Conflict, match="other events"):
            load(box, part, content)


BROKEN = (
    "{}",
    "[]",
    "nothing",
    '{"time": "2026-06-01T00:00:00Z"}',
    "[" * 5_000,
    '{"time": "yesterday"}',
)


@pytest.mark.parametrize("line", BROKEN)
def test_broken_row_is_refused_and_nothing_is_stored(tmp_path: Path, line: str) -> None:
    with whole_box(tmp_path / "data") as box:
        with pytest.raises(BadRequest):
            load(box, {"table": "events", "month": "2026-06"}, line)
        with pytest.raises(BoxError):
            load(box, {"table": "nothing", "month": "2026-06"}, "")


def test_people_are_exported_only_if_they_are_asked_for(first: WholeBox) -> None:
    website = {"websiteId": first.sites["shop"]}
    parts = first.post("/exports/listParts", website, key="all").json
    rows = first.post("/exports/getRows", website | {"table": "events", "month": parts[0]["month"]}, key="all").json
    assert all(json.loads(line)["profile"] == "" for line in rows["content"].splitlines())
    foreign = first.post("/exports/listParts", {"websiteId": first.sites["foreign"]}, key="all")
    assert foreign.status == 404
