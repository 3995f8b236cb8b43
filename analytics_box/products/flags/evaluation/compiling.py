"""The flags of a website or an organization, ready to be evaluated: the wire's order (6.3), made once. Pure."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec
from msgspec import UNSET, Struct, UnsetType

from analytics_box.products.flags.evaluation.asking import (
    Drawing,
    EvaluationSubject,
    identity_of,
    identity_reader,
    variant_identity_of,
    variants_by,
)
from analytics_box.products.flags.evaluation.bucketing import (
    absolute,
    rollout_draw,
    rollout_prefix,
    scale_and_hash,
    variant_draw,
    variant_prefix,
)
from analytics_box.products.flags.evaluation.conditions import Compiler
from analytics_box.products.flags.evaluation.dependencies import Uses, unsound, uses_of
from analytics_box.products.flags.evaluation.outcome import (
    EvaluationContext,
    Outcome,
    Reason,
    is_on_while_off,
    off_variant,
)
from analytics_box.products.flags.flag import Flag, Prerequisite, RolloutBy, TargetGroup, TargetingRule, Variant

Decide = Callable[[EvaluationSubject], Outcome]


def compile_ruleset(flags: Iterable[Flag], groups: Iterable[TargetGroup]) -> "Ruleset":
    """Compile the flags of one scope and environment: active ones, and inactive ones that have an off value."""
    living = [flag for flag in flags if flag.deleted_at is None]
    active = [flag for flag in living if flag.definition.status == "active"]
    off = [flag for flag in living if flag.definition.status == "inactive" and flag.definition.offValue is not None]
    return Ruleset(active, tuple(groups), off)


class Ruleset:
    """Active flags of one scope and environment, and inactive ones with an off value (`off`), which are given and are
    otherwise as if they were not there. Nothing that it is asked raises, whatever the context is.
    """

    def __init__(self, flags: Sequence[Flag], groups: tuple[TargetGroup, ...], off: Sequence[Flag] = ()) -> None:
        self.groups = groups
        self.uses: Uses = uses_of(flags, groups, off)
        self.unsound = unsound(flags)
        self._needed = {one.key for flag in flags for one in flag.definition.prerequisites}
        compiler = Compiler(groups)
        made = [_CompiledFlag(flag, self, compiler) for flag in flags]
        resting = [_CompiledFlag(flag, self, compiler) for flag in off]
        self._made = (*made, *resting)
        self._common = {one.flag.key: one for one in made if one.flag.user_id is None}
        self._personal: dict[str, dict[str, _CompiledFlag]] = {}
        for one in made:
            if one.flag.user_id is not None:
                self._personal.setdefault(one.flag.user_id, {})[one.flag.key] = one
        self._resting = {one.flag.key: one for one in resting if one.flag.user_id is None}
        self._resting_personal: dict[str, dict[str, _CompiledFlag]] = {}
        for one in resting:
            if one.flag.user_id is not None:
                self._resting_personal.setdefault(one.flag.user_id, {})[one.flag.key] = one
        self._for_all = {**self._resting, **self._common}
        for one in made:
            one.settle()
        for one in resting:
            one.rest()

    def keys(self) -> Sequence[str]:
        """Keys of the flags that are given, in their order, including those for single users."""
        return tuple(dict.fromkeys(one.flag.key for one in self._made))

    def one(self, key: str, context: EvaluationContext) -> Outcome | None:
        """The outcome of a flag for a user; None if the user gets no flag of that key."""
        asker = EvaluationSubject(context)
        found = self._found(key, asker) or self._resting_found(key, asker)
        return (found.fixed or found.decide(asker)) if found else None

    def all(self, context: EvaluationContext, keys: Iterable[str] | None = None) -> list[Outcome]:
        """The outcomes of all flags for a user, or of those of these keys; a key without a flag for the user is left
        out.
        """
        asker = EvaluationSubject(context)
        there: Mapping[str, _CompiledFlag] = self._for_all
        own, resting = self._personal.get(asker.user_id), self._resting_personal.get(asker.user_id)
        if own or resting:
            there = {**self._resting, **(resting or {}), **self._common, **(own or {})}
        if keys is None:
            return [one.fixed or self._decided(one, asker) for one in there.values()]
        chosen = [there[key] for key in dict.fromkeys(keys) if key in there]
        return [one.fixed or self._decided(one, asker) for one in chosen]

    def outcomes(self) -> Iterable[Outcome]:
        """Every outcome that there can be, each once."""
        for one in self._made:
            yield from one.outcomes()

    def flag_of(self, key: str, asker: EvaluationSubject) -> Flag | None:
        """The active flag of a key for a user: the user's flag before the one for all."""
        found = self._found(key, asker)
        return found.flag if found else None

    def resting_of(self, key: str, asker: EvaluationSubject) -> Flag | None:
        """The inactive flag of a key whose off value the user gets."""
        found = self._resting_found(key, asker)
        return found.flag if found else None

    def common(self, key: str) -> bool:
        """Return whether there is an active flag of that key for all users."""
        return key in self._common

    def anybodys(self, key: str) -> bool:
        """Return whether there is an active flag of that key for any user."""
        return key in self._common or any(key in flags for flags in self._personal.values())

    def needed(self, key: str, asker: EvaluationSubject) -> Outcome | None:
        """The outcome of a flag that another needs; evaluated once for each user."""
        if key not in asker.outcomes:
            found = self._found(key, asker)
            asker.outcomes[key] = (found.fixed or found.decide(asker)) if found else None
        return asker.outcomes[key]

    def _decided(self, one: "_CompiledFlag", asker: EvaluationSubject) -> Outcome:
        """The outcome of a flag, shared with the flags that need it."""
        key = one.flag.key
        found = self.needed(key, asker) if key in self._needed else None
        return found or one.decide(asker)

    def _found(self, key: str, asker: EvaluationSubject) -> "_CompiledFlag | None":
        if self._personal:
            own = self._personal.get(asker.user_id)
            if own and key in own:
                return own[key]
        return self._common.get(key)

    def _resting_found(self, key: str, asker: EvaluationSubject) -> "_CompiledFlag | None":
        """The inactive flag of a key whose off value the user gets: their own before the one for all."""
        return self._resting_personal.get(asker.user_id, {}).get(key) or self._resting.get(key)


