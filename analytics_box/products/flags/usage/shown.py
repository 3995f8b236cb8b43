"""When a flag was evaluated last, and why it is stale, as answers say it."""

from datetime import datetime

from analytics_box.products.flags.usage.messages import StaleShown
from analytics_box.products.flags.usage.rules import Stale
from analytics_box.tenants.tenancy.messages import date


def last_shown(last_at: int | None) -> datetime | None:
    """When something was given last (UTC ms); None for never."""
    return None if last_at is None else date(last_at)


def stale_shown(stale: Stale | None) -> StaleShown | None:
    """Why a flag is stale; None where it is not."""
    return None if stale is None else StaleShown(stale.reason, date(stale.since))
