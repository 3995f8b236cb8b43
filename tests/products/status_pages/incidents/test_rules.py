"""Every state of an incident and of a maintenance, and every other one: what may follow, and what comes of it."""

from typing import Any, Final

import pytest

from analytics_box.base.clock import DAY, MINUTE
from analytics_box.base.errors import BadRequest
from analytics_box.products.status_pages.incident import AffectedComponent, Incident, IncidentUpdate, Kind, Status
from analytics_box.products.status_pages.incidents import rules
from tests.cases import each

NOW: Final = 1_780_000_000_000
DOWN: Final = AffectedComponent(component_id="component-1", name="API", impact="down")
SLOW: Final = AffectedComponent(component_id="component-2", name="Web", impact="degraded")

OF_INCIDENTS: Final[tuple[Status, ...]] = ("investigating", "identified", "monitoring", "resolved", "postmortem")
OF_MAINTENANCES: Final[tuple[Status, ...]] = ("scheduled", "in_progress", "verifying", "completed")

# A row is what it is, a column what is said of it next: x is allowed, r only within a day of its first end.
INCIDENTS: Final = """
                investigating identified monitoring resolved postmortem
investigating   x             x          x          x        .
identified      .             x          x          x        .
monitoring      .             .          x          x        .
resolved        r             r          r          .        x
postmortem      .             .          .          .        .
"""
MAINTENANCES: Final = """
                scheduled in_progress verifying completed
scheduled       x         x           x         x
in_progress     .         x           x         x
verifying       .         .           x         x
completed       .         .           .         .
"""


def moves(table: str) -> list[tuple[str, str, str]]:
    """State, next state, and the mark of the table."""
    head, *lines = table.strip().splitlines()
    return [
        (line.split()[0], after, mark)
        for line in lines
        for after, mark in zip(head.split(), line.split()[1:], strict=True)
    ]


def said(status: Status, at: int = NOW, *affected: AffectedComponent) -> IncidentUpdate:
    name = f"update-{status}-{at}"
    return IncidentUpdate(
        id=name,
        incident_id="incident",
        status=status,
        message="",
        at=at,
        created_at=at,
        updated_at=at,
        affected=affected,
    )


def told(*updates: IncidentUpdate, kind: Kind = "incident") -> Incident:
    """An incident of which these updates were made, one after the other."""
    first = updates[0]
    incident = Incident(
        id="incident",
        page_id="page-one",
        kind=kind,
        title="It broke",
        status=rules.FIRST[kind],
        started_at=first.at,
        scheduled_for=first.at if kind == "maintenance" else None,
        scheduled_until=first.at + 60 * MINUTE if kind == "maintenance" else None,
    )
    for update in updates:
        incident = rules.apply_update(incident, update)
    return incident


def allows(incident: Incident, status: Status, now: int = NOW) -> bool:
    try:
        rules.check_move(incident, status, now)
    except BadRequest as refused:
        return incident.status not in refused.message or refused.details[0].field != "status"
    return True


@each(("before", "after", "mark"), moves(INCIDENTS))
def test_each_state_of_an_incident_is_followed_by_what_the_table_says(before: Any, after: Any, mark: str) -> None:
    incident = told(said("investigating", NOW - DAY), said(before, NOW - DAY))
    assert allows(incident, after) is (mark in "xr")
    assert allows(incident, after, NOW + 1) is (mark == "x")


@each(("before", "after", "mark"), moves(MAINTENANCES))
def test_each_state_of_a_maintenance_is_followed_by_what_the_table_says(before: Any, after: Any, mark: str) -> None:
    maintenance = told(said("scheduled", NOW - DAY), said(before, NOW - DAY), kind="maintenance")
    assert allows(maintenance, after) is allows(maintenance, after, NOW + 9 * DAY) is (mark == "x")


@each(
    ("kind", "own", "others"),
    [("incident", OF_INCIDENTS, OF_MAINTENANCES), ("maintenance", OF_MAINTENANCES, OF_INCIDENTS)],
)
def test_neither_kind_comes_to_a_state_of_the_other(kind: Kind, own: Any, others: Any) -> None:
    for status in own:
        one = told(said(rules.FIRST[kind]), said(status), kind=kind)
        assert not any(allows(one, other) for other in others)


