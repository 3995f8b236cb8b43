"""JSON-RPC messages of MCP, and the revisions of the protocol. Pure."""

import base64
from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from analytics_box.base.translation import _

MODERN: Final = ("2026-07-28",)  # Each request says its version.
HANDSHAKE: Final = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")  # Agreed on by `initialize`.
SUPPORTED: Final = (*MODERN, *HANDSHAKE)
UNNAMED: Final = "2025-03-26"  # The version of requests without a header.
WITH_BATCHES: Final = ("2025-03-26", "2024-11-05")
MOST_IN_BATCH: Final = 20
LONGEST_ID: Final = 256  # Characters.
_LARGEST_ID: Final = 2**53

PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
HEADER_MISMATCH, UNSUPPORTED_VERSION = -32020, -32022
NO_RESOURCE: Final = -32002  # Up to 2025-11-25; INVALID_PARAMS since.

_META: Final = "io.modelcontextprotocol/"
VERSION_KEY, CAPABILITIES_KEY = f"{_META}protocolVersion", f"{_META}clientCapabilities"
SERVER_KEY: Final = f"{_META}serverInfo"
# The headers of a modern request that repeat parts of its body, with the parameter that each call names.
_NAMED: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


class ProtocolError(Exception):
    """A refusal in the words of JSON-RPC. `status` is that of HTTP; messages of a handshake revision that can be read
    are answered with 200."""

    def __init__(self, code: int, message: str, *, status: int = 200, data: object = None) -> None:
        super().__init__(message)
        self.code, self.message, self.status, self.data = code, message, status, data


class RpcMessage(Struct, frozen=True):
    """A message as it came: a request with an id, a notification without one, or an answer to a request."""

    jsonrpc: Literal["2.0"]
    method: str | UnsetType = UNSET
    id: int | str | UnsetType | None = UNSET
    params: Raw = Raw(b"{}")
    result: Raw | UnsetType = UNSET
    error: Raw | UnsetType = UNSET


class RpcError(Struct, frozen=True, omit_defaults=True):
    code: int
    message: str
    data: Any = None


class RpcAnswer(Struct, frozen=True):
    """An answer: a result, or an error. The id is left out where none could be read."""

    jsonrpc: Literal["2.0"] = "2.0"
    id: int | str | UnsetType = UNSET
    result: Any = UNSET
    error: RpcError | UnsetType = UNSET


class Params(Struct, frozen=True):
    """The parameters of all methods, of which each takes some."""

    name: str = ""
    uri: str = ""
    arguments: Raw = Raw(b"{}")
    protocolVersion: str = ""
    cursor: str = ""
    ref: dict[str, Any] = {}
    argument: dict[str, Any] = {}
    context: dict[str, Any] = {}
    meta: dict[str, Any] = msgspec.field(name="_meta", default_factory=dict)


_MESSAGES: Final = msgspec.json.Decoder(RpcMessage)
_MANY: Final = msgspec.json.Decoder(list[Raw])
_PARAMS: Final = msgspec.json.Decoder(Params)


def read_message(sent: bytes | Raw) -> RpcMessage:
    """Decode a message. Raises ProtocolError."""
    try:
        bytes(sent).decode("utf-8")
        message = _MESSAGES.decode(sent)
    except msgspec.ValidationError as wrong:
        raise ProtocolError(
            INVALID_REQUEST, _("Not a JSON-RPC 2.0 message: {why}").format(why=wrong), status=400
        ) from wrong
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as broken:
        raise ProtocolError(PARSE_ERROR, _("The body is not valid JSON"), status=400) from broken
    wrong_id = message.id is None or (
        len(message.id) > LONGEST_ID if isinstance(message.id, str) else message.id and abs(message.id) >= _LARGEST_ID
    )
    if message.id is not UNSET and wrong_id:
        raise ProtocolError(INVALID_REQUEST, _("The id must be a short text or a whole number"), status=400)
    if message.method is UNSET and message.result is UNSET and message.error is UNSET:
        raise ProtocolError(INVALID_REQUEST, _("The message has no method"), status=400)
    return message


def read_batch(sent: bytes, version: str) -> list[Raw]:
    """The messages of a batch, which only earlier revisions have. Raises ProtocolError."""
    if version not in WITH_BATCHES:
        raise ProtocolError(
            INVALID_REQUEST, _("Batches are not part of this revision. Send one message per request"), status=400
        )
    try:
        messages = _MANY.decode(sent)
    except (msgspec.MsgspecError, RecursionError) as broken:
        raise ProtocolError(PARSE_ERROR, _("The body is not valid JSON"), status=400) from broken
    if not 1 <= len(messages) <= MOST_IN_BATCH:
        text = _("A batch holds 1 to {most} messages").format(most=MOST_IN_BATCH)
        raise ProtocolError(INVALID_REQUEST, text, status=400)
    return messages


def read_params(message: RpcMessage, headers: Mapping[str, str]) -> tuple[Params, str]:
    """The parameters of a request and its revision, which its header and, in modern ones, its body name.

    Raises ProtocolError.
    """
    try:
        params = _PARAMS.decode(message.params)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as wrong:
        text = _("The parameters of this method are wrong: {why}").format(why=wrong)
        raise ProtocolError(INVALID_PARAMS, text) from wrong
    named, inside = headers.get("mcp-protocol-version"), params.meta.get(VERSION_KEY)
    if message.method == "initialize" and inside is None:
        return params, UNNAMED  # The handshake settles the version.
    for version in (inside, named):
        if version is not None and version not in SUPPORTED:
            data = {"supported": [*SUPPORTED], "requested": str(version)[:LONGEST_ID]}
            raise ProtocolError(UNSUPPORTED_VERSION, _("Unsupported protocol version"), status=400, data=data)
    if inside not in MODERN and named not in MODERN:
        return params, str(inside or named or UNNAMED)
    _check_modern(message, params, headers)
    return params, str(inside)


def _check_modern(message: RpcMessage, params: Params, headers: Mapping[str, str]) -> None:
    """Raises ProtocolError for a modern request whose headers do not say what its body says."""
    named = _NAMED.get(str(message.method))
    expected = {"mcp-protocol-version": params.meta.get(VERSION_KEY), "mcp-method": message.method}
    if named is not None:
        expected["mcp-name"] = getattr(params, named)
    for name, value in expected.items():
        header = headers.get(name)
        if (None if header is None else _plain(header)) != value:
            text = _("The header {name} does not match the body").format(name=name)
            raise ProtocolError(HEADER_MISMATCH, text, status=400)
    if not isinstance(params.meta.get(CAPABILITIES_KEY), dict):
        text = _("_meta lacks {key}").format(key=CAPABILITIES_KEY)
        raise ProtocolError(INVALID_PARAMS, text, status=400)


def _plain(value: str) -> str:
    """The value of a header that may be encoded."""
    if not (value.startswith("=?base64?") and value.endswith("?=")):
        return value
    try:
        return base64.b64decode(value[9:-2], validate=True).decode()
    except ValueError:
        return value
