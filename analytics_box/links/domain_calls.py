"""Domains of short links over RPC: `links.listDomains`, `addDomain`, `updateDomain`, `removeDomain`.

A domain has to be proven with config.addDomain and config.verifyDomain first.
"""

from msgspec import UNSET, Struct, UnsetType

from analytics_box.http.call import Call
from analytics_box.links import domains, targets
from analytics_box.links.grounds import grounds_of
from analytics_box.links.messages import Id, OfOrganization, Text, Url
from analytics_box.links.parts import Links
from analytics_box.links.shown import DomainShown, domain_shown
from analytics_box.tenancy.acting import acting
from analytics_box.tenancy.messages import Success


class NewDomain(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of links.addDomain. `homeUrl` is where the bare domain leads, `notFoundUrl` where unknown slugs do."""

    domain: Text
    homeUrl: Url | None = None
    notFoundUrl: Url | None = None
    organizationId: Id | None = None


class ChangedDomain(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of links.updateDomain; null is a page of the box."""

    domain: Text
    homeUrl: Url | UnsetType | None = UNSET
    notFoundUrl: Url | UnsetType | None = UNSET
    organizationId: Id | None = None


class OneDomain(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that names a domain of short links."""

    domain: Text
    organizationId: Id | None = None


async def list_domains(call: Call, given: OfOrganization) -> list[DomainShown]:
    """links.listDomains: by name. Raises Forbidden."""
    organization_id, by = acting(call, given.organizationId)
    return [domain_shown(one) for one in await call.read(lambda db: domains.of(db, organization_id, by))]


async def add_domain(call: Call, given: NewDomain) -> DomainShown:
    """links.addDomain: links live at its root from now on. Raises Forbidden, BadRequest or Conflict."""
    organization_id, by = acting(call, given.organizationId)
    name = given.domain.strip().lower().rstrip(".")
    home, missing = _clean(call, given.homeUrl, "homeUrl"), _clean(call, given.notFoundUrl, "notFoundUrl")
    made = await call.write(lambda db: domains.add(db, organization_id, by, name, home_url=home, missing_url=missing))
    call.parts[Links].domains.remember(made)
    return domain_shown(made)


async def update_domain(call: Call, given: ChangedDomain) -> DomainShown:
    """links.updateDomain: where it leads itself, and where unknown slugs do.

    Raises Forbidden, NotFound or BadRequest.
    """
    organization_id, by = acting(call, given.organizationId)
    home = given.homeUrl if isinstance(given.homeUrl, UnsetType) else _clean(call, given.homeUrl, "homeUrl")
    missing = given.notFoundUrl
    if not isinstance(missing, UnsetType):
        missing = _clean(call, missing, "notFoundUrl")
    changed = await call.write(
        lambda db: domains.change(db, organization_id, by, given.domain, home_url=home, missing_url=missing)
    )
    call.parts[Links].domains.remember(changed)
    return domain_shown(changed)


async def remove_domain(call: Call, given: OneDomain) -> Success:
    """links.removeDomain. Raises Forbidden, NotFound, or Conflict while links live there."""
    organization_id, by = acting(call, given.organizationId)
    gone = await call.write(lambda db: domains.remove(db, organization_id, by, given.domain))
    call.parts[Links].domains.forget(gone.domain)
    return Success()


def _clean(call: Call, given: str | None, field: str) -> str | None:
    return targets.clean(given, grounds_of(call), field=field) if given else None
