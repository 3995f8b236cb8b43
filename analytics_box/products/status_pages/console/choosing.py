"""The components of an incident: proposed from those in trouble, and read from a form. Pure."""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.translation import _
from analytics_box.products.status_pages.incident import AffectedComponent, Impact, Incident, Severity
from analytics_box.products.status_pages.page import ComponentStatus, Whole
from analytics_box.products.status_pages.seen import ComponentSeen, PageSeen

STATE_LABELS = {
    "operational": _("Operational"),
    "degraded_performance": _("Degraded"),
    "partial_outage": _("Partial outage"),
    "major_outage": _("Down"),
    "under_maintenance": _("Maintenance"),
    "unknown": _("Unknown"),
}


PREFIX: Final = "impact."
MOST_NAMES: Final = 3  # in a title
_OF_STATUS: Final[dict[ComponentStatus, Impact]] = {
    "degraded_performance": "degraded",
    "partial_outage": "partial",
    "major_outage": "down",
}


class ImpactChoice(Struct, frozen=True):
    """A component in a form, its state, and the impact of the incident on it, empty for none."""

    id: str
    name: str
    mark: str
    label: str
    impact: str


def impact_of(one: ComponentSeen) -> Impact | None:
    """The impact of a component's current trouble; None if there is none."""
    if one.status == "under_maintenance":
        return None
    if not one.manual:
        current = "down" if one.status == "major_outage" else one.current
        return current if current in ("down", "degraded") else None
    return _OF_STATUS.get(one.status) if one.status is not None else None


def in_trouble(seen: PageSeen, incidents: Sequence[Incident]) -> list[ComponentSeen]:
    """The components in trouble that no open incident of the page affects."""
    told = {
        one.component_id
        for incident in incidents
        if incident.is_active
        for one in incident.affected
        if one.impact != "operational"
    }
    return [one for one in seen.components if impact_of(one) is not None and one.id not in told]


def propose_impacts(whole: Whole, seen: PageSeen, *, monitor_id: str = "", component_id: str = "") -> dict[str, Impact]:
    """The default impacts of a new incident: the components in trouble, and the requested ones."""
    asked = {
        one.id for one in whole.components if component_id == one.id or (monitor_id and monitor_id == one.monitor_id)
    }
    found = {one.id: impact_of(one) or "down" for one in in_trouble(seen, whole.incidents)}
    for one in seen.components:
        if one.id in asked:
            found.setdefault(one.id, impact_of(one) or "degraded")
    return found


def title_of(seen: PageSeen, impacts: Mapping[str, Impact]) -> str:
    """A suggested title for an incident that affects these components."""
    names = [figures.visible(one.name) for one in seen.components if one.id in impacts]
    if not names:
        return _("Problems with our service")
    if len(names) == 1 and "down" in impacts.values():
        return _("{name} unavailable").format(name=names[0])
    if len(names) > MOST_NAMES:
        return _("Problems with several services")
    return _("Problems with {names}").format(names=", ".join(names))


def severity_of(seen: PageSeen, impacts: Mapping[str, Impact]) -> Severity:
    """A suggested severity."""
    down = sum(impact == "down" for impact in impacts.values())
    if down and down == len(seen.components):
        return "critical"
    return "major" if down else "minor"


def choices(seen: PageSeen, impacts: Mapping[str, str]) -> list[ImpactChoice]:
    """All components of the page as rows of a form."""
    return [
        ImpactChoice(one.id, figures.visible(one.name), *state_of(one), impacts.get(one.id, ""))
        for one in seen.components
    ]


def state_of(one: ComponentSeen) -> tuple[str, str]:
    """A component's status: its name in styles, and its label."""
    mark = one.status or "unknown"
    return mark, STATE_LABELS[mark]


def read_impacts(form: Mapping[str, str]) -> dict[str, str]:
    """The impacts in a form by component, without components that are not affected."""
    return {name.removeprefix(PREFIX): impact for name, impact in form.items() if name.startswith(PREFIX) and impact}


def impacts_of(affected: Sequence[AffectedComponent]) -> dict[str, str]:
    """The current impacts of an incident by component."""
    return {one.component_id: one.impact for one in affected if one.component_id is not None}
