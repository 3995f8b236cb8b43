"""Incidents, maintenances and templates for them: their fields, each declared once. Pure."""

import unicodedata
from collections.abc import Mapping
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _
from analytics_box.resource.fields import Field, Instant, Stamp

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
_LINES: Final = frozenset("\n\t")
_NOWHERE: Final = frozenset("\ufffe\uffff")  # in no XML


def clean_title(given: str) -> str:
    """A title as one line. Raises BadRequest for an empty one."""
    text = " ".join(given.split())
    if not text or not _is_text(text):
        raise BadRequest(_("Enter a title"))
    return text


def clean_name(given: str) -> str:
    """The name of a template on one line. Raises BadRequest for an empty one."""
    text = " ".join(given.split())
    if not text or not _is_text(text):
        raise BadRequest(_("Enter a name"))
    return text


def clean_message(given: str) -> str:
    """Markdown of one or more lines. Raises BadRequest for an empty one."""
    text = clean_text(given)
    if not text:
        raise BadRequest.about("message", _("Enter a message"))
    return text


def clean_text(given: str) -> str:
    """Markdown, or nothing. Raises BadRequest for control characters."""
    text = given.replace("\r\n", "\n").replace("\r", "\n").strip()
    if not _is_text(text):
        raise BadRequest.about("message", _("Enter a text without control characters"))
    return text


def _is_text(text: str) -> bool:
    return not any(
        letter in _NOWHERE or (letter not in _LINES and unicodedata.category(letter) in {"Cc", "Cs"}) for letter in text
    )


Title = Annotated[str, Meta(max_length=LONGEST_TITLE), Field(clean=clean_title)]


class AffectedComponent(Struct, frozen=True, kw_only=True):
    """A component and the impact of an incident on it. `name` is its name at that time; a removed component has no
    `component_id`."""

    component_id: str | None
    name: str
    impact: Impact


class IncidentUpdate(Struct, frozen=True, kw_only=True, rename="camel"):
    """An update of an incident. Only its `message` can change; earlier texts are kept. `sent` counts the subscribers
    that it reached.

    `at` is its effective time (UTC ms), `affected` are the impacts from then on. `author` is empty for automatic
    updates. `notified` is whether subscribers were notified.
    """

    id: str
    incident_id: str
    status: Status
    message: str
    at: Stamp
    created_at: Stamp
    updated_at: Stamp
    notified: bool = True
    affected: tuple[AffectedComponent, ...] = ()
    author: str = ""
    number: int = 0
    sent: int = 0


class Incident(Struct, frozen=True, kw_only=True, rename="camel"):
    """An incident, or a maintenance with `scheduled_for` and `scheduled_until`. Times are UTC ms, None for not yet.

    `updates` are newest first, `affected` are the current impacts. Only members see a draft; `publish_at` is when an
    automatic draft is published.
    """

    id: str
    page_id: str
    kind: Kind
    title: Title
    status: Status
    severity: Annotated[Severity, Field()] = "minor"
    origin: Origin = "person"
    is_draft: bool = False
    publish_at: Stamp | None = None
    scheduled_for: Instant | None = None
    scheduled_until: Instant | None = None
    started_at: Stamp = 0
    monitoring_at: Stamp | None = None
    resolved_at: Stamp | None = None
    created_at: Stamp = 0
    updated_at: Stamp = 0
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


class IncidentTemplate(Struct, frozen=True, kw_only=True, rename="camel"):
    """A template for new incidents. Times are UTC ms."""

    id: str
    page_id: str
    name: Annotated[str, Meta(max_length=120), Field(clean=clean_name)] = ""
    title: Annotated[
        str, Meta(max_length=LONGEST_TITLE), Field(clean=lambda text: clean_title(text) if text.strip() else "")
    ] = ""
    severity: Annotated[Severity, Field()] = "minor"
    message: Annotated[str, Meta(max_length=LONGEST_MESSAGE), Field(clean=clean_text)] = ""
    created_at: Stamp = 0
