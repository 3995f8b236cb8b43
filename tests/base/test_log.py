"""What is logged: text or JSON, with the id of the request that it belongs to."""

import asyncio
import io
import json
import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest

from analytics_box.base import log
from analytics_box.base.outgoing.client import OutgoingRequest
from tests.base.outgoing.places import OPEN, client_of, plain, web


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


class Minutes:
    """A clock that a test moves."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def bounded(stream: io.StringIO, clock: Minutes) -> logging.Logger:
    handler = logging.StreamHandler(stream)
    logger = logging.Logger("part")
    logger.addHandler(log.BoundedHandler(handler, monotonic=clock))
    return logger


def test_repeated_line_is_logged_up_to_the_limit_with_the_suppressed_count() -> None:
    stream, clock = io.StringIO(), Minutes()
    logger = bounded(stream, clock)
    for number in range(1_000):
        logger.error("Request %d failed", number)
        logger.info("Served %d", number)
    logger.error("Something else failed")
    found = lines(stream)
    assert [line for line in found if line.startswith("Request")] == [f"Request {n} failed" for n in range(20)]
    assert found[-1] == "Something else failed"
    assert sum(line.startswith("Served") for line in found) == 1_000
    clock.now = 60.0
    logger.info("A quiet line")
    assert lines(stream)[-2:] == [
        "980 more lines like this were omitted within a minute: Request %d failed",
        "A quiet line",
    ]
    logger.error("Request %d failed", 1_000)
    assert lines(stream)[-1] == "Request 1000 failed"


def test_suppressed_lines_are_logged_at_the_end() -> None:
    stream = io.StringIO()
    logger = bounded(stream, Minutes())
    for _ in range(25):
        logger.error("It failed")
    logger.handlers[0].close()
    assert lines(stream)[20:] == ["5 more lines like this were omitted within a minute: It failed"]


def test_texts_of_others_do_not_make_the_count_grow_without_end() -> None:
    stream = io.StringIO()
    logger = bounded(stream, Minutes())
    for number in range(5_000):
        logger.error(f"It failed {number}")  # as libraries do
    assert len(lines(stream)) == 1_020


@pytest.mark.parametrize("form", ["json", "text"])
def test_a_long_text_in_what_was_raised_is_shortened(form: Literal["json", "text"]) -> None:
    stream = io.StringIO()
    log.configure("info", form, stream)
    try:
        raise ValueError("x" * 1_000_000)
    except ValueError:
        logging.getLogger("part").exception("It failed")
    assert 10_000 < len(stream.getvalue()) < 30_000


def test_exception_is_part_of_the_line() -> None:
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
            await client_of().fetch(OutgoingRequest(f"http://{OPEN}:{place.port}/?token=confidential"))

    stream = io.StringIO()
    log.configure("debug", "json", stream)
    asyncio.run(asked())
    assert "confidential" not in stream.getvalue()


def test_lines_for_reports_contain_only_the_programs_words_and_numbers() -> None:
    log.configure("info", "json", io.StringIO())
    ours, theirs = logging.getLogger("analytics_box.kept"), logging.getLogger("httpx")
    ours.info("%s sent %d events in %.1f s, 100 %% of them", "ada@example.com", 3, 0.25)
    ours.info("%(who)s came", {"who": "ada"})
    theirs.error("GET https://example.com/?token=secret")
    theirs.error("%s answered %d", "example.com", 503)
    log.note_request("GET", "/l/secret", 200, 1.0)
    kept = [line.text for line in log.RECENT.lines][-4:]
    assert kept == ["… sent 3 events in 0.2 s, 100 % of them", "… came", "(a message of a library)", "… answered 503"]


def test_the_box_puts_values_into_lines_of_its_log_by_arguments_only() -> None:
    """What is kept for reports is the sentence as it stands in the program."""
    text = r'"(?:[^"\\]|\\.)*"'
    formed = re.compile(rf"\blog\.(?:debug|info|warning|error|exception)\(\s*(?:f\"|{text}\s*(?:%|\+)|\w+\()")
    files = sorted(Path(log.__file__).parent.rglob("*.py"))
    assert [file.name for file in files if formed.search(file.read_text(encoding="utf-8"))] == []
