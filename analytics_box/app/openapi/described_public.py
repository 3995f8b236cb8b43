"""Descriptions of short URLs (wire 7.3) and of flags for applications, which no table of routes has."""

from typing import Any, Final

from analytics_box.app.openapi.described import RouteDescription, query_parameter
from analytics_box.products.flags.ofrep import messages as ofrep
from analytics_box.products.flags.ofrep.serve import EVALUATE
from analytics_box.products.flags.serving import messages
from analytics_box.products.flags.serving.serve import PREFIX as FLAGS_PREFIX
from analytics_box.products.links.slugs import PREFIX

Schema = dict[str, Any]

_TAG: Final = "Short URLs"
_SLUG: Final[Schema] = {
    "name": "slug",
    "in": "path",
    "required": True,
    "description": "The link's slug.",
    "schema": {"type": "string", "pattern": "^[A-Za-z0-9_-]{3,50}$"},
}
_KNOWN: Final[Schema] = {
    "name": "If-None-Match",
    "in": "header",
    "description": "The ETag of an earlier redirect.",
    "schema": {"type": "string"},
}
_WHERE: Final = (
    "The destination of the first matching rule, otherwise of the phone's system, otherwise of an A/B test variant, "
    "otherwise the link's own. `queryForwarding` can add query parameters."
)
_FOLLOWED: Final = {
    301: "As 302, if the link's `redirectStatus` is 301.",
    302: f"{_WHERE} Expired links redirect to `expiredRedirectUrl`, unknown slugs of a link domain to `notFoundUrl`, "
    "and programs that create previews to the preview page.",
    304: "The browser already has the destination (If-None-Match). Not counted as a click.",
    307: "As 302, if `redirectStatus` is 307.",
    308: "As 302, if `redirectStatus` is 308.",
}
_REFUSED: Final = (404, 405, 410)
_PAGE: Final = "text/html"

LINKS: Final[dict[tuple[str, str], RouteDescription]] = {
    ("GET", f"{PREFIX}{{slug}}"): RouteDescription(
        _TAG,
        "Open a short link",
        "Human visits are counted as clicks. Bots, previews and prefetches are redirected as well and counted "
        "separately. On a link domain, the path is `/{slug}`. A 200 is a page: the password form, a page that opens "
        "the link's app on a phone, or the preview for Office.",
        parameters=(_SLUG, _KNOWN),
        errors=_REFUSED,
        moved=_FOLLOWED,
        answer=str,
        media=_PAGE,
    ),
    ("HEAD", f"{PREFIX}{{slug}}"): RouteDescription(
        _TAG,
        "Destination of a short link",
        "Same as GET, without a body. Never counts as a click.",
        parameters=(_SLUG, _KNOWN),
        errors=_REFUSED,
        moved=_FOLLOWED,
        empty={200: "The link asks for a password, or opens an app."},
    ),
    ("POST", f"{PREFIX}{{slug}}"): RouteDescription(
        _TAG,
        "Open a short link with its password, or forward a request to its destination",
        "For links with a password, and for links whose `redirectStatus` is 307 or 308, which also accept `PUT`, "
        "`PATCH` and `DELETE`; other links answer 405. Passwords can be tried `limit_link_passwords` (10) times a "
        "minute per IP address. A click counts once the password is correct.",
        parameters=(_SLUG,),
        form={"password": "The password."},
        errors=(*_REFUSED, 403, 408, 413),
        moved={
            302: "The destination of an expired link (`expiredRedirectUrl`), or of unknown slugs (`notFoundUrl`).",
            303: f"The password is correct. {_WHERE}",
            **dict.fromkeys((307, 308), "The destination, to which the client sends the same request."),
        },
        answer=str,
        media=_PAGE,
    ),
    ("GET", f"{PREFIX}{{slug}}/preview"): RouteDescription(
        _TAG,
        "Preview of a short link",
        "For bots, the values of `ogTitle` and the other preview fields; for visitors, a button that continues to the "
        "destination. No password is required: the preview of a protected link shows only a placeholder title.",
        parameters=(_SLUG,),
        errors=_REFUSED,
        moved={302: "The destination of an expired link, or of unknown slugs."},
        answer=str,
        media=_PAGE,
    ),
}


