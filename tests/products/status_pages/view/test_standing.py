"""How a component and a page stand, as literal tables (wire 9.2)."""

from typing import Any

from analytics_box.products.monitors.engine import State
from analytics_box.products.monitors.monitor import Monitor, Options
from analytics_box.products.monitors.result import CheckResult, Outcome
from analytics_box.products.status_pages.incident import AffectedComponent, Impact, Incident, Kind, Severity, Status
from analytics_box.products.status_pages.page import ComponentStatus
from analytics_box.products.status_pages.seen import Current, Freshness, Indicator, Overall
from analytics_box.products.status_pages.view import standing
from analytics_box.products.status_pages.view.standing import Own
from tests.cases import each
from tests.inprocess import NOON
from tests.products.monitors.world import Now

MINUTE, HOUR = 60_000, 3_600_000
MONITOR = Monitor(number=1, id="monitor-1", organization_id="organization-1", url="https://example.com", interval=60)

UP = Own("up", "fresh", "operational")
DEGRADED = Own("degraded", "fresh", "degraded_performance")
DOWN = Own("down", "fresh", "major_outage")
ANSWERING = Own("degraded", "fresh", "major_outage")  # down, with a status below 500
PARTLY = Own("degraded", "fresh", "partial_outage")
STALE = Own("up", "stale", None)
UNKNOWN = Own("unknown", "unknown", None)
IN_MAINTENANCE = Own("up", "fresh", "under_maintenance")


def checked(state: State, outcome: Outcome = "pass", code: int = 200, age: int = 30_000) -> Now:
    return Now(state, NOON - HOUR, CheckResult(at=NOON - age, outcome=outcome, http_code=code))


def incident(
    impact: Impact = "degraded",
    severity: Severity = "minor",
    status: Status = "identified",
    kind: Kind = "incident",
    component: str | None = "component-a",
    **more: Any,
) -> Incident:
    return Incident(
        id="incident-1",
        page_id="page-1",
        kind=kind,
        title="It is broken",
        status=status,
        severity=severity,
        affected=(AffectedComponent(component_id=component, name="A", impact=impact),),
        **more,
    )


def maintenance(status: Status = "in_progress") -> Incident:
    return incident("maintenance", kind="maintenance", status=status)


@each(
    ("live", "current", "freshness", "status"),
    [
        (None, "unknown", "unknown", None),
        (Now("new", 0), "unknown", "unknown", None),
        (checked("up"), "up", "fresh", "operational"),
        (checked("up", age=5 * MINUTE), "up", "fresh", "operational"),
        (checked("up", age=5 * MINUTE + 1), "up", "stale", None),
        (checked("degraded"), "degraded", "fresh", "degraded_performance"),
        (checked("degraded", age=HOUR), "degraded", "stale", None),
        (checked("verifying", "fail", 0), "up", "fresh", "operational"),
        (checked("down", "fail", 0), "down", "fresh", "major_outage"),
        (checked("down", "fail", 500), "down", "fresh", "major_outage"),
        (checked("down", "fail", 499), "degraded", "fresh", "major_outage"),  # degraded on the wire only (9.2)
        (checked("down", "fail", 0, age=HOUR), "down", "stale", "major_outage"),
        (checked("unknown", "fail", 0), "unknown", "fresh", None),
        (checked("paused", age=HOUR), "unknown", "stale", None),
        (checked("maintenance"), "up", "fresh", "under_maintenance"),
        (checked("maintenance", "fail", 0), "degraded", "fresh", "under_maintenance"),
        (checked("maintenance", age=HOUR), "up", "stale", "under_maintenance"),
    ],
)
def test_a_component_is_as_its_monitor_is(
    live: Now | None, current: Current, freshness: Freshness, status: ComponentStatus | None
) -> None:
    found = standing.of_monitor(MONITOR, live, NOON)
    assert (found.current, found.freshness, found.status) == (current, freshness, status)


@each(
    ("interval", "grace", "kind", "age", "freshness"),
    [
        (60, 0, "http", 300_000, "fresh"),
        (60, 0, "http", 300_001, "stale"),
        (600, 0, "http", 1_800_000, "fresh"),
        (600, 0, "http", 1_800_001, "stale"),
        (60, 3_600, "push", 3_780_000, "fresh"),  # one that waits may be that late
        (60, 3_600, "push", 3_780_001, "stale"),
        (60, 3_600, "http", 300_001, "stale"),
    ],
)
def test_a_check_is_fresh_for_three_intervals_or_five_minutes(
    interval: int, grace: int, kind: Any, age: int, freshness: Freshness
) -> None:
    monitor = Monitor(
        number=1,
        id="monitor-1",
        organization_id="organization-1",
        url="https://example.com",
        kind=kind,
        interval=interval,
        options=Options(grace=grace),
    )
    assert standing.of_monitor(monitor, checked("up", age=age), NOON).freshness == freshness


