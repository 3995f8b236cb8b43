"""Occurrences that alert rules can report: an event of a monitor or of a website's traffic. Pure."""

from typing import Literal

from msgspec import Struct

What = Literal[
    # of monitors
    "down",
    "recovered",
    "degraded",
    "flapping",
    "stable",
    "certificate",
    "domain",
    # of the traffic of a website
    "traffic_spike",
    "traffic_drop",
    "error_rate",
    "first_event",
]
OF_MONITORS: frozenset[What] = frozenset(
    ("down", "recovered", "degraded", "flapping", "stable", "certificate", "domain")
)


def monitor_subject(monitor_id: str) -> str:
    """The subject of alerts about a monitor."""
    return f"monitor:{monitor_id}"


class Occurrence(Struct, frozen=True, kw_only=True):
    """Something that happened. `topic` is the same whenever the same is told again, so that nobody hears it twice.

    `subject` names what it is about over time (`monitor:ID`, `website:ID`): a recovery ends the reminders of what went
    before. `at` is UTC ms; `fields` are label and value for people; `url` leads to its page. `still` is what goes on
    all the same: a monitor that was flapping may be stable and down.
    """

    topic: str
    subject: str
    what: What
    organization_id: str
    at: int
    title: str
    text: str
    fields: tuple[tuple[str, str], ...] = ()
    url: str = ""
    website_id: str | None = None
    monitor_id: str | None = None
    still: What | None = None
    group: str = ""
    tags: tuple[str, ...] = ()
