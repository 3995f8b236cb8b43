"""Badges, and the calendar of scheduled maintenance: a status page in other programs. Pure."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Final

from analytics_box.base.translation import _
from analytics_box.products.status_pages.seen import IncidentSeen, PageSeen
from analytics_box.products.status_pages.serving import shown
from analytics_box.products.status_pages.serving.shown import COMPONENT_LABELS, Look
from analytics_box.web.badge import Render, badge, clean

_BADGES = {
    "up": _("operational"),
    "degraded": _("degraded"),
    "down": _("outage"),
    "maintenance": _("maintenance"),
    "unknown": _("unknown"),
}


_COLOURS: Final[dict[Look, str]] = {
    "up": "#1a7f37",
    "degraded": "#8a5d00",
    "down": "#b3261e",
    "maintenance": "#2b5fb8",
    "unknown": "#6b665d",
}


def of_page(render: Render, seen: PageSeen) -> str:
    """The badge of the whole page."""
    look = shown.look_of(seen)
    return badge(render, seen.name, _BADGES[look], _COLOURS[look])


def of_component(render: Render, seen: PageSeen, component_id: str) -> str | None:
    """The badge of a component; None for one that is not on the page."""
    found = next((one for one in seen.components if one.id == component_id), None)
    if found is None:
        return None
    look = shown.LOOKS[found.status]
    return badge(render, found.name, COMPONENT_LABELS[found.status].lower(), _COLOURS[look])


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
