"""A box with a key for each scope, and MCP clients that call it."""

from collections.abc import Iterable
from typing import Any

from analytics_box.base.identity import SCOPES, Scope
from tests.inprocess import Answer, WholeBox

MODERN, LATEST = "2026-07-28", "2025-11-25"
PREFIX = "io.modelcontextprotocol/"


class World:
    """A whole box and the secrets of its keys."""

    def __init__(self, box: WholeBox) -> None:
        self.box = box
        self.site = box.sites["shop"]
        self.only = {scope: self.key(scope) for scope in SCOPES}

    def key(self, *scopes: Scope, websites: Iterable[str] = ()) -> str:
        """The secret of a new key with these scopes, on these websites or everywhere."""
        only = {"resources": {website: [*scopes] for website in websites}} if websites else {"scopes": [*scopes]}
        answer = self.box.post("/apikeys/create", {"name": "K", **only}, cookie=self.box.cookie)
        assert answer.status == 200, answer.body
        secret: str = answer.json["secret"]
        return secret

    def send(self, content: object, secret: str = "", **headers: str) -> Answer:
        """POST /v1/mcp with this body."""
        sent: dict[str, Any] = {"x_api_key": secret or self.box.keys["all"], **headers}
        return self.box.post("/v1/mcp", content, **sent)

    def request(self, method: str, secret: str = "", **params: Any) -> dict[str, Any]:
        """The answer to a request of a client that shook hands."""
        message = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
        answer = self.send(message, secret, mcp_protocol_version=LATEST)
        assert answer.status == 200, answer.body
        found: dict[str, Any] = answer.json
        assert found["id"] == 7
        return found

    def result(self, method: str, secret: str = "", **params: Any) -> dict[str, Any]:
        """The result of a request that succeeds."""
        found: dict[str, Any] = self.request(method, secret, **params)["result"]
        return found

    def tool(self, called: str, secret: str = "", **arguments: Any) -> dict[str, Any]:
        """The structured answer of a tool that succeeds."""
        found = self.result("tools/call", secret, name=called, arguments=arguments)
        assert not found["isError"], found
        structured: dict[str, Any] = found["structuredContent"]
        return structured

    def refused(self, called: str, secret: str = "", **arguments: Any) -> str:
        """The text of a tool that fails."""
        found = self.result("tools/call", secret, name=called, arguments=arguments)
        assert found["isError"], found
        text: str = found["content"][0]["text"]
        return text


def modern(method: str, version: str = MODERN, **params: Any) -> dict[str, Any]:
    """A request of the revision without a handshake."""
    meta = {f"{PREFIX}protocolVersion": version, f"{PREFIX}clientCapabilities": {}}
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
