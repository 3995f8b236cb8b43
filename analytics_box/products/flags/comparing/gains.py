"""People who gain or lose a flag by a change of its definition. Pure."""

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.products.flags.evaluation.compiling import Ruleset, compile_ruleset
from analytics_box.products.flags.evaluation.context import EvaluationContext
from analytics_box.products.flags.flag import Flag, FlagDefinition, TargetGroup


class Gains(Struct, frozen=True):
    """The number of people compared, the number who have the flag before and after, and the people who change."""

    people: int
    before: int
    after: int
    gained: tuple[str, ...]
    lost: tuple[str, ...]


def compare(
    flag: Flag,
    changed: FlagDefinition,
    others: Iterable[Flag],
    groups: Sequence[TargetGroup],
    people: Iterable[EvaluationContext],
) -> Gains:
    """Compare the people who get the flag now and with the changed definition, as if the flag was active in both.

    `others` are the flags of its scope, of which those of its environment may be needed.
    """
    beside = [one for one in others if one.environment == flag.environment and one.id != flag.id]
    now = _compile_active(flag, flag.definition, beside, groups)
    then = _compile_active(flag, changed, beside, groups)
    looked = had = has = 0
    gained: list[str] = []
    lost: list[str] = []
    for person in people:
        was, is_on = (_is_on(ruleset, flag.key, person) for ruleset in (now, then))
        looked, had, has = looked + 1, had + was, has + is_on
        if was != is_on:
            (gained if is_on else lost).append(person.user_id)
    return Gains(looked, had, has, tuple(gained), tuple(lost))


def _compile_active(
    flag: Flag, definition: FlagDefinition, beside: Sequence[Flag], groups: Sequence[TargetGroup]
) -> Ruleset:
    active = replace(flag, definition=replace(definition, status="active"))
    return compile_ruleset((*beside, active), groups)


def _is_on(ruleset: Ruleset, key: str, person: EvaluationContext) -> bool:
    outcome = ruleset.one(key, person)
    return outcome is not None and outcome.enabled
