"""The visible state of a status page: hidden values are not part of it, so that no answer can show them. Pure."""

from collections.abc import Callable, Sequence
from typing import Final, Literal

from msgspec import Struct

from analytics_box.base.translation import _
from analytics_box.base.urls import url_parts
from analytics_box.products.monitors.monitor import Monitor
from analytics_box.products.status_pages.incident import Impact, Kind, Severity, Status
from analytics_box.products.status_pages.page import Component, ComponentStatus, Theme

Overall = Literal["operational", "degraded", "outage", "unknown"]  # wire 9.2
Indicator = Literal["none", "minor", "major", "critical", "maintenance"]
Current = Literal["up", "down", "degraded", "unknown"]
Freshness = Literal["fresh", "stale", "unknown"]
DayState = Literal["up", "degraded", "down", "maintenance", "unknown"]  # the worst of a day; unknown is no data

MOST_IN_ANSWER: Final = 50  # incidents, or maintenances, in one answer (wire 9.2)


class ComponentDay(Struct, frozen=True):
    """A day of a component in the page's zone. `uptime` is a percentage (semantics 20), None if it is hidden or
    nothing is known; durations are ms, None if hidden or not measured. A manual component has no checks."""

    date: str  # YYYY-MM-DD
    state: DayState
    uptime: float | None = None
    checks: int | None = None
    passed: int | None = None
    downtime_seconds: int | None = None
    average_ms: float | None = None
    p95_ms: float | None = None


class ComponentSeen(Struct, frozen=True, kw_only=True):
    """A component. `current` is what its monitor says (wire 9.2), `status` also what incidents say; None if nothing
    is known. `uptime` is the percentage of all its days; `domain` is the host of what is checked."""

    id: str
    name: str
    description: str
    group_id: str | None
    position: int
    manual: bool
    status: ComponentStatus | None
    current: Current
    freshness: Freshness
    domain: str | None = None
    uptime: float | None = None
    last_checked_at: int | None = None
    days: tuple[ComponentDay, ...] = ()
    shows_uptime: bool = True
    shows_latency: bool = True
    only_if_degraded: bool = False
    created_at: int = 0
    updated_at: int = 0


class GroupSeen(Struct, frozen=True, kw_only=True):
    """A group; its status is the worst of its components."""

    id: str
    name: str
    description: str
    position: int
    status: ComponentStatus | None
    created_at: int = 0
    updated_at: int = 0


class AffectedSeen(Struct, frozen=True):
    """A component that an incident affects; one without an id was removed."""

    component_id: str | None
    name: str
    impact: Impact


class UpdateSeen(Struct, frozen=True, kw_only=True):
    """An update. `message` is Markdown as it was typed; `at` is when it counts from (UTC ms)."""

    id: str
    status: Status
    message: str
    at: int
    created_at: int
    updated_at: int
    notified: bool
    affected: tuple[AffectedSeen, ...]


class IncidentSeen(Struct, frozen=True, kw_only=True):
    """An incident or a maintenance that is no draft; updates are newest first."""

    id: str
    kind: Kind
    title: str
    status: Status
    severity: Severity
    is_open: bool
    created_at: int
    updated_at: int
    started_at: int
    monitoring_at: int | None
    resolved_at: int | None
    scheduled_for: int | None
    scheduled_until: int | None
    updates: tuple[UpdateSeen, ...]
    affected: tuple[AffectedSeen, ...]


class PageSeen(Struct, frozen=True, kw_only=True):
    """A status page at the instant `at` (UTC ms). `version` is that of the page; two with the same `etag` are equal.

    `incidents` and `maintenances` are newest first, all that are open and the latest others. `url` is the absolute
    address of the page, on its own domain where it has one. `stale_since` is when what is shown was last known to be
    true, where the box could not look since.
    """

    id: str
    slug: str
    url: str
    name: str
    organization: str
    organization_slug: str
    organization_logo: str | None
    description: str
    logo_url: str | None
    favicon_url: str | None
    website_url: str | None
    support_url: str | None
    theme: Theme | None
    zone: str
    indexed: bool
    subscribable: bool
    overall: Overall
    indicator: Indicator
    headline: str
    groups: tuple[GroupSeen, ...]
    components: tuple[ComponentSeen, ...]
    incidents: tuple[IncidentSeen, ...]
    maintenances: tuple[IncidentSeen, ...]
    created_at: int
    updated_at: int
    at: int
    version: int
    etag: str
    stale_since: int | None = None


def latest(incidents: Sequence[IncidentSeen]) -> list[IncidentSeen]:
    """The incidents that one answer lists, in their order, up to its limit: all open ones before any that has ended."""
    kept = {one.id for one in sorted(incidents, key=lambda one: not one.is_open)[:MOST_IN_ANSWER]}
    return [one for one in incidents if one.id in kept]


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
