"""Pages of Cachet 2 and 3, from the JSON of their APIs. Pure.

A file is one object: `components`, `component_groups`, `incidents`, `schedules` and `subscribers` as the API answers
them. Entries of version 3 have `attributes` and `relationships`, and what they refer to is in `included`.
"""

from collections.abc import Mapping
from typing import Any, Final

from analytics_box.base.clock import HOUR
from analytics_box.base.translation import _
from analytics_box.products.status_pages.incident import USUAL_MESSAGES, Impact, Severity, Status
from analytics_box.products.status_pages.moving.wanted import (
    ComponentItem,
    GroupItem,
    IncidentItem,
    StatusPageItem,
    SubscriberItem,
    UpdateItem,
    entries,
    instant,
    slug_of,
    text,
)
from analytics_box.products.status_pages.page import ComponentStatus

_COMPONENTS: Final[Mapping[str, ComponentStatus]] = {
    "2": "degraded_performance",
    "3": "partial_outage",
    "4": "major_outage",
}
_IMPACTS: Final[Mapping[str, Impact]] = {"2": "degraded", "3": "partial", "4": "down"}
_SEVERITIES: Final[Mapping[str, Severity]] = {"3": "major", "4": "critical"}
_INCIDENTS: Final[Mapping[str, Status]] = {
    "1": "investigating",
    "2": "identified",
    "3": "monitoring",
    "4": "resolved",
}
_SCHEDULES: Final[Mapping[str, Status]] = {"0": "scheduled", "1": "in_progress", "2": "completed"}


def is_cachet(given: Mapping[str, Any]) -> bool:
    """Whether this looks like answers of Cachet: its lists are in `data`."""
    for name in ("components", "incidents", "schedules"):
        value = given.get(name)
        first = value[0] if isinstance(value, list) and value else value
        if isinstance(first, dict) and ("data" in first or "attributes" in first or "human_status" in first):
            return True
    return False


def read_cachet(given: Mapping[str, Any]) -> list[StatusPageItem]:
    """The page of a file. Raises BadRequest for lists that are too long."""
    included = _included_entries(given)
    components = [_plain(one) for one in entries(given.get("components") or [])]
    components += [one for (kind, _ref), one in included.items() if kind == "components" and one not in components]
    groups = [_plain(one) for one in entries(given.get("component_groups") or given.get("componentGroups") or [])]
    groups += [one for (kind, _ref), one in included.items() if kind == "componentGroups" and one not in groups]
    inside = {
        ref: text(group.get("id")) for group in groups for ref in _refs(group, "components", "enabled_components")
    }
    settings = given["settings"] if isinstance(given.get("settings"), dict) else {}
    name = text(settings.get("app_name") or settings.get("name")) or "Cachet"
    incidents = [_incident(_plain(one), included) for one in entries(given.get("incidents") or [])]
    incidents += [_maintenance(_plain(one), included) for one in entries(given.get("schedules") or [])]
    return [
        StatusPageItem(
            name=name,
            slug=slug_of(name),
            zone=text(settings.get("app_timezone") or settings.get("timezone")),
            groups=tuple(
                GroupItem(ref=text(one.get("id")), name=text(one.get("name"))) for one in sorted(groups, key=_order)
            ),
            components=tuple(
                ComponentItem(
                    ref=text(one.get("id")),
                    name=text(one.get("name")),
                    description=text(one.get("description")),
                    group=_group_of(one) or inside.get(text(one.get("id")), ""),
                    status=_COMPONENTS.get(_code(one.get("status")), "operational"),
                    since=_instant(one, "created") or 0,
                )
                for one in sorted(components, key=_order)
                if one.get("enabled") is not False
            ),
            incidents=tuple(one for one in incidents if one is not None),
            subscribers=tuple(
                SubscriberItem(address=text(one.get("email")), components=_subscribed_components(one))
                for one in map(_plain, entries(given.get("subscribers") or []))
                if text(one.get("email"))
            ),
            notes=(_("Metrics are not imported"),) if given.get("metrics") else (),
        )
    ]


