"""Tools: how one is declared, listed and called, and the table of all of them."""

import asyncio
from collections.abc import Mapping
from itertools import chain
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from analytics_box.app.mcp import changing, organization, reading
from analytics_box.app.mcp.bounds import fit
from analytics_box.app.mcp.caller import Caller
from analytics_box.app.mcp.schemas import schema_of
from analytics_box.app.mcp.tool import Tool
from analytics_box.base import errors
from analytics_box.base.errors import BoxError
from analytics_box.base.translation import _
from analytics_box.web import body
from analytics_box.web.rpc import plain_output

TOOLS: Final[Mapping[str, Tool]] = {
    tool.name: tool for tool in chain(reading.TOOLS, organization.TOOLS, changing.TOOLS)
}


def list_tools(caller: Caller) -> list[dict[str, Any]]:
    """The tools that this key can use, as tools/list shows them."""
    usable = [tool for tool in TOOLS.values() if caller.refusal(*tool.needs) is None]
    return [
        {
            "name": tool.name,
            "title": tool.title,
            "description": tool.description,
            "inputSchema": schema_of(tool.input),
            "outputSchema": schema_of(tool.output),
            "annotations": {
                "title": tool.title,
                "readOnlyHint": not tool.changes,
                "destructiveHint": tool.destructive,
                "idempotentHint": not tool.changes or tool.idempotent,
                "openWorldHint": False,
            },
        }
        for tool in usable
    ]


async def run_tool(tool: Tool, caller: Caller, arguments: bytes) -> dict[str, Any]:
    """The result of a tool. What goes wrong is a result too, with a text that says what to do."""
    try:
        refused = caller.refusal(*tool.needs)
        if refused is not None:
            raise refused
        try:
            given = body.decode(msgspec.json.Decoder(tool.input).decode, arguments)
        except errors.WrongTypes as wrong:
            raise body.bad_request(wrong, "arguments") from wrong
        answer = await tool.run(replace(caller, tool=tool.name), given)
        found = await asyncio.to_thread(lambda: fit(plain_output(answer)))
    except BoxError as failed:
        return {"content": [{"type": "text", "text": _in_words(failed)}], "isError": True}
    text = msgspec.json.encode(found).decode()
    return {"content": [{"type": "text", "text": text}], "structuredContent": found, "isError": False}


def _in_words(refused: BoxError) -> str:
    """A refusal for a model: what is wrong, where, and what to do next."""
    details = "; ".join(f"{one.field}: {one.whole}" for one in refused.details[:10])
    parts = [refused.message if not details else f"{refused.message} ({details})"]
    if isinstance(refused, errors.RateLimited):
        parts.append(
            _("Wait {seconds} seconds, then call again.").format(seconds=refused.extra().get("retryAfter", 60))
        )
    elif isinstance(refused, errors.Forbidden):
        parts.append(_("Ask the user for an API key with this scope or access (Settings → API keys)."))
    elif isinstance(refused, errors.NotFound):
        parts.append(_("List the resources to find a valid id."))
    return f"{refused.code}: " + " ".join(one if one.endswith((".", "!", "?")) else f"{one}." for one in parts)
