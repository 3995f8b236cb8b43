"""Addresses that machines which take events alone have as well, and those that are answered without the framework.

Whoever counts visits asks for nothing else, and the web framework with all pages is then never loaded.
"""

from analytics_box.web.route import PUBLIC, Handlers, Route

health = Handlers("analytics_box.web.plain")
assets = Handlers("analytics_box.web.page.assets")
watch = Handlers("analytics_box.app.watch.routes")

ON_EVERY_MACHINE: tuple[Route, ...] = (
    Route("GET", "/health", health.health, PUBLIC, plain=True),
    Route("GET", "/health/ready", watch.ready, PUBLIC),
    Route("GET", "/metrics", watch.metrics, PUBLIC),
    Route("GET", "/script.js", assets.tracker, PUBLIC, plain=True),
    Route("GET", "/databuddy.js", assets.tracker, PUBLIC, plain=True),
    Route("GET", "/databuddy-debug.js", assets.tracker_to_read, PUBLIC, plain=True),
    Route("GET", "/parts.js", assets.tracker_parts, PUBLIC, plain=True),
    Route("GET", "/parts/{part:str}", assets.tracker_part, PUBLIC, plain=True),
    Route("GET", "/favicon.ico", assets.favicon, PUBLIC, plain=True),
)
FILES = Route("GET", "/static/{file:path}", assets.static, PUBLIC, plain=True)
