"""The last evaluation of a flag and the reason why it is stale, as answers."""

from datetime import datetime

from analytics_box.products.flags.usage.messages import StaleFlagAnswer
from analytics_box.products.flags.usage.rules import Stale
from analytics_box.tenants.tenancy.messages import date


def last_evaluated_at(last_at: int | None) -> datetime | None:
    """The time of the last evaluation, from UTC ms; None for never."""
    return None if last_at is None else date(last_at)


def stale_answer(stale: Stale | None) -> StaleFlagAnswer | None:
    """The reason why a flag is stale, as an answer; None if it is not."""
    return None if stale is None else StaleFlagAnswer(stale.reason, date(stale.since))
