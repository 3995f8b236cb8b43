"""The event routes on one screen (wire 4.1): raw handlers, because here every microsecond counts.

An answer of success means that everything in it that is to be stored is on disk.
"""

from collections.abc import Callable
from typing import NamedTuple

from analytics_box.ingest import ai_traffic, compatible, identify, mcp_calls, page_events, pixel, serving, spans, track
from analytics_box.ingest.intake import Intake
from analytics_box.ingest.serving import Handler
from analytics_box.web.asgi import App


class EventRoute(NamedTuple):
    """A route that takes POST. A body may have `most_bytes`, else what the settings say; `too_large` is its refusal."""

    path: str
    handler: Handler
    too_large: str = "INGEST_PAYLOAD_TOO_LARGE"
    most_bytes: int | None = None


MCP = "/mcp"
TABLE = (
    EventRoute("/track", track.track, "TRACK_PAYLOAD_TOO_LARGE"),
    EventRoute("/", page_events.one),
    EventRoute("/batch", page_events.batch),
    EventRoute("/vitals", spans.take_vitals),
    EventRoute("/errors", spans.take_errors, "INGEST_ERRORS_BODY_TOO_LARGE", spans.MOST_ERROR_BYTES),
    EventRoute("/events", page_events.by_name),
    EventRoute("/engagement", spans.take_engagement),
    EventRoute("/identify", identify.identify),
    EventRoute(MCP, mcp_calls.take),
    EventRoute("/ai-traffic", ai_traffic.take, most_bytes=ai_traffic.MOST_BYTES),
    EventRoute("/api/event", compatible.take_plausible),
    EventRoute("/api/send", compatible.take_umami),
)
PIXEL = "/px.jpg"
ADDRESSES = (*(("POST", line.path) for line in TABLE), ("GET", PIXEL))


IDENTIFY = "/identify"
_TO_NODES = "This is the primary, which takes no events: send them to an ingest machine"


def handlers(intake: Intake) -> dict[str, App]:
    """The event routes by their path."""
    posts = {line.path: serving.post(intake, line.handler, line.too_large, line.most_bytes) for line in TABLE}
    return {**posts, PIXEL: pixel.serve(intake), ai_traffic.SETUP_CHECK: ai_traffic.setup_check(intake)}


def of_primary(intake: Intake) -> dict[str, App]:
    """The event routes of a machine beside others that take the events: it is told who people are."""
    return {path: app if path == IDENTIFY else serving.elsewhere(_TO_NODES) for path, app in handlers(intake).items()}


def of_node(intake: Intake, trouble: Callable[[], str]) -> dict[str, App]:
    """The event routes of a machine that takes events and nothing else, once there is no `trouble`."""
    return {path: serving.unless(trouble, app) for path, app in handlers(intake).items()}
