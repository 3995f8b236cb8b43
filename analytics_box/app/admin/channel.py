"""The socket through which the command line speaks to a running box (security: command line).

`admin.sock` stands in the data directory, with mode 0600 before anybody can connect. One request and one answer per
connection, each a line of JSON: `{"command", "arguments"}`, then `{"result"}` or `{"error", "details"}`.
"""

import asyncio
import logging
import os
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from analytics_box.base.errors import BoxError, ErrorDetail

log = logging.getLogger(__name__)

FILE = "admin.sock"
MOST_BYTES = 32 << 20  # of one line: a file of links is in it
READ_SECONDS = 10.0
ASK_SECONDS = 30.0
_LONGEST_PATH = 100  # bytes; a socket's address holds 103 (macOS) or 107 (Linux)

Answerer = Callable[[str, bytes], Awaitable[Any]]


class SocketRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """A request on the socket."""

    command: str
    arguments: msgspec.Raw = msgspec.Raw(b"{}")


class SocketAnswer(Struct, frozen=True, omit_defaults=True):
    """An answer on the socket. `error` is empty when all went well."""

    result: Any = None
    error: str = ""
    details: tuple[ErrorDetail, ...] = ()


class NotAnswering(Exception):
    """The data directory is in use, but nobody answers on its socket."""


async def listen(directory: Path, answer: Answerer) -> asyncio.Server:
    """Take requests until the server is closed. The caller owns the data directory, so an old socket is nobody's."""
    (directory / FILE).unlink(missing_ok=True)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with _short(directory) as address:
            listening.bind(address)
        (directory / FILE).chmod(0o600)  # before listening: nobody can have connected yet
        listening.setblocking(False)
    except OSError:
        listening.close()
        raise

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, TimeoutError, ValueError):  # the command line went away, or sent something else
            async with asyncio.timeout(READ_SECONDS):
                line = await reader.readline()
            if line.endswith(b"\n"):
                writer.write(msgspec.json.encode(await _answer(line, answer)) + b"\n")
                await writer.drain()
        writer.close()

    return await asyncio.start_unix_server(serve, sock=listening, limit=MOST_BYTES)


def forget(directory: Path) -> None:
    """Remove the socket. On a read-only disk it stays, and the next box replaces it."""
    with suppress(OSError):
        (directory / FILE).unlink()


async def _answer(line: bytes, answer: Answerer) -> SocketAnswer:
    try:
        asked = msgspec.json.decode(line, type=SocketRequest)
        return SocketAnswer(result=await answer(asked.command, bytes(asked.arguments)))
    except msgspec.DecodeError as wrong:
        return SocketAnswer(error=f"The running box does not understand this: {wrong}")
    except BoxError as refused:
        return SocketAnswer(error=refused.message, details=refused.details)
    except Exception:
        log.exception("A command failed")
        return SocketAnswer(error="Something went wrong inside the box; its log says more")


def ask(directory: Path, command: str, arguments: bytes, *, seconds: float = ASK_SECONDS) -> Any:
    """Have a running box carry out a command within `seconds`; its result as plain values.

    Raises BoxError or NotAnswering.
    """
    request = msgspec.json.encode(SocketRequest(command, msgspec.Raw(arguments))) + b"\n"
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(seconds)
            with _short(directory) as address:
                connection.connect(address)
            connection.sendall(request)
            with connection.makefile("rb") as lines:
                line = lines.readline(MOST_BYTES)
    except OSError as broken:
        raise NotAnswering(
            f"{directory} is in use, but its box does not answer on {FILE} ({broken.strerror or broken}); "
            "wait until it has started, or stop it"
        ) from broken
    try:
        answered = msgspec.json.decode(line, type=SocketAnswer)
    except msgspec.DecodeError as broken:
        raise NotAnswering(f"The box of {directory} broke off; look into its log") from broken
    if answered.error:
        raise BoxError(answered.error, details=answered.details)
    return answered.result


@contextmanager
def _short(directory: Path) -> Iterator[str]:
    """The socket's path, by a detour where it is longer than a socket's address may be."""
    path = str(directory / FILE)
    if len(os.fsencode(path)) <= _LONGEST_PATH or not Path("/proc/self/fd").is_dir():
        yield path
        return
    opened = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{opened}/{FILE}"
    finally:
        os.close(opened)