class _CompiledFlag:
    """A compiled flag: `fixed` if all users get the same outcome, else `decide`."""

    __slots__ = ("_groups", "_made", "_matches", "_ruleset", "decide", "fixed", "flag")

    def __init__(self, flag: Flag, ruleset: Ruleset, compiler: Compiler) -> None:
        self.flag = flag
        self._ruleset = ruleset
        self._made: dict[tuple[Reason, bool, str], Outcome] = {}
        self._matches = [
            (compiler.rule(rule), self._of_rule(rule, "USER_RULE_MATCH")) for rule in flag.definition.rules
        ]
        self._groups = [
            (group, tuple(self._of_rule(rule, "TARGET_GROUP_MATCH") for rule in group.rules))
            for group in map(compiler.group, flag.definition.targetGroupIds)
            if group.rules
        ]
        self.fixed: Outcome | None = None
        self.decide: Decide = self._unsettled

    def outcomes(self) -> Iterable[Outcome]:
        """All outcomes of the flag."""
        return self._made.values()

    def _unsettled(self, asker: EvaluationSubject) -> Outcome:
        return self._off("DEPENDENCY_NOT_SATISFIED")

    def rest(self) -> None:
        """Give all users the off value, because the flag is inactive."""
        self._made.clear()
        self.fixed = self._off("DEFAULT_VALUE")

    def settle(self) -> None:
        """Compile the flag, once all flags are there."""
        flag, ruleset = self.flag, self._ruleset
        absent = [key for key in flag.definition.dependencies if not ruleset.common(key)]
        prerequisites = flag.definition.prerequisites
        unsound = bool(prerequisites) and flag.key in ruleset.unsound
        if unsound or not all(map(ruleset.anybodys, absent)):
            self._made.clear()
            self.fixed = self._off("DEPENDENCY_NOT_SATISFIED")
            return
        last = self._last()
        decide = self._with_rules(last) if self._matches or self._groups else last
        if absent or prerequisites:
            decide = self._with_needs(tuple(absent), prerequisites, decide)
        if isinstance(decide, Outcome):
            self.fixed = decide
        else:
            self.decide = decide

    def _with_needs(
        self, absent: tuple[str, ...], prerequisites: tuple[Prerequisite, ...], then: Decide | Outcome
    ) -> Decide:
        failed = self._off("DEPENDENCY_NOT_SATISFIED")
        ruleset = self._ruleset

        def decide(asker: EvaluationSubject) -> Outcome:
            if not all(ruleset.flag_of(key, asker) for key in absent):
                return failed
            for prerequisite in prerequisites:
                if not gives(ruleset.needed(prerequisite.key, asker), prerequisite):
                    return failed
            return then if isinstance(then, Outcome) else then(asker)

        return decide

    def _with_rules(self, then: Decide | Outcome) -> Decide:
        matches, groups = tuple(self._matches), tuple(self._groups)
        drawing = Drawing(self.flag)

        def decide(asker: EvaluationSubject) -> Outcome:
            asker.drawing = drawing
            for match, outcome in matches:
                if match(asker):
                    return outcome
            for group, outcomes in groups:
                place = group.first(asker)
                if place >= 0:
                    return outcomes[place]
            return then if isinstance(then, Outcome) else then(asker)

        return decide

    def _last(self) -> Decide | Outcome:
        """The outcome of the default rule."""
        definition = self.flag.definition
        if definition.type == "multivariant" and definition.variants:
            return self._variants(definition.variants)
        if definition.type == "rollout":
            return self._rollout(definition.rolloutPercentage)
        return self._outcome("BOOLEAN_DEFAULT", definition.defaultValue)

    def _rollout(self, percentage: float) -> Decide | Outcome:
        if percentage <= 0:
            return self._outcome("ROLLOUT_DISABLED", False)
        on = self._outcome("ROLLOUT_ENABLED", True)
        if percentage >= 100:
            return on
        off = self._outcome("ROLLOUT_DISABLED", False)
        if self.flag.definition.bucketing.algorithm == "default":
            hashed = self._default_hash(rollout_prefix(self.flag), self.flag.definition.rolloutBy)
            return lambda asker: on if hashed(asker) % 100 < percentage else off
        draw, identity = rollout_draw(self.flag, self.flag.definition.bucketing), identity_of(self.flag)
        return lambda asker: on if draw(identity(asker)) < percentage else off

    def _variants(self, variants: tuple[Variant, ...]) -> Decide | Outcome:
        outcomes = tuple(self._outcome("MULTIVARIANT_EVALUATED", True, variant) for variant in variants)
        if len(outcomes) == 1:
            return outcomes[0]
        ends = tuple(zip(cumulative(variants), outcomes, strict=True))
        if self.flag.definition.bucketing.algorithm != "default":
            draw, identity = variant_draw(self.flag), variant_identity_of(self.flag)
            rest = outcomes[variants.index(last_drawn(variants))]
            return lambda asker: _first(ends, draw(identity(asker)), rest)
        hashed = self._default_hash(variant_prefix(self.flag), variants_by(self.flag.definition))
        if has_weights(variants):
            return lambda asker: _first(ends, hashed(asker) % 100, outcomes[-1])
        return lambda asker: outcomes[hashed(asker) % len(outcomes)]

    def _default_hash(self, prefix: str, by: RolloutBy) -> Callable[[EvaluationSubject], int]:
        """The default hash of the identity to bucket, behind a prefix; that of users is shared by all flags."""
        begun = scale_and_hash(prefix)[1]
        attribute = self.flag.definition.bucketing.attribute
        if by == "user" and not attribute:

            def of_person(asker: EvaluationSubject) -> int:
                scale, hashed = asker.person_hash()
                return absolute(begun * scale + hashed & 0xFFFFFFFF)

            return of_person
        identity = identity_reader(by, attribute)

        def of_another(asker: EvaluationSubject) -> int:
            scale, hashed = scale_and_hash(identity(asker))
            return absolute(begun * scale + hashed & 0xFFFFFFFF)

        return of_another

    def _of_rule(self, rule: TargetingRule, reason: Reason) -> Outcome:
        definition = self.flag.definition
        if rule.variant and rule.enabled and definition.type == "multivariant":
            for variant in definition.variants:
                if variant.key == rule.variant:
                    return self._outcome(reason, True, variant)
        return self._outcome(reason, rule.enabled)

    def _off(self, reason: Reason) -> Outcome:
        """The outcome while the flag is off."""
        return self._outcome(reason, is_on_while_off(self.flag.definition))

    def _outcome(self, reason: Reason, enabled: bool, variant: Variant | None = None) -> Outcome:
        """An outcome of the flag; equal outcomes are created once."""
        if not enabled:
            variant = off_variant(self.flag.definition)
        known = (reason, enabled, variant.key if variant else "")
        if known not in self._made:
            self._made[known] = _build_outcome(self.flag, reason, enabled, variant)
        return self._made[known]


