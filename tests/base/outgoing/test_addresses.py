"""Which addresses are public, as tables: traps of `ipaddress`, wrapped addresses, opened ranges, the box itself."""

from ipaddress import ip_address, ip_network

import pytest

from analytics_box.base.outgoing import addresses
from analytics_box.base.outgoing.addresses import MAIL_PORTS, Fence, unwrap_address
from analytics_box.base.outgoing.failures import AddressRefused
from analytics_box.base.outgoing.fences import fences
from analytics_box.base.outgoing.resolve import ServerResolver, SystemResolver, resolver
from analytics_box.base.settings import Settings, SettingsError
from tests.cases import each

PUBLIC = (
    "93.184.216.34",
    "1.1.1.1",
    "100.63.255.255",
    "100.128.0.0",
    "172.32.0.1",
    "192.0.1.1",
    "223.255.255.254",
    "2606:2800:220:1:248:1893:25c8:1946",
    "2a00::1",
    "::ffff:93.184.216.34",
    "64:ff9b::93.184.216.34",
    "2002:5db8:d822::1",  # 93.184.216.34
)
CLOSED = (
    "0.0.0.0",
    "0.1.2.3",
    "10.255.255.255",
    "100.64.0.0",
    "100.127.255.255",
    "127.0.0.1",
    "169.254.169.254",
    "172.16.0.0",
    "192.0.0.1",
    "192.0.0.9",
    "192.0.2.7",
    "192.88.99.2",
    "192.168.255.255",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.1.1.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::93.184.216.34",
    "::ffff:10.0.0.1",
    "::ffff:0:93.184.216.34",
    "64:ff9b::10.0.0.1",
    "64:ff9b::224.0.0.1",
    "64:ff9b:1::93.184.216.34",
    "100::1",
    "2001::1",
    "2001:10::1",
    "2001:20::1",
    "2001:db8::1",
    "2002:a00:1::1",
    "2002:e000:1::1",
    "3fff::1",
    "4000::1",
    "5f00::1",
    "fc00::1",
    "fd00::1",
    "fe80::1",
    "fe80::1%1",
    "febf::1",
    "fec0::1",
    "ff02::1",
    "ff0e::1",
)


@pytest.mark.parametrize("text", PUBLIC)
def test_public_addresses_may_be_asked(text: str) -> None:
    assert Fence().check(ip_address(text), 443) == unwrap_address(ip_address(text))[0]


@each("text", CLOSED)
def test_all_others_may_not(text: str) -> None:
    with pytest.raises(AddressRefused):
        Fence().check(ip_address(text), 443)


def test_a_mapped_address_is_dialled_as_what_it_is() -> None:
    assert str(Fence().check(ip_address("::ffff:93.184.216.34"), 80)) == "93.184.216.34"


@pytest.mark.parametrize(
    ("opened", "text", "open_"),
    [
        ("10.0.0.0/8", "10.1.2.3", True),
        ("10.0.0.0/8", "::ffff:10.1.2.3", True),
        ("10.0.0.0/8", "64:ff9b::10.1.2.3", True),
        ("10.0.0.0/8", "192.168.0.1", False),
        ("10.0.0.0/8", "2002:a01:203::1", True),
        ("fd00::/8", "fd12::1", True),
        ("fd00::/8", "fc00::1", False),
        ("0.0.0.0/0", "224.0.0.1", False),
        ("::/0", "ff02::1", False),
        ("::/0", "::", False),
        ("::1/128", "::1", True),
        ("::/0", "::93.184.216.34", True),
        ("::/0", "::10.0.0.1", False),
        ("::/0", "::ffff:127.0.0.1", False),
    ],
)
def test_a_range_is_opened_by_its_administrator(opened: str, text: str, open_: bool) -> None:
    found = Fence((ip_network(opened),))
    if open_:
        found.check(ip_address(text), 80)
    else:
        with pytest.raises(AddressRefused):
            found.check(ip_address(text), 80)


