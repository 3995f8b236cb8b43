"""Whose data centre an address is in, for websites that want to know."""

import pytest

from analytics_box.web.recognition.hosting import HostingRanges, hosts, provider_of


@pytest.mark.parametrize(
    ("network", "provider"),
    [
        ("52.95.110.1", "Amazon AWS"),
        ("2600:1f18::/64", "Amazon AWS"),
        ("88.198.1.1", "Hetzner"),
        ("51.38.0.1", "OVHcloud"),
        ("159.65.0.1", "DigitalOcean"),
        ("81.2.69.142", ""),
        ("91.198.174.192", ""),
        ("8.8.8.8", ""),  # people come through Google's own services
        ("1.1.1.1", ""),
        ("127.0.0.1", ""),
        ("255.255.255.255", ""),
        ("0.0.0.0", ""),
        ("2a00:23c7:1234:5678::/64", ""),
        ("ffff::/64", ""),
        ("", ""),
        ("nonsense", ""),
    ],
)
def test_providers_are_known_by_address(network: str, provider: str) -> None:
    assert provider_of(network) == provider


def test_the_ranges_are_sorted_and_none_overlaps_another() -> None:
    found = hosts()
    assert len(found.names) == len(set(found.names)) == 17
    for ranges in (found.four, found.six):
        assert len(ranges.firsts) == len(ranges.lasts) == len(ranges.providers) > 1_000
        assert all(first <= last for first, last in zip(ranges.firsts, ranges.lasts, strict=True))
        assert all(last < following for last, following in zip(ranges.lasts, list(ranges.firsts)[1:], strict=False))
        assert max(ranges.providers) < len(found.names)


def test_every_first_and_last_address_of_a_range_belongs_to_it_and_its_neighbours_do_not() -> None:
    four: HostingRanges = hosts().four
    inside = {number for ends in (four.firsts, four.lasts) for number in ends}
    for first, last, provider in zip(four.firsts, four.lasts, four.providers, strict=True):
        assert four.find(first) == four.find(last) == provider
        for outside in (first - 1, last + 1):
            assert outside in inside or four.find(outside) is None
