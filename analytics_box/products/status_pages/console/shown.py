"""Incidents and maintenances as the pages of the dashboard show them. Pure but for the person's time zone."""

from collections.abc import Mapping
from typing import Final

from markupsafe import Markup
from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.clock import SECOND
from analytics_box.base.identity import SignedInPerson
from analytics_box.base.translation import _, ngettext
from analytics_box.products.monitors.listing.lines import duration_text
from analytics_box.products.status_pages import markdown
from analytics_box.products.status_pages.incident import STATUS_LABELS, Incident, IncidentUpdate, Status
from analytics_box.products.status_pages.incidents.rules import moves
from analytics_box.products.status_pages.subscribers.deliveries import UpdateReach
from analytics_box.web.page import dates

_SEVERITIES = {"minor": _("Minor"), "major": _("Major"), "critical": _("Critical")}
_IMPACT_NAMES = {
    "operational": _("operational"),
    "degraded": _("degraded"),
    "partial": _("partial outage"),
    "down": _("down"),
    "maintenance": _("maintenance"),
}
_AUTHORS = {
    "user": _("a former member"),
    "apikey": _("an API key"),
    "demo": _("the demo"),
    "command line": _("the command line"),
}


LONGEST_SAID: Final = 280  # characters of the latest update in a list


class IncidentRow(Struct, frozen=True):
    """An incident or a maintenance in a list. A step is a state, its word, and whether it is the usual next one."""

    title: str
    href: str
    look: str
    notes: tuple[str, ...]
    message: str = ""
    steps: tuple[tuple[Status, str, bool], ...] = ()


class IncidentUpdateItem(Struct, frozen=True):
    """Something that was said; `href` leads to its correction."""

    label: str
    at: str
    html: Markup
    notes: tuple[str, ...]
    href: str


class IncidentDetail(Struct, frozen=True):
    """An incident on its own page. `public_url` is empty for a draft, `publishes` says when the box publishes one.

    `edit` and `cancel` are where the plan of a maintenance changes, while that can be.
    """

    title: str
    href: str
    look: str
    is_draft: bool
    publishes: str
    public_url: str
    notes: tuple[str, ...]
    affected: tuple[str, ...]
    updates: tuple[IncidentUpdateItem, ...]
    edit: str = ""
    cancel: str = ""


def href_of(page_href: str, one: Incident) -> str:
    """The path of an incident's or a maintenance's page."""
    return f"{page_href}/incidents/{one.id}"


def line(page_href: str, one: Incident, person: SignedInPerson, now: int) -> IncidentRow:
    """An incident in a list."""
    latest = one.updates[0].message if one.updates else ""
    said = figures.visible(latest)
    return IncidentRow(
        title=figures.visible(one.title),
        href=href_of(page_href, one),
        look=_look(one),
        notes=notes(one, person, now),
        message=said if len(said) <= LONGEST_SAID else f"{said[:LONGEST_SAID].rstrip()}…",
        steps=_steps(one, now),
    )


def notes(one: Incident, person: SignedInPerson, now: int, *, components: bool = True) -> tuple[str, ...]:
    """An incident in one line: its state, severity, start, and the affected components."""
    affected = [figures.visible(each.name) for each in one.affected if each.impact != "operational"]
    names = ", ".join(affected) if components else ""
    if one.kind == "maintenance":
        return tuple(filter(None, (STATUS_LABELS[one.status], planned_text(one, person), names)))
    said = _("Draft") if one.is_draft else STATUS_LABELS[one.status]
    return tuple(
        filter(
            None,
            (
                said,
                _SEVERITIES[one.severity],
                _when(one, person, now),
                names,
                _("Automatic") if one.origin == "monitor" else "",
            ),
        )
    )


def planned_text(one: Incident, person: SignedInPerson) -> str:
    """From when to when a maintenance is planned."""
    if one.scheduled_for is None or one.scheduled_until is None:
        return ""
    return f"{dates.moment(one.scheduled_for, person)} – {dates.moment(one.scheduled_until, person)}"


