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
    query_parameter("environment", "Only flags of this environment; without it, those of none."),
)
_WHO: Final = (
    query_parameter("userId", "Who asks."),
    query_parameter("email", "Their e-mail address."),
    query_parameter("organizationId", "Their organization, for flags that are rolled out by it."),
    query_parameter("teamId", "Their team, the same."),
    query_parameter("properties", "What else rules may look at, as a JSON object."),
)
_KNOWN: Final[Schema] = {
    "name": "If-None-Match",
    "in": "header",
    "description": "The ETag of an earlier answer.",
    "schema": {"type": "string"},
}
_UNCHANGED: Final = {304: "No flag has changed since that answer (If-None-Match); nothing was evaluated."}
_TEXT: Final = (
    "For SDKs, from any website and without a key. Caches may keep an answer for 15 seconds. `limit_flags` (600) "
    "requests a minute for each website or organization and IP address. Refusals have the shape of an answer, too."
)

FLAGS: Final[dict[tuple[str, str], RouteDescription]] = {
    ("GET", f"{PREFIX}/evaluate"): RouteDescription(
        _TAG,
        "What one flag gives to somebody",
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
        "What all flags, or some of them, give to somebody",
        _TEXT,
        parameters=(*_WHOSE, query_parameter("keys", "The flags, with commas; without it, all."), *_WHO, _KNOWN),
        answer=messages.EvaluationResults,
        empty=_UNCHANGED,
        errors=(405, 422),
    ),
    ("GET", f"{PREFIX}/health"): RouteDescription(
        _TAG, "Whether flags are served", answer=messages.ServiceHealth, errors=(405,)
    ),
}

_OFREP_TEXT: Final = (
    "For providers of OpenFeature (OFREP 0.3), from any website and without a key; the manual's page “Flags with "
    "OpenFeature” says what comes back. `limit_flags` (600) requests a minute, as for the other evaluations."
)
_OFREP_ERRORS: Final = (404, 405, 408, 413, 415)
_CLIENT: Final[Schema] = {
    "name": "client_id",
    "in": "path",
    "required": True,
    "description": "A website's id or client id, or an organization's id.",
    "schema": {"type": "string"},
}
_ENVIRONMENT: Final = query_parameter("environment", "Before the `environment` of the context.")

OFREP: Final[dict[tuple[str, str], RouteDescription]] = {
    ("POST", f"{PREFIX}/{{client_id}}/{EVALUATE}/{{key}}"): RouteDescription(
        _TAG,
        "What one flag gives to an OpenFeature client",
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
        "What all flags give to an OpenFeature client",
        _OFREP_TEXT + " `eventStreams` says where changes are told as they happen.",
        parameters=(
            _CLIENT,
            _ENVIRONMENT,
            query_parameter("flagConfigEtag", "Of an event; every answer is at least as fresh."),
            query_parameter("flagConfigLastModified", "The same."),
            _KNOWN,
        ),
        body=ofrep.OfrepQuestion,
        answer=ofrep.OfrepFlags,
        empty={304: "The client has these flags as they are (If-None-Match); nothing was evaluated."},
        errors=_OFREP_ERRORS,
    ),
}
