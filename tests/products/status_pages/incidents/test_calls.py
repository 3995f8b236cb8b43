"""Incidents over RPC: they begin, go on and end by updates, which never change but in their words."""

from typing import Any, NamedTuple

import pytest

from tests.cases import each
from tests.inprocess import KeyName
from tests.products.status_pages.incidents.world import PAGE, World, affected, affects, component

NEW: dict[str, Any] = {"statusPageId": PAGE, "title": "It broke", "message": "We look into it."}


class Refusal(NamedTuple):
    what: str
    name: str
    given: dict[str, Any]
    status: int
    field: str = ""
    key: KeyName = "all"


REFUSALS = (
    Refusal("no title", "createIncident", NEW | {"title": " \n"}, 400, "title"),
    Refusal("long title", "createIncident", NEW | {"title": "a" * 201}, 400, "title"),
    Refusal("odd title", "createIncident", NEW | {"title": "a\x00b"}, 400, "title"),
    Refusal("no message", "createIncident", NEW | {"message": " "}, 400, "message"),
    Refusal("odd message", "createIncident", NEW | {"message": "a\x1bb"}, 400, "message"),
    Refusal("long message", "createIncident", NEW | {"message": "a" * 5_001}, 400, "message"),
    Refusal("odd severity", "createIncident", NEW | {"severity": "bad"}, 400, "severity"),
    Refusal("ended at once", "createIncident", NEW | {"status": "resolved"}, 400, "status"),
    Refusal(
        "unknown component", "createIncident", NEW | {"affectedMonitors": affects("x down")}, 400, "affectedMonitors"
    ),
    Refusal(
        "component twice",
        "createIncident",
        NEW | {"affectedMonitors": affects("api down", "api down")},
        400,
        "affectedMonitors",
    ),
    Refusal("unknown page", "createIncident", NEW | {"statusPageId": "nothere1"}, 404),
    Refusal("without the scope", "createIncident", NEW, 403, key="reading"),
    Refusal("restricted", "createIncident", NEW, 403, key="restricted"),
    Refusal("another organization's", "createIncident", NEW, 404, key="foreign"),
    Refusal("another organization's", "listIncidents", {"statusPageId": PAGE}, 404, key="foreign"),
    Refusal("without the scope", "listIncidents", {"statusPageId": PAGE}, 403, key="reading"),
    Refusal("unknown", "updateIncident", {"incidentId": "nothere1", "status": "resolved", "message": "a"}, 404),
    Refusal("unknown", "getIncident", {"incidentId": "nothere1"}, 404),
    Refusal("unknown", "deleteIncident", {"incidentId": "nothere1"}, 404),
    Refusal("unknown", "publishIncident", {"incidentId": "nothere1"}, 404),
    Refusal("unknown", "holdIncident", {"incidentId": "nothere1"}, 404),
    Refusal("unknown", "editIncidentUpdate", {"updateId": "nothere1", "message": "a"}, 404),
)


@each("case", REFUSALS, ids=lambda case: f"{case.name} {case.what}")
def test_a_call_is_refused(world: World, case: Refusal) -> None:
    answer = world.call(case.name, key=case.key, **case.given)
    assert answer.status == case.status, answer.body
    if case.field:
        assert answer.json["details"][0]["field"].startswith(case.field)
    assert not world.whole.incidents


def test_an_incident_begins_as_investigated_with_its_first_update(world: World) -> None:
    made = world.incident(affectedMonitors=affects("api down", "people partial"), severity="critical")
    assert (made["status"], made["severity"], made["kind"]) == ("investigating", "critical", "incident")
    assert made["statusPageId"] == PAGE
    assert made["resolvedAt"] is None
    assert [one["monitorName"] for one in made["affectedMonitors"]] == ["API", "People"]
    (update,) = made["updates"]
    assert (update["status"], update["message"]) == ("investigating", "We look into it.")
    assert update["affectedMonitors"] == made["affectedMonitors"]
    assert made["next"] == ["investigating", "identified", "monitoring", "resolved"]
    assert world.good("listIncidents", statusPageId=PAGE) == [made]
    assert world.good("getIncident", incidentId=made["id"]) == made


