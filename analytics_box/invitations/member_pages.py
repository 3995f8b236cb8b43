"""The forms on the page /settings/members that invite somebody, or take an invitation back."""

from analytics_box.errors import BadRequest, Conflict
from analytics_box.http.visit import Again, Answer, Page, Visitor
from analytics_box.invitations import change
from analytics_box.invitations.calls import invite
from analytics_box.invitations.rules import InvitedRole
from analytics_box.organizations.acting import by_of
from analytics_box.organizations.people_page import MEMBERS, Link, people_page

_INVITED: dict[str, InvitedRole] = {"admin": "admin", "member": "member", "viewer": "viewer"}


async def invite_member(visit: Visitor) -> Page:
    """POST /settings/members/invite: make an invitation; its link is on this answer only."""
    form, own = await visit.form(), visit.person.organization_id
    role = _INVITED.get(form.get("role", ""))
    try:
        invitation, url, emailed = await invite(visit.call, own, email=form.get("email", ""), role=role)
    except (BadRequest, Conflict) as refused:
        return await people_page(visit, Again(refused.status, form, {"email": refused.message}))
    return await people_page(visit, Again(), Link(invitation.email, url, emailed))


async def revoke_invitation(visit: Visitor) -> Answer:
    """POST /settings/members/invitations/revoke. Raises Forbidden or NotFound."""
    form, own, by = await visit.form(), visit.person.organization_id, by_of(visit.call)

    async def save() -> str:
        await visit.call.write(lambda db: change.revoke(db, own, by, form.get("invitation", "")))
        return f"{MEMBERS}?done=revoked"

    return await visit.submit(save, people_page)
