"""The revenue of all currencies as one amount, by the currency rates of the organization."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.money import amount_text, places_of
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.figures.asking import PageQuery
from analytics_box.products.revenue import rates
from analytics_box.products.revenue.rates import Conversion, Converter, DatedSum
from analytics_box.query.catalog.types import Record
from analytics_box.web.call import Call

# More rates than these are summed up by their days.
_MOST_NAMED: Final = 3


class ConvertedTotal(Struct, frozen=True):
    """The revenue of all currencies in `target`. `basis` names the rates, `missing` the amounts without a rate; empty
    if there are none."""

    target: str
    revenue: str
    net: str
    basis: str
    missing: str


async def converted_totals(
    call: Call, organization_id: str, asking: PageQuery, overview: Sequence[Record]
) -> list[ConvertedTotal]:
    """A total for each currency into which there are rates, unless all revenue is in it. Raises UnansweredQuery."""
    currencies = {row["currency"] for row in overview}

    def find(db: Connection) -> list[Converter]:
        found = (Converter.of(db, organization_id, target) for target in rates.targets(db, organization_id))
        return [one for one in found if currencies - {one.target}]

    converters = await call.read(find)
    if not converters:
        return []
    (rows,) = await replace(asking, step="day").rows(("revenue_time_series",), limit=10_000)
    revenue: list[DatedSum] = []
    refunds: list[DatedSum] = []
    for row in rows:
        currency, day = row["currency"], str(row["date"])[:10]
        for sums, amount in ((revenue, row["revenue"]), (refunds, -row["refund_amount"])):
            if amount:
                sums.append(DatedSum(currency, day, int(amount.scaleb(places_of(currency)))))
    if sum(row["revenue"] for row in rows) != sum(row["total_revenue"] for row in overview):
        return []  # Ranges with more days than an answer has rows.
    return [_total(one, one.convert(revenue), one.convert([*revenue, *refunds])) for one in converters]


def _total(converter: Converter, revenue: Conversion, net: Conversion) -> ConvertedTotal:
    without: dict[str, int] = {}
    for one in revenue.missing:
        without[one.currency] = without.get(one.currency, 0) + one.amount
    days = sorted(one.day for one in net.rates)
    basis = ", ".join(f"1 {one.currency} = {one.rate} {one.target} ({one.day})" for one in net.rates)
    if len(days) > _MOST_NAMED:
        basis = _("{count} rates from {first} to {last}").format(
            count=figures.count(len(days)), first=days[0], last=days[-1]
        )
    return ConvertedTotal(
        converter.target,
        amount_text(revenue.amount, converter.target),
        amount_text(net.amount, converter.target),
        basis,
        ", ".join(amount_text(amount, currency) for currency, amount in sorted(without.items())),
    )
