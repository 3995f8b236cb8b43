"""Maintenances over RPC and by the clock: each begins and ends once, whatever the clock does meanwhile."""

from typing import Any, Final, NamedTuple

from analytics_box.base.clock import MINUTE
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.window import is_on, windows_at
from analytics_box.products.status_pages.page import new_component
from analytics_box.tenants.tenancy.directory import OrganizationDirectory
from tests.cases import each
from tests.products.monitors.world import FakeEngine
from tests.products.status_pages.incidents.world import PAGE, World, affected, component
from tests.tenants.keys.world import make

BEGAN, OVER, CANCELLED = "Maintenance has started.", "Maintenance is complete.", "This maintenance has been canceled."
TOUCHED: Final = {"affectedMonitors": [component("api"), component("people")]}


class Refusal(NamedTuple):
    what: str
    given: dict[str, Any]
    field: str


REFUSALS = (
    Refusal("no title", {"title": ""}, "title"),
    Refusal("no message", {"message": ""}, "message"),
    Refusal("ends first", {"scheduledUntil": "2026-06-17T12:10:00Z"}, "scheduledUntil"),
    Refusal(
        "is over", {"scheduledFor": "2026-06-01T12:10:00Z", "scheduledUntil": "2026-06-01T13:00Z"}, "scheduledUntil"
    ),
    Refusal("too long", {"scheduledUntil": "2026-07-20T12:00:00Z"}, "scheduledUntil"),
    Refusal("far away", {"scheduledFor": "9999-12-31T23:00:00-12:00"}, "scheduledFor"),
    Refusal("unknown component", {"affectedMonitors": ["nothere1"]}, "affectedMonitors"),
)


@each("case", REFUSALS, ids=lambda case: case.what)
def test_a_plan_is_refused(world: World, case: Refusal) -> None:
    times = {"scheduledFor": world.date(30), "scheduledUntil": world.date(60)}
    given = {"statusPageId": PAGE, "title": "New disks", "message": "Soon."} | times | case.given
    answer = world.call("createMaintenance", **given)
    assert answer.status == 400, answer.body
    assert answer.json["details"][0]["field"] == case.field
    assert not world.whole.incidents


def test_key_without_the_scope_for_monitors_cannot_mute_their_alerts(world: World) -> None:
    key = make(world.box, world.box.cookie, scopes=["read:status_pages", "write:status_pages"])["secret"]
    both = make(world.box, world.box.cookie, scopes=["read:status_pages", "write:status_pages", "write:monitors"])[
        "secret"
    ]
    plan = {"statusPageId": PAGE, "title": "New disks", "message": "Soon."}
    plan |= {"scheduledFor": world.date(30), "scheduledUntil": world.date(60)}

    def status(procedure: str, secret: str, **given: Any) -> int:
        return world.box.post(f"/statusPage/{procedure}", given, x_api_key=secret).status

    assert status("createMaintenance", key, **plan | TOUCHED) == 403
    assert status("createMaintenance", both, **plan | TOUCHED) == 200
    assert status("createMaintenance", key, **plan) == 200
    muting, silent = sorted(world.whole.incidents, key=lambda one: not one.affected)
    assert status("updateMaintenance", key, maintenanceId=silent.id, **TOUCHED) == 403
    assert status("updateMaintenance", key, maintenanceId=muting.id, scheduledUntil=world.date(90)) == 403
    assert status("updateMaintenance", key, maintenanceId=muting.id, title="Newer disks") == 200
    assert status("updateMaintenance", both, maintenanceId=muting.id, scheduledUntil=world.date(90)) == 200


# What the clock shows, minute by minute, and what a maintenance from minute 10 to 20 is then.
WALKS: Final[tuple[tuple[str, str, list[tuple[str, int]]], ...]] = (
    ("0", "scheduled", []),
    ("9.9", "scheduled", []),
    ("10", "in_progress", [(BEGAN, 10)]),
    ("11 12", "in_progress", [(BEGAN, 10)]),
    ("11 20", "completed", [(OVER, 20), (BEGAN, 10)]),
    ("10 9 8", "in_progress", [(BEGAN, 10)]),  # set back: it is not undone
    ("10 9 10 11", "in_progress", [(BEGAN, 10)]),  # and not repeated
    ("11 21 5 11 21", "completed", [(OVER, 20), (BEGAN, 10)]),
    ("90", "completed", [(OVER, 20), (BEGAN, 10)]),  # the box was off
)


