"""What rules, conditions and flags decide, as sentences. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct, json

from analytics_box.base.texts import FlagWords, figures
from analytics_box.products.flags.evaluation.outcome import is_on_while_off, off_variant
from analytics_box.products.flags.flag import Definition, Flag, Node, Prerequisite, Rule, Scalar, TargetGroup, Variant

MOST_SAID: Final = 4  # values that a sentence names, before it counts the rest
LONGEST_SAID: Final = 60  # characters of a value
ONLY_GIVEN: Final = frozenset(("exists", "not_exists"))  # operators without a value
LISTS: Final = frozenset(("in", "not_in", "ip_in", "ip_not_in"))  # whose values stand for themselves


class Part(Struct, frozen=True):
    """A piece of a sentence: words, something that somebody typed, or an outcome."""

    text: str
    look: str = ""  # value, on, off, variant


Sentence = tuple[Part, ...]


class Said(Struct, frozen=True):
    """A line of what a flag decides; `inner` explains it, as rules of a target group do. What is `loud` warns."""

    parts: Sentence
    inner: tuple[Sentence, ...] = ()
    loud: bool = False


def plain(sentence: Iterable[Part]) -> str:
    """A sentence as text."""
    return "".join(part.text for part in sentence)


def rule_sentence(rule: Rule, groups: Mapping[str, str]) -> Sentence:
    """A rule: whom it is about, and what they get. `groups` are names of target groups by id."""
    who = _capital(_who(rule, groups))
    return (*who, *_share(rule), Part(FlagWords.turns), *_outcome(rule))


def condition_sentence(node: Node, groups: Mapping[str, str], *, inside: bool = False) -> Sentence:
    """A condition or a tree of them."""
    for kind in ("all", "any", "none"):
        inner: tuple[Node, ...] | None = getattr(node, kind)
        if inner is not None:
            return _several(kind, inner, groups, inside=inside)
    if node.group:
        return (Part(FlagWords.in_group), _value(groups.get(node.group, FlagWords.unknown_group)))
    said = compared(node.attribute, node.operator, node.values or _one(node.value))
    return (*said, Part(FlagWords.only[node.only])) if node.only else said


def compared(attribute: str, operator: str, values: Sequence[Scalar]) -> Sentence:
    """What an attribute is compared with."""
    named = FlagWords.attributes.get(attribute)
    subject = Part(named) if named else Part(figures.visible(attribute), "value")
    words = FlagWords.operators.get(operator, operator)
    said = [Part(f" {FlagWords.only_one.get(operator, words) if len(values) == 1 else words}")]
    if operator in ONLY_GIVEN:
        return (subject, *said)
    if len(values) > 1 and operator not in LISTS:
        said.append(Part(f" {FlagWords.any_of}"))
    return (subject, *said, Part(" "), *_values(values))


def flag_lines(
    definition: Definition, groups: Sequence[TargetGroup], *, user_id: str | None = None
) -> tuple[Said, ...]:
    """All that a flag decides, in the order in which it is asked (wire 6.3)."""
    words, names = FlagWords, {one.id: one.name for one in groups}
    lines = _of_status(definition)
    lines += [Said((Part(words.only_user), _value(user_id)))] if user_id else []
    off = _while_off(definition)
    otherwise = (Part(words.otherwise), *off) if off else (Part(words.else_off),)
    lines += [Said((_value(key), Part(words.needs_active), *otherwise)) for key in definition.dependencies]
    lines += [Said((*_needed(one), *otherwise)) for one in definition.prerequisites]
    lines += [Said(rule_sentence(one, names)) for one in definition.rules]
    if off and definition.type == "multivariant" and any(not one.enabled for one in definition.rules):
        lines.append(Said((Part(words.off_means), *off)))
    own = {one.id: one for one in groups}
    for group_id in definition.targetGroupIds:
        group = own.get(group_id)
        name = _value(group.name if group is not None else words.unknown_group)
        inner = tuple(rule_sentence(one, names) for one in group.rules) if group is not None else ()
        lines.append(Said((Part(words.group_rules), name), inner))
    lines.append(Said(_finally(definition, alone=not (definition.rules or definition.targetGroupIds))))
    return tuple(lines)


def _of_status(definition: Definition) -> list[Said]:
    """The sentence about a flag that is not active."""
    words, off = FlagWords, _while_off(definition)
    match definition.status:
        case "inactive" if off:
            return [Said((Part(words.resting), *off), loud=True)]
        case "inactive":
            return [Said((Part(words.inactive),), loud=True)]
        case "archived":
            return [Said((Part(words.archived),), loud=True)]
    return []


def _while_off(definition: Definition) -> Sentence:
    """The off value of a flag; empty if it has none."""
    if definition.offValue is None:
        return ()
    variant = off_variant(definition)
    if variant is None:
        return _state(is_on_while_off(definition))
    if variant.key:
        return (Part(FlagWords.variant), Part(figures.visible(variant.key), "variant"))
    value = variant.value
    return (_value(shown(value if isinstance(value, Scalar) else json.encode(value).decode())),)


def flag_sentence(flag: Flag) -> Sentence:
    """What a flag gives those for whom no rule is, in a few words."""
    return _rest(flag.definition)


def percent(value: float) -> str:
    """A percentage with as many decimals as it has: 25 %, 33.34 %."""
    return f"{value:.10g}{figures.NBSP}%"


def shown(value: Scalar) -> str:
    """A value as sentences have it."""
    if isinstance(value, str):
        text = figures.visible(value)
        return text if len(text) <= LONGEST_SAID else f"{text[:LONGEST_SAID].rstrip()}…"
    return json.encode(value).decode()


def is_share(rule: Rule) -> bool:
    """Whether a rule is a share of users: one of a property without a name, but with a number (wire 6.3)."""
    is_number = isinstance(rule.value, int | float) and not isinstance(rule.value, bool)
    return rule.type == "property" and not rule.field and is_number


def rule_values(rule: Rule) -> tuple[Scalar, ...]:
    """What a rule compares with, in whichever of its fields it stands."""
    if rule.batch and rule.batchValues:
        return rule.batchValues
    one = _one(rule.value)
    return (rule.values or one) if rule.operator in LISTS else (one or rule.values)


def weights(variants: Sequence[Variant]) -> list[float]:
    """The share of each variant, in percent: equal shares where no weights are given."""
    if all(one.weight is None for one in variants):
        return [100 / len(variants) for _ in variants]
    return [one.weight or 0 for one in variants]


def _who(rule: Rule, groups: Mapping[str, str]) -> Sentence:
    if rule.type == "conditions":
        return condition_sentence(rule.conditions, groups) if rule.conditions is not None else ()
    if is_share(rule):
        return _words(FlagWords.share.format(percent=f"{rule.value}{figures.NBSP}%"))
    return compared(rule.field if rule.type == "property" else rule.type, rule.operator, rule_values(rule))


def _share(rule: Rule) -> Sentence:
    """How many of them, where not all."""
    if rule.percentage is None:
        return ()
    words, up_to = FlagWords, percent(rule.percentage)
    said = words.part.format(percent=up_to)
    if rule.percentageFrom:
        said = words.part_from.format(start=percent(rule.percentageFrom), percent=up_to)
    return _words(said + (words.own_draw if rule.bucketing is not None else ""))


def _capital(sentence: Sentence) -> Sentence:
    """The sentence with a large first letter, unless somebody typed what it begins with."""
    if not sentence or sentence[0].look:
        return sentence
    first = sentence[0].text
    return (Part(first[:1].upper() + first[1:]), *sentence[1:])


def _outcome(rule: Rule) -> Sentence:
    if rule.enabled and rule.variant:
        return (Part(FlagWords.variant), Part(figures.visible(rule.variant), "variant"))
    return _state(rule.enabled)


def _several(kind: str, inner: Sequence[Node], groups: Mapping[str, str], *, inside: bool) -> Sentence:
    words = FlagWords
    if not inner:
        return _words(words.nothing[kind])
    parts: list[Part] = []
    for number, node in enumerate(inner):
        if number:
            parts.append(Part(words.joined[kind]))
        parts += condition_sentence(node, groups, inside=len(inner) > 1 or kind == "none")
    if kind == "none":
        return (Part(words.none_of), Part(words.open_bracket), *parts, Part(words.close_bracket))
    if inside and len(inner) > 1:
        return (Part(words.open_bracket), *parts, Part(words.close_bracket))
    return tuple(parts)


def _needed(one: Prerequisite) -> Sentence:
    words = FlagWords
    match one.gives:
        case ("true",):
            said: Sentence = (Part(words.needs_on),)
        case ("false",):
            said = (Part(words.needs_off),)
        case _:
            said = (Part(words.needs_variant), *_values(one.gives, words.or_last))
    return (_value(one.key), *said)


def _finally(definition: Definition, *, alone: bool) -> Sentence:
    who = FlagWords.everybody if alone else FlagWords.everybody_else
    return (Part(who), Part(FlagWords.turns), *_rest(definition))


def _rest(definition: Definition) -> Sentence:
    words = FlagWords
    match definition.type:
        case "boolean":
            return _state(definition.defaultValue)
        case "rollout" if not 0 < definition.rolloutPercentage < 100:
            return _state(definition.rolloutPercentage > 0)
        case "rollout":
            whose = words.share_of_users[definition.rolloutBy]
            share = Part(whose.format(percent=percent(definition.rolloutPercentage)))
            return (share, Part(" "), *_state(True), Part(words.rest_off), *_state(False))
    parts: list[Part] = []
    for one, weight in zip(definition.variants, weights(definition.variants), strict=True):
        parts += [Part(words.comma)] if parts else []
        parts += [
            Part(figures.visible(one.key), "variant"),
            Part(words.weight.format(percent=f"{weight:.4g}{figures.NBSP}%")),
        ]
    return tuple(parts) or _words(words.no_variants)


def _values(values: Sequence[Scalar], last: str = FlagWords.comma) -> Sentence:
    """Values between commas, with `last` before the last one. Rules have no “or” there, which joins conditions."""
    words = FlagWords
    named = list(values) if len(values) <= MOST_SAID + 1 else list(values[:MOST_SAID])
    left = len(values) - len(named)
    said = [_value(shown(one)) for one in named]
    said += [Part(words.more[left == 1].format(count=figures.count(left)))] if left else []
    parts: list[Part] = []
    for number, one in enumerate(said):
        if number:
            parts.append(Part(last if number == len(said) - 1 else words.comma))
        parts.append(one)
    return tuple(parts) or (_value(""),)


def _value(text: str) -> Part:
    return Part(figures.visible(text) or "“”", "value")


def _state(enabled: bool) -> Sentence:
    return (Part(FlagWords.on, "on") if enabled else Part(FlagWords.off, "off"),)


def _words(text: str) -> Sentence:
    return (Part(text),)


def _one(value: Scalar | None) -> tuple[Scalar, ...]:
    return () if value is None else (value,)
