"""Connections that only take up room: they end, and others are answered."""

import asyncio
import fcntl
import resource
import select
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx
import pytest

from analytics_box.app.connections import Connection, Room, _look, listen, surplus
from analytics_box.app.web_server import WebServer
from analytics_box.base.settings import Settings
from analytics_box.web.asgi import Receive, Scope, Send
from tests.running import Box, command, environment, running_box, set_up
from tests.server.wire import PATIENCE, answers, connect, exchange, only, request

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
HEALTH = request("GET", "/health", last=False)


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    """A box with room for few."""
    directory = tmp_path_factory.mktemp("crowded") / "data"
    with running_box(directory, max_connections=64, max_connections_address=8, idle_seconds=60) as running:
        yield running


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    """A box that does not wait long, with TLS."""
    directory = tmp_path_factory.mktemp("hasty")
    certificate, key = directory / "certificate.pem", directory / "key.pem"
    files = ("-keyout", str(key), "-out", str(certificate))
    subprocess.run(
        (
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"),
            *("-days", "2", "-subj", "/CN=localhost"),
            *files,
        ),
        check=True,
        capture_output=True,
    )
    with running_box(directory / "data", idle_seconds=0.5, tls_certificate=certificate, tls_key=key) as running:
        yield running


def ended(connection: socket.socket) -> bytes:
    """What arrives until the other side ends the connection, in order or not. Raises TimeoutError when it does not."""
    received = b""
    try:
        while chunk := connection.recv(65_536):
            received += chunk
    except ConnectionError:
        pass
    return received


def with_tls(box: Box, *protocols: str) -> ssl.SSLSocket:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(list(protocols))
    return context.wrap_socket(connect(box))


def connection(number: int, network: str, idle: float) -> Connection:
    return Connection(number, ("192.0.2.1", number), network, idle)


def room(**changed: float) -> Room:
    return Room(**{"connections": 100, "per_network": 3, "idle_seconds": 60.0, "files": 200} | changed)  # type: ignore[arg-type]


def test_of_one_address_those_stay_that_were_busy_last() -> None:
    found = [connection(number, "192.0.2.1", idle=number) for number in range(5)]
    assert [(one.descriptor, why) for one, why in surplus(found, room(), 80)] == [
        (3, "too many from one address"),
        (4, "too many from one address"),
    ]


def test_crowded_server_keeps_room_for_other_addresses() -> None:
    found = [connection(number, "192.0.2.1", idle=0) for number in range(10)]
    found += [connection(10 + number, "192.0.2.2", idle=5) for number in range(2)]
    left = {one.descriptor for one, _ in surplus(found, room(per_network=0), 4)}
    assert len(left) == 8
    assert left.isdisjoint({10, 11})


def test_a_trusted_proxy_may_have_as_many_as_there_is_room_for() -> None:
    found = [connection(number, "", idle=1) for number in range(10)]
    assert not list(surplus(found, room(), 80))
    assert len(list(surplus(found, room(), 4))) == 6


def test_idle_connections_are_closed_even_if_there_are_few() -> None:
    [(one, why)] = surplus([connection(1, "", idle=61), connection(2, "", idle=59)], room(), 80)
    assert (one.descriptor, why) == (1, "idle")


def test_the_longest_idle_of_an_address_end_and_the_next_is_answered(crowded: Box) -> None:
    with ExitStack() as stack:
        silent = [stack.enter_context(connect(crowded)) for _ in range(20)]
        for one in silent[:10]:  # nobody is between an end and an answer
            assert ended(one) == b""
        assert only(exchange(crowded, request("GET", "/health"))).status == 200
    crowded.server.wait_until_printed("too many from one address")
    assert "127.0.0.1" not in crowded.server.printed().rpartition(" listens on ")[2].partition("\n")[2]


def test_more_than_there_is_room_for_do_not_keep_the_next_out(crowded: Box) -> None:
    with ExitStack() as stack:
        for number in range(120):
            one = stack.enter_context(socket.socket())
            one.settimeout(PATIENCE)
            one.bind((f"127.0.1.{number}", 0))
            one.connect(("127.0.0.1", crowded.server.port))
        assert only(exchange(crowded, request("GET", "/health"))).status == 200


def test_http_2_without_tls_is_no_http(box: Box) -> None:
    with connect(box) as one:
        one.sendall(PREFACE)
        assert not ended(one).startswith(b"\0\0")


def test_http_2_over_tls_is_answered(hasty: Box) -> None:
    with with_tls(hasty, "h2") as one:
        one.sendall(PREFACE)
        assert one.selected_alpn_protocol() == "h2"
        assert one.recv(9)[3] == 4, "its settings"


