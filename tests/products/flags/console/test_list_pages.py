"""The list of flags, what becomes of a flag, and target groups, in a browser without scripts."""

import pytest

from analytics_box.products.flags.console.list_pages import SEARCHED
from analytics_box.products.flags.flag import TargetingRule
from tests.cases import each
from tests.products.flags.console.world import Console, fields_of, form_with
from tests.products.flags.world import World
from tests.tenants.keys.world import cookie_of


@pytest.fixture(scope="module")
def console(shared: World) -> Console:
    return Console(shared)


@pytest.fixture(scope="module")
def listed(console: Console) -> Console:
    """Some flags that the list tells apart."""
    put = console.world.put
    put("of-shop", {"name": "Zebra", "folder": "checkout/payment", "description": "for the spring sale"})
    put("of-staging", {"status": "inactive"}, environment="staging")
    put("of-all", {"type": "rollout", "rolloutPercentage": 20}, website=None)
    put("gone-by", {"status": "archived"})
    return console


@each(
    ("query", "keys"),
    [
        ("", {"of-shop", "of-staging", "of-all"}),
        ("?search=SPRING", {"of-shop"}),
        ("?search=zebra", {"of-shop"}),
        ("?of={shop}", {"of-shop", "of-staging"}),
        ("?of={organization}", {"of-all"}),
        ("?status=archived", {"gone-by"}),
        ("?status=inactive", {"of-staging"}),
        ("?status=stale", set()),
        ("?type=rollout", {"of-all"}),
        ("?environment=staging", {"of-staging"}),
        ("?environment=-", {"of-shop", "of-all"}),
        ("?folder=checkout", {"of-shop"}),
        ("?folder=check", set()),
        ("?folder=-", {"of-staging", "of-all"}),
        ("?page=2", set()),
        ("?page=0&status=x&type=x", {"of-shop", "of-staging", "of-all"}),
        ("?search=nothing-like-it", set()),
    ],
)
def test_the_list_has_what_the_address_asks_for(listed: Console, query: str, keys: set[str]) -> None:
    page = listed.seen("/flags" + query.format(shop=listed.world.shop, organization=listed.box.organization_id))
    assert {key for key in ("of-shop", "of-staging", "of-all", "gone-by") if f"<bdi>{key}</bdi>" in page} == keys


def test_flag_without_evaluations_is_marked_stale_and_found_by_that_status(world: World) -> None:
    console = Console(world)
    old = world.put("old", {"name": "Old one"})
    world.box.clock.advance(seconds=40 * 86_400)
    world.put("new", {"name": "New one"})
    page = console.seen("/flags?status=stale", world.owner)
    assert "not evaluated since" in page
    assert "Old one" in page
    assert "New one" not in page
    assert "Stale: not evaluated since" in console.seen(f"/flags/{old.id}")


def test_list_of_few_flags_has_no_search_and_a_long_one_has(world: World) -> None:
    console = Console(world)
    for number in range(SEARCHED - 1):
        world.put(f"few-{number}")
    assert 'type="search"' not in console.seen("/flags")
    assert 'type="search"' in console.seen("/flags?status=archived")  # else there is no way back
    world.put("one-more")
    assert 'type="search"' in console.seen("/flags")


def test_line_of_a_flag_shows_its_rollout_and_how_long_ago_it_was_evaluated(world: World) -> None:
    console = Console(world)
    rules = [{"type": "user_id", "value": "anna"}]
    world.put("quarter", {"type": "rollout", "rolloutPercentage": 25, "rules": rules})
    world.put("switch", {"defaultValue": True})
    world.box.get(f"/public/v1/flags/bulk?clientId={world.shop}&keys=quarter")
    assert "Just now" in console.seen("/flags")
    world.box.clock.advance(seconds=240)
    page = console.seen("/flags")
    lines = {key: page.split(f"<bdi>{key}</bdi>")[1].split("</li>")[0] for key in ("quarter", "switch")}
    assert 'class="w25"' in lines["quarter"]
    assert "25\N{NO-BREAK SPACE}%" in lines["quarter"]
    assert "1 rule" in lines["quarter"]
    assert "4 min ago" in lines["quarter"]
    assert 'class="w100"' in lines["switch"]
    assert "Never" in lines["switch"]


def test_viewers_are_offered_the_export_and_members_the_import(console: Console) -> None:
    console.world.put("exported")
    assert "Import" in console.seen("/flags")
    page = console.seen("/flags", cookie_of(console.box, "viewer"))
    assert "Import" not in page
    assert ">Export" in page


def test_a_status_changes_by_a_button(console: Console) -> None:
    path = f"/flags/{console.world.put('switched').id}"
    for status in ("inactive", "archived", "active"):
        assert console.gone_to(f"{path}/status", {"status": status}) == f"{path}?done={status}"
        assert console.flag(path).definition.status == status
    assert console.sent(f"{path}/status", {"status": "sideways"}).status == 400


def test_a_folder_is_renamed_and_deleted_with_those_in_it(console: Console) -> None:
    flag, of = console.world.put("filed", {"folder": "old/inner"}), {"of": console.world.shop}
    assert "old/inner" in console.seen("/flags/folders")
    wrong = console.sent("/flags/folders/rename", of | {"folder": "old", "to": "<b>\u200b"})
    assert wrong.status == 400
    assert "Enter a folder with visible" in wrong.body.decode()
    console.gone_to("/flags/folders/rename", of | {"folder": "old", "to": "Kim’s & 東京"})
    assert console.flag(f"/flags/{flag.id}").definition.folder == "Kim’s & 東京/inner"
    console.gone_to("/flags/folders/rename", of | {"folder": "Kim’s & 東京", "to": "new"})
    assert "move one level up" in console.seen(f"/flags/folders/delete?of={console.world.shop}&folder=new")
    assert console.answer("/flags/folders/delete?folder=nowhere").status == 404
    console.gone_to("/flags/folders/delete", of | {"folder": "new"})
    assert console.flag(f"/flags/{flag.id}").definition.folder == "inner"


