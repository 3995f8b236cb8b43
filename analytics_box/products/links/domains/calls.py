"""Domains of short links over RPC: `links.listDomains`, `addDomain`, `updateDomain`, `removeDomain`, `listOrphans`.

A domain has to be proven with config.addDomain and config.verifyDomain first.
"""

from datetime import date as datetime_date
from datetime import datetime
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from analytics_box.base.clock import utc_day
from analytics_box.base.facts.event import KINDS
from analytics_box.base.store.db import Connection
from analytics_box.products.links.clicks import rows as click_rows
from analytics_box.products.links.clicks.waiting import Clicks
from analytics_box.products.links.domains import change as domains
from analytics_box.products.links.domains.lookup import LinkDomain, LinkDomains, policy_of
from analytics_box.products.links.messages import Id, LinkOrganizationInput, Url
from analytics_box.products.links.targeting import policy as targets
from analytics_box.products.links.targeting.policy import TargetPolicy
from analytics_box.resource.reach import Reach, acting, check
from analytics_box.tenants.tenancy.messages import Success, Text, date
from analytics_box.web.call import Call


class AddLinkDomain(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of links.addDomain. The bare domain redirects to `homeUrl`, unknown slugs to `notFoundUrl`."""

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


class LinkDomainAnswer(Struct, frozen=True):
    """A domain of short links. It redirects to `homeUrl`, unknown slugs to `notFoundUrl`; null is a page of the box."""

    domain: str
    organizationId: str
    homeUrl: str | None
    notFoundUrl: str | None
    createdAt: datetime


async def list_domains(call: Call, given: LinkOrganizationInput) -> list[LinkDomainAnswer]:
    """links.listDomains: list link domains by name. Raises Forbidden."""
    organization_id, by = acting(call, given.organizationId)
    return [domain_shown(one) for one in await call.read(lambda db: domains.of(db, organization_id, by))]


async def add_domain(call: Call, given: AddLinkDomain) -> LinkDomainAnswer:
    """links.addDomain: add a link domain. Raises Forbidden, BadRequest or Conflict.

    Its links live at the root of the domain.
    """
    organization_id, by = acting(call, given.organizationId)
    name = given.domain.strip().lower().rstrip(".")
    policy = policy_of(call, organization_id)
    home, missing = _clean(policy, given.homeUrl, "homeUrl"), _clean(policy, given.notFoundUrl, "notFoundUrl")
    made = await call.write(lambda db: domains.add(db, organization_id, by, name, home_url=home, missing_url=missing))
    call.parts[LinkDomains].remember(made)
    return domain_shown(made)


async def update_domain(call: Call, given: ChangedDomain) -> LinkDomainAnswer:
    """links.updateDomain: update the destinations of a domain's root and of unknown slugs. Raises Forbidden, NotFound
    or BadRequest."""
    organization_id, by = acting(call, given.organizationId)
    policy = policy_of(call, organization_id)
    home = given.homeUrl if isinstance(given.homeUrl, UnsetType) else _clean(policy, given.homeUrl, "homeUrl")
    missing = given.notFoundUrl
    if not isinstance(missing, UnsetType):
        missing = _clean(policy, missing, "notFoundUrl")
    changed = await call.write(
        lambda db: domains.change(db, organization_id, by, given.domain, home_url=home, missing_url=missing)
    )
    call.parts[LinkDomains].remember(changed)
    return domain_shown(changed)


async def remove_domain(call: Call, given: OneDomain) -> Success:
    """links.removeDomain: remove a link domain that no link uses. Raises Forbidden, NotFound, or Conflict while links
    live there."""
    organization_id, by = acting(call, given.organizationId)
    gone = await call.write(lambda db: domains.remove(db, organization_id, by, given.domain))
    call.parts[LinkDomains].forget(gone.domain)
    return Success()


def _clean(policy: TargetPolicy, given: str | None, field: str) -> str | None:
    return targets.clean(given, policy, field=field) if given else None


def domain_shown(one: LinkDomain) -> LinkDomainAnswer:
    """A domain for an answer."""
    return LinkDomainAnswer(one.domain, one.organization_id, one.home_url, one.missing_url, date(one.created_at))


MOST_ORPHANS = 500
_EPOCH = datetime_date(1970, 1, 1).toordinal()


class GivenOrphans(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of links.listOrphans."""

    days: Annotated[int, Meta(ge=1, le=90)] = 30
    organizationId: Id | None = None


class OrphanShown(Struct, frozen=True):
    """Orphan clicks on a short URL; an empty slug stands for many, or for what is no slug."""

    domain: str
    slug: str
    kind: str
    count: int
    lastDay: str


async def list_orphans(call: Call, given: GivenOrphans) -> list[OrphanShown]:
    """links.listOrphans: list clicks on unknown slugs of the organization's domains and the box's host, most clicked
    first. Raises Forbidden."""
    organization_id, by = acting(call, given.organizationId)

    def read(db: Connection) -> list[str]:
        check(db, Reach(organization_id, by), "viewer")
        return ["", *(one.domain for one in domains.domains_of(db, organization_id))]

    served = await call.read(read)
    first = utc_day(call.now) - given.days + 1
    clicks = call.parts[Clicks]
    await clicks.flush()
    found = await clicks.events.read(lambda db: click_rows.orphans_since(db, served, first, MOST_ORPHANS))
    days = [datetime_date.fromordinal(_EPOCH + one.day).isoformat() for one in found]
    return [
        OrphanShown(one.domain, one.slug, KINDS[one.kind], one.count, day) for one, day in zip(found, days, strict=True)
    ]
