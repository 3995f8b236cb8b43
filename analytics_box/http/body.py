"""Request bodies: counted while they arrive, read under a deadline, decoded with clear refusals."""

import asyncio
import re
from collections.abc import Callable, Iterable
from typing import Any, TypeVar, cast
from urllib.parse import parse_qsl

import msgspec
from litestar import Request

from analytics_box.errors import (
    BrokenBody,
    Detail,
    PayloadTooLarge,
    RequestTimeout,
    UnsupportedMediaType,
    WrongTypes,
)
from analytics_box.http.asgi import Receive

T = TypeVar("T")

MOST_FIELDS = 100  # of a form
_MISSING = re.compile("Object missing required field `(.+)`")


async def read(receive: Receive, *, limit: int, seconds: float, length: bytes = b"") -> bytes:
    """The whole body. Raises PayloadTooLarge, RequestTimeout or BrokenBody.

    `length` is the Content-Length, to which the server holds a client: a body that has come as far is whole, and the
    message that says so is not waited for. It takes granian's thread and ours a tenth of the time of an event. The
    deadline does what asyncio.timeout does, which alone took as long as understanding half an event.
    """
    task = asyncio.current_task()
    if task is None:
        raise RuntimeError("A body is read in a task")
    cancelling = task.cancelling()
    late = False

    def give_up() -> None:
        nonlocal late
        late = True
        task.cancel()

    deadline = asyncio.get_running_loop().call_later(seconds, give_up)
    try:
        return await _whole(receive, limit, length)
    except asyncio.CancelledError as cancelled:
        if late and task.uncancel() <= cancelling:
            raise RequestTimeout(f"The body did not arrive within {seconds:g} seconds") from cancelled
        raise  # somebody else does not want the answer any more
    finally:
        deadline.cancel()


def length_of(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """The Content-Length as it was sent; empty where none was."""
    return dict(headers).get(b"content-length", b"")


async def _whole(receive: Receive, limit: int, length: bytes) -> bytes:
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise BrokenBody("The body broke off, or its chunks have no size that can be read")
        chunk: bytes = message["body"]
        size += len(chunk)
        if size > limit:
            raise PayloadTooLarge(f"The body may have {limit:,} bytes at most")
        if not message["more_body"] or b"%d" % size == length:
            return b"".join([*chunks, chunk]) if chunks else chunk
        chunks.append(chunk)


def decode(decode_one: Callable[[bytes], T], body: bytes) -> T:
    """The body as the wanted type. Raises BrokenBody for what is no JSON, WrongTypes for JSON of another shape."""
    try:
        body.decode("utf-8")  # msgspec skips over invalid text in fields that nobody asked for
        return decode_one(body)
    except msgspec.ValidationError as wrong:
        _check_json(body)
        raise WrongTypes("The request has a wrong shape", details=(_detail(wrong),)) from wrong
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as broken:
        raise BrokenBody("The body is not valid JSON") from broken


def _check_json(body: bytes) -> None:
    """Raises BrokenBody for what ends or nests as no JSON may; a wrong type is noticed before that."""
    try:
        msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError) as broken:
        raise BrokenBody("The body is not valid JSON") from broken


def form(body: bytes, *, most_fields: int = MOST_FIELDS) -> dict[str, str]:
    """The fields of a form; the last of equal names wins. Raises BrokenBody, also for more than `most_fields`."""
    try:
        return dict(parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=most_fields))
    except ValueError as broken:
        raise BrokenBody("The form cannot be read") from broken


def check_headers(headers: Iterable[tuple[bytes, bytes]], *, wanted: tuple[bytes, ...]) -> None:
    """Refuse compressed bodies, and content types other than the wanted ones. Raises UnsupportedMediaType.

    A request without a content type is refused too unless b"" is wanted.
    """
    content_type = b""
    for name, value in headers:
        if name == b"content-encoding" and value.lower() not in {b"", b"identity"}:
            raise UnsupportedMediaType("Send the body without Content-Encoding")
        if name == b"content-type":
            content_type = value.partition(b";")[0].strip().lower()
    if wanted and content_type not in wanted:
        names = " or ".join(kind.decode() for kind in wanted if kind)
        raise UnsupportedMediaType(f"Send the body as {names}")


def _detail(wrong: msgspec.ValidationError) -> Detail:
    """Where a value has the wrong shape (wire 3.4), and what was expected there."""
    message, _, where = str(wrong).partition(" - at ")
    path = where.strip("`").removeprefix("$").removeprefix(".")
    missing = _MISSING.fullmatch(message)
    if missing is not None:
        path = f"{path}.{missing[1]}" if path else missing[1]
    dot = "." if path and not path.startswith("[") else ""
    return Detail(f"body{dot}{path}", "Invalid value", message)


async def of_request(
    request: Request[Any, Any, Any], *, wanted: tuple[bytes, ...], limit: int, seconds: float
) -> bytes:
    """The body of a typed handler's request, its headers checked first."""
    headers = request.scope["headers"]
    check_headers(headers, wanted=wanted)
    return await read(cast(Receive, request.receive), limit=limit, seconds=seconds, length=length_of(headers))
