"""The states of incidents and maintenances, their allowed order, and the effect of an update. Pure."""

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from analytics_box.base.clock import DAY
from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _
from analytics_box.products.status_pages.incident import (
    ENDED,
    AffectedComponent,
    Impact,
    Incident,
    IncidentUpdate,
    Kind,
    Status,
)

FIRST: Final[dict[Kind, Status]] = {"incident": "investigating", "maintenance": "scheduled"}
REOPENING: Final = DAY  # ms after its end in which an incident may be reopened, once
LONGEST_MAINTENANCE: Final = 31 * DAY

# The possible next statuses; the same status again is another update. REOPENED follows only once, within a day.
MOVES: Final[dict[Status, tuple[Status, ...]]] = {
    "investigating": ("investigating", "identified", "monitoring", "resolved"),
    "identified": ("identified", "monitoring", "resolved"),
    "monitoring": ("monitoring", "resolved"),
    "resolved": ("postmortem",),
    "postmortem": (),
    "scheduled": ("scheduled", "in_progress", "verifying", "completed"),
    "in_progress": ("in_progress", "verifying", "completed"),
    "verifying": ("verifying", "completed"),
    "completed": (),
}
REOPENED: Final[tuple[Status, ...]] = ("investigating", "identified", "monitoring")

_SEVERE: Final[dict[Impact, int]] = {"operational": 0, "maintenance": 1, "degraded": 2, "partial": 3, "down": 4}
_WATCHED: Final[frozenset[Status]] = frozenset(("monitoring", "verifying"))
_OVER: Final[dict[Kind, Status]] = {"incident": "resolved", "maintenance": "completed"}


def moves(incident: Incident, now: int) -> tuple[Status, ...]:
    """The possible next statuses, in their order."""
    following = MOVES[incident.status]
    return (*REOPENED, *following) if may_reopen(incident, now) else following


def check_move(incident: Incident, status: Status, now: int) -> None:
    """Raises BadRequest for a status that cannot follow."""
    if status in moves(incident, now):
        return
    allowed = ", ".join(moves(incident, now)) or "nothing"
    why = ""
    if incident.status == "resolved" and status in REOPENED:
        why = "; an incident may be reopened once, within 24 hours"
    raise BadRequest.about(
        "status",
        _("The state after {before} can be {allowed}, but not {status}{why}").format(
            before=incident.status, allowed=allowed, status=status, why=why
        ),
    )


def may_reopen(incident: Incident, now: int) -> bool:
    """Return whether it ended less than a day ago for the first time; a clock that was set back does not matter."""
    if incident.status != "resolved" or incident.resolved_at is None:
        return False
    return now - incident.resolved_at <= REOPENING and not was_reopened(incident)


def was_reopened(incident: Incident) -> bool:
    """Return whether it was reopened after its end."""
    ended = False
    for update in reversed(incident.updates):
        if ended and update.status not in ENDED:
            return True
        ended = ended or update.status in ENDED
    return False


def effective_time(incident: Incident, now: int) -> int:
    """The effective time of an update that is made now: never before the previous update, even if the clock was set
    back.
    """
    return max(now, incident.updates[0].at) if incident.updates else now


def apply_update(incident: Incident, update: IncidentUpdate) -> Incident:
    """The incident after an update, which holds the state of its components from then on.

    If it has ended, `affected` has the worst impact on each component.
    """
    status, at = update.status, update.at
    opens = status not in ENDED
    updates = (update, *incident.updates)
    resolved_at = None if opens else incident.resolved_at if status == "postmortem" else at
    monitoring_at = incident.monitoring_at if incident.is_open or not opens else None
    if status in _WATCHED and monitoring_at is None:
        monitoring_at = at
    started_at = incident.started_at
    if incident.status == "scheduled" and opens and status != "scheduled":
        started_at = at
    elif incident.status == "scheduled" and not opens:
        started_at = min(started_at, at)  # it never began
    return replace(
        incident,
        status=status,
        started_at=started_at,
        monitoring_at=monitoring_at,
        resolved_at=resolved_at,
        publish_at=incident.publish_at if opens else None,
        updated_at=update.updated_at,
        updates=updates,
        affected=update.affected if opens else worst(updates),
    )


def standing(incident: Incident) -> tuple[AffectedComponent, ...]:
    """The components as they are unless an update says otherwise; those of an ended incident as they were before its
    end.
    """
    if incident.is_open:
        return incident.affected
    return next((update.affected for update in incident.updates if update.status not in ENDED), incident.affected)


def all_operational(affected: Iterable[AffectedComponent]) -> tuple[AffectedComponent, ...]:
    """The components with the impact operational."""
    return tuple(replace(one, impact="operational") for one in affected)


def worst(updates: Iterable[IncidentUpdate]) -> tuple[AffectedComponent, ...]:
    """Every component that updates name, newest names first, with the worst impact that it had."""
    found: dict[str, AffectedComponent] = {}
    for update in updates:
        for one in update.affected:
            key = one.component_id or f"\0{one.name}"
            before = found.get(key)
            if before is None:
                found[key] = one
            elif _SEVERE[one.impact] > _SEVERE[before.impact]:
                found[key] = replace(before, impact=one.impact)
    return tuple(found.values())


def ending(kind: Kind) -> Status:
    """The status that ends an incident of this kind."""
    return _OVER[kind]


def check_times(start: int, end: int) -> None:
    """Raises BadRequest for a maintenance that ends before it starts, or lasts too long."""
    if end <= start:
        raise BadRequest.about("scheduledUntil", _("Enter an end after the start"))
    if end - start > LONGEST_MAINTENANCE:
        raise BadRequest.about("scheduledUntil", _("Enter a duration of up to 31 days"))


def covered_until(incident: Incident, others: Iterable[Incident], now: int) -> int | None:
    """The end of the maintenances that explain all impacts of an incident (UTC ms); None if they do not explain them
    all.

    An incident that is only a consequence of a maintenance need not be published before the maintenance is due to end.
    """
    under = [
        (one.component_id, maintenance.scheduled_until or 0)
        for maintenance in others
        if maintenance.kind == "maintenance" and maintenance.is_active and (maintenance.scheduled_until or 0) > now
        for one in maintenance.affected
        if one.component_id is not None
    ]
    wrong = {one.component_id for one in incident.affected if one.impact != "operational"}
    if not wrong or not wrong <= {component_id for component_id, _ in under}:
        return None
    return max(until for component_id, until in under if component_id in wrong)