@each(("minutes", "status", "said"), WALKS)
def test_a_maintenance_begins_and_ends_by_the_clock(world: World, minutes: Any, status: Any, said: Any) -> None:
    world.sets_clock(0)
    made = world.maintenance(10, 20, **TOUCHED)
    for minute in minutes.split():
        world.ticks(float(minute))
    (found,) = world.whole.incidents
    assert found.status == status
    assert [(update.message, world.minute(update.at)) for update in found.updates[:-1]] == said
    assert found.is_active is (status == "in_progress")
    world.sets_clock(0)
    world.good("deleteIncident", incidentId=made["id"])


def test_a_maintenance_affects_its_components_only_while_it_is_under_way(world: World) -> None:
    world.maintenance(10, 20, **TOUCHED)
    assert not world.only.is_active
    world.ticks(10)
    assert affected(world.only) == ["api maintenance", "people maintenance"]
    world.ticks(20)
    spans = world.rows("select state, start from component_spans order by start")
    assert [(state, world.minute(start)) for state, start in spans] == [(1, 0), (5, 10), (1, 20)]


# What the clock shows, and the states of a component without a monitor, each from its minute on.
LATE: Final[tuple[tuple[str, list[tuple[int, float]]], ...]] = (
    ("31", [(1, 0), (5, 10)]),
    ("31 75", [(1, 0), (5, 10), (1, 60)]),
    ("500", [(1, 0), (5, 10), (1, 60)]),
)


@each(("minutes", "states"), LATE)
def test_a_maintenance_that_is_found_late_counts_from_when_it_was_planned(
    world: World, minutes: Any, states: Any
) -> None:
    world.sets_clock(0)
    name = f"by-hand-{minutes.replace(' ', '-')}"
    world.add(
        new_component(id=component(name), page_id=PAGE, monitor_id=None, name=name, position=9, created_at=world.began)
    )
    made = world.maintenance(10, 60, affectedMonitors=[component(name)])
    for minute in minutes.split():
        world.ticks(float(minute))
    statement = "select state, start from component_spans where component_id = ? order by start"
    assert [(state, world.minute(start)) for state, start in world.rows(statement, component(name))] == states
    world.good("deleteIncident", incidentId=made["id"])


def test_a_maintenance_that_is_found_late_leaves_what_people_said_meanwhile(world: World) -> None:
    world.maintenance(10, 60, affectedMonitors=[component("people")])
    world.sets_clock(30)
    down = world.incident(affectedMonitors=[{"statusPageMonitorId": component("people"), "impact": "down"}])
    world.sets_clock(40)
    world.good("updateIncident", incidentId=down["id"], status="resolved", message="It works.")
    world.ticks(70)
    spans = world.rows(
        "select state, start from component_spans where component_id = ? order by start", component("people")
    )
    assert [(state, world.minute(start)) for state, start in spans] == [(1, 0), (3, 30), (5, 40), (1, 60)]


def test_subscribers_are_told_of_the_plan_the_beginning_and_the_end(world: World) -> None:
    world.subscribe()
    world.maintenance(10, 20, **TOUCHED)
    for minute in (10, 10.2, 20, 20.2):
        world.ticks(minute)
    assert world.told() == ["We put new disks in.", BEGAN, OVER]


def test_of_a_maintenance_that_came_and_went_while_the_box_was_off_only_the_end_is_told(world: World) -> None:
    world.subscribe()
    world.maintenance(10, 20)
    world.box.reopen()
    world.ticks(500)
    assert world.told() == ["We put new disks in.", OVER]


def test_people_begin_it_early_extend_it_and_complete_it(world: World) -> None:
    made = world.maintenance(10, 20)["id"]
    world.ticks(5)
    given = {"maintenanceId": made, "status": "in_progress", "message": "Early."}
    assert world.minute(world.began + 5 * MINUTE) == 5
    world.good("updateMaintenance", **given)
    assert world.minute(world.only.started_at) == 5
    world.good("updateMaintenance", maintenanceId=made, scheduledUntil=world.date(40))
    world.ticks(25)
    assert world.status() == "in_progress"
    world.good("updateMaintenance", maintenanceId=made, status="verifying", message="Almost.")
    assert world.call("updateMaintenance", **given).status == 400
    world.ticks(40)
    (found,) = world.whole.incidents
    assert [update.status for update in found.updates] == ["completed", "verifying", "in_progress", "scheduled"]
    assert world.call("updateMaintenance", maintenanceId=made, scheduledUntil=world.date(90)).status == 400


