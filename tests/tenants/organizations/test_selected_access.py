"""Members and invitations with access to selected resources."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from analytics_box.base.settings import Settings
from tests.inprocess import WholeBox, whole_box
from tests.tenants.organizations.test_invitations import found_in
from tests.tenants.organizations.world import World

PASSWORD = "a new and quiet sentence"


def patient(settings: Settings) -> Settings:
    return replace(settings, limit_sign_in=0, limit_rpc=0)


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data", adjust=patient) as inside:
        yield inside


@pytest.fixture
def people(box: WholeBox) -> World:
    world = World(box)
    for role in ("admin", "member", "viewer"):
        world.add(role, role)
    return world


def member(people: World, name: str) -> dict[str, Any]:
    found = people.call("ada", "organizations.listMembers").json
    return next(one for one in found if one["email"] == f"{name}@example.com")


def sites(people: World, name: str) -> set[str]:
    return {one["id"] for one in people.call(name, "websites.list").json}


def test_restricted_member_sees_the_selected_websites_until_the_restriction_ends(box: WholeBox, people: World) -> None:
    shop, viewer = box.sites["shop"], people.ids["viewer"]
    everything = sites(people, "viewer")
    changed = people.call("ada", "organizations.updateMemberAccess", userId=viewer, resources=[shop])
    assert changed.status == 200
    assert changed.json["resources"] == [shop]
    assert sites(people, "viewer") == {shop} < everything
    changed = people.call("ada", "organizations.updateMemberAccess", userId=viewer, resources=None)
    assert changed.json["resources"] is None
    assert sites(people, "viewer") == everything


@pytest.mark.parametrize("resources", [[], ["unknown"], ["{foreign}"], ["{shop}", "{foreign}"], ["x" * 300]])
def test_access_to_nothing_or_to_what_is_not_there_is_refused(
    box: WholeBox, people: World, resources: list[str]
) -> None:
    known = [one.format(**box.sites) for one in resources]
    given = {"userId": people.ids["viewer"], "resources": known}
    assert people.call("ada", "organizations.updateMemberAccess", **given).status == 400
    invited = people.call(
        "ada", "organizations.createInvitation", email="new@example.com", role="viewer", resources=known
    )
    assert invited.status == 400
    assert member(people, "viewer")["resources"] is None


def test_owners_and_admins_cannot_be_restricted(box: WholeBox, people: World) -> None:
    for name in ("admin", "ada"):
        given = {"userId": people.ids[name], "resources": [box.sites["shop"]]}
        assert people.call("ada", "organizations.updateMemberAccess", **given).status == 400
    refused = people.call(
        "ada", "organizations.createInvitation", email="a@example.com", role="admin", resources=[box.sites["shop"]]
    )
    assert refused.status == 400


def test_only_admins_change_access(box: WholeBox, people: World) -> None:
    given = {"userId": people.ids["viewer"], "resources": [box.sites["shop"]]}
    for name, status in {"viewer": 403, "member": 403, "admin": 200}.items():
        assert people.call(name, "organizations.updateMemberAccess", **given).status == status
    assert people.see("member", f"/settings/members/access?member={people.ids['viewer']}").status == 403


def test_restricted_member_who_becomes_an_admin_can_access_everything(box: WholeBox, people: World) -> None:
    shop, viewer = box.sites["shop"], people.ids["viewer"]
    people.call("ada", "organizations.updateMemberAccess", userId=viewer, resources=[shop])
    people.call("ada", "organizations.updateMemberRole", userId=viewer, role="member")
    assert member(people, "viewer")["resources"] == [shop]
    people.call("ada", "organizations.updateMemberRole", userId=viewer, role="admin")
    assert member(people, "viewer")["resources"] is None
    logged = people.box.box.box_db.read_now(
        lambda db: db.execute("select detail from audit order by id desc limit 1").fetchall()
    )
    assert json.loads(str(logged[0][0]))["resources"] == {"before": [shop], "after": "all"}


def test_invited_member_can_access_what_the_invitation_names(box: WholeBox, people: World) -> None:
    shop = box.sites["shop"]
    answer = people.call(
        "ada", "organizations.createInvitation", email="grace@example.com", role="member", resources=[shop]
    ).json
    assert answer["invitation"]["resources"] == [shop]
    link = found_in(answer["url"])
    assert people.send(None, link, password=PASSWORD).status == 303
    people.ids["grace"] = member(people, "grace")["userId"]
    assert sites(people, "grace") == {shop}


def test_form_selects_and_shows_resources(box: WholeBox, people: World) -> None:
    shop, viewer = box.sites["shop"], people.ids["viewer"]
    path = f"/settings/members/access?member={viewer}"
    assert b'value="all" checked' in people.see("ada", path).body
    sent = {"member": viewer, "access": "selected", f"resource.{shop}": "on"}
    answer = people.send("ada", "/settings/members/access", **sent)
    assert answer.status == 303
    assert answer.headers["location"] == "/settings/members?done=access"
    page = people.see("ada", path).body.decode()
    assert 'value="selected" checked' in page
    assert f'name="resource.{shop}" checked' in page
    assert "1 selected resource" in people.see("ada", "/settings/members").body.decode()
    none = people.send("ada", "/settings/members/access", member=viewer, access="selected")
    assert none.status == 400
    assert "Select at least one" in none.body.decode()
    assert member(people, "viewer")["resources"] == [shop]


def test_invitation_form_selects_resources(box: WholeBox, people: World) -> None:
    shop = box.sites["shop"]
    sent = {"email": "form@example.com", "role": "viewer", "access": "selected", f"resource.{shop}": "on"}
    page = people.send("ada", "/settings/members/invite", **sent)
    assert page.status == 200, page.body
    pending = people.call("ada", "organizations.getPendingInvitations").json
    assert [one["resources"] for one in pending] == [[shop]]
    refused = people.send("ada", "/settings/members/invite", email="b@example.com", role="viewer", access="selected")
    assert refused.status == 400


def test_member_whose_resources_are_all_deleted_sees_none(box: WholeBox, people: World) -> None:
    shop, viewer = box.sites["shop"], people.ids["viewer"]
    people.call("ada", "organizations.updateMemberAccess", userId=viewer, resources=[shop])
    assert people.call("ada", "websites.delete", id=shop).status == 200
    assert sites(people, "viewer") == set()
    assert people.see("viewer", "/sites").status == 200
