"""Parts that keep themselves current, their failures, and the realtime page."""

from collections.abc import Mapping
from typing import ClassVar


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
