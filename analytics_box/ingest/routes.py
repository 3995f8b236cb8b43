"""POST /track, POST / and POST /batch (wire 4): raw handlers, because here every microsecond counts.

An answer of success means that the event is on disk.
"""

from collections.abc import Awaitable, Callable, Mapping
from functools import lru_cache
from typing import Any, TypeVar
from urllib.parse import parse_qs

import msgspec

from analytics_box import errors
from analytics_box.errors import BoxError, Detail
from analytics_box.http import body, render
from analytics_box.http.asgi import App, Receive, Scope, Send, respond
from analytics_box.ingest import payload
from analytics_box.ingest.enrich import Sender, Target, understand
from analytics_box.ingest.facts import Event
from analytics_box.ingest.intake import (
    Intake,
    admit,
    key_for_events,
    secret_of,
    sender_of,
    target_for_key,
    target_of,
)
from analytics_box.ingest.payload import Incoming, InvalidEvent
from analytics_box.websites.directory import Tracked

MOST_EVENTS = 100  # in one array
Headers = Mapping[bytes, bytes]
Answer = tuple[int, bytes]
T = TypeVar("T")
Handler = Callable[[Intake, Scope, Headers, bytes], Awaitable[Answer]]

_PREFLIGHT = [
    (b"access-control-allow-methods", b"POST, GET, OPTIONS"),
    (
        b"access-control-allow-headers",
        b"Content-Type, Authorization, X-Requested-With, "
        b"databuddy-client-id, databuddy-sdk-name, databuddy-sdk-version",
    ),
    (b"access-control-max-age", b"86400"),
]
_JSON = (b"content-type", b"application/json")
_NO_BODY: Answer = (204, b"")
_SHORT = 256  # bytes of a query string that is worth remembering


def handlers(intake: Intake) -> dict[str, App]:
    """The event routes by their path."""
    return {
        "/track": _route(intake, _track, "TRACK"),
        "/": _route(intake, _page_event, "INGEST"),
        "/batch": _route(intake, _batch, "INGEST"),
    }


def _route(intake: Intake, handler: Handler, family: str) -> App:
    """Wrap a handler: CORS, body, refusals in the ingest family's shape."""

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        cors = _cors(headers.get(b"origin"))
        if scope["method"] == "OPTIONS":
            await respond(send, 204, [*cors, *_PREFLIGHT])
            return
        try:
            if scope["method"] != "POST":
                raise errors.MethodNotAllowed("Send events with POST", headers={"Allow": "POST, OPTIONS"})
            status, answer = await handler(intake, scope, headers, await _body(intake, receive, headers, family))
        except BoxError as error:
            refusal = render.ingest_body(error, scope["request_id"])
            await respond(send, error.status, [*render.header_list(error), *cors], refusal)
        else:
            await respond(send, status, [_JSON, *cors] if answer else cors, answer)

    return serve


def _cors(origin: bytes | None) -> list[tuple[bytes, bytes]]:
    """Beacons with a JSON body are lost unless the origin is echoed and credentials allowed; no cookie is read."""
    if origin is None:
        return []
    return [
        (b"access-control-allow-origin", origin),
        (b"access-control-allow-credentials", b"true"),
        (b"vary", b"Origin"),
    ]


async def _body(intake: Intake, receive: Receive, headers: Headers, family: str) -> bytes:
    """The body, as JSON or as text: beacons cannot send JSON without a preflight."""
    if headers.get(b"content-encoding", b"identity") != b"identity":
        raise errors.UnsupportedMediaType("Send events without Content-Encoding")
    settings = intake.settings
    try:
        return await body.read(receive, limit=settings.max_batch_bytes, seconds=settings.body_seconds)
    except errors.PayloadTooLarge as large:
        raise errors.PayloadTooLarge(large.message, reason=f"{family}_PAYLOAD_TOO_LARGE") from large


