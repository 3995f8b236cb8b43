"""Where a sender is (wire 4.7): the list of the box, a database of the operator's, a trusted proxy's headers."""

import logging
import os
from pathlib import Path
from typing import Any

import pytest

from analytics_box.base.settings import Settings
from analytics_box.web.recognition.countries import name_of, names
from analytics_box.web.recognition.geo import UNKNOWN, Geo, Location, location_of
from tests.web.recognition.mmdb import database

PROXY = "::ffff:192.0.2.1"
BERLIN = {
    "country": {"iso_code": "DE", "names": {"en": "Germany", "de": "Deutschland"}},
    "subdivisions": [{"iso_code": "BE", "names": {"en": "State of Berlin"}}],
    "city": {"names": {"en": "Berlin", "de": "Berlin"}},
}
FLAT = {"country_code": "FR", "state1": "Brittany", "city": "Brest"}


def opened(folder: Path, **given: Any) -> Geo:
    return Geo(Settings(data_dir=folder, trusted_proxies=("192.0.2.1/32",), **given))


def of(found: Geo, network: str, headers: dict[bytes, bytes] | None = None, *, proxied: bool = False) -> Location:
    return found.of(network, headers or {}, peer=PROXY if proxied else "192.0.2.9")


@pytest.mark.parametrize(
    ("network", "country"),
    [
        ("8.8.8.8", "United States"),
        ("91.198.174.192", "Netherlands"),
        ("81.2.69.142", "United Kingdom"),
        ("200.160.2.3", "Brazil"),
        ("203.178.141.194", "Japan"),
        ("141.76.2.4", "Germany"),
        ("2001:4860:4860::/64", "United States"),
        ("2a00:1450:4001:80b::/64", "Ireland"),
        ("127.0.0.1", ""),
        ("10.1.2.3", ""),
        ("100.64.0.1", ""),
        ("198.51.100.7", ""),
        ("fd00::/64", ""),
        ("::1/64", ""),
        ("", ""),
    ],
)
def test_countries_come_with_the_box(tmp_path: Path, network: str, country: str) -> None:
    assert of(opened(tmp_path), network) == Location(country)


@pytest.mark.parametrize(
    ("special", "beside"),
    [
        ("172.16.0.0", "172.15.255.255"),
        ("172.31.255.255", "172.32.0.1"),
        ("192.168.0.0", "192.167.255.255"),
        ("192.168.255.255", "192.169.0.1"),
        ("203.0.113.255", "203.0.114.1"),
        ("2001:db8::/64", "2001:db7:ffff:ffff::/64"),
        ("2001:db8:ffff:ffff::/64", "2001:dba::/64"),
    ],
)
def test_addresses_that_are_not_on_the_internet_are_nowhere_whatever_the_list_says(
    tmp_path: Path, special: str, beside: str
) -> None:
    geo = opened(tmp_path)
    assert of(geo, special) == UNKNOWN
    assert of(geo, beside).country


def test_every_country_of_the_list_has_an_english_name() -> None:
    assert len(names()) > 245
    assert all(code.isalpha() and code.isupper() and len(code) == 2 for code in names())
    assert all(name == name.strip() and name for name in names().values())
    assert (name_of("de"), name_of("GB"), name_of("XX"), name_of("")) == ("Germany", "United Kingdom", "", "")


@pytest.mark.parametrize(
    ("entry", "location"),
    [
        (BERLIN, Location("Germany", "State of Berlin", "Berlin")),
        (FLAT, Location("France", "Brittany", "Brest")),
        ({"country": "IT"}, Location("Italy")),
        ({"registered_country": {"iso_code": "US"}}, Location("United States")),
        ({"country": {"iso_code": "ZZ", "names": {"en": "Elsewhere"}}}, Location("Elsewhere")),
        ({"country": {"iso_code": 5}, "subdivisions": [], "city": []}, UNKNOWN),
        ({"city": {"names": {"en": "A\u202eB\x00" + "x" * 300}}}, Location(city="AB" + "x" * 98)),
        (None, UNKNOWN),
        ("Germany", UNKNOWN),
    ],
)
def test_an_entry_of_a_database_is_read_whatever_form_it_has(entry: Any, location: Location) -> None:
    assert location_of(entry) == location


def test_a_named_database_knows_regions_and_cities_and_the_list_fills_its_gaps(tmp_path: Path) -> None:
    file = tmp_path / "city.mmdb"
    file.write_bytes(database({"198.51.100.0/24": BERLIN, "2001:db8:1::/48": FLAT, "8.8.4.0/24": {"city": "X"}}))
    found = opened(tmp_path, geo_database=str(file))
    assert of(found, "198.51.100.7") == Location("Germany", "State of Berlin", "Berlin")
    assert of(found, "2001:db8:1:2::/64") == Location("France", "Brittany", "Brest")
    assert of(found, "8.8.4.4") == Location("United States", "", "X")
    assert of(found, "8.8.8.8") == Location("United States")
    assert list(tmp_path.glob(".geo-*")) == []


