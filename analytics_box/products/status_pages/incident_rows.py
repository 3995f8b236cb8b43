"""Incidents, maintenances and their updates in box.db. Every function takes a connection inside the caller's
transaction. An incident comes with all of its updates, newest first."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.store import records
from analytics_box.base.store.db import Connection
from analytics_box.products.status_pages.incident import (
    AffectedComponent,
    Incident,
    IncidentTemplate,
    IncidentUpdate,
    Kind,
)
from analytics_box.resource.audited import AuditedTable
from analytics_box.resource.table import Table

MOST_ENDED: Final = 50  # of each kind that are kept in memory (wire 9.2)

_ENDED: Final = "('resolved', 'postmortem', 'completed')"
_KINDS: Final[tuple[Kind, ...]] = ("incident", "maintenance")
# Components and updates are read in bulk (_whole).
INCIDENTS: Final = Table("incidents", Incident, sql={"updates": ("'[]'", ""), "affected": ("'[]'", "")})
UPDATES: Final = Table("incident_updates", IncidentUpdate, key="number", generated=True)
TEMPLATES: Final = AuditedTable(
    "incident_templates",
    IncidentTemplate,
    "incident_template",
    "incidentTemplate",
    about=lambda template: {"name": template.name},
)

_NEWEST: Final = "order by started_at desc, created_at desc, id"
_MAINTENANCE_DUE: Final = (
    "resolved_at is null and is_draft = 0 and"
    " (status = 'scheduled' and scheduled_for <= :now"
    " or status in ('in_progress', 'verifying') and scheduled_until <= :now)"
)
_DRAFT_DUE: Final = "publish_at is not null and publish_at <= :now"
_WRONG: Final = """
  select 1 from incident_components as affected
  left join status_page_components as one on one.id = affected.component_id
  left join status_pages as page on page.id = one.page_id
  left join monitors on monitors.id = one.monitor_id and monitors.organization_id = page.organization_id
  where affected.incident_id = incidents.id and affected.impact <> 'operational'
"""
# Automatic incidents whose affected components, or their monitors, are all deleted: no transition will resolve them.
_LEFT: Final = f"""
resolved_at is null and origin = 'monitor' and exists ({_WRONG})
and not exists ({_WRONG} and one.id is not null and (one.monitor_id is null or monitors.id is not null))
"""
# Automatic drafts all of whose monitors are paused: their current state is unknown.
_UNWATCHED: Final = f"""
publish_at is not null and not exists ({_WRONG} and one.id is not null
  and (one.monitor_id is null or monitors.is_paused = 0))
