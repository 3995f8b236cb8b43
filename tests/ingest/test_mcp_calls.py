"""Tool calls of MCP servers: what is stored of them, for which website, and what is refused."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from analytics_box.base.clock import HOUR
from tests.cases import each
from tests.ingest.rows import count, rows
from tests.inprocess import NOON, Answer, KeyName, WholeBox, whole_box

CALL = {
    "tool": "search_orders",
    "durationMs": 181.6,
    "outputChars": 4210,
    "clientName": "claude-code",
    "clientVersion": "2.1.0",
    "serverName": "orders",
    "serverVersion": "1.4.0",
    "sessionId": "session-1",
    "userAgent": "claude-code/2.1.0",
    "timestamp": NOON - 5_000,
    "environment": "production",
}
COLUMNS = (
    *("tool", "duration", "output_chars", "error", "client_name", "client_version", "server_name", "server_version"),
    *("client_session", "user_agent", "environment", "time"),
)


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data") as made:
        yield made


def send(box: WholeBox, body: Any, key: KeyName | None = "tracking") -> Answer:
    return box.post("/mcp", body, key=key)


def test_call_is_stored_with_its_client_and_server_and_without_a_visitor(box: WholeBox) -> None:
    answer = send(box, [{**CALL, "websiteId": box.sites["shop"], "arguments": {"secret": 1}}])
    assert (answer.status, answer.headers["x-analytics-box"]) == (200, "stored=1")
    assert answer.json["type"] == "mcp"
    assert rows(box, "mcp_calls", *COLUMNS) == [
        (
            *("search_orders", 182, 4210, "", "claude-code", "2.1.0", "orders", "1.4.0"),
            *("session-1", "claude-code/2.1.0", "production", NOON - 5_000),
        )
    ]
    assert rows(box, "mcp_calls", "site", "visitor", "session", "path") == [(box.numbers["shop"], 0, 0, "")]


def test_failures_with_one_cause_are_one_group_of_their_tool(box: WholeBox) -> None:
    failed = [{"tool": "find", "error": f"Order {number}\n was  not found"} for number in (12, 345)]
    send(box, [*failed, {"tool": "book", "error": "Order 7 was not found"}, {"tool": "find"}])
    first, second, other, succeeded = rows(box, "mcp_calls", "error", "error_group")
    assert (first[0], second[0]) == ("Order 12 was not found", "Order 345 was not found")
    assert first[1] == second[1] != other[1]
    assert succeeded == ("", "")


def test_failure_without_a_message_is_still_a_failure(box: WholeBox) -> None:
    send(box, [{"tool": "find", "error": ""}, {"tool": "", "error": "\u0000"}])
    assert rows(box, "mcp_calls", "tool", "error") == [("find", "(no message)"), ("(unnamed)", "(no message)")]


def test_long_texts_and_impossible_numbers_are_cut(box: WholeBox) -> None:
    send(box, [{**{name: "x" * 900 for name in CALL if name != "timestamp"}, "durationMs": -4, "outputChars": 10**15}])
    names = ("tool", "client_name", "client_version", "server_name", "server_version", "client_session", "user_agent")
    assert [len(str(value)) for value in rows(box, "mcp_calls", *names)[0]] == [256, 128, 64, 128, 64, 128, 512]
    assert rows(box, "mcp_calls", "duration", "output_chars") == [(0, 2**31 - 1)]
    send(box, [{"tool": "bare"}])
    assert rows(box, "mcp_calls", "duration", "output_chars", "time")[1] == (None, None, NOON)


def test_calls_of_several_websites_go_to_each_and_without_one_to_the_organization(box: WholeBox) -> None:
    sites = [{"tool": "a", "websiteId": box.sites[name]} for name in ("shop", "blog")]
    answer = send(box, [*sites, {"tool": "b"}])
    assert answer.headers["x-analytics-box"] == "stored=1, stored=1, stored=1"
    sites_of = dict(rows(box, "mcp_calls", "site", "tool"))
    assert {box.numbers["shop"]: "a", box.numbers["blog"]: "a"}.items() <= sites_of.items()
    assert [tool for site, tool in sites_of.items() if site not in box.numbers.values()] == ["b"]


def test_key_of_one_website_needs_no_website_id(box: WholeBox) -> None:
    assert send(box, [{"tool": "a"}], key="restricted").status == 200
    assert rows(box, "mcp_calls", "site") == [(box.numbers["shop"],)]


REFUSED: tuple[tuple[str, KeyName | None, Any, int, str], ...] = (
    ("no key", None, [CALL], 401, "MCP_INVALID_API_KEY"),
    ("a revoked key", "revoked", [CALL], 401, "MCP_INVALID_API_KEY"),
    ("a key without the scope", "reading", [CALL], 403, "TRACK_MISSING_SCOPE"),
    ("a website of others", "tracking", [{**CALL, "websiteId": "foreign"}], 403, "TRACK_WEBSITE_SCOPE_MISMATCH"),
    ("an inactive website", "tracking", [{**CALL, "websiteId": "idle"}], 404, "TRACK_WEBSITE_NOT_FOUND"),
    ("an unknown website", "tracking", [{**CALL, "websiteId": "no-such"}], 404, "TRACK_WEBSITE_NOT_FOUND"),
    ("no array", "tracking", CALL, 400, "INVALID_EVENT_SCHEMA"),
    ("too many", "tracking", [CALL] * 101, 400, "INVALID_EVENT_SCHEMA"),
    ("no tool", "tracking", [CALL, {"durationMs": 1}], 400, "INVALID_EVENT_SCHEMA"),
    ("a time to come", "tracking", [CALL, {**CALL, "timestamp": NOON + 2 * HOUR}], 400, "INVALID_EVENT_SCHEMA"),
    ("broken JSON", "tracking", b'[{"tool":', 400, "INVALID_EVENT_SCHEMA"),
    ("deep JSON", "tracking", b"[" * 200_000, 400, "INVALID_EVENT_SCHEMA"),
    ("wrong encoding", "tracking", b'[{"tool":"\xff"}]', 400, "INVALID_EVENT_SCHEMA"),
)


@each(("what", "key", "body", "status", "reason"), REFUSED, ids=lambda what, *_: what)
def test_refused_list_stores_nothing(
    box: WholeBox, what: str, key: KeyName | None, body: Any, status: int, reason: str
) -> None:
    if isinstance(body, list):
        names: dict[Any, str] = {**box.sites}
        named = [
            item | {"websiteId": names.get(item["websiteId"], item["websiteId"])}
            for item in body
            if "websiteId" in item
        ]
        body = named or body
    answer = send(box, body, key)
    assert (answer.status, answer.json["reason"]) == (status, reason), what
    assert count(box, "mcp_calls") == 0


def test_wrong_call_is_named_by_its_place(box: WholeBox) -> None:
    answer = send(box, [CALL, {**CALL, "timestamp": 5}])
    assert answer.json["errors"][0]["field"] == "[1].timestamp"


def test_no_calls_are_no_failure(box: WholeBox) -> None:
    answer = send(box, [])
    assert (answer.status, answer.json["count"], answer.headers["x-analytics-box"]) == (200, 0, "stored=0")


def test_calls_count_under_the_limit_of_their_key(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data", adjust=lambda given: replace(given, limit_track=2)) as box:
        assert [send(box, [CALL]).status for _ in range(3)] == [200, 200, 429]
        assert int(send(box, [CALL]).headers["retry-after"]) > 0


def test_texts_over_the_budget_of_a_website_are_folded_and_the_calls_still_count(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data", adjust=lambda given: replace(given, budget_texts=30)) as box:
        flood = [{"tool": f"t{number}", "error": f"Error {'abc'[number % 3]}{number}x"} for number in range(100)]
        answer = send(box, [{**call, "websiteId": box.sites["shop"]} for call in flood])
        assert answer.headers["x-analytics-box"].startswith("stored=100, folded=")
        assert len({tool for (tool,) in rows(box, "mcp_calls", "tool")}) < 30
        assert all(error for (error,) in rows(box, "mcp_calls", "error"))
        assert send(box, [{"tool": "other", "websiteId": box.sites["blog"]}]).headers["x-analytics-box"] == "stored=1"


MESSAGE = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


def test_json_rpc_message_is_answered_as_at_its_own_address(box: WholeBox) -> None:
    answer = send(box, MESSAGE)
    assert (answer.status, answer.json) == (200, {"jsonrpc": "2.0", "id": 1, "result": {}})


@each("body", ([MESSAGE], MESSAGE, [{**CALL, "jsonrpc": "2.0"}]))
def test_json_rpc_is_left_to_the_mcp_server(box: WholeBox, body: Any) -> None:
    answer = send(box, body)
    server = box.post("/v1/mcp", body, key="tracking")
    assert (answer.status, answer.body) == (server.status, server.body)
    assert "x-analytics-box" not in answer.headers
    assert count(box, "mcp_calls") == 0


def test_other_methods_are_left_to_the_mcp_server(box: WholeBox) -> None:
    for method in ("GET", "DELETE"):
        assert box.ask(method, "/mcp").status == box.ask(method, "/v1/mcp").status


def test_preflight_of_the_shared_path_is_answered(box: WholeBox) -> None:
    answer = box.ask("OPTIONS", "/mcp", headers={"origin": "https://shop.example"})
    assert (answer.status, answer.headers["access-control-allow-origin"]) == (204, "https://shop.example")
