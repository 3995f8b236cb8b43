"""Words to begin incidents with, over RPC. Scopes: read:status_pages, write:status_pages."""

from analytics_box.base import errors
from analytics_box.base.store.db import Connection
from analytics_box.products.status_pages.access import check, find_reachable_page
from analytics_box.products.status_pages.incidents import template_rows as rows
from analytics_box.products.status_pages.incidents import templates
from analytics_box.products.status_pages.incidents.messages import (
    IncidentTemplateAnswer,
    IncidentTemplateId,
    ListIncidentTemplates,
    SaveIncidentTemplate,
)
from analytics_box.products.status_pages.incidents.template_rows import IncidentTemplate
from analytics_box.tenants.tenancy.messages import Success, date
from analytics_box.web.call import Call


async def list_templates(call: Call, given: ListIncidentTemplates) -> list[IncidentTemplateAnswer]:
    """statusPage.listTemplates: words to begin incidents with, by their names. Raises Forbidden or NotFound."""
    own, whole = find_reachable_page(call, given.statusPageId)

    def read(db: Connection) -> list[IncidentTemplate]:
        check(db, own, "viewer")
        return rows.of_page(db, whole.page.id)

    return [_template_answer(each) for each in await call.read(read)]


async def save_template(call: Call, given: SaveIncidentTemplate) -> IncidentTemplateAnswer:
    """statusPage.saveTemplate: a new one, or another state of one.

    Raises Forbidden, NotFound, BadRequest or Conflict.
    """
    own, _ = find_reachable_page(call, given.status_page_id)
    return _template_answer(await call.write(lambda db: templates.save(db, own, given)))


async def delete_template(call: Call, given: IncidentTemplateId) -> Success:
    """statusPage.deleteTemplate: it is gone. Raises Forbidden or NotFound."""
    found = await call.read(lambda db: rows.find(db, given.templateId))
    if found is None:
        raise errors.NotFound.of("incidentTemplate", given.templateId)
    try:
        own, _ = find_reachable_page(call, found.page_id)
    except errors.NotFound as elsewhere:
        raise errors.NotFound.of("incidentTemplate", given.templateId) from elsewhere
    await call.write(lambda db: templates.delete(db, own, given.templateId))
    return Success()


def _template_answer(template: IncidentTemplate) -> IncidentTemplateAnswer:
    return IncidentTemplateAnswer(
        id=template.id,
        name=template.name,
        title=template.title,
        severity=template.severity,
        message=template.message,
        created_at=date(template.created_at),
    )
