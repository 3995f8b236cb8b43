"""GET /px.jpg: one event in the address, for pages that may not run scripts (wire 4.5).

The answer is a picture whatever was sent; only where sending again helps it is an empty answer with its true status.
"""

import math
import re
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from analytics_box.base import errors
from analytics_box.base.errors import BoxError
from analytics_box.base.translation import _
from analytics_box.ingest import happened, payload, serving, spans, typed_events
from analytics_box.ingest.delivery import EventDelivery, client_website, limit, prepare_delivery
from analytics_box.ingest.gathering import Gathering
from analytics_box.ingest.intake import Intake
from analytics_box.ingest.page_events import WRONG
from analytics_box.ingest.typed_events import UnknownType
from analytics_box.web import render
from analytics_box.web.asgi import App, Receive, Scope, Send, respond

GIF = bytes.fromhex("47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002024401003b")
_HEADERS = [
    (b"content-type", b"image/gif"),
    (b"cache-control", b"no-cache, no-store, must-revalidate, private"),
    (b"cross-origin-resource-policy", b"cross-origin"),
]
_MOST_FIELDS = 200
_DEEPEST = 4  # of key[sub][sub]
_WHOLE = re.compile(r"-?[0-9]+")
_KEY = re.compile(r"([^\[\]]+)((?:\[[^\[\]]*\])*)\Z")


def _numbers() -> frozenset[str]:
    """The fields that are numbers, in any kind of event."""
    found = set()
    for kind in (payload.Incoming, spans.PageError, spans.OldVitals, typed_events.OutgoingLink):
        for field in msgspec.structs.fields(kind):
            if any(word in str(field.type) for word in ("float", "int")):
                found.add(field.encode_name)
    return frozenset(found)


_NUMBERS = _numbers()
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}
_FLAGS = {"anonymizeVisitorIds": _BOOLEANS, "interactive": _BOOLEANS}


def serve(intake: Intake) -> App:
    """The route. A page that embeds the picture sends no Origin, so nothing here speaks of CORS."""

    async def serve_pixel(scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        refused = scope.pop("refused", None)
        if refused is not None and not render.is_retryable(refused):
            raise refused  # the request is not for this box
        try:
            if refused is not None:
                raise refused
            if scope["method"] != "GET":
                raise errors.MethodNotAllowed(_("Ask for the picture with GET"), headers={"Allow": "GET"})
            if "head" in scope:  # HTTP calls it safe: it asks about the picture, and nobody has seen that
                said = happened.NOT_STORED % b"head_request"
            else:
                said = await _take(intake, EventDelivery(scope, headers, b""))
        except BoxError as error:
            errors.forget_frames(error)
            said = serving.count_refusal(intake, scope, headers, error)
            what_happened = (serving.HAPPENED, said)
            if error.status == 405:
                refusal = render.ingest_body(error, scope["request_id"])
                await respond(send, error.status, [*render.header_list(error), what_happened], refusal)
                return
            if render.is_retryable(error):
                again = error.headers.get("Retry-After", "5").encode()
                await respond(send, error.status, [(b"retry-after", again), what_happened])
                return
        await respond(send, 200, [*_HEADERS, (serving.HAPPENED, said)], GIF)

    return serve_pixel


async def _take(intake: Intake, sent: EventDelivery) -> bytes:
    """Take the event; what became of it. Raises BoxError."""
    page = prepare_delivery(intake, sent, client_website(intake, sent))
    limit(intake, sent.scope, page.identity)
    gathering = Gathering(intake, page.sender)
    try:
        typed_events.add(gathering, msgspec.json.encode(fields(sent.scope["query_string"])), page.target)
    except UnknownType as unknown:
        raise errors.BadRequest(str(unknown), reason="INGEST_UNKNOWN_EVENT_TYPE") from unknown
    except (*WRONG, ValueError) as wrong:
        raise errors.BadRequest(_("The URL contains no event"), reason="INVALID_EVENT_SCHEMA") from wrong
    return await gathering.store()


def fields(query: bytes) -> dict[str, Any]:
    """The event that a query string holds: `key[sub]` is a field of a field, and `properties` is JSON text.

    Raises ValueError for what cannot be read.
    """
    event: dict[str, Any] = {}
    text = query.decode("ascii")
    for key, value in parse_qsl(text, keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="strict"):
        matched = _KEY.match(key)
        if matched is None:
            continue
        names = [matched[1], *re.findall(r"\[([^\[\]]*)\]", matched[2])]
        if len(names) > _DEEPEST:
            raise ValueError("The names are nested too deeply")
        place = event
        for name in names[:-1]:
            inner = place.setdefault(name, {})
            if not isinstance(inner, dict):
                raise ValueError(f"{name} is both a value and an object")
            place = inner
        place[names[-1]] = _value(names, value)
    return event


def _value(names: list[str], text: str) -> Any:
    name = names[-1]
    if "properties" in names[:-1]:
        return text
    if name == "properties":
        return msgspec.json.decode(text) if text else None
    if name in _FLAGS:
        return _FLAGS[name].get(text, text)
    if name in _NUMBERS:
        return _number(text)
    return text


def _number(text: str) -> int | float | str | None:
    """Text as the number that it writes; other text as it is, and none where it is empty."""
    if not text:
        return None
    try:
        number = int(text) if len(text) < 20 and _WHOLE.fullmatch(text) else float(text)
    except ValueError:
        return text
    return number if math.isfinite(number) else text
