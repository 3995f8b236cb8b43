"""Descriptions of the event routes that the code lacks (wire 4): bodies, answers, parameters, examples."""

from typing import Any

from analytics_box.app.openapi import answers
from analytics_box.app.openapi.described import RouteDescription, Schema, query_parameter
from analytics_box.ingest.ai_traffic import ReportedRequest
from analytics_box.ingest.compatible import UmamiRequest
from analytics_box.ingest.identify import Identification
from analytics_box.ingest.mcp_calls import McpCall
from analytics_box.ingest.page_events import NamedEvent
from analytics_box.ingest.payload import Incoming
from analytics_box.ingest.spans import Engagement, OldVitals, PageError, VitalSample
from analytics_box.ingest.typed_events import OutgoingLink

WEBSITE = CLIENT = "YOUR-WEBSITE-ID"
SITE = "https://shop.example"
_CLIENT_ID = query_parameter("client_id", "The website's client id.", example=CLIENT)
_CLIENT_HEADER: Schema = {
    "name": "databuddy-client-id",
    "in": "header",
    "description": "The website's client id, if it is not in the address.",
    "schema": {"type": "string"},
}
_BY_CLIENT = (_CLIENT_ID, _CLIENT_HEADER)
_BOTS = {204: "The sender looks like a bot. Nothing is counted."}
_PREFLIGHT = RouteDescription(
    "Events",
    "CORS preflight",
    empty={204: "The methods and headers that other origins can use."},
)
_FROM_A_PAGE = "Identify the website by client id, without a credential. The page's origin must belong to the website."
_ALL_OR_NONE = f"All are accepted or none. {_FROM_A_PAGE}"
_VIEW = {"name": "screen_view", "path": f"{SITE}/pricing", "anonymousId": "visitor-1"}
_ITEM: dict[str, Any] = {"path": f"{SITE}/pricing", "anonymousId": "visitor-1", "sessionId": "session-1"}
_CLICK = {"type": "outgoing_link", "href": "https://partner.example/", "text": "Our partner", **_ITEM}

