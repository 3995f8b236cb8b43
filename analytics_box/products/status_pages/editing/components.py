"""Components and groups of a status page: each verb writes its rows and audit entries in the caller's transaction.

Whoever calls one does so by `status_pages.saving.save`.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from analytics_box.base import audit, errors, ids
from analytics_box.base.errors import BadRequest, Conflict
from analytics_box.base.store.db import Connection
from analytics_box.products.monitors.lookup import known_monitor
from analytics_box.products.status_pages import rows
from analytics_box.products.status_pages.access import existing
from analytics_box.products.status_pages.editing.draft import check_component, clean_name
from analytics_box.products.status_pages.editing.messages import (
    AddComponent,
    AddComponentGroup,
    FullComponentFields,
    UpdateComponent,
    UpdateComponentGroup,
    UpdateMonitorSettings,
)
from analytics_box.products.status_pages.page import MOST_COMPONENTS, MOST_GROUPS, Component, ComponentGroup
from analytics_box.products.status_pages.whole import Whole
from analytics_box.resource.reach import Reach, check

UNKNOWN_COMPONENT: Final = "There is no component with this id"
UNKNOWN_MONITOR: Final = "There is no monitor with this id in the organization of the status page"
NOT_ON_PAGE: Final = "This monitor is not on the status page"
COMPONENT, GROUP = "status page component", "status page group"
_PLAIN: Final = ("hide_url", "hide_uptime", "hide_latency", "position")


def blank(page_id: str, now: int, *, monitor_id: str | None = None) -> Component:
    """A new component that is stored nowhere."""
    return Component(id=ids.new_id(), page_id=page_id, monitor_id=monitor_id, created_at=now, updated_at=now)


def add_monitor(db: Connection, own: Reach, page_id: str, monitor_id: str) -> Component:
    """A component of a monitor at the end of the page. Raises Forbidden, NotFound, BadRequest or Conflict."""
    check(db, own, "member")
    existing(db, own, page_id)
    made = insert(db, own, page_id, blank(page_id, own.by.now, monitor_id=monitor_id))
    _record(db, own, COMPONENT, made, "created", {"statusPageId": page_id, "uptimeScheduleId": monitor_id})
    return made


def add(db: Connection, own: Reach, given: AddComponent) -> Component:
    """Another component, with a monitor or without. Raises Forbidden, NotFound, BadRequest or Conflict."""
    check(db, own, "member")
    page_id = given.status_page_id
    existing(db, own, page_id)
    made = blank(page_id, own.by.now, monitor_id=given.uptime_schedule_id)
    made = _apply_input(db, replace(made, name=_display_name(given.name)), given)
    made = insert(db, own, page_id, made, at_end=given.position is UNSET)
    detail = {"statusPageId": page_id, "uptimeScheduleId": made.monitor_id}
    _record(db, own, COMPONENT, made, "created", detail)
    return made


def insert(db: Connection, own: Reach, page_id: str, made: Component, *, at_end: bool = True) -> Component:
    """Store a component on a page of the organization. Raises NotFound, BadRequest or Conflict."""
    check_component(made)
    if made.monitor_id is not None:
        found = known_monitor(db, made.monitor_id)
        if found is None or found[1] != own.organization_id:
            raise errors.NotFound.of("schedule", made.monitor_id, UNKNOWN_MONITOR)
    whole = _whole(db, page_id)
    if len(whole.components) >= MOST_COMPONENTS:
        raise Conflict.full(
            "statusPageComponents",
            MOST_COMPONENTS,
            f"A status page can have up to {MOST_COMPONENTS} components; remove one first",
        )
    placed = replace(made, position=_end(whole)) if at_end else made
    rows.insert_component(db, placed)
    return placed


def update(db: Connection, own: Reach, given: UpdateComponent | UpdateMonitorSettings) -> Component:
    """Another state of a component; what is not given stays. Raises Forbidden, NotFound or BadRequest."""
    check(db, own, "member")
    component_id = given.component_id if isinstance(given, UpdateComponent) else given.monitor_id
    before = component(db, own, component_id)
    name = given.name if isinstance(given, UpdateComponent) else given.display_name
    after = before if isinstance(name, UnsetType) else replace(before, name=_display_name(name))
    after = _apply_input(db, after, given)
    check_component(after)
    changes = audit.difference(before, after)
    if changes:
        after = replace(after, updated_at=own.by.now)
        rows.update_component(db, after)
        _record(db, own, COMPONENT, after, "updated", changes)
    return after


def remove_monitor(db: Connection, own: Reach, page_id: str, monitor_id: str) -> Component:
    """The monitor is not on the page any more. Raises Forbidden or NotFound."""
    check(db, own, "member")
    existing(db, own, page_id)
    found = next((one for one in _whole(db, page_id).components if one.monitor_id == monitor_id), None)
    if found is None:
        raise errors.NotFound.of("schedule", monitor_id, NOT_ON_PAGE)
    return _remove(db, own, found)


def remove(db: Connection, own: Reach, component_id: str) -> Component:
    """The component is gone; incidents keep its name. Raises Forbidden or NotFound."""
    check(db, own, "member")
    return _remove(db, own, component(db, own, component_id))


def add_group(db: Connection, own: Reach, given: AddComponentGroup) -> ComponentGroup:
    """A group at the end of the page, with the components that come into it.

    Raises Forbidden, NotFound, BadRequest or Conflict.
    """
    check(db, own, "member")
    page_id, now = given.status_page_id, own.by.now
    existing(db, own, page_id)
    whole = _whole(db, page_id)
    if len(whole.groups) >= MOST_GROUPS:
        raise Conflict.full(
            "statusPageGroups", MOST_GROUPS, f"A status page can have up to {MOST_GROUPS} groups; remove one first"
        )
    made = ComponentGroup(
        id=ids.new_id(),
        page_id=page_id,
        name=clean_name(given.name),
        description=(given.description or "").strip(),
        position=_end(whole),
        created_at=now,
        updated_at=now,
    )
    rows.insert_group(db, made)
    by_id = {one.id: one for one in whole.components}
    for component_id in given.component_ids:
        if component_id not in by_id:
            raise BadRequest.about("componentIds", UNKNOWN_COMPONENT)
        rows.update_component(db, replace(by_id[component_id], group_id=made.id, updated_at=now))
    _record(db, own, GROUP, made, "created", {"statusPageId": page_id, "components": list(given.component_ids)})
    return made


def update_group(db: Connection, own: Reach, given: UpdateComponentGroup) -> ComponentGroup:
    """Another state of a group; what is not given stays. Raises Forbidden, NotFound or BadRequest."""
    check(db, own, "member")
    before = group(db, own, given.group_id)
    said: dict[str, Any] = {}
    if not isinstance(given.name, UnsetType):
        said["name"] = clean_name(given.name)
    if not isinstance(given.description, UnsetType):
        said["description"] = (given.description or "").strip()
    if not isinstance(given.position, UnsetType):
        said["position"] = given.position
    after = replace(before, **said)
    changes = audit.difference(before, after)
    if changes:
        after = replace(after, updated_at=own.by.now)
        rows.update_group(db, after)
        _record(db, own, GROUP, after, "updated", changes)
    return after


def remove_group(db: Connection, own: Reach, group_id: str) -> ComponentGroup:
    """The group is gone; its components stay on the page. Raises Forbidden or NotFound."""
    check(db, own, "member")
    gone = group(db, own, group_id)
    rows.delete_group(db, gone.id)
    _record(db, own, GROUP, gone, "deleted", {"statusPageId": gone.page_id})
    return gone


def reorder(db: Connection, own: Reach, page_id: str, order: Iterable[str]) -> None:
    """Groups and components stand in this order; those that are not named follow as they stood.

    Raises Forbidden, NotFound or BadRequest.
    """
    check(db, own, "member")
    page = existing(db, own, page_id)
    standing = in_order(_whole(db, page_id))
    wanted = list(dict.fromkeys(order))
    if not {*wanted} <= {*standing}:
        raise BadRequest.about("order", "Send all groups and components of the status page")
    after = [*wanted, *(each for each in standing if each not in {*wanted})]
    if after != standing:
        rows.place(db, page_id, after)
        detail = {"name": page.name, "order": after}
        audit.record(db, own.by, own.organization_id, "updated", "status page", page_id, detail)


def in_order(whole: Whole) -> list[str]:
    """The ids of all groups and components as they stand."""
    standing: list[ComponentGroup | Component] = [*whole.groups, *whole.components]
    return [one.id for one in sorted(standing, key=lambda one: (one.position, one.created_at, one.id))]


def component(db: Connection, own: Reach, component_id: str) -> Component:
    """A component of the organization's pages. Raises NotFound."""
    found = rows.component(db, component_id)
    if found is None or not _owns(db, own, found.page_id):
        raise errors.NotFound.of("statusPageComponent", component_id)
    return found


