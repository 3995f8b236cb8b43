"""Checks that are not HTTP: ports and what they say, names, certificates, pings, and addresses of each kind."""

import asyncio
import socket
from collections.abc import Callable
from ipaddress import ip_address
from typing import Any

import pytest

from analytics_box.base.outgoing import ping
from analytics_box.base.outgoing.addresses import Address
from analytics_box.base.outgoing.failures import AddressRefused, RequestFailed
from analytics_box.products.monitors.monitor import Kind
from analytics_box.products.monitors.probing.address import clean_address
from analytics_box.products.monitors.probing.kinds import unescape
from analytics_box.products.monitors.result import CheckResult, Reason
from tests.base.outgoing.places import OPEN, Names, names
from tests.cases import each
from tests.products.monitors.faults import (
    EXPIRED_AT,
    EXPIRED_PEM,
    Faults,
    banner,
    faults,
    goes_on,
    hangs_after,
    says,
    secure,
)
from tests.products.monitors.probing.checking import check, monitor, run, that

SSH = b"SSH-2.0-OpenSSH_9.6\r\n"


async def _redis(faults: Faults, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    if await reader.readline() == b"PING\r\n":
        await faults.write(writer, b"+PONG\r\n")
    await reader.read()


async def _greets_twice(faults: Faults, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await faults.write(writer, b"220-first\r\n")
    await asyncio.sleep(0.05)
    await faults.write(writer, b"220 second\r\n")
    await reader.read()


PORTS: tuple[tuple[Any, dict[str, Any], Reason, str], ...] = (
    (hangs_after(b""), {}, "", ""),
    (says(b""), {}, "", ""),
    (hangs_after(SSH), {"assertions": that("banner", "contains", "OpenSSH")}, "", ""),
    (says(SSH), {"assertions": that("banner", "contains", "Dropbear")}, "assertion", "Server greeting does not"),
    (_greets_twice, {"assertions": that("banner", "contains", "second")}, "", ""),
    (_redis, {"send": r"PING\r\n", "assertions": that("banner", "equals", "+PONG\r\n")}, "", ""),
    (_redis, {"send": r"PING\r\n"}, "", ""),
    (says(b""), {"assertions": that("banner", "exists")}, "bad_answer", "without a response"),
    (hangs_after(b""), {"assertions": that("banner", "exists"), "ms": 100}, "timeout", "within 0.1 seconds"),
    (goes_on(b"", b"x" * 1_000), {"assertions": that("banner", "contains", "y")}, "assertion", "does not contain"),
)


@each(("serve", "given", "reason", "error"), PORTS, ids=lambda _, given, *__: str(given))
def test_a_port_is_up_when_it_answers_as_it_should(
    serve: Any, given: dict[str, Any], reason: Reason, error: str
) -> None:
    async def asked() -> CheckResult:
        async with banner(serve) as server:
            return await check(monitor(f"tcp://{OPEN}:{server.port}", "tcp", **given))

    found = run(asked())
    assert (found.reason, found.outcome) == (reason, "fail" if reason else "pass")
    assert error in found.error
    assert found.phases.connect is not None
    assert found.bytes is None or found.bytes <= 4_096


def test_text_to_send_can_contain_any_byte() -> None:
    assert unescape(r"a\r\n\x00\xff\\n\q ä") == b"a\r\n\x00\xff\\n\\q \xc3\xa4"


RECORDS = {
    ("name.test", "A"): [["93.184.216.1", "93.184.216.2"]],
    ("name.test", "MX"): [["10 mail.name.test."]],
    ("name.test", "TXT"): [['"v=spf1 -all"', '"v=DKIM1; p=" "AAA\\;\\"B" "\\195\\164"']],
    ("name.test", "CNAME"): [["Other.name.TEST."]],
    ("name.test", "CAA"): [['0 issue "ca.example"']],
    ("name.test", "SRV"): [["10 5 443 host.name.test."]],
    ("six.test", "AAAA"): [["2606:2800:220:1::1"]],
    ("none-mail.test", "MX"): [["0 ."]],
}
NAMES: tuple[tuple[str, dict[str, Any], Reason, str], ...] = (
    ("name.test", {}, "", ""),
    ("NAME.test", {"record": "MX", "assertions": that("record", "equals", "10 mail.name.test.")}, "", ""),
    ("name.test", {"record": "TXT", "assertions": that("record", "contains", "v=spf1")}, "", ""),
    *(
        (name, {"record": kind, "assertions": that("record", "equals", value)}, "", "")
        for name, kind, value in (
            ("name.test", "MX", "10 mail.name.test"),
            ("name.test", "MX", "10  Mail.Name.test."),
            ("name.test", "TXT", "v=spf1 -all"),
            ("name.test", "TXT", '"v=spf1 -all"'),
            ("name.test", "TXT", '"v=spf1" " -all"'),
            ("name.test", "TXT", 'v=DKIM1; p=AAA;"Bä'),
            ("name.test", "CNAME", "other.name.test"),
            ("name.test", "CNAME", "OTHER.name.test."),
            ("name.test", "CAA", "0 issue ca.example"),
            ("name.test", "CAA", '0 issue "ca.example"'),
            ("name.test", "SRV", "10 5 443 host.name.test"),
            ("six.test", "AAAA", "2606:2800:0220:0001:0:0:0:1"),
            ("none-mail.test", "MX", "0 ."),
        )
    ),
    ("name.test", {"record": "CNAME", "assertions": that("record", "contains", "OTHER")}, "", ""),
    ("name.test", {"record": "CNAME", "assertions": that("record", "matches", r"^Other.*test\.$")}, "", ""),
    ("name.test", {"record": "CNAME", "assertions": that("record", "matches", r"test$")}, "", ""),
    ("name.test", {"record": "TXT", "assertions": that("record", "matches", "^v=DKIM1; p=A+;")}, "", ""),
    ("name.test", {"record": "TXT", "assertions": that("record", "not_contains", "p=AAA")}, "assertion", "p=AAA"),
    (
        "name.test",
        {"record": "CNAME", "assertions": that("record", "not_equals", "other.name.test")},
        "assertion",
        "is",
    ),
    ("name.test", {"record": "TXT", "assertions": that("record", "equals", "V=SPF1 -all")}, "assertion", "is v="),
    ("name.test", {"assertions": that("record", "equals", "93.184.216.3")}, "assertion", "93.184.216.1, 93.184.216.2"),
    ("name.test", {"record": "AAAA"}, "assertion", "no record of this type"),
    ("none.test", {}, "dns", "does not exist (NXDOMAIN)"),
    ("none.test", {"assertions": that("record", "not_exists")}, "", ""),
    ("name.test", {"server": "10.0.0.1"}, "refused", "private or reserved"),
    ("name.test", {"server": "169.254.169.254:53"}, "refused", "private or reserved"),
    ("name.test", {"server": "user@dns"}, "refused", "host name"),
)


@each(("name", "given", "reason", "error"), NAMES, ids=lambda name, given, *_: f"{name} {given}")
def test_a_name_is_up_when_it_has_the_record(name: str, given: dict[str, Any], reason: Reason, error: str) -> None:
    async def asked() -> CheckResult:
        async with names() as server:
            server.records |= RECORDS
            return await check(monitor(f"dns://{name}", "dns", **given), server)

    found = run(asked())
    assert (found.reason, found.outcome) == (reason, "fail" if reason else "pass")
    assert error in found.error


def test_private_addresses_of_a_name_are_hidden() -> None:
    private = ["10.1.2.3", "fd00::1", "::ffff:192.168.0.1"]

    async def asked(kind: str, **given: Any) -> CheckResult:
        async with names() as server:
            server.records[("name.test", "A")] = [[private[0], "93.184.216.1"]]
            server.records[("name.test", "AAAA")] = [private[1:]]
            return await check(monitor("dns://name.test", "dns", record=kind, **given), server)

    for kind in ("A", "AAAA"):
        found = run(asked(kind, assertions=that("record", "not_contains", "a private address")))
        assert "a private address" in found.error
        assert not any(one in f"{found.error} {found.held}" for one in ("10.1.2.3", "fd00::1", "192.168"))
        guessed = run(asked(kind, assertions=that("record", "matches", r"^(10\.|fd00|::ffff)")))
        assert guessed.outcome == "fail"


@pytest.mark.parametrize("url", ["dns://intranet", "dns://db.corp", "dns://1.0.168.192.in-addr.arpa"])
def test_names_of_private_networks_are_not_asked(url: str) -> None:
    async def asked(allowed: tuple[str, ...], **given: Any) -> tuple[CheckResult, int]:
        async with names() as server:
            found = await check(monitor(url, "dns", **given), server, allowed=allowed)
            return found, len(server.asked)

    found, questions = run(asked(()))
    assert (found.reason, questions) == ("refused", 0)
    assert "A server administrator can open the network" in found.error
    found, questions = run(asked(("10.0.0.0/8",)))
    assert found.reason == "dns"
    assert questions > 0


async def _at_server(serve: Callable[[Names], None], **given: Any) -> CheckResult:
    bound = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    bound.bind((OPEN, 0))
    async with names(bound) as server:
        serve(server)
        return await check(monitor("dns://name.test", "dns", server=f"{OPEN}:{server.port}", **given))


def test_a_named_server_is_asked_and_one_that_is_silent_is_told() -> None:
    found = run(_at_server(lambda server: server.records.update(RECORDS)))
    assert (found.outcome, found.address) == ("pass", OPEN)
    assert found.phases.dns == found.total
    found = run(_at_server(lambda server: setattr(server, "silent", True), ms=200))
    assert found.reason in {"dns", "timeout"}


def test_a_certificate_s_days_are_asserted() -> None:
    async def asked(*more: Any) -> CheckResult:
        async with faults(secure(EXPIRED_PEM)) as server:
            assertions = that("certificate_days", "greater_than", "14", level="warn")
            return await check(monitor(f"tls://{OPEN}:{server.port}", "tls", verify=False, assertions=assertions))

    found = run(asked())
    assert (found.outcome, found.certificate_ends, found.held[0].seen[0]) == ("warn", EXPIRED_AT, "-")


class Echo:
    """A machine that answers pings over UDP, since a test may not send ICMP. It answers all but the first `deaf`."""

    def __init__(self, deaf: int = 0, wrong: bool = False) -> None:
        self.deaf, self.wrong = deaf, wrong
        self.server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.server.bind(("127.0.0.1", 0))
        self.server.setblocking(False)

    def icmp(self, _: Address) -> socket.socket:
        asks = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        asks.setblocking(False)
        asks.connect(self.server.getsockname())
        asyncio.get_running_loop().add_reader(self.server, self._answer)
        return asks

    def _answer(self) -> None:
        packet, back = self.server.recvfrom(2_048)
        if self.deaf:
            self.deaf -= 1
            return
        self.server.sendto(b"\x00" + packet[1:6] + b"\xff\xff" + packet[8:], back)
        if not self.wrong:
            self.server.sendto(b"\x45" + bytes(19) + b"\x00" + packet[1:], back)


@pytest.mark.parametrize(("deaf", "wrong", "reason"), [(0, False, ""), (1, False, ""), (0, True, "timeout")])
def test_a_machine_is_up_when_it_answers_a_ping(
    deaf: int, wrong: bool, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    echo = Echo(deaf, wrong)
    monkeypatch.setattr(ping, "icmp", echo.icmp)
    monkeypatch.setattr(ping, "_AGAIN_SECONDS", 0.05)
    found = run(check(monitor(f"ping://{OPEN}", "ping", ms=300)))
    echo.server.close()
    assert (found.reason, found.address) == (reason, OPEN)
    assert (found.phases.first_byte is None) is bool(reason)


def test_missing_ping_permission_is_reported_with_its_solution(monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: object) -> socket.socket:
        raise PermissionError

    monkeypatch.setattr("socket.socket", denied)
    with pytest.raises(RequestFailed, match="ping_group_range"):
        ping.icmp(ip_address("127.0.0.1"))


ADDRESSES: tuple[tuple[Kind, str, str], ...] = (
    ("http", " https://Example.com ", "https://example.com/"),
    ("tcp", "tcp://Example.com:22", "tcp://example.com:22"),
    ("tcp", "TCP://[2001:db8::1]:22/", "tcp://[2001:db8::1]:22"),
    ("tcp", "tcp://example.com", ""),
    ("tcp", "tcp://user:pass@example.com:22", ""),
    ("tcp", "example.com:22", ""),
    ("tcp", "udp://example.com:22", ""),
    ("tls", "tls://example.com", "tls://example.com:443"),
    ("tls", "tls://example.com:99999", ""),
    ("tls", "tls://example.com:443/path", ""),
    ("dns", "dns://Example.com.", "dns://example.com"),
    ("dns", "dns://_dmarc.example.com", "dns://_dmarc.example.com"),
    ("dns", "dns://example.com:53", ""),
    ("dns", "dns://bücher.example", "dns://xn--bcher-kva.example"),
    ("ping", "ping://192.0.2.1", "ping://192.0.2.1"),
    ("ping", "ping://example.com:80", ""),
    ("ping", "ping://", ""),
    ("ping", "ping://a b", ""),
    ("push", "", "push://"),
)


@each(("kind", "typed", "spelling"), ADDRESSES)
def test_an_address_has_one_spelling_or_is_refused(kind: Kind, typed: str, spelling: str) -> None:
    if spelling:
        assert clean_address(kind, typed) == spelling
        assert clean_address(kind, spelling) == spelling
        return
    with pytest.raises(AddressRefused) as why:
        clean_address(kind, typed)
    assert "pass" not in str(why.value)
