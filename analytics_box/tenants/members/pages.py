"""The page /settings/members: other roles, confirming and removing members."""

from analytics_box.base import errors
from analytics_box.base.errors import BadRequest
from analytics_box.base.identity import ROLES
from analytics_box.base.notify.change import ChannelTools
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.tenants.accounts import users
from analytics_box.tenants.members.member_page import MEMBERS, member_page
from analytics_box.tenants.tenancy import access, members
from analytics_box.web.page.visit import Again, Answer, Page, Visitor


async def member_list(visit: Visitor) -> Page:
    """GET /settings/members."""
    return await member_page(visit, Again())


async def change_role(visit: Visitor) -> Answer:
    """POST /settings/members/role. Raises Forbidden or NotFound."""
    form, own, by = await visit.form(), visit.person.organization_id, visit.call.by

    async def save() -> str:
        role = next((role for role in ROLES if role == form.get("role")), None)
        if role is None:
            raise BadRequest(_("Choose one of the roles on the page"))
        await visit.call.write(lambda db: members.change_role(db, own, by, form.get("member", ""), role))
        return f"{MEMBERS}?done=role"

    return await visit.submit(save, member_page)


async def confirm(visit: Visitor) -> Answer:
    """POST /settings/members/confirm: the box administrator knows whose address it is. Raises Forbidden or NotFound."""
    form, own, by = await visit.form(), visit.person.organization_id, visit.call.by
    user_id = form.get("member", "")

    def write(db: Connection) -> None:
        if not access.administers(db, by):
            raise errors.Forbidden(_("Only a box administrator can confirm accounts"))
        if all(member.user_id != user_id for member in members.of_organization(db, own)):
            raise errors.NotFound.of("member", user_id)
        users.confirm(db, user_id, organization_id=own, by=by)

    async def save() -> str:
        await visit.call.write(write)
        return f"{MEMBERS}?done=confirmed"

    return await visit.submit(save, member_page)


async def remove_form(visit: Visitor) -> Page:
    """GET /settings/members/remove?member=…: are you sure?"""
    own = visit.person.organization_id
    joined = await visit.call.read(lambda db: members.of_organization(db, own))
    found = next((one for one in joined if one.user_id == visit.asked("member")), None)
    if found is None:
        raise errors.NotFound.of("member", visit.asked("member"))
    return visit.confirm(
        "members",
        title=_("Remove member"),
        text=_("{email} will lose access to this organization immediately.").format(email=found.email),
        action=f"{MEMBERS}/remove",
        back=MEMBERS,
        member=found.user_id,
    )


async def remove(visit: Visitor) -> Answer:
    """POST /settings/members/remove. Raises Forbidden or NotFound."""
    form, own, by = await visit.form(), visit.person.organization_id, visit.call.by

    async def save() -> str:
        seal = visit.parts[ChannelTools].seal
        await visit.call.write(lambda db: members.remove(db, seal, own, by, form.get("member", "")))
        return f"{MEMBERS}?done=removed"

    return await visit.submit(save, member_page)
