"""Monitors as alarms need them: which there are, and what is down."""

from analytics_box.products.alerts.monitored import MonitorName, MonitorsOfOrganization
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.engine import State
from analytics_box.products.monitors.monitor import Monitor


def monitors_for_alerts(monitors: Monitors) -> MonitorsOfOrganization:
    """Lookups in the directory of monitors that alert rules need."""

    def of(organization_id: str) -> list[MonitorName]:
        return [MonitorName(one.id, one.called, one.group, one.tags) for one in monitors.of(organization_id)]

    def is_down(website_id: str) -> bool:
        return _state(monitors, monitors.of_website(website_id)) in {"down", "maintenance"}

    def rests(monitor_id: str) -> bool:
        found = monitors.find(monitor_id)
        if found is None or _state(monitors, found) in {"up", "unknown", "maintenance", "paused"}:
            return True
        above = monitors.find(found.parent_id) if found.parent_id is not None else None
        return _state(monitors, above) in {"verifying", "down"}

    return MonitorsOfOrganization(of, is_down, rests)


def _state(monitors: Monitors, found: Monitor | None) -> State | None:
    live = monitors.state_of(found) if found is not None else None
    return live.state if live is not None else None
