"""The answers of Atlassian Statuspage's read API, version 2, made of what visitors may see of a page. Pure."""

from collections.abc import Callable, Iterable, Mapping
from itertools import zip_longest
from typing import Final, Literal

from msgspec import UNSET, Struct, UnsetType

from analytics_box.base.clock import iso, iso_day
from analytics_box.products.status_pages.page import ComponentStatus
from analytics_box.products.status_pages.seen import (
    AffectedSeen,
    ComponentSeen,
    GroupSeen,
    IncidentSeen,
    Indicator,
    PageSeen,
    latest,
)
from analytics_box.products.status_pages.view.standing import OF_IMPACT


class AtlassianPage(Struct, frozen=True):
    """The page, with which every answer begins."""

    id: str
    name: str
    url: str
    time_zone: str
    updated_at: str


class AtlassianStatus(Struct, frozen=True):
    """The status of the whole page, as one word and as one sentence."""

    indicator: Indicator
    description: str


class AtlassianComponent(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A component, or a group of them: that has `components`, the ids of its own, and they its id as `group_id`."""

    id: str
    name: str
    status: ComponentStatus
    created_at: str
    updated_at: str
    position: int
    description: str | None
    showcase: bool
    start_date: str | None
    group_id: str | None
    page_id: str
    group: bool
    only_show_if_degraded: bool
    components: list[str] | None = None


class AtlassianAffectedComponent(Struct, frozen=True):
    """The change that an update made to a component; `code` is its id."""

    code: str
    name: str
    old_status: ComponentStatus
    new_status: ComponentStatus


class AtlassianIncidentUpdate(Struct, frozen=True, kw_only=True):
    """An incident update. `body` is Markdown."""

    id: str
    status: str
    body: str
    incident_id: str
    created_at: str
    updated_at: str
    display_at: str
    affected_components: list[AtlassianAffectedComponent] | None
    deliver_notifications: bool
    custom_tweet: None = None
    tweet_id: None = None


class AtlassianIncident(Struct, frozen=True, kw_only=True):
    """An incident, or a maintenance with the times for which it is planned; `components` are as they are now."""

    id: str
    name: str
    status: str
    created_at: str
    updated_at: str
    monitoring_at: str | None
    resolved_at: str | None
    impact: Literal["minor", "major", "critical", "maintenance"]
    shortlink: str
    started_at: str
    page_id: str
    incident_updates: list[AtlassianIncidentUpdate]
    components: list[AtlassianComponent]
    scheduled_for: str | UnsetType = UNSET
    scheduled_until: str | UnsetType = UNSET


class StatusAnswer(Struct, frozen=True):
    page: AtlassianPage
    status: AtlassianStatus


class ComponentsAnswer(Struct, frozen=True):
    page: AtlassianPage
    components: list[AtlassianComponent]


class IncidentsAnswer(Struct, frozen=True):
    page: AtlassianPage
    incidents: list[AtlassianIncident]


class MaintenancesAnswer(Struct, frozen=True):
    page: AtlassianPage
    scheduled_maintenances: list[AtlassianIncident]


class AtlassianSummary(Struct, frozen=True):
    page: AtlassianPage
    components: list[AtlassianComponent]
    incidents: list[AtlassianIncident]
    scheduled_maintenances: list[AtlassianIncident]
    status: AtlassianStatus


Answer = StatusAnswer | ComponentsAnswer | IncidentsAnswer | MaintenancesAnswer | AtlassianSummary


_UNKNOWN: Final[ComponentStatus] = "degraded_performance"  # there is no word for it


def _summary(seen: PageSeen) -> Answer:
    incidents = [_incident(seen, one) for one in seen.incidents if one.is_open]
    maintenances = [_incident(seen, one) for one in seen.maintenances if one.is_open]
    return AtlassianSummary(
        _page(seen), _components(seen), incidents, maintenances, AtlassianStatus(seen.indicator, seen.headline)
    )


def _status_answer(seen: PageSeen) -> Answer:
    return StatusAnswer(_page(seen), AtlassianStatus(seen.indicator, seen.headline))


def _components_answer(seen: PageSeen) -> Answer:
    return ComponentsAnswer(_page(seen), _components(seen))


def _incidents(seen: PageSeen) -> Answer:
    return IncidentsAnswer(_page(seen), [_incident(seen, one) for one in latest(seen.incidents)])


def _unresolved_answer(seen: PageSeen) -> Answer:
    return IncidentsAnswer(_page(seen), [_incident(seen, one) for one in seen.incidents if one.is_open])


def _maintenances(seen: PageSeen, which: Iterable[IncidentSeen]) -> Answer:
    return MaintenancesAnswer(_page(seen), [_incident(seen, one) for one in which])


def _all_maintenances(seen: PageSeen) -> Answer:
    return _maintenances(seen, latest(seen.maintenances))


def _upcoming(seen: PageSeen) -> Answer:
    return _maintenances(seen, (one for one in seen.maintenances if one.status == "scheduled"))


def _active(seen: PageSeen) -> Answer:
    return _maintenances(seen, (one for one in seen.maintenances if one.is_open and one.status != "scheduled"))


# By what stands between api/v2/ and .json in the address.
ANSWERS: Final[Mapping[str, Callable[[PageSeen], Answer]]] = {
    "summary": _summary,
    "status": _status_answer,
    "components": _components_answer,
    "incidents": _incidents,
    "incidents/unresolved": _unresolved_answer,
    "scheduled-maintenances": _all_maintenances,
    "scheduled-maintenances/upcoming": _upcoming,
    "scheduled-maintenances/active": _active,
}


def _page(seen: PageSeen) -> AtlassianPage:
    """A change of a component is a change of the page."""
    changed = max((one.updated_at for one in seen.components), default=0)
    return AtlassianPage(seen.id, seen.name, seen.url, seen.zone, iso(max(seen.updated_at, changed)))


def _components(seen: PageSeen) -> list[AtlassianComponent]:
    """Groups and components, by their position."""
    made = [
        *(_group(seen, group) for group in seen.groups),
        *(_component(seen, component) for component in seen.components),
    ]
    return sorted(made, key=lambda one: one.position)


def _component(seen: PageSeen, one: ComponentSeen) -> AtlassianComponent:
    return AtlassianComponent(
        id=one.id,
        name=one.name,
        status=one.status or _UNKNOWN,
        created_at=iso(one.created_at),
        updated_at=iso(one.updated_at),
        position=one.position,
        description=one.description or None,
        showcase=one.shows_uptime,
        start_date=iso_day(one.created_at),
        group_id=one.group_id,
        page_id=seen.id,
        group=False,
        only_show_if_degraded=one.only_if_degraded,
    )


def _group(seen: PageSeen, group: GroupSeen) -> AtlassianComponent:
    return AtlassianComponent(
        id=group.id,
        name=group.name,
        status=group.status or _UNKNOWN,
        created_at=iso(group.created_at),
        updated_at=iso(group.updated_at),
        position=group.position,
        description=group.description or None,
        showcase=False,
        start_date=None,
        group_id=None,
        page_id=seen.id,
        group=True,
        only_show_if_degraded=False,
        components=[one.id for one in seen.components if one.group_id == group.id],
    )


def _incident(seen: PageSeen, one: IncidentSeen) -> AtlassianIncident:
    return AtlassianIncident(
        id=one.id,
        name=one.title,
        status=one.status,
        created_at=iso(one.created_at),
        updated_at=iso(one.updated_at),
        monitoring_at=_iso(one.monitoring_at),
        resolved_at=_iso(one.resolved_at),
        impact="maintenance" if one.kind == "maintenance" else one.severity,
        shortlink=f"{seen.url}/incidents/{one.id}",
        started_at=iso(one.started_at),
        page_id=seen.id,
        incident_updates=_updates(one),
        components=_affected_components(seen, one),
        scheduled_for=UNSET if one.scheduled_for is None else iso(one.scheduled_for),
        scheduled_until=UNSET if one.scheduled_until is None else iso(one.scheduled_until),
    )


def _iso(instant: int | None) -> str | None:
    return None if instant is None else iso(instant)


def _affected_components(seen: PageSeen, one: IncidentSeen) -> list[AtlassianComponent]:
    ids = {affected.component_id for affected in one.affected}
    return [_component(seen, component) for component in seen.components if component.id in ids]


def _updates(one: IncidentSeen) -> list[AtlassianIncidentUpdate]:
    """The updates, newest first, each with what it changed of what the one before had said."""
    return [
        AtlassianIncidentUpdate(
            id=update.id,
            status=update.status,
            body=update.message,
            incident_id=one.id,
            created_at=iso(update.created_at),
            updated_at=iso(update.updated_at),
            display_at=iso(update.at),
            affected_components=_component_changes(update.affected, before.affected if before is not None else ()),
            deliver_notifications=update.notified,
        )
        for update, before in zip_longest(one.updates, one.updates[1:])
    ]


def _component_changes(
    now: Iterable[AffectedSeen], before: Iterable[AffectedSeen]
) -> list[AtlassianAffectedComponent] | None:
    """The affected components. Deleted ones have no id, and are left out; None if nothing was affected."""
    was = {one.component_id: OF_IMPACT[one.impact] for one in before}
    found = [
        AtlassianAffectedComponent(
            one.component_id, one.name, was.get(one.component_id, "operational"), OF_IMPACT[one.impact]
        )
        for one in now
        if one.component_id is not None
    ]
    return found or None
