"""Rules and conditions compiled to functions of the user (wire 6.3). Pure."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from analytics_box.products.flags.evaluation.asking import (
    ABSENT,
    LONGEST_TEXT,
    ContextValue,
    EvaluationSubject,
    Read,
    property_reader,
    read_email,
    read_user_id,
    reader,
    text_of,
)
from analytics_box.products.flags.evaluation.bucketing import PERCENTAGE_RULE, absolute, scale_and_hash
from analytics_box.products.flags.evaluation.matching import Test, matcher
from analytics_box.products.flags.flag import DEEPEST, Scalar, TargetGroup, TargetingCondition, TargetingRule

Match = Callable[[EvaluationSubject], bool]

_PERCENTAGE_PREFIX = scale_and_hash(PERCENTAGE_RULE)[1]


def nobody(asker: EvaluationSubject) -> bool:
    """A rule that matches no user."""
    return False


def rule_values(rule: TargetingRule) -> tuple[Scalar, ...]:
    """The values that a rule compares with: with an operator of the wire (6.3) its one value, or its list for in and
    not_in.
    """
    if rule.batch and rule.batchValues:
        return tuple(map(text_of, rule.batchValues))
    if rule.operator in ("in", "not_in"):
        return rule.values
    if rule.operator in ("equals", "contains", "starts_with", "ends_with"):
        return () if rule.value is None else (rule.value,)
    return _operands(rule.value, rule.values)


def node_values(node: TargetingCondition) -> tuple[Scalar, ...]:
    """The values that a condition compares with: its list, or its one value."""
    return _operands(node.value, node.values)


def _operands(value: Scalar | None, values: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    return values or (() if value is None else (value,))


def is_percentage(rule: TargetingRule) -> bool:
    """Whether it is the wire's percentage: a property rule without a property, with a number."""
    batch = rule.batch and rule.batchValues
    number = isinstance(rule.value, int | float) and not isinstance(rule.value, bool)
    return rule.type == "property" and not rule.field and number and not batch


def percentage_draw(asker: EvaluationSubject) -> int:
    """The bucket of the wire's percentage rule, shared by all flags: 0 to 99."""
    scale, hashed = asker.person_hash()
    return absolute(_PERCENTAGE_PREFIX * scale + hashed & 0xFFFFFFFF) % 100


def rule_reader(rule: TargetingRule) -> Read:
    """The reader of the attribute of a rule of the types user_id, email and property."""
    if rule.type == "user_id":
        return read_user_id
    if rule.type == "email":
        return read_email
    return property_reader(rule.field) if rule.field else _no_field


def _no_field(asker: EvaluationSubject) -> ContextValue:
    return ABSENT


def rule_test(rule: TargetingRule) -> Test:
    """The test of a rule of the types user_id, email and property, for the value of its attribute."""
    test = matcher(rule.operator, rule_values(rule))
    if rule.batch and rule.batchValues:
        return _as_text(test)
    if rule.type == "property":
        return test if rule.field else _fails
    return test if rule.operator in ("exists", "not_exists") else _if_given(test)


def _fails(found: ContextValue) -> bool:
    return False


def _as_text(test: Test) -> Test:
    """A test with texts: lists of a rule are texts, so values are compared as text; an empty value is absent."""
    return lambda found: test(ContextValue(found.text or None))


def _if_given(test: Test) -> Test:
    """A string rule that matches only users with a user id or email; only exists and not_exists do
    without (wire 6.3)."""
    return lambda found: found.value is not None and test(found)


def nodes(rules: Iterable[TargetingRule]) -> Iterator[TargetingCondition]:
    """All conditions of rules, including nested ones."""
    left = [rule.conditions for rule in rules if rule.conditions is not None]
    while left:
        node = left.pop()
        yield node
        for inside in (node.all, node.any, node.none):
            left.extend(inside or ())


class CompiledGroup:
    """A compiled target group. Its first matching rule is found once for each user, or for each bucketing if its rules
    have percentages: conditions that name the group and flags that use it share the result.
    """

    __slots__ = ("_draws", "_id", "_matches", "rules")

    def __init__(self, group_id: str, rules: tuple[TargetingRule, ...], matches: tuple[Match, ...]) -> None:
        self._id = group_id
        self.rules = rules
        self._matches = matches
        self._draws = draws(rules)

    def first(self, asker: EvaluationSubject) -> int:
        """The place of the first rule that matches; -1 if none does."""
        known = (self._id, asker.drawing if self._draws else None)
        found = asker.groups.get(known)
        if found is None:
            found = next((place for place, match in enumerate(self._matches) if match(asker)), -1)
            asker.groups[known] = found
        return found

    def lets_in(self, asker: EvaluationSubject) -> bool:
        """Return whether the first rule that matches includes the user."""
        found = self.first(asker)
        return found >= 0 and self.rules[found].enabled