@pytest.mark.parametrize("again", rules.REOPENED)
def test_an_incident_is_reopened_only_once(again: Status) -> None:
    once = told(said("investigating"), said("resolved"), said(again))
    assert once.is_open
    assert rules.was_reopened(once)
    twice = rules.apply_update(once, said("resolved"))
    assert rules.moves(twice, NOW) == ("postmortem",)


def test_a_clock_that_was_set_back_forbids_nothing_and_keeps_updates_in_their_order() -> None:
    incident = told(said("investigating"), said("resolved"))
    assert rules.may_reopen(incident, NOW - 90 * DAY)
    assert rules.effective_time(incident, NOW - 90 * DAY) == NOW
    assert rules.effective_time(incident, NOW + 1) == NOW + 1


# Updates, and when it then is: monitored since, resolved at, started at (minutes after NOW).
TIMES: Final = (
    ("investigating", None, None),
    ("investigating monitoring", 1, None),
    ("investigating monitoring monitoring", 1, None),
    ("investigating monitoring resolved", 1, 2),
    ("investigating resolved", None, 1),
    ("investigating resolved postmortem", None, 1),
    ("investigating monitoring resolved identified", None, None),
    ("investigating monitoring resolved monitoring", 3, None),
    ("investigating monitoring resolved identified resolved", None, 4),
)


@each(("statuses", "monitoring", "resolved"), TIMES)
def test_updates_say_since_when_it_is_watched_and_when_it_ended(
    statuses: Any, monitoring: int | None, resolved: int | None
) -> None:
    incident = told(*(said(status, NOW + place * MINUTE) for place, status in enumerate(statuses.split())))
    minutes = [at and (at - NOW) // MINUTE for at in (incident.monitoring_at, incident.resolved_at)]
    assert minutes == [monitoring, resolved]
    assert incident.started_at == NOW
    assert incident.is_open is (resolved is None)


def test_a_maintenance_has_started_when_it_is_under_way_and_not_when_it_was_planned() -> None:
    begun = told(said("scheduled"), said("scheduled", NOW + 1), said("in_progress", NOW + 2), kind="maintenance")
    assert begun.started_at == NOW + 2
    cancelled = told(said("scheduled"), said("completed", NOW + 5), kind="maintenance")
    assert (cancelled.started_at, cancelled.resolved_at) == (NOW, NOW + 5)


def test_components_of_an_open_incident_are_as_was_said_last_and_of_an_ended_one_as_they_were_at_worst() -> None:
    better = AffectedComponent(component_id="component-1", name="API", impact="degraded")
    incident = told(said("investigating", NOW, DOWN), said("identified", NOW, better, SLOW))
    assert incident.affected == (better, SLOW)
    ended = rules.apply_update(incident, said("resolved", NOW, *rules.all_operational(incident.affected)))
    assert [(one.name, one.impact) for one in ended.updates[0].affected] == [
        ("API", "operational"),
        ("Web", "operational"),
    ]
    assert [(one.name, one.impact) for one in ended.affected] == [("API", "down"), ("Web", "degraded")]
    assert rules.standing(ended) == (better, SLOW)


def test_components_that_are_gone_are_told_apart_by_their_names() -> None:
    gone = [AffectedComponent(component_id=None, name=name, impact="down") for name in ("API", "Web")]
    assert rules.worst([said("investigating", NOW, *gone)]) == tuple(gone)


@each(("minutes", "fits"), [(-1, False), (0, False), (1, True), (31 * 24 * 60, True), (31 * 24 * 60 + 1, False)])
def test_a_maintenance_ends_after_it_starts_and_within_a_month(minutes: int, *, fits: bool) -> None:
    if fits:
        rules.check_times(NOW, NOW + minutes * MINUTE)
    else:
        with pytest.raises(BadRequest):
            rules.check_times(NOW, NOW + minutes * MINUTE)
