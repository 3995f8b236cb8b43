"""The visible part of a page: the only place that leaves out hidden fields. Pure.

Page, JSON, feeds, badges and procedures are built from its result, and from nothing else.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.clock import DAY, MINUTE
from analytics_box.base.translation import _
from analytics_box.products.monitors.engine import MonitorStatus
from analytics_box.products.monitors.monitor import Monitor
from analytics_box.products.monitors.window import MaintenanceWindow, WindowSpan, is_covered, spans
from analytics_box.products.status_pages.days import figures as of_days
from analytics_box.products.status_pages.days.figures import NOTHING, DayFigures
from analytics_box.products.status_pages.incident import (
    USUAL_MESSAGES,
    AffectedComponent,
    Incident,
    Status,
)
from analytics_box.products.status_pages.page import Component, ComponentStatus, StatusPage, Whole
from analytics_box.products.status_pages.seen import (
    AffectedSeen,
    ComponentDay,
    ComponentSeen,
    GroupSeen,
    IncidentSeen,
    PageSeen,
    UpdateSeen,
    public_host,
    public_name,
)
from analytics_box.products.status_pages.view import standing
from analytics_box.products.status_pages.view.standing import Own
from analytics_box.tenants.tenancy.rules import Organization

_HEADLINES = {
    "none": _("All systems operational"),
    "minor": _("Some systems are degraded"),
    "major": _("Partial outage"),
    "critical": _("Major outage"),
    "maintenance": _("Maintenance in progress"),
}


_ENCODER: Final = msgspec.json.Encoder()
_AHEAD: Final = 30 * DAY


class VisibleComponent(NamedTuple):
    """A component that may be seen: with its monitor and how that is now, or kept by people."""

    component: Component
    monitor: Monitor | None = None
    live: MonitorStatus | None = None


class ComponentHistory(NamedTuple):
    """The days of a component with nothing hidden, and its uptime over all of them."""

    days: tuple[ComponentDay, ...]
    uptime: float | None


class Past(Struct, frozen=True):
    """The days that are shown, and how each component was on them, as it was known at the instant `at` (UTC ms).

    `counted` has the days that are already computed.
    """

    at: int
    dates: Sequence[date]
    figures: Mapping[str, Sequence[DayFigures]]
    counted: Mapping[str, ComponentHistory] = {}


def visible_page(
    whole: Whole,
    members: Sequence[VisibleComponent],
    past: Past,
    organization: Organization | None,
    url: str,
    now: int,
    windows: Sequence[MaintenanceWindow] = (),
) -> PageSeen:
    """The page as visitors see it at this instant. `members` are its visible components, `windows` the maintenance
    windows of their monitors to announce."""
    page, incidents = whole.page, [one for one in whole.incidents if not one.is_draft]
    owns = [_own(member, now) for member in members]
    names = {one.component.id: public_name(one.component, one.monitor) for one in members}
    unseen = {one.id for one in whole.components} - names.keys()
    statuses = [
        standing.status_of(member.component.id, own, incidents) for member, own in zip(members, owns, strict=True)
    ]
    found = standing.overall(owns, incidents, names.keys())
    word = standing.indicator(found, statuses, incidents)
    headline = _HEADLINES[word]
    if not members:
        headline = headline if word != "none" else _("No components yet")
    elif found == "unknown":
        headline = headline if "degraded_performance" in statuses else _("Status unknown")
    seen = [_incident(one, names, unseen) for one in incidents]
    made = PageSeen(
        id=page.id,
        slug=page.slug,
        url=url,
        name=page.name,
        organization=organization.name if organization is not None else page.name,
        organization_slug=organization.slug if organization is not None else "",
        organization_logo=None,  # only members may load it
        description=page.description,
        logo_url=_file(url, page.logo),
        favicon_url=_file(url, page.favicon),
        website_url=page.website_url,
        support_url=page.support_url,
        theme=page.theme,
        zone=page.zone,
        indexed=page.is_listed,
        subscribable=page.subscribable,
        overall=found,
        indicator=word,
        headline=headline,
        groups=_groups(whole, members, statuses),
        components=tuple(_component(*each, names, past) for each in zip(members, owns, statuses, strict=True)),
        incidents=tuple(one for one in seen if one.kind == "incident"),
        maintenances=(
            *(
                one
                for window in windows
                for one in window_occurrences(window, _current_spans(window, now), members, now)
            ),
            *(one for one in seen if one.kind == "maintenance"),
        ),
        created_at=page.created_at,
        updated_at=page.updated_at,
        at=now,
        version=page.version,
        etag="",
    )
    return with_etag(made)


def component_history(dates: Sequence[date], figures: Sequence[DayFigures]) -> ComponentHistory:
    """The days of one component. It takes half a millisecond: callers with many components do other work in between."""
    days = tuple(of_days.day(when.isoformat(), one) for when, one in zip(dates, figures, strict=True))
    return ComponentHistory(days, of_days.whole(figures))


def with_etag(seen: PageSeen) -> PageSeen:
    """The page with the tag of its content. The tag includes the page's time to the minute."""
    said = replace(seen, etag="", at=seen.at // MINUTE)
    return replace(seen, etag=hashlib.blake2b(_ENCODER.encode(said), digest_size=16).hexdigest())


def url_of(page: StatusPage, public_url: str, *, secure: bool) -> str:
    """The absolute URL of a page, without a slash at its end: at the root of its own domain where it has one."""
    if page.domain is not None:
        return f"{'https' if secure else 'http'}://{page.domain}"
    return f"{public_url}/status/{page.slug}"


def _file(url: str, digest: str) -> str | None:
    return f"{url}/files/{digest}" if digest else None


def _own(member: VisibleComponent, now: int) -> Own:
    if member.monitor is None:
        return standing.of_people(member.component.status)
    return standing.of_monitor(member.monitor, member.live, now)


def _groups(
    whole: Whole, members: Sequence[VisibleComponent], statuses: Sequence[ComponentStatus | None]
) -> tuple[GroupSeen, ...]:
    """The groups that anything is in."""
    within: dict[str | None, list[ComponentStatus | None]] = {}
    for member, status in zip(members, statuses, strict=True):
        within.setdefault(member.component.group_id, []).append(status)
    return tuple(
        GroupSeen(
            id=group.id,
            name=group.name,
            description=group.description,
            position=group.position,
            status=standing.worst(within[group.id]),
            created_at=group.created_at,
            updated_at=group.updated_at,
        )
        for group in whole.groups
        if group.id in within
    )


def _component(
    member: VisibleComponent, own: Own, status: ComponentStatus | None, names: Mapping[str, str], past: Past
) -> ComponentSeen:
    one = member.component
    known = past.counted.get(one.id) or component_history(
        past.dates, past.figures.get(one.id) or [NOTHING] * len(past.dates)
    )
    return ComponentSeen(
        id=one.id,
        name=names[one.id],
        description=one.description,
        group_id=one.group_id,
        position=one.position,
        manual=member.monitor is None,
        status=status,
        current=own.current,
        freshness=own.freshness,
        domain=public_host(one, member.monitor),
        uptime=None if one.hide_uptime else known.uptime,
        last_checked_at=own.last_checked_at,
        days=tuple(_day(one, day) for day in known.days) if one.hide_uptime or one.hide_latency else known.days,
        shows_uptime=not one.hide_uptime,
        shows_latency=not one.hide_latency and member.monitor is not None,
        only_if_degraded=one.only_if_degraded,
        created_at=one.created_at,
        updated_at=max(one.updated_at, own.since),
    )


def _day(component: Component, found: ComponentDay) -> ComponentDay:
    """A day without what is hidden. Counts of checks would reveal the uptime."""
    if component.hide_uptime:
        found = replace(found, uptime=None, checks=None, passed=None, downtime_seconds=None)
    if component.hide_latency:
        found = replace(found, average_ms=None, p95_ms=None)
    return found


def _incident(one: Incident, names: Mapping[str, str], unseen: set[str]) -> IncidentSeen:
    return IncidentSeen(
        id=one.id,
        kind=one.kind,
        title=one.title,
        status=one.status,
        severity=one.severity,
        is_open=one.is_open,
        created_at=one.created_at,
        updated_at=one.updated_at,
        started_at=one.started_at,
        monitoring_at=one.monitoring_at,
        resolved_at=one.resolved_at,
        scheduled_for=one.scheduled_for,
        scheduled_until=one.scheduled_until,
        updates=tuple(
            UpdateSeen(
                id=update.id,
                status=update.status,
                message=update.message,
                at=update.at,
                created_at=update.created_at,
                updated_at=update.updated_at,
                notified=update.notified,
                affected=_visible_affected(update.affected, names, unseen),
            )
            for update in one.updates
        ),
        affected=_visible_affected(one.affected, names, unseen),
    )


def _current_spans(window: MaintenanceWindow, now: int) -> Iterator[WindowSpan]:
    """The next occurrence of a window within 30 days, and one that ended in the last 24 hours."""
    found = spans(window, now - DAY, now + _AHEAD)
    yield from [one for one in found if one.end > now][:1]
    yield from [one for one in found if one.end <= now][-1:]


def window_occurrences(
    window: MaintenanceWindow, found: Iterable[WindowSpan], members: Sequence[VisibleComponent], now: int
) -> Iterator[IncidentSeen]:
    """Occurrences of a window as maintenance of the components that it covers."""
    affected = tuple(
        AffectedSeen(one.component.id, public_name(one.component, one.monitor), "maintenance")
        for one in members
        if one.monitor is not None and is_covered(window, one.monitor)
    )
    for span in found:
        said: list[tuple[Status, int]] = [("scheduled", window.updated_at)]
        said += [("in_progress", span.start)] if span.start <= now else []
        said += [("completed", span.end)] if span.end <= now else []
        status, changed_at = said[-1]
        yield IncidentSeen(
            id=window.id if span.end > now else f"{window.id}-{span.start}",
            kind="maintenance",
            title=window.name,
            status=status,
            severity="minor",
            is_open=span.end > now,
            created_at=window.created_at,
            updated_at=changed_at,
            started_at=span.start if span.start <= now else window.created_at,
            monitoring_at=None,
            resolved_at=span.end if span.end <= now else None,
            scheduled_for=span.start,
            scheduled_until=span.end,
            updates=tuple(
                UpdateSeen(
                    id=f"{window.id}-{span.start}-{state}",
                    status=state,
                    message=USUAL_MESSAGES[state],
                    at=min(at, span.start) if state == "scheduled" else at,
                    created_at=at,
                    updated_at=at,
                    notified=True,
                    affected=affected,
                )
                for state, at in reversed(said)
            ),
            affected=affected,
        )


def _visible_affected(
    found: Sequence[AffectedComponent], names: Mapping[str, str], unseen: set[str]
) -> tuple[AffectedSeen, ...]:
    """Components by the names that they have now; those that are gone by what they were called."""
    return tuple(
        AffectedSeen(one.component_id, names[one.component_id], one.impact)
        if one.component_id is not None and one.component_id in names
        else AffectedSeen(None, one.name, one.impact)
        for one in found
        if one.component_id not in unseen
    )
