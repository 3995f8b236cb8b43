"""The page /settings/defaults: what new websites and invitations of the organization start with."""

from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _
from analytics_box.tenants.configuration import calls as procedures
from analytics_box.tenants.configuration.calls import GivenDefaults
from analytics_box.tenants.tenancy import defaults as stored
from analytics_box.tenants.tenancy import rules
from analytics_box.tenants.tenancy.defaults import OrganizationDefaults, VisitorIds
from analytics_box.web.page.edits import FIELD, check_version, version_of
from analytics_box.web.page.visit import Again, Answer, Page, PageRequest, Visitor

_DONE = {"saved": _("Saved. It applies to new websites and invitations.")}


HOME = "/settings/defaults"
_MODES: dict[str, VisitorIds] = {"auto": "auto", "cookieless": "cookieless"}


async def defaults(visit: Visitor) -> Page:
    """GET /settings/defaults."""
    return await defaults_page(visit, Again())


async def save(visit: Visitor) -> Answer:
    """POST /settings/defaults."""
    form = await visit.form()

    async def store() -> str:
        check_version(form, await _find_defaults(visit))
        given = GivenDefaults(
            invitationRole=rules.invitation_role(form.get("role", "")),
            visitorIdMode=_MODES.get(form.get("mode", "")),
            dataRetentionDays=_days(form.get("days", "").strip()),
        )
        await procedures.store(visit.call, visit.person.organization_id, visit.call.by, given)
        return f"{HOME}?done=saved"

    return await visit.submit(store, defaults_page, values=form)


async def defaults_page(visit: PageRequest, again: Again) -> Page:
    """The page, with what is wrong with its form."""
    person = visit.person
    found = await _find_defaults(visit)
    return visit.settings_page(
        "defaults.html",
        "defaults",
        again=again,
        values={
            "role": found.invitation_role,
            "mode": found.visitor_id_mode,
            "days": str(found.data_retention_days or ""),
            FIELD: version_of(found),
        },
        roles=rules.INVITED,
        editable=rules.may(person.role, "update"),
        done=_DONE.get(visit.asked("done"), "") if again.code == 200 else "",
    )


async def _find_defaults(visit: PageRequest) -> OrganizationDefaults:
    own = visit.person.organization_id
    return await visit.call.read(lambda db: stored.of(db, own))


def _days(text: str) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) <= 4 and 1 <= int(text) <= 3_650):
        raise BadRequest.about("days", _("Enter a number from 1 to 3650, or leave it blank."))
    return int(text)
