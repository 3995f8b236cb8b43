"""Conversion of the flag form to API input. Pure.

An unchanged field or row keeps its stored value to the letter, because forms cannot express all that an import can.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.errors import BadRequest
from analytics_box.base.names import slug_of
from analytics_box.base.translation import _
from analytics_box.products.flags.console.fields import (
    OF_LINES,
    FlagConditionFields,
    FlagFormState,
    FlagRuleFields,
    FlagVariantFields,
    NeedFields,
    as_posted,
    is_untouched,
    typed_value,
    values,
)
from analytics_box.products.flags.console.filled import (
    TEXTS,
    need_fields,
    rule_fields,
    state_of_definition,
    takes_texts,
    variant_fields,
)
from analytics_box.products.flags.flag import FlagDefinition, Scalar, TargetGroup, TargetingRule
from analytics_box.products.flags.sentences import (
    LISTS,
    ONLY_GIVEN,
    DecisionLine,
    Sentence,
    flag_lines,
    percent,
    rule_sentence,
)
from analytics_box.resource import forms

SIMPLE: Final = frozenset(("user_id", "email", "property"))  # Rules of the wire can compare these.
_MUST: Final = {"on": ("true",), "off": ("false",)}


class Wrong:
    """Errors by field of the form."""

    def __init__(self) -> None:
        self.found: dict[str, str] = {}

    def say(self, field: str, message: str) -> None:
        """Add an error to a field; the first error of a field is kept."""
        self.found.setdefault(field, message)

    def check(self) -> None:
        """Raise BadRequest with all errors, by field of the form."""
        forms.refuse(self.found)


def definition_of(state: FlagFormState, stored: FlagDefinition | None = None) -> dict[str, Any]:
    """The definition in the form, as JSON. Raises BadRequest, by field of the form."""
    given, wrong = state.fields, Wrong()
    needed = [one for one in state.needs if one.key.strip()]
    found = forms.read(given, FlagDefinition, "UTC", stored, wrong.found) | {
        "offValue": _off_value(state),
        "payload": _payload(given.get("payload", ""), wrong),
        "rules": _rules(state.rules, stored.rules if stored is not None else (), wrong),
        "persistAcrossAuth": "persistAcrossAuth" in given,
        "dependencies": [one.key.strip() for one in needed if one.must == "active"],
        "prerequisites": [_prerequisite(one, stored) for one in needed if one.must != "active"],
        "variants": _variants(state.variants, stored, wrong),
        "targetGroupIds": [one.id for one in state.groups if one.id],
        "bucketing": {name: given.get(name, "").strip() for name in ("algorithm", "salt", "variantSalt", "attribute")},
    }
    if stored is not None:
        _keep_untouched(found, given, stored, wrong)
    wrong.check()
    return found


def _keep_untouched(found: dict[str, Any], given: Mapping[str, str], stored: FlagDefinition, wrong: Wrong) -> None:
    """Take what is stored for each field that was posted as the form showed it."""
    shown, kept = state_of_definition(stored).fields, msgspec.structs.asdict(stored)
    drawn = found["bucketing"]
    for name in (*forms.inputs_of(FlagDefinition), "payload", "offValue"):
        is_of_type = name != "offValue" or stored.type == given.get("type") == "multivariant"
        if is_of_type and _is_as_shown(given, shown, name):
            found[name] = kept[name]
            wrong.found.pop(name, None)
    for name in ("salt", "variantSalt", "attribute"):
        if _is_as_shown(given, shown, name):
            drawn[name] = getattr(stored.bucketing, name)


def _is_as_shown(given: Mapping[str, str], shown: Mapping[str, str], field: str) -> bool:
    is_lines = field in OF_LINES
    return field in given and as_posted(given[field], lines=is_lines) == as_posted(shown[field], lines=is_lines)


def rules_of(state: FlagFormState, stored: Sequence[TargetingRule] = ()) -> list[dict[str, Any]]:
    """The rules of a form alone, as JSON has them. Raises BadRequest, by field of the form."""
    wrong = Wrong()
    found = _rules(state.rules, stored, wrong)
    wrong.check()
    return found


def _rules(given: Sequence[FlagRuleFields], stored: Sequence[TargetingRule], wrong: Wrong) -> list[dict[str, Any]]:
    return [_rule(one, f"rules.{number}", stored, wrong) for number, one in enumerate(given)]


def _rule(given: FlagRuleFields, name: str, stored: Sequence[TargetingRule], wrong: Wrong) -> dict[str, Any]:
    kept: TargetingRule | None = _stored_row(given.was, stored)
    if kept is not None and is_untouched(given, rule_fields(kept, int(given.was))):
        return _plain_values(kept)
    on, _rest, variant = given.gives.partition(":")
    found: dict[str, Any] = {"name": given.name.strip(), "enabled": on != "off"}
    if variant:
        found["variant"] = variant
    percentage = _number(given.percentage, f"{name}.percentage", wrong)
    if percentage is not None:
        found["percentage"] = percentage
    return found | _draw(kept, percentage) | _conditions(given, f"{name}.if", wrong)


def _draw(kept: TargetingRule | None, percentage: float | None) -> dict[str, Any]:
    """The bucketing fields of a rule that forms do not have: as they are stored, so that no user moves to another
    bucket.
    """
    found: dict[str, Any] = {}
    if kept is not None and kept.percentageFrom and percentage is not None:
        found["percentageFrom"] = kept.percentageFrom
    if kept is not None and kept.bucketing is not None:
        found["bucketing"] = _plain_values(kept.bucketing)
    return found


def _conditions(given: FlagRuleFields, name: str, wrong: Wrong) -> dict[str, Any]:
    """The conditions of a rule: in the wire's form if that can express them."""
    tree = given.tree
    if not tree.inner:
        wrong.say(name, _("Add a filter"))
    only = tree.inner[0] if len(tree.inner) == 1 and tree.kind in {"all", "any"} else None
    if only is not None and only.kind == "one":
        if only.attribute == "percentage":
            share = _number(only.values, f"{name}.0.values", wrong)
            if share is None:
                wrong.say(f"{name}.0.values", _("Enter a number, such as 25 or 12.5"))
            return {"type": "property", "value": share}
        if only.attribute in SIMPLE and not only.only:
            return _simple(only, f"{name}.0", wrong, batch=bool(given.batch))
        return {"type": "conditions", "conditions": _node(only, f"{name}.0", wrong)}
    return {"type": "conditions", "conditions": _node(tree, name, wrong)}