def group(db: Connection, own: Reach, group_id: str) -> ComponentGroup:
    """A group of the organization's pages. Raises NotFound."""
    found = rows.group(db, group_id)
    if found is None or not _owns(db, own, found.page_id):
        raise errors.NotFound.of("statusPageGroup", group_id)
    return found


def _owns(db: Connection, own: Reach, page_id: str) -> bool:
    page = rows.find(db, page_id)
    return page is not None and page.organization_id == own.organization_id


def _apply_input(
    db: Connection, component: Component, given: AddComponent | UpdateComponent | UpdateMonitorSettings
) -> Component:
    said: dict[str, Any] = {name: getattr(given, name) for name in _PLAIN if getattr(given, name) is not UNSET}
    if isinstance(given, FullComponentFields):
        said |= _more(db, component, given)
    return replace(component, **said)


def _more(db: Connection, component: Component, given: FullComponentFields) -> dict[str, Any]:
    said: dict[str, Any] = {}
    if not isinstance(given.only_if_degraded, UnsetType):
        said["only_if_degraded"] = given.only_if_degraded
    if not isinstance(given.description, UnsetType):
        said["description"] = (given.description or "").strip()
    if not isinstance(given.group_id, UnsetType):
        into = rows.group(db, given.group_id) if given.group_id is not None else None
        if given.group_id is not None and (into is None or into.page_id != component.page_id):
            raise BadRequest.about("groupId", "There is no group with this id on the status page")
        said["group_id"] = given.group_id
    if not isinstance(given.status, UnsetType):
        if component.monitor_id is not None:
            raise BadRequest.about("status", "This component has a monitor, which sets its status")
        said["status"] = given.status
    return said


def _display_name(given: str | None) -> str:
    return clean_name(given) if given and given.strip() else ""


def _whole(db: Connection, page_id: str) -> Whole:
    found = rows.whole(db, page_id)
    if found is None:
        raise errors.NotFound.of("statusPage", page_id)
    return found


def _end(whole: Whole) -> int:
    standing: list[ComponentGroup | Component] = [*whole.groups, *whole.components]
    return max((one.position + 1 for one in standing), default=0)


def _remove(db: Connection, own: Reach, gone: Component) -> Component:
    rows.delete_component(db, gone.id)
    detail = {"statusPageId": gone.page_id, "uptimeScheduleId": gone.monitor_id}
    _record(db, own, COMPONENT, gone, "deleted", detail)
    return gone


def _record(
    db: Connection,
    own: Reach,
    subject: str,
    one: Component | ComponentGroup,
    action: audit.Action,
    detail: Mapping[str, object],
) -> None:
    audit.record(db, own.by, own.organization_id, action, subject, one.id, {"name": one.name or None, **detail})
