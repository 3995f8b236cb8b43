"""What opens an alert at a service that keeps it open, and what resolves it there."""

from tests.alarms.world import World


def test_an_outage_opens_an_alert_and_its_end_resolves_the_same_one(world: World) -> None:
    hook = world.channel()
    world.alarm(hook, reminderMinutes=10)
    world.ran()
    world.happens("down")
    world.after(10)
    world.happens("recovered")
    told = [(message["subject"], message.get("action", "trigger")) for message in world.messages(hook)]
    assert told == [("monitor:m1", "trigger"), ("monitor:m1", "trigger"), ("monitor:m1", "resolve")]


def test_a_certificate_near_its_end_is_another_alert_than_an_outage(world: World) -> None:
    hook = world.channel()
    world.alarm(hook)
    for what in ("certificate", "down", "recovered"):
        world.happens(what)
    subjects = [message["subject"] for message in world.messages(hook)]
    assert subjects == ["monitor:m1:certificate", "monitor:m1", "monitor:m1"]
