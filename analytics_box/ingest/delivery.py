"""A delivery of events and its answer, and what all event routes do with both (wire 4.6 and 4.8)."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, TypeVar
from urllib.parse import parse_qs

import msgspec
from msgspec import Struct

from analytics_box.base import errors
from analytics_box.base.translation import _
from analytics_box.ingest.intake import Intake
from analytics_box.ingest.prepared import PreparedSender
from analytics_box.tenants.websites.directory import TrackingTarget
from analytics_box.web import body
from analytics_box.web.asgi import Scope

MOST_EVENTS = 100  # in one array
EVENTS_A_TOKEN = 10  # of one request of a page
_NAMES = ("website_id", "client_id")  # of a website, in a query string
_MOST_FIELDS = 200
_SHORT = 256  # bytes of a query string that is worth remembering

Headers = Mapping[bytes, bytes]
T = TypeVar("T")


class EventDelivery(Struct, frozen=True):
    """A request of a sender, read to its end."""

    scope: Scope
    headers: Headers
    body: bytes


class DeliveryAnswer(Struct, frozen=True):
    """The answer to a delivery. `happened` goes into the header X-Analytics-Box."""

    status: int
    body: bytes
    happened: bytes = b""


def success(sent: EventDelivery, happened: bytes, **fields: Any) -> DeliveryAnswer:
    """The answer of success with these fields: everything that was to be stored is on disk."""
    fields = {"status": "success", **fields, "requestId": sent.scope["request_id"]}
    return DeliveryAnswer(200, msgspec.json.encode(fields), happened)


def nothing(happened: bytes) -> DeliveryAnswer:
    """The answer to bots: no body (wire 4.2, bots)."""
    return DeliveryAnswer(204, b"", happened)


def decode(read: Callable[[bytes], T], sent: bytes, reason: str) -> T:
    """The body as JSON of the wanted shape; on these routes everything else is a 400 (wire 0)."""
    try:
        return body.decode(read, sent)
    except (errors.BrokenBody, errors.WrongTypes) as wrong:
        raise body.bad_request(wrong, "body", reason) from wrong


def client_id(scope: Scope, headers: Headers, *names: str) -> str | None:
    """The website id of a request: in the query under one of these names or client_id, else in the header."""
    text = scope["query_string"]
    if text:
        query = _known_query(text) if len(text) <= _SHORT else _query(text)
        for name in (*names, "client_id"):
            if name in query:
                return query[name]
    header = headers.get(b"databuddy-client-id")
    return header.decode("latin-1") if header else None


@lru_cache(maxsize=2_000)
def _known_query(text: bytes) -> dict[str, str]:
    """The names of a website in a query string; a tracker sends the same ones with every event. Not to be changed."""
    return _query(text)


def _query(text: bytes) -> dict[str, str]:
    try:
        found = parse_qs(text.decode("latin-1"), max_num_fields=_MOST_FIELDS)
    except ValueError:
        # Taking thousands apart would cost more than the event.
        return {}
    return {name: found[name][0] for name in _NAMES if name in found}


def client_website(intake: Intake, sent: EventDelivery) -> TrackingTarget:
    """The website that a page's tracker names. Raises BadRequest."""
    website_id = client_id(sent.scope, sent.headers)
    if not website_id:
        raise errors.BadRequest(_("Send the website's client ID as client_id"), reason="INGEST_MISSING_CLIENT_ID")
    tracked = intake.websites.tracked(website_id, intake.clock.now())
    if tracked is None or not tracked.website.active:
        raise errors.BadRequest(_("No website has this client ID"), reason="INGEST_INVALID_CLIENT_ID")
    sent.scope["site"] = tracked.website.site
    return tracked


def prepare_delivery(intake: Intake, sent: EventDelivery, tracked: TrackingTarget) -> PreparedSender:
    """The sender and the destination of a website's events. Raises Forbidden for a page or address that may not."""
    known = intake.senders.known(tracked, sent.scope, sent.headers)
    return known or intake.senders.prepare(tracked, sent.scope, sent.headers, intake.clock.now())


def limit(intake: Intake, scope: Scope, identity: str) -> None:
    """Spec 8: 600 requests per 60 s and API key, or website and address, on all event routes together.

    Raises RateLimited.
    """
    scope["allowance"] = intake.limits.take(
        "events", identity, intake.settings.limit_track, reason="TRACK_RATE_LIMITED"
    )


def charge(intake: Intake, identity: str, events: int) -> None:
    """Count a page's request with many events as several, so that what one address may store has a bound."""
    more = (events - 1) // EVENTS_A_TOKEN
    if more > 0:
        intake.limits.owe("events", identity, intake.settings.limit_track, more)
