"""Status pages, their components and their groups as procedures answer with them (wire 9.3)."""

from datetime import datetime
from typing import Any

from msgspec import Struct, field

from analytics_box.products.monitors.access import visible
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.monitor import Monitor
from analytics_box.products.status_pages.files import pictures
from analytics_box.products.status_pages.page import (
    Component,
    ComponentGroup,
    ComponentStatus,
    Policy,
    StatusPage,
    Theme,
)
from analytics_box.products.status_pages.subscribers import wording
from analytics_box.products.status_pages.whole import Whole
from analytics_box.tenants.tenancy.messages import date
from analytics_box.web.call import Call


class StatusPageAnswer(Struct, frozen=True, kw_only=True, rename="camel"):
    """A status page. `url` is its public address; days start in `timeZone`.

    `logoUrl` and `faviconUrl` are the URLs that the images were fetched from, or those of uploaded images.
    """

    id: str
    organization_id: str
    slug: str
    name: str
    url: str
    description: str | None
    logo_url: str | None
    favicon_url: str | None
    website_url: str | None
    support_url: str | None
    theme: Theme | None
    zone: str = field(name="timeZone")
    domain: str | None
    has_password: bool
    indexed: bool = field(name="isIndexed")
    subscribable: bool = field(name="isSubscribable")
    automatic: Policy = field(name="automaticIncidents")
    publish_after: int = field(name="publishAfterMinutes")
    published: bool = field(name="isPublished")
    created_at: datetime
    updated_at: datetime


class StatusPageListItem(StatusPageAnswer, frozen=True, kw_only=True):
    """A status page in a list, and how many monitors it has."""

    monitor_count: int


class MonitorNamed(Struct, frozen=True, rename="camel"):
    """The monitor of a component. Those who may only look see no values of its query."""

    id: str
    name: str | None
    url: str
    is_paused: bool


class ComponentAnswer(Struct, frozen=True, kw_only=True, rename="camel"):
    """A component. One without a monitor has a `status` of its own; for others it is null."""

    id: str
    status_page_id: str
    uptime_schedule_id: str | None
    group_id: str | None
    display_name: str | None
    description: str | None
    hide_url: bool
    hide_uptime: bool = field(name="hideUptimePercentage")
    hide_latency: bool
    only_if_degraded: bool = field(name="onlyShowIfDegraded")
    status: ComponentStatus | None
    order: int
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
    """A status page with what stands on it: `monitors` are components with a monitor, `components` those without."""

    monitors: tuple[ComponentAnswer, ...]
    components: tuple[ComponentAnswer, ...]
    groups: tuple[ComponentGroupAnswer, ...]


_PLAIN = tuple(
    name
    for name in StatusPageAnswer.__struct_fields__
    if name in StatusPage.__struct_fields__
    and name not in {"description", "logo_url", "favicon_url", "created_at", "updated_at"}
)
_HIDDEN = ("hide_url", "hide_uptime", "hide_latency", "only_if_degraded")


def page_shown(call: Call, page: StatusPage) -> StatusPageAnswer:
    """A page for an answer."""
    settings = call.parts.settings
    return StatusPageAnswer(
        **{name: getattr(page, name) for name in _PLAIN},
        url=wording.of(settings, page.slug, page.domain).page,
        description=page.description or None,
        logo_url=pictures.url_of(page, "logo", settings),
        favicon_url=pictures.url_of(page, "favicon", settings),
        has_password=bool(page.password),
        created_at=date(page.created_at),
        updated_at=date(page.updated_at),
    )


def page_list_item(call: Call, whole: Whole) -> StatusPageListItem:
    """A page for a list."""
    return StatusPageListItem(
        **_fields(page_shown(call, whole.page)), monitor_count=len(_monitored_components(call, whole))
    )


def whole_shown(call: Call, whole: Whole) -> StatusPageDetailAnswer:
    """A page with what stands on it, in its order."""
    return StatusPageDetailAnswer(
        **_fields(page_shown(call, whole.page)),
        monitors=tuple(component_shown(call, one) for one in _monitored_components(call, whole)),
        components=tuple(component_shown(call, one) for one in whole.components if one.monitor_id is None),
        groups=tuple(group_shown(one) for one in whole.groups),
    )


def component_shown(call: Call, component: Component) -> ComponentAnswer:
    """A component for an answer."""
    monitor = monitor_of(call, component)
    return ComponentAnswer(
        **{name: getattr(component, name) for name in ("id", "group_id", *_HIDDEN)},
        status_page_id=component.page_id,
        uptime_schedule_id=component.monitor_id,
        display_name=component.name or None,
        description=component.description or None,
        status=component.status if component.monitor_id is None else None,
        order=component.position,
        created_at=date(component.created_at),
        updated_at=date(component.updated_at),
        uptime_schedule=_monitor_name_answer(visible(call, monitor)) if monitor is not None else None,
    )


def group_shown(group: ComponentGroup) -> ComponentGroupAnswer:
    """A group for an answer."""
    return ComponentGroupAnswer(
        id=group.id,
        status_page_id=group.page_id,
        name=group.name,
        description=group.description or None,
        order=group.position,
        created_at=date(group.created_at),
        updated_at=date(group.updated_at),
    )


def monitor_of(call: Call, component: Component) -> Monitor | None:
    """The monitor of a component; None for one without and for one that is gone."""
    return call.parts[Monitors].find(component.monitor_id) if component.monitor_id is not None else None


def _monitored_components(call: Call, whole: Whole) -> list[Component]:
    """The components whose monitor is there and belongs to the organization: others are shown nowhere."""
    owners = ((one, monitor_of(call, one)) for one in whole.components)
    own = whole.page.organization_id
    return [one for one, monitor in owners if monitor is not None and monitor.organization_id == own]


def _monitor_name_answer(monitor: Monitor) -> MonitorNamed:
    return MonitorNamed(monitor.id, monitor.name, monitor.url, monitor.is_paused)


def _fields(shown: StatusPageAnswer) -> dict[str, Any]:
    return {name: getattr(shown, name) for name in StatusPageAnswer.__struct_fields__}
