"""A status page in the words and shapes of its templates. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Final, Literal

from markupsafe import Markup
from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.translation import _
from analytics_box.products.status_pages import markdown
from analytics_box.products.status_pages.incident import STATUS_LABELS
from analytics_box.products.status_pages.page import ComponentStatus
from analytics_box.products.status_pages.seen import (
    AffectedSeen,
    ComponentDay,
    ComponentSeen,
    GroupSeen,
    IncidentSeen,
    Indicator,
    PageSeen,
    UpdateSeen,
)
from analytics_box.products.status_pages.serving import times
from analytics_box.products.status_pages.serving.bars import DAY_LABELS, Bars, bars
from analytics_box.products.status_pages.serving.times import DisplayTime

COMPONENT_LABELS = {
    "operational": _("Operational"),
    "degraded_performance": _("Degraded performance"),
    "partial_outage": _("Partial outage"),
    "major_outage": _("Major outage"),
    "under_maintenance": _("Under maintenance"),
    None: _("No data"),
}
_SEVERITIES = {"minor": _("Minor"), "major": _("Major"), "critical": _("Critical")}
_IMPACTS = {
    "operational": _("operational"),
    "degraded": _("degraded"),
    "partial": _("partial outage"),
    "down": _("major outage"),
}


HEIGHT: Final = 40  # of the drawing


class LatencyChart(Struct, frozen=True):
    """Two lines over zero: of the average and, if it is wanted, of the time within which 95 % of checks were answered.
    `words` says what they say."""

    width: int
    average: str
    slow: str
    words: str


def chart(days: Sequence[ComponentDay], *, slow: bool) -> LatencyChart | None:
    """The lines of these days, that of slow checks only where there is room for it; None if nothing is known."""
    averages, slows = [one.average_ms for one in days], [one.p95_ms if slow else None for one in days]
    known = [value for value in (*averages, *slows) if value is not None]
    usual = [value for value in averages if value is not None]
    if not known or len(days) < 2:
        return None
    top = max(*known, 1.0)
    average = sum(usual) / len(usual) if usual else sum(known) / len(known)
    words = _("Response time over {days} days: {average} on average, at most {top}").format(
        days=len(days), average=figures.milliseconds(average), top=figures.milliseconds(max(known))
    )
    return LatencyChart(len(days), _line(averages, top), _line(slows, top), words)


def _line(values: Sequence[float | None], top: float) -> str:
    """A path through the middles of the days: for each piece without gaps where it begins, and its steps."""
    said = []
    for is_gap, piece in groupby(enumerate(values), key=lambda pair: pair[1] is None):
        if is_gap:
            continue
        known = list(piece)
        heights = [HEIGHT - round((value or 0.0) / top * HEIGHT) for _rest, value in known]
        said.append(f"M{known[0][0]}.5 {heights[0]}{_steps(heights)}")
    return "".join(said)


def _steps(heights: Sequence[int]) -> str:
    """From one to the next, in few characters: level ones are one step, and a minus parts numbers by itself."""
    if len(heights) == 1:
        return "h0"
    steps = (after - before for before, after in pairwise(heights))
    said = []
    for step, same in groupby(steps):
        count = len(list(same))
        said += [(count, 0)] if step == 0 else [(1, step)] * count
    return "l" + " ".join(f"{days}{'' if step < 0 else ' '}{step}" for days, step in said)


Look = Literal["up", "degraded", "down", "maintenance", "unknown"]  # the classes of status.css

RECENT_MS: Final = 14 * 86_400_000  # for how long what is over stays on the page
_MOST_RECENT: Final = 10
_MOST_ACTIVE: Final = 20  # of those that are open and of those that are planned; the history has all
_SAID: Final = 1  # updates of an incident in a list
_SAID_OF_ACTIVE: Final = 5  # and of one that is going on
MOST_SAID: Final = 50  # updates on a page of an incident
_ALL_OPEN: Final = 10  # components, up to which groups are unfolded
_MOST_NOTED: Final = 6  # days in the list below the bars of a component
LOOKS: Final[dict[ComponentStatus | None, Look]] = {
    "operational": "up",
    "degraded_performance": "degraded",
    "partial_outage": "degraded",
    "major_outage": "down",
    "under_maintenance": "maintenance",
    None: "unknown",
}
_HEADLINES: Final[dict[Indicator, Look]] = {
    "none": "up",
    "minor": "degraded",
    "major": "down",
    "critical": "down",
    "maintenance": "maintenance",
}


class ComponentView(Struct, frozen=True, kw_only=True):
    """A component with its days. `noted` are the days that were not as they should be, in words."""

    id: str
    name: str
    description: str
    domain: str | None
    look: Look
    status: str
    uptime: str
    bars: Bars | None
    noted: tuple[str, ...]
    more_noted: bool
    chart: LatencyChart | None

    @property
    def has_more(self) -> bool:
        """Whether there is something to unfold."""
        return bool(self.noted or self.chart or (self.bars and self.uptime))


class DayView(Struct, frozen=True, kw_only=True):
    """A day in the table of a component."""

    date: str
    state: str
    uptime: str
    down: str
    average: str
    slow: str


class ComponentGroupView(Struct, frozen=True, kw_only=True):
    """Components under one name; without a name it is one component alone."""

    name: str
    description: str
    look: Look
    status: str
    is_open: bool
    components: tuple[ComponentView, ...]


class IncidentUpdateView(Struct, frozen=True, kw_only=True):
    """An incident update and its time. `affected` has the components' states from then on."""

    id: str
    status: str
    html: Markup
    at: DisplayTime
    affected: str


