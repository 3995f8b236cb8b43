"""Descriptions that the code lacks for addresses that are no procedures: bodies, answers, parameters, examples.

Procedures are described by their types. An address without a line here is described by its handler's docstring.
"""

from typing import Any

from msgspec import Struct

from analytics_box.app.openapi import answers
from analytics_box.app.openapi.refusals import Family
from analytics_box.app.watch.routes import ReadinessAnswer
from analytics_box.products.flags.serving import messages as flags
from analytics_box.products.monitors.push_routes import HeartbeatAccepted
from analytics_box.products.status_pages.picture_routes import UploadedPicture
from analytics_box.query.compatible import plausible_routes as plausible
from analytics_box.query.compatible import umami_routes as umami
from analytics_box.query.compiled import GivenCompile
from analytics_box.query.export_routes import DataExportRequest
from analytics_box.query.messages import CompileAnswer, QueryAnswer, QueryBatchAnswer, TypesAnswer, WebsiteItems
from analytics_box.query.request import GivenQuery

Schema = dict[str, Any]


class RouteDescription(Struct, frozen=True):
    """A line. `body` and `answer` are types; `media` is the answer's content type; `errors` are further statuses.

    With `most` the body is an array of up to so many of its type; `form` are the fields of one that is a form, `raw` is
    the content type of one that is just bytes.
    `moved` are redirects. `family` is the shape of refusals, if unusual.
    """

    tag: str
    summary: str
    text: str = ""
    parameters: tuple[Schema, ...] = ()
    body: Any = None
    most: int = 0
    answer: Any = None
    or_answer: Any = None
    media: str = "application/json"
    errors: tuple[int, ...] = ()
    empty: dict[int, str] = {}  # answers without a body
    moved: dict[int, str] = {}
    form: dict[str, str] = {}
    raw: str = ""
    family: Family | None = None
    examples: dict[str, Any] = {}


def query_parameter(name: str, text: str, **schema: Any) -> Schema:
    """A parameter in the address."""
    return {"name": name, "in": "query", "description": text, "schema": {"type": "string", **schema}}


WEBSITE = "YOUR-WEBSITE-ID"
_PLAUSIBLE = (
    query_parameter("site_id", "The website's id or domain, or an alias of it."),
    query_parameter("timezone", "IANA time zone of dates.", default="UTC"),
)
_STATS = (
    *_PLAUSIBLE,
    query_parameter("period", "day, month, custom, or a number of days or months such as 7d or 6mo.", default="30d"),
    query_parameter("date", "The last day of the period; with custom the first and last day, separated by a comma."),
    query_parameter("metrics", "Metrics, separated by commas.", default="visitors"),
    query_parameter("filters", "Filters such as visit:source==Google, separated by semicolons."),
)
_UMAMI = (
    query_parameter("startAt", "Start of the range, UTC milliseconds."),
    query_parameter("endAt", "End of the range, included, UTC milliseconds."),
    query_parameter("timezone", "IANA time zone of days.", default="UTC"),
    query_parameter("path", "Shows only this page. Other filters are named as the types of metrics."),
)
_CACHED = {304: "The file has not changed (If-None-Match)."}

