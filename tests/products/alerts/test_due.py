"""Reminders, escalation, acknowledging and quiet hours, as time goes by."""

from typing import Any

from analytics_box.base.clock import MINUTE
from tests.products.alerts.world import World


def test_reminders_come_until_it_is_over(world: World) -> None:
    hook = world.channel()
    world.alarm(hook, reminderMinutes=30)
    world.ran()
    world.happens("down")
    assert [world.after(10) for _ in range(6)] == [0, 0, 1, 0, 0, 1]
    world.happens("recovered")
    assert world.after(60) == 0
    assert world.outbox(hook) == ["m1 down", "Ongoing: m1 down", "Ongoing: m1 down", "m1 recovered"]
    assert world.messages(hook)[2]["text"] == "It has lasted for 1 h.\nDetails"


def test_the_escalation_is_told_once_and_hears_of_the_end(world: World) -> None:
    hook, boss = world.channel(), world.channel("Boss")
    world.alarm(hook, escalation=boss, escalateAfterMinutes=15)
    world.ran()
    world.happens("down")
    assert [world.after(14), world.after(1), world.after(60)] == [0, 1, 0]
    world.happens("recovered")
    assert world.outbox(boss) == ["Escalated: m1 down", "m1 recovered"]
    assert world.outbox(hook) == ["m1 down", "m1 recovered"]


def test_a_short_outage_is_not_escalated(world: World) -> None:
    boss = world.channel("Boss")
    world.alarm(world.channel(), escalation=boss, escalateAfterMinutes=15)
    world.ran()
    world.happens("down")
    world.after(5)
    world.happens("recovered")
    world.after(60)
    assert world.outbox(boss) == []


def test_acknowledging_stops_reminders_and_escalation(world: World) -> None:
    hook, boss = world.channel(), world.channel("Boss")
    alarm = world.alarm(hook, escalation=boss, escalateAfterMinutes=15, reminderMinutes=10)
    world.people.add("mel", "member")
    world.ran()
    world.happens("down")
    (seen,) = world.call("alarms.list")[0]["open"]
    assert (seen["subject"], seen["event"], seen["acknowledgedAt"]) == ("monitor:m1", "down", None)
    world.call("alarms.acknowledge", "mel", alarmId=alarm, subject="monitor:m1")
    assert world.call("alarms.list")[0]["open"][0]["acknowledgedBy"] == f"user:{world.people.ids['mel']}"
    assert world.after(120) == 0
    world.happens("recovered")
    assert world.outbox() == ["m1 down", "m1 recovered"]
    assert world.refused("alarms.acknowledge", alarmId=alarm, subject="monitor:m1")[0] == 404


def test_second_problem_of_a_monitor_restarts_reminders(world: World) -> None:
    hook = world.channel()
    alarm = world.alarm(hook, reminderMinutes=10, events=["degraded", "down", "recovered"])
    world.ran()
    world.happens("degraded")
    world.call("alarms.acknowledge", alarmId=alarm, subject="monitor:m1")
    world.happens("down")
    assert world.after(10) == 1
    assert world.outbox(hook)[-1] == "Ongoing: m1 down"


def test_a_box_that_was_off_makes_up_for_nothing(world: World) -> None:
    hook = world.channel()
    world.alarm(hook, reminderMinutes=5)
    world.happens("down")
    world.box.clock.advance(seconds=86_400)
    world.box.reopen()
    world.starts()
    assert world.after(0) == 0  # first monitors are looked at
    assert world.after(3) == 1
    assert world.outbox(hook) == ["m1 down", "Ongoing: m1 down"]


# It is Wednesday, 12:00 UTC, 14:00 in Berlin.
QUIET: dict[str, Any] = {"start": "13:00", "end": "16:00", "timeZone": "Europe/Berlin"}


def test_quiet_hours_hold_back_what_lasts_and_tell_it_when_they_end(world: World) -> None:
    hook = world.channel()
    world.alarm(hook, quietHours=QUIET, reminderMinutes=60)
    world.ran()
    assert world.happens("down") == 0
    assert world.after(60) == 0
    assert world.after(55) == 1  # 16:00 in Berlin
    assert world.outbox(hook) == ["m1 down"]
    assert world.after(30) == 0
    assert world.after(30) == 1  # an hour after it was told
    world.happens("recovered")
    assert world.outbox(hook)[-1] == "m1 recovered"


