"""Components and groups of status pages over RPC (wire 9.3). Scope: write:status_pages."""

from collections.abc import Callable
from functools import partial

from msgspec import UnsetType

from analytics_box.base import errors
from analytics_box.base.store.db import Connection
from analytics_box.products.status_pages import page
from analytics_box.products.status_pages.access import find_reachable_page, save
from analytics_box.products.status_pages.editing import components
from analytics_box.products.status_pages.editing.messages import (
    AddComponent,
    AddComponentGroup,
    ComponentGroupId,
    ComponentId,
    ReorderComponents,
    StatusPageMonitorInput,
    UpdateComponent,
    UpdateComponentGroup,
    UpdateMonitorSettings,
)
from analytics_box.products.status_pages.editing.shown import (
    ComponentAnswer,
    ComponentGroupAnswer,
    component_shown,
    group_shown,
)
from analytics_box.products.status_pages.page import Component, ComponentGroup
from analytics_box.products.status_pages.rows import COMPONENTS, GROUPS
from analytics_box.resource.fields import values_of
from analytics_box.resource.reach import Reach
from analytics_box.tenants.tenancy.messages import Success
from analytics_box.web.call import Call


async def add_monitor(call: Call, given: StatusPageMonitorInput) -> ComponentAnswer:
    """statusPage.addMonitor: add a monitor as a component. Raises NotFound, Forbidden, BadRequest or Conflict."""
    own, _rest = find_reachable_page(call, given.statusPageId)
    page_id, monitor_id = given.statusPageId, given.uptimeScheduleId
    made = await save(call.parts, page_id, lambda db: components.add(db, own, page_id, {}, monitor_id), adds=True)
    return component_shown(call, own.organization_id, made)


async def remove_monitor(call: Call, given: StatusPageMonitorInput) -> Success:
    """statusPage.removeMonitor: remove a monitor's component. Raises NotFound or Forbidden.

    The monitor stays.
    """
    own, _rest = find_reachable_page(call, given.statusPageId)
    page_id, monitor_id = given.statusPageId, given.uptimeScheduleId
    await save(call.parts, page_id, lambda db: components.remove_monitor(db, own, page_id, monitor_id))
    return Success()


async def update_monitor_settings(call: Call, given: UpdateMonitorSettings) -> ComponentAnswer:
    """statusPage.updateMonitorSettings: update a monitor's component. Raises NotFound, Forbidden or BadRequest.

    Omitted fields keep their values.
    """
    own, page_id = await _of_component(call, given.monitor_id)
    values = values_of(given, Component)
    if not isinstance(given.display_name, UnsetType):
        values["name"] = page.display_name(given.display_name or "")
    changed = await save(call.parts, page_id, lambda db: components.update(db, own, given.monitor_id, values))
    return component_shown(call, own.organization_id, changed)


async def add_component(call: Call, given: AddComponent) -> ComponentAnswer:
    """statusPage.addComponent: add a component, with a monitor or set by hand. Raises NotFound, Forbidden, BadRequest
    or Conflict."""
    own, _rest = find_reachable_page(call, given.status_page_id)
    values = values_of(given, Component)
    work = partial(
        components.add, own=own, page_id=given.status_page_id, values=values, monitor_id=given.uptime_schedule_id
    )
    made = await save(call.parts, given.status_page_id, work, adds=True)
    return component_shown(call, own.organization_id, made)


async def update_component(call: Call, given: UpdateComponent) -> ComponentAnswer:
    """statusPage.updateComponent: update a component. Raises NotFound, Forbidden or BadRequest.

    Omitted fields keep their values.
    """
    own, page_id = await _of_component(call, given.component_id)
    values = values_of(given, Component)
    changed = await save(call.parts, page_id, lambda db: components.update(db, own, given.component_id, values))
    return component_shown(call, own.organization_id, changed)


async def remove_component(call: Call, given: ComponentId) -> Success:
    """statusPage.removeComponent: remove a component. Raises NotFound or Forbidden.

    Past incidents keep its name.
    """
    own, page_id = await _of_component(call, given.componentId)
    await save(call.parts, page_id, lambda db: components.remove(db, own, given.componentId))
    return Success()


async def add_group(call: Call, given: AddComponentGroup) -> ComponentGroupAnswer:
    """statusPage.addGroup: add a group of components. Raises NotFound, Forbidden, BadRequest or Conflict."""
    own, _rest = find_reachable_page(call, given.status_page_id)
    values = values_of(given, ComponentGroup)
    work = partial(
        components.add_group,
        own=own,
        page_id=given.status_page_id,
        values=values,
        component_ids=given.component_ids,
    )
    made = await save(call.parts, given.status_page_id, work, adds=True)
    return group_shown(made)


async def update_group(call: Call, given: UpdateComponentGroup) -> ComponentGroupAnswer:
    """statusPage.updateGroup: update a group. Raises NotFound, Forbidden or BadRequest.

    Omitted fields keep their values.
    """
    own, page_id = await _of_group(call, given.group_id)
    values = values_of(given, ComponentGroup)
    work = partial(components.update_group, own=own, group_id=given.group_id, values=values)
    return group_shown(await save(call.parts, page_id, work))


async def remove_group(call: Call, given: ComponentGroupId) -> Success:
    """statusPage.removeGroup: remove a group. Raises NotFound or Forbidden.

    Its components stay.
    """
    own, page_id = await _of_group(call, given.groupId)
    await save(call.parts, page_id, lambda db: components.remove_group(db, own, given.groupId))
    return Success()


async def reorder(call: Call, given: ReorderComponents) -> Success:
    """statusPage.reorder: set the order of groups and components. Raises NotFound, Forbidden or BadRequest."""
    own, _rest = find_reachable_page(call, given.statusPageId)
    page_id = given.statusPageId
    await save(call.parts, page_id, lambda db: components.reorder(db, own, page_id, given.order))
    return Success()


async def _of_component(call: Call, component_id: str) -> tuple[Reach, str]:
    return await _of(call, lambda db: COMPONENTS.find(db, component_id), "statusPageComponent", component_id)


async def _of_group(call: Call, group_id: str) -> tuple[Reach, str]:
    return await _of(call, lambda db: GROUPS.find(db, group_id), "statusPageGroup", group_id)


async def _of(
    call: Call,
    find: Callable[[Connection], Component | ComponentGroup | None],
    part: errors.ResourceType,
    part_id: str,
) -> tuple[Reach, str]:
    """The caller's reach, and the page that this component or group is a part of. Raises NotFound, Forbidden or
    AuthRequired.
    """
    found = await call.read(find)
    if found is None:
        raise errors.NotFound.of(part, part_id)
    try:
        own, _rest = find_reachable_page(call, found.page_id)
    except errors.NotFound as refused:
        raise errors.NotFound.of(part, part_id) from refused
    return own, found.page_id
