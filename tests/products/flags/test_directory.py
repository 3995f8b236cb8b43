"""Flags in memory: whose they are, that they follow their website, and that only newer states count."""

from typing import Any

from msgspec.structs import replace

from analytics_box.app.removals import purge_organizations, purge_websites
from analytics_box.base.clock import DAY
from tests.products.flags.world import World


def post(world: World, procedure: str, **given: Any) -> None:
    answer = world.box.post(procedure, given, cookie=world.owner, sec_fetch_site="same-origin")
    assert answer.status == 200, answer.body


def test_flags_are_found_by_website_client_id_and_organization(world: World) -> None:
    own, now = world.box.organization_id, world.box.clock.now()
    assert world.flags.client(world.shop, now) is not None
    assert world.flags.of(own) == []
    of_shop = world.put("beta")
    of_all = world.put("dark-mode", {"type": "rollout", "rolloutPercentage": 12.5}, website=None)
    staff = world.put_group("Staff", [{"type": "email", "operator": "ends_with", "value": "@example.com"}])
    shop = world.known()
    assert (shop.flags, shop.groups, shop.revision) == ((of_shop,), (staff,), 2)
    assert world.known(own).flags == (of_all,)
    assert [scope.id for scope in world.flags.of(own)] == [own, world.shop]
    old = world.shop
    post(world, "/websites/rotateTracking", id=world.shop)
    (new,) = {str(row[0]) for row in world.rows("select id from client_ids where website_id = ?", old)} - {old}
    assert world.flags.client(old, now) == world.flags.client(new, now) == shop
    assert world.flags.client("nobody", now) is None
    assert world.flags.find(of_all.id) == of_all
    assert world.flags.group(staff.id) == staff
    world.box.reopen()
    assert world.known() == shop


def test_a_ruleset_is_kept_until_a_change_and_older_states_are_ignored(world: World) -> None:
    world.put("beta")
    before = world.known()
    told: list[str] = []
    end = world.flags.subscribe(world.shop, lambda: told.append("changed"))
    ruleset = world.flags.ruleset(before, None)
    assert world.flags.ruleset(before, None) is ruleset
    assert list(ruleset.keys()) == ["beta"]
    assert list(world.flags.ruleset(before, "staging").keys()) == []
    assert len(list(world.flags.rulesets())) == 1
    thrown: list[object] = []
    world.flags.discard = thrown.append
    world.put("beta", environment="staging")
    after = world.known()
    assert (len(told), len(thrown)) == (1, 1)
    assert len(list(world.flags.rulesets())) == 1  # made before the first evaluation after the change
    assert world.flags.ruleset(after, None) is not ruleset
    assert list(world.flags.ruleset(after, None).keys()) == ["beta"]
    assert list(world.flags.ruleset(after, "staging").keys()) == ["beta"]
    world.flags.remember(before)
    world.flags.remember(replace(after, flags=()))
    assert world.known() == after
    end()
    world.put("gamma")
    assert len(told) == 1


def test_flags_of_a_website_go_with_it_to_another_organization(world: World) -> None:
    flag = world.put("beta")
    foreign = world.box.foreign_organization_id
    post(world, "/websites/transfer", websiteId=world.shop, organizationId=foreign)
    moved = world.known()
    assert moved.organization_id == foreign
    assert moved.flags == (replace(flag, organization_id=foreign),)
    assert world.flags.of(world.box.organization_id) == []
    post(world, "/organizations/delete", organizationId=world.box.organization_id)
    world.box.clock.advance(seconds=30 * DAY / 1000)
    parts, events = world.box.box.parts, world.box.box.events.db
    world.box.run(purge_organizations(parts, events, grace_days=30, now=world.box.clock.now()))
    assert world.known() == moved
    world.box.reopen()
    assert world.known() == moved


def test_flags_rest_while_their_website_is_deleted_and_are_gone_with_it(world: World) -> None:
    blog = world.box.sites["blog"]
    of_blog, of_shop = world.put("a", website=blog), world.put("b")
    post(world, "/websites/delete", id=blog)
    assert world.flags.find(of_blog.id) is None
    assert world.flags.client(blog, 0) is None
    post(world, "/websites/restore", id=blog)
    assert world.flags.find(of_blog.id) == of_blog
    post(world, "/websites/delete", id=blog)
    later = world.box.clock.now() + 30 * DAY
    world.box.run(purge_websites(world.box.box.parts, world.box.box.events.db, grace_days=30, now=later))
    assert world.rows("select id from flags") == [(of_shop.id,)]
    assert [scope.id for scope in world.flags.all()] == [world.shop]


def test_flags_rest_while_their_organization_is_deleted_and_are_gone_with_it(world: World) -> None:
    own = world.box.organization_id
    of_shop, of_all = world.put("b"), world.put("c", website=None)
    world.put_group("Staff", [])
    post(world, "/organizations/delete", organizationId=own)
    assert world.flags.find(of_shop.id) is world.flags.find(of_all.id) is None
    assert world.flags.scope(own) is None
    later = world.box.clock.now() + 30 * DAY
    world.box.run(purge_organizations(world.box.box.parts, world.box.box.events.db, grace_days=30, now=later))
    tables = ("flags", "flag_scopes", "target_groups", "flag_versions")
    assert [world.rows(f"select count(*) from {table}") for table in tables] == [[(0,)]] * 4
    assert list(world.flags.all()) == []
