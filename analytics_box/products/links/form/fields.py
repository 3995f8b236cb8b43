"""Fields of the link form: parsed from a post, filled in from a link, and changed by its buttons. Pure.

Plain fields are named like those of procedures, campaign values `utm.source` and so on. Rules, their conditions and
variants are numbered: `rules.0.name`, `rules.0.targetUrl`, `rules.0.conditions.1.property`, `variants.2.weight`.
"""

import json
import re
from collections.abc import Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.translation import _
from analytics_box.products.links.link import ShortLink, Utm
from analytics_box.products.links.targeting.rules import MOST_CONDITIONS, MOST_RULES, MOST_VARIANTS, TargetCondition
from analytics_box.resource import forms
from analytics_box.web.recognition.language import display_name

_QUOTED: Final = re.compile(r'(^|[;,])\s*("(?:[^"\\]|\\.)*")\s*(?=[;,]|$)')
INPUTS: Final = (
    *forms.inputs_of(ShortLink),
    "removePassword",
    *(f"utm.{name}" for name in Utm.__struct_fields__),
)


class LinkConditionFields(Struct, frozen=True):
    """A condition as it is typed: its values stand in one field."""

    what: str = "country"
    operator: str = "in"
    value: str = ""

    @property
    def said(self) -> str:
        """Its values by name, where that says more than what was typed."""
        typed = values_of(self.value)
        names = [display_name(self.what, value) for value in typed]
        return ", ".join(names) if names != list(typed) else ""

    @property
    def is_blank(self) -> bool:
        """Whether nothing was typed."""
        return not self.value.strip() and self.operator not in {"exists", "not_exists"}


class LinkRuleFields(Struct, frozen=True):
    """A rule as it is typed."""

    name: str = ""
    target: str = ""
    conditions: tuple[LinkConditionFields, ...] = (LinkConditionFields(),)

    @property
    def is_blank(self) -> bool:
        """Whether nothing was typed."""
        return not (self.name.strip() or self.target.strip()) and all(one.is_blank for one in self.conditions)


class LinkVariantFields(Struct, frozen=True):
    """A variant as it is typed."""

    name: str = ""
    target: str = ""
    weight: str = "1"

    @property
    def is_blank(self) -> bool:
        """Whether nothing was typed but a weight."""
        return not (self.name.strip() or self.target.strip())


class LinkFormState(Struct, frozen=True):
    """The whole form. `focus` is the field that a button of it has made."""

    fields: Mapping[str, str]
    rules: tuple[LinkRuleFields, ...] = ()
    variants: tuple[LinkVariantFields, ...] = ()
    focus: str = ""

    @property
    def written(self) -> "LinkFormState":
        """The state without blank rules and variants."""
        return replace(
            self,
            rules=tuple(one for one in self.rules if not one.is_blank),
            variants=tuple(one for one in self.variants if not one.is_blank),
        )


def read_state(form: Mapping[str, str]) -> LinkFormState:
    """The form as it was posted."""
    rules = []
    for number in range(MOST_RULES):
        start = f"rules.{number}"
        if f"{start}.targetUrl" not in form:
            break
        conditions = []
        for place in range(MOST_CONDITIONS):
            inner = f"{start}.conditions.{place}"
            if f"{inner}.value" not in form:
                break
            conditions.append(
                LinkConditionFields(
                    form.get(f"{inner}.property", ""), form.get(f"{inner}.operator", ""), form[f"{inner}.value"]
                )
            )
        rules.append(LinkRuleFields(form.get(f"{start}.name", ""), form[f"{start}.targetUrl"], tuple(conditions)))
    variants = []
    for number in range(MOST_VARIANTS):
        start = f"variants.{number}"
        if f"{start}.targetUrl" not in form:
            break
        variants.append(
            LinkVariantFields(
                form.get(f"{start}.name", ""), form[f"{start}.targetUrl"], form.get(f"{start}.weight", "")
            )
        )
    return LinkFormState({name: form[name] for name in INPUTS if name in form}, tuple(rules), tuple(variants))


def state_of(link: ShortLink, zone: str) -> LinkFormState:
    """The form filled in with what a link is; its times in this zone."""
    fields = forms.fill(link, zone) | {f"utm.{name}": getattr(link.utm, name) for name in Utm.__struct_fields__}
    return LinkFormState(
        fields,
        tuple(
            LinkRuleFields(rule.name, rule.targetUrl, tuple(_condition(one) for one in rule.conditions))
            for rule in link.rules
        ),
        tuple(LinkVariantFields(one.name, one.targetUrl, str(one.weight)) for one in link.variants),
    )


