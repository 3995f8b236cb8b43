"""POST /mcp: tool calls of MCP servers, up to 100 in a request, by API key (wire 4.5).

The same path serves the MCP server of the box, whose address is /v1/mcp: JSON-RPC messages are handed on to it.
Neither the arguments of a call nor its output are part of a report. A call has no visitor: it belongs to a website, or
to the organization of the key. Texts and numbers that are too long are cut, because no call must be lost over them.
"""

import asyncio
from hashlib import blake2b
from typing import Any, Final

import msgspec
from msgspec import Struct

from analytics_box.base import errors
from analytics_box.base.errors import ErrorDetail
from analytics_box.base.facts.event import Fact, FactSpan
from analytics_box.base.facts.tables import ATTRIBUTES
from analytics_box.base.identity import ApiKey
from analytics_box.base.settings import Settings
from analytics_box.base.translation import _
from analytics_box.ingest import happened
from analytics_box.ingest.delivery import MOST_EVENTS, DeliveryAnswer, EventDelivery, decode, limit, success
from analytics_box.ingest.enrich import EventSender, EventTarget, as_measured, event_time
from analytics_box.ingest.fingerprints import normalize_message
from analytics_box.ingest.gathering import sentence
from analytics_box.ingest.intake import Intake, key_for_events, secret_of, target_for_key
from analytics_box.ingest.payload import InvalidEvent
from analytics_box.ingest.prepared import sender_of
from analytics_box.web import body
from analytics_box.web.asgi import App, Message, Receive, Scope, Send
from analytics_box.web.recognition.paths import clean

SERVER: Final = "/v1/mcp"
# A call must name its tool, and a failure must have a text, even if the server knows none.
UNNAMED: Final = "(unnamed)"
NO_MESSAGE: Final = "(no message)"
_INVALID_KEY: Final = "MCP_INVALID_API_KEY"
_LONGEST_MS: Final = 86_400_000
_MOST_CHARS: Final = 2**31 - 1
_NO_ATTRIBUTES: Final = ("",) * len(ATTRIBUTES)


class McpCall(Struct, frozen=True, kw_only=True):
    """A call of a tool. `error` is the message of a call that failed, and is left out if it succeeded."""

    tool: str
    durationMs: float | None = None
    error: str | None = None
    outputChars: float | None = None
    clientName: str | None = None
    clientVersion: str | None = None
    serverName: str | None = None
    serverVersion: str | None = None
    sessionId: str | None = None
    userAgent: str | None = None
    timestamp: int | str | None = None
    environment: str | None = None
    websiteId: str | None = None


_CALLS = msgspec.json.Decoder(list[McpCall])


class _MessageHead(Struct, frozen=True):
    """The member that only JSON-RPC messages have."""

    jsonrpc: Any = None


_MESSAGES = msgspec.json.Decoder(_MessageHead | list[_MessageHead])


def beside_server(calls: App, server: App, settings: Settings) -> App:
    """The path that both share. `server` answers JSON-RPC messages and whatever is not sent with POST."""

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        if "refused" in scope or scope["method"] == "OPTIONS":
            await calls(scope, receive, send)
            return
        sent = b""
        if scope["method"] == "POST":
            try:
                sent = await body.read_body(
                    scope, receive, limit=settings.max_batch_bytes, seconds=settings.body_seconds
                )
            except errors.BoxError as refused:
                scope["refused"] = refused
                await calls(scope, receive, send)
                return
            if not is_json_rpc(sent):
                scope["body"] = sent
                await calls(scope, receive, send)
                return
        scope |= {"path": SERVER, "raw_path": SERVER.encode()}
        await server(scope, _replay(sent, receive), send)

    return serve


def is_json_rpc(sent: bytes) -> bool:
    """Return whether a body is a JSON-RPC message, or a batch that begins with one."""
    try:
        found = body.decode(_MESSAGES.decode, sent)
    except errors.BoxError:
        return False
    first = found[0] if isinstance(found, list) and found else found
    return isinstance(first, _MessageHead) and first.jsonrpc is not None


