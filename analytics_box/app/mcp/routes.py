"""POST /v1/mcp: the messages of MCP clients, over HTTP."""

from typing import Any

import msgspec
from litestar import Request, Response
from litestar.di import NamedDependency
from msgspec import UNSET

from analytics_box import __version__
from analytics_box.app.mcp import protocol
from analytics_box.app.mcp.caller import Caller
from analytics_box.app.mcp.protocol import ProtocolError, RpcAnswer, RpcError
from analytics_box.app.mcp.server import answer_request
from analytics_box.base import errors
from analytics_box.base.translation import _
from analytics_box.web import body
from analytics_box.web.call import Call, Parts
from analytics_box.web.guard import Guard, check_same_origin
from analytics_box.web.route import RESOURCE
from analytics_box.web.well_known import OPEN

PATH = "/v1/mcp"
_JSON = (b"application/json",)


async def answer(request: Request[Any, Any, Any], call: NamedDependency[Call]) -> Response[bytes]:
    """Answer a JSON-RPC message of an MCP client (streamable HTTP, without sessions).

    Notifications are accepted with 202. A batch of messages is answered for revisions up to 2025-03-26. Raises
    AuthRequired without an API key, and Forbidden for a page of another site.
    """
    if call.identity.key is None:
        described = f'Bearer resource_metadata="{call.parts.settings.public_url}{RESOURCE}{PATH}"'
        raise errors.AuthRequired(
            _("Authentication required: send an API key"), headers={"WWW-Authenticate": described}
        )
    check_same_origin(request)
    settings = call.parts.settings
    sent = await body.of_request(request, wanted=_JSON, limit=settings.max_query_bytes, seconds=settings.body_seconds)
    held: Guard = request.scope["guard"]  # type: ignore[typeddict-item]  # Set by the application.
    caller = Caller(call.identity, call.parts, held.owners, call.now)
    if sent.lstrip()[:1] != b"[":
        status, one = await _answer_one(caller, sent, request)
        return _response(status, one)
    version = request.headers.get("mcp-protocol-version", protocol.UNNAMED)
    try:
        messages = protocol.read_batch(sent, version)
    except ProtocolError as wrong:
        return _response(wrong.status, RpcAnswer(error=RpcError(wrong.code, wrong.message)))
    answers = [(await _answer_one(caller, one, request))[1] for one in messages]
    return _response(200, [one for one in answers if one is not None] or None)


async def server_card(parts: NamedDependency[Parts]) -> Response[bytes]:
    """The address of the MCP server and how clients authenticate."""
    url = parts.settings.public_url
    described = {
        "name": "analytics-box",
        "title": "Analytics Box",
        "version": __version__,
        "description": "Web analytics, short links, monitors, status pages and feature flags",
        "documentationUrl": f"{url}/docs/mcp",
        "protocolVersions": [*protocol.SUPPORTED],
        "transport": {"type": "streamable-http", "endpoint": f"{url}{PATH}"},
        "capabilities": {"tools": {}, "resources": {}, "prompts": {}},
        "authentication": {
            "required": True,
            "schemes": ["bearer"],
            "resourceMetadata": f"{url}{RESOURCE}{PATH}",
        },
    }
    return Response(msgspec.json.encode(described), media_type="application/json", headers=OPEN)


async def _answer_one(
    caller: Caller, sent: bytes | msgspec.Raw, request: Request[Any, Any, Any]
) -> tuple[int, RpcAnswer | None]:
    """The status and the answer to a message; no answer to a notification."""
    known: int | str | msgspec.UnsetType = UNSET
    try:
        message = protocol.read_message(sent)
        if message.id is UNSET or message.method is UNSET:
            return 202, None
        known = message.id or 0
        return 200, RpcAnswer(id=known, result=await answer_request(caller, message, request.headers))
    except ProtocolError as wrong:
        return wrong.status, RpcAnswer(id=known, error=RpcError(wrong.code, wrong.message, wrong.data))


def _response(status: int, answered: RpcAnswer | list[RpcAnswer] | None) -> Response[bytes]:
    if answered is None:
        return Response(b"", status_code=202, headers={"cache-control": "no-store"})
    content = msgspec.json.encode(answered)
    return Response(content, status_code=status, media_type="application/json", headers={"cache-control": "no-store"})
