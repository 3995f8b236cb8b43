"""alarms.* over RPC (wire 10.5): fields, refusals, who may do what, and what stays secret."""

import json
from typing import Any

import pytest

from analytics_box.base.notify.send import ChannelSender, SendOutcome
from tests.cases import each
from tests.products.alerts.world import HOOK, World

SLACK = {"type": "slack", "identifier": "https://hooks.slack.com/services/very-secret"}


def test_an_alarm_is_made_listed_changed_and_deleted(world: World) -> None:
    made = world.call(
        "alarms.create",
        name="  Shop  is down ",
        triggerType="uptime",
        triggerConditions={"monitorIds": ["m1"], "reminderMinutes": 30},
        destinations=[SLACK],
        websiteId=world.box.sites["shop"],
        description="On call",
    )
    assert world.call("alarms.list") == [made]
    ids = {made.pop("id"), made["destinations"][0].pop("channelId")}
    assert len(ids) == 2
    assert made == {
        "organizationId": world.box.organization_id,
        "websiteId": world.box.sites["shop"],
        "name": "Shop is down",
        "description": "On call",
        "enabled": True,
        "triggerType": "uptime",
        "triggerConditions": {"monitorIds": ["m1"], "reminderMinutes": 30},
        "destinations": [{**SLACK, "config": {}, "escalation": False}],
        "open": [],
        "lastToldAt": None,
        "createdAt": "2026-06-17T12:00:00.000Z",
        "updatedAt": "2026-06-17T12:00:00.000Z",
    }
    (alarm,) = world.call("alarms.list")
    changed = world.call("alarms.update", alarmId=alarm["id"], websiteId=None, name="All")
    assert (changed["websiteId"], changed["name"], changed["description"]) == (None, "All", "On call")
    assert changed["triggerConditions"] == {"monitorIds": ["m1"], "reminderMinutes": 30}
    again = world.call("alarms.update", alarmId=alarm["id"], destinations=alarm["destinations"])
    assert again["destinations"] == alarm["destinations"]  # as they were shown
    assert world.call("alarms.delete", alarmId=alarm["id"]) == {"success": True}
    assert world.call("alarms.list") == []
    assert len(world.call("config.listChannels")) == 1


def test_a_destination_is_the_channel_that_leads_there(world: World) -> None:
    hook = world.channel()
    for destination in (
        {"type": "webhook", "identifier": f"{HOOK}/Hook"},
        {"type": "webhook", "config": {"url": f"{HOOK}/Hook"}},
        {"type": "channel", "identifier": hook},
        {"type": "webhook", "channelId": hook},
    ):
        made = world.call("alarms.create", name="A", triggerType="uptime", destinations=[destination, destination])
        assert [one["channelId"] for one in made["destinations"]] == [hook]
    assert len(world.call("config.listChannels")) == 1
    made = world.call(
        "alarms.create",
        name="Mail",
        triggerType="traffic_drop",
        destinations=[{"type": "email", "identifier": "ada@example.com"}],
    )
    assert made["destinations"][0]["identifier"] == "ada@example.com"
    assert len(world.call("config.listChannels")) == 2


def test_a_place_that_is_a_secret_is_never_shown(world: World) -> None:
    pager = {"type": "pagerduty", "identifier": "k" * 32}
    made = world.call("alarms.create", name="A", triggerType="uptime", destinations=[pager])
    (shown,) = made["destinations"]
    assert (shown["identifier"], shown["config"]) == ("https://events.pagerduty.com/…", {"region": "us"})
    again = world.call("alarms.update", alarmId=made["id"], destinations=[shown])
    assert again["destinations"] == [shown]
    world.call("alarms.create", name="B", triggerType="uptime", destinations=[pager])
    assert [one["name"] for one in world.call("config.listChannels")] == ["PagerDuty"]


def test_rooms_of_one_server_are_different_places(world: World) -> None:
    server = {"type": "ntfy", "identifier": "https://ntfy.example.com"}
    for topic in ("one", "two", "one"):
        given = [server | {"config": {"topic": topic}}]
        world.call("alarms.create", name=topic, triggerType="uptime", destinations=given)
    assert len(world.call("config.listChannels")) == 2
    wrong = world.refused("alarms.create", name="A", triggerType="uptime", destinations=[server])
    assert wrong[:2] == (400, "destinations")


WRONG: tuple[tuple[dict[str, Any], str, str], ...] = (
    ({"triggerType": "goal"}, "triggerType", "Unknown alert rule type goal"),
    ({"triggerType": "custom"}, "triggerType", "Unknown alert rule type custom"),
    ({"name": " "}, "name", "1 to 100"),
    ({"destinations": []}, "destinations", "at least one"),
    ({"destinations": [SLACK | {"escalation": True}]}, "triggerConditions", "escalateAfterMinutes"),
    ({"triggerConditions": {"escalateAfterMinutes": 5}}, "destinations", "escalation"),
    ({"destinations": [{"type": "pigeon", "identifier": "x"}]}, "destinations", "one of these types"),
    ({"destinations": [SLACK, {"type": "channel", "identifier": "nothere1"}]}, "destinations", "Destination 2"),
    ({"destinations": [{"type": "webhook", "identifier": "http://127.0.0.1/"}]}, "destinations", "Destination 1"),
    ({"destinations": [{"type": "email", "identifier": "x@strange.example"}]}, "destinations", "member's address"),
    ({"websiteId": "nothere1"}, "websiteId", "no website"),
    ({"triggerType": "traffic_drop", "triggerConditions": {"monitorIds": ["m"]}}, "triggerConditions", "uptime"),
    ({"triggerType": "traffic_drop", "triggerConditions": {"threshold": 101}}, "triggerConditions", "100 percent"),
    ({"triggerConditions": {"threshold": 5}}, "triggerConditions", "threshold is for"),
    ({"triggerConditions": {"silenceHours": 5}}, "triggerConditions", "silenceHours is for"),
    ({"triggerConditions": {"events": ["traffic_drop"]}}, "triggerConditions", "is not a monitor event"),
    (
        {"triggerConditions": {"quietHours": {"start": "22:00", "end": "07:00", "timeZone": "Mars/Base"}}},
        "triggerConditions",
        "time zone",
    ),
    (
        {"triggerConditions": {"quietHours": {"start": "24:00", "end": "07:00"}}},
        "triggerConditions.quietHours.start",
        "",
    ),
    ({"triggerConditions": {"minutes": 5}, "triggerType": "error_rate"}, "triggerConditions.minutes", ""),
    ({"triggerConditions": {"colour": "red"}}, "", ""),
)


