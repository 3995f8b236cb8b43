"""Fences: which private networks each kind of asker reaches."""

import ast
from ipaddress import ip_address, ip_network
from pathlib import Path

import pytest

import analytics_box
from analytics_box.base.errors import BadRequest
from analytics_box.base.outgoing.failures import AddressRefused
from analytics_box.base.outgoing.fences import ADMINISTRATOR, ALL, STRANGER, Fences, RequestAsker, clean, member_of
from tests.cases import each

ALLOWED = (ip_network("192.168.0.0/16"), ip_network("fd00::/8"))
STORED = {"home": ALL, "part": "192.168.1.0/24, fd00:1::/32", "former": "10.0.0.0/8, 192.168.2.0/24"}


@each(
    ("asker", "address", "reaches"),
    [
        (STRANGER, "192.168.1.7", False),
        (STRANGER, "fd00:1::7", False),
        (STRANGER, "93.184.216.34", True),
        (ADMINISTRATOR, "192.168.1.7", True),
        (ADMINISTRATOR, "10.0.0.1", False),
        (member_of("home"), "192.168.1.7", True),
        (member_of("home"), "10.0.0.1", False),
        (member_of("part"), "192.168.1.7", True),
        (member_of("part"), "192.168.2.7", False),
        (member_of("part"), "fd00:1::7", True),
        (member_of("former"), "192.168.2.7", True),
        (member_of("former"), "10.0.0.1", False),
        (member_of("unknown"), "192.168.1.7", False),
        (member_of("unknown"), "93.184.216.34", True),
    ],
)
def test_an_asker_reaches_the_networks_that_are_open_to_its_kind(
    asker: RequestAsker, address: str, reaches: bool
) -> None:
    fence = Fences(ALLOWED, opened=lambda organization_id: STORED.get(organization_id, "")).of(asker)
    if reaches:
        fence.check(ip_address(address), 443)
    else:
        with pytest.raises(AddressRefused):
            fence.check(ip_address(address), 443)


def test_internal_names_are_looked_up_only_for_askers_with_an_open_network() -> None:
    fences = Fences(ALLOWED, opened=lambda organization_id: STORED.get(organization_id, ""))
    fences.of(member_of("part")).check_name("nas.lan")
    for asker in (STRANGER, member_of("unknown")):
        with pytest.raises(AddressRefused):
            fences.of(asker).check_name("nas.lan")


@each(
    ("given", "stored"),
    [
        (" All ", "all"),
        ("none", ""),
        ("", ""),
        ("192.168.1.1/24", "192.168.1.0/24"),
        ("192.168.1.5,fd00:1::/32  192.168.1.5", "192.168.1.5/32, fd00:1::/32"),
        ("192.168.0.0/16", "192.168.0.0/16"),
    ],
)
def test_networks_of_an_organization_are_stored_in_one_spelling(given: str, stored: str) -> None:
    assert clean(given, ALLOWED) == stored


@each(
    "given",
    [
        "home",
        "10.0.0.0/8",
        "192.168.0.0/15",
        "0.0.0.0/0",
        "192.168.1.0/33",
        "1.1.1.1",
        ", ".join(["192.168.1.7"] + [f"192.168.{n}.0/24" for n in range(99)]),
    ],
)
def test_networks_outside_of_the_setting_and_texts_that_are_none_are_refused(given: str) -> None:
    with pytest.raises(BadRequest):
        clean(given, ALLOWED)


def test_a_refusal_says_how_its_asker_can_have_a_network_opened() -> None:
    fences = Fences(ALLOWED)
    for asker, words in (
        (STRANGER, "public internet"),
        (member_of("one"), "administrator"),
        (ADMINISTRATOR, "setting"),
    ):
        with pytest.raises(AddressRefused, match=words):
            fences.of(asker).check(ip_address("10.0.0.1"), 443)


def test_fences_and_clients_are_made_in_one_place() -> None:
    """Every request names an asker: there is no other way to a client."""
    package = Path(analytics_box.__file__).parent
    texts = {path.relative_to(package).as_posix(): path.read_text() for path in package.rglob("*.py")}
    made = {
        (call.func.id, path)
        for path, text in texts.items()
        if "analytics_box.base.outgoing" in text
        for call in ast.walk(ast.parse(text))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in {"Fence", "Client"}
    }
    assert made == {("Fence", "base/outgoing/fences.py"), ("Client", "base/outgoing/client.py")}
