"""The socket between the command line and a running box: who can reach it, and what happens to nonsense on it."""

import asyncio
import socket
import stat
from pathlib import Path
from typing import Any

import msgspec
import pytest

from analytics_box.app.admin import channel
from analytics_box.base import errors


async def echo(command: str, arguments: bytes, organization: str | None) -> Any:
    if command == "refuse":
        raise errors.NotFound("There is nothing like that")
    if command == "break":
        raise ZeroDivisionError
    return [command, msgspec.json.decode(arguments), organization]


def ask(directory: Path, command: str, arguments: bytes = b"{}", organization: str | None = None) -> Any:
    """One question to a channel that answers with the question."""

    async def run() -> Any:
        server = await channel.listen(directory, echo)
        try:
            return await asyncio.to_thread(channel.ask, directory, command, arguments, organization=organization)
        finally:
            server.close()

    return asyncio.run(run())


def say(directory: Path, line: bytes) -> bytes:
    """Raw bytes to such a channel; its answer."""

    def speak() -> bytes:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(directory / channel.FILE))
            connection.sendall(line)
            connection.shutdown(socket.SHUT_WR)
            return connection.makefile("rb").read()

    async def run() -> bytes:
        server = await channel.listen(directory, echo)
        try:
            return await asyncio.to_thread(speak)
        finally:
            server.close()

    return asyncio.run(run())


def test_command_arguments_and_organization_reach_the_box_and_its_answer_comes_back(tmp_path: Path) -> None:
    assert ask(tmp_path, "links.get", b'{"id":"a"}', "example") == ["links.get", {"id": "a"}, "example"]


def test_a_refusal_comes_back_with_its_words(tmp_path: Path) -> None:
    with pytest.raises(errors.BoxError, match="There is nothing like that"):
        ask(tmp_path, "refuse")


def test_a_failure_says_nothing_of_its_cause(tmp_path: Path) -> None:
    with pytest.raises(errors.BoxError, match=r"Something went wrong\. See the log") as failed:
        ask(tmp_path, "break")
    assert "Zero" not in str(failed.value)


def test_only_the_owner_of_the_directory_can_connect(tmp_path: Path) -> None:
    async def mode() -> int:
        server = await channel.listen(tmp_path, echo)
        try:
            return (tmp_path / channel.FILE).stat().st_mode
        finally:
            server.close()

    found = asyncio.run(mode())
    assert stat.S_ISSOCK(found)
    assert stat.S_IMODE(found) == 0o600


def test_a_socket_that_a_dead_box_left_behind_is_replaced(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(tmp_path / channel.FILE))
    assert ask(tmp_path, "again") == ["again", {}, None]


def test_directory_with_a_very_long_path_is_supported(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 60) / ("e" * 60)
    deep.mkdir(parents=True)
    assert ask(deep, "deep") == ["deep", {}, None]


@pytest.mark.parametrize(
    "line", [b"nonsense\n", b"[]\n", b'{"command": 1}\n', b'{"command": "x", "more": 1}\n', b"\xff\n"]
)
def test_nonsense_is_refused_in_the_same_form(tmp_path: Path, line: bytes) -> None:
    answer = say(tmp_path, line)
    assert answer.endswith(b"\n")
    assert b"does not understand" in answer
    assert msgspec.json.decode(answer)["error"]


def test_half_a_line_and_a_line_without_end_get_no_answer(tmp_path: Path) -> None:
    assert say(tmp_path, b'{"command": "x"}') == b""


def test_missing_listener_on_the_socket_is_reported(tmp_path: Path) -> None:
    with pytest.raises(channel.NotAnswering, match="does not answer"):
        channel.ask(tmp_path, "key list", b"{}")