def test_problem_that_ended_in_quiet_hours_is_a_line_of_the_summary(world: World) -> None:
    hook = world.channel()
    world.alarm(hook, quietHours=QUIET)
    world.ran()
    world.happens("down")
    world.happens("certificate", "m3")
    world.after(10)
    world.happens("recovered")
    world.happens("down", "m2")
    world.after(120)
    (message,) = world.messages(hook)
    assert message["title"] == "3 alerts during the quiet hours of Shop"
    assert message["text"].splitlines() == [
        "Ongoing since 14:15: m2 down",
        "Ended, 14:05 to 14:15: m1 down",
        "At 14:05: m3 certificate",
    ]
    assert world.after(600) == 0


def test_single_ended_problem_is_one_line(world: World) -> None:
    hook = world.channel()
    world.alarm(hook, quietHours=QUIET)
    world.happens("down")
    world.happens("recovered")
    world.ran()
    world.after(120)
    (message,) = world.messages(hook)
    assert message["title"] == "1 alert during the quiet hours of Shop, already resolved"
    assert message["text"] == "Ended, 14:00 to 14:00: m1 down"


def test_exception_of_quiet_hours_is_sent_immediately_with_its_end(world: World) -> None:
    hook = world.channel()
    world.alarm(hook, quietHours=QUIET | {"through": ["down"]})
    world.happens("down")
    world.happens("certificate", "m2")
    world.happens("recovered")
    assert world.outbox(hook) == ["m1 down", "m1 recovered"]


def test_the_end_of_what_was_told_before_is_told_after_quiet_hours(world: World) -> None:
    hook = world.channel()
    alarm = world.alarm(hook)
    world.happens("down")
    world.call("alarms.update", alarmId=alarm, triggerConditions={"quietHours": QUIET})
    world.ran()
    assert world.happens("recovered") == 0
    world.after(120)
    assert world.outbox(hook) == ["m1 down", "m1 recovered"]


def test_without_quiet_hours_what_they_held_back_is_told(world: World) -> None:
    hook = world.channel()
    alarm = world.alarm(hook, quietHours=QUIET)
    world.happens("down")
    world.call("alarms.update", alarmId=alarm, triggerConditions={})
    world.ran()
    assert world.outbox(hook) == ["m1 down"]


def test_quiet_hours_hold_back_reminders_and_escalation(world: World) -> None:
    hook, boss = world.channel(), world.channel("Boss")
    quiet = QUIET | {"start": "14:20"}
    world.alarm(hook, escalation=boss, escalateAfterMinutes=30, reminderMinutes=30, quietHours=quiet)
    world.ran()
    world.happens("down")
    assert [world.after(30), world.after(84)] == [0, 0]
    assert world.after(1) == 2  # one reminder, one escalation
    assert (len(world.outbox(hook)), world.outbox(boss)) == (2, ["Escalated: m1 down"])
    assert world.messages(boss)[0]["at"] == world.box.clock.now() // MINUTE * MINUTE


def test_alerts_that_stay_open_are_resolved_at_once_and_get_no_summary(world: World) -> None:
    pager, hook = world.pager(), world.channel()
    alarm = world.alarm(pager, hook)
    world.happens("down")
    world.call("alarms.update", alarmId=alarm, triggerConditions={"quietHours": QUIET})
    world.ran()
    assert world.happens("recovered") == 1
    world.happens("down", "m2")
    world.happens("down", "m3")
    world.happens("recovered", "m3")
    world.after(120)
    assert world.actions(pager) == [("m1 down", "trigger"), ("m1 recovered", "resolve"), ("m2 down", "trigger")]
    assert world.outbox(hook)[1:] == ["3 alerts during the quiet hours of Shop"]


def test_paused_or_covered_monitor_gets_no_reminders(world: World) -> None:
    hook = world.channel()
    world.alarm(hook, reminderMinutes=10)
    world.ran()
    world.happens("down")
    world.resting.add("m1")
    assert world.after(30) == 0
    world.resting.clear()
    assert world.after(5) == 1
