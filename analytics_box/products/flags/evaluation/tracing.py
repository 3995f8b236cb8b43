"""Why somebody gets what a flag gives: each step of the wire's order (6.3), with what was compared. Pure.

It walks over definitions, and not over what `compiling` makes of them; both have to agree.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from msgspec import Struct

from analytics_box.products.flags.evaluation.asking import (
    Asker,
    Drawing,
    identity_of,
    identity_reader,
    reader,
    variant_identity_of,
)
from analytics_box.products.flags.evaluation.bucketing import default_hash, rollout_draw, variant_draw, variant_prefix
from analytics_box.products.flags.evaluation.compiling import Ruleset, cumulative, gives, last_drawn, weighted
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
from analytics_box.products.flags.evaluation.context import Context
from analytics_box.products.flags.evaluation.outcome import Reason, is_on_while_off, off_variant
from analytics_box.products.flags.flag import DEEPEST, Flag, Node, Operator, Rule, Scalar, TargetGroup, Variant


class Draw(Struct, frozen=True, omit_defaults=True):
    """Where somebody was drawn among `of` (percent, or variants without weights), and from where to where counts."""

    identity: str  # who was drawn; "anonymous" where nobody was named
    drawn: float
    start: float
    end: float
    of: float = 100

    @property
    def inside(self) -> bool:
        """Whether it counts."""
        return self.start <= self.drawn < self.end


class Check(Struct, frozen=True, omit_defaults=True):
    """A comparison, or several of which all, any or none had to match.

    `found` is None where there was no such value. A target group that was looked into before has nothing inside.
    """

    what: Literal["compare", "all", "any", "none", "group", "nothing"]
    matched: bool
    attribute: str = ""
    operator: Operator | None = None
    wanted: tuple[Scalar, ...] = ()
    found: Any = None
    group: str = ""  # the name of a target group
    inside: tuple["Check", ...] = ()


class Step(Struct, frozen=True, omit_defaults=True):
    """Something that a flag looked at on the way; the last one decided.

    `at` names the field (`rules[2]`), `name` the rule, target group, flag or variant. `gave` is what a flag that is
    needed gave: true, false or a variant; empty where it is not active.
    """

    kind: Literal["dependency", "prerequisite", "rule", "target_group", "variant", "rollout", "default", "off"]
    at: str
    matched: bool
    name: str = ""
    check: Check | None = None
    draw: Draw | None = None
    gave: str = ""


class Trace(Struct, frozen=True):
    """What a flag gives to somebody, and the steps to it. `flag` is None where there is none for them."""

    key: str
    flag: Flag | None
    steps: tuple[Step, ...] = ()
    enabled: bool = False
    value: Any = False
    payload: Any = None
    reason: Reason | None = None
    variant: str = ""


def trace(ruleset: Ruleset, key: str, context: Context) -> Trace:
    """Evaluate a flag step by step; the outcome is that of `ruleset.one`. Never raises."""
    asker = Asker(context)
    flag = ruleset.flag_of(key, asker)
    if flag is not None:
        return _Walk(ruleset, flag, asker).trace()
    resting = ruleset.resting_of(key, asker)
    return Trace(key, None) if resting is None else _Walk(ruleset, resting, asker).rest()


class _Walk:
    def __init__(self, ruleset: Ruleset, flag: Flag, asker: Asker) -> None:
        self._ruleset = ruleset
        self._flag = flag
        self._asker = asker
        self._groups = {group.id: group for group in ruleset.groups}
        self._steps: list[Step] = []
        self._let_in: dict[str, bool] = {}
        asker.drawing = Drawing(flag)

    def trace(self) -> Trace:
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
        self._steps.append(Step("default", "defaultValue", True))
        return self._ended("BOOLEAN_DEFAULT", definition.defaultValue)

    def rest(self) -> Trace:
        """The off value, because the flag is inactive."""
        self._steps.append(Step("off", "offValue", True))
        return self._off("DEFAULT_VALUE")

    def _off(self, reason: Reason) -> Trace:
        return self._ended(reason, is_on_while_off(self._flag.definition))

    def _satisfied(self) -> bool:
        definition = self._flag.definition
        for number, key in enumerate(definition.dependencies):
            there = self._ruleset.flag_of(key, self._asker) is not None
            self._steps.append(Step("dependency", f"dependencies[{number}]", there, key))
            if not there:
                return False
        sound = self._flag.key not in self._ruleset.unsound
        for number, prerequisite in enumerate(definition.prerequisites):
            outcome = self._ruleset.needed(prerequisite.key, self._asker) if sound else None
            matched = gives(outcome, prerequisite)
            gave = "" if outcome is None else outcome.gave
            step = Step("prerequisite", f"prerequisites[{number}]", matched, prerequisite.key, gave=gave)
            self._steps.append(step)
            if not matched:
                return False
        return True

    def _matches(self, rule: Rule, kind: Literal["rule", "target_group"], at: str, name: str) -> bool:
        check, draw = self._of_rule(rule, grouped=kind == "target_group")
        matched = (check is None or check.matched) and (draw is None or draw.inside)
        self._steps.append(Step(kind, at, matched, name, check, draw))
        return matched

    def _of_rule(self, rule: Rule, *, grouped: bool) -> tuple[Check | None, Draw | None]:
        """What a rule compares, and where it draws somebody who passed that."""
        check = self._compared(rule, grouped)
        draw = None
        if check is None:
            draw = Draw(self._asker.person, percentage_draw(self._asker), 0, float(rule.value or 0))
            if rule.percentage is not None and draw.inside:  # both have to let somebody in; the later one is told
                draw = self._of_percentage(rule, rule.percentage)
        elif check.matched and rule.percentage is not None:
            draw = self._of_percentage(rule, rule.percentage)
        return check, draw

    def _of_percentage(self, rule: Rule, percentage: float) -> Draw:
        bucketing = rule.bucketing or self._flag.definition.bucketing
        identity = identity_reader(self._flag.definition.rolloutBy, bucketing.attribute)(self._asker)
        return Draw(identity, drawn_at(rule, self._asker), rule.percentageFrom, percentage)

    def _compared(self, rule: Rule, grouped: bool) -> Check | None:
        """None for the wire's percentage, which compares nothing."""
        if rule.type == "conditions":
            return self._of_node(rule.conditions, grouped, 1) if rule.conditions else Check("nothing", False)
        if is_percentage(rule):
            return None
        found = rule_reader(rule)(self._asker)
        name = rule.field if rule.type == "property" else rule.type
        return Check("compare", rule_test(rule)(found), name, rule.operator, rule_values(rule), found.value)

    def _of_node(self, node: Node, grouped: bool, depth: int) -> Check:
        if depth > DEEPEST:
            return Check("nothing", False)
        if node.all is not None:
            inside = self._of_nodes(node.all, grouped, depth)
            return Check("all", all(one.matched for one in inside), inside=inside)
        if node.any is not None:
            inside = self._of_nodes(node.any, grouped, depth)
            return Check("any", any(one.matched for one in inside), inside=inside)
        if node.none is not None:
            inside = self._of_nodes(node.none, grouped, depth)
            return Check("none", not any(one.matched for one in inside), inside=inside)
        if node.group:
            return Check("nothing", False) if grouped else self._of_group(self._groups.get(node.group))
        if not node.attribute:
            return Check("nothing", False)
        found = reader(node.attribute)(self._asker)
        return Check("compare", node_test(node)(found), node.attribute, node.operator, node_values(node), found.value)

    def _of_nodes(self, nodes: Sequence[Node], grouped: bool, depth: int) -> tuple[Check, ...]:
        return tuple(self._of_node(one, grouped, depth + 1) for one in nodes)

    def _of_group(self, group: TargetGroup | None) -> Check:
        """Whether the first rule that matches lets somebody in."""
        if group is None:
            return Check("group", False)
        if group.id in self._let_in:
            return Check("group", self._let_in[group.id], group=group.name)
        checks: list[Check] = []
        let_in = False
        for rule in group.rules:
            check, draw = self._of_rule(rule, grouped=True)
            matched = (check is None or check.matched) and (draw is None or draw.inside)
            checks.append(check or Check("nothing", matched))
            if matched:
                let_in = rule.enabled
                break
        self._let_in[group.id] = let_in
        return Check("group", let_in, group=group.name, inside=tuple(checks))

    def _varied(self, variants: tuple[Variant, ...]) -> Trace:
        definition = self._flag.definition
        identity = variant_identity_of(self._flag)(self._asker)
        if definition.bucketing.algorithm == "default" and not weighted(variants):
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

    def _given(self, variant: Variant, draw: Draw) -> Trace:
        self._steps.append(Step("variant", "variants", True, variant.key, draw=draw))
        return self._ended("MULTIVARIANT_EVALUATED", True, variant)

    def _rolled(self, percentage: float) -> Trace:
        identity = identity_of(self._flag)(self._asker)
        draw = Draw(identity, rollout_draw(self._flag, self._flag.definition.bucketing)(identity), 0, percentage)
        inside = percentage >= 100 or draw.inside
        self._steps.append(Step("rollout", "rolloutPercentage", inside, draw=draw))
        return self._ended("ROLLOUT_ENABLED" if inside else "ROLLOUT_DISABLED", inside)

    def _ruled(self, reason: Reason, rule: Rule) -> Trace:
        variants: Iterator[Variant] = iter(())
        if rule.variant and rule.enabled and self._flag.definition.type == "multivariant":
            variants = (one for one in self._flag.definition.variants if one.key == rule.variant)
        return self._ended(reason, rule.enabled, next(variants, None))

    def _ended(self, reason: Reason, enabled: bool, variant: Variant | None = None) -> Trace:
        if not enabled:
            variant = off_variant(self._flag.definition)
        return Trace(
            key=self._flag.key,
            flag=self._flag,
            steps=tuple(self._steps),
            enabled=enabled,
            value=variant.value if variant else enabled,
            payload=self._flag.definition.payload if enabled else None,
            reason=reason,
            variant=variant.key if variant else "",
        )
