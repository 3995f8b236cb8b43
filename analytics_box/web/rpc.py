"""Procedures over HTTP: POST /rpc/<router>/<procedure> and the plain POST /<router>/<procedure> (wire 10.1).

A procedure is a typed function: it takes a Call and, if it wants input, a Struct; it returns a Struct, a list of them
or None. Under /rpc a body `{"json": …, "meta": …}` is answered in the same form, where `meta` names the places of
dates; a plain object is answered plainly, and so is everything on the mirror.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final, NamedTuple, cast, get_type_hints

import msgspec
from litestar.connection import ASGIConnection
from litestar.types import Scope as LitestarScope
from litestar.utils import normalize_path
from msgspec import Struct
from msgspec.inspect import type_info

from analytics_box.base import errors
from analytics_box.base.errors import BoxError
from analytics_box.base.identity import Identity
from analytics_box.base.limits import Allowance
from analytics_box.web import body, render
from analytics_box.web.asgi import Receive, Scope, Send, respond
from analytics_box.web.call import Call, Parts
from analytics_box.web.guard import Guard, ResourceOwners
from analytics_box.web.route import PUBLIC, Procedure, allow

_JSON = (b"application/json",)
_HEADERS = [(b"content-type", b"application/json"), (b"cache-control", b"no-store")]
_DATE = 1  # how the form's meta calls a date
_OUTPUT: Final = msgspec.json.Encoder(decimal_format="number")
_MAY_BE_DATES = ("DateTimeType", "AnyType", "CustomType")  # of msgspec.inspect


class NoInput(Struct, frozen=True, forbid_unknown_fields=True):
    """The input of a procedure that wants none."""


class RpcBody(NamedTuple):
    """A request's body: the input as JSON, and whether to answer in the enveloped form."""

    input: bytes
    enveloped: bool


class ProcedureInput(NamedTuple):
    """The input of a procedure: how it is decoded, and whether there is any."""

    decoder: "msgspec.json.Decoder[Any]"
    wanted: bool


@cache
def _procedure_input(handler: Callable[..., Any]) -> ProcedureInput:
    """Found out with the first call: for all procedures at once it would be a good part of the start."""
    wanted: type[Any] = get_type_hints(handler).get("given", NoInput)
    return ProcedureInput(msgspec.json.Decoder(wanted), wanted is not NoInput)


