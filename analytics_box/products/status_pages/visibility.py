"""The public part of a component's monitor: whether it is shown at all, its name and its host. Pure."""

from collections.abc import Callable

from analytics_box.base.translation import _
from analytics_box.base.urls import url_parts
from analytics_box.products.monitors.monitor import Monitor
from analytics_box.products.status_pages.page import Component


def monitor_of(find: Callable[[str], Monitor | None], organization_id: str, component: Component) -> Monitor | None:
    """The monitor of a component. None if it has none, if it was deleted, and if it belongs to another organization
    than the page."""
    found = find(component.monitor_id) if component.monitor_id is not None else None
    return found if found is not None and found.organization_id == organization_id else None


def public_name(component: Component, monitor: Monitor | None) -> str:
    """The name of a component, or of its monitor. Without a name the host, if it is public: never the whole URL."""
    if component.name or monitor is None:
        return component.name or _("Service")
    return monitor.name or public_host(component, monitor) or _("Service")


def public_host(component: Component, monitor: Monitor | None) -> str | None:
    """The host that an http monitor checks; None if it is hidden, and for other monitors."""
    if component.hide_url or monitor is None or monitor.kind != "http":
        return None
    return url_parts(monitor.url).hostname
