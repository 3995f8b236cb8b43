"""POST /identify: a site says who a visitor is, and what it knows of that person (wire 4.5).

By client id from a page, or by API key with a websiteId. What is said of people is on disk, sealed, before the answer.
"""

import logging
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from analytics_box.base import errors
from analytics_box.base.errors import BadRequest, ErrorDetail
from analytics_box.base.store import budgets
from analytics_box.base.store.db import Connection
from analytics_box.base.store.seal import SealBroken
from analytics_box.base.translation import _
from analytics_box.ingest import happened
from analytics_box.ingest import profile_rules as rules
from analytics_box.ingest.delivery import (
    DeliveryAnswer,
    EventDelivery,
    client_website,
    decode,
    nothing,
    prepare_delivery,
    success,
)
from analytics_box.ingest.enrich import EventSender, EventTarget, visitor_ids
from analytics_box.ingest.intake import Intake, key_for_events, secret_of, target_for_key
from analytics_box.ingest.prepared import sender_of
from analytics_box.ingest.profiles import VisitorIdentification
from analytics_box.ingest.visitors import by_client_id
from analytics_box.web.recognition.paths import clean

log = logging.getLogger(__name__)

WRONG = "INVALID_EVENT_SCHEMA"
_PERSON = 200  # bytes that a person takes on disk besides the traits


class Identification(Struct, frozen=True):
    """The body. Unknown fields are ignored, null is absent; a trait that is null is deleted."""

    profileId: Annotated[str, Meta(min_length=1, max_length=rules.LONGEST_ID)]
    anonymousId: Annotated[str, Meta(max_length=rules.LONGEST_ID)] | None = None
    anonymizeVisitorIds: bool | Literal["auto"] | None = None
    traits: dict[str, str | int | float | bool | None] | None = None
    websiteId: Annotated[str, Meta(max_length=255)] | None = None


_BODY = msgspec.json.Decoder(Identification)


async def identify(intake: Intake, sent: EventDelivery) -> DeliveryAnswer:
    """Take one identification. Raises BoxError."""
    secret = secret_of(sent.headers)
    if secret is not None:
        given, where, sender = _by_key(intake, sent, secret)
    else:
        given, where, sender = _from_page(intake, sent)
    return await store(intake, sent, given, where, sender)


async def store(
    intake: Intake, sent: EventDelivery, given: Identification, where: EventTarget, sender: EventSender
) -> DeliveryAnswer:
    """Store one identification of an admitted sender. Raises BoxError."""
    said = _understand(intake, given, where, sender)
    left_out = where.ignored or sender.bot
    if left_out:
        intake.dropped.note(where.site, left_out)
        said_so = happened.DROPPED % (1, left_out.encode())
        return nothing(said_so) if sender.bot else success(sent, said_so, type="identify")

    def write(db: Connection) -> None:
        if not sender.by_key:
            _pay(intake, where, said, sender.network)
        intake.identified(db, said)

    try:
        await intake.events.write(write, adds=True)
    except SealBroken as broken:
        log.error("Cannot identify a visitor: %s", broken)
        raise errors.Unavailable(_("This profile cannot be read. See the server log for details.")) from broken
    except errors.Unavailable as refused:
        refused.reason = "DELIVERY_UNAVAILABLE"
        raise
    return success(sent, happened.all_stored(1), type="identify")


def _by_key(intake: Intake, sent: EventDelivery, secret: str) -> tuple[Identification, EventTarget, EventSender]:
    key = key_for_events(intake, secret)
    sender = sender_of(intake.geo, sent.scope, sent.headers)
    intake.admission.enter(sent.scope, key, "ingest")
    _limit(intake, sent, "/identify", f"apikey:{key.id}", intake.settings.limit_track)
    given = decode(_BODY.decode, sent.body, WRONG)
    if not given.websiteId:
        raise BadRequest(_("Name the website in websiteId"), reason="IDENTIFY_MISSING_WEBSITE_ID")
    return given, target_for_key(intake, key, given.websiteId), sender


def _from_page(intake: Intake, sent: EventDelivery) -> tuple[Identification, EventTarget, EventSender]:
    page = prepare_delivery(intake, sent, client_website(intake, sent))
    limit_page(intake, sent, page.identity)
    return decode(_BODY.decode, sent.body, WRONG), page.target, page.sender


def limit_page(intake: Intake, sent: EventDelivery, identity: str) -> None:
    """Count an identification by a page under the limits of its sender. Raises RateLimited."""
    _limit(intake, sent, "events", identity, intake.settings.limit_track)
    _limit(intake, sent, "/identify", identity, intake.settings.limit_identify)


def _understand(
    intake: Intake, given: Identification, where: EventTarget, sender: EventSender
) -> VisitorIdentification:
    """The identification, cleaned and checked. Raises BadRequest."""
    profile_id = clean(given.profileId, rules.LONGEST_ID)  # as events clean theirs
    if not profile_id:
        detail = ErrorDetail("profileId", _("Send an id with visible characters"))
        raise BadRequest(_("profileId: {message}").format(message=detail.message), reason=WRONG, details=(detail,))
    traits = given.traits or {}
    rules.check(traits)
    now = intake.clock.now()
    visitors = visitor_ids(
        where,
        sender,
        intake.salts.current(now),
        now,
        client_id=given.anonymousId,
        anonymize=given.anonymizeVisitorIds,
    )
    unsaid = given.anonymousId is not None and given.anonymizeVisitorIds is None and not where.cookieless
    return VisitorIdentification(
        site=where.site,
        profile_id=profile_id,
        visitors=frozenset(visitors) - {0},
        traits={name: clean(value) if isinstance(value, str) else value for name, value in traits.items()},
        now=now,
        perhaps=by_client_id(b"", where.site, given.anonymousId or "") if unsaid else 0,
    )


def _pay(intake: Intake, where: EventTarget, said: VisitorIdentification, network: str) -> None:
    """Count what is said of a person on the website's budget: that cannot be folded. Raises RateLimited."""
    meter = intake.budgets.meter(where.site, said.now, where.budget, sender=network)
    if not meter.takes_bytes(_PERSON + len(msgspec.json.encode(said.traits))):
        raise errors.RateLimited(
            _("This website has used up its hourly budget. Try again in the next hour"),
            limit=0,
            reset=budgets.ends_at(said.now),
            retry_after=max(1, (budgets.ends_at(said.now) - said.now) // 1000),
            reason="IDENTIFY_RATE_LIMITED",
        )


def _limit(intake: Intake, sent: EventDelivery, endpoint: str, identity: str, most: int) -> None:
    """Wire 11.3: so many per 60 s. Raises RateLimited."""
    sent.scope["allowance"] = intake.limits.take(endpoint, identity, most, reason="IDENTIFY_RATE_LIMITED")
