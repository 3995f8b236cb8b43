"""Handing an organization over to another member, after its name was typed, and leaving it."""

from analytics_box.base.errors import BadRequest
from analytics_box.base.notify.change import ChannelTools
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.tenants.organizations.rules import check_name_typed
from analytics_box.tenants.organizations.settings_page import HOME, organization_page
from analytics_box.tenants.tenancy import access, members
from analytics_box.tenants.tenancy.rules import OrganizationMember, StoredOrganization
from analytics_box.web.page.visit import Again, Answer, Page, PageRequest, Visitor


async def transfer_form(visit: Visitor) -> Page:
    """GET /settings/organization/transfer: choose the new owner, and confirm."""
    return await _page(visit, Again())


async def transfer(visit: Visitor) -> Answer:
    """POST /settings/organization/transfer: only with the organization's name typed. Raises Forbidden or NotFound."""
    form, own, by = await visit.form(), visit.person.organization_id, visit.call.by

    def write(db: Connection) -> None:
        access.check(db, own, by, "transfer")
        if not form.get("member"):
            raise BadRequest.about("member", _("Select the new owner."))
        check_name_typed(form.get("confirmation", ""), access.existing(db, own).name)
        members.transfer(db, own, by, form["member"])

    async def save() -> str:
        await visit.call.write(write)
        return "/settings/members?done=transferred"

    return await visit.submit(save, _page, values=form)


async def leave_form(visit: Visitor) -> Page:
    """GET /settings/organization/leave: are you sure?"""
    last = len(visit.person.memberships) == 1
    return visit.confirm(
        "organization",
        title=_("Leave this organization"),
        text=_(
            "You will lose access to its websites immediately. This is your only organization, "
            "so you will be signed out until you are invited again."
        )
        if last
        else _("You will lose access to its websites immediately. An owner or admin can invite you again."),
        action=f"{HOME}/leave",
        back=HOME,
    )


async def leave(visit: Visitor) -> Answer:
    """POST /settings/organization/leave."""
    own, by = visit.person.organization_id, visit.call.by

    async def save() -> str:
        seal = visit.parts[ChannelTools].seal
        await visit.call.write(lambda db: members.leave(db, seal, own, by))
        return "/sites"

    return await visit.submit(save, organization_page)


async def _page(visit: PageRequest, again: Again) -> Page:
    own, by = visit.person.organization_id, visit.call.by

    def find(db: Connection) -> tuple[StoredOrganization, list[OrganizationMember]]:
        access.check(db, own, by, "transfer")
        return access.existing(db, own), members.of_organization(db, own)

    stored, joined = await visit.call.read(find)
    return visit.settings_page(
        "organization_transfer.html",
        "organization",
        again=again,
        values={"member": "", "confirmation": ""},
        organization=stored.name,
        others=[one for one in joined if one.user_id != visit.person.user_id],
    )
