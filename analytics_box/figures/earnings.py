"""Revenue of the sessions that a question selects, such as those that reached a goal: an amount for each currency."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from analytics_box.base.errors import BoxError
from analytics_box.base.money import amount_text
from analytics_box.base.translation import _
from analytics_box.query.access import ReadScope
from analytics_box.query.catalog.revenue import OF_SESSIONS
from analytics_box.query.request import QueryRequest
from analytics_box.query.run import QueryRunner

# An exact number in JSON.
Amount = Annotated[Decimal, Meta(extra_json_schema={"type": "number"})]


class Earnings(Struct, frozen=True):
    """Completed payments in one currency, before refunds. `revenue` is in the currency's main unit."""

    currency: str
    revenue: Amount
    transactions: int


async def earnings(queries: QueryRunner, request: QueryRequest, reads: ReadScope) -> tuple[Earnings, ...] | None:
    """The revenue that is attributed to the sessions which a request selects, in the days of its first question, the
    largest amount first; None if it is unknown."""
    question = replace(request.questions[0], type=OF_SESSIONS)
    try:
        (entry,) = await queries.answer(replace(request, questions=(question,)), reads)
    except BoxError:
        return None
    return tuple(Earnings(**row) for row in entry.data) if entry.success else None


def earnings_text(earned: Sequence[Earnings] | None) -> str:
    """The amounts in words; empty if nothing was paid."""
    return _(" and ").join(amount_text(one.revenue, one.currency) for one in earned or ())