def _replay(sent: bytes, receive: Receive) -> Receive:
    """A body that was read already."""
    messages = [{"type": "http.request", "body": sent, "more_body": False}]

    async def replay() -> Message:
        if messages:
            return messages.pop()
        return await receive()

    return replay


async def take(intake: Intake, sent: EventDelivery) -> DeliveryAnswer:
    """All calls of a request, or none of them. Raises BoxError."""
    key = _key(intake, sent)
    intake.admission.enter(sent.scope, key, "ingest")
    limit(intake, sent.scope, f"apikey:{key.id}")
    calls = decode(_CALLS.decode, sent.body, "INVALID_EVENT_SCHEMA")
    if len(calls) > MOST_EVENTS:
        detail = ErrorDetail("body", _("Send up to {most} items").format(most=MOST_EVENTS))
        raise errors.BadRequest(detail.message, reason="INVALID_EVENT_SCHEMA", details=(detail,))
    now, sender = intake.clock.now(), sender_of(intake.geo, sent.scope, sent.headers)
    targets = {website_id: _target(intake, key, website_id) for website_id in {call.websiteId for call in calls}}
    facts: dict[EventTarget, list[Fact]] = {}
    for number, call in enumerate(calls):
        target = targets[call.websiteId]
        try:
            facts.setdefault(target, []).append(call_fact(call, target.site, now))
        except InvalidEvent as wrong:
            detail = ErrorDetail(f"[{number}].{wrong.detail.field}", wrong.detail.message)
            raise errors.BadRequest(str(wrong), reason="INVALID_EVENT_SCHEMA", details=(detail,)) from wrong
    outcomes = await asyncio.gather(*(_store(intake, own, sender, target, now) for target, own in facts.items()))
    return success(sent, b", ".join(outcomes) or happened.all_stored(0), type="mcp", count=len(calls))


async def _store(intake: Intake, facts: list[Fact], sender: EventSender, target: EventTarget, now: int) -> bytes:
    """Store the calls of one website and return what happened, as the header says it. Raises Unavailable."""
    appended = await intake.store(facts, sender, now=now, budget=target.budget, by_site=True)
    intake.dropped.stored += len(facts)
    return sentence(intake, facts, appended)


def _key(intake: Intake, sent: EventDelivery) -> ApiKey:
    """The key of a request, which may send events. Raises AuthRequired or Forbidden."""
    secret = secret_of(sent.headers)
    if secret is None:
        raise errors.AuthRequired(_("Send an API key as Authorization: Bearer"), reason=_INVALID_KEY)
    return key_for_events(intake, secret, _INVALID_KEY)


def _target(intake: Intake, key: ApiKey, website_id: str | None) -> EventTarget:
    """The website of a call; without one the only website of the key, else its organization.

    Raises Forbidden or NotFound.
    """
    if not website_id:
        website_id = next(iter(key.websites)) if key.websites is not None and len(key.websites) == 1 else None
    return target_for_key(intake, key, website_id)


def call_fact(call: McpCall, site: int, now: int) -> FactSpan:
    """A call as a fact. Raises InvalidEvent."""
    tool = clean(call.tool, 256) or UNNAMED
    error = group = ""
    if call.error is not None:
        # Failures are of one group if they are of one tool and their messages differ in numbers and the like only.
        error = clean(" ".join(call.error.split()), 512) or NO_MESSAGE
        cause = f"{tool}\n{normalize_message(error)}"
        group = blake2b(cause.encode(errors="surrogatepass"), digest_size=8).hexdigest()
    return FactSpan(
        table="mcp_calls",
        site=site,
        time=event_time(call.timestamp, by_key=True, now=now),
        visitor=0,
        yesterday=0,
        client_session=clean(call.sessionId or "", 128),
        path="",
        query_string="",
        attributes=_NO_ATTRIBUTES,
        own=(
            tool,
            as_measured(call.durationMs, _LONGEST_MS),
            as_measured(call.outputChars, _MOST_CHARS),
            error,
            group,
            clean(call.clientName or "", 128),
            clean(call.clientVersion or "", 64),
            clean(call.serverName or "", 128),
            clean(call.serverVersion or "", 64),
            clean(call.environment or "", 64),
            clean(call.userAgent or "", 512),
        ),
    )
