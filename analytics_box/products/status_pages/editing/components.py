"""Components and groups of a status page: each verb writes its rows and audit entries in the caller's transaction.

Callers use `status_pages.saving.save`.
"""

from collections.abc import Collection, Iterable

from msgspec.structs import replace

from analytics_box.base import errors, ids
from analytics_box.base.errors import BadRequest, Conflict
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.monitors.lookup import known_monitor
from analytics_box.products.status_pages import rows
from analytics_box.products.status_pages.access import page_in_reach
from analytics_box.products.status_pages.page import (
    MOST_COMPONENTS,
    MOST_GROUPS,
    Component,
    ComponentGroup,
    Whole,
    new_component,
)
from analytics_box.products.status_pages.rows import COMPONENTS, GROUPS, PAGES
from analytics_box.resource.fields import Values
from analytics_box.resource.reach import Reach, check


def add(db: Connection, own: Reach, page_id: str, values: Values, monitor_id: str | None = None) -> Component:
    """Add a component, with a monitor or without, at the end of the page unless it has a position.

    Raises Forbidden, NotFound, BadRequest or Conflict.
    """
    check(db, own, "member")
    page_in_reach(db, own, page_id)
    now = own.by.now
    blank = new_component(id=ids.new_id(), page_id=page_id, monitor_id=monitor_id, created_at=now, updated_at=now)
    made = insert(db, own, _with_values(db, blank, values), at_end="position" not in values)
    detail = {"statusPageId": page_id, "uptimeScheduleId": made.monitor_id}
    COMPONENTS.record(db, own.by, own.organization_id, "created", made, detail)
    return made


def insert(db: Connection, own: Reach, made: Component, *, at_end: bool = True) -> Component:
    """Store a new component of a page in reach. Raises NotFound, BadRequest or Conflict."""
    if made.monitor_id is not None:
        found = known_monitor(db, made.monitor_id)
        if found is None or found[1] != own.organization_id or not own.reaches(made.monitor_id, found[2]):
            raise errors.NotFound.of(
                "schedule",
                made.monitor_id,
                _("There is no monitor with this id in the organization of the status page"),
            )
    whole = _whole(db, made.page_id)
    if len(whole.components) >= MOST_COMPONENTS:
        raise Conflict.full(
            "statusPageComponents",
            MOST_COMPONENTS,
            _("A status page can have up to {most} components. Remove one first").format(most=MOST_COMPONENTS),
        )
    return COMPONENTS.insert(db, replace(made, position=_end(whole)) if at_end else made)


def update(db: Connection, own: Reach, component_id: str, values: Values) -> Component:
    """Change a component; omitted fields keep their values. Raises Forbidden, NotFound or BadRequest."""
    check(db, own, "member")
    before = component(db, own, component_id)
    return COMPONENTS.change(db, own.by, own.organization_id, before, _with_values(db, before, values))


def remove_monitor(db: Connection, own: Reach, page_id: str, monitor_id: str) -> Component:
    """Remove the component of a monitor. Raises Forbidden or NotFound."""
    check(db, own, "member")
    page_in_reach(db, own, page_id)
    found = next((one for one in _whole(db, page_id).components if one.monitor_id == monitor_id), None)
    if found is None:
        raise errors.NotFound.of("schedule", monitor_id, _("This monitor is not on the status page"))
    return _remove(db, own, found)


def remove(db: Connection, own: Reach, component_id: str) -> Component:
    """Remove a component; incidents keep its name. Raises Forbidden or NotFound."""
    check(db, own, "member")
    return _remove(db, own, component(db, own, component_id))


def add_group(
    db: Connection, own: Reach, page_id: str, values: Values, component_ids: Collection[str] = ()
) -> ComponentGroup:
    """Add a group, at the end of the page unless it has a position, and move these components into it.

    Raises Forbidden, NotFound, BadRequest or Conflict.
    """
    check(db, own, "member")
    page_in_reach(db, own, page_id)
    now, whole = own.by.now, _whole(db, page_id)
    if len(whole.groups) >= MOST_GROUPS:
        raise Conflict.full(
            "statusPageGroups",
            MOST_GROUPS,
            _("A status page can have up to {most} groups. Remove one first").format(most=MOST_GROUPS),
        )
    fields = {"position": _end(whole), **values}
    made = GROUPS.insert(db, ComponentGroup(id=ids.new_id(), page_id=page_id, created_at=now, updated_at=now, **fields))
    by_id = {one.id: one for one in whole.components}
    for component_id in component_ids:
        if component_id not in by_id:
            raise BadRequest.about("componentIds", _("There is no component with this id"))
        COMPONENTS.update(db, replace(by_id[component_id], group_id=made.id, updated_at=now))
    detail = {"statusPageId": page_id, "components": list(component_ids)}
    GROUPS.record(db, own.by, own.organization_id, "created", made, detail)
    return made


