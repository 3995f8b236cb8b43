"""The usual request: events of a page to /track (wire 4.2) or /batch (wire 4.3), whose sender is a person.

Nearly all requests are so, and most of what the long way finds out about them (web.front, ingest.serving and the
handlers of both routes) is the same as for the sender's last request. So their head is looked up once
(ingest.prepared), and the answer is put together here. Events are decoded, understood, limited and stored by the
functions that all requests share.

Nothing is refused here. What is unusual takes the long way, with all that is known by then: the address that the
request was counted under, its body, what was raised. So both ways give the same answers and rows, which tests prove.
"""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from analytics_box.base import errors, ids
from analytics_box.base.errors import BoxError, RateLimited
from analytics_box.base.facts.event import Event
from analytics_box.ingest import gathering, happened, page_events, payload
from analytics_box.ingest.delivery import MOST_EVENTS, charge, client_id, limit
from analytics_box.ingest.enrich import understand
from analytics_box.ingest.intake import Intake
from analytics_box.ingest.payload import Incoming, InvalidEvent
from analytics_box.ingest.prepared import PreparedSender
from analytics_box.ingest.serving import HAPPENED, JSON
from analytics_box.ingest.typed_events import EVENT_TYPES, TRACK
from analytics_box.ingest.visitors import Salts
from analytics_box.tenants.websites.directory import TrackingTarget
from analytics_box.web import body
from analytics_box.web.asgi import Headers, Receive, Scope, Send
from analytics_box.web.front import Shortcut, allowance_headers

Admit = Callable[[Scope], None]

_UNUSUAL = frozenset((b"x-api-key", b"authorization", b"content-encoding"))
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError, InvalidEvent)


def shortcuts(intake: Intake, headers: Headers, admit: Admit) -> dict[str, Shortcut]:
    """The shortcuts of event routes by their path."""
    return {"/track": UsualTrack(intake, headers, admit), "/batch": UsualBatch(intake, headers, admit)}


class UsualRequest:
    """The shortcut of a route.

    All answers have `headers`. `admit` checks a request whose sender is not remembered (web.front).
    """

    # Query parameters that may name the website, in addition to client_id.
    names: tuple[str, ...] = ()

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
        page = self._page(scope)
        if page is None:
            return False
        intake = self._intake
        try:
            sent = scope["body"] = await body.read_body(scope, receive, limit=self._most_bytes, seconds=self._seconds)
            sent.decode("utf-8")
            incoming = self.decode(sent)
            count = len(incoming)
            if not 1 <= count <= MOST_EVENTS:
                return False
            now = intake.clock.now()
            events = _understood(incoming, page, intake.salts.current(now), now)
            if events is None:
                return False
            limit(intake, scope, page.identity)
            if count > 1:
                charge(intake, page.identity, count)
            appended = await intake.store(events, page.sender, now=now, budget=page.target.budget)
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
        start = [*page.cors, (HAPPENED, what_happened), JSON, (b"x-request-id", request_id.encode()), *self._headers]
        if scope["allowance"] is not None:
            start += allowance_headers(scope["allowance"])
        answer = self.success(incoming, request_id)
        try:
            await send({"type": "http.response.start", "status": 200, "headers": start})
            await send({"type": "http.response.body", "body": answer, "more_body": False})
        except Exception as gone:  # the client has left; its events are stored
            errors.forget_frames(gone)
        return True

    def _page(self, scope: Scope) -> PreparedSender | None:
        """The sender of a request that is counted under the limit of its address; None for an unusual request."""
        intake, pairs = self._intake, scope["headers"]
        headers = scope["headers_by_name"] = dict(pairs)
        if len(headers) != len(pairs) or not _UNUSUAL.isdisjoint(headers):
            return None
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


class UsualTrack(UsualRequest):
    """The shortcut of /track."""

    names = ("website_id",)

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


def _understood(incoming: Sequence[Incoming], page: PreparedSender, salts: Salts, now: int) -> list[Event] | None:
    """The events as facts; None unless all of them can be stored. Raises InvalidEvent."""
    target, sender = page.target, page.sender
    events = []
    for given in incoming:
        event = understand(given, target, sender, salts, now)
        if target.ignores(event.path, given.referrer):
            return None
        events.append(event)
    return events