@each(
    ("own", "incidents", "status"),
    [
        (UP, [], "operational"),
        (UP, [incident("operational")], "operational"),
        (UP, [incident("degraded")], "degraded_performance"),
        (UP, [incident("partial")], "partial_outage"),
        (UP, [incident("down")], "major_outage"),
        (UP, [incident("down", component="component-b")], "operational"),
        (UP, [incident("down", component=None)], "operational"),
        (UP, [incident("down", status="resolved")], "operational"),
        (UP, [incident("down", status="postmortem")], "operational"),
        (UP, [incident("down", status="monitoring")], "major_outage"),
        (UP, [incident("down", is_draft=True)], "operational"),
        (UP, [maintenance()], "under_maintenance"),
        (UP, [maintenance("verifying")], "under_maintenance"),
        (UP, [maintenance("scheduled")], "operational"),
        (UP, [maintenance("completed")], "operational"),
        (UP, [maintenance(), incident("degraded")], "degraded_performance"),
        (UNKNOWN, [], None),
        (UNKNOWN, [maintenance()], "under_maintenance"),
        (UNKNOWN, [incident("operational")], None),
        (DOWN, [maintenance()], "major_outage"),  # an outage ranks above maintenance
        (DOWN, [incident("degraded")], "major_outage"),
        (DEGRADED, [incident("partial"), incident("degraded")], "partial_outage"),
    ],
)
def test_a_component_is_the_worst_of_what_is_known_and_said_of_it(
    own: Own, incidents: list[Incident], status: ComponentStatus | None
) -> None:
    assert standing.status_of("component-a", own, incidents) == status


@each(
    ("owns", "incidents", "overall", "indicator"),
    [
        ([], [], "unknown", "none"),
        ([UP, UP], [], "operational", "none"),
        ([UP, STALE], [], "operational", "none"),
        ([STALE, STALE], [], "unknown", "minor"),
        ([UNKNOWN], [], "unknown", "minor"),
        ([Own("unknown", "fresh", None)], [], "unknown", "minor"),  # checked, but the box is cut off
        ([UP, DOWN], [], "degraded", "major"),
        ([DOWN, DOWN], [], "outage", "critical"),
        ([DOWN, STALE], [], "degraded", "major"),
        ([UP, ANSWERING], [], "degraded", "major"),
        ([ANSWERING, ANSWERING], [], "outage", "critical"),
        ([UP, PARTLY], [], "operational", "major"),
        ([PARTLY, PARTLY], [], "operational", "major"),
        ([UP, DEGRADED], [], "operational", "minor"),
        ([UP, IN_MAINTENANCE], [], "operational", "maintenance"),
        ([UP], [maintenance()], "operational", "maintenance"),
        ([UP], [maintenance("scheduled")], "operational", "none"),
        ([UP, DOWN], [maintenance()], "degraded", "major"),
        ([DOWN, DOWN], [maintenance()], "outage", "critical"),
        ([UP], [incident("operational")], "degraded", "minor"),
        ([UP], [incident("down")], "outage", "critical"),  # the one component there is
        ([UP, UP], [incident("down")], "outage", "major"),
        ([UP], [incident("down", component="component-of-somebody-else")], "degraded", "minor"),
        ([UP], [incident("partial", severity="major")], "degraded", "major"),
        ([UP], [incident("operational", severity="major")], "degraded", "major"),
        ([UP], [incident("partial")], "degraded", "major"),
        ([UP], [incident(severity="critical")], "outage", "critical"),
        ([UP], [incident(severity="critical", status="resolved")], "operational", "none"),
        ([UP], [incident(severity="critical", is_draft=True)], "operational", "none"),
        ([], [incident()], "degraded", "minor"),
        ([UP, UP], [incident("down"), maintenance()], "outage", "major"),
    ],
)
def test_a_page_stands_as_the_wire_says(
    owns: list[Own], incidents: list[Incident], overall: Overall, indicator: Indicator
) -> None:
    found = standing.overall(owns, incidents, {"component-a"})
    assert found == overall
    ids = ("component-a", "component-b")
    statuses = [standing.status_of(component, own, incidents) for component, own in zip(ids, owns, strict=False)]
    assert standing.indicator(found, statuses, incidents) == indicator


@each(
    ("statuses", "worst"),
    [
        ([], None),
        (["operational", "operational"], "operational"),
        (["operational", None], None),
        ([None, "under_maintenance"], "under_maintenance"),
        (["under_maintenance", "degraded_performance"], "degraded_performance"),
        (["degraded_performance", "partial_outage"], "partial_outage"),
        (["major_outage", "partial_outage", None], "major_outage"),
    ],
)
def test_a_group_is_as_the_worst_of_its_components(
    statuses: list[ComponentStatus | None], worst: ComponentStatus | None
) -> None:
    assert standing.worst(statuses) == worst
