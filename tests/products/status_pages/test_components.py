"""Components and groups of a status page: what is shown of them, their order, and what becomes of them."""

from typing import Any

import pytest

from analytics_box.products.status_pages.page import MOST_COMPONENTS, MOST_GROUPS
from tests.cases import each
from tests.products.status_pages.world import World


def order_of(world: World, page_id: str) -> list[str]:
    """Names of groups and components as they stand."""
    shown = world.good("get", statusPageId=page_id)
    placed: list[dict[str, Any]] = [*shown["monitors"], *shown["components"], *shown["groups"]]
    return [one.get("displayName") or one.get("name") or "?" for one in sorted(placed, key=lambda one: one["order"])]


def test_a_monitor_is_added_shown_and_removed(shared: World) -> None:
    page_id, monitor_id = shared.page("monitors"), shared.monitor("https://example.com/a?token=hidden", name="API")
    link = shared.good("addMonitor", statusPageId=page_id, uptimeScheduleId=monitor_id)
    assert link == link | {
        "statusPageId": page_id,
        "uptimeScheduleId": monitor_id,
        "displayName": None,
        "hideUrl": False,
        "hideUptimePercentage": False,
        "hideLatency": False,
        "order": 0,
        "status": None,
        "uptimeSchedule": {
            "id": monitor_id,
            "name": "API",
            "url": "https://example.com/a?token=hidden",
            "isPaused": False,
        },
    }
    assert shared.good("get", statusPageId=page_id)["monitors"] == [link]
    assert "hidden" not in str(shared.good("get", statusPageId=page_id, cookie=shared.viewer))
    assert shared.refused("addMonitor", statusPageId=page_id, uptimeScheduleId=monitor_id) == (
        400,
        "This monitor is already on the status page",
    )
    assert shared.good("removeMonitor", statusPageId=page_id, uptimeScheduleId=monitor_id) == {"success": True}
    assert shared.refused("removeMonitor", statusPageId=page_id, uptimeScheduleId=monitor_id)[0] == 404
    assert shared.known(page_id).components == ()
    assert shared.monitors.find(monitor_id) is not None


def test_settings_of_a_monitor_on_the_page(shared: World) -> None:
    page_id = shared.page("settings-of", uptimeScheduleIds=[shared.monitor("https://example.com/settings")])
    (component,) = shared.known(page_id).components
    wanted = {"hideUrl": True, "hideUptimePercentage": True, "hideLatency": True, "order": 7}
    changed = shared.good("updateMonitorSettings", monitorId=component.id, displayName="Shown", **wanted)
    assert changed == changed | wanted | {"displayName": "Shown"}
    assert shared.good("updateMonitorSettings", monitorId=component.id, hideUrl=False)["displayName"] == "Shown"
    assert shared.good("updateMonitorSettings", monitorId=component.id, displayName=None)["displayName"] is None
    assert shared.refused("updateMonitorSettings", monitorId="nothing", hideUrl=True)[0] == 404
    assert shared.refused("updateMonitorSettings", monitorId=component.id, displayName="x" * 121)[0] == 400
    assert shared.refused("updateComponent", componentId=component.id, status="major_outage") == (
        400,
        "This component has a monitor, which sets its status",
    )


def test_monitors_of_others_are_not_there(shared: World) -> None:
    page_id, foreign = shared.page("foreign-monitor"), shared.monitor("https://example.com/f", cookie=shared.foreign)
    message = "There is no monitor with this id in the organization of the status page"
    for monitor_id in (foreign, "nothing"):
        assert shared.refused("addMonitor", statusPageId=page_id, uptimeScheduleId=monitor_id) == (404, message)
        assert shared.refused("create", name="X", slug="not-made", uptimeScheduleIds=[monitor_id]) == (404, message)
    assert shared.pages.by_slug("not-made") is None
    assert shared.known(page_id).components == ()


def test_a_component_that_people_keep(shared: World) -> None:
    page_id = shared.page("manual")
    made = shared.good("addComponent", statusPageId=page_id, name="Warehouse", description="Where parcels wait")
    assert (made["status"], made["uptimeSchedule"], made["description"]) == ("operational", None, "Where parcels wait")
    changed = shared.good("updateComponent", componentId=made["id"], status="partial_outage", onlyShowIfDegraded=True)
    assert (changed["status"], changed["onlyShowIfDegraded"]) == ("partial_outage", True)
    shown = shared.good("get", statusPageId=page_id)
    assert (shown["monitors"], shown["components"]) == ([], [changed])
    assert shared.refused("updateComponent", componentId=made["id"], name=None) == (
        400,
        "Enter a name, or select a monitor",
    )
    assert shared.refused("addComponent", statusPageId=page_id)[0] == 400
    assert shared.good("removeComponent", componentId=made["id"]) == {"success": True}
    assert shared.refused("removeComponent", componentId=made["id"]) == (404, "There is no component with this id")


