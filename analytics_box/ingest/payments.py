"""Payments: custom events that carry an amount of money, and how a payment becomes a row of transactions.

An order is stored once, whether its browser, its server, or both report it: what comes with an API key replaces what a
browser said, and keeps the visit that the browser told. Amounts are read as decimal text, never calculated as floats.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any, Final

from analytics_box.base.errors import ErrorDetail
from analytics_box.base.facts.event import Payment
from analytics_box.base.facts.layout import INSERT, STORED_COLUMNS, stored_table
from analytics_box.base.facts.tables import CLOSED, SPANS
from analytics_box.base.money import CURRENCIES, LARGEST
from analytics_box.base.store.db import Connection
from analytics_box.base.store.strings import Strings
from analytics_box.base.translation import _
from analytics_box.ingest.payload import InvalidEvent
from analytics_box.web.recognition.paths import clean

# An event is a payment if it has the first of these, or another one together with a currency.
AMOUNT_NAMES: Final = ("revenue", "amount", "value")
LONGEST_ID: Final = 255
LONGEST_NAME: Final = 255
_LONGEST_NUMBER = 40
TABLE: Final = "transactions"
UNMATCHED: Final = "unmatched"
# The name of the key of customers' ids.
CUSTOMERS: Final = "customers of payments"
_TOO_LARGE: Final = ErrorDetail(
    "properties", _("Send an amount of up to {most:,} minor units, such as cents").format(most=LARGEST)
)


def digest(site: int, kind: str, text: str, key: bytes = b"") -> int:
    """The digest of an id of another program on a website: 63 bits, never 0; 0 for an empty id. Ids of people need a
    key, so that they cannot be guessed from it."""
    if not text:
        return 0
    hashed = hashlib.blake2b(f"{site}\0{kind}\0{text}".encode("utf-8", "surrogatepass"), digest_size=8, key=key)
    return int.from_bytes(hashed.digest(), "big") >> 1 or 1


def of(
    properties: Mapping[str, Any],
    site: int,
    currency: str,
    *,
    verified: bool,
    event_id: str,
    key: Callable[[str], bytes],
) -> Payment | None:
    """The payment that a custom event reports; None if it reports none. `currency` is the website's default, `key` that
    of customers' ids.

    Raises InvalidEvent for an amount that is too large.
    """
    named = properties.get("currency")
    code = named.strip().upper() if isinstance(named, str) else "" if named else currency
    if code not in CURRENCIES:
        return None
    given = next(
        (properties[name] for name in AMOUNT_NAMES[: None if named else 1] if properties.get(name) is not None), None
    )
    amount = _amount(given, code)
    if not amount:
        return None
    order, own = _id(properties, "orderId", "order_id"), _id(properties, "transactionId", "transaction_id")
    customer = _id(properties, "customerId", "customer_id")
    refund = amount < 0
    name = own or (event_id if refund else "") or order or event_id
    subscription = _id(properties, "subscriptionId", "subscription_id")
    return Payment(
        "server" if verified else "tracker",
        "refund" if refund else "subscription" if subscription else "sale",
        "refunded" if refund else "completed",
        code,
        amount,
        transaction_id=own or order,
        reference=digest(site, "refund" if refund else "order", name),
        payment=digest(site, "order", order or own),
        customer=digest(site, "customer", customer, key(CUSTOMERS)) if customer else 0,
        subscription=digest(site, "subscription", subscription),
        verified=verified,
        lifecycle=("renewal" if properties.get("billing") == "renewal" else "new") if subscription else "",
        product_id=_id(properties, "productId", "product_id"),
        product_name=_id(properties, "productName", "product_name", "product"),
    )


def _id(properties: Mapping[str, Any], *names: str) -> str:
    """The first of these properties that is a text or a whole number."""
    for name in names:
        given = properties.get(name)
        if isinstance(given, str) or (isinstance(given, int) and not isinstance(given, bool)):
            return clean(str(given)[: 4 * LONGEST_ID], LONGEST_ID)
    return ""


def _amount(given: Any, currency: str) -> int:
    """An amount in minor units, rounded half away from zero; 0 for what is no number. The text of a JSON number with up
    to 15 digits is the same after it was read. Raises InvalidEvent."""
    if isinstance(given, bool) or not isinstance(given, int | float | str):
        return 0
    text = given.strip() if isinstance(given, str) else repr(given)
    if len(text) > _LONGEST_NUMBER or not text.isascii() or "_" in text:
        if isinstance(given, int):
            raise InvalidEvent(_TOO_LARGE)
        return 0
    try:
        value = Decimal(text)
    except InvalidOperation:
        return 0
    if not value.is_finite():
        return 0
    places = CURRENCIES[currency]
    if value.adjusted() + places > 15:
        raise InvalidEvent(_TOO_LARGE)
    if value.adjusted() + places < -1:
        return 0
    amount = int(value.scaleb(places).to_integral_value(ROUND_HALF_UP))
    if abs(amount) > LARGEST:
        raise InvalidEvent(_TOO_LARGE)
    return amount


_COLUMNS: Final = STORED_COLUMNS[TABLE]
_OWN: Final = SPANS[TABLE]
_FOLDS: Final = tuple(name not in CLOSED for name in _OWN)
# What a verified report of the same order replaces, and what only a report with a visit does.
_REPLACED = frozenset(
    [
        *("time", "provider", "payment_type", "payment_status", "currency", "lifecycle", "amount", "payment"),
        *("customer", "subscription", "verified", "transaction_id", "product_id", "product_name", "failure_reason"),
    ]
)
_INSERT: Final = (
    INSERT[TABLE]
    + " on conflict (site, reference) where reference <> 0 do update set "
    + ", ".join(
        f"{name} = excluded.{name}"
        if name in _REPLACED
        else f"{name} = iif(excluded.session <> 0 or {stored_table(TABLE)}.session = 0, excluded.{name}, {name})"
        for name in _COLUMNS
        if name not in {"site", "reference"}
    )
    + f" where excluded.verified > {stored_table(TABLE)}.verified returning id"
)


def store(
    db: Connection,
    strings: Strings,
    payment: Payment,
    who_and_where: Sequence[int | str | float | None],
    attributes: Sequence[int],
) -> int:
    """Insert a payment with the numbers of SPAN_OWN and of the session's attributes; the id of its row, or 0 if it is
    stored already. Without a session its visitor is looked for later."""
    session, is_known = who_and_where[3], any(who_and_where[2:6])
    matched = bool(session)
    own: dict[str, int | str] = {
        "provider": payment.provider,
        "payment_type": payment.type,
        "payment_status": payment.status,
        "currency": payment.currency,
        "lifecycle": payment.lifecycle,
        "attribution": "session" if matched else UNMATCHED,
        "unmatched_reason": "" if matched else "pending" if is_known or payment.payment else "no_identifier",
        "amount": payment.amount,
        "reference": payment.reference,
        "payment": payment.payment,
        "customer": payment.customer,
        "subscription": payment.subscription,
        "verified": int(payment.verified),
        "pending": int(is_known or bool(payment.payment or payment.customer)),
        "transaction_id": payment.transaction_id,
        "product_id": payment.product_id,
        "product_name": payment.product_name,
        "failure_reason": payment.failure_reason,
    }
    numbers: list[int | str | float | None] = []
    for name, folds in zip(_OWN, _FOLDS, strict=True):
        value = own.get(name, "")
        numbers.append((strings.folded if folds else strings.number)(db, value) if isinstance(value, str) else value)
    row = db.execute(_INSERT, (*who_and_where, *numbers, *attributes)).fetchone()
    return 0 if row is None else int(str(row[0]))
