"""Who may do what in an organization: the matrix as data, asked over HTTP, and the last owner."""

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest

from analytics_box.base.identity import ROLES
from analytics_box.tenants.tenancy.rules import ALLOWED, may
from tests.cases import each
from tests.inprocess import WholeBox, whole_box
from tests.tenants.organizations.pictures import PNG
from tests.tenants.organizations.world import World

# procedure, input, the roles that may; {other} is a member, {invitation} one that does not exist
MATRIX: tuple[tuple[str, dict[str, object], str], ...] = (
    ("organizations.list", {}, "owner admin member viewer"),
    ("organizations.getById", {}, "owner admin member viewer"),
    ("organizations.create", {"name": "Another"}, "owner admin member viewer"),
    ("organizations.update", {"name": "Ada"}, "owner admin"),
    ("organizations.getMyRole", {}, "owner admin member viewer"),
    ("organizations.setActive", {"organizationId": "{own}"}, "owner admin member viewer"),
    ("organizations.uploadLogo", {"image": base64.b64encode(PNG).decode()}, "owner admin"),
    ("organizations.deleteLogo", {}, "owner admin"),
    ("organizations.listDeleted", {}, "owner admin member viewer"),
    ("organizations.listMembers", {}, "owner admin member viewer"),
    ("organizations.updateMemberRole", {"userId": "{other}", "role": "member"}, "owner admin"),
    ("organizations.updateMemberRole", {"userId": "{other}", "role": "owner"}, "owner"),
    ("organizations.updateMemberRole", {"userId": "{owner}", "role": "member"}, "owner"),
    ("organizations.removeMember", {"userId": "{other}"}, "owner admin"),
    ("organizations.removeMember", {"userId": "{owner}"}, "owner"),
    ("organizations.leave", {}, "owner admin member viewer"),
    ("organizations.transferOwnership", {"userId": "{other}"}, "owner"),
    ("organizations.createInvitation", {"email": "new@example.com"}, "owner admin"),
    ("organizations.getPendingInvitations", {}, "owner admin"),
    ("organizations.revokeInvitation", {"invitationId": "{invitation}"}, "owner admin"),
    ("config.get", {}, "owner admin"),
    ("config.update", {"defaults": {"timeZone": "Europe/Berlin"}}, "owner admin"),
    ("config.testEmail", {}, "owner admin"),
)
CASES = [(*line, role) for line in MATRIX for role in ROLES]


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("roles") / "data") as inside:
        yield inside


@pytest.fixture(scope="module")
def people(box: WholeBox) -> World:
    return World(box)


@each(
    ("procedure", "given", "allowed", "role"),
    CASES,
    ids=lambda procedure, given, allowed, role: f"{procedure} {given} {role}",
)
def test_the_matrix(
    box: WholeBox, people: World, procedure: str, given: dict[str, object], allowed: str, role: str
) -> None:
    box.clock.advance(seconds=61)  # the limit of test mails is another matter
    number = len(people.ids)
    actor, other, owner = f"actor{number}", f"other{number}", f"owner{number}"
    people.add(actor, role)  # type: ignore[arg-type]  # one of the roles
    people.add(other, "viewer")
    people.add(owner, "owner")
    names = {
        "{own}": box.organization_id,
        "{other}": people.ids[other],
        "{owner}": people.ids[owner],
        "{invitation}": "none",
    }
    asked = {field: names.get(value, value) if isinstance(value, str) else value for field, value in given.items()}
    before = people.roles()
    answer = people.call(actor, procedure, **asked)
    if role in allowed.split():
        assert answer.status in {200, 404}, answer.body
        assert answer.status == 200 or procedure == "organizations.revokeInvitation"
    else:
        assert (answer.status, answer.json["code"]) == (403, "FORBIDDEN")
        assert people.roles() == before


