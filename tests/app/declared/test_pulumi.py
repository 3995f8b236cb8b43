"""The calls of Databuddy's Pulumi provider (version 0.1.1), and what it checks of each answer."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.inprocess import Answer, WholeBox, whole_box


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data") as made:
        yield made


def call(box: WholeBox, endpoint: str, given: dict[str, Any], status: int = 200) -> Any:
    answer: Answer = box.post(f"/{endpoint}", given, key="all")
    assert answer.status == status, answer.body
    return answer.json


def is_placement(entry: dict[str, Any]) -> bool:
    flags = [type(entry[name]) is bool for name in ("hideLatency", "hideUptimePercentage", "hideUrl")]
    return all(flags) and type(entry["order"]) is int and entry["displayName"] in {None, "Front page"}


def test_monitor_of_pulumi_is_created_read_updated_paused_and_deleted(box: WholeBox) -> None:
    created = {"cacheBust": False, "granularity": "five_minutes", "name": "Front", "url": "https://shop.example/"}
    schedule = {"scheduleId": call(box, "uptime/createSchedule", created)["scheduleId"]}
    read = call(box, "uptime/getSchedule", schedule)
    assert (read["id"], read["url"], read["name"]) == (schedule["scheduleId"], created["url"], "Front")
    assert (read["cacheBust"], read["granularity"], read["isPaused"]) == (False, "five_minutes", False)
    assert (read.get("timeout"), read["websiteId"]) == (None, None)
    changed = call(box, "uptime/updateSchedule", {"name": None, "timeout": 5_000, **schedule})
    assert changed["scheduleId"] == schedule["scheduleId"]
    paused = call(box, "uptime/pauseSchedule", schedule)
    assert (paused["success"], paused["isPaused"]) == (True, True)
    resumed = call(box, "uptime/resumeSchedule", schedule)
    assert (resumed["success"], resumed["isPaused"]) == (True, False)
    again = box.post("/uptime/createSchedule", created | {"url": "https://shop.example/"}, key="all")
    assert (again.status, "already" in again.json["error"]) == (409, True), "the provider explains this word"
    assert call(box, "uptime/deleteSchedule", schedule)["success"] is True
    gone = call(box, "uptime/getSchedule", schedule, status=404)
    assert (gone["code"], gone["data"]["resourceType"].lower() != "website") == ("NOT_FOUND", True)


def test_status_page_of_pulumi_shows_its_monitor_with_settings(box: WholeBox) -> None:
    empty = dict.fromkeys(("faviconUrl", "logoUrl", "supportUrl", "websiteUrl"))
    created = call(box, "statusPage/create", {"name": "Shop", "slug": "shop", "theme": "system", **empty})
    page, organization = {"statusPageId": created["id"]}, created["organizationId"]
    monitor = call(box, "uptime/createSchedule", {"granularity": "hour", "url": "https://shop.example/"})["scheduleId"]
    place = page | {"uptimeScheduleId": monitor}
    entry = call(box, "statusPage/addMonitor", place)
    assert is_placement(entry)
    settings = {"displayName": "Front page", "hideLatency": True, "hideUptimePercentage": False, "hideUrl": True}
    changed = call(box, "statusPage/updateMonitorSettings", {**settings, "order": 0, "monitorId": entry["id"]})
    assert changed["id"] == entry["id"]
    read = call(box, "statusPage/get", page)
    assert (read["id"], read["organizationId"], read["slug"], read["theme"]) == (
        *(created["id"], organization),
        *("shop", "system"),
    )
    assert all(read[name] is None for name in (*empty, "description"))
    [shown] = read["monitors"]
    assert (shown["uptimeScheduleId"], shown["displayName"], shown["hideLatency"]) == (monitor, "Front page", True)
    assert is_placement(shown)
    updated = call(box, "statusPage/update", {"name": "Shop status", "description": "", **page})
    assert updated["id"] == created["id"]
    assert call(box, "statusPage/removeMonitor", place)["success"] is True
    assert call(box, "statusPage/delete", page)["success"] is True
    gone = call(box, "statusPage/get", page, status=404)
    assert (gone["code"], type(gone["data"]["resourceType"])) == ("NOT_FOUND", str)
