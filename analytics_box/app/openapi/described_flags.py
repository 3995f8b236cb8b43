"""Descriptions of flag evaluation (wire 6.1), which no table of routes has."""

from typing import Any, Final

from analytics_box.app.openapi.described import RouteDescription, query_parameter
from analytics_box.products.flags.ofrep import messages as ofrep
from analytics_box.products.flags.ofrep.serve import EVALUATE
from analytics_box.products.flags.serving import messages
from analytics_box.products.flags.serving.serve import PREFIX

Schema = dict[str, Any]

_TAG: Final = "flags"
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
_KNOWN: Final[Schema] = {
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
    ("GET", f"{PREFIX}/evaluate"): RouteDescription(
        _TAG,
        "Evaluate a flag for a user",
        _TEXT,
        parameters=(
            *_WHOSE,
            {**query_parameter("key", "The flag."), "required": True},
            *_WHO,
            _KNOWN,
        ),
        answer=messages.EvaluationResult,
        empty=_UNCHANGED,
        errors=(405, 422),
    ),
    ("GET", f"{PREFIX}/bulk"): RouteDescription(
        _TAG,
        "Evaluate all or some flags for a user",
        _TEXT,
        parameters=(*_WHOSE, query_parameter("keys", "The flags, separated by commas. Default: all."), *_WHO, _KNOWN),
        answer=messages.EvaluationResults,
        empty=_UNCHANGED,
        errors=(405, 422),
    ),
    ("GET", f"{PREFIX}/health"): RouteDescription(
        _TAG, "Check that flags are served", answer=messages.ServiceHealth, errors=(405,)
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
    ("POST", f"{PREFIX}/{{client_id}}/{EVALUATE}/{{key}}"): RouteDescription(
        _TAG,
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
    ("POST", f"{PREFIX}/{{client_id}}/{EVALUATE}"): RouteDescription(
        _TAG,
        "Evaluate all flags for an OpenFeature client",
        _OFREP_TEXT + " `eventStreams` lists the stream of changes.",
        parameters=(
            _CLIENT,
            _ENVIRONMENT,
            query_parameter("flagConfigEtag", "From a change event; the response is at least as recent."),
            query_parameter("flagConfigLastModified", "From a change event, as an alternative to flagConfigEtag."),
            _KNOWN,
        ),
        body=ofrep.OfrepQuestion,
        answer=ofrep.OfrepFlags,
        empty={304: "No flag has changed since that response (If-None-Match)."},
        errors=_OFREP_ERRORS,
    ),
}