def test_every_action_on_a_member_is_allowed_to_owners_and_higher_roles() -> None:
    for action in ALLOWED:
        assert may("owner", action)
        ranks = [may(role, action) for role in ROLES]
        assert ranks == sorted(ranks), action


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[World]:
    """A box where ada is the only owner, and there is an admin."""
    with whole_box(tmp_path / "data") as inside:
        people = World(inside)
        people.add("eve", "admin")
        yield people


def test_the_last_owner_cannot_go(alone: World) -> None:
    ada = alone.ids["ada"]
    for procedure, given in (
        ("organizations.leave", {}),
        ("organizations.updateMemberRole", {"userId": ada, "role": "admin"}),
        ("organizations.removeMember", {"userId": ada}),
    ):
        answer = alone.call("ada", procedure, **given)
        assert (answer.status, answer.json["code"]) == (409, "CONFLICT"), procedure
    assert alone.roles() == {"ada": "owner", "eve": "admin"}
    assert "last owner" in alone.send("ada", "/settings/organization/leave").body.decode()


def test_first_of_two_owners_can_leave(alone: World) -> None:
    assert alone.call("ada", "organizations.updateMemberRole", userId=alone.ids["eve"], role="owner").status == 200
    assert alone.call("ada", "organizations.leave").status == 200
    assert alone.roles() == {"eve": "owner"}
    assert alone.call("ada", "organizations.list").status == 401  # no organization is left to be signed in to
    assert alone.call("eve", "organizations.leave").status == 409


def test_ownership_moves(alone: World) -> None:
    answer = alone.call("ada", "organizations.transferOwnership", userId=alone.ids["eve"])
    assert (answer.status, answer.json["role"]) == (200, "owner")
    assert alone.roles() == {"ada": "admin", "eve": "owner"}
    assert alone.call("ada", "organizations.transferOwnership", userId=alone.ids["eve"]).status == 403
    assert alone.call("eve", "organizations.transferOwnership", userId=alone.ids["eve"]).status == 400


def test_a_role_counts_from_the_next_request_on(alone: World) -> None:
    assert alone.call("eve", "organizations.getPendingInvitations").status == 200
    alone.call("ada", "organizations.updateMemberRole", userId=alone.ids["eve"], role="viewer")
    assert alone.call("eve", "organizations.getPendingInvitations").status == 403


def test_each_change_is_in_the_audit_log(alone: World) -> None:
    alone.call("ada", "organizations.update", name="Ada & friends")
    alone.call("ada", "organizations.updateMemberRole", userId=alone.ids["eve"], role="member")
    alone.call("ada", "organizations.removeMember", userId=alone.ids["eve"])
    alone.call("ada", "organizations.createInvitation", email="new@example.com")
    actor = f"user:{alone.ids['ada']}"
    assert alone.audited() == [
        ("updated", "organization", actor),
        ("updated", "member", actor),
        ("deleted", "member", actor),
        ("created", "invitation", actor),
    ]


def test_the_log_says_what_was_before_and_after(alone: World) -> None:
    alone.call("ada", "organizations.update", name="Ada & friends", metadata={"crm": 7})
    alone.call("ada", "organizations.updateMemberRole", userId=alone.ids["eve"], role="member")
    alone.call("ada", "organizations.transferOwnership", userId=alone.ids["eve"])
    alone.call("eve", "organizations.removeMember", userId=alone.ids["ada"])
    details = [one["detail"] for one in alone.call("eve", "audit.list", limit=5).json["entries"]]
    assert list(reversed(details)) == [
        {
            "name": {"before": "Ada", "after": "Ada & friends"},
            "metadata": {"before": "{}", "after": '{"crm":7}'},
        },
        {"email": "eve@example.com", "role": {"before": "admin", "after": "member"}},
        {"email": "eve@example.com", "role": {"before": "member", "after": "owner"}},
        {"email": "ada@example.com", "role": {"before": "owner", "after": "admin"}},
        {"email": "ada@example.com", "role": "admin"},
    ]
    page = alone.see("eve", "/settings/audit").body.decode()
    assert "changed member “eve@example.com”" in page
