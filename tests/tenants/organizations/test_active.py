"""Several organizations in one session: turning to another, one's own role there, and what programs keep beside it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.inprocess import whole_box
from tests.tenants.organizations.world import World


@pytest.fixture
def people(tmp_path: Path) -> Iterator[World]:
    """ken is a member of ada's organization and a viewer of eve's."""
    with whole_box(tmp_path / "data") as inside:
        found = World(inside)
        found.add("ken", "member")
        found.join("ken", "viewer", inside.foreign_organization_id)
        yield found


def test_a_session_turns_to_another_organization(people: World) -> None:
    foreign = people.box.foreign_organization_id
    assert people.call("ken", "organizations.getById").json["id"] == people.box.organization_id
    answer = people.call("ken", "organizations.setActive", organizationId=foreign)
    assert (answer.status, answer.json["id"], answer.json["role"]) == (200, foreign, "viewer")
    assert people.call("ken", "organizations.getById").json["id"] == foreign
    assert [one["name"] for one in people.call("ken", "websites.list").json] == ["Foreign"]
    other = people.box.sign_in(people.ids["ken"])  # another session of the same person
    found = people.box.post("/organizations/getById", {}, cookie=other, sec_fetch_site="same-origin")
    assert found.json["id"] == people.box.organization_id


def test_foreign_organization_cannot_be_activated(people: World) -> None:
    for wanted in (people.box.foreign_organization_id, "nowhere", ""):
        answer = people.call("ada", "organizations.setActive", organizationId=wanted)
        assert (answer.status, answer.json["error"]) == (403, "Access denied to this organization")
    assert people.call("ada", "organizations.getById").json["id"] == people.box.organization_id
    assert people.call("ada", "organizations.setActive").status == 400


def test_an_api_key_has_no_session(people: World) -> None:
    given = {"organizationId": people.box.organization_id}
    assert people.box.post("/organizations/setActive", given, key="all").status == 403
    assert people.box.post("/organizations/getMyRole", {}, key="all").status == 403


@pytest.mark.parametrize(
    ("name", "foreign", "role", "permissions"),
    [
        ("ken", True, "viewer", {"read", "view_analytics"}),
        ("ken", False, "member", {"read", "view_analytics", "configure", "manage_tracking"}),
        (
            "ada",
            False,
            "owner",
            {"create", "read", "update", "delete", "configure", "view_analytics", "manage_tracking", "transfer"},
        ),
    ],
)
def test_a_role_and_what_it_allows_on_websites(
    people: World, name: str, foreign: bool, role: str, permissions: set[str]
) -> None:  # wire 10.4
    where = people.box.foreign_organization_id if foreign else people.box.organization_id
    answer = people.call(name, "organizations.getMyRole", organizationId=where)
    assert (answer.json["role"], set(answer.json["websitePermissions"])) == (role, permissions)


def test_programs_keep_something_beside_an_organization(people: World) -> None:
    made = people.call("ada", "organizations.create", name="Home", metadata={"crm": {"id": 7}, "tags": ["a", "ü"]})
    assert made.json["metadata"] == {"crm": {"id": 7}, "tags": ["a", "ü"]}
    home = made.json["id"]
    changed = people.call("ada", "organizations.update", organizationId=home, metadata={"crm": None})
    assert changed.json["metadata"] == {"crm": None}
    people.call("ada", "organizations.update", organizationId=home, name="House")
    assert people.call("ada", "organizations.getById", id=home).json["metadata"] == {"crm": None}
    assert people.call("ada", "organizations.getById").json["metadata"] == {}


@pytest.mark.parametrize("metadata", [{"x": "y" * 4_096}, {"x": "ü" * 2_048}, [1], "text", 5])
def test_metadata_is_a_small_object(people: World, metadata: object) -> None:
    answer = people.call("ada", "organizations.update", metadata=metadata)
    assert (answer.status, answer.json["code"]) == (400, "BAD_REQUEST")
    assert answer.json["details"][0]["field"] == "metadata"
    assert people.call("ada", "organizations.getById").json["metadata"] == {}
