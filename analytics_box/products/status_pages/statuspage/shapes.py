"""The shapes of Atlassian Statuspage's read API, version 2. Pure. Names are its own, dates are ISO 8601 in UTC."""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from analytics_box.products.status_pages.page import ComponentStatus
from analytics_box.products.status_pages.seen import Indicator


class AtlassianPage(Struct, frozen=True):
    """The page, with which every answer begins."""

    id: str
    name: str
    url: str
    time_zone: str
    updated_at: str


class AtlassianStatus(Struct, frozen=True):
    """The status of the whole page, as one word and as one sentence."""

    indicator: Indicator
    description: str


class AtlassianComponent(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A component, or a group of them: that has `components`, the ids of its own, and they its id as `group_id`."""

    id: str
    name: str
    status: ComponentStatus
    created_at: str
    updated_at: str
    position: int
    description: str | None
    showcase: bool
    start_date: str | None
    group_id: str | None
    page_id: str
    group: bool
    only_show_if_degraded: bool
    components: list[str] | None = None


class AtlassianAffectedComponent(Struct, frozen=True):
    """The change that an update made to a component; `code` is its id."""

    code: str
    name: str
    old_status: ComponentStatus
    new_status: ComponentStatus


class AtlassianIncidentUpdate(Struct, frozen=True, kw_only=True):
    """An incident update. `body` is Markdown."""

    id: str
    status: str
    body: str
    incident_id: str
    created_at: str
    updated_at: str
    display_at: str
    affected_components: list[AtlassianAffectedComponent] | None
    deliver_notifications: bool
    custom_tweet: None = None
    tweet_id: None = None


class AtlassianIncident(Struct, frozen=True, kw_only=True):
    """An incident, or a maintenance with the times for which it is planned; `components` are as they are now."""

    id: str
    name: str
    status: str
    created_at: str
    updated_at: str
    monitoring_at: str | None
    resolved_at: str | None
    impact: Literal["minor", "major", "critical", "maintenance"]
    shortlink: str
    started_at: str
    page_id: str
    incident_updates: list[AtlassianIncidentUpdate]
    components: list[AtlassianComponent]
    scheduled_for: str | UnsetType = UNSET
    scheduled_until: str | UnsetType = UNSET


class StatusAnswer(Struct, frozen=True):
    page: AtlassianPage
    status: AtlassianStatus


class ComponentsAnswer(Struct, frozen=True):
    page: AtlassianPage
    components: list[AtlassianComponent]


class IncidentsAnswer(Struct, frozen=True):
    page: AtlassianPage
    incidents: list[AtlassianIncident]


class MaintenancesAnswer(Struct, frozen=True):
    page: AtlassianPage
    scheduled_maintenances: list[AtlassianIncident]


class AtlassianSummary(Struct, frozen=True):
    page: AtlassianPage
    components: list[AtlassianComponent]
    incidents: list[AtlassianIncident]
    scheduled_maintenances: list[AtlassianIncident]
    status: AtlassianStatus


Answer = StatusAnswer | ComponentsAnswer | IncidentsAnswer | MaintenancesAnswer | AtlassianSummary
