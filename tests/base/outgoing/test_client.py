"""The guarded client against real servers: what is sent, what comes back, the caps, TLS, redirects and phases."""

import asyncio
import gzip
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest
import uvloop

from analytics_box.base.outgoing.client import OutgoingAnswer, OutgoingRequest
from analytics_box.base.outgoing.failures import (
    AddressRefused,
    BadAnswer,
    NotConnected,
    NotResolved,
    NotSecure,
    RequestFailed,
    TooLarge,
    TooSlow,
)
from tests.base.outgoing.places import EXPIRES, OPEN, Reply, Web, client_of, names, plain, web

T = TypeVar("T")


def run(work: Awaitable[T]) -> T:
    """On the loop that the box runs on."""

    async def main() -> T:
        return await work

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(main())


async def ask(reply: Reply | bytes, path: str = "/", **given: object) -> tuple[OutgoingAnswer, Web]:
    """One request to a server that answers so."""
    async with web() as server:
        server.reply = reply if callable(reply) else lambda _: reply
        answer = await client_of().fetch(OutgoingRequest(f"http://{OPEN}:{server.port}{path}", **given))  # type: ignore[arg-type]  # fields of Ask by name
        return answer, server


def test_a_request_and_its_answer() -> None:
    answer, server = run(ask(plain(b"pong", "201 Created", "X-Kind: a", "x-kind: b"), "/ping?a=1&b=ä#part"))
    assert (answer.status, answer.body, answer.complete) == (201, b"pong", True)
    assert (answer.header("x-kind"), answer.header("none")) == ("b", "")
    assert (answer.address, answer.redirects, answer.certificate_expires_at) == (OPEN, 0, None)
    head = server.heard[0].decode()
    assert head.startswith("GET /ping?a=1&b=%C3%A4 HTTP/1.1\r\n")
    assert f"\r\nHost: {OPEN}:{server.port}\r\n" in head
    assert "\r\nUser-Agent: test\r\n" in head
    assert "\r\nConnection: close\r\n" in head


def test_a_body_and_headers_are_sent_and_those_of_the_connection_are_not_the_caller_s() -> None:
    headers = (("X-Mine", "yes"), ("Host", "evil.example"), ("Transfer-Encoding", "chunked"), ("User-Agent", "me"))
    _, server = run(ask(plain(), method="POST", body=b"{}", headers=headers))
    head, _, body = server.heard[0].decode().partition("\r\n\r\n")
    assert body == "{}"
    assert head.count("Host:") == 1
    assert "evil" not in head
    assert "chunked" not in head
    assert ("X-Mine: yes" in head, "User-Agent: me" in head, "Content-Length: 2" in head) == (True, True, True)


@pytest.mark.parametrize("headers", [(("X-A", "b\r\nX-C: d"),), (("X A", "b"),), (("X-A", "a\0b"),)])
def test_a_header_cannot_be_forged(headers: tuple[tuple[str, str], ...]) -> None:
    with pytest.raises(AddressRefused):
        run(ask(plain(), headers=headers))


def test_phases_add_up_and_a_literal_address_needs_no_look_up() -> None:
    answer, _ = run(ask(plain()))
    phases = answer.phases
    assert (phases.dns, phases.tls) == (None, None)
    steps = (phases.connect or 0, phases.first_byte or 0, phases.transfer or 0)
    assert min(steps[:2]) > 0
    assert sum(steps) <= answer.total


async def _secured(name: str, **given: object) -> OutgoingAnswer:
    async with names() as server, web(secure=True) as place:
        server.records[("name.test", "A")] = server.records[("other.test", "A")] = [[OPEN]]
        return await client_of(server).fetch(OutgoingRequest(f"https://{name}:{place.port}/", **given))  # type: ignore[arg-type]  # fields of Ask by name


def test_tls_is_checked_against_the_name_and_the_certificate_s_end_is_told() -> None:
    answer = run(_secured("name.test"))
    assert answer.certificate_expires_at == EXPIRES
    assert (answer.phases.dns or 0) > 0
    assert (answer.phases.tls or 0) > 0
    assert answer.body == b"hello"