async def _track(intake: Intake, scope: Scope, headers: Headers, sent: bytes) -> Answer:
    """One event or up to 100, by API key or website id (wire 4.2)."""
    secret = secret_of(headers)
    key = key_for_events(intake, secret) if secret is not None else None
    sender = sender_of(headers, scope["address"], by_key=key is not None)
    if key is not None:
        intake.admission.enter(scope, key, "ingest")
        limit(intake, scope, f"apikey:{key.id}")
    events = _decode_events(sent, intake.settings.max_event_bytes)

    targets: dict[str | None, Target] = {}
    if key is not None:
        for website_id in {event.websiteId for event in events}:
            targets[website_id] = target_for_key(intake, key, website_id)
    else:
        website_id = _client_id(scope, headers, "website_id") or (events[0].websiteId if events else None)
        tracked = _tracked_website(intake, website_id)
        target = _target(tracked, headers, scope)
        limit(intake, scope, f"website:{tracked.website.id}:{sender.network}")
        targets = dict.fromkeys({event.websiteId for event in events}, target)

    facts = _understand_all(intake, events, targets, sender)
    if facts:
        await intake.store(facts)
    if sender.bot:
        return _NO_BODY
    return 200, _success(scope, type="custom_event", count=len(events))


async def _page_event(intake: Intake, scope: Scope, headers: Headers, sent: bytes) -> Answer:
    """One event of a page, by client id (wire 4.3)."""
    tracked = _client_website(intake, scope, headers)
    target = _target(tracked, headers, scope)
    sender = sender_of(headers, scope["address"], by_key=False)
    limit(intake, scope, f"website:{tracked.website.id}:{sender.network}")
    event = _decode(payload.ONE.decode, sent, "INVALID_EVENT_SCHEMA")
    if event.type not in {None, "track"}:
        raise errors.BadRequest("Events of this type are not taken here", reason="INGEST_UNKNOWN_EVENT_TYPE")
    facts = _understand_all(intake, [event], {event.websiteId: target}, sender)
    if facts:
        await intake.store(facts)
    return _NO_BODY if sender.bot else (200, _success(scope, type="track"))


async def _batch(intake: Intake, scope: Scope, headers: Headers, sent: bytes) -> Answer:
    """Up to 100 events of pages; each gets its own verdict (wire 4.3)."""
    tracked = _client_website(intake, scope, headers)
    target = _target(tracked, headers, scope)
    sender = sender_of(headers, scope["address"], by_key=False)
    limit(intake, scope, f"website:{tracked.website.id}:{sender.network}")
    items = _decode(payload.ITEMS.decode, sent, "INGEST_BATCH_NOT_ARRAY")
    if len(items) > MOST_EVENTS:
        raise errors.BadRequest(f"A batch may hold {MOST_EVENTS} events", reason="INGEST_BATCH_TOO_LARGE")
    facts: list[Event] = []
    results = [_take_item(intake, item, target, sender, facts) for item in items]
    if facts:
        await intake.store(facts)
    return 200, _success(scope, batch=True, processed=len(results), results=results)


def _take_item(intake: Intake, item: msgspec.Raw, target: Target, sender: Sender, facts: list[Event]) -> dict[str, Any]:
    """The verdict on one item of a batch; a good one is added to the facts unless its website ignores it."""
    try:
        event = payload.ONE.decode(item)
        if event.type not in {None, "track"}:
            return {"status": "error", "message": "Unknown event type", "eventType": event.type}
        now = intake.clock.now()
        fact = understand(event, target=target, sender=sender, salts=intake.salts.current(now), now=now)
        if not target.ignores(fact):
            facts.append(fact)
    except (msgspec.DecodeError, RecursionError, InvalidEvent) as wrong:
        detail = _detail(wrong)
        return {
            "status": "error",
            "message": "Invalid event schema",
            "code": "INVALID_EVENT_SCHEMA",
            "eventType": "track",
            "eventId": payload.event_id_of(item),
            "errors": [{"code": "INVALID_VALUE", "field": detail.field, "message": detail.message}],
        }
    if sender.bot:
        return {"status": "error", "message": "Bot detected", "eventType": "track", "error": "ignored"}
    return {"status": "success", "type": "track", "eventId": event.eventId}


def _understand_all(
    intake: Intake, events: list[Incoming], targets: Mapping[str | None, Target], sender: Sender
) -> list[Event]:
    """All events as facts, without those that their website ignores.

    Raises BadRequest for the first that cannot be taken; then none is.
    """
    now = intake.clock.now()
    salts = intake.salts.current(now)
    facts = []
    try:
        for event in events:
            target = targets[event.websiteId]
            fact = understand(event, target=target, sender=sender, salts=salts, now=now)
            if not target.ignores(fact):
                facts.append(fact)
    except InvalidEvent as wrong:
        raise errors.BadRequest(str(wrong), reason="INVALID_EVENT_SCHEMA", details=(wrong.detail,)) from wrong
    return facts


