"""Conversion of the link form to the message that creates or changes the link. Pure but for the time zone."""

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from analytics_box.base.errors import BadRequest, ErrorDetail
from analytics_box.base.texts import LinkForm
from analytics_box.products.links.editing.messages import ChangedLink, NewLink
from analytics_box.products.links.form.fields import (
    TEXTS,
    LinkConditionFields,
    LinkFormState,
    local,
    value_of,
    values_of,
)
from analytics_box.products.links.link import ShortLink, Utm
from analytics_box.tenants.tenancy.messages import message_of
from analytics_box.web.page.typed import web_address

_LONGEST_NAME = 255


def created_link(state: LinkFormState, zone: str) -> NewLink:
    """The message that makes a link. Raises BadRequest, which names fields as the form does."""
    found = _fields(state, None, zone)
    if state.fields.get("password"):
        found["password"] = state.fields["password"]
    return message_of(found, NewLink, LinkForm.wrong)


def changed_link(state: LinkFormState, link: ShortLink, zone: str) -> ChangedLink:
    """The message that changes a link to what the form says. Raises BadRequest."""
    found = _fields(state, link, zone) | {"id": link.id}
    if "removePassword" in state.fields:
        found["password"] = None
    elif state.fields.get("password"):
        found["password"] = state.fields["password"]
    return message_of(found, ChangedLink, LinkForm.wrong)


def form_field(wire: str) -> str:
    """The field of the form for one that a refusal names: rules[0].conditions[1] is rules.0.conditions.1.value."""
    name = wire.replace("[", ".").replace("]", "")
    last = name.rpartition(".")[2]
    if last.isdecimal():
        return f"{name}.value" if ".conditions." in name else f"{name}.name"
    return name


def _fields(state: LinkFormState, link: ShortLink | None, zone: str) -> dict[str, Any]:
    given = {name: _form_value(name, value) for name, value in state.fields.items()}
    wrong: dict[str, str] = {}
    target = given.get("targetUrl", "")
    if not target:
        wrong["targetUrl"] = LinkForm.no_target
    password = given.get("password", "")
    if password and not 4 <= len(password) <= 128:
        wrong["password"] = LinkForm.short_password
    most = given.get("maxClicks", "")
    if most and not (most.isascii() and most.isdecimal() and 0 < int(most[:10]) <= 1_000_000_000):
        wrong["maxClicks"] = LinkForm.no_number
    try:
        expires = _expiry(given.get("expiresAt", ""), link, zone)
    except ValueError:
        expires, wrong["expiresAt"] = None, LinkForm.no_date
    rules = _rules(state, wrong)
    variants = _variants(state, wrong)
    if wrong:
        raise BadRequest(next(iter(wrong.values())), details=tuple(ErrorDetail(*one) for one in wrong.items()))
    found: dict[str, Any] = {
        "name": given.get("name") or target.partition("://")[2][:_LONGEST_NAME] or target[:_LONGEST_NAME],
        "targetUrl": target,
        "domain": given.get("domain", ""),
        "folderId": given.get("folderId") or None,
        "tags": [tag.strip() for tag in given.get("tags", "").split(",") if tag.strip()],
        "expiresAt": expires,
        "maxClicks": int(most) if most else None,
        "redirectStatus": _number(given.get("redirectStatus", "302")),
        "queryForwarding": given.get("queryForwarding", "none"),
        "utm": {name: given.get(f"utm.{name}", "") for name in Utm.__struct_fields__},
        "rules": rules,
        "variants": variants,
        **{name: given[name] or None for name in TEXTS if name in given},
    }
    if given.get("slug"):
        found["slug"] = given["slug"]
    return found


def _rules(state: LinkFormState, wrong: dict[str, str]) -> list[dict[str, Any]]:
    found = []
    for number, rule in enumerate(state.rules):
        if not rule.target.strip():
            wrong[f"rules[{number}].targetUrl"] = LinkForm.no_target
        conditions = [_condition(one) for one in rule.conditions if not one.is_blank]
        if not conditions:
            wrong[f"rules[{number}].conditions[0]"] = LinkForm.no_conditions
        name = rule.name.strip() or LinkForm.unnamed_rule.format(number=number + 1)
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
            wrong[f"variants[{number}].targetUrl"] = LinkForm.no_target
        weight = variant.weight.strip()
        if not (weight.isascii() and weight.isdecimal() and 0 < int(weight[:5]) <= 1_000):
            wrong[f"variants[{number}].weight"] = LinkForm.no_weight
            continue
        name = variant.name.strip() or LinkForm.unnamed_variants[number]
        found.append({"name": name, "targetUrl": web_address(variant.target), "weight": int(weight)})
    return found


def _form_value(name: str, value: str) -> str:
    """A field without spaces at its ends, URLs in full; a password as it is."""
    if name == "password":
        return value
    return web_address(value) if name.endswith("Url") else value.strip()


def _expiry(text: str, link: ShortLink | None, zone: str) -> datetime | None:
    """A day and a time of the person's zone. What is left as it was stays to the millisecond. Raises ValueError."""
    if not text:
        return None
    if link is not None and link.expires_at is not None and text == local(link.expires_at, zone):
        return datetime.fromtimestamp(link.expires_at / 1000, UTC)
    when = datetime.fromisoformat(text)
    if when.tzinfo is not None or not 1980 <= when.year <= 2999:
        raise ValueError(text)
    return when.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)


def _number(text: str) -> int | str:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 4 else text
