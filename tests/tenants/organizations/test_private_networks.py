"""Private networks of an organization: who opens them, on the page and on the command line."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from analytics_box.base.outgoing.client import Clients
from analytics_box.base.outgoing.fences import member_of
from analytics_box.tenants.tenancy.directory import OrganizationDirectory
from tests.app.admin.commanding import beside, result, typed
from tests.inprocess import WholeBox, whole_box
from tests.tenants.organizations.world import World


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    allowed = ("192.168.0.0/16",)
    with whole_box(tmp_path / "data", adjust=lambda given: replace(given, allowed_private_targets=allowed)) as inside:
        yield inside


def networks(box: WholeBox, organization_id: str) -> list[str]:
    fence = box.box.parts[Clients].fences.of(member_of(organization_id))
    return [str(network) for network in fence.allowed]


def test_the_first_organization_reaches_what_the_settings_open_and_others_reach_nothing(box: WholeBox) -> None:
    people = World(box)
    assert networks(box, box.organization_id) == ["192.168.0.0/16"]
    created = people.call("ada", "organizations.create", name="Customer").json["id"]
    assert networks(box, created) == []


def test_an_administrator_opens_and_closes_networks_on_the_page_and_it_lasts(box: WholeBox) -> None:
    people, own = World(box), box.organization_id
    answer = people.send(
        "ada", "/settings/organization", organization="Ada", privateTargets="192.168.1.7, 192.168.2.0/24"
    )
    assert answer.status == 303
    assert networks(box, own) == ["192.168.1.7/32", "192.168.2.0/24"]
    assert 'value="192.168.1.7/32, 192.168.2.0/24"' in people.see("ada", "/settings/organization").body.decode()
    box.reopen()
    assert networks(box, own) == ["192.168.1.7/32", "192.168.2.0/24"]
    assert people.send("ada", "/settings/organization", organization="Ada", privateTargets="none").status == 303
    assert networks(box, own) == []


def test_networks_outside_of_the_setting_are_refused_beside_their_field(box: WholeBox) -> None:
    answer = World(box).send("ada", "/settings/organization", organization="Ada", privateTargets="10.0.0.0/8")
    assert answer.status == 400
    assert "Add 10.0.0.0/8 to the setting allowed_private_targets first" in answer.body.decode()
    assert networks(box, box.organization_id) == ["192.168.0.0/16"]


def test_an_owner_who_is_no_administrator_opens_nothing_and_is_offered_nothing(box: WholeBox) -> None:
    people = World(box)
    people.add("eve", "owner")
    assert "privateTargets" not in people.see("eve", "/settings/organization").body.decode()
    answer = people.send("eve", "/settings/organization", organization="Ada", privateTargets="all")
    assert answer.status == 403
    created = people.call("eve", "organizations.create", name="Eve's own").json["id"]
    assert networks(box, created) == []


def test_the_command_line_opens_networks_of_any_organization_at_once(box: WholeBox) -> None:
    foreign = next(one.id for one in box.box.parts[OrganizationDirectory].all() if one.slug == "eve")
    with beside(box) as data:
        row = result("organization", "edit", "eve", "--private-targets", "192.168.3.0/24", data=data)
        assert row["privateTargets"] == "192.168.3.0/24"
        assert networks(box, foreign) == ["192.168.3.0/24"]
        listed = {one["slug"]: one["privateTargets"] for one in result("organization", "list", data=data)}
        assert listed == {"ada": "all", "eve": "192.168.3.0/24"}
        refused = typed("organization", "edit", "eve", "--private-targets", "10.0.0.1", data=data)
        assert refused.exit_code != 0
        assert "allowed_private_targets" in refused.output
    written = box.box.box_db.read_now(
        lambda db: db.execute(
            "select detail from audit where subject_id = ? and actor = 'command line'", (foreign,)
        ).fetchall()
    )
    assert written == [('{"privateTargets": {"before": "none", "after": "192.168.3.0/24"}}',)]
