"""Transferring a website to another organization of the same user: a separate page, because it is hard to undo."""

from litestar.params import FromPath

from analytics_box.base.errors import BadRequest
from analytics_box.base.identity import Membership, SignedInPerson, at_least
from analytics_box.base.translation import _
from analytics_box.tenants.websites import calls as procedures
from analytics_box.tenants.websites.messages import TransferWebsite
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.rules import MANAGER
from analytics_box.tenants.websites.settings_area import settings_page
from analytics_box.web.page.visit import Again, Answer, Page, PageRequest, Visitor


async def transfer_form(visit: Visitor, website_id: FromPath[str]) -> Page:
    """GET /sites/{id}/settings/transfer. Raises NotFound."""
    return _page(visit, website_id, Again())


async def transfer(visit: Visitor, website_id: FromPath[str]) -> Answer:
    """POST /sites/{id}/settings/transfer: only with the website's domain typed. Raises NotFound and Forbidden."""
    website, form = own(visit.call, website_id), await visit.form()

    async def save() -> str:
        chosen = form.get("organization", "")
        if chosen not in {one.organization_id for one in targets(visit.person)}:
            raise BadRequest.about("organization", _("Select an organization in which you are an admin or owner."))
        if form.get("confirmation", "").strip().lower() != website.domain:
            raise BadRequest.about(
                "confirmation", _("Enter the website domain: {domain}").format(domain=website.domain)
            )
        await procedures.transfer(visit.call, TransferWebsite(website.id, chosen))
        return f"/sites?moved={chosen}"

    async def page(visit: PageRequest, again: Again) -> Page:
        return _page(visit, website_id, again)

    return await visit.submit(save, page, values=form)


def targets(person: SignedInPerson) -> list[Membership]:
    """The organizations that a person may give a website to: others that they manage."""
    return [
        one
        for one in person.memberships
        if at_least(one.role, MANAGER) and one.organization_id != person.organization_id
    ]


def _page(visit: PageRequest, website_id: str, again: Again) -> Page:
    website = own(visit.call, website_id)
    return settings_page(
        visit,
        "site_transfer.html",
        "danger",
        website,
        again=again,
        back=f"/sites/{website.id}/settings",
        targets=targets(visit.person),
        values=again.values,
    )
