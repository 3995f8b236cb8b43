"""Whose address counts behind proxies: the right-most hop that is not one of ours (security: client address)."""

import pytest
from msgspec.structs import replace

from analytics_box.base.settings import Settings, SettingsError
from analytics_box.web.address import ProxyFault, canonical, client_of, network_of, networks
from tests.cases import each
from tests.inprocess import whole_box

PROXIES = networks(("10.0.0.0/8", "2001:db8:1::/48", "127.0.0.1"))

OURS, PEER = "10.0.0.1", "203.0.113.7"
UNTRUSTED, UNREADABLE = ProxyFault("untrusted", PEER), ProxyFault("unreadable", OURS)

TABLE = [
    # peer, X-Forwarded-For, the client, why it has no effect
    (PEER, "198.51.100.1", PEER, UNTRUSTED),
    (PEER, "", PEER, UNTRUSTED),
    (OURS, "198.51.100.1", "198.51.100.1", None),
    (OURS, "1.1.1.1, 198.51.100.1", "198.51.100.1", None),  # the client can write everything to the left of it
    (OURS, "1.1.1.1, 198.51.100.1, 10.2.3.4", "198.51.100.1", None),
    (OURS, "10.9.9.9, 10.2.3.4", "10.9.9.9", None),  # only proxies: the farthest
    (OURS, OURS, OURS, None),
    (OURS, "::ffff:198.51.100.1", "198.51.100.1", None),
    ("::ffff:10.0.0.1", "198.51.100.1", "198.51.100.1", None),
    ("127.0.0.1", "2001:db8:2::5", "2001:db8:2::5", None),
    ("2001:db8:1::9", "198.51.100.1", "198.51.100.1", None),
    ("2001:db8:3::9", "198.51.100.1", "2001:db8:3::9", ProxyFault("untrusted", "2001:db8:3::9")),
    ("", "1.1.1.1, 198.51.100.1", "198.51.100.1", None),  # over a Unix socket comes what may write to it
    ("", "nonsense", "", ProxyFault("unreadable", "")),
    ("nonsense", "198.51.100.1", "", ProxyFault("untrusted", "")),
    # as proxies write addresses
    (OURS, "198.51.100.1:51008", "198.51.100.1", None),
    (OURS, "1.1.1.1:80,198.51.100.1:4711,\t10.2.3.4:9", "198.51.100.1", None),
    (OURS, "[2001:db8:2::5]", "2001:db8:2::5", None),
    (OURS, "[2001:db8:2::5]:443", "2001:db8:2::5", None),
    (OURS, "2001:DB8:2:0:0:0:0:5:443", "2001:db8:2::5", None),
    (OURS, "[::ffff:198.51.100.1]:443", "198.51.100.1", None),
    (OURS, "fe80::5%eth0", "fe80::5", None),
    (OURS, "[fe80::5%25eth0]:443", "fe80::5", None),
    (OURS, '"198.51.100.1"', "198.51.100.1", None),
    (OURS, '"[2001:db8:2::5]:443", "10.2.3.4:80"', "2001:db8:2::5", None),
    (OURS, "198.51.100.1:_4711", "198.51.100.1", None),
    # as they do not
    (OURS, "", OURS, UNREADABLE),
    (OURS, "198.51.100.1, ", OURS, UNREADABLE),
    (OURS, "unknown", OURS, UNREADABLE),
    (OURS, "198.51.100.1, _hidden", OURS, UNREADABLE),
    (OURS, "198.51.100.1, nonsense, 10.2.3.4", "10.2.3.4", ProxyFault("unreadable", "10.2.3.4")),
    (OURS, "198.51.100.1:", OURS, UNREADABLE),
    (OURS, "198.51.100.1:123456", OURS, UNREADABLE),
    (OURS, "198.51.100.1:80:80", OURS, UNREADABLE),
    (OURS, "[198.51.100.1:80", OURS, UNREADABLE),
    (OURS, "198.51.100.1.:80", OURS, UNREADABLE),
    (OURS, "198.51.100.\u0661:80", OURS, UNREADABLE),
    (OURS, "'; drop table", OURS, UNREADABLE),
    (OURS, "1" * 5_000, OURS, UNREADABLE),
]

