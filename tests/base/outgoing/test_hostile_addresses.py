"""The corpus of hostile addresses: direct, behind a redirect, and by names whose answers change (security)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from ipaddress import IPv4Address, IPv6Address
from typing import NamedTuple

import pytest

from analytics_box.base.outgoing.client import Client, OutgoingRequest
from analytics_box.base.outgoing.failures import AddressRefused, RequestFailed
from analytics_box.base.outgoing.target import target
from tests.base.outgoing.hostile import ADDRESSES, NAMES, PUBLIC
from tests.base.outgoing.places import OPEN, Names, Reply, Web, client_of, names, plain, web


class Scene(NamedTuple):
    """A victim that nobody may reach, a server that may be, and a client with its name server."""

    victim: Web
    open: Web
    names: Names
    client: Client

    @property
    def way_in(self) -> str:
        return f"http://{OPEN}:{self.open.port}/"


@asynccontextmanager
async def scene() -> AsyncIterator[Scene]:
    async with names() as server, web() as open_web, web("127.0.0.1") as victim:
        server.records |= {name: [answers] for name, answers in NAMES.items()}
        yield Scene(victim, open_web, server, client_of(server))
        assert victim.connections == 0


async def verdict(client: Client, url: str) -> str:
    """Nothing where the address was refused, else what happened."""
    try:
        await client.fetch(OutgoingRequest(url, seconds=5))
    except AddressRefused:
        return ""
    except RequestFailed as other:
        return f"{other.code}: {other}"
    return "answered"


def literal_addresses() -> list[str]:
    """Every address of the corpus that a name server could answer with, and those that the names lead to."""
    given = [str(address) for url in ADDRESSES if (address := literal(url.replace("{port}", "80"))) is not None]
    return list(
        dict.fromkeys([*given, *(answer for answers in NAMES.values() for answer in answers if answer != PUBLIC)])
    )


def literal(url: str) -> IPv4Address | IPv6Address | None:
    try:
        found = target(url).address
    except AddressRefused:
        return None
    return None if str(found) == PUBLIC else found


def leading_to(location: str) -> Reply:
    return lambda _: plain(b"", "302 Found", f"Location: {location}")


def test_the_corpus_is_large() -> None:
    assert len(set(ADDRESSES)) >= 60


def test_none_is_reached_directly() -> None:
    async def verdicts() -> dict[str, str]:
        async with scene() as here:
            return {url: await verdict(here.client, url.replace("{port}", str(here.victim.port))) for url in ADDRESSES}

    assert {url: said for url, said in asyncio.run(verdicts()).items() if said} == {}


def test_none_is_reached_by_a_redirect() -> None:
    async def verdicts() -> dict[str, str]:
        found = {}
        async with scene() as here:
            for url in ADDRESSES:
                location = url.replace("{port}", str(here.victim.port))
                for broken in "\r\n\0":  # a header cannot hold these; other unprintable characters it can
                    location = location.replace(broken, "\x7f")
                here.open.reply = leading_to(location)
                found[url] = await verdict(here.client, here.way_in)
        return found

    said = {url: said for url, said in asyncio.run(verdicts()).items() if said}
    # Without a host they lead back to the server that sent them, again and again.
    assert set(said) == {"http://", "http:///"}
    assert all("More than 5 redirects" in text for text in said.values())


def test_none_is_reached_at_the_end_of_a_chain() -> None:
    async def verdicts() -> set[str]:
        async with scene() as here:
            steps = [f"{here.way_in}{step}" for step in range(4)] + [f"http://loop.test:{here.victim.port}/"]
            waiting = iter(steps)
            here.open.reply = lambda _: leading_to(next(waiting))(b"")
            said = await verdict(here.client, here.way_in)
            assert len(here.open.heard) == 5
            return {said}

    assert asyncio.run(verdicts()) == {""}


def test_a_name_is_resolved_once_and_what_was_vetted_is_dialled() -> None:
    async def reached() -> list[bytes]:
        async with scene() as here:
            here.names.records[("turns.test", "A")] = [[OPEN], ["127.0.0.1"]]
            answer = await here.client.fetch(OutgoingRequest(f"http://turns.test:{here.open.port}/"))
            assert answer.address == OPEN
            assert here.names.asked.count(("turns.test", "A")) == 1
            return here.open.heard

    assert b"\r\nHost: turns.test:" in asyncio.run(reached())[0]


def test_a_name_that_turns_inside_between_redirects_is_refused() -> None:
    async def said() -> str:
        async with scene() as here:
            here.names.records[("turns.test", "A")] = [[OPEN], ["127.0.0.1"]]
            here.open.reply = leading_to("/again")
            found = await verdict(here.client, f"http://turns.test:{here.open.port}/")
            assert here.open.connections == 1
            return found

    assert asyncio.run(said()) == ""


def test_none_is_reached_by_a_name_that_turns_into_it() -> None:
    async def verdicts() -> dict[str, str]:
        found = {}
        async with scene() as here:
            for address in literal_addresses():
                kind = "AAAA" if ":" in address else "A"
                here.names.records |= {("turns.test", "A"): [[OPEN], []], ("turns.test", "AAAA"): [[], []]}
                here.names.records["turns.test", kind] = [[OPEN] if kind == "A" else [], [address]]
                here.open.reply = leading_to(f"http://turns.test:{here.victim.port}/")
                found[address] = await verdict(here.client, f"http://turns.test:{here.open.port}/")
        return found

    found = asyncio.run(verdicts())
    assert len(found) >= 40
    assert {address: said for address, said in found.items() if said} == {}


def test_name_with_one_forbidden_address_is_refused() -> None:
    async def said() -> str:
        async with scene() as here:
            here.names.records[("both.test", "A")] = [[OPEN, "127.0.0.1"]]
            found = await verdict(here.client, f"http://both.test:{here.open.port}/")
            assert here.open.connections == 0
            return found

    assert asyncio.run(said()) == ""


def test_address_of_the_box_is_refused_even_in_an_open_network() -> None:
    async def said() -> tuple[str, str]:
        async with scene() as here:
            client = client_of(here.names, allowed=("127.0.0.0/8",), own=here.victim.port)
            own = await verdict(client, f"http://loop.test:{here.victim.port}/")
            return own, await verdict(client, here.way_in)

    assert asyncio.run(said()) == ("", "answered")


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://93.184.216.34#@127.0.0.1/x", "93.184.216.34"),
        ("HTTP://EXAMPLE.com./a?b=@c", "example.com"),
        ("https://bücher.example", "xn--bcher-kva.example"),
        ("https://faß.example", "xn--fa-hia.example"),
        ("http://[2606:2800:220:1:0:0:0:1]:8080/", "2606:2800:220:1::1"),
    ],
)
def test_the_host_is_read_as_a_browser_reads_it(url: str, host: str) -> None:
    assert target(url).host == host


@pytest.mark.parametrize(
    "url", ["http://93.184.216.34:25/", "http://example.com/\r\nx", "http://u:secret@example.com/"]
)
def test_a_refusal_does_not_repeat_the_address(url: str) -> None:
    with pytest.raises(AddressRefused) as why:
        asyncio.run(client_of().fetch(OutgoingRequest(url)))
    assert "secret" not in str(why.value)
    assert "example.com/" not in str(why.value)
