"""Error answers of the document: one shared component per family and status, from the tree of errors."""

from collections.abc import Iterator
from typing import Any, Literal

from analytics_box.base.errors import BoxError

Family = Literal["api", "events", "rpc", "page", "link", "ofrep", "mcp"]
Schema = dict[str, Any]

FAMILIES: tuple[Family, ...] = ("api", "events", "rpc", "page", "link", "ofrep", "mcp")
WORDS = {
    400: "The request is invalid. `details` names the field.",
    401: "The credential is missing, unknown, revoked or expired.",
    402: "The organization's plan does not include this.",
    403: "The credential lacks permission for this.",
    404: "The resource or address does not exist.",
    405: "The address does not accept this method.",
    408: "The body did not arrive in time.",
    409: "The request conflicts with an existing resource or its state.",
    413: "The body is too large.",
    415: "The content type or compression is not supported.",
    421: "The host name does not belong to this server.",
    422: "The JSON does not match the schema. `details` names the field.",
    429: "Too many requests. Wait `retryAfter` seconds.",
    500: "Internal error. See the server's log.",
    503: "The server is overloaded, stopping or out of disk space. Retry after `Retry-After` seconds.",
}
# Descriptions for short links.
LINK_WORDS = {
    403: "Incorrect password. Returns the form again.",
    404: "No link has this slug.",
    405: "Short links accept GET and HEAD, and POST if they have a password.",
    410: "The link has expired or reached its click limit.",
    413: "The password is too long.",
    429: "Too many passwords or unknown slugs. Wait `Retry-After` seconds.",
}
# The finer codes of event routes, in `reason` (wire 4.8).
REASONS: dict[int, tuple[str, ...]] = {
    400: (
        "TRACK_INVALID_BODY",
        "INVALID_EVENT_SCHEMA",
        "INGEST_MISSING_CLIENT_ID",
        "INGEST_INVALID_CLIENT_ID",
        "INGEST_UNKNOWN_EVENT_TYPE",
        "INGEST_BATCH_NOT_ARRAY",
        "INGEST_BATCH_TOO_LARGE",
        "IDENTIFY_MISSING_WEBSITE_ID",
    ),
    401: ("TRACK_MISSING_CREDENTIALS",),
    403: (
        "TRACK_MISSING_SCOPE",
        "TRACK_WEBSITE_SCOPE_MISMATCH",
        "INGEST_ORIGIN_NOT_AUTHORIZED",
        "INGEST_IP_NOT_AUTHORIZED",
    ),
    404: ("TRACK_WEBSITE_NOT_FOUND",),
    413: ("TRACK_PAYLOAD_TOO_LARGE", "INGEST_PAYLOAD_TOO_LARGE", "INGEST_ERRORS_BODY_TOO_LARGE"),
    429: ("TRACK_RATE_LIMITED", "IDENTIFY_RATE_LIMITED"),
    503: ("DELIVERY_UNAVAILABLE",),
}
# The refusal's `data` in examples of procedures (wire 10.6).
_DATA: dict[int, Schema] = {
    404: {"resourceType": "website", "resourceId": "V1StGXR8Z5jdHi6BmyT0"},
    503: {"retryAfter": 5},
}
_AS_JSON_RPC = (400, 404)  # The server refuses MCP messages with these; the front of the box refuses with others.
_OFREP_CODES = {400: "INVALID_CONTEXT", 404: "FLAG_NOT_FOUND"}
ALWAYS = (400, 421, 429, 500, 503)  # what the front of the box may answer to any request
WITH_BODY = (408, 413, 415)


def codes() -> dict[int, list[str]]:
    """The machine codes by status."""
    found: dict[int, list[str]] = {}
    kinds: tuple[type[BoxError], ...] = (BoxError, *_below(BoxError))
    for kind in kinds:
        if kind.code not in found.setdefault(kind.status, []):
            found[kind.status].append(kind.code)
    return found


def status_of(name: str) -> int | None:
    """The status of an error by its class name."""
    return next((kind.status for kind in _below(BoxError) if kind.__name__ == name), None)


def _below(kind: type[BoxError]) -> Iterator[type[BoxError]]:
    for child in kind.__subclasses__():
        yield child
        yield from _below(child)


def reference(family: Family, status: int) -> Schema:
    """A reference to this answer for an operation."""
    if family == "mcp" and status not in _AS_JSON_RPC:
        family = "api"
    return {"$ref": f"#/components/responses/{family}-{status}"}


