"""The pages of alarms, without JavaScript."""

import re

import pytest

from analytics_box.base.notify.send import ChannelSender, SendOutcome
from analytics_box.products.alerts.alert_rule import MonitorName
from analytics_box.products.alerts.form import MOST_MONITORS, monitor_choices
from tests.cases import each
from tests.products.alerts.world import World

BAD = '"><script>alert(1)</script>'


def form(channel: str, **fields: str) -> dict[str, str]:
    plain = {"name": "Shop", "trigger": "uptime", "event-down": "on", "event-recovered": "on", f"to-{channel}": "now"}
    return plain | {name.replace("__", "-"): value for name, value in fields.items()}


def test_the_form_makes_an_alarm_and_shows_it_again_as_it_is(world: World) -> None:
    hook, boss = world.channel(), world.channel("Boss")
    fields = form(
        hook,
        description="Night",
        groups="Shops, Blogs,Shops",
        reminder_minutes="30",
        escalate_after_minutes="15",
        start="22:00",
        end="07:00",
        zone="Europe/Berlin",
        day__sat="on",
        through="on",
        threshold="7",  # of another trigger
        **{f"to-{boss}": "later"},
    )
    answer = world.sent("/alerts/new", fields)
    assert (answer.status, answer.headers["location"]) == (303, "/alerts?done=created")
    (alarm,) = world.call("alarms.list")
    conditions = {
        "groups": ["Shops", "Blogs"],
        "events": ["down", "recovered"],
        "reminderMinutes": 30,
        "escalateAfterMinutes": 15,
        "quietHours": {
            "start": "22:00",
            "end": "07:00",
            "timeZone": "Europe/Berlin",
            "days": ["sat"],
            "through": ["down"],
        },
    }
    assert alarm["triggerConditions"] == conditions
    assert [(one["channelId"], one["escalation"]) for one in alarm["destinations"]] == [(hook, False), (boss, True)]
    page = world.seen(f"/alerts/{alarm['id']}")
    shown = {
        name: value for name, value in re.findall(r'<input id="\w+" name="(\w+)"[^>]*? value="([^"]*)"', page) if value
    }
    ticked = set(re.findall(r'name="([\w-]+)" checked', page))
    assert ticked == {"event-down", "event-recovered", "day-sat", "through"}
    chosen = re.findall(r'<select class="select" id="to-([\w-]+)".*?<option value="(\w*)" selected', page, re.DOTALL)
    (zone,) = re.findall(r'<select class="select" id="zone".*?<option value="([^"]*)" selected', page, re.DOTALL)
    again = shown | dict.fromkeys(ticked, "on") | {f"to-{one}": how for one, how in chosen}
    again |= {"trigger": "uptime", "zone": zone}
    assert world.sent(f"/alerts/{alarm['id']}", again).status == 303
    assert world.call("alarms.list") == [alarm]


def test_the_list_says_what_there_is(world: World) -> None:
    assert "Add an alert channel first" in world.seen("/alerts")
    hook = world.channel()
    assert "No alert rules yet" in world.seen("/alerts")
    world.alarm(hook)
    world.alarm(hook, trigger="traffic_drop", threshold=60, minutes=120)
    page = world.seen("/alerts")
    assert "all monitors" in page
    assert "60 % less than usual in 2 h" in page
    assert "No alerts sent yet." in page
    world.happens("down")
    page = world.seen("/alerts")
    assert "Open alerts" in page
    assert "Last alert" in page


def test_open_alert_is_acknowledged_on_the_page(world: World) -> None:
    alarm = world.alarm(world.channel())
    world.happens("down", title=f"{BAD} is down")
    page = world.seen("/alerts")
    assert BAD not in page
    assert world.sent(f"/alerts/{alarm}/acknowledge", {"subject": "monitor:m1"}).status == 303
    page = world.seen("/alerts?done=acknowledged")
    assert "Acknowledged 17 Jun 2026, 12:00." in page
    assert 'action="/alerts/' + alarm + '/acknowledge"' not in page


