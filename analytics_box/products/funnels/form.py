"""The form of a funnel: its texts, what is filled in, and what becomes of it. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from analytics_box.base.translation import _, ngettext
from analytics_box.figures.converting import GoalTarget
from analytics_box.products.funnels.funnel import Funnel, FunnelDefinition, FunnelStep
from analytics_box.products.goals.form import kind_of, prefix_of
from analytics_box.products.goals.goal import GoalDefinition
from analytics_box.query.plan import MOST_STEPS
from analytics_box.tenants.websites.rules import Website

ORDER_LABELS: Final = {
    "ordered": _("In this order"),
    "strict": _("In this order, with nothing in between"),
    "any": _("In any order"),
}
UNIT_LABELS: Final = {
    "session": _("One session"),
    "minutes": _("Minutes, within one session"),
    "hours": _("Hours, within one session"),
    "days": _("Days, for visitors with lasting IDs"),
}
KIND_LABELS: Final = {
    "page": _("Page"),
    "event": _("Event"),
    "goal": _("Goal"),
    "outgoing": _("Outgoing link"),
    "scroll": _("Scroll depth"),
    "time": _("Seconds on pages"),
}
LABELS: Final = {
    "name": _("Name"),
    "description": _("Description"),
    "steps": _("Steps"),
    "window": _("Time limit"),
}


def home(website: Website) -> str:
    """The address of a website's funnels."""
    return f"/sites/{website.id}/funnels"


def order_text(definition: FunnelDefinition) -> str:
    """The order of the steps, in words."""
    return {
        "ordered": _("Steps in order"),
        "strict": _("Steps in order, with nothing in between"),
        "any": _("Steps in any order"),
    }[definition.order]


def limit_text(definition: FunnelDefinition) -> str:
    """The time limit in words."""
    number = definition.window
    match definition.window_unit:
        case "minutes":
            return ngettext("within 1 minute of a session", "within {count} minutes of a session", number).format(
                count=number
            )
        case "hours":
            return ngettext("within 1 hour of a session", "within {count} hours of a session", number).format(
                count=number
            )
        case "days":
            return ngettext(
                "within 1 day, visitors with lasting IDs only",
                "within {count} days, visitors with lasting IDs only",
                number,
            ).format(count=number)
        case _other:
            return _("within one session")


def values_of(funnel: Funnel) -> dict[str, str]:
    """The form of an existing funnel."""
    definition = funnel.definition
    values = {
        "name": funnel.name,
        "description": funnel.description,
        "order": definition.order,
        "windowUnit": definition.window_unit,
        "window": str(definition.window),
        "isActive": "on" if funnel.is_active else "",
    }
    for number, step in enumerate(definition.steps):
        kind, target = _kind_of(step)
        values |= {f"kind-{number}": kind, f"target-{number}": target, f"step-{number}": step.name}
        if step.conditions:
            first = step.conditions[0]
            value = first.value if isinstance(first.value, str) else ", ".join(first.value)
            values |= {f"property-{number}": first.property, f"operator-{number}": first.operator}
            values[f"value-{number}"] = value
    return values


def rows_of(values: Mapping[str, str]) -> int:
    """The number of steps that the form has room for: two more than are filled in."""
    filled = max((number for number in range(MOST_STEPS) if values.get(f"target-{number}")), default=0)
    return min(MOST_STEPS, max(filled + 2 + ("more" in values), 3 + ("more" in values)))


def goal_names(goals: Sequence[GoalTarget]) -> dict[str, str]:
    """The goals by id as the form shows them: by name, or by id where several goals share a name."""
    counts = Counter(goal.name.casefold() for goal in goals)
    return {goal.id: goal.name if counts[goal.name.casefold()] == 1 else goal.id for goal in goals}


def with_goals(values: Mapping[str, str], targets: Mapping[str, str]) -> dict[str, str]:
    """The values with other targets of the steps that are goals, in any case. Unknown targets stay."""
    found = {name.casefold(): target for name, target in targets.items()}
    return {
        name: found.get(value.strip().casefold(), value)
        if name.startswith("target-") and values.get(name.replace("target", "kind")) == "goal"
        else value
        for name, value in values.items()
    }


def message_of(form: Mapping[str, str], before: FunnelDefinition | None = None) -> dict[str, Any]:
    """The fields of funnels.create and funnels.update that the form says. Steps that the funnel had `before` keep the
    conditions that the form has no room for."""
    unit = form.get("windowUnit", "session")
    window = form.get("window", "").strip()
    return {
        "name": form.get("name", ""),
        "description": form.get("description", ""),
        "steps": [step for number in range(MOST_STEPS) if (step := _step(form, number, before)) is not None],
        "order": form.get("order", "ordered"),
        "window": int(window) if window.isascii() and window.isdigit() else 1 if unit == "session" else window,
        "windowUnit": unit,
        "isActive": "isActive" in form,
    }


def _step(form: Mapping[str, str], number: int, before: FunnelDefinition | None) -> dict[str, Any] | None:
    kind, target = form.get(f"kind-{number}", "page"), form.get(f"target-{number}", "").strip()
    if not target:
        return None
    prefix = prefix_of(kind)
    types = {"page": "PAGE_VIEW", "goal": "GOAL"}
    return {
        "type": types.get(kind, "CUSTOM" if prefix else "EVENT"),
        "target": f"{prefix}{target}",
        "name": form.get(f"step-{number}", "").strip(),
        "conditions": _conditions(form, number, before) if kind == "event" else [],
    }


def _conditions(form: Mapping[str, str], number: int, before: FunnelDefinition | None) -> list[Any]:
    name, value = form.get(f"property-{number}", "").strip(), form.get(f"value-{number}", "").strip()
    others: tuple[object, ...] = ()
    if before is not None and number < len(before.steps):
        others = before.steps[number].conditions[1:]
    if not name:
        return []
    operator = form.get(f"operator-{number}", "exists")
    listed = [one for each in value.split(",") if (one := each.strip())]
    given = "" if operator == "exists" else listed if operator == "in" else value
    return [{"property": name, "operator": operator, "value": given}, *map(msgspec.to_builtins, others)]


def _kind_of(step: FunnelStep) -> tuple[str, str]:
    if step.type == "GOAL":
        return "goal", step.target
    return kind_of(GoalDefinition(step.type, step.target))