def responses() -> Schema:
    """All shared error answers."""
    by_status = codes()
    return {
        f"{family}-{status}": _response(family, status, words, by_status.get(status, []))
        for family in FAMILIES
        for status, words in (WORDS | LINK_WORDS if family == "link" else WORDS).items()
        if family != "mcp" or status in _AS_JSON_RPC
    }


def _response(family: Family, status: int, words: str, names: list[str]) -> Schema:
    headers: Schema = {"X-Request-ID": {"$ref": "#/components/headers/X-Request-ID"}}
    if status == 401:
        headers["WWW-Authenticate"] = {"$ref": "#/components/headers/WWW-Authenticate"}
    if family == "events":
        headers["X-Analytics-Box"] = {"$ref": "#/components/headers/X-Analytics-Box"}
    if status in {429, 503}:
        headers["Retry-After"] = {"$ref": "#/components/headers/Retry-After"}
    if status == 429:
        for name in ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"):
            headers[name] = {"$ref": f"#/components/headers/{name}"}
    listed = f" Code: {', '.join(f'`{name}`' for name in names)}." if names else ""
    if family == "events" and status in REASONS:
        listed += f" Reason: {', '.join(f'`{name}`' for name in REASONS[status])}."
    return {"description": words + listed, "headers": headers, "content": _content(family, status, words, names)}


def _content(family: Family, status: int, words: str, names: list[str]) -> Schema:
    code = names[0] if names else "INTERNAL_SERVER_ERROR"
    plain: Schema = {"success": False, "error": words.partition(".")[0], "code": code, "requestId": "4f1c2a9be07d3356"}
    if status == 429:
        plain |= {"limit": 120, "remaining": 0, "reset": 1781697660000, "retryAfter": 1}
    refusal = {"$ref": "#/components/schemas/Refusal"}
    if family == "events":
        reason = REASONS.get(status, (code,))[0]
        named = code if code in {"AUTH_REQUIRED", "FORBIDDEN", "RATE_LIMITED"} else reason
        example = plain | {"status": "error", "message": plain["error"], "code": named, "reason": reason}
        example["retryable"] = status in {408, 429} or status >= 500
        schema: Schema = {"anyOf": [{"$ref": "#/components/schemas/EventRefusal"}, refusal]}
        return {"application/json": {"schema": schema, "example": example}}
    if family == "rpc":
        data = {"requestId": plain["requestId"], **_DATA.get(status, {})}
        problem = {"defined": False, "code": code, "status": status, "message": plain["error"], "data": data}
        schema = {"anyOf": [{"$ref": "#/components/schemas/RpcRefusal"}, refusal]}
        return {"application/json": {"schema": schema, "example": {"json": problem}}}
    if family == "ofrep":
        said = {"errorCode": _OFREP_CODES.get(status, "GENERAL"), "errorDetails": plain["error"], "metadata": {}}
        schema = {"anyOf": [{"$ref": "#/components/schemas/OfrepRefusal"}, refusal]}
        return {"application/json": {"schema": schema, "example": said}}
    if family == "mcp":
        error = {"jsonrpc": "2.0", "error": {"code": -32600, "message": plain["error"]}}
        schema = {"anyOf": [{"type": "object", "required": ["jsonrpc", "error"]}, refusal]}
        return {"application/json": {"schema": schema, "example": error}}
    content: Schema = {"application/json": {"schema": refusal, "example": plain}}
    if family in {"page", "link"}:
        content = {"text/html": {"schema": {"type": "string"}}, **content}
    return content


def headers() -> Schema:
    """The shared headers."""
    number = {"type": "integer"}
    return {
        "X-Request-ID": {"description": "The id of this request.", "schema": {"type": "string"}},
        "WWW-Authenticate": {
            "description": "Bearer, with the address of this server's protected-resource metadata.",
            "schema": {"type": "string"},
        },
        "X-Analytics-Box": {
            "description": "The result, such as `stored=3, dropped=1; reason=duplicate`. Stored events count, held "
            "events are quarantined because a bot sent them, dropped events are not stored.",
            "schema": {"type": "string"},
        },
        "Retry-After": {"description": "Seconds to wait before you try again.", "schema": number},
        "X-RateLimit-Limit": {"description": "Requests per 60 seconds.", "schema": number},
        "X-RateLimit-Remaining": {"description": "Remaining requests.", "schema": number},
        "X-RateLimit-Reset": {
            "description": "When the limit is fully restored, in Unix milliseconds.",
            "schema": number,
        },
    }
