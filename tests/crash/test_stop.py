"""SIGTERM: what was begun is finished, what was acknowledged is stored, and the process ends by itself."""

import signal
import socket
from pathlib import Path

import httpx
import pytest

from tests.crash.load import Load, stored_names
from tests.running import UNLIMITED, Box, running_box

PATIENCE = 10.0  # seconds until a test gives up on an answer


@pytest.mark.crash
@pytest.mark.parametrize("number", [100, 400])
def test_stopping_under_load_ends_well_and_cuts_no_request(tmp_path: Path, number: int) -> None:
    with running_box(tmp_path / "data", **UNLIMITED) as box:
        with Load(box.url, box.account, "load") as load:
            load.wait_until_acknowledged(number)
            assert box.server.stop(seconds=10) == 0
            load.wait_until_gone()
        printed = box.server.printed()
    stored = stored_names(tmp_path / "data")
    assert load.acknowledged - stored == set()
    assert stored - load.acknowledged == set(), "stored, but its sender was never told"
    assert load.refused == set()
    assert sorted(path.name for path in (tmp_path / "data").glob("*.db*")) == ["box.db", "events.db"]
    assert "Traceback" not in printed


def open_request(box: Box, body: bytes, *, length: int) -> socket.socket:
    """A connection over which an event has been announced, and this part of it sent; the server waits for the rest."""
    connection = socket.create_connection(("127.0.0.1", box.server.port), timeout=PATIENCE)
    connection.sendall(
        b"POST /track HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n"
        + f"X-Api-Key: {box.account.api_key}\r\nContent-Length: {length}\r\n\r\n".encode()
    )
    assert connection.recv(1_000).startswith(b"HTTP/1.1 100 "), "the handler asks for the body"
    connection.sendall(body)
    return connection


@pytest.mark.crash
def test_a_half_sent_body_does_not_keep_the_box_from_stopping(tmp_path: Path) -> None:
    with running_box(tmp_path / "data", drain_seconds=0.3) as box:
        with open_request(box, b'{"name":', length=100):
            assert box.server.stop(seconds=10) == 0
        printed = box.server.printed()
    assert "Traceback" not in printed
    assert stored_names(tmp_path / "data") == set()


@pytest.mark.crash
def test_a_half_sent_header_does_not_keep_the_box_from_stopping(tmp_path: Path) -> None:
    with (
        running_box(tmp_path / "data", drain_seconds=0.3) as box,
        socket.create_connection(("127.0.0.1", box.server.port), timeout=PATIENCE) as connection,
    ):
        connection.sendall(b"POST /track HTTP/1.1\r\nHost: loc")
        assert box.server.stop(seconds=10) == 0


@pytest.mark.crash
def test_a_request_under_way_is_finished_and_answered(tmp_path: Path) -> None:
    event = b'{"name":"bought","properties":{"id":"last"}}'
    with running_box(tmp_path / "data") as box, open_request(box, event[:10], length=len(event)) as connection:
        box.server.process.send_signal(signal.SIGTERM)
        box.server.wait_until_printed("Stopping")
        connection.sendall(event[10:])
        assert connection.recv(10_000).startswith(b"HTTP/1.1 200 ")
        assert box.server.stop(seconds=10) == 0
    assert stored_names(tmp_path / "data") == {"last"}


@pytest.mark.crash
def test_ctrl_c_stops_it_just_as_well_and_ends_streams_that_would_never_end(tmp_path: Path) -> None:
    with running_box(tmp_path / "data") as box:
        streams = f"{box.url}/public/v1/flags/{box.account.website_id}/ofrep/v1/streams"
        with httpx.stream("GET", streams, timeout=PATIENCE) as answer:
            lines = answer.iter_lines()
            assert next(lines).startswith("retry:")
            box.server.process.send_signal(signal.SIGINT)
            assert [line for line in lines if line.startswith("event:")] == ["event: message"]
        assert box.server.process.wait(10) == 0
        printed = box.server.printed()
    assert "Traceback" not in printed
    assert "still open after" not in printed


@pytest.mark.crash
def test_an_impatient_second_signal_does_no_harm(tmp_path: Path) -> None:
    with running_box(tmp_path / "data", drain_seconds=0.3) as box, open_request(box, b"{", length=100):
        for _ in range(3):
            box.server.process.send_signal(signal.SIGTERM)
        assert box.server.stop(seconds=10) == 0
