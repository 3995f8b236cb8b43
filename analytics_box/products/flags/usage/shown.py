"""The last evaluation of a flag and the reason why it is stale, as answers."""

from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct

from analytics_box.products.flags.usage.counts import KEPT_DAYS
from analytics_box.products.flags.usage.rules import Stale, StaleReason
from analytics_box.tenants.tenancy.messages import date


class WhichUsage(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of flags.usage: a flag, and the number of UTC days back, today included."""

    flagId: Annotated[str, Meta(min_length=1, max_length=255)]
    days: Annotated[int, Meta(ge=1, le=KEPT_DAYS)] = 30


class StaleFlagAnswer(Struct, frozen=True):
    """The reason why a flag is stale, and since when.

    never_evaluated: no app has evaluated it. constant: by its definition all users get the same outcome. one_outcome:
    all evaluations had the same outcome.
    """

    reason: StaleReason
    since: datetime


class OutcomeUsageAnswer(Struct, frozen=True, rename="camel"):
    """The usage of an outcome (a variant, or "true" or "false"): its count in these days, and its last time."""

    gave: str
    count: int
    last_at: datetime | None


class UsageDayAnswer(Struct, frozen=True):
    """The count of an outcome on a UTC day, YYYY-MM-DD."""

    date: str
    gave: str
    count: int


class FlagUsageAnswer(Struct, frozen=True, kw_only=True, rename="camel"):
    """Answer of flags.usage: the most frequent outcome first, the newest day first."""

    flag_id: str
    days: int
    last_evaluated_at: datetime | None
    stale: StaleFlagAnswer | None
    count: int
    outcomes: tuple[OutcomeUsageAnswer, ...]
    daily: tuple[UsageDayAnswer, ...]


def last_evaluated_at(last_at: int | None) -> datetime | None:
    """The time of the last evaluation, from UTC ms; None for never."""
    return None if last_at is None else date(last_at)


def stale_answer(stale: Stale | None) -> StaleFlagAnswer | None:
    """The reason why a flag is stale, as an answer; None if it is not."""
    return None if stale is None else StaleFlagAnswer(stale.reason, date(stale.since))
