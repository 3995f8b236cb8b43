"""Which address a request comes from (security: client address)."""

from ipaddress import IPv4Address, IPv6Address, ip_address
from random import Random

import pytest

from analytics_box.base.settings import SettingsError
from analytics_box.web.address import canonical, is_within, network_of, networks


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


def spellings(random: Random) -> list[str]:
    """One address as it may be written, and what looks like it."""
    four = IPv4Address(random.getrandbits(32))
    six = IPv6Address(sum(random.getrandbits(16) << 16 * group for group in range(8) if random.random() < 0.6))
    inside = random.choice(("::", "::ffff:", "::FFFF:0:", "64:ff9b::"))
    forms = [str(four), f"{inside}{four}", str(six), six.exploded, str(six).upper(), f"[{six}]", f"{six}%eth0"]
    return [*forms, f"{four}.", f" {four}", f"{six}::", f"0{four}", f"{four}\0"]


def test_addresses_are_read_as_python_reads_them() -> None:
    random, near = Random(7), networks(("10.0.0.0/8", "::/1"))
    for text in (text for _ in range(2_000) for text in spellings(random)):
        try:
            parsed = ip_address(text.strip("[]"))
        except ValueError:
            assert (canonical(text), network_of(text), is_within(text, near)) == ("", "", False), text
            continue
        plain = getattr(parsed, "ipv4_mapped", None) or parsed
        cut = f"{IPv6Address(int(plain) >> 64 << 64)}/64"
        assert canonical(text) == str(plain).partition("%")[0]
        assert network_of(text) == (str(plain) if plain.version == 4 else cut)
        assert is_within(text, near) == (int(plain) >> 24 == 10 if plain.version == 4 else int(plain) < 1 << 127), text
