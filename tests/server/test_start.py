"""Starting: who holds what the box needs is told so in one line, and nothing is touched."""

import signal
import socket
import subprocess
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.running import Box, Server, command, run, run_set_up, serving, set_up


def start(**settings: Any) -> "subprocess.CompletedProcess[str]":
    """A server that is expected to give up at once."""
    return run("serve", **settings)


@pytest.mark.crash
def test_a_second_server_on_one_data_directory_is_refused_and_the_first_goes_on(box: Box) -> None:
    ended = start(data_dir=box.server.data_dir, port=0)
    assert ended.returncode == 1
    assert ended.stdout == ""
    assert ended.stderr == (
        f"Error: {box.server.data_dir} is in use by another Analytics Box. "
        "Stop it first, or choose another --data-dir\n"
    )
    assert httpx.get(f"{box.url}/health").json() == {"status": "ok"}


@pytest.mark.crash
def test_the_lock_outlives_its_file(box: Box) -> None:
    (box.server.data_dir / "lock").unlink()
    ended = start(data_dir=box.server.data_dir, port=0)
    assert ended.returncode == 1
    assert "is in use by another Analytics Box" in ended.stderr


@pytest.mark.crash
@pytest.mark.parametrize(("mode", "said"), [(0o700, False), (0o755, True), (0o710, True)])
def test_a_data_directory_that_is_open_to_others_is_said(tmp_path: Path, mode: int, *, said: bool) -> None:
    data_dir = tmp_path / "data"
    set_up(data_dir)
    data_dir.chmod(mode)
    with serving(data_dir) as server:
        assert (f"{data_dir} is open to other users (mode {mode:04o})" in server.printed()) == said


@pytest.mark.crash
@pytest.mark.parametrize(
    ("number", "serve"),
    [(signal.SIGTERM, command("serve")), (signal.SIGINT, ()), (signal.SIGHUP, ())],  # a new Python first, as for users
    ids=["term", "int", "hup"],
)
def test_every_signal_that_asks_it_to_end_ends_it_in_order(
    tmp_path: Path, number: signal.Signals, serve: tuple[str, ...]
) -> None:
    data_dir = tmp_path / "data"
    set_up(data_dir)
    server = Server(data_dir, {}, serve)
    try:
        server.wait_until_ready()
        server.process.send_signal(number)
        assert server.process.wait(10) == 0
        assert "Stopped" in server.printed()
    finally:
        server.kill()
    assert not (data_dir / "running").exists()


@pytest.mark.crash
def test_a_set_up_beside_a_running_server_that_has_an_account_is_refused(box: Box) -> None:
    with pytest.raises(AssertionError, match="This server is already set up"):
        run_set_up(box.server.data_dir)


@pytest.mark.crash
def test_a_port_that_is_taken_is_named_and_nothing_is_made(box: Box, tmp_path: Path) -> None:
    ended = start(data_dir=tmp_path / "data", port=box.server.port)
    assert ended.returncode == 1
    assert ended.stderr == (
        f"Error: Cannot listen on 127.0.0.1:{box.server.port}: Address already in use; "
        "choose another --host or --port\n"
    )
    assert list((tmp_path / "data").glob("*.db")) == []


@pytest.mark.crash
def test_a_host_that_is_not_ours_is_named(tmp_path: Path) -> None:
    ended = start(data_dir=tmp_path / "data", host="192.0.2.1", port=0)
    assert ended.returncode == 1
    assert "Cannot listen on 192.0.2.1" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.crash
def test_a_wrong_setting_is_named_with_what_is_wanted(tmp_path: Path) -> None:
    ended = start(data_dir=tmp_path / "data", port="many")
    assert ended.returncode == 1
    assert "port (ANALYTICS_BOX_PORT)" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.crash
def test_a_data_directory_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    ended = start(data_dir=tmp_path / "file" / "data", port=0)
    assert ended.returncode == 1
    assert str(tmp_path / "file") in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.crash
def test_a_database_that_is_no_database_is_named(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    data_dir.mkdir()
    (data_dir / "events.db").write_bytes(b"This is not a database. " * 1_000)
    ended = start(data_dir=data_dir, port=0)
    assert ended.returncode == 1
    assert "events.db" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.crash
@pytest.mark.parametrize(
    "content", [None, b"", b"-----BEGIN CERTIFICATE-----\nbroken\n"], ids=["none", "empty", "broken"]
)
def test_a_certificate_that_cannot_be_used_is_named(tmp_path: Path, content: bytes | None) -> None:
    certificate = tmp_path / "certificate.pem"
    if content is not None:
        certificate.write_bytes(content)
    ended = start(data_dir=tmp_path / "data", port=0, tls_certificate=certificate, tls_key=certificate)
    assert ended.returncode == 1
    assert f"Error: tls_certificate {certificate} and tls_key {certificate} cannot be used" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.crash
def test_data_directory_is_readable_by_its_owner_only(box: Box) -> None:
    data_dir = box.server.data_dir
    assert data_dir.stat().st_mode & 0o777 == 0o700
    assert {path.name: oct(path.stat().st_mode & 0o777) for path in data_dir.iterdir()} == {
        path.name: "0o600" for path in data_dir.iterdir()
    }


@pytest.mark.crash
def test_a_server_may_listen_on_any_address_that_the_machine_has(tmp_path: Path) -> None:
    if not socket.has_ipv6:
        pytest.skip("this machine has no IPv6")
    data_dir = tmp_path / "data"
    set_up(data_dir)
    with serving(data_dir, host="::1") as server:
        assert httpx.get(f"http://[::1]:{server.port}/health").status_code == 200