class Procedures:
    """Serves the addresses of the table of procedures, past Litestar."""

    def __init__(self, lines: Iterable[Procedure], parts: Parts, guard: Guard) -> None:
        self._lines = {path: line for line in lines for path in line.paths}
        self._parts = parts
        self._guard = guard

    def at(self, path: str) -> Procedure | None:
        """The procedure at an address, which may have a slash too many."""
        return self._lines.get(path) or self._lines.get(normalize_path(path))

    async def serve(self, line: Procedure, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a POST for this procedure."""
        scope["enveloped"] = normalize_path(scope["path"]).startswith("/rpc/")
        try:
            reply = await self._reply(line, scope, receive)
        except Exception as raised:
            error = render.as_box_error(raised)
            refusal = refusal_body(error, str(scope["request_id"]), enveloped=scope["enveloped"])
            await respond(send, error.status, _check_size(render.header_list(error), refusal), refusal)
        else:
            await respond(send, 200, _check_size(_HEADERS, reply), reply)

    async def _reply(self, line: Procedure, scope: Scope, receive: Receive) -> bytes:
        """The answer to a call that is carried out. Raises BoxError; then the body goes with this frame."""
        settings = self._parts.settings
        identity = await self._guard.identity(ASGIConnection(cast(LitestarScope, scope)), line.access)
        body.check_headers(scope["headers"], wanted=_JSON)
        refused = refusal_of(identity.at_best, line)
        limit = line.most_bytes or settings.max_query_bytes
        if identity.anonymous or refused is not None:
            limit = min(limit, body.ANONYMOUS_BYTES)
        try:
            sent = await body.read_body(scope, receive, limit=limit, seconds=settings.body_seconds)
            # A refusal has the form that was asked in, which only the body tells.
            form = read_form(sent, enveloped=scope["enveloped"])
        except BoxError:
            if refused is not None:
                raise refused from None
            raise
        scope["enveloped"] = form.enveloped
        if refused is not None:
            raise refused
        scope["allowance"] = count_call(line, identity, self._parts)
        output = await call_procedure(line, identity, form.input, self._parts, self._guard.owners)
        return _reply(line, output, enveloped=form.enveloped)


def count_call(line: Procedure, identity: Identity, parts: Parts) -> Allowance | None:
    """Count a call under the limit of its procedure. Raises RateLimited."""
    most = parts.settings.limit_rpc and (line.limit or parts.settings.limit_rpc)
    return parts.limits.take(line.name, identity.limit_name, most)


async def call_procedure(
    line: Procedure, identity: Identity, given: bytes, parts: Parts, owners: ResourceOwners, *, tool: str = ""
) -> Any:
    """The output of a procedure for a caller within its access. `given` is its input as JSON, `tool` the MCP tool that
    calls it. Raises BoxError."""
    decoded = decode_input(line.handler, given)
    named = msgspec.structs.asdict(decoded)
    about = "own" if line.access == PUBLIC else line.about
    identity = await owners.acting(identity, line.name.partition(".")[0], named, about)
    refused = refusal_of(identity, line)
    if refused is not None:
        raise refused
    return await run_handler(line.handler, parts.by(identity, tool=tool), decoded)


def refusal_of(identity: Identity, line: Procedure) -> BoxError | None:
    """The refusal of a caller who may not call this procedure; None for those who may."""
    try:
        allow(identity, line.access, role=line.role, anonymous=line.anonymous)
    except BoxError as refused:
        return refused.with_traceback(None)
    return None


def read_form(sent: bytes, *, enveloped: bool) -> RpcBody:
    """Tell the two forms apart: under /rpc a body is plain only if it is a non-empty object without a json key."""
    fields = body.decode(msgspec.json.Decoder(dict[str, msgspec.Raw]).decode, sent or b"{}")
    if not enveloped:
        return RpcBody(sent or b"{}", enveloped=False)
    if fields and "json" not in fields:
        return RpcBody(sent, enveloped=False)
    inner = bytes(fields.get("json", b"{}"))
    return RpcBody(inner if inner != b"null" else b"{}", enveloped=True)


def decode_input(handler: Callable[..., Any], given: bytes) -> Any:
    """The input as the procedure's Struct. Raises BadRequest, which names the field (wire 10.6)."""
    try:
        return body.decode(_procedure_input(handler).decoder.decode, given)
    except errors.WrongTypes as wrong:
        raise body.bad_request(wrong, "input") from wrong


async def run_handler(handler: Callable[..., Any], call: Call, decoded: Any) -> Any:
    """The output of a procedure. Raises BoxError."""
    return await (handler(call, decoded) if _procedure_input(handler).wanted else handler(call))


def refusal_body(error: BoxError, request_id: str, *, enveloped: bool) -> bytes:
    """A refusal in the form that was asked in."""
    if not enveloped:
        return render.api_body(error, request_id)
    data: dict[str, Any] = {"requestId": request_id, **error.extra(), **error.data()}
    if error.details:
        data["issues"] = error.details
    return msgspec.json.encode(
        {
            "json": {
                "defined": False,
                "code": error.code,
                "status": error.status,
                "message": error.message,
                "data": data,
            }
        }
    )


@cache
def _may_have_dates(handler: Callable[..., Any]) -> bool:
    """Whether dates may stand in what a procedure returns, by its types."""
    found = get_type_hints(handler).get("return", Any)
    try:
        said = repr(type_info(found))
    except TypeError:  # of alternatives that it cannot tell apart, which is no matter here
        return True
    return any(kind in said for kind in _MAY_BE_DATES)


def _reply(line: Procedure, output: Any, *, enveloped: bool) -> bytes:
    if not _may_have_dates(line.handler):  # most have none, and large ones are encoded in a third of the time
        encoded = _OUTPUT.encode(output)
        return b'{"json":%b}' % encoded if enveloped else encoded
    if not enveloped:
        return msgspec.json.encode(plain_output(output))
    plain = msgspec.to_builtins(output, builtin_types=(datetime,))
    meta = [[_DATE, *path] for path in _dates(plain, ())]
    content: dict[str, Any] = {"json": _with_text_dates(plain)}
    if meta:
        content["meta"] = meta
    return msgspec.json.encode(content)


def plain_output(output: Any) -> Any:
    """The output of a procedure as plain values, dates as text."""
    return _with_text_dates(msgspec.to_builtins(output, builtin_types=(datetime,)))


def _dates(value: Any, path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    """Paths of the dates in an output."""
    if isinstance(value, datetime):
        yield path
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _dates(item, (*path, key))
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _dates(item, (*path, index))


def _with_text_dates(value: Any) -> Any:
    """Dates as ISO 8601 in UTC with milliseconds."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if isinstance(value, dict):
        return {key: _with_text_dates(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_with_text_dates(item) for item in value]
    return value


def _check_size(headers: list[tuple[bytes, bytes]], content: bytes) -> list[tuple[bytes, bytes]]:
    return [*headers, (b"content-length", b"%d" % len(content))]
