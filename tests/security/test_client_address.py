"""Whose address counts behind proxies: the right-most hop that is not one of ours (security: client address)."""

import pytest

from analytics_box.http.address import client_address, network_of, networks
from analytics_box.settings import SettingsError
from tests.cases import each

PROXIES = networks(("10.0.0.0/8", "2001:db8:1::/48", "127.0.0.1"))

TABLE = [
    # peer, X-Forwarded-For, the client
    ("203.0.113.7", None, "203.0.113.7"),
    ("203.0.113.7", "198.51.100.1", "203.0.113.7"),  # no proxy of ours says so
    ("10.0.0.1", None, "10.0.0.1"),
    ("10.0.0.1", "", "10.0.0.1"),
    ("10.0.0.1", "198.51.100.1", "198.51.100.1"),
    ("10.0.0.1", "1.1.1.1, 198.51.100.1", "198.51.100.1"),  # what stands left of it anybody can write
    ("10.0.0.1", "1.1.1.1, 198.51.100.1, 10.2.3.4", "198.51.100.1"),
    ("10.0.0.1", "10.9.9.9, 10.2.3.4", "10.9.9.9"),  # only proxies: the farthest
    ("10.0.0.1", "198.51.100.1, nonsense", "10.0.0.1"),
    ("10.0.0.1", "198.51.100.1, nonsense, 10.2.3.4", "10.2.3.4"),
    ("10.0.0.1", "198.51.100.1:4711", "10.0.0.1"),
    ("10.0.0.1", "::ffff:198.51.100.1", "198.51.100.1"),
    ("::ffff:10.0.0.1", "198.51.100.1", "198.51.100.1"),
    ("127.0.0.1", "2001:db8:2::5", "2001:db8:2::5"),
    ("127.0.0.1", "[2001:db8:2::5]", "2001:db8:2::5"),
    ("2001:db8:1::9", "198.51.100.1", "198.51.100.1"),
    ("2001:db8:3::9", "198.51.100.1", "2001:db8:3::9"),
    ("", "1.1.1.1, 198.51.100.1", "198.51.100.1"),  # over a Unix socket comes what may write to it
    ("", "nonsense", ""),
    ("nonsense", "198.51.100.1", ""),
    ("10.0.0.1", "'; drop table", "10.0.0.1"),
    ("", None, ""),
]


@each(("peer", "forwarded", "client"), TABLE)
def test_the_right_most_hop_that_is_not_ours_counts(peer: str, forwarded: str | None, client: str) -> None:
    assert client_address(peer, forwarded, PROXIES) == client


@each(("peer", "forwarded"), [(peer, forwarded) for peer, forwarded, _ in TABLE if peer])
def test_without_trusted_proxies_the_header_counts_for_nothing(peer: str, forwarded: str | None) -> None:
    assert client_address(peer, forwarded, ()) == client_address(peer, None, ())


def test_a_range_that_is_none_is_named() -> None:
    with pytest.raises(SettingsError, match="trusted_proxies"):
        networks(("10.0.0.0/33",))


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("198.51.100.1", "198.51.100.1"),
        ("::ffff:198.51.100.1", "198.51.100.1"),
        ("2001:db8:2:3:4:5:6:7", "2001:db8:2:3::/64"),
        ("", ""),
    ],
)
def test_a_subscriber_is_an_ipv4_address_or_an_ipv6_network(address: str, network: str) -> None:
    assert network_of(address) == network
