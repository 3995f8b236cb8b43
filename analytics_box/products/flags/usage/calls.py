"""The usage of flags, over RPC. Keys need manage:flags."""

from collections import Counter
from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct

from analytics_box.base import errors
from analytics_box.base.clock import DAY, iso_day
from analytics_box.products.flags.access import visible_flag
from analytics_box.products.flags.directory import Flags
from analytics_box.products.flags.usage.counts import KEPT_DAYS, Usage, usage
from analytics_box.products.flags.usage.rules import Stale, StaleReason
from analytics_box.tenants.tenancy.messages import date as wire_date
from analytics_box.web.call import Call


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
    return None if last_at is None else wire_date(last_at)


def stale_answer(stale: Stale | None) -> StaleFlagAnswer | None:
    """The reason why a flag is stale, as an answer; None if it is not."""
    return None if stale is None else StaleFlagAnswer(stale.reason, wire_date(stale.since))


async def get_usage(call: Call, given: WhichUsage) -> FlagUsageAnswer:
    """flags.usage: return a flag's evaluations by value and UTC day, and whether it is stale."""
    flag = await visible_flag(call, given.flagId)
    scope = call.parts[Flags].scope(flag.scope)
    if scope is None:
        raise errors.NotFound.of("flag", flag.id)
    return _usage_answer(flag.id, given.days, await usage(call.parts, scope, flag, days=given.days))


def _usage_answer(flag_id: str, days: int, found: Usage) -> FlagUsageAnswer:
    counted: Counter[str] = Counter(dict.fromkeys(found.given.last, 0))
    for one in found.days:
        counted[one.gave] += one.count
    return FlagUsageAnswer(
        flag_id=flag_id,
        days=days,
        last_evaluated_at=last_evaluated_at(found.used.last_at),
        stale=stale_answer(found.used.stale),
        count=counted.total(),
        outcomes=tuple(
            OutcomeUsageAnswer(gave, count, last_evaluated_at(found.given.last.get(gave)))
            for gave, count in sorted(counted.items(), key=lambda item: (-item[1], item[0]))
        ),
        daily=tuple(UsageDayAnswer(iso_day(one.day * DAY), one.gave, one.count) for one in found.days),
    )
