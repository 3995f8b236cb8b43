"""Rules and conditions made into functions of who asks (wire 6.3). Pure."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from analytics_box.products.flags.evaluation.asking import (
    ABSENT,
    LONGEST_TEXT,
    Asker,
    Found,
    Read,
    property_reader,
    read_email,
    read_user_id,
    reader,
    text_of,
)
from analytics_box.products.flags.evaluation.bucketing import PERCENTAGE_RULE, absolute, scale_and_hash
from analytics_box.products.flags.evaluation.matching import Test, matcher
from analytics_box.products.flags.flag import DEEPEST, Node, Rule, Scalar, TargetGroup

Match = Callable[[Asker], bool]

_PERCENTAGE_PREFIX = scale_and_hash(PERCENTAGE_RULE)[1]


def nobody(asker: Asker) -> bool:
    """A rule that matches nobody."""
    return False


def rule_values(rule: Rule) -> tuple[Scalar, ...]:
    """What a rule compares with: with an operator of the wire (6.3) its one value, or its list for in and not_in."""
    if rule.batch and rule.batchValues:
        return tuple(map(text_of, rule.batchValues))
    if rule.operator in ("in", "not_in"):
        return rule.values
    if rule.operator in ("equals", "contains", "starts_with", "ends_with"):
        return () if rule.value is None else (rule.value,)
    return _wanted(rule.value, rule.values)


def node_values(node: Node) -> tuple[Scalar, ...]:
    """What a condition compares with: its list, or its one value."""
    return _wanted(node.value, node.values)


def _wanted(value: Scalar | None, values: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    return values or (() if value is None else (value,))


def is_percentage(rule: Rule) -> bool:
    """Whether it is the wire's percentage: a property rule without a property, with a number."""
    batch = rule.batch and rule.batchValues
    number = isinstance(rule.value, int | float) and not isinstance(rule.value, bool)
    return rule.type == "property" and not rule.field and number and not batch


def percentage_draw(asker: Asker) -> int:
    """The draw of the wire's percentage rule, which all flags share: 0 to 99."""
    scale, hashed = asker.person_hash()
    return absolute(_PERCENTAGE_PREFIX * scale + hashed & 0xFFFFFFFF) % 100


def rule_reader(rule: Rule) -> Read:
    """What a rule of the types user_id, email and property looks at."""
    if rule.type == "user_id":
        return read_user_id
    if rule.type == "email":
        return read_email
    return property_reader(rule.field) if rule.field else _no_field


def _no_field(asker: Asker) -> Found:
    return ABSENT


def rule_test(rule: Rule) -> Test:
    """What a rule of the types user_id, email and property asks of what it looks at."""
    test = matcher(rule.operator, rule_values(rule))
    if rule.batch and rule.batchValues:
        return _as_text(test)
    if rule.type == "property":
        return test if rule.field else _fails
    return test if rule.operator in ("exists", "not_exists") else _if_given(test)


def _fails(found: Found) -> bool:
    return False


def _as_text(test: Test) -> Test:
    """Lists of a rule are texts, and so is what is looked up in them; what is empty is absent."""
    return lambda found: test(Found(found.text or None))


def _if_given(test: Test) -> Test:
    """No string rule but exists and not_exists matches whoever has no user id or email (wire 6.3)."""
    return lambda found: found.value is not None and test(found)


def nodes(rules: Iterable[Rule]) -> Iterator[Node]:
    """All conditions of rules, those inside others too."""
    left = [rule.conditions for rule in rules if rule.conditions is not None]
    while left:
        node = left.pop()
        yield node
        for inside in (node.all, node.any, node.none):
            left.extend(inside or ())


class Group:
    """A target group that is ready. Which of its rules matches first is found once for whoever asks, or for each draw
    where its rules draw: conditions that name it and flags that have it share that.
    """

    __slots__ = ("_draws", "_id", "_matches", "rules")

    def __init__(self, group_id: str, rules: tuple[Rule, ...], matches: tuple[Match, ...]) -> None:
        self._id = group_id
        self.rules = rules
        self._matches = matches
        self._draws = draws(rules)

    def first(self, asker: Asker) -> int:
        """The place of the first rule that matches; -1 where none does."""
        known = (self._id, asker.drawing if self._draws else None)
        found = asker.groups.get(known)
        if found is None:
            found = next((place for place, match in enumerate(self._matches) if match(asker)), -1)
            asker.groups[known] = found
        return found

    def lets_in(self, asker: Asker) -> bool:
        """Whether the first rule that matches lets somebody in."""
        found = self.first(asker)
        return found >= 0 and self.rules[found].enabled