@pytest.mark.parametrize("port", sorted(MAIL_PORTS))
def test_ports_of_mail_are_closed_even_there(port: int) -> None:
    with pytest.raises(AddressRefused, match="mail"):
        Fence((ip_network("0.0.0.0/0"),)).check(ip_address("10.0.0.1"), port)


@pytest.mark.parametrize(
    ("host", "text", "own"),
    [
        ("127.0.0.1", "127.0.0.1", True),
        ("127.0.0.1", "::ffff:127.0.0.1", True),
        ("127.0.0.1", "127.0.0.2", False),
        ("0.0.0.0", "127.0.0.1", True),
        ("0.0.0.0", "127.0.0.2", True),
        ("0.0.0.0", "10.255.255.1", False),
        ("::", "127.0.0.1", True),
        ("::", "::1", True),
        ("localhost", "127.0.0.1", True),
    ],
)
def test_the_box_s_own_port_is_closed_wherever_it_listens(
    host: str, text: str, own: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = {"127.0.0.1", "127.0.0.2", "::1"}
    monkeypatch.setattr(addresses, "is_own", lambda address: str(address) in here)
    found = Fence((ip_network("0.0.0.0/0"), ip_network("::/0")), host, 8000)
    found.check(ip_address(text), 8001)
    if own:
        with pytest.raises(AddressRefused, match="own"):
            found.check(ip_address(text), 8000)
    else:
        found.check(ip_address(text), 8000)


def test_this_machine_knows_its_addresses() -> None:
    assert addresses.is_own(ip_address("127.0.0.1"))
    assert not addresses.is_own(ip_address("93.184.216.34"))


def test_settings_are_read_and_what_is_wrong_with_them_is_said() -> None:
    assert fences(Settings(allowed_private_targets=("10.0.0.1/8", "fd00::/8"))).allowed == (
        ip_network("10.0.0.0/8"),
        ip_network("fd00::/8"),
    )
    with pytest.raises(SettingsError, match="allowed_private_targets"):
        fences(Settings(allowed_private_targets=("home",)))
    assert isinstance(resolver(Settings()), SystemResolver)
    for text in ("192.0.2.53", "192.0.2.53:5353", "2001:db8::53", "[2001:db8::53]:5353", "[2001:db8::53]"):
        assert isinstance(resolver(Settings(dns_servers=(text,))), ServerResolver)
    for text in ("dns.example.com", "192.0.2.53:0", "192.0.2.53:x", "[192", ""):
        with pytest.raises(SettingsError, match="dns_servers"):
            resolver(Settings(dns_servers=(text,)))


NAMES = (
    ("example.com", True),
    ("internal.example.com", True),
    ("localhost", False),
    ("com", False),
    ("Vault.Internal.", False),
    ("printer.local", False),
    ("nas.lan", False),
    ("db.corp", False),
    ("router.home.arpa", False),
    ("8.8.8.8.in-addr.arpa", True),
    ("8.8.in-addr.arpa", True),
    ("3.2.1.10.in-addr.arpa", False),
    ("10.in-addr.arpa", False),
    ("168.192.in-addr.arpa", False),
    ("16.172.in-addr.arpa", False),
    ("1.0.0.127.in-addr.arpa", False),
    ("254.169.in-addr.arpa", False),
    ("64.100.in-addr.arpa", False),
    ("_x.0-26.0.168.192.in-addr.arpa", False),
    ("in-addr.arpa", False),
    ("0.0.7.4.6.0.6.2.ip6.arpa", True),
    ("d.f.ip6.arpa", False),
    ("0.8.e.f.ip6.arpa", False),
)


@pytest.mark.parametrize(("name", "is_asked"), NAMES)
def test_names_that_the_internet_does_not_have_are_asked_only_with_an_open_range(name: str, is_asked: bool) -> None:
    Fence((ip_network("10.0.0.0/8"),)).check_name(name)
    if is_asked:
        Fence().check_name(name)
        return
    with pytest.raises(AddressRefused, match="private networks"):
        Fence().check_name(name)
