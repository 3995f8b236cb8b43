"""Subscribers of a status page learn of the announced maintenance windows of its monitors."""

from typing import Any

from analytics_box.products.status_pages.automatic import windows
from analytics_box.products.status_pages.subscribers.deliveries import SubscriberDeliveries
from tests.products.status_pages.incidents.world import PAGE, World, component

PLAN = "We will carry out maintenance during this time."
MOVED = "The time of this maintenance has changed."
STARTED = "Maintenance has started."
COMPLETE = "Maintenance is complete."
CANCELED = "This maintenance has been canceled."
DAY = 24 * 60


def window(world: World, start: float, end: float, **given: Any) -> str:
    """The id of a new announced window of the monitor `api`, from one minute to another."""
    made = {"name": "New disks", "covers": {"monitorIds": [world.monitors["api"]]}, "isAnnounced": True}
    made |= {"startsAt": world.date(start), "endsAt": world.date(end)}
    answer = world.box.post("/uptime/createMaintenance", made | given, key="all")
    assert answer.status == 200, answer.body
    return str(answer.json["id"])


def change(world: World, window_id: str, **given: Any) -> None:
    answer = world.box.post("/uptime/updateMaintenance", {"maintenanceId": window_id, **given}, key="all")
    assert answer.status == 200, answer.body


def looks(world: World, *minutes: float) -> None:
    """The job runs at these minutes, twice at each."""
    for minute in minutes:
        world.sets_clock(minute)
        for _again in range(2):
            world.box.run(windows.announce(world.box.box.parts))


def test_subscribers_receive_the_plan_the_start_and_the_end_of_an_announced_window(world: World) -> None:
    world.subscribe()
    window(world, 10, 20)
    looks(world, 1, 5, 10, 15, 20, 25)
    assert world.told() == [PLAN, STARTED, COMPLETE]


def test_message_about_a_window_names_its_times_and_components(world: World) -> None:
    world.subscribe()
    window_id = window(world, 10, 20)
    looks(world, 1)
    ((place, news),) = world.box.box.box_db.read_now(windows.last_messages).items()
    assert place == (PAGE, window_id)
    assert (news.title, news.kind, news.status) == ("New disks", "maintenance", "scheduled")
    assert (world.minute(news.scheduled_for), world.minute(news.scheduled_until)) == (10, 20)
    assert [(one.name, one.impact) for one in news.affected] == [("API", "maintenance")]


def test_only_subscribers_of_an_affected_component_receive_the_messages(world: World) -> None:
    world.subscribe("api", "people")
    world.subscribe("web")
    window(world, 10, 20)
    looks(world, 1)
    assert world.told("subscriber-2") == [PLAN]
    assert world.told("subscriber-1") == []


def test_changed_time_is_sent_and_a_deleted_window_is_canceled(world: World) -> None:
    world.subscribe()
    window_id = window(world, 10, 20)
    looks(world, 1)
    change(world, window_id, startsAt=world.date(30), endsAt=world.date(40))
    looks(world, 2)
    assert world.box.post("/uptime/deleteMaintenance", {"maintenanceId": window_id}, key="all").status == 200
    looks(world, 3, 35)
    assert world.told() == [PLAN, MOVED, CANCELED]


def test_window_that_ends_early_is_complete_then(world: World) -> None:
    world.subscribe()
    window_id = window(world, 10, 20)
    looks(world, 1, 11)
    assert world.box.post("/uptime/endMaintenance", {"maintenanceId": window_id}, key="all").status == 200
    looks(world, 12, 21)
    assert world.told() == [PLAN, STARTED, COMPLETE]


def test_repeating_window_is_announced_once_and_each_occurrence_starts_and_ends(world: World) -> None:
    world.subscribe()
    repeat = {"every": "day", "time": "12:30", "minutes": 10, "zone": "UTC"}
    window(world, 0, 0, endsAt=None, repeat=repeat)
    looks(world, 1, 31, 41, DAY + 1, DAY + 31, DAY + 41)
    assert world.told() == [PLAN, STARTED, COMPLETE, STARTED, COMPLETE]


def test_window_that_passed_while_the_box_was_off_only_ends(world: World) -> None:
    world.subscribe()
    window(world, 10, 20)
    looks(world, 1)
    world.box.reopen()
    looks(world, 500)
    assert world.told() == [PLAN, COMPLETE]


def test_window_that_is_not_announced_and_drafts_of_pages_send_nothing(world: World) -> None:
    world.subscribe()
    window(world, 10, 20, isAnnounced=False)
    looks(world, 1, 11)
    world.set(published=False)
    window(world, 30, 40)
    looks(world, 12, 31)
    assert world.told() == []


def test_window_without_monitors_of_the_page_sends_nothing(world: World) -> None:
    world.subscribe()
    window(world, 10, 20)
    world.remove("api")
    looks(world, 1, 11)
    assert world.told() == []


def test_clock_that_is_set_back_repeats_no_message(world: World) -> None:
    world.subscribe()
    window(world, 10, 20)
    looks(world, 1, 11, 5, 11, 21, 15, 21)
    assert world.told() == [PLAN, STARTED, COMPLETE]


def test_message_about_a_window_is_no_request_to_confirm(world: World) -> None:
    world.subscribe()
    window(world, 10, 20)
    looks(world, 1)
    waiting = "select count(*) from subscriber_deliveries where due_at is not null"
    assert world.rows(waiting) == [(1,)]
    queue = world.box.run(world.box.box.parts[SubscriberDeliveries].queue())
    assert queue.waiting == 1


def test_feed_and_calendar_have_the_window(world: World) -> None:
    window(world, 10, 20)
    looks(world, 11)
    feed = world.box.get("/status/shop/history.rss").body.decode()
    assert [text in feed for text in ("New disks: Scheduled", "New disks: In progress", STARTED)] == [True] * 3
    assert "New disks" in world.box.get("/status/shop/history.ics").body.decode()
    looks(world, 25)
    assert "New disks: Completed" in world.box.get("/status/shop/history.atom").body.decode()
    assert component("api") in world.box.get("/status/shop/api/v2/components.json").body.decode()
