"""The description of the API, and what figures mean."""

from collections.abc import Mapping
from typing import ClassVar


class Docs:
    """The description of the API."""

    title = "API"
    navigation = "Documentation"
    contents = "On this page"
    overview = "API overview"
    lead = "Everything that this box (version {version}) does over HTTP."
    document = "The same as an OpenAPI document"
    asking = "Who asks"
    asking_text = (
        "Send an API key in the header x-api-key, or in Authorization after the word Bearer. A key needs the scope "
        "that an operation names. A signed-in person needs the role."
    )
    procedures = "Procedures"
    procedures_text = (
        "The groups with lower-case names hold procedures. Each takes and answers plain JSON under its own path. The "
        "path with /rpc in front also speaks the form of oRPC clients: an object with json, and with meta where there "
        "are dates."
    )
    query_types = "What can be asked with POST /v1/query, with the fields, the filters and an example of each type:"
    query_types_link = "all query types"
    all = "All operations"
    refusals = "Refusals"
    refusals_text = "Every refusal says success: false, error in words, code for programs, and requestId."
    command = "Command"
    needed = "needed"
    also = "In the oRPC form:"
    parameters = "Parameters"
    body = "Body"
    answer = "Answer"
    example = "Example"
    statuses = "Statuses"


class Definitions:
    """What figures mean: where web/manual/definitions.md defines each that pages show."""

    title = "Definitions"
    path = "/docs/definitions"
    all = "What the numbers mean"
    days = "What a day is"
    clicks = "What a click is"
    about = "What “{figure}” means"
    compared = "What this is compared with"
    # a figure, or a list on an overview, by its name in the code → the anchor of its definition
    of: ClassVar[Mapping[str, str]] = {
        "online": "current-visitors",
        "visitors": "visitor",
        "pageviews": "page-view",
        "sessions": "session",
        "bounce_rate": "bounce-rate",
        "median_session_duration": "session-duration",
        "before": "comparison",
        "days": "days-and-time-zones",
        "sources": "source",
        "channels": "channel",
        "utm_campaign": "campaign",
        "utm_source": "campaign",
        "utm_medium": "campaign",
        "utm_term": "campaign",
        "utm_content": "campaign",
        "pages": "page",
        "entry": "entry-page",
        "exit": "exit-page",
        "countries": "country-region-city",
        "regions": "country-region-city",
        "cities": "country-region-city",
        "browsers": "browser-system-device",
        "systems": "browser-system-device",
        "devices": "browser-system-device",
        "windows": "window-size",
        "languages": "language",
        "events": "custom-event",
        "links": "outgoing-link",
        "domains": "outgoing-link",
        "errors": "error",
        "vitals": "web-vitals",
        "people": "person",
        "bots": "bots",
        "drops": "not-counted",
    }
    # the same on the pages of short links
    of_links: ClassVar[Mapping[str, str]] = {
        "clicks": "click",
        "visitors": "visitor-of-a-link",
        "sessions": "visit-that-followed",
        "others": "bots-previews-and-prefetches",
        "kinds": "bots-previews-and-prefetches",
        "bots": "bots-previews-and-prefetches",
        "sources": "details-of-a-click",
        "countries": "details-of-a-click",
        "regions": "details-of-a-click",
        "cities": "details-of-a-click",
        "devices": "details-of-a-click",
        "browsers": "details-of-a-click",
        "systems": "details-of-a-click",
        "languages": "details-of-a-click",
        "variants": "variants-and-rules",
        "rules": "variants-and-rules",
        "orphans": "orphan-click",
    }
