"""Transactions over RPC. Keys need read:data to list them, track:events to record one."""

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from analytics_box.base.errors import BadRequest, Unavailable
from analytics_box.base.facts.event import PaymentStatus, PaymentType, Provider
from analytics_box.base.facts.layout import STORED_ATTRIBUTES
from analytics_box.base.store.db import Connection
from analytics_box.base.store.strings import EMPTY
from analytics_box.base.translation import _
from analytics_box.ingest import payments, visitors
from analytics_box.ingest.enrich import event_time, payment_of
from analytics_box.ingest.intake import Intake
from analytics_box.ingest.payload import InvalidEvent
from analytics_box.ingest.prepared import target_of
from analytics_box.query.access import ReadScope
from analytics_box.query.request import GivenQuery, QueryFilterInput, check
from analytics_box.query.run import QueryRunner
from analytics_box.tenants.tenancy.messages import Text
from analytics_box.tenants.websites.reach import own
from analytics_box.web.call import Call
from analytics_box.web.recognition.paths import clean

_LISTED: Final = "recent_transactions"
_LONGEST_CLUE: Final = 128


class ListTransactions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Input of revenue.listTransactions: dates as YYYY-MM-DD, by default the last 30 days, and filters of the query
    type recent_transactions. Pages start at 1."""

    websiteId: Text
    startDate: Text | None = None
    endDate: Text | None = None
    timeZone: Text | None = None
    filters: Annotated[list[QueryFilterInput], Meta(max_length=50)] | None = None
    page: int = 1
    limit: int = 50


class TransactionShown(Struct, frozen=True):
    """A payment or refund. `amount` is a decimal number in the currency's main unit, as text; refunds are negative."""

    transactionId: str
    provider: Provider
    type: PaymentType
    status: PaymentStatus
    amount: str
    currency: str
    productName: str
    created: str
    isVerified: bool
    attributionMethod: str
    unmatchedReason: str
    referrer: str
    utmCampaign: str
    country: str


class NewTransaction(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Input of revenue.recordTransaction: the fields of an event with revenue. A negative `amount` is a refund. The
    transaction is attributed by `sessionId`, `anonymousId` or `profileId`. `timestamp` is in ms."""

    websiteId: Text
    transactionId: Annotated[str, Meta(min_length=1, max_length=255)]
    amount: int | float | Annotated[str, Meta(max_length=40)]
    currency: Text | None = None
    subscriptionId: Text | None = None
    billing: Literal["renewal"] | None = None
    customerId: Text | None = None
    productId: Text | None = None
    productName: Text | None = None
    sessionId: Text | None = None
    anonymousId: Text | None = None
    profileId: Text | None = None
    timestamp: int | None = None


class RecordedTransaction(Struct, frozen=True):
    """Whether the transaction is new; false if it was stored before."""

    stored: bool


async def list_transactions(call: Call, given: ListTransactions) -> list[TransactionShown]:
    """revenue.listTransactions: list payments and refunds of a website, latest first.

    Raises NotFound, BadRequest or Unavailable.
    """
    website = own(call, given.websiteId)
    query = GivenQuery(
        [_LISTED],
        given.startDate,
        given.endDate,
        None if given.startDate or given.endDate else "last_30d",
        limit=given.limit,
        page=given.page,
        filters=given.filters,
    )
    request = check(query, zone_name=given.timeZone, now=call.now)
    (answer,) = await call.parts[QueryRunner].answer(request, ReadScope((website.site,)))
    if not answer.success:
        raise Unavailable(str(answer.error))
    return [
        TransactionShown(
            row["transaction_id"],
            row["provider"],
            row["type"],
            row["status"],
            format(row["amount"], "f"),
            row["currency"],
            row["product_name"],
            row["created"],
            row["is_verified"],
            row["attribution_method"],
            row["unmatched_reason"],
            row["referrer"],
            row["utm_campaign"],
            row["country"],
        )
        for row in answer.data
    ]


async def record_transaction(call: Call, given: NewTransaction) -> RecordedTransaction:
    """revenue.recordTransaction: record a payment or refund; the same transactionId counts once.

    Raises NotFound, BadRequest or Unavailable.
    """
    website, intake = own(call, given.websiteId), call.parts[Intake]
    names = ("currency", "transactionId", "subscriptionId", "customerId", "productId", "productName", "billing")
    properties = {"revenue": given.amount} | {name: getattr(given, name) for name in names if getattr(given, name)}
    salts = intake.salts.current(call.now)
    try:
        moment = event_time(given.timestamp, by_key=True, now=call.now)
        payment = payment_of(properties, target_of(website, intake.websites.check(website)), True, "", salts.history)
    except InvalidEvent as wrong:
        raise BadRequest(str(wrong), details=(wrong.detail,)) from wrong
    if payment is None:
        raise BadRequest(_("Send an amount other than 0, and the currency as an ISO 4217 code such as EUR"))
    visitor = visitors.by_client_id(b"", website.site, given.anonymousId) if given.anonymousId else 0

    def store(db: Connection) -> int:
        strings = intake.ledger.numbers()
        clues = (strings.named(db, clean(text or "", _LONGEST_CLUE)) for text in (given.sessionId, given.profileId))
        who_and_where = (website.site, moment, visitor, 0, *clues, EMPTY, EMPTY)
        return payments.store(db, strings, payment, who_and_where, (EMPTY,) * len(STORED_ATTRIBUTES))

    return RecordedTransaction(bool(await intake.events.write(store, adds=True)))
