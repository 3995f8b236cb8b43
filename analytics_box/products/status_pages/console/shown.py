"""Incidents and maintenances as the pages of the dashboard show them. Pure but for the person's time zone."""

from collections.abc import Mapping
from typing import Final

from markupsafe import Markup
from msgspec import Struct

from analytics_box.base.clock import SECOND
from analytics_box.base.identity import SignedInPerson
from analytics_box.base.texts import IncidentConsole, MaintenancePlanner, figures
from analytics_box.products.monitors.listing.lines import duration_text
from analytics_box.products.status_pages import markdown
from analytics_box.products.status_pages.incident import Incident, IncidentUpdate, Status
from analytics_box.products.status_pages.incidents.rules import moves
from analytics_box.products.status_pages.subscribers.deliveries import UpdateReach
from analytics_box.web.page import dates

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
    words = IncidentConsole
    affected = [figures.visible(each.name) for each in one.affected if each.impact != "operational"]
    names = words.comma.join(affected) if components else ""
    if one.kind == "maintenance":
        return tuple(filter(None, (words.statuses[one.status], planned_text(one, person), names)))
    said = words.draft if one.is_draft else words.statuses[one.status]
    return tuple(
        filter(
            None,
            (
                said,
                words.severities[one.severity],
                _when(one, person, now),
                names,
                words.from_monitor if one.origin == "monitor" else "",
            ),
        )
    )


def planned_text(one: Incident, person: SignedInPerson) -> str:
    """From when to when a maintenance is planned."""
    if one.scheduled_for is None or one.scheduled_until is None:
        return ""
    return MaintenancePlanner.when.format(
        start=dates.moment(one.scheduled_for, person), end=dates.moment(one.scheduled_until, person)
    )


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
    words, href = IncidentConsole, href_of(page_href, one)
    plan = f"{page_href}/maintenances/{one.id}" if one.kind == "maintenance" and one.is_open else ""
    publishes = one.publish_at if one.is_draft else None
    return IncidentDetail(
        title=figures.visible(one.title),
        href=href,
        look=_look(one),
        is_draft=one.is_draft,
        publishes=words.draft_publishes.format(when=dates.moment(publishes, person)) if publishes is not None else "",
        public_url="" if one.is_draft else f"{public_url.rstrip('/')}/incidents/{one.id}",
        notes=notes(one, person, now, components=False),
        affected=tuple(
            words.affected_is.format(name=figures.visible(each.name), impact=words.impact_names[each.impact])
            for each in one.affected
        ),
        updates=tuple(_update(href, each, names, reached.get(each.id), person) for each in one.updates),
        edit=f"{plan}/edit" if plan else "",
        cancel=f"{plan}/cancel" if plan else "",
    )


def _update(
    href: str, one: IncidentUpdate, names: Mapping[str, str], reached: UpdateReach | None, person: SignedInPerson
) -> IncidentUpdateItem:
    words = IncidentConsole
    author = words.by.format(who=_author(one.author, names)) if one.author else words.by_box
    corrected = words.corrected if one.updated_at != one.created_at else ""
    return IncidentUpdateItem(
        label=words.statuses[one.status],
        at=dates.moment(one.at, person),
        html=markdown.html(one.message),
        notes=tuple(filter(None, (author, _delivery_text(one, reached), corrected))),
        href=f"{href}/updates/{one.id}",
    )


def _delivery_text(one: IncidentUpdate, reached: UpdateReach | None) -> str:
    """Whether subscribers have received an update."""
    words = IncidentConsole
    if not one.notified:
        return words.not_sent
    if reached is not None and reached.sent:
        return words.sent[reached.sent == 1].format(count=figures.count(reached.sent))
    return words.sending if reached is not None and reached.waits else words.reached_nobody


def _author(author: str, names: Mapping[str, str]) -> str:
    """The name of an author as members know it."""
    if author in names:
        return figures.visible(names[author])
    kind, _, _ = author.partition(":")
    return IncidentConsole.authors.get(kind, figures.visible(author))


def _look(one: Incident) -> str:
    """The style of an incident: by its severity while it is open."""
    if not one.is_open:
        return "over"
    return one.severity if one.kind == "incident" else "maintenance"


def _when(one: Incident, person: SignedInPerson, now: int) -> str:
    words = IncidentConsole
    if one.is_open:
        since = duration_text((now - one.started_at) // SECOND)
        return words.began.format(when=dates.moment(one.started_at, person), duration=since)
    ended = one.resolved_at or one.updated_at
    duration = duration_text((ended - one.started_at) // SECOND)
    return words.ended.format(when=dates.moment(one.started_at, person), duration=duration)


def _steps(one: Incident, now: int) -> tuple[tuple[Status, str, bool], ...]:
    """The states that may follow; what only says more comes last."""
    following = [status for status in moves(one, now) if status != one.status]
    usual = following[0] if following else None
    said = [(status, IncidentConsole.statuses[status], status == usual) for status in following]
    return (*said, (one.status, IncidentConsole.say_more, False)) if one.is_open else tuple(said)
