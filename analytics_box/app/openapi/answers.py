"""The shapes of answers that handlers write as they go. Procedures have their own.

Specification 2.3, 2.4, 2.9; wire 3.5, 3.6, 4.2, 4.3, 11.1, 11.2.
"""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field

from analytics_box.base.errors import ErrorDetail, ResourceType

RequestId = Annotated[str, Meta(description="The id of this request, also in the header X-Request-ID.")]
Row = Annotated[dict[str, Any], Meta(description="The fields depend on the query type; see Rows.")]


class Health(Struct):
    status: Literal["ok"]


class Ready(Struct):
    status: Literal["ok"]


class HeartbeatAccepted(Struct):
    """The heartbeat was accepted."""

    ok: Literal[True]
    requestId: RequestId


class UploadedPicture(Struct):
    """The new address of a picture."""

    url: str
    requestId: RequestId


class WebsiteItem(Struct):
    """A website that the caller may read."""

    id: str
    name: str
    domain: str
    isPublic: bool
    createdAt: Annotated[str, Meta(description="ISO 8601 in UTC with milliseconds.")]


class WebsiteItems(Struct):
    success: Literal[True]
    websites: list[WebsiteItem]
    total: int
    requestId: RequestId


class TypeOutput(Struct):
    """A field of a query type's rows."""

    name: str
    type: Literal["string", "number", "boolean", "date", "datetime", "json"]
    description: str | UnsetType = UNSET
    unit: str | UnsetType = UNSET


class TypeMeta(Struct):
    """The description of a query type, for people and for tools that draw it."""

    title: str
    description: str
    category: str
    tags: list[str]
    outputFields: list[str]
    output_fields: list[TypeOutput]
    sortable: list[str]
    default_visualization: Literal["table", "timeseries", "bar", "pie", "metric", "area", "line"]
    supports_granularity: list[str]


class TypeConfig(Struct):
    """The inputs of a query type. `meta` is present with include_meta=true."""

    allowedFilters: list[str]
    customizable: bool
    defaultLimit: int
    publicAccess: bool
    meta: TypeMeta | UnsetType = UNSET


class TypesAnswer(Struct):
    success: Literal[True]
    types: list[str]
    configs: dict[str, TypeConfig]
    presets: list[str]
    requestId: RequestId


class QueryEntry(Struct):
    """The answer to one parameter, which succeeds or fails on its own; failed ones come last."""

    parameter: Annotated[str, Meta(description="The parameter's id, or its name.")]
    success: bool
    data: list[Row]
    error: str | UnsetType = UNSET
    code: (
        Annotated[
            Literal["LIMIT_EXCEEDED"],
            Meta(description="The response would be too large. The error suggests a smaller query."),
        ]
        | UnsetType
    ) = UNSET
    comparison: (
        Annotated[dict[str, Any], Meta(description="startDate, endDate and data of the earlier range, if requested.")]
        | UnsetType
    ) = UNSET
    ignoredFilters: (
        Annotated[list[str], Meta(description="Filter fields that this query type does not have.")] | UnsetType
    ) = UNSET


class CompiledPart(Struct):
    """A part of a statement's range, in UTC, and what it is read from."""

    from_: str = field(name="from")
    until: str
    read: Literal["rollups", "rows"]


class CompiledStatement(Struct):
    """A statement with its named parameters."""

    sql: str
    params: dict[str, Any]
    engine: Annotated[str, Meta(description="sqlite, duckdb or clickhouse.")]
    why: Annotated[str, Meta(description="The reason for this engine.")]
    follows: (
        Annotated[int, Meta(description="The number (from 1) of the statement that this one depends on.")] | UnsetType
    ) = UNSET
    open: Annotated[list[str], Meta(description="Parameters that depend on that statement; null here.")] | UnsetType = (
        UNSET
    )
    note: Annotated[str, Meta(description="The purpose of the statement.")] | UnsetType = UNSET
    parts: (
        Annotated[list[CompiledPart], Meta(description="Parts of its range, if some are read from roll-ups.")]
        | UnsetType
    ) = UNSET


class CompiledEntry(Struct):
    """The statements that one parameter would run."""

    parameter: str
    success: bool
    engine: str
    sql: str
    params: dict[str, Any]
    statements: list[CompiledStatement]
    error: str | UnsetType = UNSET
    ignoredFilters: list[str] | UnsetType = UNSET


class CompileAnswer(Struct):
    """The statements that a query would run. Without `data` for the body of a single type."""

    success: Literal[True]
    engine: str
    requestId: RequestId
    sql: Annotated[str, Meta(description="All statements as one text.")] | UnsetType = UNSET
    params: dict[str, Any] | UnsetType = UNSET
    statements: list[CompiledStatement] | UnsetType = UNSET
    data: list[CompiledEntry] | UnsetType = UNSET


class QueryMeta(Struct):
    parameters: list[str]
    total_parameters: int
    page: int
    limit: int
    filters_applied: Annotated[int, Meta(description="The number of filters.")]


class QueryResult(Struct):
    """The result of one query in a batch."""

    queryId: str
    data: list[QueryEntry]
    meta: QueryMeta


class QueryAnswer(Struct):
    """The answer to one query. `success` says that the query was valid; each entry has its own."""

    success: Literal[True]
    queryId: Annotated[str, Meta(description="The query's id, or empty.")]
    data: list[QueryEntry]
    meta: QueryMeta
    requestId: RequestId


class QueryBatchAnswer(Struct):
    """The answer to an array of queries."""

    success: Literal[True]
    batch: Literal[True]
    results: list[QueryResult]
    requestId: RequestId


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
    type: Literal["web_vitals", "error", "engagement"]
    count: int
    requestId: RequestId


class IdentifyAccepted(Struct):
    """Confirmation that the data is on disk."""

    status: Literal["success"]
    type: Literal["identify"]
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
