"""Incidents and maintenances. Pure. The tables of their names have a column for each field."""

from collections.abc import Mapping
from typing import Final, Literal

from msgspec import Struct

from analytics_box.base.translation import _

Kind = Literal["incident", "maintenance"]
Status = Literal[
    "investigating",
    "identified",
    "monitoring",
    "resolved",
    "postmortem",  # of incidents
    "scheduled",
    "in_progress",
    "verifying",
    "completed",  # of maintenances
]
Severity = Literal["minor", "major", "critical"]
Impact = Literal["operational", "degraded", "partial", "down", "maintenance"]
Origin = Literal["person", "monitor"]

STATUS_LABELS: Final[Mapping[Status, str]] = {
    "investigating": _("Investigating"),
    "identified": _("Identified"),
    "monitoring": _("Monitoring"),
    "resolved": _("Resolved"),
    "postmortem": _("Postmortem"),
    "scheduled": _("Scheduled"),
    "in_progress": _("In progress"),
    "verifying": _("Verifying"),
    "completed": _("Completed"),
}
# The text of an update that its author left blank, and of automatic updates.
USUAL_MESSAGES: Final[Mapping[str, str]] = {
    "investigating": _("We are investigating. The next update will be posted here."),
    "identified": _("The cause has been identified and we are working on a fix."),
    "monitoring": _("A fix has been applied and we are monitoring the results."),
    "resolved": _("This incident has been resolved."),
    "postmortem": "",
    "in_progress": _("Maintenance has started."),
    "verifying": _("The work is done. We are verifying that everything works."),
    "completed": _("Maintenance is complete."),
    "scheduled": _("We will carry out maintenance during this time."),
}
ENDED: Final[frozenset[Status]] = frozenset(("resolved", "postmortem", "completed"))
LONGEST_TITLE, LONGEST_MESSAGE = 200, 5_000  # characters (wire 9.3)


class AffectedComponent(Struct, frozen=True, kw_only=True):
    """A component and the impact of an incident on it. `name` is its name at that time; a removed component has no
    `component_id`."""

    component_id: str | None
    name: str
    impact: Impact


class IncidentUpdate(Struct, frozen=True, kw_only=True):
    """An update of an incident. Only its `message` can change; earlier texts are kept.

    `at` is its effective time (UTC ms), `affected` are the impacts from then on. `author` is empty for automatic
    updates. `notified` is whether subscribers were notified.
    """

    id: str
    incident_id: str
    status: Status
    message: str
    at: int
    created_at: int
    updated_at: int
    notified: bool = True
    affected: tuple[AffectedComponent, ...] = ()
    author: str = ""


class Incident(Struct, frozen=True, kw_only=True):
    """An incident, or a maintenance with `scheduled_for` and `scheduled_until`. Times are UTC ms, None for not yet.

    `updates` are newest first, `affected` are the current impacts. Only members see a draft; `publish_at` is when an
    automatic draft is published.
    """

    id: str
    page_id: str
    kind: Kind
    title: str
    status: Status
    severity: Severity = "minor"
    origin: Origin = "person"
    is_draft: bool = False
    publish_at: int | None = None
    scheduled_for: int | None = None
    scheduled_until: int | None = None
    started_at: int = 0
    monitoring_at: int | None = None
    resolved_at: int | None = None
    created_at: int = 0
    updated_at: int = 0
    updates: tuple[IncidentUpdate, ...] = ()
    affected: tuple[AffectedComponent, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether it is not over."""
        return self.status not in ENDED

    @property
    def is_active(self) -> bool:
        """Whether it affects its components now: drafts and maintenance that has not started do not."""
        return self.is_open and not self.is_draft and self.status != "scheduled"
