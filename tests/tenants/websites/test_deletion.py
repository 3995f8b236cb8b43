"""Deleting websites: what is gone at once, what can be restored and until when, and what is removed then."""

import pytest

from analytics_box.base.facts import erase
from tests.inprocess import WholeBox
from tests.tenants.websites.world import ask, audit, call, events, row, run_job, view


def test_a_deleted_website_is_gone_and_can_be_restored(box: WholeBox) -> None:
    shop = box.sites["shop"]
    view(box, shop)
    assert call(box, "delete", {"id": shop}).json == {"success": True}
    assert view(box, shop).status == 400
    assert row(box)["code"] == "NOT_FOUND"
    assert box.query("shop", {"parameters": ["summary_totals"], "preset": "today"}).status == 403
    assert call(box, "restore", {"id": shop}, key="foreign").status == 404
    box.clock.advance(seconds=6 * 86_400)
    run_job(box, "purge websites")
    restored = call(box, "restore", {"id": shop}).json
    assert (restored["id"], restored["deletedAt"]) == (shop, None)
    assert view(box, shop).status == 200
    assert events(box, "shop") == 2
    assert call(box, "restore", {"id": shop}).status == 404, "it is not deleted"


def test_a_website_whose_domain_was_taken_since_cannot_come_back(box: WholeBox) -> None:
    call(box, "delete", {"id": box.sites["shop"]})
    assert call(box, "create", {"name": "Shop 2", "domain": "shop.example"}).status == 200
    assert call(box, "restore", {"id": box.sites["shop"]}).status == 409


def test_after_the_grace_period_its_events_are_removed_and_no_others(
    box: WholeBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erase, "CHUNK", 2)
    shop, blog = box.sites["shop"], box.sites["blog"]
    for number in range(5):
        view(box, shop, f"/{number}")
    box.post(f"/?client_id={blog}", {"name": "screen_view", "path": "https://blog.example/"})
    call(box, "delete", {"id": shop})
    box.clock.advance(seconds=7 * 86_400)
    assert call(box, "restore", {"id": shop}).status == 404, "the time to restore it is over"
    run_job(box, "purge websites")
    assert (events(box, "shop"), events(box, "blog")) == (0, 1)
    assert ask(box.box.box_db, "select count(*) from websites where id = ?", shop) == [(0,)]
    assert ask(box.box.box_db, "select count(*) from client_ids where website_id = ?", shop) == [(0,)]
    assert audit(box)[-1][1:] == ("the box", "deleted", {"domain": "shop.example", "eventsRemoved": 5})
    run_job(box, "purge websites")
    assert call(box, "create", {"name": "Shop", "domain": "shop.example"}).status == 200
    assert events(box, "shop") == 0


def test_restorable_websites_are_listed_with_their_deadline(box: WholeBox) -> None:
    shop = box.sites["shop"]
    assert call(box, "listDeleted", {}).json == []
    call(box, "delete", {"id": shop})
    assert call(box, "listDeleted", {}).json == [
        {
            "id": shop,
            "domain": "shop.example",
            "name": "Shop",
            "organizationId": box.organization_id,
            "createdAt": "2026-06-17T12:00:00.000Z",
            "deletedAt": "2026-06-17T12:00:00.000Z",
            "restorableUntil": "2026-06-24T12:00:00.000Z",
        }
    ]
    assert call(box, "listDeleted", {"organizationId": box.foreign_organization_id}).status == 403
    box.clock.advance(seconds=7 * 86_400 - 1)
    assert len(call(box, "listDeleted", {}).json) == 1
    box.clock.advance(seconds=1)
    assert call(box, "listDeleted", {}).json == [], "the end itself is too late"
