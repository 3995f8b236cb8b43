"""The effect of a monitor's transition on status pages, and the incident that it belongs to. Pure."""

from collections.abc import Iterable, Sequence
from typing import Final, Literal

from analytics_box.base.clock import MINUTE
from analytics_box.products.monitors.running.notices import NoticeDetail, What
from analytics_box.products.status_pages.incident import AffectedComponent, Impact, Incident, Severity

JOINING: Final = 2 * MINUTE  # what goes down within that of the first one belongs to its incident

Meaning = Literal["opens", "recovers"]

# By the transition and the state after it. Other transitions have no effect; a flapping monitor does not recover.
_MEANINGS: Final[dict[tuple[What, str], Meaning]] = {
    ("down", "down"): "opens",
    ("flapping", "down"): "opens",
    ("stable", "down"): "opens",
    ("recovered", "up"): "recovers",
    ("recovered", "degraded"): "recovers",
    ("stable", "up"): "recovers",
    ("stable", "degraded"): "recovers",
}


def meaning(what: What, detail: NoticeDetail) -> Meaning | None:
    """The effect of a transition on incidents; None for none, as for muted transitions."""
    return None if detail.muted else _MEANINGS.get((what, detail.state))


def severity_of(affected: Iterable[AffectedComponent]) -> Severity:
    """The severity for a page."""
    return "major" if any(one.impact == "down" for one in affected) else "minor"


def is_untouched(incident: Incident) -> bool:
    """Return whether no member has written an update of it."""
    return incident.origin == "monitor" and not any(update.author for update in incident.updates)


def is_unseen(incident: Incident) -> bool:
    """Return whether it is an automatic draft with its first text, which can still be rewritten."""
    return incident.is_draft and len(incident.updates) == 1 and is_untouched(incident)


def explaining_incident(incidents: Iterable[Incident], component_id: str) -> Incident | None:
    """The open incident that affects a component already; drafts of members do not count."""
    for incident in incidents:
        counts = (
            incident.kind == "incident" and incident.is_open and (incident.origin == "monitor" or not incident.is_draft)
        )
        if counts and impact_in(incident, component_id) not in {None, "operational"}:
            return incident
    return None


def to_join(incidents: Iterable[Incident], firsts: dict[str, int], component_id: str, at: int) -> Incident | None:
    """The automatic incident that a component joins which is down since `at` (UTC ms).

    An incident that affected it before comes first. `firsts` is when the first monitor of each incident went down.
    """
    own = [one for one in incidents if one.kind == "incident" and one.origin == "monitor" and one.is_open]
    for incident in own:
        if impact_in(incident, component_id) is not None:
            return incident
    return next((one for one in own if one.id in firsts and abs(at - firsts[one.id]) <= JOINING), None)


def impact_in(incident: Incident, component_id: str) -> Impact | None:
    """The impact of an incident on a component; None if the incident does not affect it."""
    return next((one.impact for one in incident.affected if one.component_id == component_id), None)


def with_one(affected: Sequence[AffectedComponent], new: AffectedComponent) -> tuple[AffectedComponent, ...]:
    """Add this component to the affected ones, or replace it."""
    known = any(one.component_id == new.component_id for one in affected)
    if not known:
        return (*affected, new)
    return tuple(new if one.component_id == new.component_id else one for one in affected)


def wrong_in(affected: Iterable[AffectedComponent]) -> tuple[AffectedComponent, ...]:
    """The components that still exist and are not operational."""
    return tuple(one for one in affected if one.impact != "operational" and one.component_id is not None)