def test_an_alarm_is_switched_off_and_on_and_deleted(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async def send(*_: object, **__: object) -> SendOutcome:
        return SendOutcome("It is closed")

    monkeypatch.setattr(ChannelSender, "send", send)
    alarm = world.alarm(world.channel())
    for action, enabled in (("off", False), ("on", True)):
        assert world.sent(f"/alerts/{alarm}/{action}", {}).headers["location"] == f"/alerts?done={action}"
        assert world.call("alarms.list")[0]["enabled"] is enabled
    assert "Hook: It is closed" in world.sent(f"/alerts/{alarm}/test", {}).body.decode()
    assert "Its channels are kept" in world.seen(f"/alerts/{alarm}/delete")
    assert world.sent(f"/alerts/{alarm}/delete", {}).status == 303
    assert world.call("alarms.list") == []
    assert world.sent(f"/alerts/{alarm}/delete", {}).status == 404


def test_advanced_settings_of_a_rule_name_what_differs_from_the_defaults(world: World) -> None:
    plain = world.alarm(world.channel(), trigger="traffic_drop")
    assert "<span>Default settings</span>" in world.seen("/alerts/new")
    world.call("alarms.update", alarmId=plain, description="On call", triggerType="uptime")
    quiet = {"start": "22:00", "end": "07:00", "days": ["sat"]}
    world.call("alarms.update", alarmId=plain, triggerConditions={"events": ["down"], "quietHours": quiet})
    page = world.seen(f"/alerts/{plain}")
    summary = page.partition("Advanced")[2].partition("</summary>")[0]
    for label in ("Name", "Description", "Quiet hours", "Events", "Days"):
        assert label in summary, label


WRONG = (
    ({"trigger": "goal"}, "Unknown alert rule type goal"),
    ({"event-down": "", "reminder_minutes": "4"}, "from 5 to 10080"),
    ({"reminder_minutes": "soon"}, "from 5 to 10080"),
    ({"escalate_after_minutes": "15"}, "Mark a destination"),
    ({"start": "22:00"}, "Enter a time such as 22:00"),
    ({"start": "22:00", "end": "99:99"}, "Enter a time such as 22:00"),
    ({"start": "22:00", "end": "07:00", "zone": "Mars/Base"}, "time zone"),
    ({"website": "nothere1"}, "no website"),
    ({"trigger": "traffic_drop", "threshold": "many"}, "Enter a percentage"),
    ({"trigger": "traffic_drop", "threshold": "1e3"}, "Enter a percentage"),
    ({"trigger": "error_rate", "threshold": "101"}, "up to 100"),
    ({"trigger": "traffic_drop", "minutes": "2"}, "from 15 to 1440"),
    ({"trigger": "first_event", "silence_hours": "0"}, "from 1 to 720"),
    ({"name": BAD * 10}, "100 characters"),
    ({"tags": "x" * 101}, "up to 100 characters"),
)


@each(("fields", "said"), WRONG)
def test_invalid_input_is_reported_at_its_field(shared: World, fields: dict[str, str], said: str) -> None:
    channel = shared.call("config.listChannels")[0]["id"]
    answer = shared.sent("/alerts/new", form(channel) | fields)
    page = answer.body.decode()
    assert answer.status == 400
    assert said in page
    assert BAD not in page
    assert f'id="to-{channel}"' in page


@pytest.fixture
def shared(world: World) -> World:
    world.channel()
    return world


def test_the_form_without_a_choice_says_so(world: World) -> None:
    hook, boss = world.channel(), world.channel("Boss")
    later = form(hook) | {f"to-{boss}": "later"}
    assert "Enter the minutes until escalation" in world.sent("/alerts/new", later).body.decode()
    fields = form(hook)
    del fields[f"to-{hook}"]
    assert "at least one destination" in world.sent("/alerts/new", fields).body.decode()
    fields = {name: value for name, value in form(hook).items() if not name.startswith("event-")}
    assert "Select at least one event" in world.sent("/alerts/new", fields).body.decode()


def test_members_and_viewers_see_the_list_only(world: World) -> None:
    alarm = world.alarm(world.channel())
    world.happens("down")
    for role in ("member", "viewer"):
        world.people.add(role, role)
        page = world.seen("/alerts", role)
        assert "/alerts/new" not in page
        assert f"/alerts/{alarm}/delete" not in page
        assert (f"/alerts/{alarm}/acknowledge" in page) == (role == "member")
        for path in ("/alerts/new", f"/alerts/{alarm}", f"/alerts/{alarm}/delete"):
            assert world.people.see(role, path).status == 403
        assert world.sent(f"/alerts/{alarm}/off", {}, role).status == 403
    assert world.sent(f"/alerts/{alarm}/acknowledge", {"subject": "monitor:m1"}, "member").status == 303


def test_the_form_lists_what_is_chosen_before_it_lists_others() -> None:
    monitors = [MonitorName(f"m{number}", f"Shop {number:03}") for number in range(MOST_MONITORS + 20)]
    chosen = {"monitor-m310": "on", "monitor-m7": "on"}
    listed = monitor_choices(monitors, chosen)
    assert [choice.name for choice in listed[:3]] == ["Shop 007", "Shop 310", "Shop 000"]
    assert len(listed) == MOST_MONITORS
    everything = {f"monitor-{one.id}": "on" for one in monitors}
    assert len(monitor_choices(monitors, everything)) == len(monitors)


def test_a_website_that_is_gone_is_not_taken_for_all(world: World) -> None:
    hook = world.channel()
    alarm = world.alarm(hook)
    world.call("alarms.update", alarmId=alarm, websiteId=world.box.sites["shop"])
    world.call("websites.delete", id=world.box.sites["shop"])
    assert "Deleted website, all monitors" in world.seen("/alerts")
    assert f'value="{world.box.sites["shop"]}" selected' in world.seen(f"/alerts/{alarm}")
    answer = world.sent(f"/alerts/{alarm}", form(hook, website=world.box.sites["shop"]))
    assert "no website with this id" in answer.body.decode()


def test_former_addresses_of_alert_rules_redirect(world: World) -> None:
    alarm = world.alarm(world.channel())
    for path in ("/alarms", "/alarms/new?type=traffic_drop", f"/alarms/{alarm}", f"/alarms/{alarm}/delete"):
        answer = world.people.see("ada", path)
        assert (answer.status, answer.headers["location"]) == (303, path.replace("/alarms", "/alerts", 1)), path


def test_alert_rule_without_a_name_is_named_by_its_trigger(world: World) -> None:
    fields = form(world.channel()) | {"name": ""}
    assert world.sent("/alerts/new", fields).status == 303
    assert world.call("alarms.list")[0]["name"] == "Monitor outages"
