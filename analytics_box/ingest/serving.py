"""An event route as an ASGI application: CORS, the body, and what is answered, refusals in the ingest family's shape.

Every answer says in X-Analytics-Box what became of what was sent.
"""

from collections.abc import Awaitable, Callable

from analytics_box.base import errors
from analytics_box.base.errors import BoxError
from analytics_box.base.translation import _
from analytics_box.ingest import happened
from analytics_box.ingest.delivery import DeliveryAnswer, EventDelivery, Headers, client_id
from analytics_box.ingest.intake import Intake
from analytics_box.ingest.prepared import cors
from analytics_box.ingest.refusals import REASON
from analytics_box.web import body, render
from analytics_box.web.asgi import App, Receive, Scope, Send, respond

Handler = Callable[[Intake, EventDelivery], Awaitable[DeliveryAnswer]]

_METHODS = b"POST, GET, OPTIONS, PUT, DELETE"  # as the wire has it (4.1), though nothing is put or deleted
_PREFLIGHT = [
    (b"access-control-allow-methods", _METHODS),
    (
        b"access-control-allow-headers",
        b"Content-Type, Authorization, X-Requested-With, "
        b"databuddy-client-id, databuddy-sdk-name, databuddy-sdk-version, "
        b"x-umami-cache, x-umami-hostname, x-umami-website-id",
    ),
    (b"access-control-max-age", b"86400"),
]
JSON = (b"content-type", b"application/json")
HAPPENED = b"x-analytics-box"
_NO_CONTENT = 204


def post(intake: Intake, handler: Handler, too_large: str, most_bytes: int | None = None) -> App:
    """A route that takes POST; `too_large` is its code for a body of more than `most_bytes`."""
    most = most_bytes or intake.settings.max_batch_bytes

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        headers: Headers = scope["headers_by_name"]
        more = [*cors(headers.get(b"origin"))]
        try:
            if "refused" in scope:
                raise scope.pop("refused")
            if scope["method"] == "OPTIONS":
                await respond(send, _NO_CONTENT, [*more, *_PREFLIGHT])
                return
            if scope["method"] != "POST":
                raise errors.MethodNotAllowed(_("Send events with POST"), headers={"Allow": "POST, OPTIONS"})
            if headers.get(b"content-encoding", b"identity") != b"identity":
                raise errors.UnsupportedMediaType(_("Send events without Content-Encoding"))
            # Whatever its content type: beacons cannot send JSON as such without a preflight.
            if "body" in scope:  # read by a shortcut
                sent = scope["body"]
            else:
                sent = await body.read_body(scope, receive, limit=most, seconds=intake.settings.body_seconds)
            answer = await handler(intake, EventDelivery(scope, headers, sent))
        except BoxError as error:
            errors.forget_frames(error)
            if isinstance(error, errors.PayloadTooLarge) and error.reason is None:
                error.reason = too_large
            said = count_refusal(intake, scope, headers, error)
            refusal = render.ingest_body(error, scope["request_id"])
            await respond(send, error.status, [*render.header_list(error), (HAPPENED, said), *more], refusal)
        else:
            more.append((HAPPENED, answer.happened))
            if answer.body:
                more.append(JSON)
            await respond(send, answer.status, more, answer.body)

    return serve


def elsewhere(message: str) -> App:
    """A route whose events another machine takes."""

    async def serve(scope: Scope, _receive: Receive, send: Send) -> None:
        await _turned_away(scope, send, errors.MisdirectedRequest(message))

    return serve


def unless(trouble: Callable[[], str], app: App) -> App:
    """A route that answers 503 while there is trouble."""

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        if why := trouble():
            refusal = errors.Unavailable(why, retry_after=5)
            refusal.reason = "DELIVERY_UNAVAILABLE"
            await _turned_away(scope, send, refusal)
        else:
            await app(scope, receive, send)

    return serve


async def _turned_away(scope: Scope, send: Send, error: BoxError) -> None:
    more = cors(dict(scope["headers"]).get(b"origin"))
    await respond(
        send, error.status, [*render.header_list(error), *more], render.ingest_body(error, scope["request_id"])
    )


def count_refusal(intake: Intake, scope: Scope, headers: Headers, error: BoxError) -> bytes:
    """Count a refusal for the website that it was meant for, if there is one, and say what happened."""
    # A server names the page's host in the body, a browser its origin in a header.
    origin = scope.get("origin") or headers.get(b"origin", b"").decode("latin-1")
    reason = happened.reason_of(error, origin=bool(origin))
    if reason is None:  # nothing is lost, or nobody's
        code = (error.reason or error.code).lower()
        intake.dropped.reasons[code] += 1
        return happened.NOT_STORED % code.encode()
    site = scope.get("site") or _named_site(intake, scope, headers)
    if site:
        if reason == REASON:
            intake.refusals.note(site, origin, intake.clock.now())
        intake.dropped.note(site, reason)
    else:
        intake.dropped.reasons[reason] += 1
    return happened.DROPPED % (1, reason.encode())


def _named_site(intake: Intake, scope: Scope, headers: Headers) -> int:
    """The site that a request names in its address or header, where nobody has looked yet; 0 for none."""
    named = client_id(scope, headers, "website_id")
    tracked = intake.websites.tracked(named, intake.clock.now()) if named else None
    return tracked.website.site if tracked is not None else 0
