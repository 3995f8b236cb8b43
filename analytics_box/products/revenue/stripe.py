"""Webhooks of Stripe: which payments its events report. Pure.

One payment is reported by a payment intent, a charge, an invoice and a checkout session, in any order. Since the API of
2025 invoices no longer name their payment, so that `ids` of both only meet in the store.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from analytics_box.base.facts.event import Lifecycle
from analytics_box.products.revenue.reports import (
    PaymentReport,
    amount_of,
    clues_of,
    currency_of,
    first_items,
    inner,
    text_of,
    wrong,
)

# https://docs.stripe.com/currencies: amounts without decimal places, and with three. ISK and UGX have two there.
_NO_PLACES: Final = frozenset(
    [
        *("BIF", "CLP", "DJF", "GNF", "JPY", "KMF", "KRW", "MGA", "PYG", "RWF", "VND", "VUV", "XAF", "XOF", "XPF"),
    ]
)
_THREE_PLACES: Final = frozenset(("BHD", "JOD", "KWD", "OMR", "TND"))
_NEW: Final = frozenset(("subscription_create", "subscription"))
HEADER: Final = "stripe-signature"
SEPARATORS: Final = (",", ".")
NAMES: Final = ("t", "v1")

Object = Mapping[str, Any]


def read(event: Object) -> tuple[str, PaymentReport | None]:
    """The type of an event, and the payment that it reports if any. Raises BadRequest."""
    kind, one, created = event.get("type"), inner(event, "data", "object"), event.get("created")
    if not isinstance(kind, str) or not isinstance(one, Mapping) or type(created) is not int:
        raise wrong("object")
    if not 0 < created < 10**11:
        raise wrong("time")
    reader = _READERS.get(kind)
    return kind, reader(one, created * 1000, event) if reader is not None else None


def _money(one: Object, name: str) -> tuple[str, int]:
    currency = currency_of(one.get("currency"))
    places = 0 if currency in _NO_PLACES else 3 if currency in _THREE_PLACES else 2
    return currency, amount_of(one.get(name), currency, places)


def _id(one: Object) -> str:
    found = text_of(one.get("id"))
    if not found:
        raise wrong("id")
    return found


def _ids(*given: object) -> tuple[str, ...]:
    found = [one for one in map(text_of, given) if one]
    return tuple(dict.fromkeys(found))


def _intent_paid(one: Object, time: int, _event: Object) -> PaymentReport:
    currency, amount = _money(one, "amount_received")
    return PaymentReport(
        type="sale",
        status="completed",
        currency=currency,
        amount=amount,
        time=time,
        id=_id(one),
        ids=_ids(one, one.get("invoice"), one.get("latest_charge")),
        customer=text_of(one.get("customer")),
        clues=clues_of([one.get("metadata")]),
    )


def _charge_paid(one: Object, time: int, _event: Object) -> PaymentReport | None:
    currency, amount = _money(one, "amount")
    if one.get("captured") is False:
        return None
    captured = one.get("amount_captured")
    if captured is not None:
        currency, amount = _money(one, "amount_captured")
    ids = _ids(one.get("payment_intent"), one.get("invoice"), one)
    return PaymentReport(
        type="sale",
        status="completed",
        currency=currency,
        amount=amount,
        time=time,
        id=ids[0] if ids else _id(one),
        ids=ids,
        customer=text_of(one.get("customer")),
        clues=clues_of([one.get("metadata")]),
    )


def _checkout_paid(one: Object, time: int, _event: Object) -> PaymentReport | None:
    if one.get("payment_status") != "paid" or one.get("mode") == "setup":
        return None
    currency, amount = _money(one, "amount_total")
    subscription = text_of(one.get("subscription"))
    ids = _ids(one.get("payment_intent"), one.get("invoice"))
    return PaymentReport(
        type="subscription" if subscription else "sale",
        status="completed",
        currency=currency,
        amount=amount,
        time=time,
        id=ids[0] if ids else _id(one),
        ids=ids or (_id(one),),
        customer=text_of(one.get("customer")),
        subscription=subscription,
        lifecycle="new" if subscription else "",
        clues=clues_of([one.get("metadata")], text_of(one.get("client_reference_id"))),
    )


def _invoice(one: Object) -> dict[str, Any]:
    """The fields that an invoice gives to a report."""
    details = inner(one, "parent", "subscription_details") or one.get("subscription_details")
    subscription = text_of(one.get("subscription") or inner(details, "subscription"))
    lines = first_items(inner(one, "lines", "data"))
    line: Object = max(lines, key=lambda each: each["amount"] if type(each.get("amount")) is int else 0, default={})
    paid_by = first_items(inner(one, "payments", "data"), 1)
    intent = inner(paid_by[0], "payment", "payment_intent") if paid_by else None
    reason = one.get("billing_reason")
    lifecycle: Lifecycle = "new" if reason in _NEW else "changed" if reason == "subscription_update" else "renewal"
    return {
        "ids": _ids(one.get("payment_intent") or intent, one, one.get("charge")),
        "customer": text_of(one.get("customer")),
        "subscription": subscription,
        "type": "subscription" if subscription else "sale",
        "lifecycle": lifecycle if subscription else "",
        "product_id": text_of(inner(line, "price", "product") or inner(line, "pricing", "price_details", "product")),
        "product_name": text_of(line.get("description")),
        "clues": clues_of([one.get("metadata"), inner(details, "metadata"), line.get("metadata")]),
    }


def _invoice_paid(one: Object, time: int, _event: Object) -> PaymentReport | None:
    currency, amount = _money(one, "amount_paid")
    # That of a trial is zero.
    if not amount:
        return None
    return PaymentReport(status="completed", currency=currency, amount=amount, time=time, id=_id(one), **_invoice(one))


def _intent_failed(one: Object, time: int, _event: Object) -> PaymentReport:
    currency, amount = _money(one, "amount")
    error = one.get("last_payment_error")
    attempt = _ids(inner(error, "charge"), one.get("latest_charge"), f"{_id(one)} {time}")[0]
    return PaymentReport(
        type="sale",
        status="failed",
        currency=currency,
        amount=amount,
        time=time,
        id=attempt,
        ids=_ids(one, one.get("invoice")),
        customer=text_of(one.get("customer")),
        failure_reason=text_of(inner(error, "decline_code") or inner(error, "code")),
        clues=clues_of([one.get("metadata")]),
    )


def _charge_failed(one: Object, time: int, _event: Object) -> PaymentReport:
    currency, amount = _money(one, "amount")
    reason = inner(one, "outcome", "reason") or one.get("failure_code")
    return PaymentReport(
        type="sale",
        status="failed",
        currency=currency,
        amount=amount,
        time=time,
        id=_id(one),
        ids=_ids(one.get("payment_intent"), one.get("invoice")),
        customer=text_of(one.get("customer")),
        failure_reason=text_of(reason),
        clues=clues_of([one.get("metadata")]),
    )


def _intent_canceled(one: Object, time: int, _event: Object) -> PaymentReport:
    currency, amount = _money(one, "amount")
    return PaymentReport(
        type="sale",
        status="canceled",
        currency=currency,
        amount=amount,
        time=time,
        id=f"{_id(one)} canceled",
        ids=_ids(one, one.get("invoice")),
        customer=text_of(one.get("customer")),
        failure_reason=text_of(one.get("cancellation_reason")),
        clues=clues_of([one.get("metadata")]),
    )


def _invoice_failed(one: Object, time: int, _event: Object) -> PaymentReport:
    currency, amount = _money(one, "amount_due")
    attempt = text_of(one.get("charge")) or f"{_id(one)} {int(one.get('attempt_count') or 0)}"
    return PaymentReport(status="failed", currency=currency, amount=amount, time=time, id=attempt, **_invoice(one))


def _refund(one: Object, time: int, _event: Object) -> PaymentReport | None:
    currency, amount = _money(one, "amount")
    if one.get("status") not in {"succeeded", "pending", "requires_action", None}:
        # It failed or was canceled, so nothing was refunded.
        amount = 0
    return PaymentReport(
        type="refund",
        status="refunded",
        currency=currency,
        amount=-amount,
        time=time,
        id=_id(one),
        ids=_ids(one.get("payment_intent"), one.get("charge")),
        failure_reason=text_of(one.get("reason")),
    )


def _charge_refunded(one: Object, time: int, _event: Object) -> PaymentReport:
    currency, amount = _money(one, "amount_refunded")
    return PaymentReport(
        type="refund",
        status="refunded",
        currency=currency,
        amount=-amount,
        time=time,
        id=f"{_id(one)} {amount}",
        ids=_ids(one.get("payment_intent"), one.get("invoice"), one),
        customer=text_of(one.get("customer")),
        total=True,
    )


def _dispute(one: Object, time: int, event: Object) -> PaymentReport:
    """Money that a dispute withdraws, or gives back once it is won."""
    currency, amount = _money(one, "amount")
    won = event.get("type") == "charge.dispute.funds_reinstated"
    return PaymentReport(
        type="refund",
        status="refunded",
        currency=currency,
        amount=amount if won else -amount,
        time=time,
        id=f"{_id(one)} won" if won else _id(one),
        ids=_ids(one.get("payment_intent"), one.get("charge")),
        failure_reason=text_of(one.get("reason")),
    )


def _subscription(one: Object, time: int, event: Object) -> PaymentReport | None:
    kind = str(event.get("type")).rpartition(".")[2]
    trial = one.get("status") == "trialing"
    of_kind: dict[str, Lifecycle] = {"updated": "changed", "deleted": "churn", "trial_will_end": "trial_ending"}
    lifecycle = of_kind.get(kind, "trial" if trial else "new")
    if kind == "updated" and not {"items", "plan", "quantity"} & {*(inner(event, "data", "previous_attributes") or ())}:
        return None
    item: Object = next(iter(first_items(inner(one, "items", "data"), 1)), {})
    currency = one.get("currency") or inner(item, "price", "currency")
    return PaymentReport(
        type="subscription_event",
        status="canceled" if kind == "deleted" else "completed",
        currency=currency_of(currency),
        amount=0,
        time=time,
        id=f"{_id(one)} {kind}" if kind != "updated" else text_of(event.get("id")) or f"{_id(one)} {time}",
        customer=text_of(one.get("customer")),
        subscription=_id(one),
        lifecycle=lifecycle,
        product_id=text_of(inner(item, "price", "product")),
        failure_reason=text_of(inner(one, "cancellation_details", "reason")),
        clues=clues_of([one.get("metadata")]),
    )


_READERS: Final[Mapping[str, Callable[[Object, int, Object], PaymentReport | None]]] = {
    "payment_intent.succeeded": _intent_paid,
    "payment_intent.payment_failed": _intent_failed,
    "payment_intent.canceled": _intent_canceled,
    "charge.succeeded": _charge_paid,
    "charge.captured": _charge_paid,
    "charge.failed": _charge_failed,
    "charge.refunded": _charge_refunded,
    "charge.refund.updated": _refund,
    "refund.created": _refund,
    "refund.updated": _refund,
    "refund.failed": _refund,
    "charge.dispute.funds_withdrawn": _dispute,
    "charge.dispute.funds_reinstated": _dispute,
    "invoice.paid": _invoice_paid,
    "invoice.payment_succeeded": _invoice_paid,
    "invoice.payment_failed": _invoice_failed,
    "checkout.session.completed": _checkout_paid,
    "checkout.session.async_payment_succeeded": _checkout_paid,
    "customer.subscription.created": _subscription,
    "customer.subscription.updated": _subscription,
    "customer.subscription.deleted": _subscription,
    "customer.subscription.trial_will_end": _subscription,
}
EVENTS: Final = tuple(_READERS)
