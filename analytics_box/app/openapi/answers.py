"""The shapes of answers that are written as bytes: the health check, those of event routes, and refusals.

Specification 2.3, 2.4; wire 4.2, 4.3, 11.1, 11.2. Other handlers return their Structs.
"""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from analytics_box.base.errors import ErrorDetail, ResourceType
from analytics_box.web.answer import RequestId


class Health(Struct):
    status: Literal["ok"]


class EventsTaken(Struct):
    """The events are on disk."""

    status: Literal["success"]
    type: Literal["custom_event"]
    count: int
    requestId: RequestId


class PageEventTaken(Struct):
    """The event is on disk."""

    status: Literal["success"]
    type: Literal["track", "outgoing_link", "custom", "error", "web_vitals"]
    requestId: RequestId


class SpansTaken(Struct):
    """All of the list is on disk."""

    status: Literal["success"]
    type: Literal["web_vitals", "error", "engagement", "mcp"]
    count: int
    requestId: RequestId


class EventError(Struct):
    """The error of one field of an event."""

    code: str
    field: str
    message: str


class BatchItem(Struct):
    """The verdict on one event of a batch; with status success it is on disk."""

    status: Literal["success", "error"]
    type: str | UnsetType = UNSET
    eventId: str | UnsetType | None = UNSET
    message: str | UnsetType = UNSET
    code: str | UnsetType = UNSET
    eventType: str | UnsetType | None = UNSET
    error: str | UnsetType = UNSET
    errors: list[EventError] | UnsetType = UNSET


class IdentifyTaken(Struct):
    """Confirmation that the data is on disk."""

    status: Literal["success"]
    type: Literal["identify"]
    requestId: RequestId


class BatchTaken(Struct):
    status: Literal["success"]
    batch: Literal[True]
    processed: int
    results: list[BatchItem]
    requestId: RequestId


class RefusalData(Struct):
    """The facts of a refusal that programs decide by: the first two of NOT_FOUND; `feature` and `requiredPlan` of
    FEATURE_UNAVAILABLE; `feature`, `limit` and `current` of CONFLICT, if a limit is reached; the last of
    SERVICE_UNAVAILABLE."""

    resourceType: Annotated[ResourceType, Meta(description="The type of the missing resource.")] | UnsetType = UNSET
    resourceId: Annotated[str, Meta(description="The id of the missing resource, as sent.")] | UnsetType = UNSET
    feature: (
        Annotated[str, Meta(description="The feature that is missing from the plan, or whose limit is reached.")]
        | UnsetType
    ) = UNSET
    requiredPlan: Annotated[str, Meta(description="The first plan that includes the feature.")] | UnsetType = UNSET
    limit: Annotated[int, Meta(description="The limit.")] | UnsetType = UNSET
    current: Annotated[int, Meta(description="The current number.")] | UnsetType = UNSET
    retryAfter: Annotated[int, Meta(description="Seconds to wait before retrying.")] | UnsetType = UNSET


class Refusal(Struct):
    """The reason why a request was refused. The last four fields come with RATE_LIMITED."""

    success: Literal[False]
    error: Annotated[str, Meta(description="A message for humans.")]
    code: Annotated[str, Meta(description="A code for programs.")]
    requestId: RequestId
    reason: Annotated[str, Meta(description="A more specific code.")] | UnsetType = UNSET
    details: list[ErrorDetail] | UnsetType = UNSET
    data: RefusalData | UnsetType = UNSET
    limit: Annotated[int, Meta(description="Requests per window.")] | UnsetType = UNSET
    remaining: int | UnsetType = UNSET
    reset: Annotated[int, Meta(description="When the limit is fully restored, in Unix milliseconds.")] | UnsetType = (
        UNSET
    )
    retryAfter: Annotated[int, Meta(description="Seconds to wait before retrying.")] | UnsetType = UNSET