class IncidentView(Struct, frozen=True, kw_only=True):
    """An incident or a maintenance, with its ends as far as they are known; `lasted` is empty while it lasts.

    `updates` are the latest, or a part of all; `has_more` says whether there are earlier ones.
    """

    id: str
    title: str
    look: Look
    status: str
    severity: str
    is_maintenance: bool
    is_open: bool
    start: DisplayTime
    end: DisplayTime | None
    lasted: str
    affected: str
    updates: tuple[IncidentUpdateView, ...]
    has_more: bool


class PublicPageView(Struct, frozen=True, kw_only=True):
    """The content of the page. `stale` says how old it is, and is empty for current content."""

    look: Look
    headline: str
    at: DisplayTime
    stale: str
    active: tuple[IncidentView, ...]
    planned: tuple[IncidentView, ...]
    groups: tuple[ComponentGroupView, ...]
    recent: tuple[IncidentView, ...]
    has_more: bool  # open or planned ones, which are in the history


def page(seen: PageSeen, now: int, drawn: Mapping[str, ComponentView] | None = None) -> PublicPageView:
    """The page at an instant in UTC ms. `drawn` are its components by id, where they are shown already."""
    components = tuple(one for one in seen.components if not (one.only_if_degraded and one.status == "operational"))
    everything = (*seen.incidents, *seen.maintenances)
    active = sorted((one for one in everything if one.is_open and one.status != "scheduled"), key=_newest)
    planned = sorted((one for one in seen.maintenances if one.status == "scheduled"), key=_soonest)
    recent = sorted((one for one in everything if not one.is_open and _end_of(one) >= now - RECENT_MS), key=_newest)
    return PublicPageView(
        look=look_of(seen),
        headline=seen.headline,
        at=times.moment(seen.at, seen.zone),
        stale=_stale(seen, now),
        active=tuple(incident(one, seen.zone, _SAID_OF_ACTIVE) for one in active[:_MOST_ACTIVE]),
        planned=tuple(incident(one, seen.zone) for one in planned[:_MOST_ACTIVE]),
        groups=tuple(_groups(seen.groups, components, drawn or {})),
        recent=tuple(incident(one, seen.zone) for one in recent[:_MOST_RECENT]),
        has_more=max(len(active), len(planned)) > _MOST_ACTIVE,
    )


def look_of(seen: PageSeen) -> Look:
    """The look of the whole page."""
    return "unknown" if seen.overall == "unknown" else _HEADLINES[seen.indicator]


def day_rows(one: ComponentSeen) -> tuple[DayView, ...]:
    """All days of a component, latest first."""
    return tuple(
        DayView(
            date=times.day(day.date),
            state=DAY_LABELS[day.state].capitalize(),
            uptime=figures.uptime(day.uptime) if day.uptime is not None else "–",
            down=figures.duration(day.downtime_seconds) if day.downtime_seconds else "–",
            average=figures.milliseconds(day.average_ms) if day.average_ms is not None else "–",
            slow=figures.milliseconds(day.p95_ms) if day.p95_ms is not None else "–",
        )
        for day in reversed(one.days)
    )


def columns(one: ComponentSeen) -> frozenset[str]:
    """The known and visible columns of a component's table of days."""
    known = {
        "uptime": one.shows_uptime and any(day.uptime is not None for day in one.days),
        "latency": one.shows_latency and any(day.average_ms is not None for day in one.days),
    }
    return frozenset(name for name, there in known.items() if there)


