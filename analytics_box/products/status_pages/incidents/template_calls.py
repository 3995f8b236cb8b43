"""Incident templates over RPC. Scopes: read:status_pages, write:status_pages."""

from typing import Final

from analytics_box.base import errors, ids
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.status_pages.access import find_reachable_page, page_in_reach
from analytics_box.products.status_pages.incident import IncidentTemplate
from analytics_box.products.status_pages.incident_rows import TEMPLATES
from analytics_box.products.status_pages.incidents.messages import (
    IncidentTemplateAnswer,
    IncidentTemplateId,
    ListIncidentTemplates,
    SaveIncidentTemplate,
)
from analytics_box.resource.fields import answer_of, values_of
from analytics_box.resource.reach import Reach, check
from analytics_box.tenants.tenancy.messages import Success
from analytics_box.web.call import Call

MOST: Final = 100  # of a page


def save(db: Connection, own: Reach, given: SaveIncidentTemplate) -> IncidentTemplate:
    """Create or change a template. Raises Forbidden, NotFound, BadRequest or Conflict."""
    check(db, own, "member")
    page = page_in_reach(db, own, given.status_page_id)
    known = TEMPLATES.all(db, "page_id = ? order by name, id", page.id)
    before = next((each for each in known if each.id == given.template_id), None)
    if given.template_id is not None and before is None:
        raise errors.NotFound.of("incidentTemplate", given.template_id)
    if before is None and len(known) >= MOST:
        raise errors.Conflict.full(
            "incidentTemplates", MOST, _("This page has {most} templates; delete one first").format(most=MOST)
        )
    made = IncidentTemplate(
        id=before.id if before is not None else ids.new_id(),
        page_id=page.id,
        created_at=before.created_at if before is not None else own.by.now,
        **values_of(given, IncidentTemplate),
    )
    if before is None:
        return TEMPLATES.create(db, own.by, page.organization_id, made)
    return TEMPLATES.change(db, own.by, page.organization_id, before, made)


def delete(db: Connection, own: Reach, template_id: str) -> None:
    """Delete a template. Raises Forbidden or NotFound."""
    check(db, own, "member")
    gone = TEMPLATES.find(db, template_id)
    if gone is None:
        raise errors.NotFound.of("incidentTemplate", template_id)
    try:
        page = page_in_reach(db, own, gone.page_id)
    except errors.NotFound as elsewhere:
        raise errors.NotFound.of("incidentTemplate", template_id) from elsewhere
    TEMPLATES.remove(db, own.by, page.organization_id, gone)


async def list_templates(call: Call, given: ListIncidentTemplates) -> list[IncidentTemplateAnswer]:
    """statusPage.listTemplates: list incident templates by name. Raises Forbidden or NotFound."""
    own, whole = find_reachable_page(call, given.statusPageId)

    def read(db: Connection) -> list[IncidentTemplate]:
        check(db, own, "viewer")
        return TEMPLATES.all(db, "page_id = ? order by name, id", whole.page.id)

    return [answer_of(IncidentTemplateAnswer, each) for each in await call.read(read)]


async def save_template(call: Call, given: SaveIncidentTemplate) -> IncidentTemplateAnswer:
    """statusPage.saveTemplate: create or update an incident template. Raises Forbidden, NotFound, BadRequest or
    Conflict."""
    own, _rest = find_reachable_page(call, given.status_page_id)
    return answer_of(IncidentTemplateAnswer, await call.write(lambda db: save(db, own, given)))


async def delete_template(call: Call, given: IncidentTemplateId) -> Success:
    """statusPage.deleteTemplate: delete an incident template. Raises Forbidden or NotFound."""
    found = await call.read(lambda db: TEMPLATES.find(db, given.templateId))
    if found is None:
        raise errors.NotFound.of("incidentTemplate", given.templateId)
    try:
        own, _rest = find_reachable_page(call, found.page_id)
    except errors.NotFound as elsewhere:
        raise errors.NotFound.of("incidentTemplate", given.templateId) from elsewhere
    await call.write(lambda db: delete(db, own, given.templateId))
    return Success()
