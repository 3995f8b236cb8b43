"""Defaults of an organization: set over RPC and on the page, and true of what is made afterwards."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.inprocess import WholeBox, whole_box
from tests.tenants.organizations.world import FORM
from tests.tenants.organizations.world import World as People

START = {"timeZone": "", "invitationRole": "member", "visitorIdMode": "auto", "dataRetentionDays": None}


@pytest.fixture
def people(tmp_path: Path) -> Iterator[People]:
    with whole_box(tmp_path / "data") as box:
        yield People(box)


def new_website(people: People, domain: str = "new.example") -> dict[str, object]:
    made = people.call("ada", "websites.create", name="New", domain=domain)
    assert made.status == 200, made.body
    settings: dict[str, object] = made.json["settings"]
    return settings


def test_they_start_as_the_box_does(people: People) -> None:
    assert people.call("ada", "config.get").json["defaults"] == START
    settings = new_website(people)
    assert (settings["visitorIdMode"], settings["dataRetentionDays"]) == ("auto", None)


def test_new_websites_start_with_them_and_old_ones_stay(people: People) -> None:
    before = new_website(people, "old.example")
    given = {"visitorIdMode": "cookieless", "dataRetentionDays": 90, "timeZone": "Europe/Berlin"}
    answer = people.call("ada", "config.update", defaults=given)
    assert answer.json["defaults"] == {**START, **given}
    settings = new_website(people)
    assert (settings["visitorIdMode"], settings["dataRetentionDays"]) == ("cookieless", 90)
    listed = {site["domain"]: site["settings"] for site in people.call("ada", "websites.list").json}
    assert listed["old.example"] == before
    form = {**FORM, "cookie": people.cookie("ada")}
    assert people.box.ask("POST", "/sites/new", headers=form, body=b"name=By+page&domain=page.example").status == 303
    listed = {site["domain"]: site["settings"] for site in people.call("ada", "websites.list").json}
    assert listed["page.example"]["dataRetentionDays"] == 90


def test_omitted_defaults_stay_and_null_keeps_events_forever(people: People) -> None:
    people.call("ada", "config.update", defaults={"dataRetentionDays": 30})
    people.call("ada", "config.update", defaults={"invitationRole": "viewer"})
    assert people.call("ada", "config.update").json["defaults"]["dataRetentionDays"] == 30
    changed = people.call("ada", "config.update", defaults={"dataRetentionDays": None}).json["defaults"]
    assert (changed["dataRetentionDays"], changed["invitationRole"]) == (None, "viewer")


def test_a_new_website_works_with_them_after_a_restart(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data") as box:
        people = People(box)
        people.call("ada", "config.update", defaults={"visitorIdMode": "cookieless"})
        new_website(people)
        stored = box.box.box_db.read_now(
            lambda db: db.execute("select settings from websites where domain = 'new.example'").fetchone()
        )
    assert '"visitorIdMode":"cookieless"' in str(stored)


def test_invitations_start_with_their_role(people: People) -> None:
    people.call("ada", "config.update", defaults={"invitationRole": "viewer"})
    invited = people.call("ada", "organizations.createInvitation", email="new@example.com").json
    assert invited["invitation"]["role"] == "viewer"
    named = people.call("ada", "organizations.createInvitation", email="two@example.com", role="admin").json
    assert named["invitation"]["role"] == "admin"
    assert '<option value="viewer" selected>' in people.see("ada", "/settings/members").body.decode()


def test_each_change_is_in_the_audit_log_once(people: People) -> None:
    for _ in range(2):
        people.call("ada", "config.update", defaults={"dataRetentionDays": 30})
    assert people.audited() == [("updated", "defaults", f"user:{people.ids['ada']}")]


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[People]:
    """People of a box in which nothing is changed."""
    with whole_box(tmp_path_factory.mktemp("defaults") / "data") as box:
        yield People(box)


@pytest.mark.parametrize(
    "wrong",
    [
        {"dataRetentionDays": 0},
        {"dataRetentionDays": 3_651},
        {"dataRetentionDays": "30"},
        {"invitationRole": "owner"},
        {"visitorIdMode": "cookies"},
        {"timeZone": "Mars/Olympus"},
        {"unknown": 1},
    ],
)
def test_invalid_defaults_are_refused(unchanged: People, wrong: dict[str, object]) -> None:
    answer = unchanged.call("ada", "config.update", defaults=wrong)
    assert (answer.status, answer.json["code"]) == (400, "BAD_REQUEST")
    assert unchanged.call("ada", "config.get").json["defaults"] == START


def test_organizations_have_their_own(people: People, tmp_path: Path) -> None:
    box: WholeBox = people.box
    people.add("eve", "owner", box.foreign_organization_id)
    people.call("ada", "config.update", defaults={"dataRetentionDays": 30})
    assert people.call("eve", "config.get").json["defaults"] == START


def test_the_page_saves_them_and_says_what_is_wrong(people: People) -> None:
    sent = people.send("ada", "/settings/defaults", role="viewer", mode="cookieless", days="14")
    assert (sent.status, sent.headers["location"]) == (303, "/settings/defaults?done=saved")
    assert people.call("ada", "config.get").json["defaults"] == {
        **START,
        "invitationRole": "viewer",
        "visitorIdMode": "cookieless",
        "dataRetentionDays": 14,
    }
    for days in ("0", "3651", "-1", "ten", "９"):
        refused = people.send("ada", "/settings/defaults", role="viewer", mode="cookieless", days=days)
        assert refused.status == 400
        assert "1 to 3650, or leave it blank" in refused.body.decode()
    people.send("ada", "/settings/defaults", role="viewer", mode="auto", days="")
    assert people.call("ada", "config.get").json["defaults"]["dataRetentionDays"] is None


def test_members_read_the_page_and_cannot_save(people: People) -> None:
    people.add("mia", "member")
    page = people.see("mia", "/settings/defaults").body.decode()
    assert "Owners and admins can change these" in page
    assert "<select" not in page.partition("<main")[2]
    assert people.send("mia", "/settings/defaults", role="admin", mode="auto", days="").status == 403
