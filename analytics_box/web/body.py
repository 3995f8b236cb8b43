"""Request bodies: counted while they arrive, read under a deadline, decoded with clear refusals."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast
from urllib.parse import parse_qsl

import msgspec

from analytics_box.base.errors import (
    BadRequest,
    BoxError,
    BrokenBody,
    ErrorDetail,
    PayloadTooLarge,
    RequestTimeout,
    Unavailable,
    UnsupportedMediaType,
    WrongTypes,
)
from analytics_box.base.translation import _
from analytics_box.base.wrong_values import wrong_value
from analytics_box.web.address import network_of
from analytics_box.web.asgi import Message, Receive, Scope

if TYPE_CHECKING:
    from litestar import Request

from multipart import MultipartError, MultipartSegment, PushMultipartParser, parse_options_header

T = TypeVar("T")
Held = Mapping[tuple[str, bool], int]  # bytes of a request by their holder, and whether that is a stranger

MOST_FIELDS = 100  # of a form
ANONYMOUS_BYTES = 65_536  # of the body of a caller without a credential
_SMALL = 1 << 20  # bytes of the largest body that is not large
_FEWEST_PIECES = 256  # that any body may have
_SHORT = 256  # bytes of a piece; beyond the fewest, pieces are longer on average
_PASSED_OVER = 8 << 20  # bytes
_PASSING_SECONDS = 2.0
MOST_PASSED_OVER = 32  # bodies at the same time
_PAUSE = 1.0  # seconds between looks at deadlines
_TOO_LARGE = "The body can have up to {:,} bytes"


class BytesInFlight:
    """The bytes of request bodies that the box holds, which come to `most` at the most.

    Callers without a credential have a quarter of them together, and an eighth per address, so that their uploads never
    keep others from sending; an organization or user has half. Large bodies, such as files that wait to be imported,
    leave a quarter for events and questions. A body that comes in one piece is not counted: it is there before it
    can be refused.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._all = 0
        self._of_holders: dict[str, int] = {}  # networks of strangers, organizations and users
        self._of_strangers = 0

    def __len__(self) -> int:
        return self._all

    def take(self, scope: Scope, size: int) -> None:
        """Count bytes of this request until it ends. Raises Unavailable where there is no room for them."""
        known = scope.get("known", "")
        holder = known or network_of(scope.get("address", ""))
        held = scope.setdefault("body_bytes", {})
        most = self._most if sum(held.values()) + size <= _SMALL else self._most * 3 // 4
        share = self._most // 2 if known else self._most // 8
        if (
            self._all + size > most
            or self._of_holders.get(holder, 0) + size > share
            or (not known and self._of_strangers + size > self._most // 4)
        ):
            raise Unavailable(_("The server is receiving too much data. Try again in a few seconds"), retry_after=5)
        self._all += size
        self._of_holders[holder] = self._of_holders.get(holder, 0) + size
        if not known:
            self._of_strangers += size
        held[holder, not known] = held.get((holder, not known), 0) + size

    def give_back(self, held: Held) -> None:
        """Release what a request held, which has ended."""
        for (holder, is_stranger), size in held.items():
            self._all -= size
            self._of_strangers -= size if is_stranger else 0
            left = self._of_holders.get(holder, 0) - size
            if left:
                self._of_holders[holder] = left
            else:
                self._of_holders.pop(holder, None)  # gone already if nothing but empty pieces came


class _Deadlines:
    """The bodies that one event loop reads, by their tasks, with the instants at which they are given up.

    All are looked at once a second: a timer for each body took as long as understanding half an event. So a body is
    given up a second late at the most, and never early.
    """

    __slots__ = ("_loop", "_pause", "ends", "late")

    def __init__(self, loop: asyncio.AbstractEventLoop, pause: float) -> None:
        self._loop = loop
        self._pause = pause
        self.ends: dict[asyncio.Task[Any], float] = {}
        self.late: set[asyncio.Task[Any]] = set()
        loop.call_later(pause, self._look)

    def _look(self) -> None:
        now = self._loop.time()
        for task, end in self.ends.items():
            if end <= now and task not in self.late:
                self.late.add(task)
                task.cancel()
        if self.ends:
            self._loop.call_later(self._pause, self._look)
        else:
            del _DEADLINES[self._loop]


_UPLOADS: set[object] = set()  # Forms whose files arrive now.
_PASSING: set[object] = set()  # requests whose bodies are passed over now
_DEADLINES: dict[asyncio.AbstractEventLoop, _Deadlines] = {}


async def read_body(scope: Scope, receive: Receive, *, limit: int, seconds: float) -> bytes:
    """The whole body, of `limit` bytes at the most. Raises PayloadTooLarge, RequestTimeout, BrokenBody or Unavailable.

    A body that declares more is refused before it is read. One that has come as far as its Content-Length, to which the
    server holds a client, is whole, and the message that says so is not waited for. It takes granian's thread and ours
    a tenth of the time of an event. The deadline does what asyncio.timeout does.
    """
    length = length_of(scope)
    if length.isdigit() and int(length) > limit:
        raise PayloadTooLarge(_TOO_LARGE.format(limit))
    loop = asyncio.get_running_loop()
    task = asyncio.current_task(loop)
    if task is None:
        raise RuntimeError("A body is read in a task")
    deadlines = _DEADLINES.get(loop)
    if deadlines is None:
        deadlines = _DEADLINES[loop] = _Deadlines(loop, min(_PAUSE, seconds))
    cancelling = task.cancelling()
    deadlines.ends[task] = loop.time() + seconds
    try:
        message = await receive()
        if message["type"] == "http.request":
            body: bytes = message["body"]
            if len(body) <= limit and (not message["more_body"] or b"%d" % len(body) == length):
                scope["body_read"] = True
                return body  # as nearly always
        return await _whole(scope, message, receive, limit, length)
    except asyncio.CancelledError as cancelled:
        if task in deadlines.late and task.uncancel() <= cancelling:
            raise RequestTimeout(
                _("The body did not arrive within {seconds:g} seconds").format(seconds=seconds)
            ) from cancelled
        raise  # The caller was canceled, not the wait.
    finally:
        del deadlines.ends[task]
        deadlines.late.discard(task)


async def pass_over(scope: Scope, receive: Receive) -> None:
    """Take what is left of a refused body without keeping it: many clients read an answer only once they have sent all.

    A body that is too long, or too slow, is left, and so is one beyond MOST_PASSED_OVER, which is a flood; the server
    then closes the connection.
    """
    length = length_of(scope)
    if scope.get("body_read") or not (length.isdigit() and ANONYMOUS_BYTES < int(length) <= _PASSED_OVER):
        return
    if len(_PASSING) >= MOST_PASSED_OVER:
        return
    request = object()
    _PASSING.add(request)
    try:
        with contextlib.suppress(TimeoutError, asyncio.CancelledError):  # the client leaves once it has its answer
            async with asyncio.timeout(_PASSING_SECONDS):
                while (message := await receive())["type"] == "http.request" and message["more_body"]:
                    pass
    finally:
        _PASSING.discard(request)


def length_of(scope: Scope) -> bytes:
    """The Content-Length as it was sent; empty where none was."""
    by_name: Mapping[bytes, bytes] = scope.get("headers_by_name") or dict(scope["headers"])
    return by_name.get(b"content-length", b"")


async def _whole(scope: Scope, message: Message, receive: Receive, limit: int, length: bytes) -> bytes:
    """The body that begins with this message."""
    chunks: list[bytes] = []
    size = 0
    while True:
        if message["type"] != "http.request":
            raise BrokenBody(_("The body is incomplete, or a chunk has no valid size"))
        chunk: bytes = message["body"]
        size += len(chunk)
        if size > limit:
            raise PayloadTooLarge(_TOO_LARGE.format(limit))
        if not message["more_body"] or b"%d" % size == length:
            scope["body_read"] = True
            return b"".join([*chunks, chunk]) if chunks else chunk
        if "bodies" in scope:
            scope["bodies"].take(scope, len(chunk))
        chunks.append(chunk)
        # Each piece takes 10 µs, however short it is: 64 KB in chunks of one byte took 0.7 s of processor time.
        if len(chunks) > _FEWEST_PIECES + size // _SHORT:
            raise BrokenBody(_("The body has too many short chunks. Send longer ones"))
        message = await receive()


def decode(decode_one: Callable[[bytes], T], body: bytes) -> T:
    """The body as the wanted type. Raises BrokenBody for what is no JSON, WrongTypes for JSON of another shape."""
    try:
        body.decode("utf-8")  # msgspec skips over invalid text in fields that nobody asked for
        return decode_one(body)
    except msgspec.ValidationError as wrong:
        _check_json(body)
        found = wrong_value(wrong, getattr(getattr(decode_one, "__self__", None), "type", None))
        dot = "." if found.path and not found.path.startswith("[") else ""
        detail = ErrorDetail(f"body{dot}{found.path}", _("Invalid value"), found.message)
        raise WrongTypes(found.sentence, details=(detail,)) from wrong
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as broken:
        raise BrokenBody(_("The body is not valid JSON")) from broken


def bad_request(wrong: BoxError, whole: str, reason: str | None = None) -> BadRequest:
    """The refusal of a body by routes that answer all of them with 400; `whole` is their name of the body."""
    details = tuple(
        ErrorDetail(one.field.removeprefix("body").removeprefix(".") or whole, str(one.suggestion or one.message))
        for one in wrong.details
    )
    return BadRequest(wrong.message, reason=reason, details=details)


def _check_json(body: bytes) -> None:
    """Raises BrokenBody for what ends or nests as no JSON may; a wrong type is noticed before that."""
    try:
        msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError) as broken:
        raise BrokenBody(_("The body is not valid JSON")) from broken