def test_updates_are_kept_newest_first_and_the_last_one_resolves_it(world: World) -> None:
    made = world.incident(affectedMonitors=affects("api down"))
    world.sets_clock(1)
    world.good(
        "updateIncident",
        incidentId=made["id"],
        status="monitoring",
        message="It is back.",
        affectedMonitors=affects("api degraded"),
    )
    assert affected(world.only) == ["api degraded"]
    world.sets_clock(2)
    ended = world.good("updateIncident", incidentId=made["id"], status="resolved", message="It works.")
    assert [update["status"] for update in ended["updates"]] == ["resolved", "monitoring", "investigating"]
    assert ended["resolvedAt"] == ended["updates"][0]["createdAt"]
    assert [one["impact"] for one in ended["updates"][0]["affectedMonitors"]] == ["operational"]
    assert [one["impact"] for one in ended["affectedMonitors"]] == ["down"]
    (known,) = world.whole.incidents
    assert not known.is_open


def test_an_ended_incident_is_reopened_once_within_a_day_as_its_components_were(world: World) -> None:
    made = world.incident(affectedMonitors=affects("api down"))["id"]

    def say(status: str) -> int:
        return world.call("updateIncident", incidentId=made, status=status, message="Now.").status

    assert [say("resolved"), say("resolved"), say("identified")] == [200, 400, 200]
    assert affected(world.only) == ["api down"]
    assert world.only.resolved_at is None
    assert [say("resolved"), say("monitoring"), say("postmortem"), say("resolved")] == [200, 400, 200, 400]


def test_an_edited_update_says_something_else_and_keeps_what_it_said(world: World) -> None:
    made = world.incident()
    update = made["updates"][0]["id"]
    world.sets_clock(1)
    for text in ("We looked.", "We looked.", "We look into it **now**."):
        world.good("editIncidentUpdate", updateId=update, message=text)
    shown = world.good("getIncident", incidentId=made["id"])
    (said,) = shown["updates"]
    assert said["message"] == "We look into it **now**."
    assert [earlier["message"] for earlier in said["earlier"]] == ["We looked.", "We look into it."]
    assert said["at"] == made["updates"][0]["at"]
    assert said["updatedAt"] > said["createdAt"]
    assert world.only.updates[0].message == said["message"]


def test_title_and_severity_change_with_an_update(world: World) -> None:
    made = world.incident()["id"]
    given = {"incidentId": made, "status": "identified", "message": "Found it.", "title": "A disk", "severity": "major"}
    after = world.good("updateIncident", **given)
    assert (after["title"], after["severity"]) == ("A disk", "major")


def test_a_draft_is_published_and_only_then_told(world: World) -> None:
    world.subscribe()
    made = world.incident(draft=True, affectedMonitors=affects("api down"))
    assert made["isDraft"]
    world.good("updateIncident", incidentId=made["id"], status="identified", message="Found it.")
    assert not world.only.is_active
    assert world.told() == []
    shown = world.good("publishIncident", incidentId=made["id"])
    assert not shown["isDraft"]
    assert [update["notified"] for update in shown["updates"]] == [True, False]
    assert world.only.is_active
    assert world.told() == ["Found it."]
    assert world.call("publishIncident", incidentId=made["id"]).status == 400
    assert world.call("holdIncident", incidentId=made["id"]).status == 400


def test_subscribers_are_told_of_each_update_unless_it_says_not_to(world: World) -> None:
    world.subscribe()
    world.subscribe("web")
    made = world.incident(affectedMonitors=affects("api down"))["id"]
    world.good("updateIncident", incidentId=made, status="investigating", message="Quiet.", notify=False)
    world.good("updateIncident", incidentId=made, status="resolved", message="Good.")
    assert world.told() == ["We look into it.", "Good."]
    assert world.told("subscriber-1") == []


