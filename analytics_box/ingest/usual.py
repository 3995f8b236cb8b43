"""The usual request: events of a page to /track, from a sender that was here a moment ago (wire 4.2).

Nearly all requests are so, and most of what the long way finds out about them (http.front, ingest.serving,
ingest.track) is the same again. So their head is looked up once (ingest.prepared), and the answer is put together here.
Events are decoded, understood, limited and stored by the functions that all requests share.

Nothing is refused here. What is unusual takes the long way, with all that is known by then: the address that the
request was counted under, its body, what was raised. So both ways give the same answers and rows, which tests hold.
"""

import msgspec

from analytics_box.base import errors, ids
from analytics_box.base.errors import RateLimited
from analytics_box.base.facts.event import Event
from analytics_box.ingest import gathering, happened, payload
from analytics_box.ingest.delivery import MOST_EVENTS, charge, client_id, limit
from analytics_box.ingest.enrich import understand
from analytics_box.ingest.intake import Intake
from analytics_box.ingest.payload import Incoming, InvalidEvent
from analytics_box.ingest.prepared import PreparedSender
from analytics_box.ingest.serving import HAPPENED, JSON
from analytics_box.ingest.visitors import Salts
from analytics_box.web import body
from analytics_box.web.asgi import Headers, Receive, Scope, Send
from analytics_box.web.front import Shortcut, allowance_headers

_UNUSUAL = frozenset((b"x-api-key", b"authorization", b"content-encoding"))
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError, InvalidEvent)
_ANSWER = b'{"status":"success","type":"custom_event","count":%d,"requestId":"%b"}'


def shortcuts(intake: Intake, headers: Headers) -> dict[str, Shortcut]:
    """The shortcuts of event routes by their path. All answers have these headers."""
    return {"/track": UsualTrack(intake, headers)}


class UsualTrack:
    """The shortcut of /track."""

    def __init__(self, intake: Intake, headers: Headers) -> None:
        self._intake = intake
        self._settings = settings = intake.settings
        self._most_bytes, self._most_event_bytes = settings.max_batch_bytes, settings.max_event_bytes
        self._seconds = settings.body_seconds
        self._headers = headers

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> bool:
        """Store and answer a usual request; return False for any other (http.front)."""
        intake, settings, pairs = self._intake, self._settings, scope["headers"]
        headers = scope["headers_by_name"] = dict(pairs)
        if len(headers) != len(pairs) or not _UNUSUAL.isdisjoint(headers):
            return False
        named = client_id(scope, headers, "website_id")
        tracked = intake.websites.tracked(named, intake.clock.now()) if named else None
        if tracked is None:
            return False
        page = intake.senders.known(tracked, scope, headers)
        if page is None or not page.is_usual:
            return False
        scope["address"], sender = page.address, page.sender
        try:
            if settings.limit_address:
                intake.limits.take("address", sender.network, settings.limit_address)
        except RateLimited as flood:
            scope["refused"], scope["flood"] = flood.with_traceback(None), True
            return False
        try:
            sent = scope["body"] = await body.read_body(scope, receive, limit=self._most_bytes, seconds=self._seconds)
            now = intake.clock.now()
            events = _understood(sent, page, intake.salts.current(now), now, self._most_event_bytes)
            if events is None:
                return False
            count = len(events)
            limit(intake, scope, page.identity)
            if count > 1:
                charge(intake, page.identity, count)
            appended = await intake.store(events, sender, now=now, budget=page.target.budget)
        except Exception as refused:  # which the long way answers, counts and logs
            scope["refused"] = refused.with_traceback(None)
            return False
        intake.dropped.stored += count - len(appended.repeats)
        if appended.repeats or appended.folded:
            what_happened = gathering.sentence(intake, events, appended)
        else:
            what_happened = happened.all_stored(count)
        request_id = ids.new_request_id().encode()
        start = [*page.cors, (HAPPENED, what_happened), JSON, (b"x-request-id", request_id), *self._headers]
        if scope["allowance"] is not None:
            start += allowance_headers(scope["allowance"])
        try:
            await send({"type": "http.response.start", "status": 200, "headers": start})
            await send({"type": "http.response.body", "body": _ANSWER % (count, request_id), "more_body": False})
        except Exception as gone:  # the client has left; its events are stored
            errors.forget_frames(gone)
        return True


def _understood(sent: bytes, page: PreparedSender, salts: Salts, now: int, most_bytes: int) -> list[Event] | None:
    """The events of a body; None unless all of them can be stored."""
    try:
        sent.decode("utf-8")
        if sent.startswith(b"{"):
            event = _understood_one(payload.ONE.decode(sent), page, salts, now)
            return None if event is None or len(sent) > most_bytes else [event]
        incoming = payload.MANY.decode(sent)
        if not 1 <= len(incoming) <= MOST_EVENTS:
            return None
        events = []
        for given in incoming:
            event = _understood_one(given, page, salts, now)
            if event is None:
                return None
            events.append(event)
        return events
    except _UNREADABLE:
        return None


def _understood_one(given: Incoming, page: PreparedSender, salts: Salts, now: int) -> Event | None:
    target = page.target
    event = understand(given, target, page.sender, salts, now)
    return None if target.ignores(event.path, given.referrer) else event
