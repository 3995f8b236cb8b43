"""The policy that the destinations of a call's links are checked against."""

from analytics_box.base.outgoing.askers import member_of
from analytics_box.base.outgoing.client import Clients
from analytics_box.products.links.domains.lookup import LinkDomains
from analytics_box.products.links.targeting.policy import TargetPolicy
from analytics_box.tenants.configuration.domains import own_hosts
from analytics_box.web.call import Call


def policy_of(call: Call, organization_id: str) -> TargetPolicy:
    """The box's hosts, its link domains, the organization's fence and the schemes of apps that the operator allows."""
    settings = call.parts.settings
    return TargetPolicy(
        fence=call.parts[Clients].fences.of(member_of(organization_id)),
        own_hosts=own_hosts(settings),
        link_domains=call.parts[LinkDomains].names(),
        app_schemes=tuple(scheme.lower().rstrip(":/") for scheme in settings.link_app_schemes),
    )
