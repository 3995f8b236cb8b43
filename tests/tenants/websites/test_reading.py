"""Looking at websites over RPC: rows, lists, charts, and what strangers see of public ones."""

import pytest

from tests.inprocess import WholeBox
from tests.tenants.websites.world import call, row, view

ROW = {
    "id", "domain", "name", "status", "isPublic", "organizationId", "settings", "integrations",
    "createdAt", "updatedAt", "deletedAt",
}  # wire 10.3  # fmt: skip


def test_a_row_is_the_wire_s(box: WholeBox) -> None:
    found = row(box)
    assert set(found) >= ROW
    assert found["createdAt"] == "2026-06-17T12:00:00.000Z"
    assert (found["deletedAt"], found["integrations"]) == (None, None)
    assert found["clientId"] == found["id"]
    assert found["settings"]["visitorIdMode"] == "auto"
    assert found["settings"]["dataRetentionDays"] is None


def test_only_own_websites_are_listed_and_a_restricted_key_lists_its_own(box: WholeBox) -> None:
    names = [each["name"] for each in call(box, "list", {}, key="reading").json]
    assert (names[0], len(names)) == ("Shop", 4)
    assert [each["name"] for each in call(box, "list", {}, key="restricted").json] == ["Shop"]
    assert [each["name"] for each in call(box, "list", {}, key="foreign").json] == ["Foreign"]
    assert call(box, "list", {"organizationId": box.foreign_organization_id}).status == 403


def test_charts_come_with_the_list(box: WholeBox) -> None:
    assert view(box, box.sites["shop"]).status == 200
    answer = call(box, "listWithCharts", {}).json
    shop, blog = box.sites["shop"], box.sites["blog"]
    assert {each["id"] for each in answer["websites"]} == set(answer["chartData"]) == set(answer["activeUsers"])
    assert answer["activeUsers"][shop] == 1
    chart = answer["chartData"][shop]
    assert [point["value"] for point in chart["data"]] == [0, 0, 0, 0, 0, 0, 1]
    assert chart["data"][-1]["date"] == "2026-06-17"
    assert (chart["totalViews"], chart["trend"], chart["hasAnyData"]) == (1, None, True)
    assert answer["chartData"][blog]["hasAnyData"] is False


@pytest.mark.parametrize("path", ["/rpc/websites", "/websites"])
@pytest.mark.parametrize("name", ["getById", "getPublicSummary"])
def test_strangers_see_the_reduced_row_of_a_public_website_only(box: WholeBox, path: str, name: str) -> None:
    public = box.post(f"{path}/{name}", {"id": box.sites["blog"]})
    assert public.status == 200
    assert public.json == {"id": box.sites["blog"], "domain": "blog.example", "name": "Blog", "isPublic": True}
    private = box.post(f"{path}/{name}", {"id": box.sites["shop"]})
    unknown = box.post(f"{path}/{name}", {"id": "unknown"})
    assert private.status == unknown.status == (401 if name == "getById" else 404)
    assert b"shop.example" not in private.body


def test_key_of_another_organization_sees_the_reduced_row(box: WholeBox) -> None:
    assert set(call(box, "getById", {"id": box.sites["blog"]}, key="foreign").json) == {
        "id", "domain", "name", "isPublic",
    }  # fmt: skip
    assert call(box, "getById", {"id": box.sites["shop"]}, key="foreign").status == 404


def test_tracking_is_set_up_when_events_arrive(box: WholeBox) -> None:
    shop = box.sites["shop"]
    waiting = call(box, "isTrackingSetup", {"websiteId": shop}).json
    assert (waiting["tracking_setup"], waiting["has_events"], waiting["recent_events"]) == (False, False, False)
    assert waiting["tracking_issue"]
    view(box, shop)
    begun = call(box, "isTrackingSetup", {"websiteId": shop}).json
    assert (begun["tracking_setup"], begun["integration_type"], begun["recent_events"]) == (True, "script", True)
    assert begun["tracking_issue"] is None
    box.clock.advance(seconds=3_600)
    assert call(box, "isTrackingSetup", {"websiteId": shop}).json["recent_events"] is False
