"""The socket that connects the command line to a running box (security: command line).

`admin.sock` is in the data directory and has mode 0600 before a client can connect. A connection carries one request
and one answer, each a line of JSON: `{"command", "arguments", "organization"}`, then `{"result"}` or
`{"error", "details"}`.
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

from analytics_box.base.errors import BoxError, ErrorDetail, Unavailable

log = logging.getLogger(__name__)

FILE = "admin.sock"
MOST_BYTES = 32 << 20
READ_SECONDS = 10.0
ASK_SECONDS = 30.0
# The address of a socket holds 103 bytes (macOS) or 107 (Linux).
_LONGEST_PATH = 100

Answerer = Callable[[str, bytes, str | None], Awaitable[Any]]


class SocketRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """A request on the socket. `organization` is an id or a slug."""

    command: str
    arguments: msgspec.Raw = msgspec.Raw(b"{}")
    organization: str | None = None


class SocketAnswer(Struct, frozen=True, omit_defaults=True):
    """An answer on the socket. `error` is empty on success; `busy` says that the same request can succeed later."""

    result: Any = None
    error: str = ""
    busy: bool = False
    details: tuple[ErrorDetail, ...] = ()


class NotAnswering(Exception):
    """Raised if the data directory is in use, but its box does not answer on the socket."""


async def listen(directory: Path, answer: Answerer) -> asyncio.Server:
    """Accept requests until the server is closed. The caller holds the lock, so an existing socket is stale."""
    (directory / FILE).unlink(missing_ok=True)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with _short(directory) as address:
            listening.bind(address)
        # Before listening, so that no other user can connect first.
        (directory / FILE).chmod(0o600)
        listening.setblocking(False)
    except OSError:
        listening.close()
        raise

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # The client can disconnect, or send an invalid request.
        with suppress(OSError, TimeoutError, ValueError):
            async with asyncio.timeout(READ_SECONDS):
                line = await reader.readline()
            if line.endswith(b"\n"):
                writer.write(msgspec.json.encode(await _answer(line, answer)) + b"\n")
                await writer.drain()
        writer.close()

    return await asyncio.start_unix_server(serve, sock=listening, limit=MOST_BYTES)


def forget(directory: Path) -> None:
    """Remove the socket. On a read-only disk it stays until the next start replaces it."""
    with suppress(OSError):
        (directory / FILE).unlink()


async def _answer(line: bytes, answer: Answerer) -> SocketAnswer:
    try:
        asked = msgspec.json.decode(line, type=SocketRequest)
        return SocketAnswer(result=await answer(asked.command, bytes(asked.arguments), asked.organization))
    except msgspec.DecodeError as wrong:
        return SocketAnswer(error=f"The running server does not understand this request: {wrong}")
    except BoxError as refused:
        return SocketAnswer(error=refused.message, busy=isinstance(refused, Unavailable), details=refused.details)
    except Exception:
        log.exception("A command failed")
        return SocketAnswer(error="Something went wrong. See the log of the server")


def ask(
    directory: Path,
    command: str,
    arguments: bytes = b"{}",
    *,
    organization: str | None = None,
    seconds: float = ASK_SECONDS,
) -> Any:
    """Run a command in a running box within `seconds`; return its result as plain values.

    Raises BoxError or NotAnswering.
    """
    request = msgspec.json.encode(SocketRequest(command, msgspec.Raw(arguments), organization)) + b"\n"
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
            f"{directory} is in use, but its server does not answer on {FILE} ({broken.strerror or broken}). "
            "Wait until it has started, or stop it"
        ) from broken
    try:
        answered = msgspec.json.decode(line, type=SocketAnswer)
    except msgspec.DecodeError as broken:
        raise NotAnswering(f"The server of {directory} closed the connection. See its log") from broken
    if answered.busy:
        raise Unavailable(answered.error)
    if answered.error:
        raise BoxError(answered.error, details=answered.details)
    return answered.result


@contextmanager
def _short(directory: Path) -> Iterator[str]:
    """The path of the socket, through /proc if it is longer than a socket address can be."""
    path = str(directory / FILE)
    if len(os.fsencode(path)) <= _LONGEST_PATH or not Path("/proc/self/fd").is_dir():
        yield path
        return
    opened = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{opened}/{FILE}"
    finally:
        os.close(opened)
