"""What visitors of a status page read."""

from typing import Final


class StatusPublic:
    """The public page, its history, its feeds and its badges."""

    website = "Website"
    support = "Support"
    subscribe = "Subscribe to updates"
    current = "Current status"
    history = "History"
    title = "{name} status"
    updated = "Updated"
    zone = "Times are in {zone}"
    stale = "This page could not be brought up to date. It shows what was known {ago} ago, at {time}."
