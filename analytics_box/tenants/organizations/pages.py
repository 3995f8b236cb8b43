"""The page /settings/organization, making an organization, and turning to another one."""

from analytics_box.base.outgoing.client import Clients
from analytics_box.base.store.db import Connection
from analytics_box.tenants.accounts.sign_in import SignIns
from analytics_box.tenants.organizations import change
from analytics_box.tenants.organizations.change import OrganizationUpdate
from analytics_box.tenants.organizations.rules import Plan
from analytics_box.tenants.organizations.settings_page import HOME, organization_page
from analytics_box.tenants.organizations.shown import in_memory
from analytics_box.tenants.tenancy import access, private_targets
from analytics_box.tenants.tenancy.directory import OrganizationDirectory
from analytics_box.tenants.tenancy.rules import StoredOrganization
from analytics_box.web.page.edits import check_version
from analytics_box.web.page.visit import Again, Answer, Next, Page, Visitor

_PLANS: dict[str, Plan] = {"free": "free", "hobby": "hobby"}


async def organization(visit: Visitor) -> Page:
    """GET /settings/organization."""
    return await organization_page(visit, Again())


async def save_organization(visit: Visitor) -> Answer:
    """POST /settings/organization: name, slug, time zone, plan, private networks."""
    form = await visit.form()
    wanted = OrganizationUpdate(
        name=form.get("organization"),
        slug=form.get("slug"),
        time_zone=form.get("timeZone"),
        plan=_PLANS.get(form.get("plan", "")),
        private_targets=form.get("privateTargets"),
    )

    async def save() -> str:
        call, own = visit.call, visit.person.organization_id
        allowed = visit.parts[Clients].fences.allowed

        def write(db: Connection) -> tuple[StoredOrganization, str]:
            check_version(form, access.existing(db, own))
            return change.update(db, own, call.by, wanted, allowed), private_targets.of(db, own)

        stored, networks = await call.write(write)
        visit.parts[OrganizationDirectory].remember(in_memory(stored))
        visit.parts[OrganizationDirectory].open(own, networks)
        return f"{HOME}?done=saved"

    return await visit.submit(save, organization_page, values=form)


async def add_organization(visit: Visitor) -> Answer:
    """POST /settings/organization/new: make one and turn to it."""
    form = await visit.form()

    async def save() -> str:
        by, most = visit.call.by, visit.parts.settings.organizations_per_user
        made = await visit.call.write(lambda db: change.create(db, by, most=most, name=form.get("new", "")))
        visit.parts[OrganizationDirectory].remember(in_memory(made))
        await visit.parts[SignIns].turn_to(visit.person, made.id)
        return f"{HOME}?done=made"

    return await visit.submit(save, organization_page, values=form, field="new")


async def switch(visit: Visitor) -> Next:
    """POST /organizations/switch: the session goes on in another organization. Raises Forbidden."""
    form = await visit.form()
    await visit.parts[SignIns].turn_to(visit.person, form.get("organization", ""))
    return visit.go("/sites")