def incident_shown(
    page_href: str,
    public_url: str,
    one: Incident,
    names: Mapping[str, str],
    reached: Mapping[str, UpdateReach],
    person: SignedInPerson,
    now: int,
) -> IncidentDetail:
    """An incident on its page. `names` are those of authors, `reached` has the subscribers of updates by their ids."""
    href = href_of(page_href, one)
    plan = f"{page_href}/maintenances/{one.id}" if one.kind == "maintenance" and one.is_open else ""
    publishes = one.publish_at if one.is_draft else None
    return IncidentDetail(
        title=figures.visible(one.title),
        href=href,
        look=_look(one),
        is_draft=one.is_draft,
        publishes=_("Published automatically at {when} unless the monitor recovers first.").format(
            when=dates.moment(publishes, person)
        )
        if publishes is not None
        else "",
        public_url="" if one.is_draft else f"{public_url.rstrip('/')}/incidents/{one.id}",
        notes=notes(one, person, now, components=False),
        affected=tuple(f"{figures.visible(each.name)}: {_IMPACT_NAMES[each.impact]}" for each in one.affected),
        updates=tuple(_update(href, each, names, reached.get(each.id), person) for each in one.updates),
        edit=f"{plan}/edit" if plan else "",
        cancel=f"{plan}/cancel" if plan else "",
    )


def _update(
    href: str, one: IncidentUpdate, names: Mapping[str, str], reached: UpdateReach | None, person: SignedInPerson
) -> IncidentUpdateItem:
    author = _("by {who}").format(who=_author(one.author, names)) if one.author else _("automatic")
    corrected = _("corrected") if one.updated_at != one.created_at else ""
    return IncidentUpdateItem(
        label=STATUS_LABELS[one.status],
        at=dates.moment(one.at, person),
        html=markdown.html(one.message),
        notes=tuple(filter(None, (author, _delivery_text(one, reached), corrected))),
        href=f"{href}/updates/{one.id}",
    )


def _delivery_text(one: IncidentUpdate, reached: UpdateReach | None) -> str:
    """Whether subscribers have received an update."""
    if not one.notified:
        return _("subscribers not notified")
    if reached is not None and reached.sent:
        return ngettext("1 subscriber notified", "{count} subscribers notified", reached.sent).format(
            count=figures.count(reached.sent)
        )
    return _("waiting to notify subscribers") if reached is not None and reached.waits else _("no subscribers notified")


def _author(author: str, names: Mapping[str, str]) -> str:
    """The name of an author as members know it."""
    if author in names:
        return figures.visible(names[author])
    kind, _rest, _rest = author.partition(":")
    return _AUTHORS.get(kind, figures.visible(author))


def _look(one: Incident) -> str:
    """The style of an incident: by its severity while it is open."""
    if not one.is_open:
        return "over"
    return one.severity if one.kind == "incident" else "maintenance"


def _when(one: Incident, person: SignedInPerson, now: int) -> str:
    if one.is_open:
        since = duration_text((now - one.started_at) // SECOND)
        return _("since {when} ({duration})").format(when=dates.moment(one.started_at, person), duration=since)
    ended = one.resolved_at or one.updated_at
    duration = duration_text((ended - one.started_at) // SECOND)
    return _("{when}, lasted {duration}").format(when=dates.moment(one.started_at, person), duration=duration)


def _steps(one: Incident, now: int) -> tuple[tuple[Status, str, bool], ...]:
    """The states that may follow; what only says more comes last."""
    following = [status for status in moves(one, now) if status != one.status]
    usual = following[0] if following else None
    said = [(status, STATUS_LABELS[status], status == usual) for status in following]
    return (*said, (one.status, _("Another update"), False)) if one.is_open else tuple(said)
