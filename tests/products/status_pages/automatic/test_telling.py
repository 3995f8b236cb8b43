"""Monitors open and resolve incidents by the policy of a page: each transition once, whatever breaks in between."""

from typing import Any

import pytest
from msgspec.structs import replace

from analytics_box.base.clock import MINUTE
from analytics_box.base.errors import Unavailable
from analytics_box.base.store.db import Db
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.telling import Teller
from analytics_box.products.status_pages import incident_rows
from analytics_box.products.status_pages.automatic.telling import AutomaticIncidents
from tests.products.status_pages.incidents.world import PAGE, World, affected, affects

RECOVERED = "All affected services are back online."
DAY = 24 * 60  # minutes


@pytest.fixture
def publishing(world: World) -> World:
    world.set(automatic="publish", publish_after=0)
    return world


@pytest.fixture
def waiting(world: World) -> World:
    world.set(automatic="publish", publish_after=5)
    return world


@pytest.fixture
def drafting(world: World) -> World:
    world.set(automatic="draft")
    return world


def teller(world: World) -> Teller:
    """What the engine of the monitors tells."""
    box = world.box.box
    made = Teller(box.box_db, box.parts[Monitors], world.box.clock, "https://box.example", lambda: None)
    made.also = box.parts[AutomaticIncidents].tell
    return made


def test_a_page_that_does_not_want_it_has_no_incidents_of_monitors(world: World) -> None:
    world.down("api", "web")
    assert world.whole.incidents == ()


def test_a_monitor_that_is_down_opens_a_published_incident_and_its_recovery_resolves_it(publishing: World) -> None:
    world = publishing
    world.subscribe()
    world.sets_clock(3)
    world.down("api", since=world.began)
    opened = world.only
    assert (opened.title, opened.status, opened.severity, opened.origin) == (
        "API unavailable",
        "investigating",
        "major",
        "monitor",
    )
    assert opened.is_active
    assert world.minute(opened.started_at) == 0
    assert affected(opened) == ["api down"]
    world.sets_clock(9)
    world.up("api")
    (ended,) = world.whole.incidents
    assert (ended.status, world.minute(ended.resolved_at)) == ("resolved", 9)
    assert affected(ended) == ["api down"]
    assert world.told() == [
        "We cannot reach {names} and are investigating.".format(names="API"),
        RECOVERED,
    ]


def test_monitor_that_is_down_is_an_outage_whatever_status_its_server_answers(publishing: World) -> None:
    publishing.down("api", http_code=404)
    assert (publishing.only.title, publishing.only.severity) == ("API unavailable", "major")
    assert affected(publishing.only) == ["api down"]


def test_a_draft_waits_for_a_person_and_is_resolved_as_one(drafting: World) -> None:
    world = drafting
    world.subscribe()
    world.down("api")
    assert world.only.is_draft
    world.ticks(DAY)
    assert world.only.is_draft
    world.up("api")
    (listed,) = world.good("listIncidents", statusPageId=PAGE)
    assert (listed["isDraft"], listed["status"], listed["origin"]) == (True, "resolved", "monitor")
    assert world.told() == []
    world.good("publishIncident", incidentId=listed["id"])
    assert world.told() == [RECOVERED]


def test_outage_longer_than_the_delay_is_published(waiting: World) -> None:
    world = waiting
    world.subscribe()
    world.down("api")
    world.ticks(4.9)
    assert world.only.is_draft
    world.ticks(5)
    assert not world.only.is_draft
    assert world.only.publish_at is None
    world.ticks(6)
    world.sets_clock(4)  # the clock is set back
    world.ticks(5)
    assert world.told() == ["We cannot reach {names} and are investigating.".format(names="API")]


def test_outage_shorter_than_the_delay_leaves_nothing(waiting: World) -> None:
    waiting.down("api")
    waiting.ticks(4)
    waiting.up("api")
    assert waiting.whole.incidents == ()
    assert waiting.good("listIncidents", statusPageId=PAGE) == []
    waiting.ticks(5)
    assert waiting.rows("select count(*) from incidents") == [(0,)]


def test_draft_edited_before_publication_stays(waiting: World) -> None:
    waiting.down("api")
    waiting.good("updateIncident", incidentId=waiting.only.id, status="identified", message="A disk.")
    waiting.up("api")
    (listed,) = waiting.good("listIncidents", statusPageId=PAGE)
    assert [update["status"] for update in listed["updates"]] == ["resolved", "identified", "investigating"]
    assert listed["publishAt"] is None


def test_a_draft_that_is_held_is_not_published(waiting: World) -> None:
    waiting.down("api")
    held = waiting.good("holdIncident", incidentId=waiting.only.id)
    assert (held["isDraft"], held["publishAt"]) == (True, None)
    waiting.ticks(60)
    assert waiting.only.is_draft


