"""Who gains or loses a flag by another definition of it. Pure."""

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.products.flags.evaluation.compiling import Ruleset, compiled
from analytics_box.products.flags.evaluation.context import Context
from analytics_box.products.flags.flag import Definition, Flag, TargetGroup


class Gains(Struct, frozen=True):
    """How many people were looked at, how many of them have the flag before and after, and who changes."""

    people: int
    before: int
    after: int
    gained: tuple[str, ...]
    lost: tuple[str, ...]


def compare(
    flag: Flag,
    changed: Definition,
    others: Iterable[Flag],
    groups: Sequence[TargetGroup],
    people: Iterable[Context],
) -> Gains:
    """Who gets the flag now and who would with the changed definition, in both as if it was active.

    `others` are the flags of its scope, of which those of its environment may be needed.
    """
    beside = [one for one in others if one.environment == flag.environment and one.id != flag.id]
    now = _compiled(flag, flag.definition, beside, groups)
    then = _compiled(flag, changed, beside, groups)
    looked = had = has = 0
    gained: list[str] = []
    lost: list[str] = []
    for person in people:
        was, is_on = (_is_on(ruleset, flag.key, person) for ruleset in (now, then))
        looked, had, has = looked + 1, had + was, has + is_on
        if was != is_on:
            (gained if is_on else lost).append(person.user_id)
    return Gains(looked, had, has, tuple(gained), tuple(lost))


def _compiled(flag: Flag, definition: Definition, beside: Sequence[Flag], groups: Sequence[TargetGroup]) -> Ruleset:
    active = replace(flag, definition=replace(definition, status="active"))
    return compiled((*beside, active), groups)


def _is_on(ruleset: Ruleset, key: str, person: Context) -> bool:
    outcome = ruleset.one(key, person)
    return outcome is not None and outcome.enabled