def _incident(given: Mapping[str, Any], included: Mapping[tuple[str, str], Any]) -> IncidentItem | None:
    """An incident: its message is its first update. None for one that is scheduled, which version 2.3 listed here."""
    at = _instant(given, "occurred") or _instant(given, "created")
    if at is None:
        return None
    later = []
    for one in _updates(given, included):
        status, moment = _INCIDENTS.get(_code(one.get("status"))), _instant(one, "created")
        if status is not None and moment is not None:
            message = text(one.get("message")) or USUAL_MESSAGES[status]
            later.append(UpdateItem(status=status, message=message, at=max(moment, at)))
    later.sort(key=lambda one: one.at)
    last = _INCIDENTS.get(_code(given.get("latest_status") or given.get("status")))
    first: Status = "investigating" if later or last is None else last
    updates = [UpdateItem(status=first, message=text(given.get("message")) or USUAL_MESSAGES[first], at=at), *later]
    ended = _instant(given, "updated")
    if last is not None and updates[-1].status != last and ended is not None:
        updates.append(UpdateItem(status=last, message=USUAL_MESSAGES[last], at=max(ended, updates[-1].at)))
    code = _code(given.get("component_status")) or "2"
    refs = _refs(given, "components") or ([text(given["component_id"])] if given.get("component_id") else [])
    return IncidentItem(
        kind="incident",
        title=text(given.get("name")),
        updates=tuple(updates),
        severity=_SEVERITIES.get(code, "minor"),
        affected={ref: _IMPACTS.get(code, "degraded") for ref in refs},
    )


def _maintenance(given: Mapping[str, Any], included: Mapping[tuple[str, str], Any]) -> IncidentItem | None:
    start, end = _instant(given, "scheduled"), _instant(given, "completed")
    if start is None:
        return None
    status = _SCHEDULES.get(_code(given.get("status")), "completed" if end is not None else "scheduled")
    created = min(_instant(given, "created") or start, start)
    until = end if end is not None and end > start else start + HOUR
    updates = [
        UpdateItem(status="scheduled", message=text(given.get("message")) or USUAL_MESSAGES["scheduled"], at=created)
    ]
    for one in _updates(given, included):
        moment = _instant(one, "created")
        if moment is not None and text(one.get("message")):
            now: Status = "scheduled" if moment < start else "in_progress"
            updates.append(UpdateItem(status=now, message=text(one.get("message")), at=max(moment, created)))
    updates.sort(key=lambda one: one.at)
    if status != "scheduled":
        at = max(until if status == "completed" else start, updates[-1].at)
        updates.append(UpdateItem(status=status, message=USUAL_MESSAGES[status], at=at))
    return IncidentItem(
        kind="maintenance",
        title=text(given.get("name")),
        updates=tuple(updates),
        affected=dict.fromkeys(_refs(given, "components"), "maintenance"),
        scheduled_for=start,
        scheduled_until=until,
    )


def _plain(given: Mapping[str, Any]) -> dict[str, Any]:
    """An entry of version 3 as one of version 2: its attributes, with ids of what it refers to."""
    attributes = given.get("attributes")
    if not isinstance(attributes, dict):
        return dict(given)
    related = given.get("relationships")
    found: dict[str, Any] = {"id": given.get("id")} | attributes
    for name, value in related.items() if isinstance(related, dict) else ():
        data = value.get("data") if isinstance(value, dict) else None
        found[str(name)] = data
    return found


def _included_entries(given: Mapping[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    """Entries that others refer to, by type and id."""
    found = {}
    for value in given.values():
        for one in value if isinstance(value, list) else [value]:
            listed = one.get("included") if isinstance(one, dict) else None
            for each in entries(listed) if isinstance(listed, list) else ():
                found[text(each.get("type")), text(each.get("id"))] = _plain(each)
    return found


def _updates(given: Mapping[str, Any], included: Mapping[tuple[str, str], Any]) -> list[dict[str, Any]]:
    listed = given.get("updates")
    found = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    return [included.get((text(one.get("type")), text(one.get("id"))), one) for one in found]


def _refs(given: Mapping[str, Any], *names: str) -> list[str]:
    for name in names:
        listed = given.get(name)
        if isinstance(listed, list) and listed:
            return [text(one.get("id")) if isinstance(one, dict) else text(one) for one in listed]
    return []


def _group_of(given: Mapping[str, Any]) -> str:
    group = given.get("group")
    found = group.get("id") if isinstance(group, dict) else given.get("group_id") or given.get("component_group_id")
    return "" if found in (None, 0, "0") else text(found)


def _subscribed_components(given: Mapping[str, Any]) -> tuple[str, ...]:
    """The components of a subscriber; none if all."""
    if given.get("global"):
        return ()
    listed = given.get("subscriptions") or given.get("components")
    found = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    return tuple(text(one.get("component_id") or one.get("id")) for one in found)


def _code(value: Any) -> str:
    """The number of a status as text; version 3 has it in an object."""
    if isinstance(value, dict):
        value = value.get("value")
    return text(value)


def _instant(given: Mapping[str, Any], name: str) -> int | None:
    """The time `created` of version 3, or `created_at` of version 2."""
    value = given.get(name)
    return instant(value.get("string")) if isinstance(value, dict) else instant(given.get(f"{name}_at"))


def _order(given: Mapping[str, Any]) -> int:
    place = given.get("order")
    return place if isinstance(place, int) else 0
