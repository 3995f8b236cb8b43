"""The endpoints for signed webhooks of payment providers. Access is by the address and the signature of the raw body;
an answer of success means that the payment is on disk."""

from collections.abc import Mapping
from functools import partial
from types import ModuleType
from typing import Any, Final, Literal, cast

import msgspec
from litestar import Request, Response
from litestar.di import NamedDependency
from litestar.params import FromPath
from msgspec import Struct

from analytics_box.base import errors
from analytics_box.base.errors import BadRequest, BoxError
from analytics_box.base.store.seal import Seal, SealBroken
from analytics_box.base.translation import _
from analytics_box.ingest import payments, visitors
from analytics_box.ingest.intake import Intake
from analytics_box.products.revenue import paddle, provider, stripe
from analytics_box.products.revenue.provider import PROVIDERS, PaymentProvider
from analytics_box.products.revenue.reports import PaymentReport, check_signature
from analytics_box.products.revenue.store import ReportStore
from analytics_box.tenants.websites.directory import Directory
from analytics_box.web.answer import RequestId, id_of, json_answer
from analytics_box.web.body import read_body
from analytics_box.web.call import Call

MOST_BYTES: Final = 1_048_576
_READERS: Final[dict[str, ModuleType]] = {"stripe": stripe, "paddle": paddle}
_LONGEST_TYPE: Final = 100
_LONGEST_HASH: Final = 64


class WebhookAccepted(Struct, frozen=True):
    """The event was stored, or reports no payment."""

    ok: Literal[True]
    requestId: RequestId


async def receive(
    request: Request[Any, Any, Any], name: FromPath[str], address: FromPath[str], call: NamedDependency[Call]
) -> Response[bytes]:
    """POST /webhooks/{provider}/{hash}: a signed event of Stripe or Paddle. Events of other types are accepted too.

    Raises NotFound, BadRequest, AuthRequired, PayloadTooLarge, RateLimited or Unavailable.
    """
    settings = call.parts.settings
    call.parts.limits.take("webhook", call.identity.address, settings.limit_webhooks)
    found = None
    if name in _READERS and len(address) <= _LONGEST_HASH:
        found = await call.read(lambda db: PROVIDERS.first(db, "hash = ? and provider = ?", address, name))
    website = None if found is None else call.parts[Directory].find(found.website_id)
    if found is None or website is None:
        raise errors.NotFound(_("There is no webhook with this address"), reason="WEBHOOK_ENDPOINT_NOT_FOUND")
    body = await read_body(
        cast(Any, request.scope), cast(Any, request.receive), limit=MOST_BYTES, seconds=settings.body_seconds
    )
    reader = _READERS[name]
    try:
        check_signature(
            request.headers.get(reader.HEADER, ""),
            body,
            _secret(call, found),
            call.now,
            separators=reader.SEPARATORS,
            names=reader.NAMES,
        )
        kind, report = reader.read(_decode(body))
    except BoxError as refused:
        reason = refused.reason or "WEBHOOK_INVALID_PAYLOAD"
        await call.write(partial(provider.note_request, provider_id=found.id, now=call.now, failure=reason))
        raise
    if report is not None:
        await _store(call, found, website.site, report)
    event = kind[:_LONGEST_TYPE]
    await call.write(
        partial(provider.note_request, provider_id=found.id, now=call.now, event=event, ignored=report is None)
    )
    return json_answer(WebhookAccepted(True, id_of(request)))


def _secret(call: Call, found: PaymentProvider) -> str:
    try:
        sealed = call.parts[Seal].open(found.secret, owner=provider.OWNER.format(found.id))
    except SealBroken as broken:
        raise errors.Unavailable(
            _("The server cannot read the signing secret. Enter it again"), reason="WEBHOOK_PROCESSING_FAILED"
        ) from broken
    return sealed.decode()


def _decode(body: bytes) -> Mapping[str, Any]:
    try:
        decoded = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as broken:
        raise BadRequest(_("The body is not JSON"), reason="WEBHOOK_INVALID_PAYLOAD") from broken
    if not isinstance(decoded, dict):
        raise BadRequest(_("The body is not an event"), reason="WEBHOOK_INVALID_PAYLOAD")
    return decoded


async def _store(call: Call, found: PaymentProvider, site: int, report: PaymentReport) -> None:
    intake = call.parts[Intake]
    visitor = visitors.by_client_id(b"", site, report.clues.visitor) if report.clues.visitor else 0
    customer = 0
    if report.customer:
        key = intake.salts.current(call.now).history(payments.CUSTOMERS)
        customer = payments.digest(site, f"{found.provider} customer", report.customer, key)

    await intake.events.write(
        lambda db: ReportStore(db, intake.ledger.numbers(), found.provider, site, customer).store(report, visitor),
        adds=True,
    )
