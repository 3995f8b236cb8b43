"""The status of a component and of a whole page, from monitors, incidents and manual statuses (wire 9.2). Pure."""

from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

from analytics_box.base.clock import MINUTE, SECOND
from analytics_box.products.monitors.engine import MonitorStatus
from analytics_box.products.monitors.monitor import Monitor
from analytics_box.products.status_pages.incident import Impact, Incident
from analytics_box.products.status_pages.page import ComponentStatus
from analytics_box.products.status_pages.seen import Current, Freshness, Indicator, Overall

_LEAST_FRESH: Final = 5 * MINUTE
_ORDER: Final[tuple[ComponentStatus | None, ...]] = (
    "operational",
    None,
    "under_maintenance",
    "degraded_performance",
    "partial_outage",
    "major_outage",
)
OF_IMPACT: Final[dict[Impact, ComponentStatus]] = {
    "operational": "operational",
    "degraded": "degraded_performance",
    "partial": "partial_outage",
    "down": "major_outage",
    "maintenance": "under_maintenance",
}
_OF_PEOPLE: Final[dict[ComponentStatus, Current]] = {
    "operational": "up",
    "degraded_performance": "degraded",
    "partial_outage": "degraded",
    "major_outage": "down",
    "under_maintenance": "degraded",
}
_STATUS: Final[dict[Current, ComponentStatus | None]] = {
    "up": "operational",
    "degraded": "degraded_performance",
    "down": "major_outage",
    "unknown": None,
}
_OUTAGES: Final = frozenset(("partial_outage", "major_outage"))


class Own(NamedTuple):
    """A component's status without incidents; `status` is None if it is unknown. `since` is when its monitor's state
    began
    (UTC ms), 0 if there is none.
    """

    current: Current
    freshness: Freshness
    status: ComponentStatus | None
    last_checked_at: int | None = None
    since: int = 0


def of_people(status: ComponentStatus) -> Own:
    """A component that people keep."""
    return Own(_OF_PEOPLE[status], "fresh", status)


def of_monitor(monitor: Monitor, live: MonitorStatus | None, now: int) -> Own:
    """A component that a monitor checks. What was good when it was last checked, too long ago, is not known to be.

    A monitor that is down is a major outage, also where the wire calls it degraded (wire 9.2).
    """
    if live is None:
        return Own("unknown", "unknown", None)
    last = live.last
    freshness = _freshness(monitor, last.at if last is not None else None, now)
    current = _current(live)
    status = _STATUS[current]
    if live.state == "maintenance":
        status = "under_maintenance"
    elif live.state == "down":
        status = "major_outage"
    elif freshness != "fresh":
        status = None
    return Own(current, freshness, status, last.at if last is not None else None, live.since or 0)


def _freshness(monitor: Monitor, at: int | None, now: int) -> Freshness:
    """Fresh is a check no older than three intervals, or five minutes; one that waits to be told may be late."""
    if at is None:
        return "unknown"
    longest = 3 * monitor.interval + (monitor.options.grace if monitor.kind == "push" else 0)
    return "fresh" if now - at <= max(longest * SECOND, _LEAST_FRESH) else "stale"


def _current(live: MonitorStatus) -> Current:
    """The state that the monitor reports. A monitor under verification was up; in a maintenance the latest check
    decides,
    and the state is never down. A monitor that is down but answered with a status below 500 is degraded (wire 9.2).
    """
    passed = live.last is not None and live.last.outcome != "fail"
    code = live.last.http_code if live.last is not None else 0
    match live.state:
        case "up" | "verifying":
            return "up"
        case "degraded":
            return "degraded"
        case "maintenance":
            return "up" if passed else "degraded"
        case "down":
            return "degraded" if 0 < code < 500 else "down"
        case _:
            return "unknown"


def worst(statuses: Iterable[ComponentStatus | None]) -> ComponentStatus | None:
    """The worst of them: outages, then degraded, maintenance, unknown, operational; None is unknown, also of none."""
    found = list(statuses)
    return max(found, key=_ORDER.index) if found else None


def status_of(component_id: str, own: Own, incidents: Iterable[Incident]) -> ComponentStatus | None:
    """A component's status, including the active incidents and maintenances."""
    said = (
        OF_IMPACT[one.impact]
        for incident in incidents
        if incident.is_active
        for one in incident.affected
        if one.component_id == component_id
    )
    return worst((own.status, *said))


def overall(owns: Collection[Own], incidents: Iterable[Incident], shown: Collection[str]) -> Overall:
    """The status of the whole page (wire 9.2), from its components and the active incidents.

    `shown` are the ids of the components: impacts on others do not count. A maintenance is not an incident.
    """
    active = [one for one in incidents if one.kind == "incident" and one.is_active]
    if any(one.severity == "critical" or _is_down(one, shown) for one in active):
        return "outage"
    if active:
        return "degraded"
    down = [own for own in owns if own.status == "major_outage"]
    if down:
        return "outage" if len(down) == len(owns) else "degraded"
    if not any(own.freshness == "fresh" and own.current != "unknown" for own in owns):
        return "unknown"
    return "operational"


def _is_down(incident: Incident, shown: Collection[str]) -> bool:
    return any(one.impact == "down" and one.component_id in shown for one in incident.affected)


def indicator(found: Overall, statuses: Collection[ComponentStatus | None], incidents: Iterable[Incident]) -> Indicator:
    """Return Atlassian's word for the page: critical if everything is down, major if anything is.

    An open incident counts with its severity, so that the word is never better than what people have published.
    """
    active = [one for one in incidents if one.is_active]
    severities = {one.severity for one in active if one.kind == "incident"}
    if "critical" in severities or (statuses and all(status == "major_outage" for status in statuses)):
        return "critical"
    if found == "outage" or "major" in severities or not _OUTAGES.isdisjoint(statuses):
        return "major"
    if found == "degraded" or "degraded_performance" in statuses:
        return "minor"
    if any(one.kind == "maintenance" for one in active) or "under_maintenance" in statuses:
        return "maintenance"
    return "minor" if found == "unknown" and statuses else "none"