STANDARD = [
    ("for=198.51.100.1", "198.51.100.1", None),
    ("For=198.51.100.1;proto=https;by=10.0.0.1", "198.51.100.1", None),
    ('proto=https; FOR="198.51.100.1:4711" ;host=stats.example.com', "198.51.100.1", None),
    ('for="[2001:db8:2::5]:4711"', "2001:db8:2::5", None),
    ('for="[2001:db8:2::5]", for=10.2.3.4', "2001:db8:2::5", None),
    ('for=198.51.100.1;host="a, for=1.1.1.1;for=2.2.2.2"', "198.51.100.1", None),
    ('for="1.1.1.1, for=198.51.100.1', "198.51.100.1", None),  # a quote that a client left open
    ('for=1.1.1.1;host="x, for=198.51.100.1;proto=https', "198.51.100.1", None),
    ("for=198.51.100.1, for=unknown", OURS, UNREADABLE),
    ("for=198.51.100.1, for=_SEVKISEK", OURS, UNREADABLE),
    ("for=198.51.100.1, proto=https", OURS, UNREADABLE),
    ("for=198.51.100.1, for=", OURS, UNREADABLE),
    ("for=1.1.1.1;for=198.51.100.1", OURS, UNREADABLE),
    ("198.51.100.1", OURS, UNREADABLE),
    ("", OURS, UNREADABLE),
    ('"' * 8_000, OURS, UNREADABLE),
]


@each(("peer", "header", "address", "fault"), TABLE)
def test_the_right_most_hop_that_is_not_ours_is_the_client_in_every_form_that_proxies_write(
    peer: str, header: str, address: str, fault: ProxyFault | None
) -> None:
    assert client_of(peer, header, PROXIES) == (address, fault)


@each(("header", "address", "fault"), STANDARD)
def test_forwarded_is_read_like_x_forwarded_for(header: str, address: str, fault: ProxyFault | None) -> None:
    assert client_of(OURS, header, PROXIES, standard=True) == (address, fault)


@each(("peer", "header"), [(peer, header) for peer, header, *_ in TABLE if peer])
def test_without_trusted_proxies_the_header_has_no_effect(peer: str, header: str) -> None:
    found = client_of(peer, header, ())
    assert found == (canonical(peer), ProxyFault("untrusted", canonical(peer)))


@each("header", ["x_forwarded_for", "forwarded"])
def test_clients_of_a_proxy_have_limits_of_their_own(tmp_path_factory: pytest.TempPathFactory, header: str) -> None:
    def limited(settings: Settings) -> Settings:
        return replace(settings, trusted_proxies=("::ffff:10.0.0.0/104",), limit_address=2)

    form = "{}:51008" if header == "x_forwarded_for" else 'for="{}:51008";proto=https'
    with whole_box(tmp_path_factory.mktemp("proxied") / "data", adjust=limited) as box:
        statuses = [
            box.ask("GET", "/script.js", headers={header: form.format(client)}, address=OURS).status
            for client in (*3 * ["198.51.100.1"], "198.51.100.2")
        ]
    assert statuses == [200, 200, 429, 200]


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


def test_long_header_is_read_from_its_right_end_only() -> None:
    trusted = networks(("10.0.0.0/8",))
    nearest = "for=203.0.113.9, for=10.0.0.7"
    assert client_of("10.0.0.1", ";" * 32_000 + "," + nearest, trusted, standard=True).address == "203.0.113.9"
    hops = ", ".join(["198.51.100.1"] + ["10.0.0.2"] * 2_000)
    assert client_of("10.0.0.1", hops, trusted).address.startswith("10.")
