"""Pages of Atlassian Statuspage, from the JSON of its API (version 1) or of a page's public API (version 2). Pure.

A file is one object: `page`, `components`, `component_groups`, `incidents` and `subscribers` as the API answers them.
Scheduled maintenance is among the incidents of version 1, and has a separate list in version 2.
"""

from collections.abc import Mapping
from typing import Any, Final

from analytics_box.base.translation import _, ngettext
from analytics_box.base.urls import url_parts
from analytics_box.products.status_pages.incident import STATUS_LABELS, USUAL_MESSAGES, Impact, Severity, Status
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

_STATUSES: Final[Mapping[str, ComponentStatus]] = {
    "operational": "operational",
    "degraded_performance": "degraded_performance",
    "partial_outage": "partial_outage",
    "major_outage": "major_outage",
    "under_maintenance": "under_maintenance",
}
_IMPACTS: Final[Mapping[str, Impact]] = {
    "operational": "operational",
    "degraded_performance": "degraded",
    "partial_outage": "partial",
    "major_outage": "down",
    "under_maintenance": "maintenance",
}
_SEVERITIES: Final[Mapping[str, Severity]] = {"major": "major", "critical": "critical"}
_OF_MAINTENANCE: Final = frozenset(("scheduled", "in_progress", "verifying", "completed"))


def read_atlassian(given: Mapping[str, Any]) -> list[StatusPageItem]:
    """The page of a file. Raises BadRequest for lists that are too long."""
    page = given["page"] if isinstance(given.get("page"), dict) else {}
    listed = entries(given.get("components") or [])
    groups = {text(one.get("id")): one for one in listed if one.get("group")}
    groups |= {text(one.get("id")): one for one in entries(given.get("component_groups") or [])}
    inside = {
        text(ref): group_id
        for group_id, one in groups.items()
        for ref in (one["components"] if isinstance(one.get("components"), list) else ())
    }
    components = sorted((one for one in listed if not one.get("group")), key=_position)
    incidents = entries(given.get("incidents") or []) + entries(given.get("scheduled_maintenances") or [])
    subscribers, notes = _subscribers(given)
    if page.get("domain"):
        notes.append(_("The custom domain is not imported. Add it in Settings"))
    host = url_parts(text(page.get("url"))).netloc
    name = text(page.get("name")) or _("Imported page")
    return [
        StatusPageItem(
            name=name,
            slug=slug_of(text(page.get("subdomain")) or host.partition(".")[0] or name),
            description=text(page.get("page_description")),
            website_url=text(page.get("url")) if page.get("subdomain") else "",
            zone=text(page.get("time_zone")),
            is_indexed=page.get("hidden_from_search") is not True,
            groups=tuple(
                GroupItem(ref=ref, name=text(one.get("name")), description=text(one.get("description")))
                for ref, one in sorted(groups.items(), key=lambda each: _position(each[1]))
            ),
            components=tuple(
                ComponentItem(
                    ref=text(one.get("id")),
                    name=text(one.get("name")),
                    description=text(one.get("description")),
                    group=text(one.get("group_id")) or inside.get(text(one.get("id")), ""),
                    status=_STATUSES.get(text(one.get("status")), "operational"),
                    only_if_degraded=one.get("only_show_if_degraded") is True,
                    since=instant(one.get("start_date")) or instant(one.get("created_at")) or 0,
                )
                for one in components
            ),
            incidents=tuple(_incident(one) for one in incidents),
            subscribers=subscribers,
            notes=tuple(notes),
        )
    ]


def _incident(given: Mapping[str, Any]) -> IncidentItem:
    start, end = instant(given.get("scheduled_for")), instant(given.get("scheduled_until"))
    is_maintenance = start is not None and (end is not None or text(given.get("status")) in _OF_MAINTENANCE)
    updates = sorted(
        (made for one in entries(given.get("incident_updates") or []) if (made := _update(one)) is not None),
        key=lambda one: one.at,
    )
    listed = entries(given.get("components") or [])
    impact: Impact = "maintenance" if is_maintenance else "degraded"
    affected = {
        text(one.get("id")): impact if (now := _IMPACTS.get(text(one.get("status")))) in {None, "operational"} else now
        for one in listed
    }
    return IncidentItem(
        kind="maintenance" if is_maintenance else "incident",
        title=text(given.get("name")),
        updates=tuple(updates),
        severity=_SEVERITIES.get(text(given.get("impact")), "minor"),
        affected={ref: one for ref, one in affected.items() if one is not None},
        scheduled_for=start if is_maintenance else None,
        scheduled_until=(end or (start or 0) + 3_600_000) if is_maintenance else None,
    )


def _update(given: Mapping[str, Any]) -> UpdateItem | None:
    status = text(given.get("status"))
    at = instant(given.get("display_at")) or instant(given.get("created_at"))
    if status not in STATUS_LABELS or at is None:
        return None
    known: Status = status  # type: ignore[assignment]  # STATUS_LABELS has all of them.
    changes = given.get("affected_components")
    affected = {
        text(one.get("code")): _IMPACTS[text(one.get("new_status"))]
        for one in (changes if isinstance(changes, list) else ())
        if isinstance(one, dict) and text(one.get("new_status")) in _IMPACTS
    }
    return UpdateItem(
        status=known, message=text(given.get("body")) or USUAL_MESSAGES[known], at=at, affected=affected or None
    )


def _subscribers(given: Mapping[str, Any]) -> tuple[tuple[SubscriberItem, ...], list[str]]:
    """Subscribers by email, and a note on the others."""
    listed = entries(given.get("subscribers") or [])
    found = []
    for one in listed:
        components = one.get("components")
        refs = tuple(text(ref) for ref in components) if isinstance(components, list) else ()
        if text(one.get("mode")) in {"email", ""} and text(one.get("email")) and not one.get("quarantined_at"):
            found.append(SubscriberItem(address=text(one["email"]), components=refs))
    others = len(listed) - len(found)
    note = ngettext(
        "1 subscriber by SMS, webhook or chat, or that cannot be reached, is not imported",
        "{count} subscribers by SMS, webhook or chat, or that cannot be reached, are not imported",
        others,
    )
    return tuple(found), [note.format(count=f"{others:,}")] if others else []


def _position(given: Mapping[str, Any]) -> int:
    place = given.get("position")
    return place if isinstance(place, int) else 0
