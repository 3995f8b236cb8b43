"""What the addresses of a call's links are judged by."""

from analytics_box.configuration.domain_calls import own_hosts
from analytics_box.http.call import Call
from analytics_box.links.targeting.policy import Grounds


def grounds_of(call: Call) -> Grounds:
    """The box's hosts, its link domains, its fence and the schemes of apps that its operator allows."""
    settings = call.parts.settings
    return Grounds(
        fence=call.parts.outgoing.fence,
        own_hosts=own_hosts(settings),
        link_domains=call.parts.links.domains.names(),
        app_schemes=tuple(scheme.lower().rstrip(":/") for scheme in settings.link_app_schemes),
    )
