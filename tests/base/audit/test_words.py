"""The page of the audit log says whom and what each change was about, and dates as its reader wants them."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from analytics_box.app.admin import commands
from tests.inprocess import EMAIL, WholeBox, whole_box


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data") as made:
        yield made


def command(box: WholeBox, name: str, /, **given: Any) -> Any:
    return box.run(commands.run_command(box.box.parts, name, json.dumps(given).encode(), "ada"))


def words(box: WholeBox) -> str:
    """The page without its markup, blanks as one."""
    page = box.get("/settings/audit", cookie=box.cookie).body.decode()
    return " ".join(re.sub(r"<[^>]*>", " ", page[page.index("<main") :]).split())


def test_actions_on_a_person_name_that_person(box: WholeBox) -> None:
    command(box, "user create", email="grace@example.com", organization="ada")
    command(box, "user reset-password", email=EMAIL)
    text = words(box)
    assert "Command line created user “grace@example.com”" in text
    assert "Command line created member “grace@example.com”" in text
    assert f"Command line created password reset “{EMAIL}”" in text


def test_actions_on_oneself_need_no_name(box: WholeBox) -> None:
    box.post("/preferences/updateUserPreferences", {"dateFormat": "YYYY-MM-DD"}, cookie=box.cookie)
    assert f"{EMAIL} changed preferences 20" in words(box)


def test_a_change_names_the_website_as_it_is_called_now(box: WholeBox) -> None:
    box.post("/websites/togglePublic", {"id": box.sites["shop"], "isPublic": True}, cookie=box.cookie)
    assert "changed website “Shop”" in words(box)
    found = box.post("/audit/list", {"subject": "website", "action": "updated"}, cookie=box.cookie).json["entries"]
    assert [entry["subjectName"] for entry in found] == ["Shop"]


def test_an_instant_is_written_as_a_date(box: WholeBox) -> None:
    box.post("/preferences/updateUserPreferences", {"dateFormat": "DD.MM.YYYY"}, cookie=box.cookie)
    end = box.clock.now() + 86_400_000
    expires = datetime.fromtimestamp(end / 1000, UTC).isoformat()
    command(box, "apikeys.create", name="Short", scopes=["read:data"], expiresAt=expires)
    assert "expires at 18.06.2026, 12:00" in words(box)
    assert str(end) not in words(box)


def test_details_name_websites_and_show_instants_as_dates(box: WholeBox) -> None:
    given = {"websiteId": box.sites["shop"], "name": "Sign-up", "type": "EVENT", "target": "signup"}
    assert box.post("/goals/create", given, cookie=box.cookie).status == 200
    made = box.post("/statusPage/create", {"name": "Status", "slug": "shop-status"}, cookie=box.cookie)
    assert made.status == 200, made.body
    plan = {
        "statusPageId": made.json["id"],
        "title": "New disk",
        "message": "A larger one",
        "affectedMonitors": [],
        "scheduledFor": "2026-07-01T00:00:00Z",
        "scheduledUntil": "2026-07-01T02:00:00Z",
    }
    answer = box.post("/statusPage/createMaintenance", plan, cookie=box.cookie)
    assert answer.status == 200, answer.body
    text = words(box)
    assert "created goal “Sign-up”" in text
    assert "website Shop" in text
    assert "website id" not in text
    assert "created maintenance “New disk”" in text
    assert "scheduled for 1 Jul 2026, 00:00" in text


def test_resources_that_moved_to_others_are_not_named(box: WholeBox) -> None:
    box.clock.advance(seconds=1)  # a new session begins in the organization that somebody joined first
    made = box.post("/organizations/create", {"name": "Other"}, cookie=box.cookie).json
    box.post("/websites/togglePublic", {"id": box.sites["shop"], "isPublic": True}, cookie=box.cookie)
    given = {"websiteId": box.sites["shop"], "organizationId": made["id"]}
    assert box.post("/websites/transfer", given, cookie=box.cookie).status == 200
    found = box.post("/audit/list", {"subject": "website", "action": "updated"}, cookie=box.cookie).json["entries"]
    assert {entry["subjectName"] for entry in found if entry["subjectId"] == box.sites["shop"]} == {None}