def test_a_draft_stays_one_where_the_page_does_not_publish_any_more(waiting: World) -> None:
    waiting.down("api")
    waiting.set(automatic="draft")
    waiting.ticks(60)
    assert (waiting.only.is_draft, waiting.only.publish_at) == (True, None)


def test_monitors_that_go_down_together_make_one_incident_with_one_update(publishing: World) -> None:
    world = publishing
    world.subscribe()
    world.down("api", "web")
    assert world.only.title == "API and WEB unavailable"
    assert affected(world.only) == ["api down", "web down"]
    assert world.told() == ["We cannot reach {names} and are investigating.".format(names="API and WEB")]


def test_second_outage_within_two_minutes_joins_the_published_incident_with_an_update(publishing: World) -> None:
    world = publishing
    world.subscribe()
    world.subscribe("web")
    world.down("api")
    world.sets_clock(2)
    world.down("web")
    assert (world.only.title, world.only.severity) == ("API and WEB unavailable", "major")
    assert affected(world.only) == ["api down", "web down"]
    assert len(world.told()) == 2
    assert world.told("subscriber-1") == ["This also affects {names}.".format(names="WEB")]
    world.sets_clock(4)
    world.up("api")
    assert affected(world.only) == ["api operational", "web down"]
    world.up("web")
    (ended,) = world.whole.incidents
    assert affected(ended) == ["api down", "web down"]
    assert [update.status for update in ended.updates] == ["resolved", *["investigating"] * 3]


def test_later_outage_opens_another_incident(publishing: World) -> None:
    publishing.down("api")
    publishing.sets_clock(2.1)
    publishing.down("web")
    assert [affected(one) for one in publishing.whole.incidents] == [["web down"], ["api down"]]


def test_unseen_draft_covers_all_of_its_components_from_the_start(waiting: World) -> None:
    world = waiting
    world.down("api")
    world.sets_clock(1)
    world.down("web")
    assert world.only.title == "API and WEB unavailable"
    world.up("api")
    (update,) = world.only.updates
    assert (world.only.title, update.message) == (
        "WEB unavailable",
        "We cannot reach {names} and are investigating.".format(names="WEB"),
    )
    assert affected(world.only) == ["web down"]
    world.ticks(5)
    assert not world.only.is_draft


def test_a_transition_that_is_told_again_after_a_crash_changes_nothing(publishing: World) -> None:
    world = publishing
    world.subscribe()
    down = world.transition("api", "down", "down")
    world.tells(down)
    world.box.reopen()
    world.tells(down)
    assert len(world.only.updates) == 1
    world.sets_clock(1)
    up = world.transition("api", "recovered", "up")
    world.tells(down, up)
    world.box.reopen()
    world.tells(down, up)
    world.tells(up)
    (ended,) = world.whole.incidents
    assert [update.status for update in ended.updates] == ["resolved", "investigating"]
    assert len(world.told()) == 2


class Died(Exception):
    """The box is not there any more."""


# The alarms are told in one write, the pages in another; before or after either of them the box may die.
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("number", [1, 2])
def test_killed_at_any_write_the_box_makes_one_incident_with_one_message(
    publishing: World, monkeypatch: pytest.MonkeyPatch, number: int, *, after: bool
) -> None:
    world = publishing
    world.subscribe()
    _, down = world.transition("api", "down", "down")
    write, writes = Db.write, 0

    async def mortal(db: Db, work: Any, **given: Any) -> Any:
        nonlocal writes
        writes += 1
        if writes == number and not after:
            raise Died
        done = await write(db, work, **given)
        if writes == number:
            raise Died
        return done

    with monkeypatch.context() as patch:
        patch.setattr(Db, "write", mortal)
        with pytest.raises(Died):
            world.box.run(teller(world).tell([down]))
    world.box.reopen()
    world.box.run(teller(world).tell([down]))
    assert affected(world.only) == ["api down"]
    assert len(world.told()) == 1


def test_resolved_or_deleted_incident_is_not_reopened_by_earlier_news(publishing: World) -> None:
    world = publishing
    told = [world.transition(name, "down", "down") for name in ("api", "web")]
    world.tells(told[0])
    world.good("deleteIncident", incidentId=world.only.id)
    world.tells(told[1])
    world.good("updateIncident", incidentId=world.only.id, status="resolved", message="It was nothing.")
    world.tells(*told)
    assert [one.status for one in world.whole.incidents] == ["resolved"]


def test_news_of_a_page_without_automatic_incidents_open_none_later(world: World) -> None:
    down = world.transition("api", "down", "down")
    world.tells(down)
    world.set(automatic="publish", publish_after=0)
    world.tells(down)
    assert world.whole.incidents == ()


