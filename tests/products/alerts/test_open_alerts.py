"""What opens an alert at a service that keeps it open, and what resolves it there."""

from analytics_box.products.alerts import telling
from analytics_box.products.alerts.alert_rule import AlertNotice
from tests.products.alerts.test_due import QUIET
from tests.products.alerts.world import World


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


def test_after_quiet_hours_each_thing_is_told_by_itself_where_alerts_stay_open(world: World) -> None:
    hook = world.channel()
    config = {"routingKey": "0" * 32}
    made = world.call("config.createChannel", type="pagerduty", name="P", config=config)
    pager = str(made["channel"]["id"])
    world.alarm(hook, pager, quietHours=QUIET)
    world.happens("down", "m1")
    world.happens("down", "m2")
    world.happens("recovered", "m2")
    world.after(17 * 60)
    assert world.outbox(hook) == ["2 alerts during the quiet hours of Shop"]
    assert [message["subject"] for message in world.messages(pager)] == ["monitor:m1"]
    world.happens("recovered", "m1")
    last = world.messages(pager)[-1]
    assert (last["subject"], last["action"]) == ("monitor:m1", "resolve")


def test_notices_name_the_channels_that_an_open_alert_has_reached(world: World) -> None:
    team, ops, later = world.channel("Team"), world.channel("Ops"), world.channel("Later")
    world.alarm(team, ops)
    world.alarm(team, escalation=later, escalateAfterMinutes=60)
    world.happens("down")

    def notices() -> dict[str, AlertNotice]:
        organization = world.box.organization_id
        return world.box.box.box_db.read_now(lambda db: telling.notices(db, organization, ["monitor:m1", "monitor:m2"]))

    assert notices() == {}
    sent = "update deliveries set due_at = null, ended_at = ?, error = ? where channel_id = ?"
    for at, error, channel in ((world.began + 1_000, None, team), (world.began + 2_000, "Refused", ops)):
        values = (at, error, channel)
        world.box.box.box_db.write_now(lambda db, values=values: db.execute(sent, values))  # type: ignore[misc]
    assert notices() == {"monitor:m1": AlertNotice(("Team",), world.began + 1_000)}
    world.happens("recovered")
    assert notices() == {}