_FLAGS_TAG: Final = "flags"
_WHOSE: Final = (
    {**query_parameter("clientId", "A website's id or client id, or an organization's id."), "required": True},
    query_parameter("environment", "Returns only flags of this environment; by default, flags without one."),
)
_WHO: Final = (
    query_parameter("userId", "The user's id."),
    query_parameter("email", "The user's email."),
    query_parameter("organizationId", "The user's organization, for rollouts by organization."),
    query_parameter("teamId", "The user's team, for rollouts by team."),
    query_parameter("properties", "Properties for targeting rules, as a JSON object."),
)
_KNOWN_FLAGS: Final[Schema] = {
    "name": "If-None-Match",
    "in": "header",
    "description": "The ETag of an earlier response.",
    "schema": {"type": "string"},
}
_UNCHANGED: Final = {304: "No flag has changed since that response (If-None-Match)."}
_TEXT: Final = (
    "For SDKs, from any origin and without a key. Responses can be cached for 15 seconds. Limited to `limit_flags` "
    "(600) requests a minute per website or organization and IP address. Errors have the form of an evaluation."
)

FLAGS: Final[dict[tuple[str, str], RouteDescription]] = {
    ("GET", f"{FLAGS_PREFIX}/evaluate"): RouteDescription(
        _FLAGS_TAG,
        "Evaluate a flag for a user",
        _TEXT,
        parameters=(
            *_WHOSE,
            {**query_parameter("key", "The flag."), "required": True},
            *_WHO,
            _KNOWN_FLAGS,
        ),
        answer=messages.EvaluationResult,
        empty=_UNCHANGED,
        errors=(405, 422),
    ),
    ("GET", f"{FLAGS_PREFIX}/bulk"): RouteDescription(
        _FLAGS_TAG,
        "Evaluate all or some flags for a user",
        _TEXT,
        parameters=(
            *_WHOSE,
            query_parameter("keys", "The flags, separated by commas. Default: all."),
            *_WHO,
            _KNOWN_FLAGS,
        ),
        answer=messages.EvaluationResults,
        empty=_UNCHANGED,
        errors=(405, 422),
    ),
    ("GET", f"{FLAGS_PREFIX}/health"): RouteDescription(
        _FLAGS_TAG, "Check that flags are served", answer=messages.ServiceHealth, errors=(405,)
    ),
}

_OFREP_TEXT: Final = (
    "For OpenFeature providers (OFREP 0.3), from any origin and without a key. The manual's page “Use flags with "
    "OpenFeature” describes the responses. Limited to `limit_flags` (600) requests a minute."
)
_OFREP_ERRORS: Final = (404, 405, 408, 413, 415)
_CLIENT: Final[Schema] = {
    "name": "client_id",
    "in": "path",
    "required": True,
    "description": "A website's id or client id, or an organization's id.",
    "schema": {"type": "string"},
}
_ENVIRONMENT: Final = query_parameter("environment", "Overrides the `environment` of the context.")

OFREP: Final[dict[tuple[str, str], RouteDescription]] = {
    ("POST", f"{FLAGS_PREFIX}/{{client_id}}/{EVALUATE}/{{key}}"): RouteDescription(
        _FLAGS_TAG,
        "Evaluate a flag for an OpenFeature client",
        _OFREP_TEXT,
        parameters=(
            _CLIENT,
            {"name": "key", "in": "path", "required": True, "schema": {"type": "string"}},
            _ENVIRONMENT,
        ),
        body=ofrep.OfrepQuestion,
        answer=ofrep.OfrepFlag,
        errors=_OFREP_ERRORS,
    ),
    ("POST", f"{FLAGS_PREFIX}/{{client_id}}/{EVALUATE}"): RouteDescription(
        _FLAGS_TAG,
        "Evaluate all flags for an OpenFeature client",
        _OFREP_TEXT + " `eventStreams` lists the stream of changes.",
        parameters=(
            _CLIENT,
            _ENVIRONMENT,
            query_parameter("flagConfigEtag", "From a change event; the response is at least as recent."),
            query_parameter("flagConfigLastModified", "From a change event, as an alternative to flagConfigEtag."),
            _KNOWN_FLAGS,
        ),
        body=ofrep.OfrepQuestion,
        answer=ofrep.OfrepFlags,
        empty={304: "No flag has changed since that response (If-None-Match)."},
        errors=_OFREP_ERRORS,
    ),
}
