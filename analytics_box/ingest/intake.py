"""Admission of events: credentials, website, origin, limit (wire 4.2 and 4.6)."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from msgspec import Struct

from analytics_box.base import errors
from analytics_box.base.clock import Clock
from analytics_box.base.errors import Unavailable
from analytics_box.base.facts.event import Fact
from analytics_box.base.identity import ApiKey
from analytics_box.base.limits import TokenBuckets
from analytics_box.base.settings import Settings
from analytics_box.base.store.budgets import Budgets, DiskBudget
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.translation import _
from analytics_box.ingest.ai_requests import AiMemory
from analytics_box.ingest.arrivals import Arrivals
from analytics_box.ingest.classification import Classification
from analytics_box.ingest.dropped import DroppedTraffic
from analytics_box.ingest.enrich import EventSender, EventTarget
from analytics_box.ingest.ledger import AppendResult, FactBatch, Ledger
from analytics_box.ingest.placing import MOST_MOVED, MOST_MOVED_BY_KEY
from analytics_box.ingest.prepared import PreparedSenders, target_of
from analytics_box.ingest.profiles import VisitorIdentification
from analytics_box.ingest.refusals import Refusals
from analytics_box.ingest.visitors import SaltFile
from analytics_box.tenants.keys.ring import Admission, KeyRing
from analytics_box.tenants.tenancy.directory import OrganizationDirectory
from analytics_box.tenants.websites.directory import Directory
from analytics_box.web.recognition.geo import Geo


class Intake(Struct, frozen=True):
    """The parts that event routes need. `identified` stores who a visitor is; raises BoxError and SealBroken."""

    events: Db
    ledger: Ledger
    budgets: Budgets
    keys: KeyRing
    websites: Directory
    organizations: OrganizationDirectory
    identified: Callable[[Connection, VisitorIdentification], None]
    geo: Geo
    classification: Classification
    salts: SaltFile
    senders: PreparedSenders
    limits: TokenBuckets
    admission: Admission
    dropped: DroppedTraffic
    refusals: Refusals
    arrivals: Arrivals
    ai: AiMemory
    clock: Clock
    settings: Settings

    async def store(
        self,
        facts: Sequence[Fact],
        sender: EventSender,
        *,
        now: int,
        budget: DiskBudget | None = None,
        by_site: bool = False,
    ) -> AppendResult:
        """Store facts and return the outcome once they are on disk. Raises Unavailable if none is.

        Facts that come without a key are all of one website, whose `budget` this is. So are those of a key `by_site`.
        """
        if by_site:
            meter = partial(self.budgets.meter, facts[0].site, now, budget)
            batch = FactBatch(facts, MOST_MOVED_BY_KEY, meter)
        elif sender.by_key:
            batch = FactBatch(facts, MOST_MOVED_BY_KEY)
        else:
            batch = FactBatch(
                facts, MOST_MOVED, partial(self.budgets.meter, facts[0].site, now, budget, sender=sender.network)
            )
        try:
            appended = await self.events.write_shared(self.ledger.append_all, batch, adds=True)
        except Unavailable as refused:
            refused.reason = "DELIVERY_UNAVAILABLE"
            raise
        if not sender.bot:
            self.arrivals.note_stored(facts)
        return appended


def secret_of(headers: Mapping[bytes, bytes]) -> str | None:
    """The API key of a request, from either header (spec 5.1); None if it sends none."""
    key = headers.get(b"x-api-key")
    if key is None:
        scheme, _, key = headers.get(b"authorization", b"").partition(b" ")
        if scheme.lower() != b"bearer":
            return None
    return key.decode("latin-1").strip() or None


def key_for_events(intake: Intake, secret: str, reason: str = "TRACK_MISSING_CREDENTIALS") -> ApiKey:
    """The key with this secret, if it may send events. Raises AuthRequired with this reason, or Forbidden."""
    key = intake.keys.find(secret)
    if key is None:
        raise errors.AuthRequired(_("This API key is unknown or no longer works"), reason=reason)
    if not key.has("track:events"):
        raise errors.Forbidden(_("This API key lacks the scope track:events"), reason="TRACK_MISSING_SCOPE")
    return key.within("track:events")


def target_for_key(intake: Intake, key: ApiKey, website_id: str | None) -> EventTarget:
    """The destination of an event with this key. Raises Forbidden or NotFound."""
    if website_id is None:
        if key.websites is not None:
            raise errors.Forbidden(
                _("This API key is limited to some websites. Send websiteId"), reason="TRACK_WEBSITE_SCOPE_MISMATCH"
            )
        return EventTarget(intake.organizations.site_of(key.organization_id))
    website = intake.websites.find(website_id)
    if website is None or not website.active:
        raise errors.NotFound(_("No website has this client ID"), reason="TRACK_WEBSITE_NOT_FOUND")
    if website.organization_id != key.organization_id or not key.reaches(website_id):
        raise errors.Forbidden(_("This API key has no access to this website"), reason="TRACK_WEBSITE_SCOPE_MISMATCH")
    return target_of(website, intake.websites.check(website))
