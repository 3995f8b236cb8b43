"""The page /settings/members: other roles, removing somebody, and leaving."""

from analytics_box import errors, texts
from analytics_box.errors import BadRequest
from analytics_box.http.visit import Again, Answer, Page, Visitor
from analytics_box.organizations import members, rules
from analytics_box.organizations.acting import by_of
from analytics_box.organizations.people_page import MEMBERS, people_page
from analytics_box.organizations.settings_page import HOME, organization_page


async def member_list(visit: Visitor) -> Page:
    """GET /settings/members."""
    return await people_page(visit, Again())


async def change_role(visit: Visitor) -> Answer:
    """POST /settings/members/role. Raises Forbidden or NotFound."""
    form, own, by = await visit.form(), visit.person.organization_id, by_of(visit.call)

    async def save() -> str:
        role = next((role for role in rules.ROLES if role == form.get("role")), None)
        if role is None:
            raise BadRequest("Choose one of the roles on the page")
        await visit.call.write(lambda db: members.change_role(db, own, by, form.get("member", ""), role))
        return f"{MEMBERS}?done=role"

    return await visit.submit(save, people_page)


async def remove_form(visit: Visitor) -> Page:
    """GET /settings/members/remove?member=…: are you sure?"""
    own = visit.person.organization_id
    everybody = await visit.call.read(lambda db: members.everybody(db, own))
    found = next((one for one in everybody if one.user_id == visit.asked("member")), None)
    if found is None:
        raise errors.NotFound("There is no member with this id")
    return visit.settings_page(
        "confirm.html",
        "members",
        title=texts.Members.remove,
        text=texts.Members.remove_text.format(email=found.email),
        action=f"{MEMBERS}/remove",
        back=MEMBERS,
        fields={"member": found.user_id},
    )


async def remove(visit: Visitor) -> Answer:
    """POST /settings/members/remove. Raises Forbidden or NotFound."""
    form, own, by = await visit.form(), visit.person.organization_id, by_of(visit.call)

    async def save() -> str:
        await visit.call.write(lambda db: members.remove(db, own, by, form.get("member", "")))
        return f"{MEMBERS}?done=removed"

    return await visit.submit(save, people_page)


async def leave_form(visit: Visitor) -> Page:
    """GET /settings/organization/leave: are you sure?"""
    last = len(visit.person.memberships) == 1
    return visit.settings_page(
        "confirm.html",
        "organization",
        title=texts.Organizations.leave,
        text=texts.Organizations.leave_last_text if last else texts.Organizations.leave_text,
        action=f"{HOME}/leave",
        back=HOME,
        fields={},
    )


async def leave(visit: Visitor) -> Answer:
    """POST /settings/organization/leave."""
    own, by = visit.person.organization_id, by_of(visit.call)

    async def save() -> str:
        await visit.call.write(lambda db: members.leave(db, own, by))
        return "/sites"

    return await visit.submit(save, organization_page)
