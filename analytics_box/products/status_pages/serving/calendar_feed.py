"""Scheduled maintenance of a status page as a calendar (iCalendar, RFC 5545). Pure."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Final

from analytics_box.base.translation import _
from analytics_box.products.status_pages.seen import IncidentSeen, PageSeen
from analytics_box.products.status_pages.serving.badges import clean

MOST: Final = 50  # events
_LINE: Final = 75  # bytes, after which a line is folded
_HOURLY: Final = "PT1H"


def calendar(seen: PageSeen, urn: Callable[[str], str]) -> str:
    """The latest maintenances as events. `urn` makes an id that stays when the page moves."""
    name = _("{name}: maintenance").format(name=seen.name)
    events = sorted(seen.maintenances, key=lambda one: (-(one.scheduled_for or one.started_at), one.id))[:MOST]
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Analytics Box//Status pages//EN",
        f"X-WR-CALNAME:{_text(name)}",
        f"REFRESH-INTERVAL;VALUE=DURATION:{_HOURLY}",
        f"X-PUBLISHED-TTL:{_HOURLY}",
        *(line for one in events for line in _event(seen, one, urn)),
        "END:VCALENDAR",
    ]
    return "".join(f"{_fold(line)}\r\n" for line in lines)


def _event(seen: PageSeen, one: IncidentSeen, urn: Callable[[str], str]) -> Iterator[str]:
    """The lines of a maintenance; none if it ended before it began."""
    start = one.started_at if one.scheduled_for is None else one.scheduled_for
    end = one.resolved_at if one.resolved_at is not None else one.scheduled_until
    if end is None or end <= start:
        return
    said = [one.updates[0].message] if one.updates else []
    if one.affected:
        said.append(_("Affects {what}").format(what=", ".join(part.name for part in one.affected)))
    yield "BEGIN:VEVENT"
    yield f"UID:{urn(one.id)}"
    instants = {"DTSTAMP": one.updated_at, "LAST-MODIFIED": one.updated_at, "DTSTART": start, "DTEND": end}
    for name, instant in instants.items():
        yield f"{name}:{datetime.fromtimestamp(instant // 1000, UTC):%Y%m%dT%H%M%SZ}"
    yield f"SUMMARY:{_text(f'{seen.name}: {one.title}')}"
    yield f"DESCRIPTION:{_text(chr(10).join(said))}"
    yield f"URL:{seen.url}/incidents/{one.id}"
    yield "TRANSP:TRANSPARENT"
    yield "END:VEVENT"


def _text(value: str) -> str:
    """A value with its special characters escaped, and without those that no calendar allows."""
    escaped = clean(value).replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,")
    return escaped.replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\\n")


def _fold(line: str) -> str:
    """A line in pieces of at most 75 bytes; each further piece starts with a space."""
    pieces, piece, size = [], "", 0
    for letter in line:
        width = len(letter.encode())
        if size + width > _LINE:
            pieces.append(piece)
            piece, size = " ", 1
        piece, size = piece + letter, size + width
    return "\r\n".join([*pieces, piece])
