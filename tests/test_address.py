"""Which address a request comes from (security: client address)."""

import pytest

from analytics_box.http.address import canonical, client_address, networks
from analytics_box.settings import SettingsError
from tests.cases import each

PROXIES = ("10.0.0.0/8", "192.0.2.1", "2001:db8::/32")

# The peer, X-Forwarded-For, and whose address it is with these proxies trusted.
HOPS: tuple[tuple[str, str | None, str], ...] = (
    ("203.0.113.7", None, "203.0.113.7"),
    ("203.0.113.7", "198.51.100.1", "203.0.113.7"),
    ("10.0.0.1", None, "10.0.0.1"),
    ("10.0.0.1", "198.51.100.1", "198.51.100.1"),
    ("10.0.0.1", "1.1.1.1, 198.51.100.1", "198.51.100.1"),
    ("10.0.0.1", "1.1.1.1, 198.51.100.1, 10.9.9.9", "198.51.100.1"),
    ("10.0.0.1", "10.1.1.1, 10.2.2.2", "10.1.1.1"),
    ("192.0.2.1", "198.51.100.1", "198.51.100.1"),
    ("192.0.2.2", "198.51.100.1", "192.0.2.2"),
    ("2001:db8::9", "2606:4700::1", "2606:4700::1"),
    ("::ffff:10.0.0.1", "::ffff:198.51.100.1", "198.51.100.1"),
    ("10.0.0.1", "", "10.0.0.1"),
    ("10.0.0.1", "unknown", "10.0.0.1"),
    ("10.0.0.1", "198.51.100.1, unknown", "10.0.0.1"),
    ("10.0.0.1", "198.51.100.1, unknown, 10.3.3.3", "10.3.3.3"),
    ("10.0.0.1", "198.51.100.1:8080", "10.0.0.1"),
    ("10.0.0.1", "[2606:4700::1]", "2606:4700::1"),
    ("10.0.0.1", "'; drop table", "10.0.0.1"),
    ("", "198.51.100.1", ""),
    ("nonsense", "198.51.100.1", ""),
)


@each(("peer", "forwarded", "address"), HOPS)
def test_the_rightmost_hop_that_is_no_proxy_of_ours_is_the_client(
    peer: str, forwarded: str | None, address: str
) -> None:
    assert client_address(peer, forwarded, networks(PROXIES)) == address


def test_without_trusted_proxies_nobody_is_believed() -> None:
    assert client_address("10.0.0.1", "198.51.100.1", ()) == "10.0.0.1"


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("::FFFF:1.2.3.4", "1.2.3.4"),
        ("2001:DB8:0::1", "2001:db8::1"),
        ("[::1]", "::1"),
        ("1.2.3.4 ", ""),
        ("01.2.3.4", ""),
        ("1.2.3", ""),
        ("localhost", ""),
    ],
)
def test_an_address_has_one_spelling(text: str, address: str) -> None:
    assert canonical(text) == address


@pytest.mark.parametrize("wrong", ["proxy.example", "10.0.0.0/33", "", "10.0.0.1-10.0.0.9"])
def test_a_proxy_that_is_no_range_is_refused_by_the_settings_name(wrong: str) -> None:
    with pytest.raises(SettingsError, match="trusted_proxies"):
        networks((wrong,))