def _decode_events(sent: bytes, most_bytes: int) -> list[Incoming]:
    decoded: Incoming | list[Incoming] = _decode(payload.ONE_OR_MANY.decode, sent, "TRACK_INVALID_BODY")
    if isinstance(decoded, Incoming):
        if len(sent) > most_bytes:
            raise errors.PayloadTooLarge(f"One event may have {most_bytes:,} bytes", reason="TRACK_PAYLOAD_TOO_LARGE")
        return [decoded]
    if not 1 <= len(decoded) <= MOST_EVENTS:
        raise errors.BadRequest(f"Send 1 to {MOST_EVENTS} events at once", reason="TRACK_INVALID_BODY")
    return decoded


def _decode(decode: Callable[[bytes], T], sent: bytes, reason: str) -> T:
    """The body as JSON of the wanted shape; on these routes everything else is a 400 (wire 0)."""
    try:
        return body.decode(decode, sent)
    except (errors.BrokenBody, errors.WrongTypes) as wrong:
        details = tuple(
            Detail(detail.field.removeprefix("body.").removeprefix("body") or "body", detail.message)
            for detail in wrong.details
        )
        message = f"{details[0].field}: {details[0].message}" if details else wrong.message
        raise errors.BadRequest(message, reason=reason, details=details) from wrong


def _detail(wrong: Exception) -> Detail:
    if isinstance(wrong, InvalidEvent):
        return wrong.detail
    if isinstance(wrong, msgspec.ValidationError):
        return payload.wrong_field(wrong)
    return Detail("body", "This cannot be read")


def _client_id(scope: Scope, headers: Headers, *names: str) -> str | None:
    """The website id of a request: in the query under one of these names or client_id, else in the header."""
    text = scope["query_string"]
    if text:
        query = _known_query(text) if len(text) <= _SHORT else parse_qs(text.decode("latin-1"))
        for name in (*names, "client_id"):
            if name in query:
                return query[name][0]
    header = headers.get(b"databuddy-client-id")
    return header.decode("latin-1") if header else None


@lru_cache(maxsize=2_000)
def _known_query(text: bytes) -> dict[str, list[str]]:
    """The parameters of a query string; a tracker sends the same ones with every event. Not to be changed."""
    return parse_qs(text.decode("latin-1"))


def _target(tracked: Tracked, headers: Headers, scope: Scope) -> Target:
    """Where the events of this page go. Raises Forbidden for a page or address that may not send any."""
    return target_of(tracked.website, tracked.door, admit(tracked.door, headers, scope["address"]))


def _tracked_website(intake: Intake, website_id: str | None) -> Tracked:
    """The website that /track names. Raises AuthRequired or NotFound."""
    if not website_id:
        raise errors.AuthRequired(
            "Send an API key, or the website's id as website_id", reason="TRACK_MISSING_CREDENTIALS"
        )
    tracked = intake.websites.tracked(website_id, intake.clock.now())
    if tracked is None or not tracked.website.active:
        raise errors.NotFound("There is no website with this id", reason="TRACK_WEBSITE_NOT_FOUND")
    return tracked


def _client_website(intake: Intake, scope: Scope, headers: Headers) -> Tracked:
    """The website that a page's tracker names. Raises BadRequest or Forbidden."""
    website_id = _client_id(scope, headers)
    if not website_id:
        raise errors.BadRequest("Send the website's id as client_id", reason="INGEST_MISSING_CLIENT_ID")
    tracked = intake.websites.tracked(website_id, intake.clock.now())
    if tracked is None or not tracked.website.active:
        raise errors.BadRequest("There is no website with this id", reason="INGEST_INVALID_CLIENT_ID")
    return tracked


def limit(intake: Intake, scope: Scope, identity: str) -> None:
    """Spec 8: per route 600 requests per 60 s and API key, or website and address. Raises RateLimited."""
    scope["allowance"] = intake.limits.take(
        scope["path"], identity, intake.settings.limit_track, reason="TRACK_RATE_LIMITED"
    )


def _success(scope: Scope, **fields: Any) -> bytes:
    return msgspec.json.encode({"status": "success", **fields, "requestId": scope["request_id"]})