class EventRefusal(Struct):
    """The reason why events were refused. None of the request's events was stored."""

    success: Literal[False]
    status: Literal["error"]
    error: str
    message: str
    code: str
    reason: Annotated[str, Meta(description="A more specific code, such as TRACK_MISSING_SCOPE.")]
    retryable: Annotated[bool, Meta(description="true if the same request can succeed later.")]
    requestId: RequestId
    errors: list[EventError] | UnsetType = UNSET
    limit: int | UnsetType = UNSET
    remaining: int | UnsetType = UNSET
    reset: Annotated[int, Meta(description="When the limit is fully restored, in Unix milliseconds.")] | UnsetType = (
        UNSET
    )
    retryAfter: Annotated[int, Meta(description="Seconds to wait before retrying.")] | UnsetType = UNSET


class RpcProblem(Struct):
    """The error that an oRPC client throws."""

    defined: bool
    code: str
    status: int
    message: str
    data: dict[str, Any]


class RpcRefusal(Struct):
    """A refusal in the enveloped form."""

    json: RpcProblem


Schema = dict[str, Any]

NAMES: dict[str, Any] = {
    "websiteId": "YOUR-WEBSITE-ID",
    "organizationId": "YOUR-ORGANIZATION-ID",
    "email": "ada@example.com",
    "domain": "blog.example",
    "slug": "example",
    "name": "Example",
    "description": "What it is for",
    "timezone": "Europe/Berlin",
    "startDate": "2026-06-01",
    "endDate": "2026-06-30",
    "secret": "svc_YOUR-API-KEY",
    "scopes": ["read:data"],
    "role": "member",
    "id": "THE-ID",
}
ALSO = {"scopes", "isPublic", "enabled", "name"}  # optional fields that make an example more telling


def example(schema: Schema, components: Schema, *, whole: bool = False) -> Any:
    """A value that this schema takes: the fields it needs, or with `whole` every field."""
    schema = resolve(schema, components)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    if "examples" in schema:
        return schema["examples"][0]
    if "anyOf" in schema:
        chosen = next((part for part in schema["anyOf"] if part.get("type") != "null"), schema["anyOf"][0])
        return example(chosen, components, whole=whole)
    kind = schema.get("type")
    if kind == "object":
        return _fields(schema, components, whole=whole)
    if kind == "array":
        if not whole and not schema.get("minItems"):
            return []
        return [example(schema.get("items", {}), components, whole=whole)] * max(1, schema.get("minItems", 1))
    return _simple(kind, schema)


def _fields(schema: Schema, components: Schema, *, whole: bool) -> Schema:
    needed = set(schema.get("required", ()))
    found: Schema = {}
    for name, field in schema.get("properties", {}).items():
        if not (whole or name in needed or name in ALSO):
            continue
        known = NAMES.get(name)
        fitting = known is not None and _fits(known, resolve(field, components), components)
        found[name] = known if fitting else example(field, components, whole=whole)
    return found


def _fits(value: Any, schema: Schema, components: Schema) -> bool:
    if "anyOf" in schema:
        return any(_fits(value, resolve(part, components), components) for part in schema["anyOf"])
    if "enum" in schema:
        return value in schema["enum"]
    if schema.get("type") == "array":
        return isinstance(value, list) and all(
            _fits(item, resolve(schema.get("items", {}), components), components) for item in value
        )
    return schema.get("type", "string") == "string" and isinstance(value, str)


def _simple(kind: str | None, schema: Schema) -> Any:
    if kind == "string":
        if schema.get("format") in {"date-time", "date"}:
            return "2027-01-01T00:00:00.000Z" if schema["format"] == "date-time" else "2027-01-01"
        return "example".ljust(schema.get("minLength", 0), "e")[: schema.get("maxLength", 1000)]
    if kind in {"integer", "number"}:
        return schema.get("minimum", 1)
    return {"boolean": True, "null": None}.get(kind or "", {})


def resolve(schema: Schema, components: Schema) -> Schema:
    """The schema that a reference leads to."""
    while "$ref" in schema:
        schema = components[schema["$ref"].rpartition("/")[2]]
    return schema