ROUTES: dict[tuple[str, str], RouteDescription] = {
    ("GET", "/health"): RouteDescription("Box", "Check that the server is running", answer=answers.Health),
    ("GET", "/health/ready"): RouteDescription(
        "Box",
        "Check that the server is ready",
        text="Returns 503 if a database is missing or cannot be written, or if the disk is nearly full; see `reason`.",
        answer=ReadinessAnswer,
        errors=(503,),
    ),
    ("GET", "/metrics"): RouteDescription(
        "Box",
        "Prometheus metrics",
        text="Enable the setting metrics. Needs the token in metrics_token_file, or a request from this machine.",
        answer=str,
        media="text/plain",
        errors=(401, 404),
    ),
    ("GET", "/script.js"): RouteDescription(
        "Files", "The tracking script", answer=str, media="text/javascript", empty=_CACHED
    ),
    ("GET", "/databuddy.js"): RouteDescription(
        "Files", "The tracking script, under its other name", answer=str, media="text/javascript", empty=_CACHED
    ),
    ("GET", "/databuddy-debug.js"): RouteDescription(
        "Files", "The tracking script, readable and with comments", answer=str, media="text/javascript", empty=_CACHED
    ),
    ("GET", "/parts.js"): RouteDescription(
        "Files", "The tracking script's optional parts", answer=str, media="text/javascript", empty=_CACHED
    ),
    ("GET", "/parts/{part}"): RouteDescription(
        "Files",
        "An optional part of the tracking script",
        answer=str,
        media="text/javascript",
        errors=(404,),
        empty=_CACHED,
    ),
    ("GET", "/static/{file}"): RouteDescription(
        "Files", "A stylesheet, script or image", answer=bytes, media="*/*", errors=(404,), empty=_CACHED
    ),
    ("GET", "/favicon.ico"): RouteDescription("Files", "The favicon", answer=str, media="image/svg+xml", empty=_CACHED),
    ("GET", "/logos/{organization_id}/{digest}"): RouteDescription(
        "Files",
        "Download the organization's logo",
        text="Get the address from `logo` in responses of organizations.*. It changes with the image.",
        answer=bytes,
        media="image/*",
        errors=(401, 403, 404),
        empty=_CACHED,
    ),
    ("GET", "/links/{link_id}/qr/{form}"): RouteDescription(
        "links",
        "Download a short link as a QR code",
        text="`form` is svg or png.",
        parameters=(
            query_parameter("scale", "Pixels per module", type="integer", minimum=1, maximum=40),
            query_parameter("download", "Any value makes browsers download the image"),
        ),
        answer=bytes,
        media="image/*",
        errors=(400, 401, 403, 404),
    ),
    ("GET", "/links/export/{form}"): RouteDescription(
        "links",
        "Export all links in the format of links.import",
        text="`form` is csv or json. Passwords are left out.",
        parameters=(query_parameter("folderId", "Only the links of this folder"),),
        answer=str,
        media="text/csv",
        errors=(401, 403, 404),
    ),
    **{
        (method, "/push/{token}"): RouteDescription(
            "uptime",
            "Send a heartbeat",
            text="`token` is the last part of the monitor's push URL. No other credential is needed.",
            parameters=(
                query_parameter("status", "The state of the job; up by default", enum=["up", "down"]),
                query_parameter("msg", "A message of up to 200 characters"),
            ),
            answer=HeartbeatAccepted,
            errors=(400, 404, 503),
        )
        for method in ("GET", "POST")
    },
    ("PUT", "/status-pages/uploads/{token}"): RouteDescription(
        "statusPage",
        "Upload a logo or favicon of a status page",
        text="Get the address from statusPage.createAssetUploadUrl. Send a PNG, JPEG or WebP image of up to 512 KB as "
        "the body. The page shows it immediately.",
        raw="image/*",
        answer=UploadedPicture,
        errors=(400, 403, 404, 413, 503),
    ),
    ("GET", "/public/v1/flags/definitions"): RouteDescription(
        "flags",
        "List flag definitions",
        text="Newest first, active or not. Flags for single users are left out.",
        parameters=(
            query_parameter("clientId", "A website's id or client id, or an organization's id."),
            query_parameter("environment", "Returns only flags of this environment; by default, flags without one."),
        ),
        answer=flags.FlagDefinitionsAnswer,
        errors=(422,),
    ),
    ("POST", "/public/v1/flags"): RouteDescription(
        "flags", "Create a flag", body=flags.CreateFlagByKey, answer=flags.FlagByKeyAnswer, errors=(409, 422)
    ),
    ("PATCH", "/public/v1/flags/{flag_id}"): RouteDescription(
        "flags",
        "Update a flag",
        text="Omitted fields keep their values.",
        body=flags.UpdateFlagByKey,
        answer=flags.FlagByKeyAnswer,
        errors=(404, 409, 422),
    ),
    ("DELETE", "/public/v1/flags/{flag_id}"): RouteDescription(
        "flags",
        "Delete a flag",
        text="The flag is archived, and no route returns it.",
        parameters=(query_parameter("clientId", "A website's id or client id, or an organization's id."),),
        answer=flags.DeletedByKey,
        errors=(404, 422),
    ),
    ("GET", "/openapi.json"): RouteDescription("Box", "Get this document", answer=dict[str, Any]),
    ("GET", "/.well-known/api-catalog"): RouteDescription(
        "Discovery",
        "Get the API catalog (RFC 9727)",
        answer=dict[str, Any],
        media="application/linkset+json",
    ),
    ("GET", "/.well-known/mcp.json"): RouteDescription(
        "Discovery", "Get the address of the MCP server", answer=dict[str, Any]
    ),
    ("GET", "/llms.txt"): RouteDescription(
        "Discovery", "Get the list of the manual's pages for assistants", answer=str, media="text/markdown"
    ),
    ("GET", "/docs/llms.txt"): RouteDescription(
        "Discovery", "Get the list of the manual's pages, at another address", answer=str, media="text/markdown"
    ),
    ("GET", "/docs/llms-full.txt"): RouteDescription(
        "Discovery", "Get the whole manual as Markdown", answer=str, media="text/markdown"
    ),
    ("POST", "/v1/mcp"): RouteDescription(
        "Discovery",
        "Call the MCP server",
        text="JSON-RPC messages of the Model Context Protocol over streamable HTTP, without sessions. Connect an "
        "assistant as described in the manual instead of calling it yourself.",
        body=dict[str, Any],
        answer=dict[str, Any],
        empty={202: "A notification was accepted."},
        errors=(404,),
        family="mcp",
    ),
    ("GET", "/.well-known/oauth-protected-resource"): RouteDescription(
        "Discovery", "Get the authentication methods (RFC 9728)", answer=dict[str, Any]
    ),
    ("GET", "/.well-known/oauth-protected-resource/{suffix}"): RouteDescription(
        "Discovery", "Get the authentication methods of a part of the server", answer=dict[str, Any], errors=(404,)
    ),
    ("POST", "/v1/query"): RouteDescription(
        "Queries",
        "Query data",
        "Send one query, or an array of up to 20. Each parameter is a query type and succeeds or fails on its own. "
        "Select the data with website_id, link_id, schedule_id or organization_id; the default is the organization of "
        "the session or of a global key. Links need a key with global access. Monitors need a key with read:monitors "
        "or read:data that is global or includes the monitor's website. "
        "Without a credential, you can query public websites with public query types. Values of events (properties, "
        "error messages, outgoing links) also require publicValues of websites.togglePublic; otherwise filters on "
        "query_string, message, href, text, event_property and outgoing_link are ignored. Filters on session_id, flag "
        "and link are always ignored. "
        "A request can return 16 MB and 100,000 rows; without a credential 2 MB, 2,000 rows and 20 parameters. A "
        "parameter beyond that fails alone with the code LIMIT_EXCEEDED. Use POST /v1/export/data to get everything.",
        parameters=(
            query_parameter("website_id", "The website.", example=WEBSITE),
            query_parameter("link_id", "The short link."),
            query_parameter("schedule_id", "The monitor."),
            query_parameter("organization_id", "The organization."),
            query_parameter("timezone", "IANA time zone of dates. Overrides timeZone.", default="UTC"),
        ),
        body=GivenQuery | list[GivenQuery],
        answer=QueryAnswer,
        or_answer=QueryBatchAnswer,
        errors=(402, 422),
        examples={
            "seven days": {"parameters": ["summary_metrics", "top_pages"], "preset": "last_7d"},
            "hours of one day, filtered": {
                "id": "yesterday by the hour",
                "parameters": [{"name": "events_by_date", "granularity": "hourly"}, "traffic_sources"],
                "startDate": "2026-06-16",
                "endDate": "2026-06-16",
                "filters": [{"field": "path", "op": "starts_with", "value": "/blog"}],
                "limit": 50,
            },
            "a batch": [
                {"id": "today", "parameters": ["summary_totals"], "preset": "today"},
                {"id": "yesterday", "parameters": ["summary_totals"], "preset": "yesterday"},
            ],
        },
    ),
    ("POST", "/v1/query/compile"): RouteDescription(
        "Queries",
        "Show the SQL of a query",
        "Returns the SQL statements with their named parameters and engine. Nothing is executed. Send the body of "
        "POST /v1/query, or projectId, type, from and to.",
        parameters=(
            query_parameter("website_id", "The website.", example=WEBSITE),
            query_parameter("organization_id", "The organization."),
            query_parameter("timezone", "IANA time zone of dates. Overrides timeZone.", default="UTC"),
        ),
        body=GivenQuery | GivenCompile,
        answer=CompileAnswer,
        errors=(402, 422),
        examples={
            "a query": {"parameters": ["top_pages"], "preset": "last_7d"},
            "one type by month": {
                "projectId": WEBSITE,
                "type": "summary_metrics",
                "from": "2026-01-01",
                "to": "2026-06-30",
                "timeUnit": "month",
            },
        },
    ),
    ("POST", "/v1/export/data"): RouteDescription(
        "Queries",
        "Export a website's data",
        "Returns a ZIP archive with a file each for events, vitals, errors, outgoing links and engagement. The range "
        "can have a year and start up to two years ago; the default is the last 30 days. Bots are excluded.",
        body=DataExportRequest,
        answer=bytes,
        media="application/zip",
        errors=(422,),
        examples={"a month": {"website_id": WEBSITE, "start_date": "2026-06-01", "end_date": "2026-06-30"}},
    ),
    ("GET", "/v1/query/types"): RouteDescription(
        "Queries",
        "List query types",
        parameters=(query_parameter("include_meta", "Includes the fields of the rows.", enum=["true", "false"]),),
        answer=TypesAnswer,
    ),
    ("GET", "/v1/query/websites"): RouteDescription(
        "Queries", "List the websites that the caller can read", answer=WebsiteItems
    ),
    ("POST", "/api/v2/query"): RouteDescription(
        "Queries",
        "Query data in Plausible's format",
        "Takes a subset of version 2 of Plausible's stats API. What cannot be answered is refused with 400.",
        parameters=_PLAUSIBLE[1:],
        body=plausible.PlausibleQuery,
        answer=plausible.PlausibleAnswer,
        errors=(422,),
        examples={
            "sources": {
                "site_id": "shop.example",
                "metrics": ["visitors", "bounce_rate"],
                "date_range": "7d",
                "dimensions": ["visit:source"],
                "filters": [["is", "visit:country", ["DE"]]],
            }
        },
    ),
    ("GET", "/api/v1/stats/aggregate"): RouteDescription(
        "Queries",
        "Get totals in Plausible's format",
        parameters=(*_STATS, query_parameter("compare", "Adds the change in percent.", enum=["previous_period"])),
        answer=plausible.PlausibleTotals,
    ),
    ("GET", "/api/v1/stats/timeseries"): RouteDescription(
        "Queries",
        "Get a series in Plausible's format",
        parameters=(
            *_STATS,
            query_parameter("interval", "Width of the buckets.", enum=["hour", "day", "week", "month"]),
        ),
        answer=plausible.PlausibleRows,
    ),
    ("GET", "/api/v1/stats/breakdown"): RouteDescription(
        "Queries",
        "Get a breakdown in Plausible's format",
        parameters=(
            *_STATS,
            query_parameter("property", "The dimension, such as event:page."),
            query_parameter("limit", "Rows per page, up to 1,000.", default="100"),
            query_parameter("page", "The page, starting at 1.", default="1"),
        ),
        answer=plausible.PlausibleRows,
    ),
    ("GET", "/api/v1/stats/realtime/visitors"): RouteDescription(
        "Queries", "Get current visitors in Plausible's format", parameters=_PLAUSIBLE[:1], answer=int
    ),
    ("GET", "/api/websites"): RouteDescription(
        "Queries",
        "List websites in Umami's format",
        parameters=(
            query_parameter("search", "Part of a name or domain."),
            query_parameter("page", "The page, starting at 1.", default="1"),
            query_parameter("pageSize", "Websites per page.", default="20"),
        ),
        answer=umami.UmamiWebsites,
    ),
    ("GET", "/api/websites/{website_id}/metrics/expanded"): RouteDescription(
        "Queries",
        "Get a breakdown with totals in Umami's format",
        parameters=(
            *_UMAMI,
            query_parameter("type", "The dimension, such as browser."),
            query_parameter("limit", "The number of rows.", default="500"),
            query_parameter("offset", "Rows to skip.", default="0"),
        ),
        answer=list[umami.UmamiDetails],
    ),
    ("GET", "/api/websites/{website_id}/stats"): RouteDescription(
        "Queries",
        "Get totals in Umami's format",
        parameters=(*_UMAMI, query_parameter("compare", "The range to compare with.", enum=["prev", "yoy"])),
        answer=umami.UmamiStats,
    ),
    ("GET", "/api/websites/{website_id}/pageviews"): RouteDescription(
        "Queries",
        "Get a series in Umami's format",
        parameters=(*_UMAMI, query_parameter("unit", "Width of the buckets.", enum=["minute", "hour", "day", "month"])),
        answer=umami.UmamiSeries,
    ),
    ("GET", "/api/websites/{website_id}/metrics"): RouteDescription(
        "Queries",
        "Get a breakdown in Umami's format",
        parameters=(
            *_UMAMI,
            query_parameter("type", "The dimension, such as path, referrer or country."),
            query_parameter("limit", "Rows, up to 10,000.", default="500"),
            query_parameter("offset", "Rows to skip.", default="0"),
        ),
        answer=list[umami.UmamiPoint],
    ),
    ("GET", "/api/websites/{website_id}/active"): RouteDescription(
        "Queries", "Get current visitors in Umami's format", answer=umami.UmamiActive
    ),
}

