"""The procedures `config.listDomains`, `addDomain`, `verifyDomain` and `removeDomain` (scope manage:config)."""

from datetime import datetime
from typing import Literal

from msgspec import Struct

from analytics_box.base.outgoing.client import Clients
from analytics_box.base.outgoing.fences import member_of
from analytics_box.resource.fields import answer_of
from analytics_box.resource.reach import acting
from analytics_box.tenants.configuration import domains
from analytics_box.tenants.configuration.domains import Domain, ProvenBy
from analytics_box.tenants.tenancy.messages import OrganizationInput, Success, Text
from analytics_box.web.call import Call

CHECKS = 10  # looks at TXT records by one caller per 60 s


class AddDomain(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of config.addDomain. `withoutProof` is for the administrator of the box."""

    domain: Text
    organizationId: Text | None = None
    withoutProof: bool = False


class OfDomain(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that names a domain."""

    domainId: Text
    organizationId: Text | None = None


class TextRecord(Struct, frozen=True):
    """The DNS record that proves a domain."""

    type: Literal["TXT"]
    name: str
    value: str


class DomainAnswer(Struct, frozen=True):
    """A domain as procedures answer with it. `error` says why the latest check did not prove it.

    A verified domain belongs to this organization alone. With links.addDomain short links are served on it, with
    statusPage.update a status page, with shares.update a shared dashboard.
    """

    id: str
    organizationId: str
    domain: str
    status: Literal["pending", "verified"]
    record: TextRecord
    createdAt: datetime
    checkedAt: datetime | None
    verifiedAt: datetime | None
    verifiedBy: ProvenBy | None
    error: str | None


async def list_domains(call: Call, given: OrganizationInput) -> list[DomainAnswer]:
    """config.listDomains: list domains by name. Raises Forbidden."""
    organization_id, by = acting(call, given.organizationId)
    return [domain_answer(one) for one in await call.read(lambda db: domains.of(db, organization_id, by))]


async def add_domain(call: Call, given: AddDomain) -> DomainAnswer:
    """config.addDomain: add a domain, to be verified by its TXT record. Raises Forbidden, BadRequest or Conflict."""
    organization_id, by = acting(call, given.organizationId)
    own = domains.own_hosts(call.parts.settings)
    made = await call.write(
        lambda db: domains.claim(
            db, organization_id, by, given=given.domain, own_hosts=own, without_proof=given.withoutProof
        )
    )
    return domain_answer(made)


async def verify_domain(call: Call, given: OfDomain) -> DomainAnswer:
    """config.verifyDomain: verify a domain's TXT record now. Raises Forbidden, NotFound, Conflict or RateLimited."""
    return domain_answer(await check_now(call, given.domainId, given.organizationId))


async def check_now(call: Call, domain_id: str, organization_id: str | None = None) -> Domain:
    """Look at a domain's TXT record and store what was found. Raises Forbidden, NotFound, Conflict or RateLimited."""
    organization_id, by = acting(call, organization_id)
    domain = await call.read(lambda db: domains.existing_for(db, domain_id, organization_id, by))
    if domain.proven_at is not None:
        return domain
    call.parts.limits.take("domain checks", call.identity.limit_name, CHECKS)
    found = await domains.look_up(call.parts[Clients].of(member_of(organization_id)), domain)
    return await call.write(lambda db: domains.store_check(db, domain, by, found))


async def remove_domain(call: Call, given: OfDomain) -> Success:
    """config.removeDomain: remove a domain. Raises Forbidden or NotFound."""
    organization_id, by = acting(call, given.organizationId)
    await call.write(lambda db: domains.remove(db, organization_id, by, given.domainId))
    return Success()


def domain_answer(domain: Domain) -> DomainAnswer:
    """A domain for an answer."""
    return answer_of(
        DomainAnswer,
        domain,
        status="pending" if domain.proven_at is None else "verified",
        record=TextRecord("TXT", domain.record, domain.token),
    )