def test_a_disk_that_refuses_leaves_nothing_half_done(publishing: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world = publishing
    down = world.transition("api", "down", "down")
    with monkeypatch.context() as patch:
        patch.setattr("analytics_box.products.status_pages.automatic.telling.touch_page", _refuses)
        with pytest.raises(Unavailable):
            world.tells(down)
    assert world.rows("select count(*) from incident_transitions") == [(0,)]
    assert world.whole.incidents == ()
    world.tells(down)
    assert affected(world.only) == ["api down"]


def _refuses(*_given: Any) -> None:
    raise Unavailable("The disk is full")


def test_muted_transitions_make_no_incident_and_end_none(publishing: World) -> None:
    world = publishing
    world.tells(world.transition("api", "down", "down", muted="maintenance"))
    assert world.whole.incidents == ()
    world.down("api")
    world.tells(world.transition("api", "recovered", "up", muted="flapping"))
    assert world.only.is_open


def test_while_a_monitor_flaps_its_incident_stays_open_until_it_is_stable(publishing: World) -> None:
    world = publishing
    world.down("api")
    world.tells(world.transition("api", "flapping", "up"))
    assert world.only.is_open
    world.tells(world.transition("api", "stable", "up"))
    assert not world.whole.incidents[0].is_open
    world.tells(world.transition("api", "flapping", "down"))
    assert world.only.is_open
    world.tells(world.transition("api", "stable", "down"))
    assert len(world.only.updates) == 1


def test_outage_in_a_manual_incident_is_not_published_twice(publishing: World) -> None:
    world = publishing
    world.incident(affectedMonitors=affects("api degraded"))
    world.down("api")
    assert world.only.origin == "person"
    world.up("api")
    assert world.only.is_open


def test_an_incident_in_which_something_else_is_wrong_stays_open(publishing: World) -> None:
    world = publishing
    world.down("api")
    given = {"status": "identified", "message": "People are affected.", "incidentId": world.only.id}
    world.good("updateIncident", **given, affectedMonitors=affects("api down", "people down"))
    world.up("api")
    assert affected(world.only) == ["api operational", "people down"]
    assert world.status() == "identified"
    world.down("api")
    assert affected(world.only) == ["api down", "people down"]


def test_an_incident_of_a_maintenance_waits_until_that_should_be_over(publishing: World) -> None:
    world = publishing
    world.maintenance(1, 30, affectedMonitors=["component-api"])
    world.ticks(1)
    world.down("api")
    draft = next(one for one in world.whole.incidents if one.kind == "incident")
    assert (draft.is_draft, world.minute(draft.publish_at)) == (True, 30)
    world.ticks(29)
    world.ticks(30)
    assert not world.only.is_draft
    assert world.only.kind == "incident"


def test_a_maintenance_that_ends_early_holds_nothing_back_any_more(waiting: World) -> None:
    world = waiting
    made = world.maintenance(1, 30, affectedMonitors=["component-api"])["id"]
    world.ticks(1)
    world.down("api")
    world.ticks(6)
    world.ticks(10)
    world.good("updateMaintenance", maintenanceId=made, status="completed", message="Done.")
    world.ticks(14.9)
    assert world.only.is_draft
    world.ticks(15)
    assert not world.only.is_draft


def test_an_incident_that_a_maintenance_does_not_explain_is_published(publishing: World) -> None:
    world = publishing
    world.maintenance(1, 30, affectedMonitors=["component-web"])
    world.ticks(1)
    world.down("api", "web")
    (opened,) = [one for one in world.whole.incidents if one.kind == "incident"]
    assert not opened.is_draft


def test_a_recovery_ends_an_incident_also_where_the_page_wants_no_new_ones(publishing: World) -> None:
    publishing.down("api")
    publishing.set(automatic="off")
    publishing.up("api")
    assert not publishing.whole.incidents[0].is_open


def test_an_incident_ends_when_all_that_it_is_about_has_left_the_page(publishing: World) -> None:
    world = publishing
    world.down("api", "web")
    world.remove("api")
    world.ticks(1)
    assert world.only.is_open
    world.remove("web")
    world.ticks(2)
    (ended,) = world.whole.incidents
    assert (ended.status, ended.updates[0].message) == ("resolved", "This is no longer monitored.")
    world.ticks(3)
    assert world.whole.incidents == (ended,)


def test_an_incident_ends_when_its_monitor_goes_to_another_organization(publishing: World) -> None:
    world = publishing
    world.down("api")
    world.box.box.box_db.write_now(
        lambda db: db.execute("update monitors set organization_id = ?", (world.box.foreign_organization_id,)) and None
    )
    world.ticks(1)
    assert [one.status for one in world.whole.incidents] == ["resolved"]


def test_recovered_component_does_not_keep_an_incident_open(publishing: World) -> None:
    world = publishing
    world.down("api", "web")
    world.up("api")
    world.remove("web")
    world.ticks(1)
    assert [one.status for one in world.whole.incidents] == ["resolved"]


def test_an_incident_in_which_all_is_well_again_waits_for_the_person_who_said_so(publishing: World) -> None:
    world = publishing
    world.down("api")
    changed = {"status": "monitoring", "message": "A fix is in place.", "affectedMonitors": affects("api operational")}
    world.good("updateIncident", incidentId=world.only.id, **changed)
    world.ticks(1)
    assert world.only.status == "monitoring"


def test_a_draft_of_a_paused_monitor_is_not_published(waiting: World) -> None:
    waiting.down("api")
    pause(waiting)
    waiting.ticks(9)
    assert waiting.whole.incidents == ()


def test_edited_draft_stays_manual(waiting: World) -> None:
    world = waiting
    world.down("api")
    said = world.only.updates[0]
    world.good("editIncidentUpdate", updateId=said.id, message="Our provider has a fire.")
    world.down("web")
    assert "Our provider has a fire." in [one.message for one in world.only.updates]
    pause(world)
    world.up("web")
    world.ticks(9)
    assert "Our provider has a fire." in [one.message for one in world.only.updates]
    assert world.only.is_draft


def test_pending_incidents_wait_for_the_first_checks_after_a_restart(waiting: World) -> None:
    world = waiting
    world.down("api")
    world.box.box.box_db.write_now(lambda db: incident_rows.wait_at_least(db, world.began + 20 * MINUTE))
    world.ticks(9)
    assert world.only.is_draft
    world.ticks(21)
    assert not world.only.is_draft


def test_a_maintenance_that_is_shortened_or_deleted_holds_back_nothing(publishing: World) -> None:
    world = publishing
    planned = world.maintenance(1, 28_800, affectedMonitors=["component-api"])
    world.ticks(1)
    world.down("api")
    world.good("updateMaintenance", maintenanceId=planned["id"], scheduledUntil=world.date(10))
    world.ticks(10)
    assert not world.only.is_draft


def test_a_maintenance_that_is_deleted_holds_back_nothing(publishing: World) -> None:
    world = publishing
    planned = world.maintenance(1, 28_800, affectedMonitors=["component-api"])
    world.ticks(1)
    world.down("api")
    world.good("deleteIncident", incidentId=planned["id"])
    assert world.only.is_draft
    world.ticks(2)
    assert not world.only.is_draft


def pause(world: World, name: str = "api") -> None:
    number = world.monitor(name).number
    world.box.box.box_db.write_now(
        lambda db: db.execute("update monitors set is_paused = 1 where number = ?", (number,)) and None
    )


def test_a_draft_about_nothing_is_not_published(waiting: World) -> None:
    waiting.down("api")
    waiting.remove("api")
    waiting.ticks(9)
    assert waiting.whole.incidents == ()


def test_a_monitor_of_another_organization_makes_no_incident(publishing: World) -> None:
    world = publishing
    monitor, transition = world.transition("api", "down", "down")
    world.tells((replace(monitor, organization_id=world.box.foreign_organization_id), transition))
    assert world.whole.incidents == ()


def test_each_page_of_a_monitor_has_its_own_incident(publishing: World) -> None:
    world = publishing
    made = world.good("create", name="Second", slug="second")["id"]
    world.good("addMonitor", statusPageId=made, uptimeScheduleId=world.monitors["api"])
    down = world.transition("api", "down", "down")
    world.tells(down)
    assert world.good("listIncidents", statusPageId=made) == []
    assert affected(world.only) == ["api down"]


def test_alarms_and_pages_are_told_by_one_teller(publishing: World) -> None:
    world = publishing
    _, transition = world.transition("api", "down", "down")
    _, muted = world.transition("web", "down", "down", muted="parent")
    world.box.run(teller(world).tell([transition, muted]))
    world.box.run(teller(world).tell([transition, muted]))
    assert affected(world.only) == ["api down"]


def test_old_drafts_of_monitors_are_forgotten_and_all_else_is_kept(drafting: World) -> None:
    world = drafting
    world.down("api")
    world.up("api")
    world.incident(draft=True)
    world.down("web")
    swept = world.box.box.parts[AutomaticIncidents].sweep
    world.box.run(swept())
    assert world.rows("select count(*) from incidents") == [(3,)]
    world.sets_clock(31 * DAY)
    world.box.run(swept())
    assert sorted(world.rows("select origin, status from incidents")) == [
        ("monitor", "investigating"),
        ("person", "investigating"),
    ]
    assert world.rows("select count(*) from incident_transitions") == [(1,)]


def test_a_clock_that_was_set_back_still_publishes_in_time(waiting: World) -> None:
    world = waiting
    world.sets_clock(100)
    down = world.transition("api", "down", "down")
    world.sets_clock(0)
    world.tells(down)
    assert world.minute(world.only.publish_at) == 5
    assert world.minute(world.only.started_at) == 0
