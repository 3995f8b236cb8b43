"""The command monitor check: what it prints, and its exit codes for scripts."""

import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from analytics_box.app.cli.main import main
from tests.base.outgoing.places import plain
from tests.cases import each

HERE = "127.0.0.98"


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """A server that answers everything with `hello`, and 503 below /down."""
    with socket.create_server((HERE, 0)) as server, ThreadPoolExecutor(1) as pool:

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    asked = connection.recv(65_536)
                    if asked:
                        connection.sendall(plain(b"no", "503 No") if b"/down " in asked else plain(b"hello"))

        pool.submit(serve)
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)


def called(folder: Path, *words: str) -> Result:
    given = ["--data-dir", str(folder / "none"), "--allowed-private-targets", f"{HERE}/32"]
    return CliRunner().invoke(main, ["monitor", "check", *words, *given])


CALLS: tuple[tuple[tuple[str, ...], int, str], ...] = (
    (("http://{place}/",), 0, "Up in "),
    (("{place}", "--kind", "tcp"), 0, "Up in "),
    (("tcp://{place}",), 0, "  connect "),
    (("http://{place}/", "--status", "200-299", "--contains", "hell"), 0, "status 200"),
    (("http://{place}/", "--contains", "bye"), 1, "does not contain “bye”"),
    (("http://{place}/down",), 1, "The server answers 503"),
    (("http://{place}/down", "--status", "503"), 0, "Up in "),
    (("{place}",), 1, "No secure connection"),
    (("http://10.0.0.1/path?key=hidden",), 1, "private or reserved"),
    (("gopher://{place}/",), 2, "Enter an http or https address"),
    (("tcp://example.com",), 2, "Enter a port"),
    (("http://u:hidden@example.com",), 2, "without a user"),
    (("http://{place}/", "--kind", "push"), 2, "push"),
    (("http://{place}/", "--timeout", "0"), 2, "--timeout"),
    (("ping://{place}", "--status", "200"), 2, "a ping without a port"),
    (("ping://example.com", "--status", "200"), 2, "do not apply to a check of kind ping"),
    ((), 2, "Missing argument"),
)


@each(("words", "code", "said"), CALLS)
def test_check_reports_whether_a_target_is_up(
    port: int, tmp_path: Path, words: tuple[str, ...], code: int, said: str
) -> None:
    ended = called(tmp_path, *(word.replace("{place}", f"{HERE}:{port}") for word in words))
    assert (ended.exit_code, said in ended.output) == (code, True), ended.output
    assert "hidden" not in ended.output
    assert not (tmp_path / "none").exists()


def test_json_has_every_step(port: int, tmp_path: Path) -> None:
    ended = called(tmp_path, f"http://{HERE}:{port}/", "--json")
    told = json.loads(ended.stdout)
    assert (told["kind"], told["up"], told["status"], told["bytes"], told["address"]) == ("http", True, 200, 5, HERE)
    assert set(told["phases"]) == {"dns", "connect", "tls", "first_byte", "transfer"}
    assert 0 < told["phases"]["connect"] <= told["total"]