def test_changed_database_is_reloaded_and_its_cache_cleared(tmp_path: Path) -> None:
    file = tmp_path / "city.mmdb"
    file.write_bytes(database({"198.51.100.0/24": BERLIN}))
    found = opened(tmp_path, geo_database=str(file))
    assert of(found, "198.51.100.7").city == "Berlin"
    assert not found.reload()
    file.write_bytes(database({"198.51.100.0/24": FLAT}))  # in place: the old one must go on until then
    assert of(found, "198.51.100.9").city == "Berlin"
    assert found.reload()
    assert of(found, "198.51.100.7").city == of(found, "198.51.100.9").city == "Brest"


def test_a_database_that_is_missing_or_broken_is_said_once_and_costs_no_country(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "city.mmdb"
    with caplog.at_level(logging.INFO):
        found = opened(tmp_path, geo_database=str(file))
        assert not found.reload()
    assert of(found, "8.8.8.8") == Location("United States")
    assert len(caplog.records) == 1
    assert str(file) in caplog.text
    assert "only countries are known" in caplog.text
    caplog.clear()

    file.write_bytes(database({"8.8.8.0/24": BERLIN}))
    assert found.reload()
    file.write_bytes(b"no database")
    with caplog.at_level(logging.INFO):
        assert not found.reload()
    assert "the one read before is kept" in caplog.text
    assert of(found, "8.8.8.8").city == "Berlin"


def test_a_trusted_proxys_headers_go_before_the_databases(tmp_path: Path) -> None:
    found = opened(
        tmp_path, geo_country_header="CF-IPCountry", geo_region_header="CF-Region", geo_city_header="CF-IPCity"
    )
    said = {b"cf-ipcountry": b"DE", b"cf-region": b"Bavaria", b"cf-ipcity": "München".encode()}
    assert of(found, "8.8.8.8", said, proxied=True) == Location("Germany", "Bavaria", "München")
    assert of(found, "8.8.8.8", said, proxied=False) == Location("United States")
    assert of(found, "8.8.8.8", said | {b"cf-ipcity": "München".encode("latin-1")}, proxied=True).city == "München"
    assert of(found, "8.8.8.8", {b"cf-ipcity": b"S%C3%A3o%20Paulo"}, proxied=True).city == "São Paulo"
    assert of(found, "8.8.8.8", {b"cf-ipcountry": b"germany"}, proxied=True).country == "Germany"
    for unknown in (b"XX", b"T1", b"ZZ", b"A1", b"", b"?", b"\x00", b"qq", b"DEU", b"unknown"):
        assert of(found, "8.8.8.8", {b"cf-ipcountry": unknown}, proxied=True) == Location("United States")


def test_a_proxy_at_the_unix_socket_may_name_countries(tmp_path: Path) -> None:
    found = opened(tmp_path, geo_country_header="CF-IPCountry")
    assert found.of("8.8.8.8", {b"cf-ipcountry": b"DE"}, peer="") == Location("Germany")


def test_headers_that_no_setting_names_are_not_looked_at(tmp_path: Path) -> None:
    assert of(opened(tmp_path), "8.8.8.8", {b"cf-ipcountry": b"DE"}, proxied=True) == Location("United States")


def test_another_country_by_header_takes_the_databases_region_with_it(tmp_path: Path) -> None:
    file = tmp_path / "city.mmdb"
    file.write_bytes(database({"198.51.100.0/24": BERLIN}))
    found = opened(tmp_path, geo_database=str(file), geo_country_header="X-Country")
    assert of(found, "198.51.100.7", {b"x-country": b"FR"}, proxied=True) == Location("France")
    assert of(found, "198.51.100.7", {b"x-country": b"de"}, proxied=True) == Location(
        "Germany", "State of Berlin", "Berlin"
    )


def test_location_cache_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analytics_box.web.recognition.geo.MOST_REMEMBERED", 3)
    found = opened(tmp_path)
    for last in range(20):
        of(found, f"8.8.8.{last}")
    assert len(found._known) == 3


@pytest.mark.node
def test_the_countries_come_from_the_pinned_package() -> None:
    root = Path(__file__).parents[3]
    source = root / "web/node_modules/@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb"
    if not source.is_file():
        pytest.skip("needs `npm ci` in web/")
    target = root / "analytics_box/web/recognition/data/countries.mmdb"
    assert os.stat(target).st_size == os.stat(source).st_size
    assert target.read_bytes() == source.read_bytes()