def _simple(one: FlagConditionFields, name: str, wrong: Wrong, *, batch: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"type": one.attribute, "operator": one.operator}
    if one.attribute == "property":
        found["field"] = _property(one, name, wrong)
    given = _values(one, name, wrong)
    if one.operator in ONLY_GIVEN:
        return found
    if batch or (len(given) > 1 and one.operator not in LISTS):
        return found | {"batch": True, "batchValues": given}
    return found | ({"values": given} if one.operator in LISTS else {"value": given[0] if given else ""})


def _node(one: FlagConditionFields, name: str, wrong: Wrong) -> dict[str, Any]:
    if one.kind != "one":
        if not one.inner:
            wrong.say(name, _("Add a filter"))
        return {one.kind: [_node(inner, f"{name}.{place}", wrong) for place, inner in enumerate(one.inner)]}
    if one.attribute == "percentage":
        wrong.say(
            f"{name}.attribute",
            _(
                "A percentage of users cannot be combined with other filters. "
                "Use “Percentage rollout” below the filters instead"
            ),
        )
    if one.attribute == "group":
        if not one.group:
            wrong.say(f"{name}.group", _("Select a target group"))
        return {"group": one.group}
    attribute = _property(one, name, wrong) if one.attribute == "property" else one.attribute
    given = _values(one, name, wrong)
    found = {"attribute": attribute, "operator": one.operator} | ({"only": one.only} if one.only else {})
    if one.operator in ONLY_GIVEN:
        return found
    return found | ({"value": given[0]} if len(given) == 1 and one.operator not in LISTS else {"values": given})


