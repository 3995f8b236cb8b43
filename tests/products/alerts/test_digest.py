"""Alerts of a rule with a digest: collected from the first one on, and sent as one message."""

from tests.products.alerts.world import World


def test_alerts_of_the_digest_are_one_message_and_the_next_one_begins_another(world: World) -> None:
    hook = world.channel()
    world.alarm(hook, digestMinutes=60)
    world.ran()
    world.happens("down")
    world.after(10)
    world.happens("down", "m2")
    world.happens("recovered")
    assert world.after(45) == 0
    assert world.after(10) == 1
    (message,) = world.messages(hook)
    assert message["title"] == "2 alerts of Shop"
    assert message["text"].splitlines() == ["Ongoing since 12:15: m2 down", "Ended, 12:05 to 12:15: m1 down"]
    world.happens("recovered", "m2")
    assert world.after(59) == 0
    assert world.after(2) == 1
    assert world.outbox(hook)[-1] == "m2 recovered"


def test_alerts_that_a_service_keeps_open_are_sent_by_themselves_with_the_digest(world: World) -> None:
    pager = world.pager()
    world.alarm(pager, digestMinutes=30)
    world.ran()
    world.happens("down")
    world.happens("down", "m2")
    assert world.actions(pager) == []
    world.after(31)
    assert world.actions(pager) == [("m1 down", "trigger"), ("m2 down", "trigger")]
    world.happens("recovered")
    assert world.actions(pager)[-1] == ("m1 recovered", "resolve")


def test_digest_that_ends_in_quiet_hours_waits_for_their_end(world: World) -> None:
    hook = world.channel()
    world.alarm(hook, digestMinutes=30, quietHours={"start": "12:00", "end": "14:00", "timeZone": "UTC"})
    world.ran()
    world.happens("down")
    assert world.after(60) == 0
    assert world.after(61) == 1


def test_rule_without_a_digest_any_longer_sends_what_was_collected(world: World) -> None:
    hook = world.channel()
    alarm = world.alarm(hook, digestMinutes=600)
    world.ran()
    world.happens("down")
    world.call("alarms.update", alarmId=alarm, triggerConditions={})
    world.after(1)
    assert world.outbox(hook) == ["m1 down"]
