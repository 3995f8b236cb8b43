"""Target groups by their procedures (wire 6.4), and what becomes of flags that have one."""

from typing import Any

from tests.cases import each
from tests.products.flags.world import World

RULE = {"type": "user_id", "operator": "in", "values": ["ada", "ben"], "enabled": True, "batch": False}


def make(world: World, name: str, **given: Any) -> Any:
    return world.good("targetGroups/create", **{"websiteId": world.shop, "name": name} | given)


def test_a_group_is_made_changed_and_listed_by_name(shared: World) -> None:
    second = make(shared, "  Our   staff ", description="All of us", color="#2563EB", rules=[RULE])
    assert second == second | {
        "name": "Our staff",
        "description": "All of us",
        "color": "#2563eb",
        "rules": [RULE],
        "websiteId": shared.shop,
        "organizationId": shared.box.organization_id,
    }
    first = make(shared, "Friends")
    assert shared.good("targetGroups/list", websiteId=shared.shop) == [first, second]
    assert shared.good("targetGroups/list") == []
    changed = shared.good("targetGroups/update", id=first["id"], name="Zoe", rules=[RULE], color=None)
    assert changed == first | {"name": "Zoe", "rules": [RULE], "updatedAt": changed["updatedAt"]}
    assert shared.good("targetGroups/getById", id=first["id"], websiteId=shared.shop) == changed
    shared.known()


def test_concurrent_edit_of_a_group_is_not_overwritten(world: World) -> None:
    group = make(world, "Both edit it")
    seen = {"id": group["id"], "updatedAt": group["updatedAt"]}
    changed = world.good("targetGroups/update", **seen, rules=[RULE])
    assert changed["updatedAt"] > group["updatedAt"]
    status, message = world.refused("targetGroups/update", **seen, name="Overwritten")
    assert (status, message.partition(":")[0]) == (409, "This target group has been changed")
    world.box.clock.advance(seconds=-60)
    again = world.good("targetGroups/update", id=group["id"], updatedAt=changed["updatedAt"], rules=[])
    assert again["updatedAt"] > changed["updatedAt"]


def test_no_two_states_have_the_same_instant_whatever_the_clock_says(world: World) -> None:
    flag, seen = world.put("checkout"), set()
    for name in ("One", "Two", "Three"):
        seen.add(world.good("flags/update", id=flag.id, name=name)["updatedAt"])
        world.box.clock.advance(seconds=-60)
    scopes = [world.known().updated_at]
    world.good("flags/update", id=flag.id, name="Four")
    assert len(seen) == 3
    assert world.known().updated_at > scopes[0]


@each(
    ("given", "status", "message"),
    [
        ({"name": ""}, 400, "is required"),
        ({"name": " \u200b "}, 400, "Enter a name with visible characters"),
        ({"name": "Taken"}, 409, "A target group with this name exists already"),
        ({"color": "red"}, 400, "Must be a value such as #2563eb"),
        ({"rules": [{"type": "email", "operator": "like"}]}, 400, "Must be one of: "),
        ({"rules": [RULE] * 101}, 400, "Must have at most 100 values"),
        ({"nonsense": 1}, 400, "This is not a known field"),
    ],
)
def test_invalid_group_is_refused_in_one_line(
    shared: World, given: dict[str, object], status: int, message: str
) -> None:
    if "Taken" not in {group.name for group in shared.known().groups}:
        make(shared, "Taken")
        make(shared, "Right")
    before = shared.known()
    right = next(group.id for group in before.groups if group.name == "Right")
    for procedure, whole in (
        ("create", {"websiteId": shared.shop, "name": "Wrong"} | given),
        ("update", {"id": right} | given),
    ):
        code, said = shared.refused(f"targetGroups/{procedure}", **whole)
        assert (code, message in said) == (status, True), said
    assert shared.known() == before


def test_a_group_that_goes_leaves_its_flags_but_not_conditions_that_name_it(shared: World) -> None:
    group = make(shared, "Leaving", rules=[RULE])
    flag = shared.good("flags/create", websiteId=shared.shop, key="has-group", targetGroupIds=[group["id"]])
    conditions = {"type": "conditions", "conditions": {"all": [{"none": [{"group": group["id"]}]}]}}
    naming = shared.good("flags/create", websiteId=shared.shop, key="names-group", rules=[conditions])
    status, message = shared.refused("targetGroups/delete", id=group["id"])
    assert (status, message) == (
        409,
        "Conditions of names-group use this target group. Change them first",
    )
    shared.good("flags/delete", id=naming["id"])
    assert shared.good("targetGroups/delete", id=group["id"]) == {"flags": ["has-group"], "success": True}
    after = shared.good("flags/getById", id=flag["id"])
    assert (after["targetGroupIds"], after["targetGroups"], after["version"]) == ([], [], 2)
    assert shared.refused("targetGroups/getById", id=group["id"])[0] == 404
    shared.known()


def test_a_group_grows_as_far_as_the_flags_of_each_environment_may_take(world: World) -> None:
    words = {"type": "email", "operator": "contains", "batch": True, "batchValues": ["word"] * 500, "enabled": True}
    names = [make(world, f"Group {number}", rules=[words])["id"] for number in range(7)]
    world.good("flags/create", websiteId=world.shop, key="one", targetGroupIds=names[:3], environment="live")
    world.good("flags/create", websiteId=world.shop, key="two", targetGroupIds=names[:6], environment="live")
    status, message = world.refused("targetGroups/update", id=names[0], rules=[words] * 3)
    assert (status, "can use 10,000 comparisons" in message) == (400, True), message
    world.good("targetGroups/update", id=names[6], rules=[words] * 3)  # no flag has it
    world.good("flags/create", websiteId=world.shop, key="one", targetGroupIds=[names[6]])
    assert (
        world.refused("flags/create", websiteId=world.shop, key="three", targetGroupIds=[names[6]], environment="live")[
            0
        ]
        == 400
    )
