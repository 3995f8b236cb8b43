"""Webhooks of Paddle Billing: which payments its events report. Pure."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

from analytics_box.base.facts.event import Lifecycle
from analytics_box.base.money import CURRENCIES
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

HEADER: Final = "paddle-signature"
SEPARATORS: Final = (";", ":")
NAMES: Final = ("ts", "h1")
Object = Mapping[str, Any]


def read(event: Object) -> tuple[str, PaymentReport | None]:
    """The type of an event, and the payment that it reports if any. Raises BadRequest."""
    kind, one, occurred = event.get("event_type"), event.get("data"), event.get("occurred_at")
    if not isinstance(kind, str) or not isinstance(one, Mapping) or not isinstance(occurred, str):
        raise wrong("object")
    try:
        time = int(datetime.fromisoformat(occurred).timestamp() * 1000)
    except (ValueError, OverflowError) as broken:
        raise wrong("time") from broken
    reader = _READERS.get(kind)
    return kind, reader(one, time, kind) if reader is not None else None


def _money(one: Object, total: object) -> tuple[str, int]:
    currency = currency_of(one.get("currency_code"))
    return currency, amount_of(total, currency, CURRENCIES[currency])


def _id(one: Object) -> str:
    found = text_of(one.get("id"))
    if not found:
        raise wrong("id")
    return found


def _transaction(one: Object, time: int, kind: str) -> PaymentReport | None:
    totals = inner(one, "details", "totals")
    currency, amount = _money(one, inner(totals, "grand_total") or inner(totals, "total"))
    subscription = text_of(one.get("subscription_id"))
    lines = first_items(inner(one, "details", "line_items"))
    line: Object = max(lines, key=_line_total, default={})
    name, failed, canceled = _id(one), kind.endswith("payment_failed"), kind.endswith("canceled")
    if not amount and not (failed or canceled):
        return None
    attempt = next(iter(first_items(one.get("payments"), 1)), {})
    if failed:
        name = text_of(attempt.get("payment_attempt_id")) or f"{name} {time}"
    origin = one.get("origin")
    lifecycle: Lifecycle = (
        "renewal" if origin == "subscription_recurring" else "changed" if origin == "subscription_update" else "new"
    )
    return PaymentReport(
        type="subscription" if subscription else "sale",
        status="failed" if failed else "canceled" if canceled else "completed",
        currency=currency,
        amount=amount,
        time=time,
        id=f"{name} canceled" if canceled else name,
        ids=(_id(one),),
        customer=text_of(one.get("customer_id")),
        subscription=subscription,
        lifecycle=lifecycle if subscription else "",
        product_id=text_of(inner(line, "product")),
        product_name=text_of(inner(line, "product", "name")),
        failure_reason=text_of(attempt.get("error_code")) if failed else "",
        clues=clues_of([one.get("custom_data")]),
    )


def _line_total(line: Object) -> int:
    total = inner(line, "totals", "total")
    return int(total) if isinstance(total, str) and total.isdecimal() and len(total) < 20 else 0


def _adjustment(one: Object, time: int, _kind: str) -> PaymentReport | None:
    action, status = one.get("action"), one.get("status")
    if action not in {"refund", "chargeback", "chargeback_reverse"} or status not in {"approved", "reversed"}:
        return None
    currency, amount = _money(one, inner(one, "totals", "total"))
    back = action == "chargeback_reverse"
    return PaymentReport(
        type="refund",
        status="refunded",
        currency=currency,
        amount=0 if status == "reversed" else amount if back else -amount,
        time=time,
        id=_id(one),
        ids=tuple(filter(None, (text_of(one.get("transaction_id")),))),
        customer=text_of(one.get("customer_id")),
        subscription=text_of(one.get("subscription_id")),
        failure_reason=text_of(one.get("reason")),
    )


def _subscription(one: Object, time: int, kind: str) -> PaymentReport:
    ended = kind.endswith("canceled")
    item: Object = next(iter(first_items(one.get("items"), 1)), {})
    lifecycle: Lifecycle = "churn" if ended else "trial" if one.get("status") == "trialing" else "new"
    return PaymentReport(
        type="subscription_event",
        status="canceled" if ended else "completed",
        currency=currency_of(one.get("currency_code")),
        amount=0,
        time=time,
        id=f"{_id(one)} {'canceled' if ended else 'created'}",
        customer=text_of(one.get("customer_id")),
        subscription=_id(one),
        lifecycle=lifecycle,
        product_id=text_of(inner(item, "price", "product_id")),
        product_name=text_of(inner(item, "product", "name")),
        clues=clues_of([one.get("custom_data")]),
    )


_READERS: Final[Mapping[str, Callable[[Object, int, str], PaymentReport | None]]] = {
    "transaction.completed": _transaction,
    "transaction.payment_failed": _transaction,
    "transaction.canceled": _transaction,
    "adjustment.created": _adjustment,
    "adjustment.updated": _adjustment,
    "subscription.created": _subscription,
    "subscription.canceled": _subscription,
}
EVENTS: Final = tuple(_READERS)
