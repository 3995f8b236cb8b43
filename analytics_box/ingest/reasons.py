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
        _("The website only accepts events from its allowed IP addresses. Add this address if it is yours."),
    ),
    "ignored_origin": (_("Ignored page"), _("The page's origin is on the website's ignore list.")),
    "ignored_address": (
        _("Ignored IP address"),
        _("The visitor's IP address is on the website's ignore list."),
    ),
    "ignored_path": (_("Ignored path"), _("The page's path is on the website's ignore list.")),
    "rate_limited": (
        _("Too many requests"),
        _(
            "One IP address or API key exceeded its limit. Send several events per request, or raise the "
            "limit_track setting."
        ),
    ),
    "invalid_schema": (
        _("Invalid event"),
        _(
            "The request was not a valid event, for example because of broken JSON or a missing name. The "
            "response named the field."
        ),
    ),
    "unknown_event_type": (
        _("Unknown event type"),
        _("Events of this type are not supported. The response named the type."),
    ),
    "batch_too_large": (
        _("Batch too large"),
        _("A request can contain up to 100 events. Split larger batches."),
    ),
    "payload_too_large": (
        _("Payload too large"),
        _("The request exceeded the size limit. Send fewer events per request."),
    ),
    "duplicate": (
        _("Duplicate"),
        _("An event with the same eventId was already counted. Nothing is missing."),
    ),
    "known_bot_user_agent": (
        _("Known bot"),
        _(
            "A crawler, monitor or script that identifies itself. The event is quarantined for 30 days. If "
            "it was a person, select Not a bot."
        ),
    ),
    "missing_user_agent": (
        _("No user agent"),
        _(
            "The request had no user agent, which every browser sends. The event is quarantined for 30 days."
            " If it was a person, select Not a bot."
        ),
    ),
    "user_agent_too_short": (
        _("Short user agent"),
        _(
            "The user agent is too short to be a browser's. The event is quarantined for 30 days. If it was "
            "a person, select Not a bot."
        ),
    ),
    "missing_accept_header": (
        _("No Accept header"),
        _(
            "The request had no Accept header, which every browser sends. Servers should use an API key. The"
            " event is quarantined for 30 days. If it was a person, select Not a bot."
        ),
    ),
    "headless_browser": (
        _("Headless browser"),
        _("A bot that controls a browser. The event is quarantined for 30 days. If it was a person, select Not a bot."),
    ),
    "signed_agent": (
        _("Signed bot"),
        _(
            "A bot that signs its requests, such as an AI agent. The event is quarantined for 30 days. If it"
            " was a person, select Not a bot."
        ),
    ),
    "declared_robot": (
        _("Declared bot"),
        _(
            "A bot that identifies itself in a header. The event is quarantined for 30 days. If it was a "
            "person, select Not a bot."
        ),
    ),
    "data_centre": (
        _("Data center"),
        _(
            "The IP address belongs to a data center. The event is quarantined for 30 days. If it was a "
            "person, select Not a bot."
        ),
    ),
    "hourly_budget": (
        _("Folded into (other)"),
        _(
            "These events count, but the website received more new paths, titles or names in an hour than "
            "its budget allows, or one IP address sent more than a fifth of it. New values are stored as "
            "(other). If the events are yours, raise the budget under Tracking. If not, create a new client "
            "id to stop made-up events."
        ),
    ),
    "referrer_spam": (
        _("Referrer spam"),
        _("The referrer is on the public list of websites that fake visits to appear in reports."),
    ),
}


def words(reason: str) -> tuple[str, str]:
    """A reason in words, and what it means and what to do."""
    return REASON_TEXTS.get(reason, (reason.replace("_", " ").capitalize(), _("See the manual for this reason.")))


def is_quarantined(reason: str) -> bool:
    """Whether events with this reason are kept for 30 days, so that they can be counted after all (semantics 19)."""
    return reason in REASONS