def test_a_plan_that_changes_says_nothing_without_a_message(world: World) -> None:
    made = world.maintenance(10, 20)["id"]
    given = {"maintenanceId": made, "title": "Later", "scheduledFor": world.date(30), "scheduledUntil": world.date(50)}
    later = world.good("updateMaintenance", **given, affectedMonitors=[component("web")])
    assert (later["title"], len(later["updates"])) == ("Later", 1)
    assert [one["monitorName"] for one in later["affectedMonitors"]] == ["WEB"]
    assert later["startedAt"] == later["scheduledFor"]
    said = world.good("updateMaintenance", maintenanceId=made, message="It moves again.", scheduledUntil=world.date(60))
    assert [update["status"] for update in said["updates"]] == ["scheduled", "scheduled"]
    world.ticks(20)
    assert world.status() == "scheduled"
    world.ticks(30)
    assert world.status() == "in_progress"
    answer = world.call("updateMaintenance", maintenanceId=made, scheduledFor=world.date(31))
    assert (answer.status, answer.json["details"][0]["field"]) == (400, "scheduledFor")


def test_a_cancelled_maintenance_never_begins(world: World) -> None:
    world.subscribe()
    made = world.maintenance(10, 20)["id"]
    cancelled = world.good("cancelMaintenance", maintenanceId=made)
    assert (cancelled["status"], cancelled["next"]) == ("completed", [])
    world.ticks(15)
    (found,) = world.whole.incidents
    assert len(found.updates) == 2
    assert world.told() == ["We put new disks in.", CANCELLED]


def test_started_maintenance_is_completed_instead_of_canceled(world: World) -> None:
    made = world.maintenance(10, 20)["id"]
    world.ticks(10)
    assert world.call("cancelMaintenance", maintenanceId=made).status == 400


def test_a_draft_does_not_begin_before_it_is_published(world: World) -> None:
    made = world.maintenance(10, 20, draft=True)["id"]
    world.ticks(11)
    assert world.status() == "scheduled"
    world.good("publishIncident", incidentId=made)
    world.ticks(12)
    assert world.status() == "in_progress"


def test_incidents_and_maintenances_are_listed_apart(world: World) -> None:
    incident, maintenance = world.incident(), world.maintenance(10, 20)
    assert world.good("listIncidents", statusPageId=PAGE) == [incident]
    assert world.good("listMaintenances", statusPageId=PAGE) == [maintenance]
    given = {"incidentId": maintenance["id"], "status": "resolved", "message": "a"}
    assert world.call("updateIncident", **given).status == 404
    given = {"maintenanceId": incident["id"], "status": "completed", "message": "a"}
    assert world.call("updateMaintenance", **given).status == 404


def test_pages_of_a_deleted_organization_wait_until_it_is_restored(world: World) -> None:
    world.maintenance(10, 20)
    closed: Any = world.box.box.parts[OrganizationDirectory].closed
    closed.add(world.box.organization_id)
    world.ticks(11)
    closed.discard(world.box.organization_id)
    assert world.status() == "scheduled"
    world.ticks(11)
    assert world.status() == "in_progress"


def test_maintenance_of_a_status_page_mutes_alerts_of_its_monitors_from_start_to_end(world: World) -> None:
    engine, monitors = FakeEngine(), world.box.box.parts[Monitors]
    monitors.run_by(engine)

    def muted(minute: float) -> bool:
        monitor = world.monitor("api")
        return bool(windows_at(engine.windows[monitor.number], monitor, world.began + round(minute * MINUTE)))

    world.sets_clock(0)
    made = world.maintenance(10, 20, affectedMonitors=[component("api")])
    assert [muted(minute) for minute in (9, 10, 19, 20)] == [False, True, True, False]
    web = world.monitor("web")
    assert not windows_at(engine.windows[web.number], web, world.began + 10 * MINUTE)
    world.good("updateMaintenance", maintenanceId=made["id"], scheduledUntil=world.date(30))
    assert muted(25)
    world.ticks(12)
    world.good("updateMaintenance", maintenanceId=made["id"], status="completed", message="Done.")
    assert not muted(15)


def test_maintenance_that_starts_early_mutes_alerts_right_away(world: World) -> None:
    world.sets_clock(0)
    made = world.maintenance(10, 20, affectedMonitors=[component("api")])
    world.sets_clock(5)
    world.good("updateMaintenance", maintenanceId=made["id"], status="in_progress", message="We start now.")
    (announced,) = world.box.box.parts[Monitors].announcements(world.monitor("api").organization_id)
    assert is_on(announced[1], world.began + 5 * MINUTE)
    world.good("deleteIncident", incidentId=made["id"])
    assert world.box.box.parts[Monitors].announcements(world.monitor("api").organization_id) == []
