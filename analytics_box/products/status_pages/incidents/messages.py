"""Input and answers of procedures of incidents and maintenances (wire 9.3)."""

from datetime import datetime
from typing import Annotated, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from analytics_box.products.status_pages.incident import (
    LONGEST_MESSAGE,
    Impact,
    Incident,
    IncidentTemplate,
    Kind,
    Origin,
    Severity,
    Status,
)
from analytics_box.products.status_pages.page import MOST_COMPONENTS
from analytics_box.resource.fields import answer_with, input_of

MOST_LISTED = 500
_TIMES: Final = ("scheduled_for", "scheduled_until")

Id = Annotated[str, Meta(min_length=1, max_length=255)]
Zoned = Annotated[datetime, Meta(tz=True)]
Message = Annotated[str, Meta(max_length=LONGEST_MESSAGE)]


class AffectedComponentInput(Struct, frozen=True, forbid_unknown_fields=True):
    """A component of the page, and the impact on it."""

    statusPageMonitorId: Id
    impact: Impact = "degraded"


Affects = Annotated[tuple[AffectedComponentInput, ...], Meta(max_length=MOST_COMPONENTS)]
Touches = Annotated[tuple[Id, ...], Meta(max_length=MOST_COMPONENTS)]


@input_of(Incident, needed=("title",), without=_TIMES)
class CreateIncident(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """Input of statusPage.createIncident. Only members see a `draft`.

    With `notify`, subscribers are notified.
    """

    status_page_id: Id
    message: Message
    status: Literal["investigating", "identified", "monitoring"] = "investigating"
    affected_monitors: Affects = ()
    draft: bool = False
    notify: bool = True


@input_of(Incident, without=_TIMES)
class UpdateIncident(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """Input of statusPage.updateIncident: an update with its status. Omitted fields keep their values;
    `affectedMonitors` replaces the affected components."""

    incident_id: Id
    status: Literal["investigating", "identified", "monitoring", "resolved", "postmortem"]
    message: Message
    affected_monitors: Affects | UnsetType = UNSET
    notify: bool = True


@input_of(Incident, needed=("title",), without=("severity",))
class CreatePageMaintenance(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """Input of statusPage.createMaintenance: a plan with its times and components."""

    status_page_id: Id
    message: Message
    scheduled_for: Zoned
    scheduled_until: Zoned
    affected_monitors: Touches = ()
    draft: bool = False
    notify: bool = True


@input_of(Incident, without=("severity",))
class UpdatePageMaintenance(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """Input of statusPage.updateMaintenance. Omitted fields keep their values.

    With a `message` or a `status` it is an update.
    """

    maintenance_id: Id
    status: Literal["scheduled", "in_progress", "verifying", "completed"] | UnsetType = UNSET
    message: Message = ""
    scheduled_for: Zoned | UnsetType = UNSET
    scheduled_until: Zoned | UnsetType = UNSET
    affected_monitors: Touches | UnsetType = UNSET
    notify: bool = True


class CancelPageMaintenance(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """Input of statusPage.cancelMaintenance. Without a message one is written."""

    maintenance_id: Id
    message: Message = ""
    notify: bool = True


class IncidentId(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that names an incident or a maintenance."""

    incidentId: Id


class PublishIncident(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of statusPage.publishIncident."""

    incidentId: Id
    notify: bool = True


class EditIncidentUpdate(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of statusPage.editIncidentUpdate. The earlier text is kept."""

    updateId: Id
    message: Message


class ListIncidents(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """Input of statusPage.listIncidents and listMaintenances: newest first, those that started before `before`."""

    status_page_id: Id
    before: Zoned | None = None
    limit: Annotated[int, Meta(ge=1, le=MOST_LISTED)] = 100


class ListIncidentTemplates(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that names a status page."""

    statusPageId: Id


@input_of(IncidentTemplate, needed=("name",))
class SaveIncidentTemplate(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """Input of statusPage.saveTemplate: create a template, or replace the one with this `templateId`."""

    status_page_id: Id
    template_id: Id | None = None


class IncidentTemplateId(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that names a template."""

    templateId: Id


class AffectedComponentAnswer(Struct, frozen=True, rename="camel"):
    """An affected component; one without an id was removed from the page."""

    status_page_monitor_id: str | None
    monitor_name: str
    impact: Impact


class EarlierTextAnswer(Struct, frozen=True, rename="camel"):
    """The text of an update before an edit."""

    message: str
    replaced_at: datetime
    author: str


class IncidentUpdateAnswer(Struct, frozen=True, kw_only=True, rename="camel"):
    """An update. `at` is its effective time; `author` is empty for automatic updates. `earlier` has earlier texts, in
    the answer about a single incident."""

    id: str
    status: Status
    message: str
    at: datetime
    created_at: datetime
    updated_at: datetime
    notified: bool
    author: str
    affected_monitors: tuple[AffectedComponentAnswer, ...]
    earlier: tuple[EarlierTextAnswer, ...] = ()


@answer_with(Incident)
class IncidentAnswer(Struct, frozen=True, kw_only=True, rename="camel"):
    """An incident or a maintenance with its updates, newest first. `next` are the possible next statuses.

    `affectedMonitors` are the current impacts; of an ended incident, the worst ones.
    """

    id: str
    status_page_id: str
    kind: Kind
    title: str
    status: Status
    severity: Severity
    origin: Origin
    is_draft: bool
    publish_at: datetime | None
    started_at: datetime
    monitoring_at: datetime | None
    resolved_at: datetime | None
    created_at: datetime
    updated_at: datetime
    updates: tuple[IncidentUpdateAnswer, ...]
    affected_monitors: tuple[AffectedComponentAnswer, ...]
    next: tuple[Status, ...]


class DeleteIncidentAnswer(Struct, frozen=True):
    """The answer to a deletion (wire 9.3)."""

    deleted: bool = True


@answer_with(IncidentTemplate)
class IncidentTemplateAnswer(Struct, frozen=True, kw_only=True, rename="camel"):
    """A template for new incidents."""

    id: str
    name: str
    title: str
    severity: Severity
    message: str
    created_at: datetime
