"""The forms on the page /settings/members that create and revoke invitations."""

from analytics_box.base.errors import BadRequest, Conflict, RateLimited
from analytics_box.tenants.members import invitations
from analytics_box.tenants.members.invitation_calls import invite
from analytics_box.tenants.members.member_page import MEMBERS, InvitationLink, member_page
from analytics_box.tenants.tenancy.rules import invitation_role
from analytics_box.web.page.visit import Again, Answer, Page, Visitor


async def invite_member(visit: Visitor) -> Page:
    """POST /settings/members/invite: make an invitation; without a mail server its link is on this answer only."""
    form, own = await visit.form(), visit.person.organization_id
    role = invitation_role(form.get("role", ""))
    try:
        visit.saves()
        invitation, url, emailed = await invite(visit.call, own, email=form.get("email", ""), role=role)
    except (BadRequest, Conflict, RateLimited) as refused:
        return await member_page(visit, Again(refused.status, form, {"email": refused.message}))
    return await member_page(visit, Again(), InvitationLink(invitation.email, url, emailed))


async def revoke_invitation(visit: Visitor) -> Answer:
    """POST /settings/members/invitations/revoke. Raises Forbidden or NotFound."""
    form, own, by = await visit.form(), visit.person.organization_id, visit.call.by

    async def save() -> str:
        await visit.call.write(lambda db: invitations.revoke(db, own, by, form.get("invitation", "")))
        return f"{MEMBERS}?done=revoked"

    return await visit.submit(save, member_page)
