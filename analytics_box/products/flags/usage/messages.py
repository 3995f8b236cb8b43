"""What procedures say of how flags are used."""

from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct

from analytics_box.products.flags.usage.counts import KEPT_DAYS
from analytics_box.products.flags.usage.rules import StaleReason


class WhichUsage(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of flags.usage: a flag, and how many UTC days back, today included."""

    flagId: Annotated[str, Meta(min_length=1, max_length=255)]
    days: Annotated[int, Meta(ge=1, le=KEPT_DAYS)] = 30


class StaleShown(Struct, frozen=True):
    """Why a flag could go, and since when that is so.

    never_evaluated: nobody has asked for it. constant: by its definition everybody gets the same. one_outcome:
    everybody who asked got the same.
    """

    reason: StaleReason
    since: datetime


class OutcomeShown(Struct, frozen=True, rename="camel"):
    """What a flag gave, a variant or "true" or "false": how often in these days, and when last."""

    gave: str
    count: int
    last_at: datetime | None


class DayShown(Struct, frozen=True):
    """How often a flag gave something on a UTC day, YYYY-MM-DD."""

    date: str
    gave: str
    count: int


class UsageShown(Struct, frozen=True, kw_only=True, rename="camel"):
    """Answer of flags.usage: the most frequent outcome first, the newest day first."""

    flag_id: str
    days: int
    last_evaluated_at: datetime | None
    stale: StaleShown | None
    count: int
    outcomes: tuple[OutcomeShown, ...]
    daily: tuple[DayShown, ...]
