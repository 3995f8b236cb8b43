"""Handing an organization over on its page: to whom, with the name typed, and by owners only."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.inprocess import whole_box
from tests.tenants.organizations.world import World

TRANSFER = "/settings/organization/transfer"


@pytest.fixture
def people(tmp_path: Path) -> Iterator[World]:
    with whole_box(tmp_path / "data") as inside:
        yield World(inside)


def test_the_page_hands_it_over(people: World) -> None:
    ken = people.add("ken", "member")
    people.add("kim", "admin")
    page = people.see("ada", TRANSFER).body.decode()
    assert f'<option value="{ken}">ken@example.com (Member)</option>' in page
    assert f'value="{people.ids["ada"]}"' not in page
    answer = people.send("ada", TRANSFER, member=ken, confirmation="Ada")
    assert (answer.status, answer.headers["location"]) == (303, "/settings/members?done=transferred")
    assert people.roles() == {"ada": "admin", "ken": "owner", "kim": "admin"}
    assert "Ownership transferred" in people.see("ada", answer.headers["location"]).body.decode()
    assert people.see("ada", TRANSFER).status == 403
    assert people.see("ken", TRANSFER).status == 200


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"confirmation": "Ada"}, "member"),
        ({"member": "{ken}"}, "confirmation"),
        ({"member": "{ken}", "confirmation": "Eve"}, "confirmation"),
    ],
)
def test_missing_input_is_reported_at_its_field(people: World, fields: dict[str, str], field: str) -> None:
    ken = people.add("ken", "member")
    answer = people.send("ada", TRANSFER, **{name: value.format(ken=ken) for name, value in fields.items()})
    assert answer.status == 400
    page = answer.body.decode()
    assert f'id="{field}-error"' in page
    assert (f'<option value="{ken}" selected>' in page) == ("member" in fields)
    assert people.roles()["ada"] == "owner"


def test_non_member_cannot_become_the_owner(people: World) -> None:
    people.add("ken", "member")
    eve = people.add("eve", "owner", people.box.foreign_organization_id)
    assert people.send("ada", TRANSFER, member=eve, confirmation="Ada").status == 404
    assert people.send("ada", TRANSFER, member=people.ids["ada"], confirmation="Ada").status == 400
    assert people.roles() == {"ada": "owner", "ken": "member"}


@pytest.mark.parametrize("role", ["admin", "member", "viewer"])
def test_only_owners_are_offered_it(people: World, role: str) -> None:
    people.add("ken", role)  # type: ignore[arg-type]  # one of the roles
    assert TRANSFER not in people.see("ken", "/settings/organization").body.decode()
    assert people.see("ken", TRANSFER).status == 403
    assert people.send("ken", TRANSFER, member=people.ids["ken"], confirmation="Ada").status == 403
    assert TRANSFER in people.see("ada", "/settings/organization").body.decode()


def test_sole_member_is_asked_to_invite_another(people: World) -> None:
    page = people.see("ada", TRANSFER).body.decode()
    assert "This organization has no other members." in page
    assert f'action="{TRANSFER}"' not in page


def test_leaving_says_when_it_is_the_only_organization(people: World) -> None:
    people.add("ken", "member")
    leave = "/settings/organization/leave"
    assert "only organization" in people.see("ken", leave).body.decode()
    people.call("ken", "organizations.create", name="Own")
    assert "only organization" not in people.see("ken", leave).body.decode()
