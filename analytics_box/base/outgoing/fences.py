"""Fences: the private networks that each asker may reach, from the settings and from what organizations were given.

The setting `allowed_private_targets` is the outer bound. Administrators reach all of it, an organization only the part
that an administrator opened for it, strangers none.
"""

from collections.abc import Callable
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Final, Literal

from msgspec import Struct

from analytics_box.base.errors import BadRequest
from analytics_box.base.outgoing.addresses import Fence, Network
from analytics_box.base.settings import Settings, SettingsError
from analytics_box.base.translation import _


class RequestAsker(Struct, frozen=True):
    """The party that chose the address of a request. `organization_id` is set for members of an organization only.

    Whatever a stranger typed, such as the webhook of a status page's subscriber, is asked as STRANGER, and reaches the
    public internet only. What members entered is asked as `member_of` their organization. ADMINISTRATOR is for
    addresses in the settings and on the command line.
    """

    kind: Literal["stranger", "member", "administrator"]
    organization_id: str = ""


STRANGER: Final = RequestAsker("stranger")
ADMINISTRATOR: Final = RequestAsker("administrator")


def member_of(organization_id: str) -> RequestAsker:
    """The asker for what members of this organization entered."""
    return RequestAsker("member", organization_id)


ALL: Final = "all"  # an organization may reach every network of allowed_private_targets
NONE: Final = "none"
MOST_LENGTH: Final = 1_000  # characters of what is stored for an organization

_HINTS: Final = {
    "stranger": "Use an address on the public internet",
    "member": (
        "A server administrator can open the network for your organization with the setting allowed_private_targets "
        "and under Settings, General"
    ),
    "administrator": "Add the network to the setting allowed_private_targets",
}

# What is stored for an organization: empty, ALL, or addresses and ranges separated by commas.
Opened = Callable[[str], str]


class Fences:
    """The one place that decides what an asker may reach. `opened` returns what is stored for an organization."""

    def __init__(
        self,
        allowed: tuple[Network, ...] = (),
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        opened: Opened = lambda _: "",
    ) -> None:
        self.allowed = allowed
        self.opened = opened
        self._host, self._port = host, port

    def of(self, asker: RequestAsker) -> Fence:
        """The fence around what this asker may reach, as things are now."""
        return Fence(self._networks(asker), self._host, self._port, hint=_HINTS[asker.kind])

    def _networks(self, asker: RequestAsker) -> tuple[Network, ...]:
        if not self.allowed or asker.kind == "stranger":
            return ()
        if asker.kind == "administrator":
            return self.allowed
        stored = self.opened(asker.organization_id)
        if stored == ALL:
            return self.allowed
        return tuple(network for network in _parse_networks(stored) if is_inside(network, self.allowed))


def fences(settings: Settings) -> Fences:
    """The fences of these settings; `opened` is set once box.db is open. Raises SettingsError."""
    try:
        allowed = tuple(ip_network(text, strict=False) for text in settings.allowed_private_targets)
    except ValueError as wrong:
        raise SettingsError(f"allowed_private_targets (ANALYTICS_BOX_ALLOWED_PRIVATE_TARGETS): {wrong}") from wrong
    return Fences(allowed, settings.host, settings.port)


def clean(given: str, allowed: tuple[Network, ...]) -> str:
    """The private networks that an administrator enters for an organization, as they are stored.

    Raises BadRequest for text that is no list of addresses and ranges, and for networks outside of `allowed`.
    """
    text = given.strip().lower()
    if text in {"", NONE}:
        return ""
    if text == ALL:
        return ALL
    try:
        networks = [ip_network(each, strict=False) for each in text.replace(",", " ").split()]
    except ValueError:
        raise BadRequest(_('Enter "all", "none", or addresses and ranges such as 192.168.1.0/24')) from None
    outside = [str(network) for network in networks if not is_inside(network, allowed)]
    if outside:
        raise BadRequest(
            _("Add {outside} to the setting allowed_private_targets first").format(outside=", ".join(outside))
        )
    stored = ", ".join(dict.fromkeys(str(network) for network in networks))
    if len(stored) > MOST_LENGTH:
        raise BadRequest(_("Use at most {most:,} characters").format(most=MOST_LENGTH))
    return stored


def is_inside(network: Network, allowed: tuple[Network, ...]) -> bool:
    """Return whether a network is part of one of these."""
    for each in allowed:
        if isinstance(network, IPv4Network) and isinstance(each, IPv4Network) and network.subnet_of(each):
            return True
        if isinstance(network, IPv6Network) and isinstance(each, IPv6Network) and network.subnet_of(each):
            return True
    return False


@lru_cache(maxsize=1_000)
def _parse_networks(stored: str) -> tuple[Network, ...]:
    return tuple(ip_network(each) for each in stored.split(", ")) if stored else ()
