"""Transferring websites over RPC: everything goes along, and nothing of the old organization reaches it."""

import pytest

from tests.inprocess import WholeBox
from tests.tenants.websites.world import audit, call, row, view


def join(box: WholeBox, role: str) -> None:
    """Make the owner a member of the other organization."""
    box.box.box_db.write_now(
        lambda db: db.execute(
            "insert into members (organization_id, user_id, role, created_at) values (?, ?, ?, ?)",
            (box.foreign_organization_id, box.user_id, role, box.clock.now() + 1),
        )
    )


@pytest.mark.parametrize("name", ["transfer", "transferToOrganization"])
def test_a_transferred_website_belongs_to_the_other_organization_only(box: WholeBox, name: str) -> None:
    shop = box.sites["shop"]
    view(box, shop)
    join(box, "admin")
    given = {"websiteId": shop, "organizationId": box.foreign_organization_id}
    moved = call(box, name, given, key=None, cookie=box.cookie)
    assert moved.status == 200
    assert moved.json["organizationId"] == box.foreign_organization_id
    assert call(box, "getById", {"id": shop}).status == 404
    assert box.query("shop", {"parameters": ["summary_totals"], "preset": "today"}).status == 403
    for key in ("all", "restricted"):
        assert box.post("/track", {"name": "x", "websiteId": shop}, key=key).status == 403
    assert call(box, "list", {}, key="restricted").json == []
    foreign = box.query("shop", {"parameters": ["summary_totals"], "preset": "today"}, key="foreign")
    assert foreign.json["data"][0]["data"][0]["pageviews"] == 1
    assert view(box, shop).status == 200, "trackers go on sending"
    entries = [(organization, detail) for organization, _, action, detail in audit(box) if action == "updated"]
    change = {"organizationId": {"before": box.organization_id, "after": box.foreign_organization_id}}
    assert entries == [(box.organization_id, change), (box.foreign_organization_id, change)]


def test_a_transfer_needs_a_manager_of_both_organizations(box: WholeBox) -> None:
    given = {"websiteId": box.sites["shop"], "organizationId": box.foreign_organization_id}
    assert call(box, "transfer", given).status == 403, "API keys are not accepted"
    assert call(box, "transfer", given, key=None, cookie=box.cookie).status == 403, "no member there"
    join(box, "member")
    assert call(box, "transfer", given, key=None, cookie=box.cookie).status == 403, "only a member there"
    unknown = given | {"organizationId": "unknown"}
    assert call(box, "transfer", unknown, key=None, cookie=box.cookie).status == 403
    stolen = {"websiteId": box.sites["foreign"], "organizationId": box.organization_id}
    assert call(box, "transfer", stolen, key=None, cookie=box.cookie).status == 403, "only a member of its owner"
    assert row(box)["organizationId"] == box.organization_id
