"""The live preview of a form: its rules as sentences, the default rule, the sum of weights. Pure."""

from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.errors import BadRequest
from analytics_box.base.names import slug_of
from analytics_box.base.translation import _
from analytics_box.products.flags.console.definition import definition_of, rules_of
from analytics_box.products.flags.console.fields import FlagFormState, FlagRuleFields
from analytics_box.products.flags.flag import FlagDefinition, TargetGroup, TargetingRule
from analytics_box.products.flags.sentences import DecisionLine, Sentence, flag_lines, percent, rule_sentence

NEAR = 0.01  # A sum of weights can differ from 100 by this.


class Reading(Struct, frozen=True):
    """A form as sentences. `wrong` lists the errors, and then there are no `lines`; `sum` is about weights; `key` is
    the key of a new flag.
    """

    rules: tuple[Sentence, ...]
    lines: tuple[DecisionLine, ...] = ()
    wrong: tuple[str, ...] = ()
    sum: str = ""
    sum_is_right: bool = True
    key: str = ""


def reading_of(state: FlagFormState, stored: FlagDefinition | None, groups: Sequence[TargetGroup]) -> Reading:
    """The live preview of a flag's form, with its stored state."""
    total, is_right = weights_sum(state)
    rules = rule_sentences(state.rules, stored.rules if stored is not None else (), groups)
    try:
        definition = msgspec.convert(definition_of(state, stored), FlagDefinition)
    except BadRequest as refused:
        return Reading(rules, wrong=_all_wrong(refused), sum=total, sum_is_right=is_right)
    except msgspec.ValidationError:
        return Reading(rules, wrong=(_("A field has an invalid value."),), sum=total, sum_is_right=is_right)
    lines = flag_lines(definition, groups, user_id=state.fields.get("userId", "").strip() or None)
    return Reading(rules, lines, sum=total, sum_is_right=is_right, key=new_key(state) if stored is None else "")


def new_key(state: FlagFormState) -> str:
    """The key of a new flag: as it is typed, else derived from the name."""
    return state.fields.get("key", "").strip() or slug_of(state.fields.get("name", ""), fallback="")


def rule_sentences(
    given: Sequence[FlagRuleFields], stored: Sequence[TargetingRule], groups: Sequence[TargetGroup]
) -> tuple[Sentence, ...]:
    """Each rule as it is typed; empty for one that cannot be read yet."""
    names = {one.id: one.name for one in groups}
    return tuple(_sentence(one, stored, names) for one in given)


def weights_sum(state: FlagFormState) -> tuple[str, bool]:
    """The sum of weights in words, and whether it is valid."""
    given = [one.weight.strip().replace(",", ".").removesuffix("%").strip() for one in state.variants]
    if not any(given):
        return (_("Without weights, the split is equal.") if given else "", True)
    try:
        total = round(sum(float(one or 0) for one in given), 4)
    except ValueError:
        return (_("Enter each weight as a number."), False)
    if abs(total - 100) <= NEAR:
        return (_("The weights add up to 100 %."), True)
    if not 0 <= total < 1e6:  # This also excludes NaN.
        return (_("Enter each percentage as a number."), False)
    text = (
        _("The weights add up to {sum}: {rest} missing.")
        if total < 100
        else _("The weights add up to {sum}: {rest} too much.")
    )
    return (text.format(sum=percent(total), rest=percent(round(abs(100 - total), 4))), False)


def opened_where_wrong(state: FlagFormState, errors: Mapping[str, str]) -> FlagFormState:
    """The form with those rules open in which something is wrong."""
    wrong = {name.split(".")[1] for name in errors if name.startswith("rules.")}
    rules = tuple(replace(one, open="on") if str(place) in wrong else one for place, one in enumerate(state.rules))
    return replace(state, rules=rules)


def _sentence(given: FlagRuleFields, stored: Sequence[TargetingRule], names: Mapping[str, str]) -> Sentence:
    try:
        (found,) = msgspec.convert(rules_of(FlagFormState({}, (given,)), stored), tuple[TargetingRule, ...])
    except (BadRequest, msgspec.ValidationError):
        return ()
    return rule_sentence(found, names)


def _all_wrong(refused: BadRequest) -> tuple[str, ...]:
    return tuple(dict.fromkeys(detail.message for detail in refused.details)) or (refused.message,)
