"""Conversion of the link form to the message that creates or changes the link. Pure but for the time zone."""

from typing import Any

from analytics_box.base.errors import BadRequest, ErrorDetail
from analytics_box.base.translation import _
from analytics_box.base.urls import web_address
from analytics_box.products.links.editing.messages import ChangedLink, NewLink
from analytics_box.products.links.form.fields import (
    LinkConditionFields,
    LinkFormState,
    value_of,
    values_of,
)
from analytics_box.products.links.link import ShortLink, Utm
from analytics_box.resource import forms
from analytics_box.tenants.tenancy.messages import message_of

_LONGEST_NAME = 255


def created_link(state: LinkFormState, zone: str) -> NewLink:
    """The message that creates a link. Raises BadRequest, which names the form's fields."""
    return message_of(_fields(state, None, zone), NewLink, _("This value is not valid: {message}"))


def changed_link(state: LinkFormState, link: ShortLink, zone: str) -> ChangedLink:
    """The message that updates a link. Raises BadRequest."""
    return message_of(
        _fields(state, link, zone) | {"id": link.id}, ChangedLink, _("This value is not valid: {message}")
    )


def form_field(wire: str) -> str:
    """The form field of a wire name: rules[0].conditions[1] is rules.0.conditions.1.value."""
    name = wire.replace("[", ".").replace("]", "")
    last = name.rpartition(".")[2]
    if last.isdecimal():
        return f"{name}.value" if ".conditions." in name else f"{name}.name"
    return name


def _fields(state: LinkFormState, link: ShortLink | None, zone: str) -> dict[str, Any]:
    wrong: dict[str, str] = {}
    found = forms.read(state.fields, ShortLink, zone, link, wrong)
    target = found.get("targetUrl", "")
    if not target:
        wrong["targetUrl"] = _("Enter a destination")
    found |= {"rules": _rules(state, wrong), "variants": _variants(state, wrong)}
    if wrong:
        raise BadRequest(next(iter(wrong.values())), details=tuple(ErrorDetail(*one) for one in wrong.items()))
    if not found.get("slug"):
        found.pop("slug", None)
    name = found.get("name") or target.partition("://")[2][:_LONGEST_NAME] or target[:_LONGEST_NAME]
    utm = {name: state.fields.get(f"utm.{name}", "").strip() for name in Utm.__struct_fields__}
    return found | {"name": name, "utm": utm}


def _rules(state: LinkFormState, wrong: dict[str, str]) -> list[dict[str, Any]]:
    found = []
    for number, rule in enumerate(state.rules):
        if not rule.target.strip():
            wrong[f"rules[{number}].targetUrl"] = _("Enter a destination")
        conditions = [_condition(one) for one in rule.conditions if not one.is_blank]
        if not conditions:
            wrong[f"rules[{number}].conditions[0]"] = _("Add a condition, or remove the rule")
        name = rule.name.strip() or _("Rule {number}").format(number=number + 1)
        found.append({"name": name, "targetUrl": web_address(rule.target), "conditions": conditions})
    return found


def _condition(state: LinkConditionFields) -> dict[str, Any]:
    plain: dict[str, Any] = {"property": state.what, "operator": state.operator}
    if state.operator in {"exists", "not_exists"}:
        return plain
    if state.operator == "equals":
        return plain | {"value": value_of(state.value)}
    values = values_of(state.value)
    if len(values) == 1 and state.operator not in {"in", "not_in"}:
        return plain | {"value": values[0]}
    return plain | {"values": list(values)}


def _variants(state: LinkFormState, wrong: dict[str, str]) -> list[dict[str, Any]]:
    found = []
    for number, variant in enumerate(state.variants):
        if not variant.target.strip():
            wrong[f"variants[{number}].targetUrl"] = _("Enter a destination")
        weight = variant.weight.strip()
        if not (weight.isascii() and weight.isdecimal() and 0 < int(weight[:5]) <= 1_000):
            wrong[f"variants[{number}].weight"] = _("Enter a whole number from 1 to 1000")
            continue
        name = variant.name.strip() or _("ABCDEFGHIJKLMNOPQRST")[number]
        found.append({"name": name, "targetUrl": web_address(variant.target), "weight": int(weight)})
    return found
