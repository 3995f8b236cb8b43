"""JSON-RPC over HTTP at /v1/mcp: revisions, headers, batches, and messages of hostile clients."""

import json
from collections.abc import Iterator

import pytest

from tests.app.mcp.world import LATEST, MODERN, PREFIX, World, modern
from tests.cases import each
from tests.inprocess import whole_box
from tests.rooms import unlimited

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with whole_box(tmp_path_factory.mktemp("mcp") / "data", adjust=unlimited) as box:
        yield World(box)


@each(
    ("asked", "agreed"),
    [
        ("2025-11-25", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("2025-03-26", "2025-03-26"),
        ("2024-11-05", "2024-11-05"),
        ("1999-01-01", LATEST),
        (MODERN, LATEST),
    ],
)
def test_handshake_agrees_on_a_revision_that_both_know(world: World, asked: str, agreed: str) -> None:
    found = world.result("initialize", protocolVersion=asked, capabilities={}, clientInfo={"name": "x", "version": "1"})
    assert found["protocolVersion"] == agreed
    assert found["serverInfo"]["name"] == "analytics-box"
    assert {"tools", "resources", "prompts", "completions"} == set(found["capabilities"])


def test_notification_is_accepted_without_an_answer(world: World) -> None:
    answer = world.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert (answer.status, answer.body) == (202, b"")


def test_modern_request_needs_no_handshake(world: World) -> None:
    answer = world.send(modern("server/discover"), mcp_protocol_version=MODERN, mcp_method="server/discover")
    found = answer.json["result"]
    assert (answer.status, found["resultType"]) == (200, "complete")
    assert found["supportedVersions"][:2] == [MODERN, LATEST]
    assert found["_meta"][f"{PREFIX}serverInfo"]["name"] == "analytics-box"
    assert (found["cacheScope"], found["ttlMs"] > 0) == ("private", True)


@each(
    ("headers", "code"),
    [
        ({}, -32020),
        ({"mcp_protocol_version": MODERN}, -32020),
        ({"mcp_protocol_version": MODERN, "mcp_method": "tools/list"}, -32020),
        ({"mcp_protocol_version": LATEST, "mcp_method": "tools/call", "mcp_name": "list_websites"}, -32020),
        ({"mcp_protocol_version": MODERN, "mcp_method": "tools/call", "mcp_name": "ask"}, -32020),
        ({"mcp_protocol_version": "1900-01-01", "mcp_method": "tools/call", "mcp_name": "list_websites"}, -32022),
    ],
)
def test_modern_request_is_refused_if_its_headers_say_something_else(
    world: World, headers: dict[str, str], code: int
) -> None:
    answer = world.send(modern("tools/call", name="list_websites", arguments={}), **headers)
    assert (answer.status, answer.json["error"]["code"], answer.json["id"]) == (400, code, 1)


def test_encoded_name_of_a_modern_request_is_decoded(world: World) -> None:
    headers = {
        "mcp_protocol_version": MODERN,
        "mcp_method": "tools/call",
        "mcp_name": "=?base64?bGlzdF93ZWJzaXRlcw==?=",
    }
    answer = world.send(modern("tools/call", name="list_websites", arguments={}), **headers)
    assert answer.json["result"]["structuredContent"]["websites"]


def test_unknown_revision_is_refused_with_those_that_are_known(world: World) -> None:
    answer = world.send(modern("tools/list", version="2099-01-01"), mcp_protocol_version="2099-01-01")
    error = answer.json["error"]
    assert (answer.status, error["code"], error["data"]["requested"]) == (400, -32022, "2099-01-01")
    assert MODERN in error["data"]["supported"]


def test_modern_request_without_capabilities_is_malformed(world: World) -> None:
    content = modern("tools/list")
    del content["params"]["_meta"][f"{PREFIX}clientCapabilities"]
    answer = world.send(content, mcp_protocol_version=MODERN, mcp_method="tools/list")
    assert (answer.status, answer.json["error"]["code"]) == (400, -32602)


@each(
    ("method", "modern_status"),
    [
        ("ping", 404),
        ("initialize", 404),
        ("logging/setLevel", 404),
        ("subscriptions/listen", 404),
        ("nothing/here", 404),
    ],
)
def test_method_that_a_modern_revision_lacks_answers_404(world: World, method: str, modern_status: int) -> None:
    answer = world.send(modern(method), mcp_protocol_version=MODERN, mcp_method=method)
    assert (answer.status, answer.json["error"]["code"]) == (modern_status, -32601)


@each("method", ["logging/setLevel", "resources/subscribe", "server/discover", "tools/nothing"])
def test_unknown_method_of_a_handshake_revision_is_an_error_in_the_answer(world: World, method: str) -> None:
    assert world.request(method)["error"]["code"] == -32601


def test_ping_answers_with_an_empty_result(world: World) -> None:
    assert world.result("ping") == {}


def test_batch_is_answered_for_the_revision_that_has_batches(world: World) -> None:
    batch = [PING, {"jsonrpc": "2.0", "method": "notifications/x"}, {**PING, "id": "two", "method": "tools/nothing"}]
    answer = world.send(batch)
    assert [one["id"] for one in answer.json] == [1, "two"]
    assert answer.json[1]["error"]["code"] == -32601
    assert world.send(batch[1:2]).status == 202


@each("version", ["2025-06-18", LATEST, MODERN])
def test_batch_is_refused_for_later_revisions(world: World, version: str) -> None:
    answer = world.send([PING], mcp_protocol_version=version)
    assert (answer.status, answer.json["error"]["code"]) == (400, -32600)


@each("batch", [[], [PING] * 21])
def test_batch_of_a_wrong_size_is_refused(world: World, batch: list[object]) -> None:
    answer = world.send(batch)
    assert (answer.status, answer.json["error"]["code"]) == (400, -32600)


@each(
    ("content", "code"),
    [
        (b"", -32700),
        (b"{", -32700),
        (b"\xff\xfe", -32700),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", -32700),
        (b"[" * 100_000 + b"]" * 100_000, -32700),
        (b"1", -32600),
        (b'"text"', -32600),
        (b"{}", -32600),
        (b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": ' + b"9" * 5_000 + b', "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": "' + b"x" * 5_000 + b'", "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1, "method": 5}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1}', -32600),
    ],
)
def test_hostile_message_is_refused_as_json_rpc(world: World, content: bytes, code: int) -> None:
    answer = world.send(content)
    assert (answer.status, answer.json["error"]["code"]) == (400, code), answer.body[:300]
    assert len(answer.body) < 1_000