def draws(rules: Iterable[TargetingRule]) -> bool:
    """Return whether the outcome of a target group's rules depends on the flag's bucketing."""
    return any(rule.percentage is not None for rule in rules)


class Compiler:
    """A compiler for the rules of one scope, whose target groups it knows.

    The bucketing of a rule is the flag's: that is set as `asker.drawing` before the flag's rules are evaluated.
    """

    def __init__(self, groups: Iterable[TargetGroup]) -> None:
        self._given = {group.id: group.rules for group in groups}
        self._groups: dict[str, CompiledGroup] = {}

    def group(self, group_id: str) -> CompiledGroup:
        """A target group, compiled once; a deleted group has no rules."""
        if group_id not in self._groups:
            rules = self._given.get(group_id, ())
            matches = tuple(self.rule(rule, grouped=True) for rule in rules)
            self._groups[group_id] = CompiledGroup(group_id, rules, matches)
        return self._groups[group_id]

    def rule(self, rule: TargetingRule, *, grouped: bool = False) -> Match:
        """The test of whether a rule matches; `grouped` is a rule of a target group, whose conditions name no other
        group.
        """
        match = self._untold(rule, grouped)
        if rule.percentage is None:
            return match
        return partial(_matches_within_share, match, rule)

    def _untold(self, rule: TargetingRule, grouped: bool) -> Match:
        if rule.type == "conditions":
            return self._node(rule.conditions, grouped, 1) if rule.conditions else nobody
        if is_percentage(rule):
            return partial(_percentage, float(rule.value or 0))
        return _of_texts(rule) or partial(_leaf, rule_reader(rule), rule_test(rule))

    def _node(self, node: TargetingCondition, grouped: bool, depth: int) -> Match:
        """The test of whether a tree of conditions matches."""
        if depth > DEEPEST:
            return nobody
        for form, nodes in ((_all, node.all), (_any, node.any), (_none, node.none)):
            if nodes is not None:
                return partial(form, tuple(self._node(one, grouped, depth + 1) for one in nodes))
        if node.group:
            return nobody if grouped else self.group(node.group).lets_in
        if not node.attribute:
            return nobody
        return partial(_leaf, reader(node.attribute), node_test(node))


def node_test(node: TargetingCondition) -> Test:
    """The test of a condition for its attribute: for a list, that any element matches (or none, for a negation)."""
    return matcher(node.operator, node_values(node), elements=True, only=node.only)


def _of_texts(rule: TargetingRule) -> Match | None:
    """The simplest and most frequent rules as one lookup, with the result of `_leaf`; None for all others."""
    values = [value for value in rule_values(rule) if type(value) is str and 0 < len(value) <= LONGEST_TEXT]
    if rule.batch or len(values) < len(rule_values(rule)):
        return None
    if rule.operator in ("equals", "in"):
        return _among(frozenset(values), rule)
    if rule.type == "email" and rule.operator == "ends_with":
        ends = tuple(values)
        return lambda asker: asker.email.endswith(ends)
    return None


def _among(texts: frozenset[str], rule: TargetingRule) -> Match | None:
    """The test of whether a rule's attribute is one of these texts."""
    name = rule.field
    if rule.type == "user_id":
        return lambda asker: asker.user_id in texts
    if rule.type == "email":
        return lambda asker: asker.email in texts

    def has(asker: EvaluationSubject) -> bool:
        value = asker.context.properties.get(name)
        return type(value) is str and value in texts

    return has if rule.type == "property" and name and "." not in name else None


def _leaf(read: Read, test: Test, asker: EvaluationSubject) -> bool:
    return test(read(asker))


def _percentage(limit: float, asker: EvaluationSubject) -> bool:
    return percentage_draw(asker) < limit


def _matches_within_share(match: Match, rule: TargetingRule, asker: EvaluationSubject) -> bool:
    return match(asker) and is_drawn(rule, drawn_at(rule, asker))


def drawn_at(rule: TargetingRule, asker: EvaluationSubject) -> float:
    """The bucket of a user in a rule with a percentage, from 0 up to 100."""
    return asker.drawing.percent(asker, rule.bucketing) if asker.drawing else 100


def is_drawn(rule: TargetingRule, drawn: float) -> bool:
    """Return whether a bucket is within the rule's percentage; always true if it has none."""
    return rule.percentage is None or rule.percentageFrom <= drawn < rule.percentage


def _all(matches: tuple[Match, ...], asker: EvaluationSubject) -> bool:
    return all(match(asker) for match in matches)


def _any(matches: tuple[Match, ...], asker: EvaluationSubject) -> bool:
    return any(match(asker) for match in matches)


def _none(matches: tuple[Match, ...], asker: EvaluationSubject) -> bool:
    return not any(match(asker) for match in matches)
