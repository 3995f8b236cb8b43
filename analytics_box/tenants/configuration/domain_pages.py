"""The page /settings/domains: an organization's own domains, and how each is proven."""

from msgspec import Struct

from analytics_box.base.identity import SignedInPerson
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.tenants.configuration import domain_calls as procedures
from analytics_box.tenants.configuration import domains as verbs
from analytics_box.tenants.configuration.domain_calls import AddDomain, OfDomain
from analytics_box.tenants.configuration.domains import Domain
from analytics_box.tenants.tenancy import members, rules
from analytics_box.web.page import dates
from analytics_box.web.page.visit import Again, Answer, Page, PageRequest, Visitor

_DONE = {
    "added": _("Domain added. Create its TXT record, then check it."),
    "trusted": _("The domain now belongs to this organization."),
    "verified": _("The domain is verified and now belongs to this organization."),
    "removed": _("The domain was removed."),
}
_NOT_YET = {"unproven": _("The record was not found yet.")}


HOME = "/settings/domains"


class DomainRow(Struct, frozen=True):
    """A domain in the list. `note` says how it was proven, or what the latest check found."""

    id: str
    domain: str
    proven: bool
    record: str
    token: str
    note: str


async def domains(visit: Visitor) -> Page:
    """GET /settings/domains."""
    return await domains_page(visit, Again())


async def add_domain(visit: Visitor) -> Answer:
    """POST /settings/domains."""
    form = await visit.form()
    without_proof = "withoutProof" in form

    async def save() -> str:
        await procedures.add_domain(visit.call, AddDomain(form.get("domain", ""), withoutProof=without_proof))
        return f"{HOME}?done={'trusted' if without_proof else 'added'}"

    return await visit.submit(save, domains_page, values=form, field="domain")


async def check_domain(visit: Visitor) -> Answer:
    """POST /settings/domains/check: look at the TXT record now. Raises NotFound."""
    form = await visit.form()

    async def save() -> str:
        found = await procedures.check_now(visit.call, form.get("id", ""))
        return f"{HOME}?{'done=verified' if found.proven_at is not None else 'not=unproven'}"

    return await visit.submit(save, domains_page)


async def remove_form(visit: Visitor) -> Page:
    """GET /settings/domains/remove?id=…: are you sure? Raises NotFound."""
    own, by = visit.person.organization_id, visit.call.by
    found = await visit.call.read(lambda db: verbs.existing_for(db, visit.asked("id"), own, by))
    return visit.confirm(
        "domains",
        title=_("Remove domain"),
        text=_("{domain} will no longer belong to this organization. Another organization can then verify it.").format(
            domain=found.domain
        ),
        action=f"{HOME}/remove",
        back=HOME,
        id=found.id,
    )


async def remove(visit: Visitor) -> Answer:
    """POST /settings/domains/remove. Raises NotFound."""
    form = await visit.form()
    await procedures.remove_domain(visit.call, OfDomain(form.get("id", "")))
    return visit.go(f"{HOME}?done=removed")


async def domains_page(visit: PageRequest, again: Again) -> Page:
    """The page, with what is wrong with a form of it."""
    person, by = visit.person, visit.call.by

    def find(db: Connection) -> tuple[list[Domain], bool]:
        return verbs.of(db, person.organization_id, by), members.administers(db, by)

    found, administers = await visit.call.read(find)
    fresh = again.code == 200
    return visit.settings_page(
        "domains.html",
        "domains",
        again=again,
        values={"domain": "", "withoutProof": ""},
        domains=[
            DomainRow(
                id=domain.id,
                domain=domain.domain,
                proven=domain.proven_at is not None,
                record=domain.record,
                token=domain.token,
                note=_note(domain, person),
            )
            for domain in found
        ],
        editable=rules.may(person.role, "update"),
        administers=administers,
        done=_DONE.get(visit.asked("done"), "") if fresh else "",
        not_yet=_NOT_YET.get(visit.asked("not"), "") if fresh else "",
    )


def _note(domain: Domain, person: SignedInPerson) -> str:
    if domain.proven_at is not None:
        words = (
            _("Verified by its TXT record {when}.")
            if domain.proven_by == "dns"
            else _("Added by a server administrator {when}.")
        )
        return words.format(when=dates.moment(domain.proven_at, person))
    if domain.checked_at is None:
        return ""
    return _("Checked {when}: {error}.").format(when=dates.moment(domain.checked_at, person), error=domain.check_error)