UPLOADS = {"/settings/organization/logo": "image"}  # forms with a file, and its field

# What schemas made from types cannot say: Struct → field → what to add.
FIELDS: dict[str, dict[str, Schema]] = {
    "GivenQuery": {
        "parameters": {"description": "Query types, as names or objects.", "minItems": 1, "maxItems": 50},
        "startDate": {"description": "First day, YYYY-MM-DD. Required without a preset."},
        "endDate": {"description": "Last day, included. Required without a preset."},
        "preset": {"description": "A named range. Overrides dates."},
        "id": {"description": "Returned as queryId."},
        "limit": {
            "description": "Rows per parameter, 1 to 10,000. Default: 100. A request can return 100,000 rows in total."
        },
        "page": {"description": "The page, starting at 1."},
        "filters": {"description": "All filters must match."},
        "granularity": {"description": "For series. hourly is limited to 30 days. Default: daily."},
        "sortBy": {"description": "A field that the type's meta lists as sortable."},
        "sortOrder": {"description": "Default: descending. Unknown values are always last."},
        "timeZone": {"description": "IANA time zone of dates. Default: UTC."},
        "comparison": {"description": "Adds the rows of an earlier range to each entry."},
    },
    "GivenCompile": {
        "projectId": {"description": "The website."},
        "type": {"description": "A query type."},
        "from": {"description": "First day, YYYY-MM-DD."},
        "to": {"description": "Last day, included."},
        "timeUnit": {"description": "The interval of a series. Default: day."},
        "groupBy": {"description": "Dimensions that replace the type's own."},
        "orderBy": {"description": "A field of the rows, followed by asc or desc."},
    },
    "DataExportRequest": {
        "website_id": {"description": "The website."},
        "start_date": {"description": "First day, YYYY-MM-DD."},
        "end_date": {"description": "Last day, included. Default: today."},
        "format": {"description": "csv, json or ndjson."},
        "timezone": {"description": "IANA time zone of dates. Default: UTC."},
    },
    "GivenParameter": {
        "name": {"description": "A query type; GET /v1/query/types lists them."},
        "start_date": {"description": "YYYY-MM-DD. Overrides the query's."},
        "end_date": {"description": "YYYY-MM-DD. Overrides the query's."},
        "id": {"description": "The name of this entry in the response."},
        "granularity": {"description": "Overrides the query's."},
    },
    "QueryFilterInput": {
        "field": {"description": "One of the type's allowedFilters."},
        "value": {"description": "A list for in and not_in."},
    },
}
