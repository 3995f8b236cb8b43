"""Words to begin incidents with: each verb writes its row and its audit entry in the caller's transaction."""

from typing import Final

from analytics_box.base import audit, errors, ids
from analytics_box.base.errors import BadRequest
from analytics_box.base.store.db import Connection
from analytics_box.products.status_pages.access import StatusPageReach, check, existing
from analytics_box.products.status_pages.incidents import template_rows as rows
from analytics_box.products.status_pages.incidents import words
from analytics_box.products.status_pages.incidents.messages import SaveIncidentTemplate
from analytics_box.products.status_pages.incidents.template_rows import IncidentTemplate

MOST: Final = 100  # of a page


def save(db: Connection, own: StatusPageReach, given: SaveIncidentTemplate) -> IncidentTemplate:
    """A new template, or another state of one. Raises Forbidden, NotFound, BadRequest or Conflict."""
    check(db, own, "member")
    page = existing(db, own, given.status_page_id)
    known = rows.of_page(db, page.id)
    before = next((each for each in known if each.id == given.template_id), None)
    if given.template_id is not None and before is None:
        raise errors.NotFound.of("incidentTemplate", given.template_id)
    if before is None and len(known) >= MOST:
        raise errors.Conflict.full("incidentTemplates", MOST, f"This page has {MOST} templates; delete one first")
    name = " ".join(given.name.split())
    if not name:
        raise BadRequest.about("name", "Give it a name")
    made = IncidentTemplate(
        id=before.id if before is not None else ids.new_id(),
        page_id=page.id,
        name=words.title(name),
        title=words.title(given.title) if given.title.strip() else "",
        severity=given.severity,
        message=words.optional(given.message),
        created_at=before.created_at if before is not None else own.by.now,
    )
    if made == before:
        return made
    rows.store_template(db, made)
    action: audit.Action = "created" if before is None else "updated"
    audit.record(db, own.by, page.organization_id, action, "incident_template", made.id, {"name": made.name})
    return made


def delete(db: Connection, own: StatusPageReach, template_id: str) -> None:
    """Delete a template. Raises Forbidden or NotFound."""
    check(db, own, "member")
    gone = rows.find(db, template_id)
    if gone is None:
        raise errors.NotFound.of("incidentTemplate", template_id)
    try:
        page = existing(db, own, gone.page_id)
    except errors.NotFound as elsewhere:
        raise errors.NotFound.of("incidentTemplate", template_id) from elsewhere
    rows.delete(db, gone.id)
    audit.record(db, own.by, page.organization_id, "deleted", "incident_template", gone.id, {"name": gone.name})
