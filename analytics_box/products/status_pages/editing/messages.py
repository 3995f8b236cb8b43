"""Input of procedures of status pages (wire 9.3)."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType, field

from analytics_box.products.status_pages.messages import Id
from analytics_box.products.status_pages.page import (
    LONGEST_DESCRIPTION,
    LONGEST_NAME,
    LONGEST_SLUG,
    MOST_COMPONENTS,
    MOST_GROUPS,
    ComponentStatus,
    Policy,
    Theme,
)

LATEST_ORDER = 100_000  # a place on a page

Name = Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)]
DisplayName = Annotated[str, Meta(max_length=LONGEST_NAME)]
Slug = Annotated[str, Meta(min_length=1, max_length=LONGEST_SLUG)]
Description = Annotated[str, Meta(max_length=LONGEST_DESCRIPTION)]
Url = Annotated[str, Meta(max_length=2_048)]
Order = Annotated[int, Meta(ge=0, le=LATEST_ORDER)]


class StatusPageFields(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """The fields of a status page. Omitted fields keep their values; null empties a field.

    URLs start with https://. The images at `logoUrl` and `faviconUrl` are fetched once and served by the server. Days
    start in `timeZone`. `domain` is a verified domain of the organization. Visitors must enter the `password`.
    `automaticIncidents` opens incidents for monitors that go down: published after `publishAfterMinutes`, or as drafts.
    If `isPublished` is false, only members see the page.
    """

    description: Description | UnsetType | None = UNSET
    logo_url: Url | UnsetType | None = UNSET
    favicon_url: Url | UnsetType | None = UNSET
    website_url: Url | UnsetType | None = UNSET
    support_url: Url | UnsetType | None = UNSET
    theme: Theme | UnsetType | None = UNSET
    zone: Annotated[str, Meta(max_length=64)] | UnsetType = field(default=UNSET, name="timeZone")
    domain: Annotated[str, Meta(max_length=255)] | UnsetType | None = UNSET
    password: Annotated[str, Meta(min_length=1, max_length=200)] | UnsetType | None = UNSET
    indexed: bool | UnsetType = field(default=UNSET, name="isIndexed")
    subscribable: bool | UnsetType = field(default=UNSET, name="isSubscribable")
    automatic: Policy | UnsetType = field(default=UNSET, name="automaticIncidents")
    publish_after: Annotated[int, Meta(ge=0, le=1_440)] | UnsetType = field(default=UNSET, name="publishAfterMinutes")
    published: bool | UnsetType = field(default=UNSET, name="isPublished")


class CreateStatusPage(StatusPageFields, frozen=True, kw_only=True):
    """Input of statusPage.create. The page starts with a component for each of `uptimeScheduleIds`; on a page that is
    not published, the components hide their hosts."""

    name: Name
    slug: Slug
    uptime_schedule_ids: Annotated[tuple[Id, ...], Meta(max_length=MOST_COMPONENTS)] = ()
    organization_id: Id | None = None


class UpdateStatusPage(StatusPageFields, frozen=True, kw_only=True):
    """Input of statusPage.update."""

    status_page_id: Id
    name: Name | UnsetType = UNSET
    slug: Slug | UnsetType = UNSET


class TransferStatusPage(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of statusPage.transfer. Without its monitors the page loses their components."""

    statusPageId: Id
    targetOrganizationId: Id
    includeMonitors: bool = True


class StatusPageMonitorInput(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that names a monitor on a status page."""

    statusPageId: Id
    uptimeScheduleId: Id


class ComponentFields(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """The visible fields of a component, and its place. Omitted fields stay unchanged."""

    hide_url: bool | UnsetType = UNSET
    hide_uptime: bool | UnsetType = field(default=UNSET, name="hideUptimePercentage")
    hide_latency: bool | UnsetType = UNSET
    position: Order | UnsetType = field(default=UNSET, name="order")


class UpdateMonitorSettings(ComponentFields, frozen=True, kw_only=True):
    """Input of statusPage.updateMonitorSettings. `monitorId` is the id of the component, not of what it watches; an
    empty `displayName` is the monitor's own."""

    monitor_id: Id
    display_name: DisplayName | UnsetType | None = UNSET


class FullComponentFields(ComponentFields, frozen=True, kw_only=True):
    """Further fields of a component. Only one without a monitor has a `status` of its own."""

    description: Description | UnsetType | None = UNSET
    group_id: Id | UnsetType | None = UNSET
    only_if_degraded: bool | UnsetType = field(default=UNSET, name="onlyShowIfDegraded")
    status: ComponentStatus | UnsetType = UNSET


class AddComponent(FullComponentFields, frozen=True, kw_only=True):
    """Input of statusPage.addComponent. With a monitor it needs no name."""

    status_page_id: Id
    name: DisplayName = ""
    uptime_schedule_id: Id | None = None


class UpdateComponent(FullComponentFields, frozen=True, kw_only=True):
    """Input of statusPage.updateComponent. It stays with its monitor."""

    component_id: Id
    name: DisplayName | UnsetType | None = UNSET


class ComponentId(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that names a component."""

    componentId: Id


class AddComponentGroup(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """Input of statusPage.addGroup. The components of `componentIds` come into it."""

    status_page_id: Id
    name: Name
    description: Description | None = None
    component_ids: Annotated[tuple[Id, ...], Meta(max_length=MOST_COMPONENTS)] = ()


class UpdateComponentGroup(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """Input of statusPage.updateGroup. What is not given stays."""

    group_id: Id
    name: Name | UnsetType = UNSET
    description: Description | UnsetType | None = UNSET
    position: Order | UnsetType = field(default=UNSET, name="order")


class ComponentGroupId(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that names a group."""

    groupId: Id


class ReorderComponents(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of statusPage.reorder: ids of groups and components. Those that are not named follow as they stood."""

    statusPageId: Id
    order: Annotated[tuple[Id, ...], Meta(min_length=1, max_length=MOST_COMPONENTS + MOST_GROUPS)]
