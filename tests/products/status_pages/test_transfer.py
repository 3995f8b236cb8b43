"""Status pages that go to another organization, with their monitors or without."""

from typing import Any

from analytics_box.app.removals import purge_organizations
from tests.inprocess import Answer
from tests.products.status_pages.world import DOMAIN, World
from tests.tenants.keys.world import cookie_of


def transfer(world: World, page_id: str, *, cookie: str = "", **given: Any) -> Answer:
    target = {"targetOrganizationId": world.box.foreign_organization_id}
    return world.call("transfer", statusPageId=page_id, cookie=cookie or world.owner, **target | given)


def test_a_page_goes_with_its_monitors_and_without_its_domain(world: World) -> None:
    world.domain()
    monitor_id = world.monitor()
    page_id = world.page(uptimeScheduleIds=[monitor_id], domain=DOMAIN)
    world.good("addComponent", statusPageId=page_id, name="Warehouse")
    world.good("addSubscriber", statusPageId=page_id, address="https://example.org/hook", type="webhook")
    answer = transfer(world, page_id)
    assert (answer.status, answer.json) == (200, {"secretsLeftOut": False, "success": True})
    after = world.known(page_id)
    assert (after.page.organization_id, after.page.domain) == (world.box.foreign_organization_id, None)
    assert [one.monitor_id for one in after.components] == [monitor_id, None]
    moved = world.monitors.find(monitor_id)
    assert moved is not None
    assert moved.organization_id == world.box.foreign_organization_id
    assert world.refused("get", statusPageId=page_id)[0] == 404
    assert (
        world.good("get", statusPageId=page_id, cookie=world.foreign)["monitors"][0]["uptimeScheduleId"] == monitor_id
    )
    assert world.audited(("status page",)).count('"organizationId"') == 2
    assert world.audited(("status page",)).count('"subscribers": 1') == 2


def test_without_its_monitors_a_page_keeps_what_people_keep(world: World) -> None:
    monitor_id = world.monitor()
    page_id = world.page(uptimeScheduleIds=[monitor_id])
    world.good("addComponent", statusPageId=page_id, name="Warehouse")
    assert transfer(world, page_id, includeMonitors=False).status == 200
    assert [one.name for one in world.known(page_id).components] == ["Warehouse"]
    stayed = world.monitors.find(monitor_id)
    assert stayed is not None
    assert stayed.organization_id == world.box.organization_id


def test_monitors_that_cannot_go_hold_the_page_back(world: World) -> None:
    shared = world.monitor("https://example.com/shared")
    first, second = (world.page(slug, uptimeScheduleIds=[shared]) for slug in ("first", "second"))
    bound = world.monitor("https://example.com/bound", websiteId=world.box.sites["shop"])
    third = world.page("third", uptimeScheduleIds=[bound])
    before = [world.known(page_id) for page_id in (first, second, third)]
    for page_id, message in (
        (first, "also on other status pages"),
        (third, "1 monitor belongs to a website and stays with it"),
    ):
        answer = transfer(world, page_id)
        assert (answer.status, message in answer.json["error"]) == (400, True), answer.body
    assert [world.known(page_id) for page_id in (first, second, third)] == before
    assert transfer(world, third, includeMonitors=False).status == 200


def test_only_who_may_make_pages_in_both_organizations_moves_one(world: World) -> None:
    page_id = world.page()
    before = world.known(page_id)
    assert world.refused("transfer", statusPageId=page_id, targetOrganizationId="nowhere")[0] == 403  # a key
    here_only = cookie_of(world.box, "owner")
    assert transfer(world, page_id, cookie=here_only).status == 403
    viewer = cookie_of(world.box, "viewer", also_in=world.box.foreign_organization_id)
    assert transfer(world, page_id, cookie=viewer).status == 403
    assert transfer(world, page_id, cookie=world.foreign).status == 404
    assert world.known(page_id) == before


def test_a_page_rests_while_its_organization_is_deleted_and_is_gone_with_it(world: World) -> None:
    page_id = world.page()
    before, own = world.known(page_id), {"organizationId": world.box.organization_id}
    person: dict[str, Any] = {"cookie": world.owner, "sec_fetch_site": "same-origin"}
    assert world.box.post("/organizations/delete", own, **person).status == 200
    assert world.pages.find(page_id) is world.pages.by_slug("shop") is None
    assert world.box.get("/status/shop").status == 404
    assert world.box.post("/organizations/restore", own, **person).status == 200
    assert world.pages.by_slug("shop") == before
    assert world.box.post("/organizations/delete", own, **person).status == 200
    box = world.box.box
    later = world.box.clock.now() + 31 * 86_400_000
    world.box.run(purge_organizations(box.parts, box.events.db, grace_days=30, now=later))
    assert world.rows("select 1 from status_pages") == []
    assert len(world.pages) == 0
