"""Input of procedures of status pages (wire 9.3)."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType, field

from analytics_box.products.status_pages.page import (
    LONGEST_NAME,
    MOST_COMPONENTS,
    MOST_GROUPS,
    Component,
    ComponentGroup,
    Id,
    Order,
    StatusPage,
)
from analytics_box.resource.fields import input_of

PictureUrl = Annotated[str, Meta(max_length=2_048)] | UnsetType | None


class StatusPageOrganizationInput(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that can name an organization. The default is the caller's."""

    organizationId: Id | None = None


class StatusPageId(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that names a status page."""

    statusPageId: Id


@input_of(StatusPage, needed=("name", "slug"))
class CreateStatusPage(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """Input of statusPage.create. The page starts with a component for each of `uptimeScheduleIds`; on a page that is
    not published, the components hide their hosts.

    URLs start with https://. The images at `logoUrl` and `faviconUrl` are fetched once and served by the server. Days
    start in `timeZone`. `domain` is a verified domain of the organization. Visitors must enter the `password`.
    `automaticIncidents` opens incidents for monitors that go down: published after `publishAfterMinutes`, or as drafts.
    If `isPublished` is false, only members see the page.
    """

    organization_id: Id | None = None
    uptime_schedule_ids: Annotated[tuple[Id, ...], Meta(max_length=MOST_COMPONENTS)] = ()
    logo_url: PictureUrl = UNSET
    favicon_url: PictureUrl = UNSET


@input_of(StatusPage)
class UpdateStatusPage(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """Input of statusPage.update. Omitted fields keep their values; null empties a field."""

    status_page_id: Id
    logo_url: PictureUrl = UNSET
    favicon_url: PictureUrl = UNSET


class TransferStatusPage(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of statusPage.transfer. Without its monitors the page loses their components."""

    statusPageId: Id
    targetOrganizationId: Id
    includeMonitors: bool = True


class StatusPageMonitorInput(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that names a monitor on a status page."""

    statusPageId: Id
    uptimeScheduleId: Id


class UpdateMonitorSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """Input of statusPage.updateMonitorSettings. `monitorId` is the id of the component, not of its monitor. Omitted
    fields keep their values; an empty `displayName` is the monitor's name."""

    monitor_id: Id
    display_name: Annotated[str, Meta(max_length=LONGEST_NAME)] | UnsetType | None = UNSET
    hide_url: bool | UnsetType = UNSET
    hide_uptime: bool | UnsetType = field(default=UNSET, name="hideUptimePercentage")
    hide_latency: bool | UnsetType = UNSET
    position: Order | UnsetType = field(default=UNSET, name="order")


@input_of(Component)
class AddComponent(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """Input of statusPage.addComponent. A component with a monitor needs no name; only a component without one has a
    `status`."""

    status_page_id: Id
    uptime_schedule_id: Id | None = None


@input_of(Component)
class UpdateComponent(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """Input of statusPage.updateComponent. Omitted fields keep their values; the monitor stays."""

    component_id: Id


class ComponentId(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that names a component."""

    componentId: Id


@input_of(ComponentGroup, needed=("name",))
class AddComponentGroup(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """Input of statusPage.addGroup. The components of `componentIds` are moved into it."""

    status_page_id: Id
    component_ids: Annotated[tuple[Id, ...], Meta(max_length=MOST_COMPONENTS)] = ()


@input_of(ComponentGroup)
class UpdateComponentGroup(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """Input of statusPage.updateGroup. Omitted fields keep their values."""

    group_id: Id


class ComponentGroupId(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that names a group."""

    groupId: Id


class ReorderComponents(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of statusPage.reorder: ids of groups and components. Those that are not named follow in their order."""

    statusPageId: Id
    order: Annotated[tuple[Id, ...], Meta(min_length=1, max_length=MOST_COMPONENTS + MOST_GROUPS)]
