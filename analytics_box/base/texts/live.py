"""Parts that keep themselves current, their failures, and the realtime page."""

from collections.abc import Mapping
from typing import ClassVar


class LiveTexts:
    """Beside who is there now: whether the page hears of news."""

    pause = "Pause"
    pause_help = "Keep the page as it is, or have it follow again"
    paused = "paused"
    signed_out = "signed out"
    lost = "not live, trying again"
    slow = "every 30 s"
    open = "See what happens right now"


class Toast:
    """Messages of a page when a requested part did not arrive."""

    offline = "You are offline. Nothing was sent."
    failed = "The box did not answer."
    refused = "The box could not do that ({status})."
    busy = "That was too much at once. Wait a moment."
    signed_out = "You are signed out. This page stays as it is."
    retry = "Try again"
    sign_in = "Sign in again"
    close = "Close"


class Realtime:
    """The page of right now."""

    title = "{site} · Right now"
    heading = "Right now"
    back = "Overview of {site}"
    chart = "Visitors per minute, last 30 minutes"
    table = "The same as a table"
    time = "Minute"
    visitors = "Visitors"
    pageviews = "Page views"
    minute = "{time}: visitors {visitors}, page views {pageviews}"
    unfinished = "not over yet"
    feed = "Events of the last 2 minutes"
    latest = "The latest {count}; there were more."
    nothing = "No event in the last 2 minutes."
    nobody = "Nobody in the last 5 minutes."
    viewed = "Page view"
    unknown = "Unknown"
    lists: ClassVar[Mapping[str, str]] = {
        "pages": "Pages",
        "sources": "Sources",
        "countries": "Countries",
        "cities": "Cities",
    }
    counted = "Visitors, last 5 minutes"
    failed = "What happens right now could not be read."


class RefusedPageTexts:
    """Pages whose events were refused, and how to allow them."""

    one = "1 event came from {origin} and was refused."
    many = "{count} events came from {origin} and were refused."
    why = (
        "That is neither {domain} nor one of its subdomains. If it is yours, allow it; from then on every event has to "
        "name its page in an Origin header, unless a server sends it with an API key."
    )
    allow = "Allow {origin}"
    allowed = "Pages of {origin} may send now. Load one of them again: what was refused is not counted."
    other_one = "1 event came and does not count: {reason}."
    other = "{count} events came and do not count: {reason}."