def test_groups_and_components_stand_in_one_order(shared: World) -> None:
    page_id = shared.page("order")
    ids = {name: shared.good("addComponent", statusPageId=page_id, name=name)["id"] for name in ("one", "two", "three")}
    group = shared.good("addGroup", statusPageId=page_id, name="group", componentIds=[ids["two"]])
    assert order_of(shared, page_id) == ["one", "two", "three", "group"]
    shared.good("reorder", statusPageId=page_id, order=[group["id"], ids["three"]])
    assert order_of(shared, page_id) == ["group", "three", "one", "two"]
    assert [one.name for one in shared.known(page_id).components] == ["three", "one", "two"]
    shared.good("addComponent", statusPageId=page_id, name="last")
    assert order_of(shared, page_id)[-1] == "last"
    version = shared.known(page_id)
    assert shared.refused("reorder", statusPageId=page_id, order=["nothing"])[0] == 400
    assert shared.known(page_id) == version


def test_a_group_goes_and_its_components_stay(shared: World) -> None:
    page_id, other = shared.page("groups"), shared.page("other-groups")
    group = shared.good("addGroup", statusPageId=page_id, name="APIs", description="All of them")
    elsewhere = shared.good("addGroup", statusPageId=other, name="Elsewhere")
    made = shared.good("addComponent", statusPageId=page_id, name="API", groupId=group["id"])
    assert made["groupId"] == group["id"]
    assert shared.refused("updateComponent", componentId=made["id"], groupId=elsewhere["id"]) == (
        400,
        "There is no group with this id on the status page",
    )
    renamed = shared.good("updateGroup", groupId=group["id"], name="Interfaces", order=4)
    assert (renamed["name"], renamed["description"], renamed["order"]) == ("Interfaces", "All of them", 4)
    shared.good("removeGroup", groupId=group["id"])
    assert [(one.name, one.group_id) for one in shared.known(page_id).components] == [("API", None)]
    assert shared.refused("updateGroup", groupId=group["id"], name="Gone") == (404, "There is no group with this id")


@each(
    ("procedure", "given"),
    [
        ("updateMonitorSettings", {"monitorId": "component", "hideUrl": True}),
        ("updateComponent", {"componentId": "component", "name": "Mine"}),
        ("removeComponent", {"componentId": "component"}),
        ("updateGroup", {"groupId": "group", "name": "Mine"}),
        ("removeGroup", {"groupId": "group"}),
        ("addGroup", {"statusPageId": "page", "name": "Mine"}),
        ("addMonitor", {"statusPageId": "page", "uptimeScheduleId": "nothing"}),
        ("reorder", {"statusPageId": "page", "order": ["component"]}),
    ],
)
def test_parts_of_pages_of_others_are_not_there(shared: World, procedure: str, given: dict[str, Any]) -> None:
    known = shared.pages.by_slug("guarded")
    page_id = known.page.id if known is not None else shared.page("guarded")
    if known is None:
        shared.good("addComponent", statusPageId=page_id, name="Ours")
        shared.good("addGroup", statusPageId=page_id, name="Ours")
    before = shared.known(page_id)
    ids = {"component": before.components[0].id, "group": before.groups[0].id, "page": page_id}
    named = {name: ids.get(value, value) if isinstance(value, str) else value for name, value in given.items()}
    assert shared.refused(procedure, cookie=shared.foreign, **named)[0] == 404
    assert shared.refused(procedure, cookie=shared.viewer, **named)[0] == 403
    assert shared.known(page_id) == before


def test_a_component_goes_with_its_monitor(shared: World) -> None:
    monitor_id = shared.monitor("https://example.com/goes")
    page_id = shared.page("goes", uptimeScheduleIds=[monitor_id])
    assert shared.box.post("/uptime/deleteSchedule", {"scheduleId": monitor_id}, key="all").status == 200
    assert shared.good("get", statusPageId=page_id)["monitors"] == []
    shared.good("update", statusPageId=page_id, name="Still there")
    assert shared.known(page_id).components == ()


@pytest.mark.parametrize(
    ("table", "most", "procedure"),
    [
        ("status_page_components", MOST_COMPONENTS, "addComponent"),
        ("status_page_groups", MOST_GROUPS, "addGroup"),
    ],
)
def test_a_page_has_only_so_many(shared: World, table: str, most: int, procedure: str) -> None:
    page_id, now = shared.page(f"many-{most}"), shared.box.clock.now()
    shared.box.box.box_db.write_now(
        lambda db: (
            db.executemany(
                f"insert into {table} (id, page_id, name, created_at, updated_at) values (?, ?, 'Part', ?, ?)",
                [(f"{page_id}-{number}", page_id, now, now) for number in range(most)],
            )
            and None
        )
    )
    status, message = shared.refused(procedure, statusPageId=page_id, name="One more")
    assert (status, f"can have up to {most} " in message) == (409, True)
