"""A box with a key for each scope, and MCP clients that call it."""

from collections.abc import Iterable
from typing import Any, Final

from analytics_box.base.identity import SCOPES, Scope
from tests.inprocess import Answer, WholeBox

MODERN, LATEST = "2026-07-28", "2025-11-25"
PREFIX = "io.modelcontextprotocol/"


# The tools of a key with one scope. A key with another scope is refused by all others.
BY_SCOPE: Final[dict[str, set[str]]] = {
    "read:data": {
        "list_websites",
        "describe_queries",
        "ask",
        "compare",
        "get_conversions",
        "get_behavior",
        "list_errors",
    },
    "track:events": set(),
    "read:links": {"list_links"},
    "write:links": {"save_link"},
    "read:monitors": {"describe_queries", "ask", "list_monitors"},
    "write:monitors": {"create_monitor"},
    "read:status_pages": {"list_incidents"},
    "write:status_pages": {"post_incident"},
    "manage:websites": {"create_note"},
    "manage:flags": {"list_flags", "change_flag"},
    "manage:config": set(),
}


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

    def arguments(self) -> dict[str, dict[str, Any]]:
        """Arguments with which each tool succeeds for a key with all scopes."""
        post, cookie = self.box.post, self.box.cookie
        flag = {"key": "checkout", "websiteId": self.site, "type": "rollout", "rolloutPercentage": 10}
        assert post("/flags/create", {**flag, "status": "active"}, cookie=cookie).status == 200
        page = post("/statusPage/create", {"name": "Status", "slug": "acme"}, cookie=cookie).json
        return {
            "list_websites": {},
            "describe_queries": {"search": "referrers"},
            "ask": {"websiteId": self.site, "queries": [{"parameters": ["summary_totals"], "preset": "last_7d"}]},
            "compare": {"websiteId": self.site},
            "get_conversions": {"websiteId": self.site},
            "get_behavior": {"websiteId": self.site, "kind": "journeys"},
            "list_errors": {"websiteId": self.site},
            "list_links": {},
            "list_monitors": {},
            "list_incidents": {},
            "list_flags": {"websiteId": self.site},
            "save_link": {"name": "Spring", "targetUrl": "https://example.com/spring"},
            "create_note": {"websiteId": self.site, "date": "2026-06-16", "text": "Launch"},
            "change_flag": {"websiteId": self.site, "key": "checkout", "rolloutPercentage": 25},
            "create_monitor": {"url": "https://example.com/health"},
            "post_incident": {"statusPageId": page["id"], "title": "Slow", "message": "We are looking into it."},
        }

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