_POSTS = {
    "/track": RouteDescription(
        "Events",
        "Send events from a server or a page",
        "Send one event, or an array of up to 100; all are accepted or none. Use an API key with track:events, or no "
        "key from a page whose origin belongs to the website in website_id, client_id or the first event. "
        "`screen_view` and `page_exit` are page events; all others are custom events.",
        parameters=(
            query_parameter("website_id", "The website, if there is no API key.", example=WEBSITE),
            *_BY_CLIENT,
        ),
        body=Incoming | list[Incoming],
        answer=answers.EventsTaken,
        errors=(401, 403, 404),
        empty=_BOTS,
        examples={
            "one event": {
                "name": "signup",
                "websiteId": WEBSITE,
                "anonymousId": "visitor-1",
                "properties": {"plan": "pro"},
            },
            "a page view and an event": [
                {"name": "screen_view", "websiteId": WEBSITE, "path": "/pricing", "anonymousId": "visitor-1"},
                {"name": "signup", "websiteId": WEBSITE, "anonymousId": "visitor-1"},
            ],
        },
    ),
    "/": RouteDescription(
        "Events",
        "Send one event from a page",
        "`type` is `track` (default) or `outgoing_link`; older trackers also send `custom`, `error` and `web_vitals`, "
        f"with the event in `payload`. {_FROM_A_PAGE}",
        parameters=_BY_CLIENT,
        body=Incoming | OutgoingLink | PageError | OldVitals,
        answer=answers.PageEventTaken,
        errors=(403,),
        empty=_BOTS,
        examples={"a page view": _VIEW, "an outbound click": _CLICK},
    ),
    "/batch": RouteDescription(
        "Events",
        "Send up to 100 events from a page",
        f"Each event is accepted or rejected on its own. {_FROM_A_PAGE}",
        parameters=_BY_CLIENT,
        body=Incoming | OutgoingLink | PageError | OldVitals,
        most=100,
        answer=answers.BatchTaken,
        errors=(403,),
        examples={
            "a view, a click and the end": [
                _VIEW,
                _CLICK,
                {**_VIEW, "name": "page_exit", "eventId": "exit_1", "time_on_page": 12, "scroll_depth": 80},
            ]
        },
    ),
    "/vitals": RouteDescription(
        "Events",
        "Send up to 20 web vitals of pages",
        f"Values are milliseconds; CLS is a score, FPS frames a second. {_ALL_OR_NONE}",
        parameters=_BY_CLIENT,
        body=VitalSample,
        most=20,
        answer=answers.SpansTaken,
        errors=(403,),
        empty=_BOTS,
        examples={
            "two measurements": [
                {**_ITEM, "metricName": "LCP", "metricValue": 1240.5},
                {**_ITEM, "metricName": "CLS", "metricValue": 0.02},
            ]
        },
    ),
    "/errors": RouteDescription(
        "Events",
        "Send up to 50 JavaScript errors",
        f"The body can have 128 KB. Long texts are truncated. {_ALL_OR_NONE}",
        parameters=_BY_CLIENT,
        body=PageError,
        most=50,
        answer=answers.SpansTaken,
        errors=(403,),
        empty=_BOTS,
        examples={
            "an error": [
                {
                    **_ITEM,
                    "message": "x is not a function",
                    "errorType": "TypeError",
                    "filename": f"{SITE}/app.js",
                    "lineno": 12,
                    "colno": 7,
                    "stack": f"TypeError: x is not a function\n    at {SITE}/app.js:12:7",
                }
            ]
        },
    ),
    "/events": RouteDescription(
        "Events",
        "Send up to 100 events from a page, named by eventName",
        f"`screen_view` and `page_exit` are page events. {_ALL_OR_NONE}",
        parameters=_BY_CLIENT,
        body=NamedEvent,
        most=100,
        answer=answers.EventsTaken,
        errors=(403,),
        empty=_BOTS,
        examples={"an event": [{**_ITEM, "eventName": "signup", "properties": {"plan": "pro"}}]},
    ),
    "/engagement": RouteDescription(
        "Events",
        "Send engagement of up to 20 pages",
        f"Times are milliseconds, the scroll depth is percent. Larger values are capped. {_ALL_OR_NONE}",
        parameters=_BY_CLIENT,
        body=Engagement,
        most=20,
        answer=answers.SpansTaken,
        errors=(403,),
        empty=_BOTS,
        examples={
            "a page visit": [
                {
                    **_ITEM,
                    "exitType": "navigation",
                    "timeOnPage": 42_000,
                    "activeTime": 31_000,
                    "maxScrollDepth": 80,
                    "clickCount": 3,
                    "interactionCount": 5,
                }
            ]
        },
    ),
    "/mcp": RouteDescription(
        "Events",
        "Send up to 100 tool calls of an MCP server",
        "Use an API key with track:events. Calls belong to the website in `websiteId`, else to the key's only website "
        "or its organization. `durationMs` is in milliseconds. Send `error` only for calls that failed. Arguments and "
        "output are not part of a call; long texts are truncated. All are accepted or none. JSON-RPC messages to this "
        "path are answered by the MCP server at `/v1/mcp`.",
        body=McpCall,
        most=100,
        answer=answers.SpansTaken,
        errors=(401, 403, 404),
        examples={
            "a call": [
                {
                    "tool": "search_orders",
                    "durationMs": 182,
                    "outputChars": 4_210,
                    "clientName": "claude-code",
                    "clientVersion": "2.1.0",
                    "serverName": "orders",
                    "serverVersion": "1.4.0",
                    "sessionId": "session-1",
                    "environment": "production",
                    "websiteId": WEBSITE,
                }
            ]
        },
    ),
    "/identify": RouteDescription(
        "Events",
        "Identify a visitor",
        "Links the visitor with your user id and stores traits. Traits are merged; null deletes a trait. `email`, "
        "`username` and `name` are used for search and display. Use an API key with track:events and websiteId, or the "
        "client id from a page whose origin belongs to the website.",
        parameters=_BY_CLIENT,
        body=Identification,
        answer=answers.IdentifyTaken,
        errors=(401, 403, 404),
        empty=_BOTS,
        examples={
            "a person": {
                "profileId": "customer-7",
                "anonymousId": "visitor-1",
                "traits": {"email": "ada@shop.example", "name": "Ada", "plan": "pro"},
            }
        },
    ),
    "/ai-traffic": RouteDescription(
        "Events",
        "Report a request of an AI agent",
        "Send it from the website's server for each request whose User-Agent may be an AI agent's. No key is needed; "
        "`host` must be the website's domain, a subdomain or an allowed origin. `ip` is compared with the agent's "
        "published address ranges and not stored.",
        body=ReportedRequest,
        errors=(403,),
        empty={202: "The request is stored.", 204: "The User-Agent is no AI agent's, or the path is ignored."},
        examples={
            "a crawler": {
                "websiteId": WEBSITE,
                "host": "shop.example",
                "path": "/pricing",
                "format": "html",
                "userAgent": "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)",
                "status": 200,
            }
        },
    ),
    "/api/event": RouteDescription(
        "Events",
        "Send an event in the body of Plausible's script",
        "The website is the one that has the domain `d` among its names in other scripts, else that of the client id. "
        f"The body can be sent as text/plain. {_FROM_A_PAGE}",
        parameters=_BY_CLIENT,
        body=dict[str, Any],
        errors=(403,),
        empty={202: "The event is stored, or X-Analytics-Box says why not."},
        examples={"a page view": {"n": "pageview", "u": f"{SITE}/pricing", "d": "shop.example", "r": None}},
    ),
    "/api/send": RouteDescription(
        "Events",
        "Send an event in the body of Umami's script",
        "`type` is event, identify, performance or engagement. The website is the one that has `payload.website` among "
        f"its names in other scripts, else that of the client id. {_FROM_A_PAGE}",
        parameters=_BY_CLIENT,
        body=UmamiRequest,
        answer=answers.EventsTaken,
        errors=(403,),
        empty=_BOTS,
        examples={
            "a page view": {
                "type": "event",
                "payload": {"website": WEBSITE, "hostname": "shop.example", "url": "/pricing", "title": "Pricing"},
            }
        },
    ),
}