@pytest.fixture
def shared(world: World) -> World:
    world.people.add("adam", "admin")  # who may write mail to fewer than whoever runs the box
    return world


@each(("given", "field", "said"), WRONG)
def test_invalid_input_is_refused_at_its_field(shared: World, given: dict[str, Any], field: str, said: str) -> None:
    plain = {"name": "A", "triggerType": "uptime", "destinations": [SLACK]}
    status, at, message = shared.refused("alarms.create", "adam", **(plain | given))
    assert status == 400
    assert field in at
    assert said in message
    assert shared.call("alarms.list") == []
    assert shared.call("config.listChannels") == []  # nothing of a refused alarm is left


def test_others_see_what_there_is_without_its_places(world: World) -> None:
    alarm = world.alarm(world.channel())
    for role in ("member", "viewer"):
        world.people.add(role, role)
        (seen,) = world.call("alarms.list", role)
        assert "very-secret" not in json.dumps(seen)
        assert seen["destinations"][0]["config"] is None
        for procedure in ("update", "delete", "test"):
            assert world.refused(f"alarms.{procedure}", role, alarmId=alarm)[0] == 403
    assert world.refused("alarms.acknowledge", "viewer", alarmId=alarm, subject="x")[0] == 403
    assert world.refused("alarms.acknowledge", "member", alarmId=alarm, subject="x")[0] == 404


def test_keys_need_scopes_and_see_places_only_with_the_right_one(world: World) -> None:
    world.alarm(world.channel())
    assert world.box.post("/alarms/list", {}, key="reading").status == 403
    assert world.box.post("/alarms/list", {}, key="restricted").status == 403
    assert "very-secret" in world.box.post("/alarms/list", {}, key="all").body.decode()
    assert world.box.post("/alarms/list", {}, key="foreign").json == []


def test_a_foreign_alarm_is_not_there(world: World) -> None:
    alarm = world.alarm(world.channel())
    for procedure in ("update", "delete", "test"):
        assert world.box.post(f"/alarms/{procedure}", {"alarmId": alarm}, key="foreign").status == 404


def test_a_test_goes_to_all_channels_and_says_what_became_of_it(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    good, bad = world.channel("Good"), world.channel("Bad")
    alarm = world.alarm(good, escalation=bad, escalateAfterMinutes=5)

    async def send(_: ChannelSender, *given: Any, **__: Any) -> SendOutcome:
        return SendOutcome("It is closed") if "Bad" in str(given) else SendOutcome()

    monkeypatch.setattr(ChannelSender, "send", send)
    answers = [world.people.call("ada", "alarms.test", alarmId=alarm) for _ in range(6)]
    assert answers[0].json == {
        "results": [
            {"success": True, "channel": "webhook"},
            {"success": False, "channel": "webhook", "error": "It is closed"},
        ]
    }
    assert [answer.status for answer in answers] == [200] * 5 + [429]
    results = {channel["id"]: channel["lastResult"]["error"] for channel in world.call("config.listChannels")}
    assert results == {good: None, bad: "It is closed"}
    assert world.outbox() == []


def test_changes_are_in_the_audit_log_without_secrets(world: World) -> None:
    alarm = world.alarm(world.channel())
    world.call("alarms.update", alarmId=alarm, name="Other", destinations=[SLACK])
    world.call("alarms.update", alarmId=alarm, name="Other")  # changes nothing
    world.happens("down")
    world.call("alarms.acknowledge", alarmId=alarm, subject="monitor:m1")
    world.call("alarms.delete", alarmId=alarm)
    found = world.box.box.box_db.read_now(
        lambda db: db.execute("select action, detail from audit where subject = 'alarm' order by id").fetchall()
    )
    assert [action for action, _ in found] == ["created", "updated", "updated", "deleted"]
    assert "very-secret" not in str(found)
    everything = world.box.box.box_db.read_now(lambda db: db.execute("select detail from audit").fetchall())
    assert "very-secret" not in str(everything)
    assert json.loads(str(found[2][1])) == {"name": "Other", "acknowledged": "m1 down"}


def test_an_organization_has_so_many_alert_rules(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analytics_box.products.alerts.change.MOST_RULES", 1)
    hook = world.channel()
    world.alarm(hook)
    given = [{"type": "channel", "identifier": hook}]
    assert world.refused("alarms.create", name="B", triggerType="uptime", destinations=given)[0] == 409


def test_a_deleted_channel_leaves_its_alarm(world: World) -> None:
    hook = world.channel()
    world.alarm(hook)
    world.call("config.deleteChannel", channelId=hook)
    assert world.call("alarms.list")[0]["destinations"] == []
    assert world.happens("down") == 0
    assert "No channels. Choose at least one." in world.seen("/alerts")
