"""Addresses taken apart: whatever is typed, what is accepted is read as others read it, and stays what it is."""

import asyncio
import socket
from ipaddress import ip_network
from urllib.parse import urlsplit

import pytest
import uvloop
from hypothesis import given
from hypothesis import strategies as st

from analytics_box.base.outgoing.addresses import Fence
from analytics_box.base.outgoing.client import Client, OutgoingAnswer, OutgoingRequest
from analytics_box.base.outgoing.failures import AddressRefused
from analytics_box.base.outgoing.resolve import SystemResolver
from analytics_box.base.outgoing.target import RequestTarget, redirect_target, target
from tests.base.outgoing.places import web

STARTS = ("http://", "https://", "//", "/", "\\", "@", ":", "#", "?", "[", "]", "%", ".", "example.com", "127.0.0.1")
OTHERS = ("80", "::1", "xn--", "ä", "０", "\t", "\r\n", "\x00", "a", "-", "_", "..", "%2f", "\u202e", " ")
PIECES = st.sampled_from((*STARTS, *OTHERS))
TEXTS = st.lists(PIECES, max_size=8).map("".join) | st.text(max_size=60).map("https://".__add__) | st.text(max_size=60)


def parsed(text: str) -> RequestTarget | None:
    try:
        return target(text)
    except AddressRefused:
        return None


@given(TEXTS)
def test_accepted_target_stays_the_same_when_parsed_again(text: str) -> None:
    found = parsed(text)
    if found is None:
        return
    assert found.url.isascii()
    assert found.url.isprintable()
    assert not set(found.url) & set(' \\<>"{}|^`')
    assert target(found.url) == found
    assert "@" not in found.authority
    assert "#" not in found.url


@given(TEXTS)
def test_no_other_parser_reads_another_host(text: str) -> None:
    found = parsed(text)
    if found is None:
        return
    again = urlsplit(found.url)
    assert (again.scheme, again.hostname, again.username) == (found.scheme, found.host, None)
    assert (again.port or {"http": 80, "https": 443}[found.scheme]) == found.port
    if text.isascii():
        assert (urlsplit(text).hostname or "").removesuffix(".") == (again.hostname or "") or found.address is not None


@given(TEXTS, TEXTS)
def test_a_redirect_leads_to_an_address_or_is_refused(text: str, location: str) -> None:
    found = parsed(text)
    if found is None:
        return
    try:
        assert target(redirect_target(found, location).url)
    except AddressRefused:
        return


@pytest.mark.parametrize(
    ("location", "url"),
    [
        ("/a", "https://example.com/a"),
        ("b?c=1", "https://example.com/x/b?c=1"),
        ("//other.example/d", "https://other.example/d"),
        ("http://other.example:8080", "http://other.example:8080/"),
        ("?e", "https://example.com/x/y?e"),
        ("../f", "https://example.com/f"),
        ("\\a\\b?c=\\d", "https://example.com/a/b?c=%5Cd"),
        ("/\\other.example/d", "https://other.example/d"),
        ("https:\\\\other.example\\d", "https://other.example/d"),
        ("\x01 /a\tb ", "https://example.com/ab"),
        ("/ä ö", "https://example.com/%C3%A4%20%C3%B6"),
        ("/ä".encode().decode("latin-1"), "https://example.com/%C3%A4"),
    ],
)
def test_relative_redirects(location: str, url: str) -> None:
    assert redirect_target(target("https://example.com/x/y"), location).url == url


async def _fetch(host: str, listen: str) -> OutgoingAnswer:
    async with web(listen) as place:
        client = Client(Fence((ip_network("::1/128"), ip_network("127.0.0.0/8"))), SystemResolver(), agent="test")
        return await client.fetch(OutgoingRequest(f"http://{host}:{place.port}/", seconds=5))


@pytest.mark.parametrize("loop", [asyncio.new_event_loop, uvloop.new_event_loop])
@pytest.mark.parametrize(("host", "listen"), [("[::1]", "::1"), ("localhost", "127.0.0.1")])
def test_the_system_s_names_and_ipv6_work_on_either_loop(host: str, listen: str, loop: object) -> None:
    try:
        with socket.create_server((listen, 0), family=socket.AF_INET6 if ":" in listen else socket.AF_INET):
            pass
    except OSError:
        pytest.skip("this machine has no IPv6")
    with asyncio.Runner(loop_factory=loop) as runner:  # type: ignore[arg-type]  # both make a loop
        assert runner.run(_fetch(host, listen)).address == listen


def test_a_name_that_leads_to_this_machine_is_refused() -> None:
    async def asked(name: str) -> None:
        await Client(Fence(), SystemResolver(), agent="test").fetch(OutgoingRequest(f"http://{name}/", seconds=5))

    with pytest.raises(AddressRefused):
        asyncio.run(asked("localhost"))