def test_deleting_says_who_needs_the_flag(console: Console) -> None:
    flag = console.world.put("needed")
    console.world.put("needing", {"dependencies": ["needed"], "name": "The one that needs it"})
    assert "The one that needs it requires it and will be off." in console.seen(f"/flags/{flag.id}/delete")
    assert "The one that needs it" in console.seen(f"/flags/{flag.id}")
    path = f"/flags/{flag.id}"
    assert console.gone_to(f"{path}/status", {"status": "inactive"}) == f"{path}?done=needed"
    assert console.gone_to(f"/flags/{flag.id}/delete", {}) == "/flags?done=deleted"
    assert console.answer(f"/flags/{flag.id}").status == 404


def test_page_of_a_flag_names_its_last_editor_and_links_to_the_history(console: Console) -> None:
    flag = console.world.good("flags/create", websiteId=console.world.shop, key="edited")
    form = fields_of(console.seen(f"/flags/{flag['id']}/edit")) | {"name": "Edited", "do": "save"}
    console.gone_to(f"/flags/{flag['id']}/edit", form)
    page = console.seen(f"/flags/{flag['id']}")
    link = page.split(f'href="/flags/{flag["id"]}/history">')[-1].split("</a>")[0]
    assert "Version 2, changed" in link
    assert "@example.com" in link


def test_a_copy_is_a_flag_of_its_own(console: Console) -> None:
    flag = console.world.put("copied", {"defaultValue": True})
    path = console.gone_to(f"/flags/{flag.id}/copy", {"environment": "staging"})
    made = console.flag(path)
    assert (made.key, made.environment, made.definition.status) == ("copied", "staging", "inactive")
    again = console.sent(f"/flags/{flag.id}/copy", {"environment": "staging"})
    assert again.status == 409
    assert 'id="environment-error"' in again.body.decode()


def test_folder_that_someone_else_changed_is_not_renamed(console: Console) -> None:
    flag = console.world.put("placed", {"folder": "Shop"})
    folders, rename = "/flags/folders", "/flags/folders/rename"
    form = form_with(console.seen(folders), folders, "folder", "Shop")
    console.world.good("flags/update", id=flag.id, folder="Shop/payment")
    late = console.sent(rename, form | {"to": "Store"})
    assert (late.status, "Someone else changed this while you were editing." in late.body.decode()) == (409, True)
    assert console.flag(f"/flags/{flag.id}").definition.folder == "Shop/payment"
    console.gone_to(rename, form_with(late.body.decode(), folders, "folder", "Shop") | {"to": "Store"})
    assert console.flag(f"/flags/{flag.id}").definition.folder == "Store/payment"
    asked = f"{folders}/delete?of={console.world.shop}&folder=Store"
    question = form_with(console.seen(asked), asked, "folder", "Store")
    console.world.good("flags/update", id=flag.id, folder="Store")
    assert console.sent("/flags/folders/delete", question).status == 409


def test_a_target_group_is_made_changed_and_deleted(console: Console) -> None:
    form = fields_of(console.seen("/flags/groups/new")) | {
        "of": console.world.shop,
        "name": "Beta testers",
        "color": "#2563eb",
        "rules.0.if.0.attribute": "email",
        "rules.0.if.0.operator": "ends_with",
        "rules.0.if.0.values": "@beta.example",
        "do": "save",
    }
    console.gone_to("/flags/groups/new", form)
    (group,) = [one for one in console.world.known().groups if one.name == "Beta testers"]
    assert group.rules == (TargetingRule("email", "ends_with", value="@beta.example"),)
    flag = console.world.put("for-testers", {"targetGroupIds": [group.id]})
    page = console.seen("/flags/groups")
    assert "Used by 1 flag" in page
    assert 'fill="#2563eb"' in page
    assert "@beta.example" in console.seen(f"/flags/{flag.id}")
    path = f"/flags/groups/{group.id}"
    older = fields_of(console.seen(path)) | {"do": "save"}
    console.gone_to(path, older | {"name": "Meanwhile"})
    late = console.sent(path, older | {"name": "Testers"})
    assert (late.status, "Someone else changed this while you were editing." in late.body.decode()) == (409, True)
    console.gone_to(path, fields_of(late.body.decode()) | {"do": "save"})
    assert [one.name for one in console.world.known().groups] == ["Testers"]
    assert "for-testers will no longer use it." in console.seen(f"{path}/delete")
    console.gone_to(f"{path}/delete", {})
    assert console.flag(f"/flags/{flag.id}").definition.targetGroupIds == ()


def test_a_target_group_that_conditions_name_stays(console: Console) -> None:
    group = console.world.put_group("Named", [])
    console.world.put("naming", {"rules": [{"type": "conditions", "conditions": {"group": group.id}}]})
    answer = console.sent(f"/flags/groups/{group.id}/delete", {})
    assert answer.status == 409
    assert "naming use this target group" in answer.body.decode()


def test_invalid_target_group_is_reported_at_its_field(console: Console) -> None:
    form = fields_of(console.seen("/flags/groups/new")) | {"name": "", "do": "save"}
    wrong = console.sent("/flags/groups/new", form | {"rules.0.if.0.values": "x"})
    assert wrong.status == 400
    assert 'id="name-error"' in wrong.body.decode()
    wrong = console.sent("/flags/groups/new", form | {"name": "Named"})
    assert 'id="rules.0.if.0.values-error"' in wrong.body.decode()
