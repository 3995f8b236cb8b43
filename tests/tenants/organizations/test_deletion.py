"""Deleting an organization: who may, what refuses at once, and how it comes back."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from analytics_box.base.clock import DAY
from analytics_box.base.settings import Settings
from tests.inprocess import WholeBox, whole_box
from tests.tenants.organizations.world import World

BODY = {"parameters": ["summary_metrics"], "preset": "today"}
GRACE = 30


def unlimited(settings: Settings) -> Settings:
    return replace(settings, limit_sign_in=0, limit_rpc=0)


@pytest.fixture
def people(tmp_path: Path) -> Iterator[World]:
    """ada and grace own the organization, with an admin, a member and a viewer; ada also owns another, "Home"."""
    with whole_box(tmp_path / "data", adjust=unlimited) as inside:
        found = World(inside)
        for name, role in (("grace", "owner"), ("kim", "admin"), ("ken", "member"), ("lin", "viewer")):
            found.add(name, role)  # type: ignore[arg-type]  # one of the roles
        found.add("eve", "owner", inside.foreign_organization_id)
        found.call("ada", "organizations.create", name="Home")
        inside.clock.advance(seconds=1)
        yield found


def own(people: World) -> str:
    return people.box.organization_id


def delete(people: World, name: str = "ada") -> None:
    assert people.call(name, "organizations.delete", organizationId=own(people)).status == 200


def track(box: WholeBox, site: str = "shop") -> int:
    """A page view from a browser."""
    event = {"name": "screen_view", "path": "/", "anonymousId": "anon_1", "sessionId": "sess_1"}
    headers = {"content_type": "application/json", "origin": f"https://{site}.example"}
    target = f"/?client_id={box.sites[site]}"  # type: ignore[index]  # one of the names
    return box.ask("POST", target, headers=headers, body=json.dumps(event).encode()).status


# What is asked of the organization, by whom, and the status before and after its deletion
REFUSALS: list[tuple[str, Callable[[World], int], int, int]] = [
    ("a query by key", lambda p: p.box.query("shop", BODY).status, 200, 401),
    ("a query of the organization by key", lambda p: p.box.post("/v1/query", BODY, key="all").status, 200, 401),
    ("a query by a key of one website", lambda p: p.box.query("shop", BODY, key="restricted").status, 200, 401),
    ("a procedure by key", lambda p: p.box.post("/websites/list", {}, key="all").status, 200, 401),
    ("websites by key", lambda p: p.box.get("/v1/query/websites", x_api_key=p.box.keys["all"]).status, 200, 401),
    ("an event by key", lambda p: p.box.post("/track", {"name": "x"}, key="tracking").status, 200, 401),
    ("an event of a page", lambda p: track(p.box), 200, 400),
    ("a public website's query", lambda p: p.box.post(blog(p), BODY).status, 200, 401),
    ("a public website's summary", lambda p: p.box.post("/websites/getPublicSummary", public(p)).status, 200, 404),
    ("a member who has no other", lambda p: p.call("ken", "websites.list").status, 200, 401),
    ("their page", lambda p: p.see("ken", "/sites").status, 200, 303),
    ("the owner's website", lambda p: p.see("ada", f"/sites/{p.box.sites['shop']}").status, 200, 404),
    ("its settings", lambda p: p.see("ada", f"/sites/{p.box.sites['shop']}/settings").status, 200, 404),
    ("its members", lambda p: p.call("ada", "organizations.listMembers", organizationId=own(p)).status, 200, 403),
    ("itself", lambda p: p.call("ada", "organizations.getById", id=own(p)).status, 200, 403),
    ("its log", lambda p: p.call("ada", "audit.list", organizationId=own(p)).status, 200, 403),
    ("turning to it", lambda p: p.call("ada", "organizations.setActive", organizationId=own(p)).status, 200, 403),
    ("turning by form", lambda p: p.send("ada", "/organizations/switch", organization=own(p)).status, 303, 403),
]


def blog(people: World) -> str:
    return f"/v1/query?website_id={people.box.sites['blog']}"


def public(people: World) -> dict[str, str]:
    return {"id": people.box.sites["blog"]}


def test_everything_of_it_refuses_at_once_and_works_again_after_a_restore(people: World) -> None:
    before = {what: ask(people) for what, ask, _, _ in REFUSALS}
    assert before == {what: status for what, _, status, _ in REFUSALS}
    delete(people)
    after = {what: ask(people) for what, ask, _, _ in REFUSALS}
    assert after == {what: status for what, _, _, status in REFUSALS}
    assert people.call("ada", "organizations.restore", organizationId=own(people)).status == 200
    people.forget("ken")  # their session has ended; they sign in again
    people.call("ada", "organizations.setActive", organizationId=own(people))
    again = {what: ask(people) for what, ask, _, _ in REFUSALS}
    assert again == before


def test_deleted_organization_stays_closed_over_a_restart_and_other_changes(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data", adjust=unlimited) as inside:
        people = World(inside)
        people.call("ada", "organizations.create", name="Home")
        delete(people)
        inside.reopen()
        assert [ask(people) for what, ask, _, _ in REFUSALS if "key" in what] == [401] * 6
        assert track(inside) == 400
        back = people.call("ada", "organizations.restore", organizationId=inside.organization_id)
        assert (back.status, back.json["role"]) == (200, "owner")
        assert inside.query("shop", BODY).status == 200
        assert track(inside) == 200


def test_a_secret_of_a_closed_organization_is_as_if_unknown(people: World) -> None:
    claim = {"secret": people.box.keys["all"]}
    assert people.box.post("/apikeys/verify", claim).json["valid"] is True
    delete(people)
    assert people.box.post("/apikeys/verify", claim).json["errorCode"] == "INVALID_KEY"


def test_sessions_go_on_elsewhere_or_end(people: World) -> None:
    home = next(one["id"] for one in people.call("ada", "organizations.list").json if one["name"] == "Home")
    people.join("kim", "viewer", home)
    for name in ("ada", "grace", "kim"):
        assert people.call(name, "organizations.getById").json["id"] == own(people)
    delete(people)
    assert people.call("ada", "organizations.getById").json["id"] == home
    assert [one["id"] for one in people.call("kim", "organizations.list").json] == [home]
    assert people.call("grace", "organizations.list").status == 401
    assert people.signs_in("grace").status == 403
    people.call("ada", "organizations.restore", organizationId=own(people))
    assert people.call("kim", "organizations.getById").json["id"] == home  # who has moved stays there
    assert people.signs_in("grace").status == 303


@pytest.mark.parametrize("name", ["kim", "ken", "lin", "eve"])
def test_only_owners_delete_it(people: World, name: str) -> None:
    answer = people.call(name, "organizations.delete", organizationId=own(people))
    assert (answer.status, answer.json["code"]) == (403, "FORBIDDEN")
    assert people.box.post("/organizations/delete", {"organizationId": own(people)}, key="all").status == 403
    assert people.see(name, "/settings/organization/delete").status == (403 if name != "eve" else 200)
    assert people.box.query("shop", BODY).status == 200


def test_an_id_has_to_be_named(people: World) -> None:
    assert people.call("ada", "organizations.delete").status == 400
    assert people.call("ada", "organizations.restore").status == 400


def test_the_only_organization_of_an_owner_stays(people: World) -> None:
    answer = people.call("grace", "organizations.delete", organizationId=own(people))
    assert (answer.status, answer.json["code"]) == (409, "CONFLICT")
    assert "only organization" in answer.json["error"]
    page = people.see("grace", "/settings/organization/delete").body.decode()
    assert "This is your only organization." in page
    assert 'name="confirmation"' not in page
    assert people.send("grace", "/settings/organization/delete", confirmation="Ada").status == 409
    assert people.box.query("shop", BODY).status == 200


def test_a_deleted_one_is_no_second_organization(people: World) -> None:
    delete(people)
    home = people.call("ada", "organizations.getById").json["id"]
    assert people.call("ada", "organizations.delete", organizationId=home).status == 409


def test_owners_see_what_they_can_restore_and_until_when(people: World) -> None:
    now = people.box.clock.now()
    answer = people.call("ada", "organizations.delete", organizationId=own(people))
    assert answer.json == {"success": True, "restorableUntil": iso(now + GRACE * DAY)}
    people.join("grace", "viewer", people.call("ada", "organizations.getById").json["id"])
    for name in ("ada", "grace"):
        people.forget(name)
        found = people.call(name, "organizations.listDeleted").json
        assert [(one["id"], one["name"]) for one in found] == [(own(people), "Ada")]
        assert (found[0]["deletedAt"], found[0]["restorableUntil"]) == (iso(now), iso(now + GRACE * DAY))
    assert people.call("eve", "organizations.listDeleted").json == []
    assert people.call("grace", "organizations.restore", organizationId=own(people)).json["name"] == "Ada"
    assert people.call("ada", "organizations.listDeleted").json == []


@pytest.mark.parametrize("name", ["kim", "ken", "lin", "eve"])
def test_deleted_organization_is_hidden_from_others(people: World, name: str) -> None:
    home = people.call("ada", "organizations.list").json[1]["id"]
    people.join(name, "viewer", home)
    delete(people)
    assert people.call(name, "organizations.listDeleted").json == []
    answer = people.call(name, "organizations.restore", organizationId=own(people))
    unknown = people.call(name, "organizations.restore", organizationId="nowhere")
    assert (answer.status, answer.json["error"]) == (unknown.status, unknown.json["error"])
    assert answer.status == 404
    assert people.send(name, "/settings/organization/restore", organization=own(people)).status == 404
    assert b"Deleted organizations" not in people.see(name, "/settings/organization").body


def test_deleted_organization_cannot_be_restored_after_the_grace_period(people: World) -> None:
    delete(people)
    people.box.clock.advance(seconds=GRACE * DAY / 1000 - 1)
    people.forget("ada")
    assert len(people.call("ada", "organizations.listDeleted").json) == 1
    people.box.clock.advance(seconds=1)
    assert people.call("ada", "organizations.listDeleted").json == []
    answer = people.call("ada", "organizations.restore", organizationId=own(people))
    assert (answer.status, answer.json["error"]) == (404, "This organization can no longer be restored")


def test_websites_deleted_before_the_organization_stay_deleted(people: World) -> None:
    people.call("ada", "websites.delete", id=people.box.sites["idle"])
    delete(people)
    people.call("ada", "organizations.restore", organizationId=own(people))
    people.call("ada", "organizations.setActive", organizationId=own(people))
    assert sorted(one["name"] for one in people.call("ada", "websites.list").json) == ["Blog", "Local", "Shop"]


def test_no_website_moves_into_a_closed_organization(people: World) -> None:
    delete(people)
    people.call("ada", "websites.create", name="Garden", domain="garden.example")
    website = people.call("ada", "websites.list").json[0]["id"]
    answer = people.call("ada", "websites.transfer", websiteId=website, organizationId=own(people))
    assert answer.status == 403


def test_its_short_name_stays_its_own(people: World) -> None:
    slug = people.call("ada", "organizations.getById").json["slug"]
    delete(people)
    assert people.call("ada", "organizations.create", name="Other", slug=slug).status == 409


def test_an_invitation_rests_as_long(people: World) -> None:
    url = people.call("ada", "organizations.createInvitation", email="new@example.com").json["url"]
    target = url[url.index("/invitation") :]
    delete(people)
    assert people.box.get(target, accept="text/html").status == 403
    assert people.send(None, target, password="a long and quiet sentence").status == 403
    people.call("ada", "organizations.restore", organizationId=own(people))
    assert people.box.get(target, accept="text/html").status == 200


def test_the_page_asks_for_the_name(people: World) -> None:
    page = people.see("ada", "/settings/organization/delete").body.decode()
    assert "4 websites" in page
    assert "4 other members lose access" in page
    assert "4 of them belong to no other organization" in page
    wrong = people.send("ada", "/settings/organization/delete", confirmation="ada")
    assert wrong.status == 400
    assert 'id="confirmation-error"' in wrong.body.decode()
    assert people.box.query("shop", BODY).status == 200
    answer = people.send("ada", "/settings/organization/delete", confirmation=" Ada ")
    assert (answer.status, answer.headers["location"]) == (303, "/settings/organization?done=deleted")
    after = people.see("ada", answer.headers["location"]).body.decode()
    assert 'action="/settings/organization/restore"' in after
    assert "Can be restored until" in after
    back = people.send("ada", "/settings/organization/restore", organization=own(people))
    assert (back.status, back.headers["location"]) == (303, "/settings/organization?done=restored")
    assert 'value="Ada"' in people.see("ada", "/settings/organization").body.decode()


def test_both_are_in_the_audit_log(people: World) -> None:
    before = len(people.audited())
    delete(people)
    people.call("ada", "organizations.restore", organizationId=own(people))
    actor = f"user:{people.ids['ada']}"
    assert people.audited()[before:] == [("deleted", "organization", actor), ("updated", "organization", actor)]
    newest = people.call("grace", "audit.list", subject="organization").json["entries"][:2]
    assert [(one["action"], one["detail"]) for one in newest] == [
        ("updated", {"deleted": {"before": True, "after": False}}),
        ("deleted", {"name": "Ada"}),
    ]


def iso(instant: int) -> str:
    return datetime.fromtimestamp(instant / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