def after_button(state: LinkFormState, button: str) -> LinkFormState:
    """The form after one of its buttons: add-rule, up.1, remove-condition.0.2 … Others change nothing."""
    verb, *places = button.split(".")
    numbers = [int(place) for place in places if place.isascii() and place.isdecimal() and len(place) < 4]
    rules, variants = list(state.rules), list(state.variants)
    focus = ""
    match verb, numbers:
        case "add-rule", [] if len(rules) < MOST_RULES:
            focus = f"rules.{len(rules)}.conditions.0.property"
            rules.append(LinkRuleFields())
        case "remove-rule", [at] if at < len(rules):
            del rules[at]
            focus = "add-rule"
        case "up", [at] if 0 < at < len(rules):
            rules[at - 1], rules[at] = rules[at], rules[at - 1]
            focus = f"rules.{at - 1}.name"
        case "down", [at] if at + 1 < len(rules):
            rules[at + 1], rules[at] = rules[at], rules[at + 1]
            focus = f"rules.{at + 1}.name"
        case "add-condition", [at] if at < len(rules) and len(rules[at].conditions) < MOST_CONDITIONS:
            focus = f"rules.{at}.conditions.{len(rules[at].conditions)}.property"
            rules[at] = replace(rules[at], conditions=(*rules[at].conditions, LinkConditionFields()))
        case "remove-condition", [at, place] if at < len(rules) and place < len(rules[at].conditions):
            left = rules[at].conditions[:place] + rules[at].conditions[place + 1 :]
            rules[at] = replace(rules[at], conditions=left)
            focus = f"add-condition-{at}"
        case "add-variant", [] if len(variants) < MOST_VARIANTS:
            focus = f"variants.{len(variants)}.targetUrl"
            missing = 1 if variants else 2  # a test needs two at least
            variants += [LinkVariantFields(_free(variants, number)) for number in range(missing)]
        case "remove-variant", [at] if at < len(variants):
            del variants[at]
            focus = "add-variant"
    return replace(state, rules=tuple(rules), variants=tuple(variants), focus=focus)


def _free(variants: list[LinkVariantFields], after: int) -> str:
    """A name that no variant has yet."""
    taken = {one.name for one in variants}
    free = [letter for letter in _("ABCDEFGHIJKLMNOPQRST") if letter not in taken]
    return free[after]


def values_of(text: str) -> tuple[str, ...]:
    """The values in a field, between commas; between semicolons where there is one, for values with commas.

    A value in quotes is JSON, for values with semicolons, or with spaces around them.
    """
    kept: list[str] = []

    def keep(part: re.Match[str]) -> str:
        kept.append(_unquoted(part[2]))
        return f"{part[1]}\0{len(kept) - 1}\0"

    text = _QUOTED.sub(keep, text.replace("\0", ""))
    parts = [part.strip() for part in text.split(";" if ";" in text else ",")]
    return tuple(kept[int(part[1:-1])] if part.startswith("\0") else part for part in parts if part)


def value_of(text: str) -> str:
    """The one value in a field."""
    text = text.strip()
    return _unquoted(text) if _QUOTED.fullmatch(text) else text


def _unquoted(text: str) -> str:
    try:
        return str(json.loads(text))
    except ValueError:
        return text


def _typed(value: str, separators: str = "") -> str:
    """A value as it is typed: in quotes if it would be read as something else without them."""
    is_plain = value == value.strip() and value.isprintable() and not value.startswith('"')
    return value if is_plain and not any(one in value for one in separators) else json.dumps(value, ensure_ascii=False)


def _condition(given: TargetCondition) -> LinkConditionFields:
    if not given.values:
        if given.operator == "equals":
            return LinkConditionFields(given.property, given.operator, _typed(given.value))
        wanted = _typed(given.value, ';"')
        return LinkConditionFields(given.property, given.operator, f"{wanted};" if "," in wanted else wanted)
    operator = "in" if given.operator == "equals" else given.operator
    typed = [_typed(value, ';"') for value in given.values]
    if any("," in value for value in typed):
        return LinkConditionFields(given.property, operator, "; ".join(typed) + ";")
    return LinkConditionFields(given.property, operator, ", ".join(typed))