@each("params", [[], 5, "x", {"name": 5}, {"arguments": "x", "name": "ask"}, {"name": "nothing"}, {"_meta": []}])
def test_wrong_parameters_are_an_error_and_never_a_failure(world: World, params: object) -> None:
    answer = world.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    found = answer.json
    assert answer.status == 200
    assert found["error"]["code"] == -32602 if "error" in found else found["result"]["isError"]


def test_deeply_nested_arguments_are_refused(world: World) -> None:
    deep = b'{"queries":' + b'[{"filters":' * 5_000 + b"1" + b"}]" * 5_000 + b"}"
    sent = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":' + deep + b"}}"
    answer = world.send(sent)
    assert answer.status in {200, 400}
    assert "error" in answer.json or answer.json["result"]["isError"]


@each(
    ("method", "status"),
    [("GET", 405), ("DELETE", 405), ("PUT", 405)],
)
def test_only_post_is_served(world: World, method: str, status: int) -> None:
    answer = world.box.ask(method, "/v1/mcp", headers={"x_api_key": world.box.keys["all"]})
    assert (answer.status, "POST" in answer.headers["allow"]) == (status, True)


def test_other_content_types_are_refused(world: World) -> None:
    answer = world.send(json.dumps(PING).encode(), content_type="text/plain")
    assert answer.status == 415


def test_body_over_the_limit_is_refused(world: World) -> None:
    most = world.box.box.settings.max_query_bytes
    assert world.send(b" " * (most + 1)).status == 413


@each("secret", ["", "svc_wrong", "revoked", "expired"])
def test_request_without_a_valid_key_is_told_where_the_resource_is_described(world: World, secret: str) -> None:
    secret = world.box.keys.get(secret, secret)  # type: ignore[call-overload]
    answer = world.box.post("/v1/mcp", PING, x_api_key=secret)
    described = "/.well-known/oauth-protected-resource/v1/mcp"
    assert (answer.status, described in answer.headers["www-authenticate"]) == (401, True)
    assert world.box.get(described).json["resource"].endswith("/v1/mcp")


def test_bearer_token_is_an_api_key(world: World) -> None:
    answer = world.box.post("/v1/mcp", PING, authorization=f"Bearer {world.box.keys['reading']}")
    assert answer.json["result"] == {}


def test_signed_in_person_without_a_key_is_refused(world: World) -> None:
    assert world.box.post("/v1/mcp", PING, cookie=world.box.cookie).status == 401


@each("headers", [{"origin": "https://evil.example"}, {"origin": "null"}, {"sec_fetch_site": "cross-site"}])
def test_page_of_another_site_is_refused_even_with_a_key(world: World, headers: dict[str, str]) -> None:
    assert world.send(PING, **headers).status == 403


def test_own_origin_is_accepted(world: World) -> None:
    assert world.send(PING, origin="http://localhost").json["result"] == {}


def test_server_is_announced_at_a_known_address(world: World) -> None:
    answer = world.box.get("/.well-known/mcp.json")
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.json["transport"]["endpoint"].endswith("/v1/mcp")
    assert answer.json["protocolVersions"][0] == MODERN
