"""Sentences that describe the decisions of rules, conditions and flags. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct, json

from analytics_box.base import figures
from analytics_box.base.translation import _, ngettext
from analytics_box.products.flags.evaluation.outcome import is_on_while_off, off_variant
from analytics_box.products.flags.flag import (
    FlagDefinition,
    Prerequisite,
    Scalar,
    TargetGroup,
    TargetingCondition,
    TargetingRule,
    Variant,
)

_ONLY = {"text": _(" (only text values)"), "number": _(" (only number values)")}
_ATTRIBUTES = {
    "user_id": _("User ID"),
    "email": _("Email"),
    "organization_id": _("Organization ID"),
    "team_id": _("Team ID"),
}
OPERATORS = {
    "equals": _("is"),
    "not_equals": _("is not"),
    "in": _("is one of"),
    "not_in": _("is none of"),
    "contains": _("contains"),
    "not_contains": _("does not contain"),
    "starts_with": _("starts with"),
    "ends_with": _("ends with"),
    "exists": _("is set"),
    "not_exists": _("is not set"),
    "greater": _("is greater than"),
    "greater_or_equal": _("is at least"),
    "less": _("is less than"),
    "less_or_equal": _("is at most"),
    "before": _("is before"),
    "after": _("is after"),
    "version_equals": _("is version"),
    "version_greater": _("is a version after"),
    "version_greater_or_equal": _("is at least version"),
    "version_less": _("is a version before"),
    "version_less_or_equal": _("is at most version"),
    "matches": _("matches the pattern"),
    "not_matches": _("does not match the pattern"),
    "ip_in": _("is an IP address in"),
    "ip_not_in": _("is an IP address outside"),
    "has_type": _("has the type"),
    "size": _("has this number of elements:"),
}
_ONLY_ONE = {"in": _("is"), "not_in": _("is not")}
_NOTHING = {"all": _("any user"), "any": _("no user"), "none": _("any user")}
_JOINED = {"all": _(" and "), "any": _(" or "), "none": _(" or ")}
_SHARE_OF_USERS = {
    "user": _("{percent} of users"),
    "organization": _("{percent} of organizations"),
    "team": _("{percent} of teams"),
}


MOST_SAID: Final = 4  # Values that a sentence names; it counts the others.
LONGEST_SAID: Final = 60  # Characters of a value.
ONLY_GIVEN: Final = frozenset(("exists", "not_exists"))  # Operators without a value.
LISTS: Final = frozenset(("in", "not_in", "ip_in", "ip_not_in"))  # Operators that take a list of values.


class SentencePart(Struct, frozen=True):
    """A piece of a sentence: words, a text from a user, or an outcome."""

    text: str
    look: str = ""  # value, on, off, variant


Sentence = tuple[SentencePart, ...]


class DecisionLine(Struct, frozen=True):
    """A decision of a flag, as a line; `inner` explains it, such as the rules of a target group. A
    `loud` line warns."""

    parts: Sentence
    inner: tuple[Sentence, ...] = ()
    loud: bool = False


def plain(sentence: Iterable[SentencePart]) -> str:
    """A sentence as text."""
    return "".join(part.text for part in sentence)


def rule_sentence(rule: TargetingRule, groups: Mapping[str, str]) -> Sentence:
    """A rule: its users and their outcome. `groups` are names of target groups by id."""
    who = _capital(_who(rule, groups))
    return (*who, *_share(rule), SentencePart(" → "), *_outcome(rule))


def condition_sentence(node: TargetingCondition, groups: Mapping[str, str], *, inside: bool = False) -> Sentence:
    """A condition or a tree of them."""
    for kind in ("all", "any", "none"):
        inner: tuple[TargetingCondition, ...] | None = getattr(node, kind)
        if inner is not None:
            return _several(kind, inner, groups, inside=inside)
    if node.group:
        return (SentencePart(_("in the target group ")), _value(groups.get(node.group, _("(deleted)"))))
    said = comparison_sentence(node.attribute, node.operator, node.values or _one(node.value))
    return (*said, SentencePart(_ONLY[node.only])) if node.only else said


def comparison_sentence(attribute: str, operator: str, values: Sequence[Scalar]) -> Sentence:
    """The comparison of an attribute with values, as a sentence."""
    named = _ATTRIBUTES.get(attribute)
    subject = SentencePart(named) if named else SentencePart(figures.visible(attribute), "value")
    words = OPERATORS.get(operator, operator)
    said = [SentencePart(f" {_ONLY_ONE.get(operator, words) if len(values) == 1 else words}")]
    if operator in ONLY_GIVEN:
        return (subject, *said)
    if len(values) > 1 and operator not in LISTS:
        said.append(SentencePart(" " + _("any of")))
    return (subject, *said, SentencePart(" "), *_values(values))


def flag_lines(
    definition: FlagDefinition, groups: Sequence[TargetGroup], *, user_id: str | None = None
) -> tuple[DecisionLine, ...]:
    """All that a flag decides, in the order in which it is asked (wire 6.3)."""
    names = {one.id: one.name for one in groups}
    lines = _of_status(definition)
    lines += [DecisionLine((SentencePart(_("Only for the user ")), _value(user_id)))] if user_id else []
    off = _while_off(definition)
    otherwise = (SentencePart(_("; else ")), *off) if off else (SentencePart(_("; else off")),)
    lines += [
        DecisionLine((_value(key), SentencePart(_(" must be active")), *otherwise)) for key in definition.dependencies
    ]
    lines += [DecisionLine((*_prerequisite_sentence(one), *otherwise)) for one in definition.prerequisites]
    lines += [DecisionLine(rule_sentence(one, names)) for one in definition.rules]
    if off and definition.type == "multivariant" and any(not one.enabled for one in definition.rules):
        lines.append(DecisionLine((SentencePart(_("Users with the flag off get ")), *off)))
    own = {one.id: one for one in groups}
    for group_id in definition.targetGroupIds:
        group = own.get(group_id)
        name = _value(group.name if group is not None else _("(deleted)"))
        inner = tuple(rule_sentence(one, names) for one in group.rules) if group is not None else ()
        lines.append(DecisionLine((SentencePart(_("Target group ")), name), inner))
    lines.append(DecisionLine(_finally(definition, alone=not (definition.rules or definition.targetGroupIds))))
    return tuple(lines)


def _of_status(definition: FlagDefinition) -> list[DecisionLine]:
    """The sentence about a flag that is not active."""
    off = _while_off(definition)
    match definition.status:
        case "inactive" if off:
            return [
                DecisionLine((SentencePart(_("The flag is inactive. All users get its off value: ")), *off), loud=True)
            ]
        case "inactive":
            return [
                DecisionLine(
                    (SentencePart(_("The flag is inactive. Apps use the default in their code.")),),
                    loud=True,
                )
            ]
        case "archived":
            return [
                DecisionLine(
                    (SentencePart(_("The flag is archived. Apps use the default in their code.")),),
                    loud=True,
                )
            ]
    return []


def _while_off(definition: FlagDefinition) -> Sentence:
    """The off value of a flag; empty if it has none."""
    if definition.offValue is None:
        return ()
    variant = off_variant(definition)
    if variant is None:
        return _state(is_on_while_off(definition))
    if variant.key:
        return (SentencePart(_("variant ")), SentencePart(figures.visible(variant.key), "variant"))
    value = variant.value
    return (_value(value_text(value if isinstance(value, Scalar) else json.encode(value).decode())),)


def default_percentage(definition: FlagDefinition) -> float | None:
    """The percentage of users who get the flag if no rule matches; None for a flag with variants."""
    match definition.type:
        case "boolean":
            return 100 if definition.defaultValue else 0
        case "rollout":
            return definition.rolloutPercentage
    return None


def percent(value: float) -> str:
    """A percentage with as many decimals as it has: 25 %, 33.34 %."""
    return f"{value:.10g}{figures.NBSP}%"


def value_text(value: Scalar) -> str:
    """A value as text in a sentence."""
    if isinstance(value, str):
        text = figures.visible(value)
        return text if len(text) <= LONGEST_SAID else f"{text[:LONGEST_SAID].rstrip()}…"
    return json.encode(value).decode()


def is_share(rule: TargetingRule) -> bool:
    """Whether a rule is a share of users: one of a property without a name, but with a number (wire 6.3)."""
    is_number = isinstance(rule.value, int | float) and not isinstance(rule.value, bool)
    return rule.type == "property" and not rule.field and is_number


def rule_values(rule: TargetingRule) -> tuple[Scalar, ...]:
    """The values that a rule compares with, from whichever of its fields has them."""
    if rule.batch and rule.batchValues:
        return rule.batchValues
    one = _one(rule.value)
    return (rule.values or one) if rule.operator in LISTS else (one or rule.values)


def weights(variants: Sequence[Variant]) -> list[float]:
    """The percentage of each variant: equal if there are no weights."""
    if all(one.weight is None for one in variants):
        return [100 / len(variants) for _rest in variants]
    return [one.weight or 0 for one in variants]


def _who(rule: TargetingRule, groups: Mapping[str, str]) -> Sentence:
    if rule.type == "conditions":
        return condition_sentence(rule.conditions, groups) if rule.conditions is not None else ()
    if is_share(rule):
        return _words(_("among {percent} of users").format(percent=f"{rule.value}{figures.NBSP}%"))
    return comparison_sentence(rule.field if rule.type == "property" else rule.type, rule.operator, rule_values(rule))


def _share(rule: TargetingRule) -> Sentence:
    """The rollout percentage of a rule; empty if it has none."""
    if rule.percentage is None:
        return ()
    up_to = percent(rule.percentage)
    said = _(", for {percent} of them").format(percent=up_to)
    if rule.percentageFrom:
        said = _(", for {start} to {percent} of them").format(start=percent(rule.percentageFrom), percent=up_to)
    return _words(said + (_(" (separate bucketing)") if rule.bucketing is not None else ""))


def _capital(sentence: Sentence) -> Sentence:
    """The sentence with a capital letter, unless it begins with a text from a user."""
    if not sentence or sentence[0].look:
        return sentence
    first = sentence[0].text
    return (SentencePart(first[:1].upper() + first[1:]), *sentence[1:])


def _outcome(rule: TargetingRule) -> Sentence:
    if rule.enabled and rule.variant:
        return (SentencePart(_("variant ")), SentencePart(figures.visible(rule.variant), "variant"))
    return _state(rule.enabled)


def _several(kind: str, inner: Sequence[TargetingCondition], groups: Mapping[str, str], *, inside: bool) -> Sentence:
    if not inner:
        return _words(_NOTHING[kind])
    parts: list[SentencePart] = []
    for number, node in enumerate(inner):
        if number:
            parts.append(SentencePart(_JOINED[kind]))
        parts += condition_sentence(node, groups, inside=len(inner) > 1 or kind == "none")
    if kind == "none":
        return (
            SentencePart(_("none of these: ")),
            SentencePart("("),
            *parts,
            SentencePart(")"),
        )
    if inside and len(inner) > 1:
        return (SentencePart("("), *parts, SentencePart(")"))
    return tuple(parts)


def _prerequisite_sentence(one: Prerequisite) -> Sentence:
    match one.gives:
        case ("true",):
            said: Sentence = (SentencePart(_(" must be on")),)
        case ("false",):
            said = (SentencePart(_(" must be off")),)
        case _:
            said = (SentencePart(_(" must serve ")), *_values(one.gives, _(" or ")))
    return (_value(one.key), *said)


def _finally(definition: FlagDefinition, *, alone: bool) -> Sentence:
    who = _("All users") if alone else _("All other users")
    return (SentencePart(who), SentencePart(" → "), *_rest(definition))


def _rest(definition: FlagDefinition) -> Sentence:
    match definition.type:
        case "boolean":
            return _state(definition.defaultValue)
        case "rollout" if not 0 < definition.rolloutPercentage < 100:
            return _state(definition.rolloutPercentage > 0)
        case "rollout":
            whose = _SHARE_OF_USERS[definition.rolloutBy]
            share = SentencePart(whose.format(percent=percent(definition.rolloutPercentage)))
            return (share, SentencePart(" "), *_state(True), SentencePart(_(", others ")), *_state(False))
    parts: list[SentencePart] = []
    for one, weight in zip(definition.variants, weights(definition.variants), strict=True):
        parts += [SentencePart(", ")] if parts else []
        parts += [
            SentencePart(figures.visible(one.key), "variant"),
            SentencePart(" ({percent})".format(percent=f"{weight:.4g}{figures.NBSP}%")),
        ]
    return tuple(parts) or _words(_("no variants yet"))


def _values(values: Sequence[Scalar], last: str = ", ") -> Sentence:
    """Values between commas, with `last` before the last one. Rules have no “or” there, which joins conditions."""
    named = list(values) if len(values) <= MOST_SAID + 1 else list(values[:MOST_SAID])
    left = len(values) - len(named)
    said = [_value(value_text(one)) for one in named]
    said += [SentencePart(ngettext("1 more", "{count} more", left).format(count=figures.count(left)))] if left else []
    parts: list[SentencePart] = []
    for number, one in enumerate(said):
        if number:
            parts.append(SentencePart(last if number == len(said) - 1 else ", "))
        parts.append(one)
    return tuple(parts) or (_value(""),)


def _value(text: str) -> SentencePart:
    return SentencePart(figures.visible(text) or "“”", "value")


def _state(enabled: bool) -> Sentence:
    return (SentencePart(_("on"), "on") if enabled else SentencePart(_("off"), "off"),)


def _words(text: str) -> Sentence:
    return (SentencePart(text),)


def _one(value: Scalar | None) -> tuple[Scalar, ...]:
    return () if value is None else (value,)