def draws(rules: Iterable[Rule]) -> bool:
    """Whether what rules of a target group give depends on how the flag draws."""
    return any(rule.percentage is not None for rule in rules)


class Compiler:
    """Makes functions of the rules of one scope, whose target groups it knows.

    How a rule draws is the flag's: that is set as `asker.drawing` before the flag's rules are asked.
    """

    def __init__(self, groups: Iterable[TargetGroup]) -> None:
        self._given = {group.id: group.rules for group in groups}
        self._groups: dict[str, Group] = {}

    def group(self, group_id: str) -> Group:
        """A target group, made once; one that is gone has no rules."""
        if group_id not in self._groups:
            rules = self._given.get(group_id, ())
            matches = tuple(self.rule(rule, grouped=True) for rule in rules)
            self._groups[group_id] = Group(group_id, rules, matches)
        return self._groups[group_id]

    def rule(self, rule: Rule, *, grouped: bool = False) -> Match:
        """Whether a rule matches; `grouped` is one of a target group, whose conditions name no other."""
        match = self._untold(rule, grouped)
        if rule.percentage is None:
            return match
        return partial(_drawn, match, rule)

    def _untold(self, rule: Rule, grouped: bool) -> Match:
        if rule.type == "conditions":
            return self._node(rule.conditions, grouped, 1) if rule.conditions else nobody
        if is_percentage(rule):
            return partial(_percentage, float(rule.value or 0))
        return _of_texts(rule) or partial(_leaf, rule_reader(rule), rule_test(rule))

    def _node(self, node: Node, grouped: bool, depth: int) -> Match:
        """Whether a tree of conditions holds."""
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


def node_test(node: Node) -> Test:
    """What a condition asks of its attribute: of a list, that any element matches (or none, of a negation)."""
    return matcher(node.operator, node_values(node), elements=True, only=node.only)


def _of_texts(rule: Rule) -> Match | None:
    """The plainest rules, which are most of them, as one look-up; None for all others. They decide as `_leaf` does."""
    values = [value for value in rule_values(rule) if type(value) is str and 0 < len(value) <= LONGEST_TEXT]
    if rule.batch or len(values) < len(rule_values(rule)):
        return None
    if rule.operator in ("equals", "in"):
        return _among(frozenset(values), rule)
    if rule.type == "email" and rule.operator == "ends_with":
        ends = tuple(values)
        return lambda asker: asker.email.endswith(ends)
    return None


def _among(texts: frozenset[str], rule: Rule) -> Match | None:
    """Whether what a rule looks at is one of these texts."""
    name = rule.field
    if rule.type == "user_id":
        return lambda asker: asker.user_id in texts
    if rule.type == "email":
        return lambda asker: asker.email in texts

    def has(asker: Asker) -> bool:
        value = asker.context.properties.get(name)
        return type(value) is str and value in texts

    return has if rule.type == "property" and name else None


def _leaf(read: Read, test: Test, asker: Asker) -> bool:
    return test(read(asker))


def _percentage(limit: float, asker: Asker) -> bool:
    return percentage_draw(asker) < limit


def _drawn(match: Match, rule: Rule, asker: Asker) -> bool:
    return match(asker) and is_drawn(rule, drawn_at(rule, asker))


def drawn_at(rule: Rule, asker: Asker) -> float:
    """Where a rule with a percentage draws somebody, from 0 up to 100."""
    return asker.drawing.percent(asker, rule.bucketing) if asker.drawing else 100


def is_drawn(rule: Rule, drawn: float) -> bool:
    """Whether a draw is among the rule's percent; all of them are where it has none."""
    return rule.percentage is None or rule.percentageFrom <= drawn < rule.percentage


def _all(matches: tuple[Match, ...], asker: Asker) -> bool:
    return all(match(asker) for match in matches)


def _any(matches: tuple[Match, ...], asker: Asker) -> bool:
    return any(match(asker) for match in matches)


def _none(matches: tuple[Match, ...], asker: Asker) -> bool:
    return not any(match(asker) for match in matches)
