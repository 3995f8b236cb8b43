"""How flags are used, over RPC. Keys need manage:flags."""

from collections import Counter
from datetime import date, timedelta

from analytics_box.base import errors
from analytics_box.products.flags.access import seen
from analytics_box.products.flags.directory import Flags
from analytics_box.products.flags.usage.messages import DayShown, OutcomeShown, UsageShown, WhichUsage
from analytics_box.products.flags.usage.reading import Usage, usage
from analytics_box.products.flags.usage.shown import last_shown, stale_shown
from analytics_box.web.call import Call

_EPOCH = date(1970, 1, 1)


async def get_usage(call: Call, given: WhichUsage) -> UsageShown:
    """flags.usage: how often a flag gave what, by UTC day, when last, and whether it is stale. Raises NotFound."""
    flag = await seen(call, given.flagId)
    scope = call.parts[Flags].scope(flag.scope)
    if scope is None:
        raise errors.NotFound.of("flag", flag.id)
    return _shown(flag.id, given.days, await usage(call.parts, scope, flag, days=given.days))


def _shown(flag_id: str, days: int, found: Usage) -> UsageShown:
    counted: Counter[str] = Counter(dict.fromkeys(found.given.last, 0))
    for one in found.days:
        counted[one.gave] += one.count
    return UsageShown(
        flag_id=flag_id,
        days=days,
        last_evaluated_at=last_shown(found.used.last_at),
        stale=stale_shown(found.used.stale),
        count=counted.total(),
        outcomes=tuple(
            OutcomeShown(gave, count, last_shown(found.given.last.get(gave)))
            for gave, count in sorted(counted.items(), key=lambda item: (-item[1], item[0]))
        ),
        daily=tuple(DayShown(_day(one.day), one.gave, one.count) for one in found.days),
    )


def _day(day: int) -> str:
    return (_EPOCH + timedelta(days=day)).isoformat()
