"""Creation of imported status pages: a page with its components and incidents in the caller's transaction."""

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any, Final

import msgspec

from analytics_box.base import ids
from analytics_box.base.errors import BadRequest, BoxError
from analytics_box.base.facts.uptime import DEGRADED, DOWN, MAINTENANCE, UP
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.status_pages import incident_rows
from analytics_box.products.status_pages.access import touch_page
from analytics_box.products.status_pages.editing import change, components
from analytics_box.products.status_pages.editing.messages import CreateStatusPage
from analytics_box.products.status_pages.incident import (
    LONGEST_MESSAGE,
    LONGEST_TITLE,
    AffectedComponent,
    Impact,
    Incident,
    IncidentUpdate,
    Kind,
    Status,
    clean_text,
    clean_title,
)
from analytics_box.products.status_pages.incidents import rules
from analytics_box.products.status_pages.incidents.change import component_name
from analytics_box.products.status_pages.moving.wanted import ComponentItem, IncidentItem, StatusPageItem
from analytics_box.products.status_pages.page import (
    LONGEST_DESCRIPTION,
    LONGEST_NAME,
    MOST_COMPONENTS,
    MOST_GROUPS,
    Component,
    StatusPage,
    Whole,
    new_component,
)
from analytics_box.products.status_pages.rows import PAGES
from analytics_box.resource.fields import Values, values_of
from analytics_box.resource.reach import Reach

MOST_INCIDENTS: Final = 5_000  # Incidents of an imported page.
_MOST_UPDATES: Final = 500  # Updates of an incident.
_TRIED: Final = 8  # Slugs.
_STATES: Final[Mapping[Impact, int]] = {
    "operational": UP,
    "degraded": DEGRADED,
    "partial": DEGRADED,
    "down": DOWN,
    "maintenance": MAINTENANCE,
}
_STATUSES: Final[Mapping[Kind, frozenset[Status]]] = {
    "incident": frozenset(("investigating", "identified", "monitoring", "resolved", "postmortem")),
    "maintenance": frozenset(("scheduled", "in_progress", "verifying", "completed")),
}
_WORSE: Final = (UP, MAINTENANCE, DEGRADED, DOWN)


def page_values(item: StatusPageItem, slug: str) -> Values:
    """The values of the new page, a draft. Raises BadRequest."""
    given: dict[str, Any] = {
        "name": item.name[:LONGEST_NAME],
        "slug": slug,
        "description": item.description[:LONGEST_DESCRIPTION],
        "theme": item.theme,
        "isIndexed": item.is_indexed,
        "isPublished": False,
    }
    try:
        return values_of(msgspec.convert(given, CreateStatusPage), StatusPage, None)
    except msgspec.ValidationError as wrong:
        raise BadRequest(str(wrong)) from wrong


def optional_values(item: StatusPageItem) -> tuple[Values, list[str]]:
    """Values that are left out if they are not valid here, with a note on each of these."""
    found: dict[str, Any] = {}
    notes = []
    for name, value in (("websiteUrl", item.website_url), ("timeZone", item.zone)):
        try:
            plain = {"name": "x", "slug": "x"} | ({name: value} if value else {})
            made = values_of(msgspec.convert(plain, CreateStatusPage), StatusPage, None)
            found |= {key: one for key, one in made.items() if key in {"website_url", "zone"}}
        except (BoxError, msgspec.ValidationError):
            notes.append(_("{name} is not supported").format(name=f"{name} {value[:60]}"))
    return found, notes


def free_slug(db: Connection, item: StatusPageItem, organization_id: str) -> tuple[str, str]:
    """The slug for a new page, or that of the organization's page with this slug and the id of that page.

    Raises BadRequest if other organizations use all slugs that are tried.
    """
    for number in range(1, _TRIED + 1):
        slug = item.slug if number == 1 else f"{item.slug[:96]}-{number}"
        found = PAGES.first(db, "slug = ?", slug)
        if found is None:
            return slug, ""
        if found.organization_id == organization_id:
            return slug, found.id
    raise BadRequest.about("slug", _("The slug {slug} is used by another status page").format(slug=item.slug))


def create(
    db: Connection, monitors: Monitors, own: Reach, item: StatusPageItem, values: Values
) -> tuple[Whole, list[str]]:
    """Create a page with everything in it, and return notes on what is not imported. Raises Forbidden, BadRequest or
    Conflict."""
    whole = change.create(db, own, values)
    page, notes = whole.page, []
    groups = {}
    for place, group in enumerate(item.groups[:MOST_GROUPS]):
        fields = {
            "name": (group.name or _("Group"))[:LONGEST_NAME],
            "description": group.description[:LONGEST_DESCRIPTION],
        }
        groups[group.ref] = components.add_group(db, own, page.id, {**fields, "position": place * 1_000}).id
    made: dict[str, Component] = {}
    for place, one in enumerate(item.components[:MOST_COMPONENTS]):
        try:
            made[one.ref] = components.insert(
                db, own, _component(page, one, groups.get(one.group), place, own.by.now), at_end=False
            )
        except BoxError as refused:
            notes.append(f"{one.name or one.ref}: {refused.message}")
    for kind, most, count in (
        (_("groups"), MOST_GROUPS, len(item.groups)),
        (_("components"), MOST_COMPONENTS, len(item.components)),
        (_("incidents"), MOST_INCIDENTS, len(item.incidents)),
    ):
        if count > most:
            notes.append(
                _("Only the first {most} of {count} {kind} are imported").format(most=most, count=count, kind=kind)
            )
    names = {ref: component_name(monitors, page, one) or one.name for ref, one in made.items()}
    affected = {ref: (one.id, names[ref]) for ref, one in made.items()}
    incidents = []
    for entry in sorted(item.incidents[:MOST_INCIDENTS], key=lambda one: one.updates[0].at if one.updates else 0):
        try:
            incidents.append(_add_incident(db, page, entry, affected, own))
        except BoxError as refused:
            notes.append(_("Incident {name}: {reason}").format(name=entry.title[:80], reason=refused.message))
    _add_spans(db, item.components, made, incidents, own.by.now)
    return touch_page(db, page.id, own.by.now), notes