def form(body: bytes, *, most_fields: int = MOST_FIELDS) -> dict[str, str]:
    """The fields of a form; the last of equal names wins. Raises BrokenBody, also for more than `most_fields`."""
    try:
        return dict(parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=most_fields))
    except ValueError as broken:
        raise BrokenBody(_("The form cannot be read")) from broken


def check_headers(headers: Iterable[tuple[bytes, bytes]], *, wanted: tuple[bytes, ...]) -> None:
    """Refuse compressed bodies, and content types other than the wanted ones. Raises UnsupportedMediaType.

    A request without a content type is refused too unless b"" is wanted.
    """
    content_type = b""
    for name, value in headers:
        if name == b"content-encoding" and value.lower() not in {b"", b"identity"}:
            raise UnsupportedMediaType(_("Send the body without Content-Encoding"))
        if name == b"content-type":
            content_type = value.partition(b";")[0].strip().lower()
    if wanted and content_type not in wanted:
        names = " or ".join(kind.decode() for kind in wanted if kind)
        raise UnsupportedMediaType(_("Send the body as {names}").format(names=names))


async def of_request(
    request: "Request[Any, Any, Any]", *, wanted: tuple[bytes, ...], limit: int, seconds: float
) -> bytes:
    """The body of a typed handler's request, its headers checked first; a short one of callers without a credential."""
    scope = cast(Scope, request.scope)
    check_headers(scope["headers"], wanted=wanted)
    limit = limit if scope.get("known") else min(limit, ANONYMOUS_BYTES)
    return await read_body(scope, cast(Receive, request.receive), limit=limit, seconds=seconds)