def component(one: ComponentSeen, *, alone: bool = False) -> ComponentView:
    """A component, on the status page or alone on its page."""
    drawn = bars(one.days)
    noted = drawn.noted if drawn is not None else ()
    return ComponentView(
        id=one.id,
        name=one.name,
        description=one.description,
        domain=one.domain,
        look=LOOKS[one.status],
        status=COMPONENT_LABELS[one.status],
        uptime=_("{uptime} uptime").format(uptime=figures.uptime(one.uptime)) if one.uptime is not None else "",
        bars=drawn,
        noted=tuple(run.words for run in noted[:_MOST_NOTED]),
        more_noted=len(noted) > _MOST_NOTED,
        chart=chart(one.days, slow=alone) if one.shows_latency else None,
    )


def incident(one: IncidentSeen, zone: str, most: int = _SAID, start_at: int = 0) -> IncidentView:
    """An incident or maintenance, with its times in the page's zone, and up to `most` of its updates."""
    planned = one.kind == "maintenance"
    start = one.scheduled_for if planned and one.scheduled_for is not None else one.started_at
    end = one.scheduled_until if planned and one.is_open else one.resolved_at
    return IncidentView(
        id=one.id,
        title=one.title,
        look=_incident_look(one),
        status=STATUS_LABELS[one.status],
        severity="" if planned else _SEVERITIES[one.severity],
        is_maintenance=planned,
        is_open=one.is_open,
        start=times.moment(start, zone),
        end=times.end(end, start, zone) if end is not None else None,
        lasted=times.duration_text(one.resolved_at - start) if one.resolved_at is not None and not one.is_open else "",
        affected=_affected_text(one.affected),
        updates=tuple(update(said, zone) for said in one.updates[start_at : start_at + most]),
        has_more=len(one.updates) > start_at + most,
    )


def update(one: UpdateSeen, zone: str) -> IncidentUpdateView:
    """An update, with its time in the page's zone."""
    return IncidentUpdateView(
        id=one.id,
        status=STATUS_LABELS[one.status],
        html=markdown.html(one.message),
        at=times.moment(one.at, zone),
        affected=_affected_text(one.affected),
    )


def _groups(
    groups: tuple[GroupSeen, ...], components: tuple[ComponentSeen, ...], drawn: Mapping[str, ComponentView]
) -> Iterable[ComponentGroupView]:
    """Groups and single components in the order that they share; a group without components is not there."""
    known = {group.id for group in groups}
    entries: list[tuple[int, GroupSeen | None, tuple[ComponentSeen, ...]]] = [
        (one.position, None, (one,)) for one in components if one.group_id not in known
    ]
    for group in groups:
        inside = tuple(one for one in components if one.group_id == group.id)
        if inside:
            entries.append((group.position, group, inside))
    few = len(components) <= _ALL_OPEN
    for _rest, found, inside in sorted(entries, key=lambda entry: entry[0]):
        shown = tuple(drawn.get(one.id) or component(one) for one in sorted(inside, key=lambda one: one.position))
        if found is None:
            yield ComponentGroupView(name="", description="", look="up", status="", is_open=True, components=shown)
        else:
            yield ComponentGroupView(
                name=found.name,
                description=found.description,
                look=LOOKS[found.status],
                status=COMPONENT_LABELS[found.status],
                is_open=few or found.status != "operational",
                components=shown,
            )


def _incident_look(one: IncidentSeen) -> Look:
    if not one.is_open:
        return "up"
    if one.kind == "maintenance":
        return "maintenance"
    return "degraded" if one.severity == "minor" else "down"


def _affected_text(found: Iterable[AffectedSeen]) -> str:
    """The components with their impacts; a maintenance need not repeat that it is one."""
    return ", ".join(
        one.name if one.impact == "maintenance" else f"{one.name} ({_IMPACTS[one.impact]})" for one in found
    )


def _stale(seen: PageSeen, now: int) -> str:
    if seen.stale_since is None:
        return ""
    return _("This page could not be updated. It shows the status of {ago} ago ({time}).").format(
        ago=times.duration_text(now - seen.stale_since), time=times.moment(seen.stale_since, seen.zone).text
    )


def _newest(one: IncidentSeen) -> tuple[int, str]:
    return -one.started_at, one.id


def _soonest(one: IncidentSeen) -> tuple[int, str]:
    return one.scheduled_for or 0, one.id


def _end_of(one: IncidentSeen) -> int:
    return one.resolved_at if one.resolved_at is not None else one.updated_at
