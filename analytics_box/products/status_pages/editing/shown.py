"""The answers about status pages, their components and their groups (wire 9.3)."""

from datetime import datetime
from typing import Any

from msgspec import Struct

from analytics_box.products.monitors.access import visible
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.status_pages import pictures
from analytics_box.products.status_pages.page import (
    Component,
    ComponentFields,
    ComponentGroup,
    ComponentStatus,
    PageFields,
    StatusPage,
    Whole,
)
from analytics_box.products.status_pages.seen import monitor_of
from analytics_box.products.status_pages.subscribers import wording
from analytics_box.resource.fields import answer_of
from analytics_box.web.call import Call


class StatusPageAnswer(PageFields, frozen=True, kw_only=True):
    """A status page. `url` is its public address; days start in `timeZone`.

    `logoUrl` and `faviconUrl` are the URLs that the images were fetched from, or those of uploaded images.
    """

    url: str
    description: str | None
    logo_url: str | None
    favicon_url: str | None
    has_password: bool
    created_at: datetime
    updated_at: datetime


class StatusPageListItem(StatusPageAnswer, frozen=True, kw_only=True):
    """A status page in a list, with the number of its monitors."""

    monitor_count: int


class MonitorNamed(Struct, frozen=True, rename="camel"):
    """The monitor of a component. Viewers do not see the values of its query."""

    id: str
    name: str | None
    url: str
    is_paused: bool


class ComponentAnswer(ComponentFields, frozen=True, kw_only=True):
    """A component. Only a component without a monitor has a `status`; for others it is null."""

    status_page_id: str
    uptime_schedule_id: str | None
    display_name: str | None
    description: str | None
    status: ComponentStatus | None
    created_at: datetime
    updated_at: datetime
    uptime_schedule: MonitorNamed | None


class ComponentGroupAnswer(Struct, frozen=True, kw_only=True, rename="camel"):
    """A group of components. Groups and components share one order."""

    id: str
    status_page_id: str
    name: str
    description: str | None
    order: int
    created_at: datetime
    updated_at: datetime


class StatusPageDetailAnswer(StatusPageAnswer, frozen=True, kw_only=True):
    """A status page with its parts: `monitors` are components with a monitor, `components` those without."""

    monitors: tuple[ComponentAnswer, ...]
    components: tuple[ComponentAnswer, ...]
    groups: tuple[ComponentGroupAnswer, ...]


def page_shown(call: Call, page: StatusPage) -> StatusPageAnswer:
    """A page for an answer."""
    return answer_of(StatusPageAnswer, page, **_addresses_of(call, page))


def page_list_item(call: Call, whole: Whole) -> StatusPageListItem:
    """A page for a list."""
    count = len(_monitored_components(call, whole))
    return answer_of(StatusPageListItem, whole.page, **_addresses_of(call, whole.page), monitor_count=count)


def whole_shown(call: Call, whole: Whole) -> StatusPageDetailAnswer:
    """A page with its components and groups, in its order."""
    own = whole.organization_id
    return answer_of(
        StatusPageDetailAnswer,
        whole.page,
        **_addresses_of(call, whole.page),
        monitors=tuple(component_shown(call, own, one) for one in _monitored_components(call, whole)),
        components=tuple(component_shown(call, own, one) for one in whole.components if one.monitor_id is None),
        groups=tuple(group_shown(one) for one in whole.groups),
    )


def component_shown(call: Call, organization_id: str, component: Component) -> ComponentAnswer:
    """A component of a page of this organization for an answer."""
    monitor = monitor_of(call.parts[Monitors].find, organization_id, component)
    shown = visible(call, monitor) if monitor is not None else None
    return answer_of(
        ComponentAnswer,
        component,
        status_page_id=component.page_id,
        uptime_schedule_id=component.monitor_id,
        display_name=component.name or None,
        status=component.status if component.monitor_id is None else None,
        uptime_schedule=MonitorNamed(shown.id, shown.name, shown.url, shown.is_paused) if shown is not None else None,
    )


def group_shown(group: ComponentGroup) -> ComponentGroupAnswer:
    """A group for an answer."""
    return answer_of(ComponentGroupAnswer, group, status_page_id=group.page_id)


def _addresses_of(call: Call, page: StatusPage) -> dict[str, Any]:
    """The fields of an answer that are not stored."""
    settings = call.parts.settings
    return {
        "url": wording.of(settings, page.slug, page.domain).page,
        "logo_url": pictures.url_of(page, "logo", settings),
        "favicon_url": pictures.url_of(page, "favicon", settings),
        "has_password": bool(page.password),
    }


def _monitored_components(call: Call, whole: Whole) -> list[Component]:
    """The components with a monitor that pages show."""
    find = call.parts[Monitors].find
    return [one for one in whole.components if monitor_of(find, whole.organization_id, one) is not None]