def _property(one: FlagConditionFields, name: str, wrong: Wrong) -> str:
    if not one.property.strip():
        wrong.say(f"{name}.property", _("Enter a property name"))
    return one.property.strip()


def _values(one: FlagConditionFields, name: str, wrong: Wrong) -> tuple[Scalar, ...]:
    if one.operator in ONLY_GIVEN:
        return ()
    found = values(one.values, texts=one.attribute in TEXTS)
    if not found:
        wrong.say(f"{name}.values", _("Enter at least one value"))
    return found


def _variants(given: Sequence[FlagVariantFields], stored: FlagDefinition | None, wrong: Wrong) -> list[dict[str, Any]]:
    kept = stored.variants if stored is not None else ()
    return [_variant(one, f"variants.{number}", kept, wrong) for number, one in enumerate(given)]


def _variant(given: FlagVariantFields, name: str, stored: Sequence[Struct], wrong: Wrong) -> dict[str, Any]:
    kept: Any = _stored_row(given.was, stored)
    if kept is not None and is_untouched(given, variant_fields(kept, int(given.was))):
        return _plain_values(kept)
    found: dict[str, Any] = {
        "key": given.key.strip(),
        "type": given.type,
        "value": _variant_value(given, f"{name}.value", wrong),
        "description": given.description.strip(),
    }
    weight = _number(given.weight, f"{name}.weight", wrong)
    return found | ({"weight": weight} if weight is not None else {})


def _variant_value(given: FlagVariantFields, name: str, wrong: Wrong) -> Any:
    match given.type:
        case "number":
            found = _json(given.value, name, _("Enter a number, such as 25 or 12.5"), wrong)
            if not isinstance(found, int | float) or isinstance(found, bool):
                wrong.say(name, _("Enter a number, such as 25 or 12.5"))
            return found
        case "json":
            return _json(given.value, name, _('Enter JSON, such as {"limit": 5} or ["a", "b"]'), wrong)
    return given.value


def _prerequisite(one: NeedFields, stored: FlagDefinition | None) -> dict[str, Any]:
    kept = stored.prerequisites if stored is not None else ()
    same = next((other for other in kept if is_untouched(one, need_fields(other))), None)
    named = tuple(str(key) for key in values(one.variants, texts=True))
    return {"key": one.key.strip(), "gives": _MUST.get(one.must, named)} if same is None else _plain_values(same)


def _payload(text: str, wrong: Wrong) -> Any:
    return _json(text, "payload", _('Enter JSON, such as {"limit": 5} or ["a", "b"]'), wrong) if text.strip() else None


def _off_value(state: FlagFormState) -> Any:
    if state.fields.get("type") != "multivariant":
        return {"on": True, "off": False}.get(state.fields.get("off", ""))
    texts = takes_texts(one.type for one in state.variants)
    return typed_value(state.fields.get("offValue", "").strip(), texts=texts)


def _json(text: str, name: str, message: str, wrong: Wrong) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        wrong.say(name, message)
        return None


def _number(text: str, name: str, wrong: Wrong) -> float | None:
    """The number in a field; None if the field is empty."""
    text = text.strip().replace(",", ".").removesuffix("%").strip()
    if not text:
        return None
    found = _json(text, name, _("Enter a number, such as 25 or 12.5"), wrong)
    if isinstance(found, bool) or not isinstance(found, int | float):
        wrong.say(name, _("Enter a number, such as 25 or 12.5"))
        return 0
    return found


def _stored_row(was: str, rows: Sequence[Any]) -> Any:
    """The stored version of a row; None for a new one."""
    return rows[int(was)] if was.isascii() and was.isdecimal() and len(was) < 4 and int(was) < len(rows) else None


def _plain_values(kept: Struct) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(kept)
    return found


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
        return Reading(
            rules,
            wrong=tuple(dict.fromkeys(detail.message for detail in refused.details)) or (refused.message,),
            sum=total,
            sum_is_right=is_right,
        )
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
