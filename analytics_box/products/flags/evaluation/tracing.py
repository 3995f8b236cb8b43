"""Explanation of an outcome: each step of the wire's order (6.3), with the values compared. Pure.

It walks over definitions, not over the compiled flags of `compiling`; both have to agree.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from msgspec import Struct

from analytics_box.products.flags.evaluation.asking import (
    Drawing,
    EvaluationSubject,
    identity_of,
    identity_reader,
    reader,
    variant_identity_of,
)
from analytics_box.products.flags.evaluation.bucketing import default_hash, rollout_draw, variant_draw, variant_prefix
from analytics_box.products.flags.evaluation.compiling import Ruleset, cumulative, gives, has_weights, last_drawn
from analytics_box.products.flags.evaluation.conditions import (
    drawn_at,
    is_percentage,
    node_test,
    node_values,
    percentage_draw,
    rule_reader,
    rule_test,
    rule_values,
)
from analytics_box.products.flags.evaluation.outcome import EvaluationContext, Reason, is_on_while_off, off_variant
from analytics_box.products.flags.flag import (
    DEEPEST,
    Flag,
    Operator,
    Scalar,
    TargetGroup,
    TargetingCondition,
    TargetingRule,
    Variant,
)


class Draw(Struct, frozen=True, omit_defaults=True):
    """The bucket of a user among `of` (percent, or variants without weights), and the range that counts."""

    identity: str  # The bucketed user, "anonymous" if the request names none.
    drawn: float
    start: float
    end: float
    of: float = 100

    @property
    def inside(self) -> bool:
        """Whether it counts."""
        return self.start <= self.drawn < self.end


class TraceCheck(Struct, frozen=True, omit_defaults=True):
    """A comparison, or several of which all, any or none had to match.

    `found` is None if there was no such value. A target group that was already evaluated has no parts.
    """

    what: Literal["compare", "all", "any", "none", "group", "nothing"]
    matched: bool
    attribute: str = ""
    operator: Operator | None = None
    wanted: tuple[Scalar, ...] = ()
    found: Any = None
    group: str = ""  # The name of the target group.
    inside: tuple["TraceCheck", ...] = ()


class TraceStep(Struct, frozen=True, omit_defaults=True):
    """A step of the evaluation; the last one decided.

    `at` names the field (`rules[2]`), `name` the rule, target group, flag or variant. `gave` is the outcome of a
    required flag: true, false or a variant; empty if it is not active.
    """

    kind: Literal["dependency", "prerequisite", "rule", "target_group", "variant", "rollout", "default", "off"]
    at: str
    matched: bool
    name: str = ""
    check: TraceCheck | None = None
    draw: Draw | None = None
    gave: str = ""


class EvaluationTrace(Struct, frozen=True):
    """The outcome of a flag for a user, and the steps to it. `flag` is None if there is none for the user."""

    key: str
    flag: Flag | None
    steps: tuple[TraceStep, ...] = ()
    enabled: bool = False
    value: Any = False
    payload: Any = None
    reason: Reason | None = None
    variant: str = ""


def trace(ruleset: Ruleset, key: str, context: EvaluationContext) -> EvaluationTrace:
    """Evaluate a flag step by step; the outcome is that of `ruleset.one`. Never raises."""
    asker = EvaluationSubject(context)
    flag = ruleset.flag_of(key, asker)
    if flag is not None:
        return _Walk(ruleset, flag, asker).trace()
    resting = ruleset.resting_of(key, asker)
    return EvaluationTrace(key, None) if resting is None else _Walk(ruleset, resting, asker).rest()


class _Walk:
    def __init__(self, ruleset: Ruleset, flag: Flag, asker: EvaluationSubject) -> None:
        self._ruleset = ruleset
        self._flag = flag
        self._asker = asker
        self._groups = {group.id: group for group in ruleset.groups}
        self._steps: list[TraceStep] = []
        self._let_in: dict[str, bool] = {}
        asker.drawing = Drawing(flag)

    def trace(self) -> EvaluationTrace:
        if not self._satisfied():
            return self._off("DEPENDENCY_NOT_SATISFIED")
        self._asker.drawing = Drawing(self._flag)
        definition = self._flag.definition
        for number, rule in enumerate(definition.rules):
            if self._matches(rule, "rule", f"rules[{number}]", rule.name):
                return self._ruled("USER_RULE_MATCH", rule)
        for place, group_id in enumerate(definition.targetGroupIds):
            group = self._groups.get(group_id)
            for number, rule in enumerate(group.rules if group else ()):
                name = group.name if group else ""
                if self._matches(rule, "target_group", f"targetGroupIds[{place}].rules[{number}]", name):
                    return self._ruled("TARGET_GROUP_MATCH", rule)
        if definition.type == "multivariant" and definition.variants:
            return self._varied(definition.variants)
        if definition.type == "rollout":
            return self._rolled(definition.rolloutPercentage)
        self._steps.append(TraceStep("default", "defaultValue", True))
        return self._ended("BOOLEAN_DEFAULT", definition.defaultValue)

    def rest(self) -> EvaluationTrace:
        """The off value, because the flag is inactive."""
        self._steps.append(TraceStep("off", "offValue", True))
        return self._off("DEFAULT_VALUE")

    def _off(self, reason: Reason) -> EvaluationTrace:
        return self._ended(reason, is_on_while_off(self._flag.definition))

    def _satisfied(self) -> bool:
        definition = self._flag.definition
        for number, key in enumerate(definition.dependencies):
            there = self._ruleset.flag_of(key, self._asker) is not None
            self._steps.append(TraceStep("dependency", f"dependencies[{number}]", there, key))
            if not there:
                return False
        sound = self._flag.key not in self._ruleset.unsound
        for number, prerequisite in enumerate(definition.prerequisites):
            outcome = self._ruleset.needed(prerequisite.key, self._asker) if sound else None
            matched = gives(outcome, prerequisite)
            gave = "" if outcome is None else outcome.gave
            step = TraceStep("prerequisite", f"prerequisites[{number}]", matched, prerequisite.key, gave=gave)
            self._steps.append(step)
            if not matched:
                return False
        return True

    def _matches(self, rule: TargetingRule, kind: Literal["rule", "target_group"], at: str, name: str) -> bool:
        check, draw = self._of_rule(rule, grouped=kind == "target_group")
        matched = (check is None or check.matched) and (draw is None or draw.inside)
        self._steps.append(TraceStep(kind, at, matched, name, check, draw))
        return matched

    def _of_rule(self, rule: TargetingRule, *, grouped: bool) -> tuple[TraceCheck | None, Draw | None]:
        """The comparison of a rule, and the bucket of a user who passed it."""
        check = self._compared(rule, grouped)
        draw = None
        if check is None:
            draw = Draw(self._asker.person, percentage_draw(self._asker), 0, float(rule.value or 0))
            # The user must be inside both; the trace shows the later one.
            if rule.percentage is not None and draw.inside:
                draw = self._of_percentage(rule, rule.percentage)
        elif check.matched and rule.percentage is not None:
            draw = self._of_percentage(rule, rule.percentage)
        return check, draw

    def _of_percentage(self, rule: TargetingRule, percentage: float) -> Draw:
        bucketing = rule.bucketing or self._flag.definition.bucketing
        identity = identity_reader(self._flag.definition.rolloutBy, bucketing.attribute)(self._asker)
        return Draw(identity, drawn_at(rule, self._asker), rule.percentageFrom, percentage)

    def _compared(self, rule: TargetingRule, grouped: bool) -> TraceCheck | None:
        """None for the wire's percentage, which compares nothing."""
        if rule.type == "conditions":
            return self._of_node(rule.conditions, grouped, 1) if rule.conditions else TraceCheck("nothing", False)
        if is_percentage(rule):
            return None
        found = rule_reader(rule)(self._asker)
        name = rule.field if rule.type == "property" else rule.type
        return TraceCheck("compare", rule_test(rule)(found), name, rule.operator, rule_values(rule), found.value)

    def _of_node(self, node: TargetingCondition, grouped: bool, depth: int) -> TraceCheck:
        if depth > DEEPEST:
            return TraceCheck("nothing", False)
        if node.all is not None:
            inside = self._of_nodes(node.all, grouped, depth)
            return TraceCheck("all", all(one.matched for one in inside), inside=inside)
        if node.any is not None:
            inside = self._of_nodes(node.any, grouped, depth)
            return TraceCheck("any", any(one.matched for one in inside), inside=inside)
        if node.none is not None:
            inside = self._of_nodes(node.none, grouped, depth)
            return TraceCheck("none", not any(one.matched for one in inside), inside=inside)
        if node.group:
            return TraceCheck("nothing", False) if grouped else self._of_group(self._groups.get(node.group))
        if not node.attribute:
            return TraceCheck("nothing", False)
        found = reader(node.attribute)(self._asker)
        return TraceCheck(
            "compare", node_test(node)(found), node.attribute, node.operator, node_values(node), found.value
        )

    def _of_nodes(self, nodes: Sequence[TargetingCondition], grouped: bool, depth: int) -> tuple[TraceCheck, ...]:
        return tuple(self._of_node(one, grouped, depth + 1) for one in nodes)

    def _of_group(self, group: TargetGroup | None) -> TraceCheck:
        """The check of whether the first rule that matches includes the user."""
        if group is None:
            return TraceCheck("group", False)
        if group.id in self._let_in:
            return TraceCheck("group", self._let_in[group.id], group=group.name)
        checks: list[TraceCheck] = []
        let_in = False
        for rule in group.rules:
            check, draw = self._of_rule(rule, grouped=True)
            matched = (check is None or check.matched) and (draw is None or draw.inside)
            checks.append(check or TraceCheck("nothing", matched))
            if matched:
                let_in = rule.enabled
                break
        self._let_in[group.id] = let_in
        return TraceCheck("group", let_in, group=group.name, inside=tuple(checks))

    def _varied(self, variants: tuple[Variant, ...]) -> EvaluationTrace:
        definition = self._flag.definition
        identity = variant_identity_of(self._flag)(self._asker)
        if definition.bucketing.algorithm == "default" and not has_weights(variants):
            place = default_hash(variant_prefix(self._flag) + identity) % len(variants)
            draw = Draw(identity, place, place, place + 1, len(variants))
            return self._given(variants[place], draw)
        drawn = variant_draw(self._flag)(identity)
        start = 0.0
        for variant, end in zip(variants, cumulative(variants), strict=True):
            if drawn < end:
                return self._given(variant, Draw(identity, drawn, start, end))
            start = end
        rest = variants[-1] if definition.bucketing.algorithm == "default" else last_drawn(variants)
        return self._given(rest, Draw(identity, drawn, start, 100))

    def _given(self, variant: Variant, draw: Draw) -> EvaluationTrace:
        self._steps.append(TraceStep("variant", "variants", True, variant.key, draw=draw))
        return self._ended("MULTIVARIANT_EVALUATED", True, variant)

    def _rolled(self, percentage: float) -> EvaluationTrace:
        identity = identity_of(self._flag)(self._asker)
        draw = Draw(identity, rollout_draw(self._flag, self._flag.definition.bucketing)(identity), 0, percentage)
        inside = percentage >= 100 or draw.inside
        self._steps.append(TraceStep("rollout", "rolloutPercentage", inside, draw=draw))
        return self._ended("ROLLOUT_ENABLED" if inside else "ROLLOUT_DISABLED", inside)

    def _ruled(self, reason: Reason, rule: TargetingRule) -> EvaluationTrace:
        variants: Iterator[Variant] = iter(())
        if rule.variant and rule.enabled and self._flag.definition.type == "multivariant":
            variants = (one for one in self._flag.definition.variants if one.key == rule.variant)
        return self._ended(reason, rule.enabled, next(variants, None))

    def _ended(self, reason: Reason, enabled: bool, variant: Variant | None = None) -> EvaluationTrace:
        if not enabled:
            variant = off_variant(self._flag.definition)
        return EvaluationTrace(
            key=self._flag.key,
            flag=self._flag,
            steps=tuple(self._steps),
            enabled=enabled,
            value=variant.value if variant else enabled,
            payload=self._flag.definition.payload if enabled else None,
            reason=reason,
            variant=variant.key if variant else "",
        )
