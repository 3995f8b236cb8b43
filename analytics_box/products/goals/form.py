"""The form of a goal: what is typed, and what becomes of it. Pure."""

from collections.abc import Mapping
from typing import Any, Final, Literal

from analytics_box.base import figures
from analytics_box.base.translation import _
from analytics_box.products.goals.goal import Goal, GoalDefinition
from analytics_box.products.goals.rules import MOST_CONDITIONS, OUTGOING, SCROLL, TIME

_SAYS = {
    "page": _("Visits {target}"),
    "event": _("Event {target}"),
    "scroll": _("Scrolls {target} % of a page"),
    "time": _("Stays for {target} s"),
    "outgoing": _("Clicks a link to {target}"),
}
OPERATOR_LABELS = {"exists": _("is set"), "equals": _("is"), "contains": _("contains"), "in": _("is one of (commas)")}


Kind = Literal["page", "event", "scroll", "time", "outgoing"]
_PREFIXES: Final[dict[Kind, str]] = {"scroll": SCROLL, "time": TIME, "outgoing": OUTGOING}
# Fields of procedures as the form calls them.
LABELS: Final = {
    "name": _("Name"),
    "description": _("Description"),
    "target": _("Value"),
    "conditions": _("Properties of the event"),
    "revenueProperty": _("Revenue property"),
    "filters": _("What visitors do"),
}


def kind_of(definition: GoalDefinition) -> tuple[Kind, str]:
    """The kind of a goal in the form, and its value."""
    if definition.type == "PAGE_VIEW":
        return "page", definition.target
    if definition.type == "CUSTOM":
        for kind, prefix in _PREFIXES.items():
            if definition.target.startswith(prefix):
                return kind, definition.target.removeprefix(prefix)
    return "event", definition.target


def prefix_of(kind: str) -> str:
    """The beginning of a target of this kind of the form; empty for pages and events."""
    return next((prefix for name, prefix in _PREFIXES.items() if name == kind), "")


def values_of(goal: Goal) -> dict[str, str]:
    """The form of a goal that is there."""
    kind, target = kind_of(goal.definition)
    values = {
        "name": goal.name,
        "description": goal.description,
        "kind": kind,
        "target": target,
        "amount": goal.definition.amount,
        "active": "on" if goal.is_active else "",
    }
    for number, item in enumerate(goal.definition.conditions):
        value = item.value if isinstance(item.value, str) else ", ".join(item.value)
        values |= {f"property-{number}": item.property, f"operator-{number}": item.operator, f"value-{number}": value}
    return values


def message_of(form: Mapping[str, str]) -> dict[str, Any]:
    """The fields of goals.create and goals.update that the form says."""
    kind, target = form.get("kind", "page"), form.get("target", "").strip()
    prefix = prefix_of(kind)
    return {
        "name": form.get("name", ""),
        "description": form.get("description", ""),
        "type": "PAGE_VIEW" if kind == "page" else "CUSTOM" if prefix else "EVENT",
        "target": f"{prefix}{target}" if target else "",
        "conditions": [item for number in range(MOST_CONDITIONS) if (item := _condition(form, number)) is not None],
        "revenueProperty": form.get("amount", "").strip(),
        "isActive": "active" in form,
    }


def goal_text(definition: GoalDefinition) -> str:
    """The goal in words."""
    kind, target = kind_of(definition)
    words = _SAYS[kind].format(target=figures.visible(target))
    if definition.conditions:
        conditions = ", ".join(
            " ".join((item.property, OPERATOR_LABELS[item.operator].split(" (")[0], _list_text(item.value))).strip()
            for item in definition.conditions
        )
        words = _("{said}, with {conditions}").format(said=words, conditions=figures.visible(conditions))
    if definition.filters:
        words = _("{said}, filtered by {fields}").format(said=words, fields=fields_of(definition))
    return words


def fields_of(definition: GoalDefinition) -> str:
    """The fields that a goal is narrowed by."""
    return ", ".join(dict.fromkeys(item.field for item in definition.filters))


def _condition(form: Mapping[str, str], number: int) -> dict[str, Any] | None:
    name, value = form.get(f"property-{number}", "").strip(), form.get(f"value-{number}", "").strip()
    operator = form.get(f"operator-{number}", "exists")
    if not name and not value:
        return None
    if operator == "in":
        return {
            "property": name,
            "operator": operator,
            "value": [one for each in value.split(",") if (one := each.strip())],
        }
    return {"property": name, "operator": operator, "value": "" if operator == "exists" else value}


def _list_text(value: str | tuple[str, ...]) -> str:
    return value if isinstance(value, str) else ", ".join(value)
