"""POST /ai-traffic: a website's server reports a request of an AI agent; and the check of its set-up (wire 4.5).

No key is needed: a website's id and host are known to all of its visitors. Requests of anything else than an AI agent
are answered and not stored.
"""

import re
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from analytics_box.base import errors
from analytics_box.base.errors import ErrorDetail
from analytics_box.base.translation import _
from analytics_box.ingest import happened
from analytics_box.ingest.ai_requests import NONCE, AiRequest, format_of
from analytics_box.ingest.delivery import DeliveryAnswer, EventDelivery, decode, nothing
from analytics_box.ingest.enrich import EventSender, EventTarget
from analytics_box.ingest.intake import Intake
from analytics_box.ingest.prepared import cors, target_of
from analytics_box.tenants.websites.directory import TrackingTarget
from analytics_box.web import render
from analytics_box.web.address import network_of
from analytics_box.web.asgi import App, Receive, Scope, Send, respond
from analytics_box.web.recognition import agent
from analytics_box.web.recognition.ai_agents import find_agent
from analytics_box.web.recognition.bots import KNOWN
from analytics_box.web.recognition.paths import clean, page

MOST_BYTES = 16 * 1024
SETUP_CHECK = "/ai-traffic/setup-check/"
_WRONG = "INVALID_EVENT_SCHEMA"
_NOT_AN_AGENT = happened.NOT_STORED % b"not_an_ai_agent"
_ACCEPTED = 202
_HOST = re.compile(r"(?:[\w.-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?")


class ReportedRequest(Struct, frozen=True):
    """The body: a request that the website's server has answered. Unknown fields are ignored, null is absent.

    `ip` is the agent's address. It is compared with the operator's published ranges and not stored.
    """

    websiteId: Annotated[str, Meta(min_length=1, max_length=255)]
    host: Annotated[str, Meta(min_length=1, max_length=300)]
    path: Annotated[str, Meta(min_length=1, max_length=4096)]
    userAgent: Annotated[str, Meta(max_length=2048)]
    format: Annotated[str, Meta(max_length=64)] | None = None
    accept: Annotated[str, Meta(max_length=1024)] | None = None
    signatureAgent: Annotated[str, Meta(max_length=512)] | None = None
    referrer: Annotated[str, Meta(max_length=2048)] | None = None
    status: Annotated[int, Meta(ge=100, le=599)] | None = None
    ip: Annotated[str, Meta(max_length=64)] | None = None


_BODY = msgspec.json.Decoder(ReportedRequest)


async def take(intake: Intake, sent: EventDelivery) -> DeliveryAnswer:
    """Take one reported request. Raises BoxError."""
    network = network_of(sent.scope["address"])
    sent.scope["allowance"] = intake.limits.take(
        "/ai-traffic", network, intake.settings.limit_track, reason="TRACK_RATE_LIMITED"
    )
    given = decode(_BODY.decode, sent.body, _WRONG)
    target = _target(intake, sent, given)
    if intake.ai.record_check(given.websiteId, given.path):
        intake.arrivals.note_missed(target.site)
        return DeliveryAnswer(_ACCEPTED, b"", happened.NOT_STORED % b"setup_check")
    known = find_agent(given.userAgent, given.signatureAgent or "")
    if known is None:
        return nothing(_NOT_AN_AGENT)
    path = page(given.path).path
    if ignored := target.ignores(path):
        intake.dropped.note(target.site, ignored)
        return nothing(happened.DROPPED % (1, ignored.encode()))
    now = intake.clock.now()
    request = AiRequest(
        known,
        path,
        now,
        "server",
        given.userAgent,
        format_of(given.format, path, given.accept),
        given.status,
        given.signatureAgent or "",
        _referrer(given.referrer),
        given.ip or "",
    )
    # A bot's request is no arrival of a visitor.
    sender = EventSender(network, "", agent.NOTHING, "", KNOWN, by_key=False)
    done = await intake.store([intake.ai.span(target.site, request)], sender, now=now, budget=target.budget)
    if done.folded:
        intake.dropped.note_folded(target.site, done.folded)
    return DeliveryAnswer(_ACCEPTED, b"", happened.sentence(1, {}, {}, done.folded))


def _target(intake: Intake, sent: EventDelivery, given: ReportedRequest) -> EventTarget:
    """The website that the request was for. Raises BadRequest, or Forbidden if it has another host."""
    tracked: TrackingTarget | None = intake.websites.tracked(given.websiteId, intake.clock.now())
    if tracked is None or not tracked.website.active:
        raise errors.BadRequest(_("No website has this client ID"), reason="INGEST_INVALID_CLIENT_ID")
    sent.scope["site"] = tracked.website.site
    check = tracked.check
    host = given.host.strip().lower()
    origin = sent.scope["origin"] = f"https://{host}"
    if not _HOST.fullmatch(host) or not check.admits_origin(origin):
        raise errors.Forbidden(
            _("This host does not belong to {domain}").format(domain=check.domain),
            reason="INGEST_ORIGIN_NOT_AUTHORIZED",
            details=(ErrorDetail("host", _("Send the website's domain, one of its subdomains or an allowed origin")),),
        )
    if not check.admits_address(sent.scope["address"]):
        raise errors.Forbidden(
            _("This address cannot send events for {domain}").format(domain=check.domain),
            reason="INGEST_IP_NOT_AUTHORIZED",
        )
    return target_of(tracked.website, check)


def _referrer(given: str | None) -> str:
    """A referrer without query and fragment; empty for anything but an HTTP URL."""
    if not given or not given.startswith(("http://", "https://")):
        return ""
    return clean(given.split("?", 1)[0].split("#", 1)[0])


def setup_check(intake: Intake) -> App:
    """GET /ai-traffic/setup-check/WEBSITE/NONCE: whether a request with the nonce in its path was reported since the
    first of these questions."""

    async def answer(scope: Scope, _receive: Receive, send: Send) -> None:
        headers = [*cors(scope["headers_by_name"].get(b"origin")), (b"cache-control", b"no-store")]
        try:
            if "refused" in scope:
                raise scope.pop("refused")
            if scope["method"] not in {"GET", "HEAD"}:
                raise errors.MethodNotAllowed(_("Ask for the check with GET"), headers={"Allow": "GET"})
            website_id, _slash, nonce = scope["path"].removeprefix(SETUP_CHECK).partition("/")
            if not NONCE.fullmatch(nonce):
                raise errors.BadRequest(_("Send a nonce of 12 to 64 letters, digits, - and _"))
            intake.limits.take("/ai-traffic", network_of(scope["address"]), intake.settings.limit_track)
            tracked = intake.websites.tracked(website_id, intake.clock.now())
            if tracked is None or not tracked.website.active:
                raise errors.NotFound(_("No website has this client ID"))
        except errors.BoxError as error:
            errors.forget_frames(error)
            refusal = render.ingest_body(error, scope["request_id"])
            await respond(send, error.status, [*render.header_list(error), *headers], refusal)
            return
        said = {"recorded": intake.ai.open_check(website_id, nonce)}
        await respond(send, 200, [*headers, (b"content-type", b"application/json")], msgspec.json.encode(said))

    return answer
