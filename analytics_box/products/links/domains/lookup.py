"""The domains of short links in memory, because every request looks up its host there."""

from collections.abc import Iterable, Set

from msgspec import Struct

from analytics_box.base.outgoing.client import Clients
from analytics_box.base.outgoing.fences import member_of
from analytics_box.products.links.targeting.policy import TargetPolicy
from analytics_box.tenants.configuration.domains import own_hosts
from analytics_box.web.call import Call


class LinkDomain(Struct, frozen=True):
    """A proven domain with short links at its root. `created_at` is UTC ms.

    The bare domain redirects to `home_url` and unknown slugs to `missing_url`, where these are set.
    """

    domain: str
    domain_id: str
    organization_id: str
    home_url: str | None
    missing_url: str | None
    created_at: int


class LinkDomains:
    """The domains of short links by name. Code that changes one in box.db notifies the list after the commit.

    Those of the organizations in `closed` are as if they were not there.
    """

    def __init__(self, domains: Iterable[LinkDomain], closed: Set[str]) -> None:
        self._closed = closed
        self._by_name = {one.domain: one for one in domains}

    def find(self, host: str) -> LinkDomain | None:
        """The domain with this name."""
        found = self._by_name.get(host)
        return None if found is None or found.organization_id in self._closed else found

    def of(self, organization_id: str) -> list[LinkDomain]:
        """The domains of an organization, by name."""
        found = (one for one in self._by_name.values() if one.organization_id == organization_id)
        return sorted(found, key=lambda one: one.domain)

    def names(self) -> Set[str]:
        """All of them, closed or not: no link may redirect to one."""
        return self._by_name.keys()

    def remember(self, one: LinkDomain) -> None:
        """A domain was added or changed."""
        self._by_name[one.domain] = one

    def forget(self, domain: str) -> None:
        """Stop serving links on a domain."""
        self._by_name.pop(domain, None)

    def forget_organization(self, organization_id: str) -> None:
        """An organization and all that it had is gone."""
        for one in [one for one in self._by_name.values() if one.organization_id == organization_id]:
            del self._by_name[one.domain]


def policy_of(call: Call, organization_id: str) -> TargetPolicy:
    """The box's hosts, its link domains, the organization's fence and the schemes of apps that the operator allows."""
    settings = call.parts.settings
    return TargetPolicy(
        fence=call.parts[Clients].fences.of(member_of(organization_id)),
        own_hosts=own_hosts(settings),
        link_domains=call.parts[LinkDomains].names(),
        app_schemes=tuple(scheme.lower().rstrip(":/") for scheme in settings.link_app_schemes),
    )
