"""Maintenance windows over RPC: made, changed, ended early, deleted; monitors follow at once and after a restart."""

from typing import Any, NamedTuple

import pytest

from tests.cases import each
from tests.inprocess import KeyName
from tests.products.monitors.world import World

ONCE: dict[str, Any] = {  # the world's clock shows 2026-06-17 12:00
    "name": "Move",
    "covers": {"all": True},
    "startsAt": "2026-06-17T11:00:00.000Z",
    "endsAt": "2026-06-17T14:00:00+01:00",
}
NIGHTLY: dict[str, Any] = {
    "name": "Patching",
    "covers": {"tags": ["db"]},
    "repeat": {"every": "day", "time": "02:30", "minutes": 60, "zone": "Europe/Berlin"},
}


def weekly(**repeat: Any) -> dict[str, Any]:
    return NIGHTLY | {"repeat": NIGHTLY["repeat"] | repeat}


class Refusal(NamedTuple):
    what: str
    name: str
    given: dict[str, Any]
    status: int
    field: str = ""
    key: KeyName = "all"


REFUSALS = (
    Refusal("no name", "createMaintenance", ONCE | {"name": " "}, 400, "name"),
    Refusal("nothing covered", "createMaintenance", ONCE | {"covers": {}}, 400, "covers"),
    Refusal(
        "unknown monitor",
        "createMaintenance",
        ONCE | {"covers": {"monitorIds": ["nothere1"]}},
        400,
        "covers.monitorIds",
    ),
    Refusal("no time", "createMaintenance", {"name": "A", "covers": {"all": True}}, 400, "startsAt"),
    Refusal("ends first", "createMaintenance", ONCE | {"endsAt": "2026-06-17T10:00:00.000Z"}, 400, "endsAt"),
    Refusal("is over", "createMaintenance", ONCE | {"endsAt": "2026-06-17T12:00:00.000Z"}, 400, "endsAt"),
    Refusal("too long", "createMaintenance", ONCE | {"endsAt": "2028-06-17T12:00:00.000Z"}, 400, "endsAt"),
    Refusal("far away", "createMaintenance", ONCE | {"endsAt": "9999-12-31T23:00:00-12:00"}, 400, "endsAt"),
    Refusal("odd zone", "createMaintenance", weekly(zone="../etc/passwd"), 400, "repeat.zone"),
    Refusal("no zone", "createMaintenance", weekly(zone="Mars/Base"), 400, "repeat.zone"),
    Refusal("odd time", "createMaintenance", weekly(time="24:00"), 400, "repeat.time"),
    Refusal("no weekday", "createMaintenance", weekly(every="week"), 400, "repeat.weekdays"),
    Refusal("weekdays of a day", "createMaintenance", weekly(weekdays=[1]), 400, "repeat.weekdays"),
    Refusal("no day of month", "createMaintenance", weekly(every="month"), 400, "repeat.day"),
    Refusal("both days", "createMaintenance", weekly(every="month", day=1, nth=1, weekday=1), 400, "repeat.day"),
    Refusal("day 0", "createMaintenance", weekly(every="month", day=0), 400, "repeat.day"),
    Refusal("half an nth", "createMaintenance", weekly(every="month", day=1, nth=1), 400, "repeat.nth"),
    Refusal("is over", "createMaintenance", weekly(until="2026-06-01T00:00:00.000Z"), 400, "repeat.until"),
    Refusal("unknown", "endMaintenance", {"maintenanceId": "nothere1"}, 404),
    Refusal("unknown", "updateMaintenance", {"maintenanceId": "nothere1"}, 404),
    Refusal("unknown", "deleteMaintenance", {"maintenanceId": "nothere1"}, 404),
    Refusal("without the scope", "createMaintenance", ONCE, 403, key="reading"),
    Refusal("without the scope", "listMaintenances", {}, 403, key="reading"),
)


@each("case", REFUSALS, ids=lambda case: f"{case.name} {case.what}")
def test_a_call_is_refused(world: World, case: Refusal) -> None:
    answer = world.call(case.name, key=case.key, **case.given)
    assert answer.status == case.status, answer.body
    if case.field:
        assert answer.json["details"][0]["field"] == case.field


@pytest.mark.parametrize("repeats", [False, True], ids=["once", "nightly"])
def test_a_window_is_listed_and_told_to_what_runs_monitors(world: World, *, repeats: bool) -> None:
    one = world.known(world.made(tags=["db"])).number
    made = world.good("createMaintenance", **(NIGHTLY if repeats else ONCE))
    assert world.good("listMaintenances") == [made]
    assert made["monitors"] == 1
    if repeats:
        assert (made["status"], made["currentEndsAt"], made["endsAt"]) == ("scheduled", None, None)
        assert made["nextStartsAt"] == "2026-06-18T00:30:00.000Z"
    else:
        assert (made["status"], made["currentEndsAt"], made["nextStartsAt"]) == (
            "active",
            "2026-06-17T13:00:00.000Z",
            None,
        )
    assert [window.id for window in world.engine.windows[one]] == [made["id"]]
    world.reopen()
    assert world.good("listMaintenances") == [made]
    assert [window.id for window in world.engine.windows[one]] == [made["id"]]


def test_running_window_can_be_ended_and_started_again(world: World) -> None:
    made = world.good("createMaintenance", **ONCE)
    world.box.clock.advance(seconds=60)
    ended = world.good("endMaintenance", maintenanceId=made["id"])
    assert (ended["status"], ended["currentEndsAt"], ended["endsAt"]) == ("over", None, made["endsAt"])
    assert world.call("endMaintenance", maintenanceId=made["id"]).status == 400
    again = world.good("updateMaintenance", maintenanceId=made["id"], endsAt="2026-06-17T15:00:00.000Z")
    assert again["status"] == "active"


def test_repeating_window_returns_after_it_was_ended(world: World) -> None:
    made = world.good("createMaintenance", **NIGHTLY)
    world.box.clock.advance(seconds=13 * 3_600)  # 03:00 in Berlin
    ended = world.good("endMaintenance", maintenanceId=made["id"])
    assert (ended["status"], ended["nextStartsAt"]) == ("scheduled", "2026-06-19T00:30:00.000Z")
    once = world.good("updateMaintenance", maintenanceId=made["id"], repeat=None, endsAt="2026-06-20T00:00:00.000Z")
    assert (once["repeat"], once["endsAt"], once["status"]) == (None, "2026-06-20T00:00:00.000Z", "active")


def test_a_deleted_window_is_gone_and_all_is_audited(world: World) -> None:
    world.made()
    made = world.good("createMaintenance", **ONCE)
    assert world.call("deleteMaintenance", key="foreign", maintenanceId=made["id"]).status in {403, 404}
    world.good("updateMaintenance", maintenanceId=made["id"], name="Moving")
    assert world.good("deleteMaintenance", maintenanceId=made["id"]) == {"success": True}
    assert world.good("listMaintenances") == []
    assert set(world.engine.windows.values()) == {()}
    done = world.rows("select action from audit where subject = 'maintenance' order by rowid")
    assert [action for (action,) in done] == ["created", "updated", "deleted"]
