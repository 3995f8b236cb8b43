"""Procedures over HTTP: POST /rpc/<router>/<procedure> and the plain POST /<router>/<procedure> (wire 10.1).

A procedure is a typed function: it takes a Call and, if it wants input, a Struct; it returns a Struct, a list of them
or None. Under /rpc a body `{"json": …, "meta": …}` is answered in the same form, where `meta` names the places of
dates; a plain object is answered plainly, and so is everything on the mirror.
"""

from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple, get_type_hints

import msgspec
from litestar import Request, Response
from litestar.di import NamedDependency
from msgspec import Struct

from analytics_box import errors
from analytics_box.errors import BoxError, Detail
from analytics_box.http import body, render
from analytics_box.http.call import Calls
from analytics_box.identity import Identity

_JSON = (b"application/json",)
_DATE = 1  # how the form's meta calls a date


class Envelope(Struct, frozen=True):
    """The form that oRPC clients send. Dates come as ISO text in `json`; the input's types know where."""

    json: msgspec.Raw = msgspec.Raw(b"")
    meta: list[list[Any]] | None = None


class Nothing(Struct, frozen=True, forbid_unknown_fields=True):
    """The input of a procedure that wants none."""


Handler = Callable[..., Awaitable[Any]]


class Form(NamedTuple):
    """A request's body: the input as JSON, and whether to answer in the enveloped form."""

    input: bytes
    enveloped: bool


def serve(
    name: str, handler: Handler, check: Callable[[Identity], None], *, most_bytes: int | None = None
) -> Callable[..., Awaitable[Response[bytes]]]:
    """The HTTP handler of a procedure. `check` raises AuthRequired or Forbidden for callers who may not use it.

    A body may have `most_bytes`, or as many as a query.
    """
    wanted: type[Any] = get_type_hints(handler).get("given", Nothing)
    decoder = msgspec.json.Decoder(wanted)
    takes_input = wanted is not Nothing

    async def answer(
        request: Request[Any, Any, Any], identity: NamedDependency[Identity], calls: NamedDependency[Calls]
    ) -> Response[bytes]:
        enveloped = request.url.path.startswith("/rpc/")
        request_id = str(request.scope["request_id"])  # type: ignore[typeddict-item]  # set by the front
        try:
            settings = calls.settings
            limit = most_bytes or settings.max_query_bytes
            sent = await body.of_request(request, wanted=_JSON, limit=limit, seconds=settings.body_seconds)
            form = read_form(sent, enveloped=enveloped)
            enveloped = form.enveloped
            check(identity)
            allowance = calls.limits.take(name, identity.limit_name, settings.limit_rpc)
            request.scope["allowance"] = allowance  # type: ignore[typeddict-unknown-key]  # for the front's headers
            call = calls.by(identity)
            given = _decode(decoder, form.input)
            output = await (handler(call, given) if takes_input else handler(call))
        except BoxError as error:
            return refuse(error, request_id, enveloped=enveloped)
        return _reply(output, enveloped=enveloped)

    return answer


def read_form(sent: bytes, *, enveloped: bool) -> Form:
    """Tell the two forms apart: under /rpc a body is plain only if it is a non-empty object without a json key."""
    fields = body.decode(msgspec.json.Decoder(dict[str, msgspec.Raw]).decode, sent or b"{}")
    if not enveloped:
        return Form(sent or b"{}", enveloped=False)
    if fields and "json" not in fields:
        return Form(sent, enveloped=False)
    inner = bytes(fields.get("json", b"{}"))
    return Form(inner if inner != b"null" else b"{}", enveloped=True)


def _decode(decoder: "msgspec.json.Decoder[Any]", given: bytes) -> Any:
    """The input as the procedure's Struct; what is wrong with it is a BAD_REQUEST that names the field (wire 10.6)."""
    try:
        return body.decode(decoder.decode, given)
    except errors.WrongTypes as wrong:
        details = tuple(Detail(item.field.removeprefix("body.") or "input", item.message) for item in wrong.details)
        raise errors.BadRequest("Input validation failed", details=details) from wrong


def refuse(error: BoxError, request_id: str, *, enveloped: bool) -> Response[bytes]:
    """A refusal in the form that was asked in."""
    if not enveloped:
        content = render.api_body(error, request_id)
    else:
        data: dict[str, Any] = {"requestId": request_id, **error.extra()}
        if error.details:
            data["issues"] = error.details
        content = msgspec.json.encode(
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
    return _answer(content, status=error.status, headers=error.headers)


def _reply(output: Any, *, enveloped: bool) -> Response[bytes]:
    plain = msgspec.to_builtins(output, builtin_types=(datetime,))
    if not enveloped:
        return _answer(msgspec.json.encode(_with_text_dates(plain)))
    meta = [[_DATE, *path] for path in _dates(plain, ())]
    content: dict[str, Any] = {"json": _with_text_dates(plain)}
    if meta:
        content["meta"] = meta
    return _answer(msgspec.json.encode(content))


def _dates(value: Any, path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    """Where dates stand in an output."""
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


def _answer(content: bytes, *, status: int = 200, headers: dict[str, str] | None = None) -> Response[bytes]:
    return Response(
        content,
        status_code=status,
        media_type="application/json",
        headers={"cache-control": "no-store", **(headers or {})},
    )