def test_a_certificate_of_another_name_is_not_accepted_unless_asked() -> None:
    with pytest.raises(NotSecure, match="certificate"):
        run(_secured("other.test"))
    assert run(_secured("other.test", verify=False)).status == 200


def test_a_server_without_tls_is_not_secure() -> None:
    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(plain())
        await reader.read()
        writer.close()

    with pytest.raises(NotSecure):
        run(_at(greet, "https"))


async def _at(
    serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]], scheme: str, **given: float
) -> OutgoingAnswer:
    server = await asyncio.start_server(serve, OPEN, 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        return await client_of().fetch(OutgoingRequest(f"{scheme}://{OPEN}:{port}/", **given))  # type: ignore[arg-type]  # fields of Ask by name


def test_redirects_are_followed_to_the_end() -> None:
    def reply(request: bytes) -> bytes:
        return (
            plain(b"there")
            if request.startswith(b"GET /a/there?x=1 ")
            else plain(b"", "301 Moved", "Location: there?x=1")
        )

    answer, server = run(ask(reply, "/a/here", method="POST", body=b"secret", headers=(("Content-Type", "text/x"),)))
    assert (answer.body, answer.redirects) == (b"there", 1)
    assert answer.url.endswith("/a/there?x=1")
    assert b"secret" in server.heard[0]
    assert b"Content-" not in server.heard[1]


def test_a_307_keeps_method_and_body() -> None:
    def reply(request: bytes) -> bytes:
        return plain(b"ok") if b" /new " in request else plain(b"", "307 Moved", "Location: /new")

    _, server = run(ask(reply, method="PUT", body=b"same"))
    assert server.heard[1].startswith(b"PUT /new ")
    assert server.heard[1].endswith(b"same")


def test_redirects_end_after_five_unless_more_are_asked_for_and_can_be_left_to_the_caller() -> None:
    loop = plain(b"", "302 Found", "Location: /")
    with pytest.raises(BadAnswer, match="More than 5 redirects"):
        run(ask(loop))
    with pytest.raises(BadAnswer, match="More than 10 redirects"):
        run(ask(loop, redirects=10))
    answer, server = run(ask(loop, redirects=0))
    assert (answer.status, server.connections) == (302, 1)


def test_another_origin_gets_no_secrets() -> None:
    async def heard() -> bytes:
        async with web() as first, web() as second:
            first.reply = lambda _: plain(b"", "302 Found", f"Location: http://{OPEN}:{second.port}/")
            headers = (
                ("Authorization", "Bearer secret"),
                ("Cookie", "a=secret"),
                ("X-Token", "secret"),
                ("Accept", "a/b"),
            )
            await client_of().fetch(OutgoingRequest(f"http://{OPEN}:{first.port}/", headers=headers))
            return second.heard[0]

    sent = run(heard())
    assert b"secret" not in sent
    assert b"Accept: a/b" in sent


@pytest.mark.parametrize(
    ("status", "method", "body"),
    [("307 Moved", "POST", b"secret"), ("308 Moved", "PUT", b"secret"), ("302 Found", "PATCH", b"secret"),
     ("307 Moved", "POST", b""), ("302 Found", "POST", b"secret"), ("303 Other", "PUT", b"secret")],
)  # fmt: skip
def test_a_body_never_goes_to_another_origin(status: str, method: str, body: bytes) -> None:
    async def heard() -> list[bytes]:
        async with web() as first, web() as second:
            first.reply = lambda _: plain(b"", status, f"Location: http://{OPEN}:{second.port}/")
            given = OutgoingRequest(
                f"http://{OPEN}:{first.port}/", method=method, body=body, headers=(("Authorization", "secret"),)
            )
            if body and (status, method) not in {("302 Found", "POST"), ("303 Other", "PUT")}:
                with pytest.raises(BadAnswer, match="redirects a request with a body to another server"):
                    await client_of().fetch(given)
            else:
                await client_of().fetch(given)
            return second.heard

    assert all(b"secret" not in one for one in run(heard()))


def test_a_body_does_not_leave_tls() -> None:
    async def asked() -> None:
        async with names() as server, web(secure=True) as first, web() as second:
            server.records[("name.test", "A")] = [[OPEN]]
            first.reply = lambda _: plain(b"", "307 Moved", f"Location: http://name.test:{second.port}/")
            with pytest.raises(BadAnswer, match="another server"):
                await client_of(server).fetch(
                    OutgoingRequest(f"https://name.test:{first.port}/", method="POST", body=b"secret")
                )
            assert not second.heard

    run(asked())


def test_bodies_are_cut_at_their_caps() -> None:
    answer, _ = run(ask(plain(b"x" * 5_000), body_bytes=1_000))
    assert (len(answer.body), answer.complete) == (1_000, False)
    packed = gzip.compress(b"\0" * 10_000_000)
    answer, _ = run(ask(plain(packed, "200 OK", "Content-Encoding: gzip"), decoded_bytes=2_000))
    assert (len(answer.body), answer.complete) == (2_000, False)
    answer, _ = run(ask(plain(gzip.compress(b"hello"), "200 OK", "Content-Encoding: gzip")))
    assert (answer.body, answer.complete) == (b"hello", True)
    answer, _ = run(ask(plain(b"x" * 1_000), body_bytes=1_000))
    assert answer.complete


WRONG: tuple[tuple[bytes, type[RequestFailed]], ...] = (
    (b"", BadAnswer),
    (b"SSH-2.0-OpenSSH\r\n", BadAnswer),
    (b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort", BadAnswer),
    (b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", BadAnswer),
    (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", BadAnswer),
    (b"HTTP/1.1 103 Early\r\n\r\n" * 50, BadAnswer),
    (b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n", BadAnswer),
    (b"HTTP/1.1 200 OK\r\nX: " + b"a" * 100_000 + b"\r\n\r\n", TooLarge),
)


@pytest.mark.parametrize(("reply", "wanted"), WRONG, ids=range(len(WRONG)))
def test_invalid_answer_fails_with_its_kind(reply: bytes, wanted: type[RequestFailed]) -> None:
    with pytest.raises(wanted) as why:
        run(ask(reply))
    assert type(why.value) is wanted


def test_a_chunked_answer_is_put_together() -> None:
    answer, _ = run(ask(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"))
    assert (answer.body, answer.complete) == (b"abcde", True)


def test_the_deadline_covers_everything() -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    with pytest.raises(TooSlow, match=r"0\.1 seconds"):
        run(_at(silent, "http", seconds=0.1))


def test_closed_port_and_unresolvable_names_fail() -> None:
    async def asked(name: str, how: Callable[[object], None] = lambda _: None) -> None:
        async with names() as server, web() as place:
            server.records[("empty.test", "TXT")] = [["x"]]
            server.records[("closed.test", "A")] = [[OPEN]]
            how(server)
            await client_of(server).fetch(OutgoingRequest(f"http://{name}:{place.port + 1}/", seconds=3))

    with pytest.raises(NotConnected, match="refused"):
        run(asked("closed.test"))
    for name in ("missing.test", "empty.test"):
        with pytest.raises(NotResolved):
            run(asked(name))


def test_the_environment_s_proxies_are_never_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    answer, _ = run(ask(plain()))
    assert answer.status == 200


def test_the_next_address_is_tried_when_the_first_does_not_answer() -> None:
    async def asked() -> str:
        async with names() as server, web() as place:
            server.records[("two.test", "A")] = [["127.0.0.98", OPEN]]
            client = client_of(server, allowed=("127.0.0.98/31",))
            return (await client.fetch(OutgoingRequest(f"http://two.test:{place.port}/"))).address

    assert run(asked()) == OPEN
