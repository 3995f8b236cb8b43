"""What is logged: text or JSON, with the id of the request that it belongs to."""

import asyncio
import io
import json
import logging
from collections.abc import Iterator

import pytest

from analytics_box import log
from analytics_box.outgoing.client import Ask
from tests.outgoing.places import OPEN, client_of, plain, web


class Terminal(io.StringIO):
    """A stream that people read."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    """Tests share a process: give its handlers back."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.fixture
def request_id() -> Iterator[str]:
    token = log.REQUEST_ID.set("req_7")
    yield "req_7"
    log.REQUEST_ID.reset(token)


def lines(stream: io.StringIO) -> list[str]:
    return stream.getvalue().splitlines()


def test_a_program_reads_json(request_id: str) -> None:
    stream = io.StringIO()
    log.configure("info", "auto", stream)
    logging.getLogger("some.part").warning("%d things\nhappened", 3)
    (line,) = lines(stream)
    found = json.loads(line)
    assert found.pop("time").endswith("+00:00")
    assert found == {
        "level": "warning",
        "logger": "some.part",
        "message": "3 things\nhappened",
        "requestId": request_id,
    }


def test_what_was_raised_is_part_of_the_line() -> None:
    stream = io.StringIO()
    log.configure("info", "json", stream)
    try:
        raise ValueError("too much")
    except ValueError:
        logging.getLogger("part").exception("It failed")
    (line,) = lines(stream)
    found = json.loads(line)
    assert found["exception"].endswith("ValueError: too much")
    assert "requestId" not in found


def test_a_person_reads_text(request_id: str) -> None:
    stream = Terminal()
    log.configure("info", "auto", stream)
    logging.getLogger("some.part").warning("3 things happened")
    (line,) = lines(stream)
    assert line.endswith(f"WARNING some.part  3 things happened  [{request_id}]")


def test_text_and_json_can_be_chosen() -> None:
    terminal, file = Terminal(), io.StringIO()
    log.configure("info", "json", terminal)
    logging.getLogger().info("this")
    log.configure("info", "text", file)
    logging.getLogger().info("that")
    assert json.loads(lines(terminal)[0])["message"] == "this"
    assert lines(file)[0].endswith("that")


def test_the_access_log_escapes_what_is_no_letter_and_cuts_what_is_long() -> None:
    stream = io.StringIO()
    log.configure("info", "json", stream)
    log.note_request("GET", "/a\nb\x1b[1m" + "x" * 500, 404, 1.26)
    found = json.loads(lines(stream)[0])
    assert found["path"].startswith("/a%0Ab%1B%5B1m")
    assert len(found["path"]) < 250
    assert (found["method"], found["status"], found["ms"]) == ("GET", 404, 1.3)


def test_at_debug_nothing_is_told_of_what_others_answer() -> None:
    async def asked() -> None:
        async with web() as place:
            place.reply = lambda _: plain(b"", "200 OK", "Set-Cookie: session=confidential")
            await client_of().fetch(Ask(f"http://{OPEN}:{place.port}/?token=confidential"))

    stream = io.StringIO()
    log.configure("debug", "json", stream)
    asyncio.run(asked())
    assert "confidential" not in stream.getvalue()
