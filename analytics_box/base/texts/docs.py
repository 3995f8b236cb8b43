"""The description of the API, and what figures mean."""

from collections.abc import Mapping
from itertools import chain
from typing import ClassVar


class Docs:
    """The manual and the description of the API."""

    title = "Manual"
    home = "All pages"
    lead = "Guides for your websites, links, monitors, status pages and feature flags, and for running the server."
    contents = "On this page"
    next = "Next:"
    code = "Example {number}"
    search = "Search"
    search_title = "Search the manual"
    search_label = "Search the manual and the API"
    found = "{count} results for “{asked}”"
    found_one = "1 result for “{asked}”"
    found_none = "No results for “{asked}”. Try fewer words, or only the beginning of a word."
    api = "API reference"
    api_lead = "The HTTP API of this box (version {version})."
    document = "OpenAPI document"
    asking = "Authentication"
    asking_text = (
        "Send an API key in the header x-api-key, or as Authorization: Bearer. Each operation lists the scope that a "
        "key needs and the role that a user needs."
    )
    procedures = "Procedures"
    procedures_text = (
        "Most operations are procedures, such as POST /websites/create. Send and receive plain JSON. oRPC clients use "
        "the same path under /rpc, with an object that has json, and meta if there are dates."
    )
    query_types = "The types of POST /v1/query, with fields, filters and examples."
    query_types_link = "All query types"
    all = "All operations"
    refusals = "Errors"
    refusals_text = "Every error has success: false, error (a message), code and requestId."
    command = "Command"
    needed = "required"
    also = "For oRPC clients:"
    parameters = "Parameters"
    body = "Body"
    answer = "Response"
    example = "Example"
    statuses = "Status codes"


class DefinitionTexts:
    """Definitions of figures: links to web/manual/definitions.md for each that pages show."""

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
        "map": "country-region-city",
        "browsers": "browser-system-device",
        "systems": "browser-system-device",
        "devices": "browser-system-device",
        "windows": "window-size",
        "languages": "language",
        "events": "custom-event",
        "links": "outgoing-link",
        "domains": "outgoing-link",
        "flags": "flag-and-variant",
        "page": "page",
        "week": "hours-of-the-week",
        "errors": "error",
        "vitals": "web-vitals",
        "people": "identified-visitor",
        "goals": "goal-and-conversion",
        "conversions": "goal-and-conversion",
        "conversion_rate": "goal-and-conversion",
        "bots": "bots",
        "drops": "dropped-traffic",
    }
    # the same on the pages of monitors
    of_monitors: ClassVar[Mapping[str, str]] = {
        "uptime_percentage": "uptime",
        "downtime_seconds": "uptime",
        "avg_response_time": "response-time",
        "p95_response_time": "response-time",
        "avg_ttfb": "response-time",
        "codes": "check",
        "reasons": "check",
        "phases": "response-time",
    }
    # the same on the pages of short links
    of_links: ClassVar[Mapping[str, str]] = {
        "clicks": "click",
        "visitors": "visitor-of-a-link",
        "sessions": "visit-that-followed",
        "others": "bots-previews-and-prefetches",
        "kinds": "bots-previews-and-prefetches",
        "week": "hours-of-the-week",
        "bots": "bots-previews-and-prefetches",
        "sources": "details-of-a-click",
        "countries": "details-of-a-click",
        "regions": "details-of-a-click",
        "map": "details-of-a-click",
        "cities": "details-of-a-click",
        "devices": "details-of-a-click",
        "browsers": "details-of-a-click",
        "systems": "details-of-a-click",
        "languages": "details-of-a-click",
        "variants": "variants-and-rules",
        "rules": "variants-and-rules",
        "orphans": "orphan-click",
    }


class ManualTexts:
    """The pages of the manual, and links into it from pages where a question arises."""

    # The pages by task, in the order in which a user needs them.
    groups: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "Get started": ("get-started", "install", "script", "server-events", "import"),
        "Analytics": ("dashboard", "goals", "notes", "dropped-events", "website-settings", "share", "reports"),
        "Links": ("links",),
        "Monitors and status pages": ("monitors", "status-pages"),
        "Feature flags": ("flags", "flag-rollouts", "flag-files", "flags-api", "openfeature"),
        "Alerts and integrations": ("alerts", "integrations"),
        "Team and security": ("members", "api-keys", "visitors"),
        "Run the server": (
            "production",
            "proxies",
            "backup",
            "commands",
            "settings",
            "abuse-protection",
            "capacity",
            "clickhouse",
            "several-machines",
        ),
        "API and reference": ("queries", "compatible-clients", "definitions", "limits", "errors", "changelog"),
    }
    pages: ClassVar[tuple[str, ...]] = tuple(chain.from_iterable(groups.values()))

    # the former name of a page → its name; former addresses redirect
    moved: ClassVar[Mapping[str, str]] = {
        "alarms": "alerts",
        "first-site": "get-started",
        "floods": "abuse-protection",
        "keys": "api-keys",
        "not-counted": "dropped-events",
        "overview": "dashboard",
        "people": "visitors",
        "running": "production",
        "websites": "website-settings",
    }

    # a topic's name in the templates → the page of web/manual with its anchor, and the label of the link
    questions: ClassVar[Mapping[str, tuple[str, str]]] = {
        "snippet": ("script", "Tracking script options"),
        "silent": ("dropped-events", "Why isn't my visit showing up?"),
        "overview": ("dashboard", "Dashboard guide"),
        "goals": ("goals", "About goals"),
        "notes": ("notes", "About notes and deployments"),
        "flags": ("flags", "About feature flags"),
        "target-groups": ("flags#target-groups", "About target groups"),
        "https": ("proxies", "Set up https"),
        "history": ("import", "Import past data"),
        "not-counted": ("dropped-events#reasons", "Reasons explained"),
        "bots": ("dropped-events#bots", "About bot detection"),
        "website": ("website-settings", "About these settings"),
        "queries": ("queries", "About queries"),
        "links": ("links", "About short links"),
        "monitors": ("monitors", "About monitors"),
        "monitor-form": ("monitors#what-can-be-monitored", "Monitor types"),
        "monitor-files": ("monitors#import-and-export", "Supported files"),
        "flag-files": ("flag-files", "Supported files"),
        "status-pages": ("status-pages", "About status pages"),
        "maintenance": ("monitors#maintenance-windows", "About maintenance windows"),
        "link-form": ("links#link-options", "Link options"),
        "link-import": ("links#import-and-export", "Prepare a file"),
        "link-domains": ("links#custom-domains", "Use a custom domain"),
        "people": ("visitors", "Visitor data and privacy"),
        "keys": ("api-keys", "About API keys"),
        "members": ("members#roles", "About roles"),
        "integrations": ("integrations#alert-channels", "About alert channels"),
        "alarms": ("alerts", "About alert rules"),
        "domains": ("integrations#domains", "Verify a domain"),
        "backup": ("backup", "Back up and restore"),
        "box": ("settings", "All server settings"),
        "security": ("members#your-account", "About account security"),
        "audit": ("members#audit-log", "About the audit log"),
    }
