"""Output of POST /v1/query and /v1/query/compile, GET /v1/query/types and GET /v1/query/websites (wire 3.5 to 3.7)."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from analytics_box.query.catalog.types import Output
from analytics_box.query.imported import ImportedNote
from analytics_box.query.statements import CompiledEntry, CompiledStatement
from analytics_box.web.answer import RequestId


class WebsiteItem(Struct, frozen=True):
    """A website that the caller may read."""

    id: str
    name: str
    domain: str
    isPublic: bool
    createdAt: Annotated[str, Meta(description="ISO 8601 in UTC with milliseconds.")]


class WebsiteItems(Struct, frozen=True):
    success: Literal[True]
    websites: list[WebsiteItem]
    total: int
    requestId: RequestId


class TypeMeta(Struct, frozen=True):
    """The description of a query type, for people and for tools that draw it."""

    title: str
    description: str
    category: str
    tags: list[str]
    outputFields: list[str]
    output_fields: tuple[Output, ...]
    sortable: tuple[str, ...]
    default_visualization: Literal["table", "timeseries", "bar", "pie", "metric", "area", "line"]
    supports_granularity: tuple[str, ...]


class TypeConfig(Struct, frozen=True):
    """The inputs of a query type. `meta` is present with include_meta=true."""

    allowedFilters: tuple[str, ...]
    customizable: bool
    defaultLimit: int
    publicAccess: bool
    meta: TypeMeta | UnsetType = UNSET


class TypesAnswer(Struct, frozen=True):
    success: Literal[True]
    types: list[str]
    configs: dict[str, TypeConfig]
    presets: list[str]
    requestId: RequestId


class CompileAnswer(Struct, frozen=True):
    """The statements that a query would run. Without `data` for the body of a single type."""

    success: Literal[True]
    engine: str
    requestId: RequestId
    sql: Annotated[str, Meta(description="All statements as one text.")] | UnsetType = UNSET
    params: dict[str, Any] | UnsetType = UNSET
    statements: tuple[CompiledStatement, ...] | UnsetType = UNSET
    data: list[CompiledEntry] | UnsetType = UNSET


EncodedRows = Annotated[
    Raw,
    Meta(
        extra_json_schema={
            "type": "array",
            "items": {"type": "object", "description": "The fields depend on the query type; see Rows."},
        }
    ),
]


class EncodedComparison(Struct, frozen=True):
    """The rows of the earlier range (run.ComparisonAnswer)."""

    startDate: str
    endDate: str
    data: EncodedRows


class QueryEntry(Struct, frozen=True):
    """The answer to one parameter (run.ParameterAnswer), which succeeds or fails on its own; failed ones come last."""

    parameter: Annotated[str, Meta(description="The parameter's id, or its name.")]
    success: bool
    data: EncodedRows
    error: str | UnsetType = UNSET
    code: (
        Annotated[str, Meta(description="LIMIT_EXCEEDED: the response would be too large. Send a smaller query.")]
        | UnsetType
    ) = UNSET
    ignoredFilters: (
        Annotated[tuple[str, ...], Meta(description="Filter fields that this query type does not have.")] | UnsetType
    ) = UNSET
    comparison: EncodedComparison | UnsetType = UNSET
    imported: (
        Annotated[
            ImportedNote,
            Meta(description="The imported daily totals of the range, and whether the rows include them."),
        ]
        | UnsetType
    ) = UNSET


class QueryMeta(Struct, frozen=True):
    parameters: list[str]
    total_parameters: int
    page: int
    limit: int
    filters_applied: Annotated[int, Meta(description="The number of filters.")]


class QueryResult(Struct, frozen=True):
    """The result of one query in a batch."""

    queryId: str
    data: list[QueryEntry]
    meta: QueryMeta


class QueryAnswer(Struct, frozen=True):
    """The answer to one query. `success` says that the query was valid; each entry has its own."""

    success: Literal[True]
    queryId: Annotated[str, Meta(description="The query's id, or empty.")]
    data: list[QueryEntry]
    meta: QueryMeta
    requestId: RequestId


class QueryBatchAnswer(Struct, frozen=True):
    """The answer to an array of queries."""

    success: Literal[True]
    batch: Literal[True]
    results: list[QueryResult]
    requestId: RequestId
