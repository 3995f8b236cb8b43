"""The expected split of a flag's variants, as its definition alone determines it."""

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final

from analytics_box.base.store.db import Db
from analytics_box.products.flags.directory import Flags
from analytics_box.products.flags.evaluation.compiling import cumulative, has_weights
from analytics_box.products.flags.evaluation.outcome import off_variant
from analytics_box.products.flags.flag import Algorithm, Flag, FlagDefinition
from analytics_box.products.flags.history import reading
from analytics_box.query.named import Split
from analytics_box.tenants.websites.directory import Directory

# Percent between neighbouring draws, of those that are coarse: a weight of 33.33 gets 34 of 100 whole percents.
_ROLLOUT_STEPS: Final[dict[Algorithm, float]] = {"default": 1, "unleash": 1, "growthbook_v1": 0.1}
_VARIANT_STEPS: Final[dict[Algorithm, float]] = {"default": 1, "unleash": 0.1, "growthbook_v1": 0.1}
_TWO: Final = ("false", "true")


class FlagSplits:
    """The splits of the flags in memory, and of their history in box.db (query.named)."""

    def __init__(self, db: Db, flags: Flags, websites: Directory) -> None:
        self._db = db
        self._flags = flags
        self._websites = websites

    async def of(self, site: int, flag: str, start: int, end: int) -> Split | None:
        """The split of the website's flag, else of its organization's.

        Exposures do not name their environment: of several flags with this key the one without an environment counts,
        and if all have one, the split is unknown.
        """
        for found in self._named(site, flag):
            common = [one for one in found if one.environment is None] or found
            if len(common) > 1:
                return Split(untold="environments")
            definition = common[0].definition
            read = partial(reading.in_force, flag_id=common[0].id, start=start, end=end)
            return split_within(definition, await self._db.read(read))
        return None

    def _named(self, site: int, flag: str) -> Iterator[list[Flag]]:
        """The flags with this key, of the website and then of the organization, if there are any."""
        website = next((one for one in self._websites.all() if one.site == site), None)
        for scope_id in () if website is None else (website.id, website.organization_id):
            scope = self._flags.scope(scope_id)
            found = [one for one in scope.flags if one.key == flag and one.user_id is None] if scope else []
            if found:
                yield found


def split_within(now: FlagDefinition, before: Sequence[FlagDefinition] | None) -> Split:
    """The split of a flag in a range: the current one, unless the flag was different. `before` are its definitions in
    the range, None if they are unknown. Variants of that time are still variants.
    """
    split = split_of(now)
    if before is not None and all(_draws(one) == _draws(now) for one in before):
        return split
    others = [split_of(one) for one in before or ()]
    variants = dict.fromkeys(name for one in (split, *others) for name in one.variants)
    closed = before is not None and all(one.closed for one in (split, *others))
    return Split(tuple(variants), closed=closed, untold="changed")


def _draws(definition: FlagDefinition) -> tuple[Any, ...]:
    """Everything that decides the outcomes of visitors; visitors that an inactive flag leaves out belong to none of its
    variants.
    """
    left_out = definition.type == "multivariant" and not _gives_variant_while_off(definition)
    return (
        definition.type,
        "" if left_out else definition.status,
        definition.offValue,
        definition.rolloutPercentage,
        definition.rolloutBy,
        definition.persistAcrossAuth,
        definition.bucketing,
        definition.rules,
        definition.targetGroupIds,
        definition.dependencies,
        definition.prerequisites,
        [(one.key, one.weight) for one in definition.variants],
    )


def split_of(definition: FlagDefinition) -> Split:
    """The split of the users that a flag is evaluated for.

    Rules override the bucketing for some users, and a rollout by organizations or teams gives all their members the
    same: then the expected share of a variant is unknown.
    """
    told = not definition.rules and not definition.targetGroupIds and definition.rolloutBy == "user"
    algorithm = definition.bucketing.algorithm
    if definition.type == "multivariant":
        told = told and not (
            _gives_variant_while_off(definition) and (definition.dependencies or definition.prerequisites)
        )
        names = tuple(variant.key for variant in definition.variants)
        ends = cumulative(definition.variants)
        if has_weights(definition.variants):
            ends = tuple(_drawn_below(end, _VARIANT_STEPS.get(algorithm, 0)) for end in (*ends[:-1], 100.0))
        return Split(names, _widths(ends), closed=True) if told else _untold(names, closed=True)
    if definition.type == "rollout":
        told = told and not definition.dependencies and not definition.prerequisites
        share = _drawn_below(definition.rolloutPercentage, _ROLLOUT_STEPS.get(algorithm, 0))
        return Split(_TWO, (100 - share, share)) if told else _untold(_TWO)
    return _untold(_TWO)


def _gives_variant_while_off(definition: FlagDefinition) -> bool:
    """Return whether the off value is that of a variant, whose visitors then include some who were not bucketed into
    it.
    """
    variant = off_variant(definition)
    return variant is not None and bool(variant.key)


def _untold(names: tuple[str, ...], *, closed: bool = False) -> Split:
    return Split(names, closed=closed, untold="not_by_chance")


def _drawn_below(percent: float, step: float) -> float:
    """The percentage of buckets below `percent`, if buckets are `step` percent apart."""
    return min(math.ceil(round(percent / step, 6)) * step, 100.0) if step else percent


def _widths(ends: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(max(end - start, 0.0) for start, end in zip((0.0, *ends), ends, strict=False))
