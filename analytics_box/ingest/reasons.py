"""Reasons why events were not counted, in words."""

from analytics_box.base.translation import _
from analytics_box.web.recognition.bots import REASONS

REASON_TEXTS = {
    "origin_not_authorized": (
        _("Page of another domain"),
        _(
            "The page is neither on this website's domain nor among its allowed origins. "
            "Add its origin there if it is yours."
        ),
    ),
    "origin_missing": (
        _("No Origin header"),
        _(
            "The website has allowed origins, so every request has to name its page. "
            "Servers send with an API key instead."
        ),
    ),
    "ip_not_authorized": (
        _("IP address not allowed"),
        _("The website takes events from its allowed IP addresses only. Add this one if it is yours."),
    ),
    "ignored_origin": (_("Ignored page"), _("The page's origin is among those that this website ignores.")),
    "ignored_address": (
        _("Ignored IP address"),
        _("The visitor's IP address is among those that this website ignores."),
    ),
    "ignored_path": (_("Ignored path"), _("The page's path is among those that this website ignores.")),
    "rate_limited": (
        _("Too many requests"),
        _(
            "One IP address or one key sent more than its limit. Send several events in "
            "one request, or raise the setting limit_track."
        ),
    ),
    "invalid_schema": (
        _("Not understood"),
        _(
            "The request was no event: broken JSON, a missing name or a field of the wrong "
            "kind. Its answer named the field."
        ),
    ),
    "unknown_event_type": (_("Unknown type"), _("Events of this type are not taken. Its answer named the type.")),
    "batch_too_large": (_("Too many at once"), _("A request may hold 100 events. Send several requests.")),
    "payload_too_large": (_("Too large"), _("The request had more bytes than it may have. Send less at once.")),
    "duplicate": (_("Sent twice"), _("An event with the same eventId was counted before. Nothing is missing.")),
    "known_bot_user_agent": (
        _("Known bot"),
        _(
            "A crawler, monitor or script that says so itself. It is quarantined for 30 "
            "days. If a person was behind it, count it after all."
        ),
    ),
    "missing_user_agent": (
        _("No user agent"),
        _(
            "Every browser says what it is; this did not. It is quarantined for 30 days. "
            "If a person was behind it, count it after all."
        ),
    ),
    "user_agent_too_short": (
        _("No browser's user agent"),
        _(
            "No browser says so little of itself. It is quarantined for 30 days. If a "
            "person was behind it, count it after all."
        ),
    ),
    "missing_accept_header": (
        _("No browser's request"),
        _(
            "Every browser sends an Accept header; this did not. Servers should send with "
            "an API key. It is quarantined for 30 days. If a person was behind it, count "
            "it after all."
        ),
    ),
    "headless_browser": (
        _("Browser without a screen"),
        _("A bot that drives a browser. It is quarantined for 30 days. If a person was behind it, count it after all."),
    ),
    "signed_agent": (
        _("Signed bot"),
        _(
            "A bot that signs its requests, such as an AI agent. It is quarantined for 30 "
            "days. If a person was behind it, count it after all."
        ),
    ),
    "declared_robot": (
        _("Declared robot"),
        _(
            "A bot that says in a header that it is one. It is quarantined for 30 days. If "
            "a person was behind it, count it after all."
        ),
    ),
    "data_centre": (
        _("Data centre"),
        _(
            "The IP address belongs to a data centre, where servers stand, not people. It "
            "is quarantined for 30 days. If a person was behind it, count it after all."
        ),
    ),
    "hourly_budget": (
        _("Folded into (other)"),
        _(
            "These events count. But more new paths, titles, names or other texts came in "
            "an hour than this website takes, or from one address more than a fifth of "
            "that, and what was new in them is stored as (other). If they are yours, raise "
            "its budget under Tracking; if not, somebody sends made-up events: a new "
            "client id stops that."
        ),
    ),
    "referrer_spam": (
        _("Referrer spam"),
        _("The referrer is on the public list of websites that fake visits to be seen in statistics."),
    ),
}


def words(reason: str) -> tuple[str, str]:
    """A reason in words, and what it means and what to do."""
    return REASON_TEXTS.get(
        reason, (reason.replace("_", " ").capitalize(), _("The manual says more about this reason."))
    )


def is_quarantined(reason: str) -> bool:
    """Whether events with this reason are kept for 30 days, so that they can be counted after all (semantics 19)."""
    return reason in REASONS
