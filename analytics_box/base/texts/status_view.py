"""The summary of a status page, wherever it is shown."""

from typing import Final


class StatusView:
    """A sentence for each state of a page."""

    unnamed = "Service"
    headlines: Final = {
        "none": "All systems operational",
        "minor": "Some systems are degraded",
        "major": "Partial outage",
        "critical": "Major outage",
        "maintenance": "Maintenance in progress",
    }
    unknown = "The status is not known"
    empty = "Nothing is shown here yet"