def test_a_deleted_incident_is_gone_with_what_was_to_be_told_of_it(world: World) -> None:
    world.subscribe()
    made = world.incident(affectedMonitors=affects("api down"))
    assert world.good("deleteIncident", incidentId=made["id"]) == {"deleted": True}
    assert world.whole.incidents == ()
    assert world.told() == []
    assert world.rows("select count(*) from incident_updates") == [(0,)]
    assert world.call("getIncident", incidentId=made["id"]).status == 404


def test_a_component_that_is_gone_leaves_its_name(world: World) -> None:
    made = world.incident(affectedMonitors=affects("api down"))
    world.remove("api")
    shown = world.good("getIncident", incidentId=made["id"])
    for named in (shown, shown["updates"][0]):
        assert named["affectedMonitors"] == [{"statusPageMonitorId": None, "monitorName": "API", "impact": "down"}]


def test_the_url_of_a_monitor_without_a_name_is_not_in_an_incident(world: World) -> None:
    world.box.post("/uptime/updateSchedule", {"scheduleId": world.monitors["api"], "name": None}, key="all")
    made = world.incident(affectedMonitors=affects("api down"))
    assert made["affectedMonitors"][0]["monitorName"] == "api.example.com"


def test_incidents_are_known_after_a_restart(world: World) -> None:
    world.incident(affectedMonitors=affects("api down", "web degraded"))
    before = world.whole
    world.box.reopen()
    assert world.whole == before


def test_lists_go_back_in_time(world: World) -> None:
    for minute in range(3):
        world.sets_clock(minute)
        world.incident(title=f"{minute}")
    listed = world.good("listIncidents", statusPageId=PAGE, limit=2)
    assert [one["title"] for one in listed] == ["2", "1"]
    older = world.good("listIncidents", statusPageId=PAGE, limit=2, before=listed[-1]["startedAt"])
    assert [one["title"] for one in older] == ["0"]


def test_changes_stand_in_the_audit_log_without_what_was_said(world: World) -> None:
    made = world.incident()["id"]
    world.good("updateIncident", incidentId=made, status="resolved", message="Good.")
    world.good("deleteIncident", incidentId=made)
    found = world.rows("select action, detail from audit where subject = 'incident' order by rowid")
    assert [action for action, _ in found] == ["created", "updated", "deleted"]
    assert all("It broke" in detail for _, detail in found)
    assert '"after": "resolved"' in found[1][1]


def test_a_page_has_a_limit_of_what_is_open_at_once(world: World) -> None:
    for _ in range(100):
        world.incident()
    answer = world.call("createIncident", **NEW)
    assert answer.status == 409
    world.good("deleteIncident", incidentId=world.whole.incidents[0].id)
    world.incident()


def test_an_incident_has_a_limit_of_updates_and_may_always_end(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analytics_box.products.status_pages.incidents.change.MOST_UPDATES", 2)
    given = {"incidentId": world.incident()["id"], "message": "Now."}
    answers = [world.call("updateIncident", **given, status=status).status for status in ("identified", "identified")]
    assert answers == [200, 409]
    world.good("updateIncident", **given, status="resolved")


def test_a_component_of_people_has_spans_of_what_was_said_of_it(world: World) -> None:
    made = world.incident(affectedMonitors=affects("people down"))["id"]
    world.sets_clock(5)
    world.good(
        "updateIncident", incidentId=made, status="identified", message="a", affectedMonitors=affects("people partial")
    )
    world.sets_clock(4)  # the clock is set back
    world.good("updateIncident", incidentId=made, status="resolved", message="a")
    spans = world.rows(
        "select state, start, until from component_spans where component_id = ? order by start", component("people")
    )
    assert [(state, world.minute(start), until and world.minute(until)) for state, start, until in spans] == [
        (3, 0, 5),
        (1, 5, 0),
    ]