def _first(ends: tuple[tuple[float, Outcome], ...], drawn: float, rest: Outcome) -> Outcome:
    """The outcome whose range contains the bucket; `rest` if the ranges end before it."""
    for end, outcome in ends:
        if drawn < end:
            return outcome
    return rest


def last_drawn(variants: Sequence[Variant]) -> Variant:
    """The variant for buckets beyond the rounded weights: the last variant with a weight above 0."""
    return next((one for one in reversed(variants) if one.weight), variants[-1])


def has_weights(variants: Iterable[Variant]) -> bool:
    """Return whether any of the variants has a weight."""
    return any(variant.weight is not None for variant in variants)


def cumulative(variants: Sequence[Variant]) -> tuple[float, ...]:
    """The percent at which each variant ends; equal ranges if there are no weights."""
    ends, end = [], 0.0
    for number, variant in enumerate(variants, 1):
        end = end + (variant.weight or 0) if has_weights(variants) else 100 * number / len(variants)
        ends.append(end)
    return tuple(ends)


def gives(outcome: Outcome | None, prerequisite: Prerequisite) -> bool:
    """Return whether an outcome meets the prerequisite of another flag."""
    if outcome is None:
        return False
    return ("true" if outcome.enabled else "false") in prerequisite.gives or (
        bool(outcome.variant) and outcome.variant in prerequisite.gives
    )


class _Result(Struct):
    """The wire's result (6.1)."""

    enabled: bool
    value: object
    payload: object
    reason: Reason
    variant: str | UnsetType
    flagId: str
    flagType: str


def _build_outcome(flag: Flag, reason: Reason, enabled: bool, variant: Variant | None) -> Outcome:
    result = _Result(
        enabled=enabled,
        value=variant.value if variant else enabled,
        payload=flag.definition.payload if enabled else None,
        reason=reason,
        variant=(variant.key or UNSET) if variant else UNSET,
        flagId=flag.id,
        flagType=flag.definition.type,
    )
    return Outcome(
        flag_id=flag.id,
        key=flag.key,
        flag_type=flag.definition.type,
        enabled=enabled,
        value=result.value,
        payload=result.payload,
        reason=reason,
        variant=variant.key if variant else "",
        encoded=msgspec.json.encode(result),
        has_value=variant is not None or flag.definition.type != "multivariant",
    )
