"""Who is told of what happens to monitors, and that nobody hears it twice."""

from typing import Any

import pytest

from analytics_box.products.alerts.telling import forget
from tests.cases import each
from tests.products.alerts.world import World


def test_an_outage_and_its_end_are_told(world: World) -> None:
    hook = world.channel()
    world.alarm(hook)
    assert world.happens("down") == 1
    assert world.happens("recovered") == 1
    first, last = world.messages(hook)
    assert (first["type"], first["title"], first["tone"]) == ("monitor.down", "m1 down", "bad")
    assert (last["type"], last["tone"], last["url"]) == ("monitor.recovered", "good", "https://box.example/monitors/m1")


def test_nothing_is_told_twice_after_a_crash(world: World) -> None:
    hook = world.channel()
    world.alarm(hook)
    for _ in range(2):  # what was not marked as told comes again, in its order
        world.happens("down", topic="a")
        world.happens("recovered", topic="b")
    assert world.outbox(hook) == ["m1 down", "m1 recovered"]
    assert world.call("alarms.list")[0]["open"] == []


def test_two_alarms_of_one_channel_send_once(world: World) -> None:
    hook, other = world.channel(), world.channel("Other")
    world.alarm(hook)
    world.alarm(hook, other)
    world.happens("down")
    assert (world.outbox(hook), world.outbox(other)) == (["m1 down"], ["m1 down"])


def test_end_of_an_unreported_problem_is_not_reported(world: World) -> None:
    hook = world.channel()
    world.alarm(hook)
    assert world.happens("recovered") == 0
    world.happens("degraded")  # not among what is told usually
    assert world.happens("down") == 1
    assert world.outbox(hook) == ["m1 down"]


def test_an_alarm_that_is_off_and_another_organization_s_hear_nothing(world: World) -> None:
    hook = world.channel()
    alarm = world.alarm(hook)
    assert world.happens("down", organization_id=world.box.foreign_organization_id) == 0
    world.call("alarms.update", alarmId=alarm, enabled=False)
    assert world.happens("down") == 0


def test_switching_off_ends_what_is_going_on(world: World) -> None:
    alarm = world.alarm(world.channel(), reminderMinutes=10)
    world.ran()
    world.happens("down")
    world.call("alarms.update", alarmId=alarm, enabled=False)
    world.call("alarms.update", alarmId=alarm, enabled=True)
    assert world.after(60) == 0
    assert world.call("alarms.list")[0]["open"] == []


def test_forgotten_problem_has_no_end(world: World) -> None:
    hook = world.channel()
    world.alarm(hook, reminderMinutes=10)
    world.ran()
    world.happens("down")
    organization = world.box.organization_id
    world.box.box.box_db.write_now(lambda db: forget(db, organization, "monitor:m1", now=world.box.clock.now()))
    assert world.after(60) == 0
    assert world.happens("recovered") == 0


MATCHES: tuple[tuple[dict[str, Any], dict[str, Any], int], ...] = (
    ({}, {}, 1),
    ({"monitorIds": ["m1"]}, {}, 1),
    ({"monitorIds": ["m2"]}, {}, 0),
    ({"monitorIds": ["m2"], "tags": ["Prod"]}, {"tags": ("prod", "eu")}, 1),
    ({"groups": ["Shops"]}, {"group": "shops"}, 1),
    ({"groups": ["Shops"]}, {"group": ""}, 0),
    ({"tags": ["eu"]}, {"tags": ("us",)}, 0),
    ({"events": ["recovered"]}, {}, 0),
    ({"events": ["down"]}, {}, 1),
)


@each(("conditions", "more", "told"), MATCHES)
def test_conditions_choose_the_monitors(
    shared: World, conditions: dict[str, Any], more: dict[str, Any], told: int
) -> None:
    alarm = shared.alarm(shared.call("config.listChannels")[0]["id"], **conditions)
    assert shared.happens("down", **more) == told
    shared.call("alarms.delete", alarmId=alarm)


@pytest.fixture
def shared(world: World) -> World:
    world.channel()
    return world


def test_an_alarm_of_a_website_is_about_its_monitors(world: World) -> None:
    alarm = world.alarm(world.channel())
    world.call("alarms.update", alarmId=alarm, websiteId=world.box.sites["shop"])
    assert world.happens("down") == 0
    assert world.happens("down", website_id=world.box.sites["shop"]) == 1


def test_only_the_end_may_be_told(world: World) -> None:
    hook = world.channel()
    world.alarm(hook, events=["recovered"], reminderMinutes=5)
    world.ran()
    world.happens("down")
    assert world.after(30) == 0
    assert world.happens("recovered") == 1
    assert world.outbox(hook) == ["m1 recovered"]


def test_flapping_ends_with_what_the_monitor_is_then(world: World) -> None:
    hook = world.channel()
    world.alarm(hook)
    world.happens("down")
    world.happens("flapping")
    world.happens("stable", still="down")
    assert world.call("alarms.list")[0]["open"][0]["event"] == "down"
    world.happens("recovered")
    assert world.outbox(hook) == ["m1 down", "m1 flapping", "m1 stable", "m1 recovered"]
    assert world.messages(hook)[2]["tone"] == "bad"


def test_rule_without_flapping_is_notified_of_the_final_state(world: World) -> None:
    hook = world.channel()
    world.alarm(hook, events=["down", "recovered"])
    world.happens("down")
    world.happens("flapping")
    assert world.call("alarms.list")[0]["open"][0]["event"] == "down"
    world.happens("stable")
    world.happens("flapping")
    world.happens("stable", still="down")
    assert world.outbox(hook) == ["m1 down", "m1 stable", "m1 stable"]


def test_open_alert_is_resolved_at_a_service_without_a_matching_rule(world: World) -> None:
    pager, hook = world.pager(), world.channel()
    world.alarm(pager, hook, events=["down", "certificate"])
    world.happens("down")
    world.happens("recovered")
    world.happens("certificate")
    assert world.actions(pager)[:2] == [("m1 down", "trigger"), ("m1 recovered", "resolve")]
    subjects = [message["subject"] for message in world.messages(pager)]
    assert subjects == ["monitor:m1", "monitor:m1", "monitor:m1:certificate"]
    assert world.outbox(hook) == ["m1 down", "m1 certificate"]
