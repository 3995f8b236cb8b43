"""Descriptions of the event routes that the code lacks (wire 4): bodies, answers, parameters, examples."""

from typing import Any

from analytics_box.app.openapi import answers
from analytics_box.app.openapi.described import RouteDescription, Schema, query_parameter
from analytics_box.ingest.engagement import Engagement
from analytics_box.ingest.identify import Identification
from analytics_box.ingest.named_events import NamedEvent
from analytics_box.ingest.outgoing_links import OutgoingLink
from analytics_box.ingest.page_errors import PageError
from analytics_box.ingest.payload import Incoming
from analytics_box.ingest.vitals import OldVitals, VitalSample

WEBSITE = CLIENT = "YOUR-WEBSITE-ID"
SITE = "https://shop.example"
_CLIENT_ID = query_parameter("client_id", "The website's client id.", example=CLIENT)
_CLIENT_HEADER: Schema = {
    "name": "databuddy-client-id",
    "in": "header",
    "description": "The website's client id, where the address does not have it.",
    "schema": {"type": "string"},
}
_BY_CLIENT = (_CLIENT_ID, _CLIENT_HEADER)
_BOTS = {204: "The sender looks like a bot; nothing is counted."}
_PREFLIGHT = RouteDescription(
    "Events",
    "Ask before sending from another site",
    empty={204: "Which methods and headers another site's page may use."},
)
_FROM_A_PAGE = "By client id, without a credential: the page's origin must belong to the website."
_ALL_OR_NONE = f"All are taken or none. {_FROM_A_PAGE}"
_VIEW = {"name": "screen_view", "path": f"{SITE}/pricing", "anonymousId": "visitor-1"}
_ITEM: dict[str, Any] = {"path": f"{SITE}/pricing", "anonymousId": "visitor-1", "sessionId": "session-1"}
_CLICK = {"type": "outgoing_link", "href": "https://partner.example/", "text": "Our partner", **_ITEM}

_POSTS = {
    "/track": RouteDescription(
        "Events",
        "Send events from a server or a page",
        "One event or an array of up to 100, all or none of which are taken. With an API key, which needs the scope "
        "track:events; or without one from a page whose origin belongs to the website that website_id, client_id or "
        "the first event names. `screen_view` and `page_exit` are page events, everything else is a custom event.",
        parameters=(
            query_parameter("website_id", "The website, when there is no API key.", example=WEBSITE),
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
        "`type` says what it is: `track` (also when it is missing), `outgoing_link`, or as older trackers send it "
        f"`custom`, `error` or `web_vitals`, whose event may stand in `payload`. {_FROM_A_PAGE}",
        parameters=_BY_CLIENT,
        body=Incoming | OutgoingLink | PageError | OldVitals,
        answer=answers.PageEventTaken,
        errors=(403,),
        empty=_BOTS,
        examples={"a page view": _VIEW, "a click on a link that leads away": _CLICK},
    ),
    "/batch": RouteDescription(
        "Events",
        "Send up to 100 events from a page",
        f"Each event gets its own verdict; one that cannot be taken does not hold up the others. {_FROM_A_PAGE}",
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
        f"Milliseconds, for CLS the score, for FPS frames a second. {_ALL_OR_NONE}",
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
        "Send up to 50 errors of a page's scripts",
        f"The body may have 128 KB; texts that are too long are cut. {_ALL_OR_NONE}",
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
        "Send up to 100 events from a page by eventName",
        f"`screen_view` and `page_exit` are page events here too. {_ALL_OR_NONE}",
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
        "Send how up to 20 pages were used",
        f"Times are milliseconds, the depth is percent; what is too much is cut to its limit. {_ALL_OR_NONE}",
        parameters=_BY_CLIENT,
        body=Engagement,
        most=20,
        answer=answers.SpansTaken,
        errors=(403,),
        empty=_BOTS,
        examples={
            "a visit of a page": [
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
    "/identify": RouteDescription(
        "Events",
        "Say who a visitor is",
        "Links the visitor with a person as you name people, and remembers what you say of that person: traits are "
        "merged, null deletes one, `email` and `username` or `name` are what the person is found and shown by. With an "
        "API key, which needs the scope track:events, name the website in websiteId; else name it by client id, from a "
        "page whose origin belongs to it.",
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
}

_PIXEL = RouteDescription(
    "Events",
    "Send one event by a picture",
    "The event's fields are parameters: `key[sub]` is a field of a field, `properties` is JSON text, `type` is track, "
    "outgoing_link, web_vitals or error. The answer is a transparent picture whatever was sent; X-Analytics-Box says "
    "what became of it. Only where sending again helps the answer is empty, with its true status.",
    parameters=(
        _CLIENT_ID,
        query_parameter("type", "What it is.", enum=["track", "outgoing_link", "web_vitals", "error"]),
        query_parameter("name", "The event's name.", example="screen_view"),
        query_parameter("path", "The page.", example=f"{SITE}/pricing"),
        query_parameter("properties", "An object as JSON text.", example='{"plan":"pro"}'),
        query_parameter("anonymousId", "Who it was."),
        query_parameter("eventId", "Makes sending twice count once."),
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
    "eventId": {"description": "Makes sending twice count once."},
    "timestamp": {"description": "Unix milliseconds or ISO 8601; the arrival unless given."},
    "path": {"description": "Path or whole address of the page."},
    "anonymousId": {"description": "Who it was; one is made for browsers."},
    "anonymizeVisitorIds": {"description": "false keeps the id the same over the days; auto does in the US."},
    "sessionId": {"description": "Your own session; else one is made."},
    "profileId": {"description": "The person, as you name people."},
}
_EVENT: dict[str, Schema] = _SENT | {
    "properties": {"description": "Up to 50 keys, 32 KB, 8 levels."},
    "path": {"description": "Path or whole address of the page; page events need it."},
    "time_on_page": {"description": "Seconds, with page_exit."},
    "scroll_depth": {"description": "Percent, with page_exit. Leave it out where it was not measured; 0 is a depth."},
    "interaction_count": {"description": "Clicks and keys, with page_exit. Leave it out where they were not counted."},
}
_NAME = {"description": "screen_view and page_exit are page events, everything else is a custom event."}
FIELDS: dict[str, dict[str, Schema]] = {
    "Incoming": _EVENT
    | {
        "name": _NAME,
        "websiteId": {"description": "With a key: the website; without it the event is the organization's."},
    },
    "NamedEvent": _EVENT | {"eventName": _NAME},
    "VitalSample": _SENT,
    "OldVitals": _SENT | {"type": {"const": "web_vitals"}},
    "PageError": _SENT | {"type": {"const": "error", "description": "On / and /batch."}},
    "OutgoingLink": _SENT | {"type": {"const": "outgoing_link"}},
    "Engagement": _SENT,
    "Identification": {
        "profileId": {"description": "The person, as you name people."},
        "anonymousId": {"description": "The id that the visitor's client sends with its events."},
        "anonymizeVisitorIds": {"description": "As with the visitor's events."},
        "traits": {"description": "Up to 50, 2 KB; texts of up to 255 characters, numbers, booleans or null."},
        "websiteId": {"description": "With a key: the website."},
    },
}