def _component(page: StatusPage, item: ComponentItem, group_id: str | None, place: int, now: int) -> Component:
    name = item.name[:LONGEST_NAME] if item.monitor_id is not None else (item.name or _("Component"))[:LONGEST_NAME]
    values: dict[str, Any] = {
        "monitor_id": item.monitor_id,
        "group_id": group_id,
        "name": name,
        "description": item.description[:LONGEST_DESCRIPTION],
        "only_if_degraded": item.only_if_degraded,
        "hide_url": not item.shows_url,
        "position": MOST_GROUPS + place,
        "status": item.status if item.monitor_id is None else "operational",
    }
    return new_component(id=ids.new_id(), page_id=page.id, created_at=now, updated_at=now, **values)


def _add_incident(
    db: Connection, page: StatusPage, item: IncidentItem, known: Mapping[str, tuple[str, str]], own: Reach
) -> Incident:
    """Store an incident with its updates as they were. Subscribers are not notified. Raises BadRequest."""
    if not item.updates:
        raise BadRequest(_("It has no updates"))
    first = item.updates[0]
    made = Incident(
        id=ids.new_id(),
        page_id=page.id,
        kind=item.kind,
        title=clean_title(item.title or _("Incident"))[:LONGEST_TITLE],
        status=rules.FIRST[item.kind],
        severity=item.severity,
        scheduled_for=item.scheduled_for,
        scheduled_until=max(item.scheduled_until or 0, (item.scheduled_for or 0) + 1) if item.scheduled_for else None,
        started_at=item.scheduled_for if item.scheduled_for is not None and first.status == "scheduled" else first.at,
        created_at=first.at,
        updated_at=first.at,
    )
    impacts: dict[str, Impact] = {ref: one for ref, one in item.affected.items() if ref in known}
    for said in item.updates[:_MOST_UPDATES]:
        status = said.status if said.status in _STATUSES[item.kind] else rules.FIRST[item.kind]
        if said.affected is not None:
            impacts |= {ref: one for ref, one in said.affected.items() if ref in known}
        affected = tuple(
            AffectedComponent(component_id=known[ref][0], name=known[ref][1], impact=one)
            for ref, one in impacts.items()
        )
        if status in {"resolved", "completed", "postmortem"}:
            affected = rules.all_operational(affected)
        update = IncidentUpdate(
            id=ids.new_id(),
            incident_id=made.id,
            status=status,
            message=clean_text(said.message)[:LONGEST_MESSAGE],
            at=said.at,
            created_at=said.at,
            updated_at=said.at,
            notified=False,
            affected=affected,
        )
        made = rules.apply_update(made, update)
    incident_rows.insert(db, made)
    return made


def _add_spans(
    db: Connection,
    items: Iterable[ComponentItem],
    made: Mapping[str, Component],
    incidents: Iterable[Incident],
    now: int,
) -> None:
    """Store the past of components without a monitor: operational since they were created, but for their incidents."""
    times: dict[str, list[tuple[int, int, int]]] = {}
    for incident in incidents:
        updates = incident.updates[::-1]
        for said, following in zip(updates, (*updates[1:], None), strict=True):
            if said.status == "scheduled":
                continue
            for one in said.affected:
                until = following.at if following is not None else now
                if one.component_id is not None and one.impact != "operational" and until > said.at:
                    times.setdefault(one.component_id, []).append((said.at, min(until, now), _STATES[one.impact]))
    for item in items:
        component = made.get(item.ref)
        if component is None or component.monitor_id is not None or not 0 < item.since < now:
            continue
        found = times.get(component.id, [])
        edges = sorted(
            {item.since, now, *(edge for start, end, _state in found for edge in (start, end) if edge > item.since)}
        )
        rows: list[tuple[int, int, int]] = []
        for start, end in pairwise(edges):
            state = max((one for since, until, one in found if since <= start < until), key=_WORSE.index, default=UP)
            if rows and rows[-1][0] == state:
                rows[-1] = (state, rows[-1][1], end)
            else:
                rows.append((state, start, end))
        db.executemany(
            """
            -- status_pages.moving.spans
            insert into component_spans (component_id, state, start, until) values (?, ?, ?, ?)
            """,
            [(component.id, *row) for row in rows],
        )
