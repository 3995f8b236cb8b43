"""The payments of a person, and what all of them come to."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Final

from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.money import amount_text
from analytics_box.base.translation import _
from analytics_box.query.access import ReadScope
from analytics_box.query.ranges import MAX_DAYS
from analytics_box.query.request import MAX_LIMIT, GivenQuery, QueryFilterInput, check
from analytics_box.query.run import QueryRunner
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.page.dates import exact
from analytics_box.web.page.visit import PageRequest

PAYMENT_LABELS: Final = {"sale": _("Sale"), "subscription": _("Subscription"), "refund": _("Refund")}
MOST_PAYMENTS: Final = 20


class PersonPayment(Struct, frozen=True):
    """A transaction of a person."""

    when: str
    kind: str
    product: str
    amount: str


class PersonPayments(Struct, frozen=True):
    """The payments of a person, latest first, and their sums by currency: completed payments minus refunds."""

    lifetime: tuple[str, ...]
    lines: tuple[PersonPayment, ...]


async def payments_of(visit: PageRequest, website: Website, profile_id: str) -> PersonPayments:
    """All payments of a person, of which the latest are listed. Raises BoxError."""
    last = datetime.fromtimestamp(visit.call.now / 1000, UTC).date()
    first = last - timedelta(days=MAX_DAYS - 2)
    only = QueryFilterInput("profile_id", "eq", profile_id)
    until = last + timedelta(days=1)
    given = GivenQuery(["profile_revenue"], first.isoformat(), until.isoformat(), limit=MAX_LIMIT, filters=[only])
    request = check(given, zone_name="UTC", now=visit.call.now)
    (entry,) = await visit.parts[QueryRunner].answer(request, ReadScope((website.site,)))
    rows = [row for row in entry.data if row["status"] in {"completed", "refunded"} and row["amount"]]
    sums: dict[str, Decimal] = {}
    for row in rows:
        sums[row["currency"]] = sums.get(row["currency"], Decimal(0)) + row["amount"]
    return PersonPayments(
        tuple(amount_text(total, currency) for currency, total in sums.items()),
        tuple(
            PersonPayment(
                exact(row["created"], visit.person),
                PAYMENT_LABELS[row["type"]],
                figures.visible(row["product_name"]),
                amount_text(row["amount"], row["currency"]),
            )
            for row in rows[:MOST_PAYMENTS]
        ),
    )