@pytest.mark.parametrize(("protocol", "sent"), [("h2", b""), ("h2", PREFACE), ("http/1.1", b"")])
def test_an_idle_connection_with_tls_ends(hasty: Box, protocol: str, sent: bytes) -> None:
    with with_tls(hasty, protocol) as one:
        one.sendall(sent)
        ended(one)


def test_a_handshake_that_does_not_go_on_ends(hasty: Box) -> None:
    with connect(hasty) as one:
        ended(one)


def test_connections_with_unread_answers_are_closed(hasty: Box) -> None:
    with with_tls(hasty, "http/1.1") as one:
        one.settimeout(0.2)
        with suppress(TimeoutError, ConnectionError):  # it waits until somebody reads, unless it has ended by then
            while True:
                one.sendall(100 * request("GET", "/docs/query-types", last=False))
        closing = select.poll()
        closing.register(one, select.POLLRDHUP)
        assert closing.poll(1_000 * PATIENCE), "it ends without anybody reading"
        with pytest.raises(OSError):  # noqa: PT011  which one depends on what the system still had of it
            one.sendall(100_000 * HEALTH)


def test_a_kept_connection_ends_with_its_answers_read(hasty: Box) -> None:
    received = b""
    while not received:  # on a busy machine a connection may end before anything was sent over it
        with with_tls(hasty, "http/1.1") as one, suppress(ConnectionError):
            one.sendall(HEALTH)
            received = ended(one)
    assert only(list(answers(received))).status == 200


def start_with(files: tuple[int, int], data_dir: Path) -> "subprocess.Popen[bytes]":
    """A box that may open so many files, softly and at most."""
    set_up(data_dir)
    return subprocess.Popen(
        command("serve"),
        env=environment(port=0, data_dir=data_dir),
        stderr=subprocess.STDOUT,
        stdout=subprocess.PIPE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, files),  # noqa: PLW1509
    )


def test_with_few_files_it_says_so_and_answers_in_spite_of_idle_connections(tmp_path: Path) -> None:
    with ExitStack() as stack:
        process = stack.enter_context(start_with((64, 64), tmp_path / "data"))
        stack.callback(process.kill)
        assert process.stdout is not None
        printed = ""
        while " listens on " not in printed:
            printed += process.stdout.readline().decode()
        assert "This process can open 64 files, so it accepts " in printed
        url = printed.split(" listens on ")[1].strip()
        for _ in range(60):
            stack.enter_context(socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])), PATIENCE))
        assert httpx.get(f"{url}/health", timeout=PATIENCE).status_code == 200


def test_server_raises_its_file_limit_to_the_system_maximum(tmp_path: Path) -> None:
    with start_with((64, 9_000), tmp_path / "data") as process:
        try:
            assert process.stdout is not None
            assert b" listens on " in process.stdout.readline(), "without a warning"
        finally:
            process.kill()


@pytest.mark.parametrize("path", ["/docs", "/script.js", "/px.jpg", "/l/nowhere", "/rpc/websites/list"])
def test_a_flood_over_one_connection_ends_with_its_first_refusal(tmp_path: Path, path: str) -> None:
    with running_box(tmp_path / "data", limit_address=2) as one:
        statuses = [answer.status for answer in exchange(one, 50 * request("GET", path, last=False))]
    assert len(statuses) == 3
    assert statuses[2] == 429


def test_granian_closes_a_descriptor_of_its_own_and_not_ours() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        raise AssertionError("nobody asks")

    async def story(listener: socket.socket) -> None:
        web = WebServer(app, listener, Settings(), connections=10)
        web.start()
        await asyncio.to_thread(lambda: socket.create_connection(listener.getsockname()).close())
        await web.stop(PATIENCE)  # raises when the listener that it closes was closed before

    with listen(Settings(port=0)) as listener:
        asyncio.run(story(listener))


_TRY_LOCK = """
import fcntl, sys
with open(sys.argv[1], "r+b") as file:
    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
"""


def test_looking_at_connections_leaves_the_locks_of_databases(tmp_path: Path) -> None:
    """POSIX takes a process's locks on a file when any of its descriptors of it is closed."""
    with (tmp_path / "box.db").open("w+b") as file, listen(Settings(port=0)) as listener:
        fcntl.lockf(file, fcntl.LOCK_EX)
        with socket.socket() as probe, socket.create_server(("127.0.0.1", 0)) as other:
            for number in (file.fileno(), other.fileno(), listener.fileno()):
                assert _look(probe, number, listener.getsockname()[1], ()) is None
            taken = subprocess.run([sys.executable, "-c", _TRY_LOCK, file.name], capture_output=True, check=False)
    assert b"BlockingIOError" in taken.stderr
