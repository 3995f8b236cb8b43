"""The usual request: events to /track (wire 4.2) or /batch (wire 4.3) from a person's page, or to /track by API key.

Nearly all requests are so, and most of what the long way finds out about them (web.front, ingest.serving and the
handlers of both routes) is the same as for the sender's last request. So the head of a page's request is looked up once
(ingest.prepared), and the answer is put together here. Events are decoded, understood, limited and stored by the
functions that all requests share.

Nothing is refused here. What is unusual takes the long way, with all that is known by then: the address that the
request was counted under, its body, what was raised. So both ways give the same answers and rows, which tests prove.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import repeat
from typing import Any

import msgspec
from msgspec import Struct

from analytics_box.base import errors, ids
from analytics_box.base.errors import BoxError, RateLimited
from analytics_box.base.facts.event import Event
from analytics_box.base.identity import ApiKey
from analytics_box.ingest import gathering, happened, page_events, payload
from analytics_box.ingest.delivery import MOST_EVENTS, charge, client_id, limit
from analytics_box.ingest.enrich import EventSender, EventTarget, understand
from analytics_box.ingest.intake import Intake, key_for_events, secret_of, target_for_key
from analytics_box.ingest.payload import Incoming, InvalidEvent
from analytics_box.ingest.prepared import PreparedSender, cors, sender_of
from analytics_box.ingest.serving import HAPPENED, JSON
from analytics_box.ingest.typed_events import EVENT_TYPES, TRACK
from analytics_box.ingest.visitors import Salts
from analytics_box.tenants.websites.directory import TrackingTarget
from analytics_box.web import body
from analytics_box.web.asgi import Headers, Receive, Scope, Send
from analytics_box.web.front import Shortcut, allowance_headers

Admit = Callable[[Scope], None]

_OF_KEY = frozenset((b"x-api-key", b"authorization"))
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError, InvalidEvent)


def shortcuts(intake: Intake, headers: Headers, admit: Admit) -> dict[str, Shortcut]:
    """The shortcuts of event routes by their path."""
    return {"/track": UsualTrack(intake, headers, admit), "/batch": UsualBatch(intake, headers, admit)}


class KeySender(Struct, frozen=True, gc=False):
    """The sender of a request with an API key that may send events."""

    sender: EventSender
    key: ApiKey
    identity: str
    cors: Headers


class UsualRequest:
    """The shortcut of a route.

    All answers have `headers`. `admit` checks a request whose sender is not remembered (web.front).
    """

    # Query parameters that may name the website, in addition to client_id.
    names: tuple[str, ...] = ()
    takes_keys = False

    def __init__(self, intake: Intake, headers: Headers, admit: Admit) -> None:
        self._intake = intake
        self._admit = admit
        settings = intake.settings
        self._most_bytes, self._most_event_bytes = settings.max_batch_bytes, settings.max_event_bytes
        self._seconds = settings.body_seconds
        self._headers = headers

    def decode(self, sent: bytes) -> Sequence[Incoming]:
        """Decode a body; nothing if the body is unusual. Raises one of _UNREADABLE."""
        raise NotImplementedError

    def success(self, incoming: Sequence[Incoming], request_id: str) -> bytes:
        """The body of the answer to events that are stored."""
        raise NotImplementedError

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> bool:
        """Store and answer a usual request; return False for any other (web.front)."""
        head = self._head(scope)
        if head is None:
            return False
        intake, sender = self._intake, head.sender
        try:
            sent = scope["body"] = await body.read_body(scope, receive, limit=self._most_bytes, seconds=self._seconds)
            sent.decode("utf-8")
            incoming = self.decode(sent)
            count = len(incoming)
            if not 1 <= count <= MOST_EVENTS:
                return False
            now = intake.clock.now()
            targets = self._targets(head, incoming)
            events = _understood(incoming, targets, sender, intake.salts.current(now), now) if targets else None
            if events is None:
                return False
            if isinstance(head, KeySender):
                intake.admission.enter(scope, head.key, "ingest")
            limit(intake, scope, head.identity)
            if count > 1 and not sender.by_key:
                charge(intake, head.identity, count)
            budget = None if isinstance(head, KeySender) else head.target.budget
            appended = await intake.store(events, sender, now=now, budget=budget)
        except _UNREADABLE:
            return False
        except Exception as refused:  # which the long way answers, counts and logs
            scope["refused"] = refused.with_traceback(None)
            return False
        intake.dropped.stored += count - len(appended.repeats)
        if appended.repeats or appended.folded:
            what_happened = gathering.sentence(intake, events, appended)
        else:
            what_happened = happened.all_stored(count)
        request_id = ids.new_request_id()
        start = [*head.cors, (HAPPENED, what_happened), JSON, (b"x-request-id", request_id.encode()), *self._headers]
        if scope["allowance"] is not None:
            start += allowance_headers(scope["allowance"])
        answer = self.success(incoming, request_id)
        try:
            await send({"type": "http.response.start", "status": 200, "headers": start})
            await send({"type": "http.response.body", "body": answer, "more_body": False})
        except Exception as gone:  # the client has left; its events are stored
            errors.forget_frames(gone)
        return True

    def _head(self, scope: Scope) -> PreparedSender | KeySender | None:
        """The sender of a request that is counted under the limit of its address; None for an unusual request."""
        pairs = scope["headers"]
        headers: dict[bytes, bytes] = dict(pairs)
        scope["headers_by_name"] = headers
        if len(headers) != len(pairs) or b"content-encoding" in headers:
            return None
        if not _OF_KEY.isdisjoint(headers):
            return self._with_key(scope, headers) if self.takes_keys else None
        return self._page(scope, headers)

    def _page(self, scope: Scope, headers: Mapping[bytes, bytes]) -> PreparedSender | None:
        intake = self._intake
        named = client_id(scope, headers, *self.names)
        tracked = intake.websites.tracked(named, intake.clock.now()) if named else None
        if tracked is None:
            return None
        page = intake.senders.known(tracked, scope, headers)
        if page is None:
            return self._new_page(tracked, scope)
        if not page.is_usual:
            return None
        scope["address"] = page.address
        try:
            intake.limits.take("address", page.sender.network, intake.settings.limit_address)
        except RateLimited as flood:
            scope["refused"], scope["flood"] = flood.with_traceback(None), True
            return None
        return page

    def _new_page(self, tracked: TrackingTarget, scope: Scope) -> PreparedSender | None:
        """The sender of a request, if it is not remembered."""
        self._admit(scope)
        if "refused" in scope or not tracked.website.active:
            return None
        try:
            page = self._intake.senders.prepare(tracked, scope, scope["headers_by_name"], self._intake.clock.now())
        except BoxError:
            return None  # The long way raises it again once it has read the body.
        return page if page.is_usual else None

    def _with_key(self, scope: Scope, headers: Mapping[bytes, bytes]) -> KeySender | None:
        intake, secret = self._intake, secret_of(headers)
        if secret is None:
            return None
        self._admit(scope)
        if "refused" in scope:
            return None
        try:
            key = key_for_events(intake, secret)
        except BoxError:
            return None
        sender = sender_of(intake.geo, scope, headers)
        return KeySender(sender, key, f"apikey:{key.id}", cors(headers.get(b"origin")))

    def _targets(self, head: PreparedSender | KeySender, incoming: Sequence[Incoming]) -> Iterable[EventTarget]:
        """The destination of each event; none if the key cannot send to one of them."""
        if isinstance(head, PreparedSender):
            return repeat(head.target)
        try:
            found = {name: target_for_key(self._intake, head.key, name) for name in {one.websiteId for one in incoming}}
        except BoxError:
            return ()
        return [found[one.websiteId] for one in incoming]


class UsualTrack(UsualRequest):
    """The shortcut of /track."""

    names = ("website_id",)
    takes_keys = True

    def decode(self, sent: bytes) -> Sequence[Incoming]:
        if not sent.startswith(b"{"):
            return payload.MANY.decode(sent)
        return [payload.ONE.decode(sent)] if len(sent) <= self._most_event_bytes else []

    def success(self, incoming: Sequence[Incoming], request_id: str) -> bytes:
        answer = b'{"status":"success","type":"custom_event","count":%d,"requestId":"%b"}'
        return answer % (len(incoming), request_id.encode())


class UsualBatch(UsualRequest):
    """The shortcut of /batch, for batches of nothing but page views and custom events."""

    def decode(self, sent: bytes) -> Sequence[Incoming]:
        items = _BATCH.decode(sent)
        for item in items:
            if item.payload is not None or (item.type or TRACK) not in EVENT_TYPES:
                return []
        return items

    def success(self, incoming: Sequence[Incoming], request_id: str) -> bytes:
        results = [page_events.success_verdict(given.type or TRACK, given.eventId) for given in incoming]
        fields = {"status": "success", "batch": True, "processed": len(results), "results": results}
        return msgspec.json.encode(fields | {"requestId": request_id})


class _BatchItem(Incoming, frozen=True, kw_only=True):
    """An item of a batch. Older trackers wrap the event itself into payload."""

    payload: Any = None


_BATCH = msgspec.json.Decoder(list[_BatchItem])


def _understood(
    incoming: Sequence[Incoming], targets: Iterable[EventTarget], sender: EventSender, salts: Salts, now: int
) -> list[Event] | None:
    """The events as facts; None unless all of them can be stored. Raises InvalidEvent."""
    events = []
    for given, target in zip(incoming, targets, strict=False):  # A page's events have one target, as often as needed.
        event = understand(given, target, sender, salts, now)
        if target.ignores(event.path, given.referrer):
            return None
        events.append(event)
    return events
