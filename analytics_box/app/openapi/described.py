"""Descriptions that the code lacks for addresses that are no procedures: bodies, answers, parameters, examples.

Procedures are described by their types. An address without a line here is described by its handler's docstring.
"""

from typing import Any

from msgspec import Struct

from analytics_box.app.openapi import answers
from analytics_box.products.flags.serving import messages as flags
from analytics_box.query.compiled import GivenCompile
from analytics_box.query.export_routes import DataExportRequest
from analytics_box.query.request import GivenQuery

Schema = dict[str, Any]


class RouteDescription(Struct, frozen=True):
    """A line. `body` and `answer` are types; `media` is the answer's content type; `errors` are further statuses.

    With `most` the body is an array of up to so many of its type; `form` are the fields of one that is a form, `raw` is
    the content type of one that is just bytes.
    `moved` are redirects.
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
    examples: dict[str, Any] = {}


def query_parameter(name: str, text: str, **schema: Any) -> Schema:
    """A parameter in the address."""
    return {"name": name, "in": "query", "description": text, "schema": {"type": "string", **schema}}


WEBSITE = "YOUR-WEBSITE-ID"
_CACHED = {304: "The file has not changed (If-None-Match)."}

ROUTES: dict[tuple[str, str], RouteDescription] = {
    ("GET", "/health"): RouteDescription("Box", "Whether the box serves", answer=answers.Health),
    ("GET", "/health/ready"): RouteDescription(
        "Box",
        "Whether the box can do its work",
        text="503 when a database is gone or cannot be written, or when the disk is nearly full; `reason` says which.",
        answer=answers.Ready,
        errors=(503,),
    ),
    ("GET", "/metrics"): RouteDescription(
        "Box",
        "Figures for Prometheus",
        text="Off unless the setting metrics is on; then by the token of metrics_token_file, or on this machine.",
        answer=str,
        media="text/plain",
        errors=(401, 404),
    ),
    ("GET", "/script.js"): RouteDescription(
        "Files", "The script that counts page views", answer=str, media="text/javascript", empty=_CACHED
    ),
    ("GET", "/databuddy.js"): RouteDescription(
        "Files", "The same script under its other name", answer=str, media="text/javascript", empty=_CACHED
    ),
    ("GET", "/databuddy-debug.js"): RouteDescription(
        "Files", "The same script to read, which explains itself", answer=str, media="text/javascript", empty=_CACHED
    ),
    ("GET", "/parts.js"): RouteDescription(
        "Files", "What the script needs for its options", answer=str, media="text/javascript", empty=_CACHED
    ),
    ("GET", "/parts/{part}"): RouteDescription(
        "Files", "A part of the script", answer=str, media="text/javascript", errors=(404,), empty=_CACHED
    ),
    ("GET", "/static/{file}"): RouteDescription(
        "Files", "A style, script or picture of the pages", answer=bytes, media="*/*", errors=(404,), empty=_CACHED
    ),
    ("GET", "/favicon.ico"): RouteDescription(
        "Files", "The icon of the pages", answer=str, media="image/svg+xml", empty=_CACHED
    ),
    ("GET", "/logos/{organization_id}/{digest}"): RouteDescription(
        "Files",
        "The logo of the caller's organization",
        text="Its address is `logo` in the answers of organizations.*; another picture has another address.",
        answer=bytes,
        media="image/*",
        errors=(401, 403, 404),
        empty=_CACHED,
    ),
    ("GET", "/links/{link_id}/qr/{form}"): RouteDescription(
        "links",
        "A short address as a QR code",
        text="`form` is svg or png.",
        parameters=(
            query_parameter("scale", "Pixels of a module", type="integer", minimum=1, maximum=40),
            query_parameter("download", "Anything here makes browsers save it"),
        ),
        answer=bytes,
        media="image/*",
        errors=(400, 401, 403, 404),
    ),
    ("GET", "/links/export/{form}"): RouteDescription(
        "links",
        "All links of the organization as a file that links.import takes",
        text="`form` is csv or json; an answer of json is a list of the same fields. Passwords are not in it.",
        parameters=(query_parameter("folderId", "Only the links of this folder"),),
        answer=str,
        media="text/csv",
        errors=(401, 403, 404),
    ),
    **{
        (method, "/push/{token}"): RouteDescription(
            "uptime",
            "Tell a monitor of the kind push how things are",
            text="`token` is the end of the monitor's push URL. Nothing else is asked for.",
            parameters=(
                query_parameter("status", "How things are; up unless it is said", enum=["up", "down"]),
                query_parameter("msg", "A message for people; 200 characters of it are kept"),
            ),
            answer=answers.HeartbeatAccepted,
            errors=(400, 404, 503),
        )
        for method in ("GET", "POST")
    },
    ("PUT", "/status-pages/uploads/{token}"): RouteDescription(
        "statusPage",
        "Upload a logo or favicon of a status page",
        text="The address is that of statusPage.createAssetUploadUrl; the body are the bytes of a PNG, JPEG or WebP "
        "picture of at most 512 KB. The page has it at once.",
        raw="image/*",
        answer=answers.UploadedPicture,
        errors=(400, 403, 404, 413, 503),
    ),
    ("GET", "/public/v1/flags/definitions"): RouteDescription(
        "flags",
        "All flags of an environment as they are defined",
        text="The newest first, active or not; flags of single users are left out.",
        parameters=(
            query_parameter("clientId", "A website's id or client id, or an organization's id."),
            query_parameter("environment", "Only flags of this environment; without it, those of none."),
        ),
        answer=flags.FlagDefinitionsAnswer,
        errors=(422,),
    ),
    ("POST", "/public/v1/flags"): RouteDescription(
        "flags", "Create a flag", body=flags.CreateFlagByKey, answer=flags.FlagByKeyAnswer, errors=(409, 422)
    ),
    ("PATCH", "/public/v1/flags/{flag_id}"): RouteDescription(
        "flags",
        "Change a flag",
        text="What is not given stays.",
        body=flags.UpdateFlagByKey,
        answer=flags.FlagByKeyAnswer,
        errors=(404, 409, 422),
    ),
    ("DELETE", "/public/v1/flags/{flag_id}"): RouteDescription(
        "flags",
        "Delete a flag",
        text="It is archived, and no route finds it any more.",
        parameters=(query_parameter("clientId", "A website's id or client id, or an organization's id."),),
        answer=flags.DeletedByKey,
        errors=(404, 422),
    ),
    ("GET", "/openapi.json"): RouteDescription("Box", "This document", answer=dict[str, Any]),
    ("GET", "/.well-known/api-catalog"): RouteDescription(
        "Discovery",
        "Where this box's API is described (RFC 9727)",
        answer=dict[str, Any],
        media="application/linkset+json",
    ),
    ("GET", "/.well-known/oauth-protected-resource"): RouteDescription(
        "Discovery", "How to authenticate (RFC 9728)", answer=dict[str, Any]
    ),
    ("GET", "/.well-known/oauth-protected-resource/{suffix}"): RouteDescription(
        "Discovery", "The same for a part of the box", answer=dict[str, Any], errors=(404,)
    ),
    ("POST", "/v1/query"): RouteDescription(
        "Queries",
        "Ask questions about websites",
        "One query, or an array of up to 20. Each parameter is a query type and succeeds or fails on its own. One of "
        "website_id, link_id, schedule_id and organization_id is needed unless the session or a global key supplies "
        "an organization. Without a credential only public query types of public websites are answered; those that "
        "show what events carried (values of properties, messages of errors, outgoing links) only where the website "
        "publishes values, too (publicValues of websites.togglePublic). Where it does not, filters on query_string, "
        "message, href, text, event_property and outgoing_link are left aside like any that a type does not allow; "
        "filters on session_id, flag and link always are. "
        "Questions about a link need a key with global access. Those about a monitor need one with read:monitors or "
        "read:data that is global or reaches the monitor's website; read:monitors alone reads nothing else. The answer "
        "to one request, all queries of a batch together, may take 16 MB and ask for 100,000 rows, the limits of its "
        "parameters together; without a credential 2 MB, 2,000 rows and 20 parameters. A "
        "parameter beyond that fails alone with the code LIMIT_EXCEEDED and says what to ask instead. POST "
        "/v1/export/data hands out everything.",
        parameters=(
            query_parameter("website_id", "The website to ask about.", example=WEBSITE),
            query_parameter("link_id", "The short link to ask about."),
            query_parameter("schedule_id", "The monitor to ask about."),
            query_parameter("organization_id", "The organization to ask about."),
            query_parameter("timezone", "IANA zone of dates; wins over timeZone.", default="UTC"),
        ),
        body=GivenQuery | list[GivenQuery],
        answer=answers.QueryAnswer,
        or_answer=answers.QueryBatchAnswer,
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
        "What a query would run",
        "The SQL statements with their named parameters, and the engine that would run them; nothing is executed. The "
        "body is that of POST /v1/query, or one type with projectId, type, from and to.",
        parameters=(
            query_parameter("website_id", "The website to ask about.", example=WEBSITE),
            query_parameter("organization_id", "The organization to ask about."),
            query_parameter("timezone", "IANA zone of dates; wins over timeZone.", default="UTC"),
        ),
        body=GivenQuery | GivenCompile,
        answer=answers.CompileAnswer,
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
        "Take the facts of a website away",
        "A ZIP archive with a file for each kind of facts: events, vitals, errors, outgoing links and engagement. An "
        "archive holds a year at most and begins two years ago at the earliest; without dates it holds the last 30 "
        "days. Bots are left out.",
        body=DataExportRequest,
        answer=bytes,
        media="application/zip",
        errors=(422,),
        examples={"a month": {"website_id": WEBSITE, "start_date": "2026-06-01", "end_date": "2026-06-30"}},
    ),
    ("GET", "/v1/query/types"): RouteDescription(
        "Queries",
        "All query types",
        parameters=(query_parameter("include_meta", "Also what the rows hold.", enum=["true", "false"]),),
        answer=answers.TypesAnswer,
    ),
    ("GET", "/v1/query/websites"): RouteDescription(
        "Queries", "The websites that the caller may read", answer=answers.WebsiteItems
    ),
}

UPLOADS = {"/settings/organization/logo": "image"}  # forms with a file, and its field

# What schemas made from types cannot say: Struct → field → what to add.
FIELDS: dict[str, dict[str, Schema]] = {
    "GivenQuery": {
        "parameters": {"description": "Query types by name, or as objects.", "minItems": 1, "maxItems": 50},
        "startDate": {"description": "First day, YYYY-MM-DD; needed without a preset."},
        "endDate": {"description": "Last day, included; needed without a preset."},
        "preset": {"description": "A range by name; wins over dates."},
        "id": {"description": "Comes back as queryId."},
        "limit": {"description": "Rows per parameter, 1 to 10000; 100 unless given; 100,000 in all of a request."},
        "page": {"description": "From 1 on."},
        "filters": {"description": "All have to match."},
        "granularity": {"description": "Of series; hourly for at most 30 days. Daily unless given."},
        "sortBy": {
            "description": "A field of the rows that the type's meta lists as sortable; in the order of what is shown."
        },
        "sortOrder": {"description": "Descending unless asc. What is unknown comes last both ways."},
        "timeZone": {"description": "IANA zone of dates; UTC unless given."},
        "comparison": {"description": "Adds the rows of an earlier range to each entry."},
    },
    "GivenCompile": {
        "projectId": {"description": "The website."},
        "type": {"description": "A query type."},
        "from": {"description": "First day, YYYY-MM-DD."},
        "to": {"description": "Last day, included."},
        "timeUnit": {"description": "Width of the buckets of a series; a day unless given."},
        "groupBy": {"description": "Dimensions in place of the type's own."},
        "orderBy": {"description": "A field of the rows, then asc or desc."},
    },
    "DataExportRequest": {
        "website_id": {"description": "The website."},
        "start_date": {"description": "First day, YYYY-MM-DD."},
        "end_date": {"description": "Last day, included; today unless given."},
        "format": {"description": "csv, json or ndjson."},
        "timezone": {"description": "IANA zone of the dates; UTC unless given."},
    },
    "GivenParameter": {
        "name": {"description": "A query type; GET /v1/query/types lists them."},
        "start_date": {"description": "YYYY-MM-DD; overrides the query's."},
        "end_date": {"description": "YYYY-MM-DD; overrides the query's."},
        "id": {"description": "Names this entry of the answer."},
        "granularity": {"description": "Overrides the query's."},
    },
    "QueryFilterInput": {
        "field": {"description": "One of the type's allowedFilters."},
        "value": {"description": "A list for in and not_in."},
    },
}
