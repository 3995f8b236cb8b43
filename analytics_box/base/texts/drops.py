"""The page of what was not counted. Reasons are those of ingest.happened, of the website's rules, and of bots."""

from collections.abc import Mapping
from typing import ClassVar, Final

_PROGRAM: Final = "It is quarantined for 30 days. If a person was behind it, count it after all."


class Drops:
    """Dropped traffic: what was not counted, and why."""

    heading = "Dropped traffic"
    lead = (
        "What reached this box for {site} and counts nowhere, or not with all its texts, by UTC day. Every answer to a "
        "tracker says the same in its header X-Analytics-Box."
    )
    days = "{days} days"
    ranges = "Range"
    total = "{total} in {days} days"
    why = "Why"
    when = "When"
    how_often = "How often"
    held = "Quarantined for 30 days"
    counted = "Counted"
    settings = "Change what is counted"
    back = "Back to {site}"
    empty_title = "Everything was counted"
    empty = "Nothing was refused, ignored or quarantined in these days."
    other = "The manual says more about this reason."
    # reason → a few words, then what it means and what to do
    reasons: ClassVar[Mapping[str, tuple[str, str]]] = {
        "origin_not_authorized": (
            "Page of another domain",
            "The page is neither on this website's domain nor among its allowed origins. Add its origin there if it is "
            "yours.",
        ),
        "origin_missing": (
            "No Origin header",
            "The website has allowed origins, so every request has to name its page. Servers send with an API key "
            "instead.",
        ),
        "ip_not_authorized": (
            "IP address not allowed",
            "The website takes events from its allowed IP addresses only. Add this one if it is yours.",
        ),
        "ignored_origin": ("Ignored page", "The page's origin is among those that this website ignores."),
        "ignored_address": ("Ignored IP address", "The visitor's IP address is among those that this website ignores."),
        "ignored_path": ("Ignored path", "The page's path is among those that this website ignores."),
        "rate_limited": (
            "Too many requests",
            "One IP address or one key sent more than its limit. Send several events in one request, or raise the "
            "setting limit_track.",
        ),
        "invalid_schema": (
            "Not understood",
            "The request was no event: broken JSON, a missing name or a field of the wrong kind. Its answer named the "
            "field.",
        ),
        "unknown_event_type": ("Unknown type", "Events of this type are not taken. Its answer named the type."),
        "batch_too_large": ("Too many at once", "A request may hold 100 events. Send several requests."),
        "payload_too_large": ("Too large", "The request had more bytes than it may have. Send less at once."),
        "duplicate": ("Sent twice", "An event with the same eventId was counted before. Nothing is missing."),
        "known_bot_user_agent": ("Known bot", f"A crawler, monitor or script that says so itself. {_PROGRAM}"),
        "missing_user_agent": ("No user agent", f"Every browser says what it is; this did not. {_PROGRAM}"),
        "user_agent_too_short": ("No browser's user agent", f"No browser says so little of itself. {_PROGRAM}"),
        "missing_accept_header": (
            "No browser's request",
            f"Every browser sends an Accept header; this did not. Servers should send with an API key. {_PROGRAM}",
        ),
        "headless_browser": ("Browser without a screen", f"A bot that drives a browser. {_PROGRAM}"),
        "signed_agent": ("Signed bot", f"A bot that signs its requests, such as an AI agent. {_PROGRAM}"),
        "declared_robot": ("Declared robot", f"A bot that says in a header that it is one. {_PROGRAM}"),
        "data_centre": (
            "Data centre",
            f"The IP address belongs to a data centre, where servers stand, not people. {_PROGRAM}",
        ),
        "hourly_budget": (
            "Folded into (other)",
            "These events count. But more new paths, titles, names or other texts came in an hour than this website "
            "takes, or from one address more than a fifth of that, and what was new in them is stored as (other). If "
            "they are yours, raise its budget under Tracking; if not, somebody sends made-up events: a new client id "
            "stops that.",
        ),
        "referrer_spam": (
            "Referrer spam",
            "The referrer is on the public list of websites that fake visits to be seen in statistics.",
        ),
    }
