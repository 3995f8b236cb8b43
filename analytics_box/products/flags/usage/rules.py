"""Stale flags: flags that are no longer evaluated, or give all users the same outcome. Pure."""

from collections.abc import Iterable, Mapping
from typing import Literal

from msgspec import Struct

from analytics_box.base.clock import DAY
from analytics_box.products.flags.evaluation.outcome import gives_while_off
from analytics_box.products.flags.flag import Flag, FlagDefinition, TargetGroup, TargetingRule

StaleReason = Literal["never_evaluated", "constant", "one_outcome"]


class Stale(Struct, frozen=True):
    """The reason why a flag is stale, and since when (UTC ms).

    never_evaluated: no app has evaluated it. constant: by its definition all users get the same outcome. one_outcome:
    all evaluations had the same outcome.
    """

    reason: StaleReason
    since: int


class LastGiven(Struct, frozen=True):
    """The last time of each outcome of a flag, by variant or "true" and "false" (UTC ms)."""

    last: Mapping[str, int] = {}

    @property
    def last_at(self) -> int | None:
        """The time of the last evaluation (UTC ms); None for never."""
        return max(self.last.values(), default=None)


def stale(
    flag: Flag,
    groups: Mapping[str, TargetGroup],
    given: LastGiven,
    *,
    active_since: int,
    now: int,
    days: int,
    needed: bool = False,
) -> Stale | None:
    """The reason why a flag is stale after `days` days, or None; only active flags can be. With 0 days, none is.

    `active_since` is when it was last enabled (UTC ms). A flag that is `needed` by others is evaluated with them, which
    counts nothing: it never lacks evaluations.
    """
    if flag.definition.status != "active" or flag.deleted_at is not None or not days:
        return None
    limit = now - days * DAY
    began = max(flag.created_at, active_since)
    asked = max(given.last_at or 0, began)
    if asked <= limit and not needed:
        return Stale("never_evaluated", asked)
    changed = max(flag.updated_at, began)
    if changed > limit or flag.user_id is not None:
        return None
    if len(outcomes(flag.definition, groups)) == 1:
        return Stale("constant", changed)
    recent = [gave for gave, at in given.last.items() if at > limit]
    if len(recent) != 1:
        return None
    return Stale("one_outcome", max([changed, *(at for gave, at in given.last.items() if gave != recent[0])]))


def needed_keys(flags: Iterable[Flag]) -> frozenset[tuple[str | None, str]]:
    """The flags that active flags need: keys, each after its environment."""
    return frozenset(
        (flag.environment, key)
        for flag in flags
        if flag.definition.status == "active" and flag.deleted_at is None
        for key in (*flag.definition.dependencies, *(one.key for one in flag.definition.prerequisites))
    )


def outcomes(definition: FlagDefinition, groups: Mapping[str, TargetGroup]) -> frozenset[str]:
    """All possible outcomes of an active flag by its definition: variants by key, and "true" and "false".

    Rules that match no current user also count: the result says what the flag can give, not that a user gets it.
    """
    found = {*_otherwise(definition)}
    rules = [*definition.rules]
    rules += [rule for group_id in definition.targetGroupIds if group_id in groups for rule in groups[group_id].rules]
    found.update(_of_rule(definition, rule) for rule in rules if rule.percentage is None or rule.percentage > 0)
    if definition.dependencies or definition.prerequisites:
        found.add(gives_while_off(definition))
    return frozenset(found)


def _otherwise(definition: FlagDefinition) -> Iterable[str]:
    """The possible outcomes of the default rule."""
    if definition.type == "rollout":
        if 0 < definition.rolloutPercentage < 100:
            return ("true", "false")
        return (_text(definition.rolloutPercentage >= 100),)
    if definition.type == "multivariant" and definition.variants:
        if all(one.weight is None for one in definition.variants):
            return [one.key for one in definition.variants]
        return [one.key for one in definition.variants if one.weight] or (definition.variants[-1].key,)
    return (_text(definition.defaultValue),)


def _of_rule(definition: FlagDefinition, rule: TargetingRule) -> str:
    if (
        rule.enabled
        and definition.type == "multivariant"
        and any(one.key == rule.variant for one in definition.variants)
    ):
        return rule.variant
    is_off = definition.type == "multivariant" and not rule.enabled
    return gives_while_off(definition) if is_off else _text(rule.enabled)


def _text(enabled: bool) -> str:
    return "true" if enabled else "false"
