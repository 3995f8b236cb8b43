"""`user create` says what cannot be and then makes nobody; `user list` keeps to the organization that is named."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from analytics_box.app.admin import commands
from analytics_box.app.cli.options import refusal_text
from analytics_box.base.errors import BoxError
from tests.inprocess import EMAIL, WholeBox, whole_box


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("users") / "data") as inside:
        yield inside


def carry_out(box: WholeBox, command: str, **given: Any) -> Any:
    return box.run(commands.run_command(box.box.parts, command, json.dumps(given).encode()))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"email": EMAIL.upper()}, f"There is already an account with the address {EMAIL}"),
        ({"email": "nobody"}, "Enter an email address"),
        ({"email": ""}, "email: This is required"),
        ({"email": "new@example.com", "organization": "elsewhere"}, "There is no organization elsewhere"),
        ({"email": "new@example.com", "organization": None}, "Name the organization: ada, eve"),
        ({"email": "new@example.com", "name": "x" * 101}, "at most 100 characters"),
        ({"email": "new@example.com", "name": "a\u202eb"}, "at most 100 characters"),
        ({"email": "new@example.com", "role": "king"}, "role: Must be one of: admin, member, owner, viewer"),
        ({"email": "new@example.com", "password": "secret"}, "password: This is not a known field"),
    ],
)
def test_invalid_user_is_refused_and_not_created(box: WholeBox, given: dict[str, Any], said: str) -> None:
    before = carry_out(box, "user list")
    with pytest.raises(BoxError) as refused:
        carry_out(box, "user create", **{"organization": "ada", **given})
    assert said in refusal_text(refused.value)
    assert carry_out(box, "user list") == before


def test_only_members_of_one_organization_are_listed_when_it_is_named(box: WholeBox) -> None:
    carry_out(box, "user create", email="eve@example.com", organization="eve", role="owner")
    assert [one["email"] for one in carry_out(box, "user list", organization="eve")] == ["eve@example.com"]
    assert [one["email"] for one in carry_out(box, "user list")] == [EMAIL, "eve@example.com"]


def test_the_link_works_for_a_week(box: WholeBox) -> None:
    made = carry_out(box, "user create", email="late@example.com", organization="ada")
    path = "/reset-password?" + made["link"].partition("?")[2]
    assert made["expiresAt"] == box.clock.now() + 7 * 86_400_000
    box.clock.advance(seconds=7 * 86_400 - 1)
    assert box.get(path).status == 200
    box.clock.advance(seconds=1)
    assert box.get(path).status == 403
