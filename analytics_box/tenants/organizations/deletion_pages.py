"""Deleting an organization after its name was typed, and bringing one back."""

from analytics_box.base.clock import DAY
from analytics_box.tenants.accounts.sign_in import SignIns
from analytics_box.tenants.organizations import deletion
from analytics_box.tenants.organizations.deletion_calls import carry_out, undo
from analytics_box.tenants.organizations.settings_page import HOME
from analytics_box.web.page import dates
from analytics_box.web.page.visit import Again, Answer, Next, Page, PageRequest, Visitor


async def delete_form(visit: Visitor) -> Page:
    """GET /settings/organization/delete: what it takes away, and the question."""
    return await _page(visit, Again())


async def delete(visit: Visitor) -> Answer:
    """POST /settings/organization/delete: only with the organization's name typed."""
    form = await visit.form()

    async def save() -> str:
        await carry_out(visit.call, visit.person.organization_id, typed=form.get("confirmation", ""))
        return f"{HOME}?done=deleted"

    return await visit.submit(save, _page, values=form)


async def restore(visit: Visitor) -> Next:
    """POST /settings/organization/restore: bring one back, and turn to it. Raises NotFound."""
    form = await visit.form()
    back = await undo(visit.call, form.get("organization", ""))
    await visit.parts[SignIns].turn_to(visit.person, back.id)
    return visit.go(f"{HOME}?done=restored")


async def _page(visit: PageRequest, again: Again) -> Page:
    own, by = visit.person.organization_id, visit.call.by
    loss = await visit.call.read(lambda db: deletion.loss(db, own, by))
    days = visit.parts.settings.organization_grace_days
    return visit.settings_page(
        "organization_delete.html",
        "organization",
        again=again,
        values={"confirmation": ""},
        loss=loss,
        days=days,
        until=dates.moment(visit.call.now + days * DAY, visit.person),
    )
