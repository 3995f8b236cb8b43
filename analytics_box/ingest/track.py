"""POST /track: one event or up to 100, by API key or website id (wire 4.2)."""

from analytics_box.base import errors
from analytics_box.base.translation import _
from analytics_box.ingest import payload
from analytics_box.ingest.delivery import (
    MOST_EVENTS,
    DeliveryAnswer,
    EventDelivery,
    charge,
    client_id,
    decode,
    limit,
    nothing,
    prepare_delivery,
    success,
)
from analytics_box.ingest.enrich import EventTarget
from analytics_box.ingest.gathering import Gathering
from analytics_box.ingest.intake import Intake, key_for_events, secret_of, target_for_key
from analytics_box.ingest.payload import Incoming, InvalidEvent
from analytics_box.ingest.prepared import sender_of
from analytics_box.tenants.websites.directory import TrackingTarget


async def track(intake: Intake, sent: EventDelivery) -> DeliveryAnswer:
    """All events of a request, or none of them."""
    scope, headers = sent.scope, sent.headers
    secret = secret_of(headers)
    key = key_for_events(intake, secret) if secret is not None else None
    if key is not None:
        intake.admission.enter(scope, key, "ingest")
        limit(intake, scope, f"apikey:{key.id}")
    events = _decode(sent.body, intake.settings.max_event_bytes)

    website: EventTarget | None = None
    if key is not None:
        sender = sender_of(intake.geo, scope, headers)
        targets = {
            website_id: target_for_key(intake, key, website_id) for website_id in {event.websiteId for event in events}
        }
    else:
        website_id = client_id(scope, headers, "website_id") or events[0].websiteId
        page = prepare_delivery(intake, sent, _website(intake, sent, website_id))
        sender, website = page.sender, page.target
        limit(intake, scope, page.identity)
        charge(intake, page.identity, len(events))

    gathering = Gathering(intake, sender)
    try:
        for event in events:
            gathering.event(event, website or targets[event.websiteId])
    except InvalidEvent as wrong:
        raise errors.BadRequest(str(wrong), reason="INVALID_EVENT_SCHEMA", details=(wrong.detail,)) from wrong
    happened = await gathering.store()
    if sender.bot:
        return nothing(happened)
    return success(sent, happened, type="custom_event", count=len(events))


def _decode(sent: bytes, most_bytes: int) -> list[Incoming]:
    decoded: Incoming | list[Incoming] = decode(payload.ONE_OR_MANY.decode, sent, "TRACK_INVALID_BODY")
    if isinstance(decoded, Incoming):
        if len(sent) > most_bytes:
            raise errors.PayloadTooLarge(
                _("An event can have up to {most:,} bytes").format(most=most_bytes), reason="TRACK_PAYLOAD_TOO_LARGE"
            )
        return [decoded]
    if not 1 <= len(decoded) <= MOST_EVENTS:
        raise errors.BadRequest(
            _("Send 1 to {most} events per request").format(most=MOST_EVENTS), reason="TRACK_INVALID_BODY"
        )
    return decoded


def _website(intake: Intake, sent: EventDelivery, website_id: str | None) -> TrackingTarget:
    """The website that a request without a key names. Raises AuthRequired or NotFound."""
    if not website_id:
        raise errors.AuthRequired(
            _("Send an API key, or the website's id as website_id"), reason="TRACK_MISSING_CREDENTIALS"
        )
    tracked = intake.websites.tracked(website_id, intake.clock.now())
    if tracked is None or not tracked.website.active:
        raise errors.NotFound(_("No website has this client ID"), reason="TRACK_WEBSITE_NOT_FOUND")
    sent.scope["site"] = tracked.website.site
    return tracked