def update_group(db: Connection, own: Reach, group_id: str, values: Values) -> ComponentGroup:
    """Change a group; omitted fields keep their values. Raises Forbidden, NotFound or BadRequest."""
    check(db, own, "member")
    before = group(db, own, group_id)
    return GROUPS.change(db, own.by, own.organization_id, before, replace(before, **values))


def remove_group(db: Connection, own: Reach, group_id: str) -> ComponentGroup:
    """Remove a group; its components stay on the page. Raises Forbidden or NotFound."""
    check(db, own, "member")
    gone = group(db, own, group_id)
    GROUPS.remove(db, own.by, own.organization_id, gone, {"statusPageId": gone.page_id})
    return gone


def reorder(db: Connection, own: Reach, page_id: str, order: Iterable[str]) -> None:
    """Put groups and components into this order; those that are not named follow in their order.

    Raises Forbidden, NotFound or BadRequest.
    """
    check(db, own, "member")
    page = page_in_reach(db, own, page_id)
    standing = in_order(_whole(db, page_id))
    wanted = list(dict.fromkeys(order))
    if not {*wanted} <= {*standing}:
        raise BadRequest.about("order", _("Use only ids of groups and components of the status page"))
    after = [*wanted, *(each for each in standing if each not in {*wanted})]
    if after != standing:
        rows.place(db, page_id, after)
        PAGES.record(db, own.by, own.organization_id, "updated", page, {"order": after})


def in_order(whole: Whole) -> list[str]:
    """The ids of all groups and components, in their order."""
    standing: list[ComponentGroup | Component] = [*whole.groups, *whole.components]
    return [one.id for one in sorted(standing, key=lambda one: (one.position, one.created_at, one.id))]


def component(db: Connection, own: Reach, component_id: str) -> Component:
    """A component of the organization's pages. Raises NotFound."""
    found = COMPONENTS.find(db, component_id)
    if found is None or not _owns(db, own, found.page_id):
        raise errors.NotFound.of("statusPageComponent", component_id)
    return found


def group(db: Connection, own: Reach, group_id: str) -> ComponentGroup:
    """A group of the organization's pages. Raises NotFound."""
    found = GROUPS.find(db, group_id)
    if found is None or not _owns(db, own, found.page_id):
        raise errors.NotFound.of("statusPageGroup", group_id)
    return found


def _owns(db: Connection, own: Reach, page_id: str) -> bool:
    page = PAGES.find(db, page_id)
    return page is not None and page.organization_id == own.organization_id


def _with_values(db: Connection, before: Component, values: Values) -> Component:
    """The component with new values. Raises BadRequest for values that do not go together."""
    after = replace(before, **values)
    into = GROUPS.find(db, after.group_id) if after.group_id is not None else None
    if after.group_id is not None and (into is None or into.page_id != after.page_id):
        raise BadRequest.about("groupId", _("There is no group with this id on the status page"))
    if after.monitor_id is not None and "status" in values:
        raise BadRequest.about("status", _("This component has a monitor, which sets its status"))
    if after.monitor_id is None and not after.name:
        raise BadRequest.about("name", _("Enter a name, or select a monitor"))
    return after


def _whole(db: Connection, page_id: str) -> Whole:
    found = rows.whole(db, page_id)
    if found is None:
        raise errors.NotFound.of("statusPage", page_id)
    return found


def _end(whole: Whole) -> int:
    standing: list[ComponentGroup | Component] = [*whole.groups, *whole.components]
    return max((one.position + 1 for one in standing), default=0)


def _remove(db: Connection, own: Reach, gone: Component) -> Component:
    detail = {"statusPageId": gone.page_id, "uptimeScheduleId": gone.monitor_id}
    COMPONENTS.remove(db, own.by, own.organization_id, gone, detail)
    return gone