"""
# Later than any instant in ms, and more than any number of updates.
_NEVER: Final = 2**62


class EarlierText(Struct, frozen=True):
    """The text of an update until `replaced_at` (UTC ms), when `author` edited it."""

    message: str
    author: str
    replaced_at: int


def incidents_of(db: Connection, page_id: str, most_ended: int = MOST_ENDED) -> tuple[Incident, ...]:
    """The incidents and maintenances of a page that are kept in memory: all open ones, and the latest ended ones of
    each kind.

    Ended drafts are not among them.
    """
    found = INCIDENTS.all(db, f"page_id = ? and status not in {_ENDED}", page_id)
    for kind in _KINDS:
        condition = f"page_id = ? and kind = ? and is_draft = 0 and status in {_ENDED} {_NEWEST} limit ?"
        found += INCIDENTS.all(db, condition, page_id, kind, most_ended)
    return _whole(db, sorted(found, key=lambda row: (-row.started_at, -row.created_at, row.id)))


def incidents_between(
    db: Connection, page_id: str, start: int, end: int, *, skipped: int, most: int
) -> tuple[Incident, ...]:
    """The incidents and maintenances that began from `start` until before `end` (UTC ms), newest first, without drafts.

    The first `skipped` are left out, `most` is the limit, and each has its two latest updates only.
    """
    condition = f"page_id = ? and is_draft = 0 and started_at >= ? and started_at < ? {_NEWEST} limit ? offset ?"
    found = INCIDENTS.all(db, condition, page_id, start, end, most, skipped)
    return _whole(db, found, most_updates=2)


def latest(db: Connection, page_id: str, kind: Kind, *, before: int | None, most: int) -> tuple[Incident, ...]:
    """The latest of a kind, drafts as well; those that began before this instant, if one is given."""
    condition = f"page_id = ? and kind = ? and started_at < ? {_NEWEST} limit ?"
    return _whole(db, INCIDENTS.all(db, condition, page_id, kind, _NEVER if before is None else before, most))


def find(db: Connection, incident_id: str) -> Incident | None:
    found = _whole(db, INCIDENTS.all(db, "id = ?", incident_id))
    return found[0] if found else None


def page_of(db: Connection, incident_id: str) -> str | None:
    """The id of the page that an incident is on."""
    return _text(db, "-- incidents.page_of\nselect page_id from incidents where id = ?", incident_id)


def incident_of(db: Connection, update_id: str) -> str | None:
    """The id of the incident that an update is of."""
    return _text(db, "-- incidents.incident_of\nselect incident_id from incident_updates where id = ?", update_id)


def insert(db: Connection, incident: Incident) -> None:
    """A new one, with its components and updates."""
    INCIDENTS.insert(db, incident)
    _set_affected(db, incident)
    for update in reversed(incident.updates):
        UPDATES.insert(db, update)


def update(db: Connection, incident: Incident) -> None:
    """Store an incident without its updates."""
    INCIDENTS.update(db, incident)
    db.execute("-- incidents.update\ndelete from incident_components where incident_id = ?", (incident.id,))
    _set_affected(db, incident)


def edit_update(db: Connection, said: IncidentUpdate, message: str, author: str, now: int) -> None:
    """Replace the text of an update and keep the previous text. An update automatic becomes that of its editor."""
    db.execute(
        """
        -- incidents.edit_update
        insert into incident_update_texts (update_id, message, author, replaced_at) values (?, ?, ?, ?)
        """,
        (said.id, said.message, author, now),
    )
    db.execute(
        """
        -- incidents.edit_update
        update incident_updates set message = ?, author = ?, updated_at = ? where id = ?
        """,
        (message, said.author or author, now, said.id),
    )


def rewrite_update(db: Connection, said: IncidentUpdate) -> None:
    """Store the text and the components of an update that was not published."""
    db.execute(
        """
        -- incidents.rewrite_update
        update incident_updates set message = ?, affected = ?, updated_at = ? where id = ?
        """,
        (said.message, msgspec.json.encode(said.affected).decode(), said.updated_at, said.id),
    )


def set_notified(db: Connection, update_id: str, now: int) -> None:
    """Mark an update as sent to subscribers."""
    db.execute(
        "-- incidents.set_notified\nupdate incident_updates set notified = 1, updated_at = ? where id = ?",
        (now, update_id),
    )


def hasten_drafts(db: Connection, page_id: str, latest: int) -> None:
    """Publish the waiting drafts of a page at this instant (UTC ms) at the latest."""
    db.execute(
        """
        -- incidents.hasten_drafts
        update incidents set publish_at = ?2 where page_id = ?1 and publish_at > ?2
        """,
        (page_id, latest),
    )


def earlier_texts(db: Connection, update_id: str) -> list[EarlierText]:
    """Earlier texts of an update, newest first."""
    return records.all_of(
        db,
        EarlierText,
        """
        -- incidents.earlier_texts
        select message, author, replaced_at from incident_update_texts where update_id = ? order by number desc
        """,
        (update_id,),
    )


def count_open(db: Connection, page_id: str) -> int:
    """The number of open incidents and maintenances of a page."""
    return INCIDENTS.count(db, f"page_id = ? and status not in {_ENDED}", page_id)


def pages_due(db: Connection, now: int) -> list[str]:
    """The ids of pages on which a maintenance begins or ends, or a draft is published, by now (UTC ms), or where an
    incident is left with nothing that it is about."""
    found = db.execute(
        f"""
        -- incidents.pages_due
        select page_id from incidents where {_MAINTENANCE_DUE}
        union
        select page_id from incidents where {_DRAFT_DUE}
        union
        select page_id from incidents where {_LEFT}
        """,
        {"now": now},
    ).fetchall()
    return [str(page_id) for (page_id,) in found]


def maintenances_due(db: Connection, page_id: str, now: int) -> tuple[Incident, ...]:
    """The maintenances of a page that begin or end by now."""
    return _due(db, _MAINTENANCE_DUE, page_id, now)


def drafts_due(db: Connection, page_id: str, now: int) -> tuple[Incident, ...]:
    """The drafts of a page that are to be published by now."""
    return _due(db, _DRAFT_DUE, page_id, now)


def left_alone(db: Connection, page_id: str) -> tuple[Incident, ...]:
    """The open automatic incidents of a page that affect nothing that still exists."""
    return _due(db, _LEFT, page_id, 0)


def unwatched_drafts(db: Connection, page_id: str) -> tuple[Incident, ...]:
    """The drafts of a page that wait to be published and all of whose monitors are paused."""
    return _due(db, _UNWATCHED, page_id, 0)


def wait_at_least(db: Connection, until: int) -> None:
    """No draft is published before this instant (UTC ms)."""
    waiting = "publish_at is not null and publish_at < ?1"
    if db.execute(f"-- incidents.wait_at_least\nselect 1 from incidents where {waiting} limit 1", (until,)).fetchone():
        db.execute(f"-- incidents.wait_at_least\nupdate incidents set publish_at = ?1 where {waiting}", (until,))


def _due(db: Connection, due: str, page_id: str, now: int) -> tuple[Incident, ...]:
    return _whole(db, INCIDENTS.all(db, f"{due} and page_id = :page order by started_at, id", now=now, page=page_id))


def _whole(db: Connection, found: Sequence[Incident], most_updates: int = _NEVER) -> tuple[Incident, ...]:
    """The incidents with their components and up to `most_updates` of their latest updates; all updates by default."""
    if not found:
        return ()
    ids = json.dumps([incident.id for incident in found])
    known = _component_ids(db, {incident.page_id for incident in found})
    affected: defaultdict[str, list[AffectedComponent]] = defaultdict(list)
    named: list[Any] = db.execute(
        """
        -- incidents.whole
        select incident_id, component_id, name, impact from incident_components
        where incident_id in (select value from json_each(?)) order by incident_id, position
        """,
        (ids,),
    ).fetchall()
    for incident_id, component_id, name, impact in named:
        affected[incident_id].append(AffectedComponent(component_id=component_id, name=name, impact=impact))
    updates: defaultdict[str, list[IncidentUpdate]] = defaultdict(list)
    latest_updates = f"""
        -- incidents.whole
        select {UPDATES.columns} from (
          select *, row_number() over (partition by incident_id order by at desc, number desc) as place
          from incident_updates where incident_id in (select value from json_each(?))
        )
        where place <= ? order by incident_id, place
        """
    for said in UPDATES.select(db, latest_updates, (ids, most_updates)):
        impacts = (one if one.component_id in known else replace(one, component_id=None) for one in said.affected)
        updates[said.incident_id].append(replace(said, affected=tuple(impacts)))
    return tuple(replace(one, affected=tuple(affected[one.id]), updates=tuple(updates[one.id])) for one in found)


def _component_ids(db: Connection, pages: Iterable[str]) -> set[str]:
    """The ids of all components that these pages have."""
    found = db.execute(
        """
        -- incidents.known
        select id from status_page_components where page_id in (select value from json_each(?))
        """,
        (json.dumps(list(pages)),),
    ).fetchall()
    return {str(component_id) for (component_id,) in found}


def _set_affected(db: Connection, incident: Incident) -> None:
    db.executemany(
        """
        -- incidents.set_affected
        insert into incident_components (incident_id, position, component_id, name, impact) values (?, ?, ?, ?, ?)
        """,
        [(incident.id, place, one.component_id, one.name, one.impact) for place, one in enumerate(incident.affected)],
    )


def _text(db: Connection, statement: str, value: str) -> str | None:
    found = db.execute(statement, (value,)).fetchone()
    return None if found is None else str(found[0])