TYPE = b"multipart/form-data"
MOST_UPLOADS = 2  # Files that arrive at the same time.
_MOST_FIELDS = 20


async def upload_to(request: "Request[Any, Any, Any]", field: str, path: Path, *, limit: int, seconds: float) -> None:
    """Write the file in this field of a form to `path`, piece by piece.

    Raises PayloadTooLarge above `limit` bytes, RequestTimeout, BrokenBody, and Unavailable while others upload.
    """
    check_headers(request.scope["headers"], wanted=(TYPE,))
    if len(_UPLOADS) >= MOST_UPLOADS:
        raise Unavailable(_("Other files are being uploaded. Try again in a minute"), retry_after=60)
    _type, options = parse_options_header(request.headers.get("content-type", ""))
    upload, name = object(), ""
    _UPLOADS.add(upload)
    try:
        with (
            path.open("wb") as file,
            PushMultipartParser(options.get("boundary", ""), max_segment_count=_MOST_FIELDS, strict=True) as parser,
        ):
            async with asyncio.timeout(seconds):
                async for chunk in _chunks(cast(Scope, request.scope), cast(Receive, request.receive), limit):
                    for piece in parser.parse(chunk):
                        if isinstance(piece, MultipartSegment):
                            name = piece.name
                        elif piece is not None and name == field:
                            file.write(piece)
    except TimeoutError as late:
        raise RequestTimeout(_("The body did not arrive within {seconds:g} seconds").format(seconds=seconds)) from late
    except OSError as full:
        raise Unavailable(_("The file cannot be stored. Check the free disk space"), retry_after=60) from full
    except (MultipartError, ValueError) as broken:
        raise BrokenBody(_("The form cannot be read")) from broken
    finally:
        _UPLOADS.discard(upload)


async def _chunks(scope: Scope, receive: Receive, limit: int) -> AsyncIterator[bytes]:
    """The body as it arrives. Raises PayloadTooLarge or BrokenBody."""
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            raise BrokenBody(_("The body is incomplete, or a chunk has no valid size"))
        more, size = message["more_body"], size + len(message["body"])
        if size > limit:
            raise PayloadTooLarge(_TOO_LARGE.format(limit))
        if message["body"]:
            yield message["body"]
    scope["body_read"] = True


def fields(sent: bytes, content_type: str) -> dict[str, bytes]:
    """The contents by field; the last of equal names wins. Raises BrokenBody."""
    _type, options = parse_options_header(content_type)
    found: dict[str, bytes] = {}
    name = ""
    chunks: list[bytes] = []
    try:
        with PushMultipartParser(options.get("boundary", ""), max_segment_count=_MOST_FIELDS, strict=True) as parser:
            for piece in parser.parse(sent):
                if isinstance(piece, MultipartSegment):
                    name, chunks = piece.name, []
                elif piece is not None:
                    chunks.append(bytes(piece))
                else:
                    found[name] = b"".join(chunks)
    except (MultipartError, ValueError) as broken:
        raise BrokenBody(_("The form cannot be read")) from broken
    return found
