"""Public names of components. Pure."""

from analytics_box.base.translation import _
from analytics_box.base.urls import url_parts
from analytics_box.products.monitors.monitor import Monitor
from analytics_box.products.status_pages.page import Component


def public_name(component: Component, monitor: Monitor | None) -> str:
    """Its own name, or its monitor's. Of one without a name the host, where that may be seen: never the whole URL."""
    if component.name or monitor is None:
        return component.name or _("Service")
    return monitor.name or public_host(component, monitor) or _("Service")


def public_host(component: Component, monitor: Monitor | None) -> str | None:
    """The host of what an http monitor asks; None where it is hidden, and of other monitors."""
    if component.hide_url or monitor is None or monitor.kind != "http":
        return None
    return url_parts(monitor.url).hostname
