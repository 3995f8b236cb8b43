"""The usage of flags, over RPC. Keys need manage:flags."""

from collections import Counter
from datetime import date, timedelta

from analytics_box.base import errors
from analytics_box.products.flags.access import visible_flag
from analytics_box.products.flags.directory import Flags
from analytics_box.products.flags.usage.reading import Usage, usage
from analytics_box.products.flags.usage.shown import (
    FlagUsageAnswer,
    OutcomeUsageAnswer,
    UsageDayAnswer,
    WhichUsage,
    last_evaluated_at,
    stale_answer,
)
from analytics_box.web.call import Call

_EPOCH = date(1970, 1, 1)


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
        daily=tuple(UsageDayAnswer(_day(one.day), one.gave, one.count) for one in found.days),
    )


def _day(day: int) -> str:
    return (_EPOCH + timedelta(days=day)).isoformat()
