"""Which address a request comes from (security: client address)."""

import pytest

from analytics_box.http.address import canonical, networks
from analytics_box.settings import SettingsError


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
