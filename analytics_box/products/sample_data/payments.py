"""Payments of the demo's visitors, as Stripe would report them: plans, renewals, refunds and declined cards."""

from collections.abc import Iterator
from random import Random
from typing import Final

from analytics_box.base.clock import HOUR, MINUTE, SECOND

Own = tuple[int | float | str | None, ...]

# Cents of a month, by plan.
_PRICES: Final = {"pro": 900, "team": 2_900}
# The share of those who select a paid plan and pay.
_BUYS: Final = 0.55
_DECLINED, _RECOVERS, _REFUNDED, _RENEWAL, _TEMPLATES = 0.14, 0.6, 0.05, 0.35, 0.12
_REASONS: Final = (
    "card_declined",
    "insufficient_funds",
    "insufficient_funds",
    "expired_card",
    "authentication_required",
)
_FIRST: Final = (
    ("Google", "Organic Search", "", "/"),
    ("Google", "Organic Search", "", "/blog/self-hosting-notes"),
    ("Direct", "Direct", "", "/pricing"),
    ("Hacker News", "Organic Social", "", "/"),
    ("newsletter", "Email", "spring", "/pricing"),
)


def of_plan(chance: Random, plan: str, time: int, *, dollars: bool) -> Iterator[tuple[int, Own]]:
    """The payments of a visitor who selects a plan: times (UTC ms) and the columns of transactions."""
    if plan not in _PRICES or chance.random() > _BUYS:
        return
    renews = chance.random() < _RENEWAL
    number, first = chance.getrandbits(40) | 1, chance.choice(_FIRST)
    name, method = f"Inkwell {plan.capitalize()}", "customer" if renews else "session"
    kind, product = "subscription", f"prod_{plan}"
    lifecycle, price = "renewal" if renews else "new", _PRICES[plan]
    if chance.random() < _TEMPLATES:
        kind, product, name, lifecycle, price = "sale", "prod_templates", "Template pack", "", 1_900

    def row(payment_type: str, status: str, amount: int, step: int, reason: str = "", cycle: str = "") -> Own:
        about = ("stripe", payment_type, status, "USD" if dollars else "EUR", cycle, method, "", amount)
        ids = (0, number, number, number if kind == "subscription" else 0, 1, 0)
        return (*about, *ids, f"pi_demo{number % 1_000_000:06d}{step}", product, name, reason, *first)

    at = time + chance.randint(20, 300) * SECOND
    if chance.random() < _DECLINED:
        yield at, row(kind, "failed", price, 0, chance.choice(_REASONS))
        if chance.random() > _RECOVERS:
            return
        at += chance.randint(1, 20) * MINUTE
    yield at, row(kind, "completed", price, 1, cycle=lifecycle)
    if chance.random() < _REFUNDED:
        yield at + chance.randint(1, 4) * HOUR, row("refund", "refunded", -price, 2)
    elif renews and chance.random() < _REFUNDED:
        yield at + HOUR, row("subscription_event", "canceled", 0, 3, cycle="churn")