_PIXEL = RouteDescription(
    "Events",
    "Send one event with a tracking pixel",
    "The event's fields are query parameters: `key[sub]` is a nested field, `properties` is JSON. The response is a "
    "transparent image; X-Analytics-Box has the result. If the event can be sent again, the response is empty and has "
    "the status of the error.",
    parameters=(
        _CLIENT_ID,
        query_parameter("type", "The type of event.", enum=["track", "outgoing_link", "web_vitals", "error"]),
        query_parameter("name", "The event's name.", example="screen_view"),
        query_parameter("path", "The page.", example=f"{SITE}/pricing"),
        query_parameter("properties", "A JSON object.", example='{"plan":"pro"}'),
        query_parameter("anonymousId", "The visitor's id."),
        query_parameter("eventId", "An event with the same id counts once."),
    ),
    answer=bytes,
    media="image/gif",
)

EVENTS: dict[tuple[str, str], RouteDescription] = {
    **{("POST", path): described for path, described in _POSTS.items()},
    **{("OPTIONS", path): _PREFLIGHT for path in _POSTS},
    ("GET", "/px.jpg"): _PIXEL,
}

# What schemas made from types cannot say: Struct → field → what to add.
_SENT: dict[str, Schema] = {
    "eventId": {"description": "An event with the same id counts once."},
    "timestamp": {"description": "Unix milliseconds or ISO 8601. Default: the time of arrival."},
    "path": {"description": "Path or full address of the page."},
    "anonymousId": {"description": "The visitor's id. Generated for browsers if omitted."},
    "anonymizeVisitorIds": {"description": "false keeps the id across days; auto does so in the US."},
    "sessionId": {"description": "Your session id. Generated if omitted."},
    "profileId": {"description": "Your user id."},
}
_EVENT: dict[str, Schema] = _SENT | {
    "properties": {"description": "Up to 50 keys, 32 KB, 8 levels."},
    "path": {"description": "Path or full address of the page. Required for page events."},
    "time_on_page": {"description": "Seconds, with page_exit."},
    "scroll_depth": {"description": "Percent, with page_exit. Omit it if it was not measured; 0 is a valid depth."},
    "interaction_count": {"description": "Clicks and keys, with page_exit. Omit it if they were not counted."},
}
_NAME = {"description": "screen_view and page_exit are page events; all others are custom events."}
_RELEASE: dict[str, Schema] = {"release": {"description": "The release of the website, up to 64 characters."}}
FIELDS: dict[str, dict[str, Schema]] = {
    "Incoming": _EVENT
    | {
        "name": _NAME,
        "websiteId": {
            "description": "The website, with an API key. If omitted, the event belongs to the organization."
        },
    },
    "NamedEvent": _EVENT | {"eventName": _NAME},
    "VitalSample": _SENT | _RELEASE,
    "OldVitals": _SENT | _RELEASE | {"type": {"const": "web_vitals"}},
    "PageError": _SENT | _RELEASE | {"type": {"const": "error", "description": "On / and /batch."}},
    "OutgoingLink": _SENT | {"type": {"const": "outgoing_link"}},
    "Engagement": _SENT,
    "Identification": {
        "profileId": {"description": "Your user id."},
        "anonymousId": {"description": "The id that the visitor's client sends with its events."},
        "anonymizeVisitorIds": {"description": "As in the visitor's events."},
        "traits": {"description": "Up to 50 traits and 2 KB: text of up to 255 characters, numbers, booleans or null."},
        "websiteId": {"description": "The website, with an API key."},
    },
}
