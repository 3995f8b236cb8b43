"""Imports and exports over RPC: what is stored, what is only tried, and files of this box that lose nothing."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from analytics_box.base.acting import By
from analytics_box.base.errors import BadRequest
from analytics_box.products.flags.access import FlagReach
from analytics_box.products.flags.flag import LARGEST_SCOPE
from analytics_box.products.flags.moving import calls, flagd_writing, planning
from analytics_box.products.flags.moving.calls import OutdatedPlan, store
from analytics_box.products.flags.moving.planning import FlagImportTarget, plan_import
from analytics_box.products.flags.saving import save
from tests.cases import each
from tests.products.flags.evaluation.made import flag, group
from tests.products.flags.world import World
from tests.tenants.keys.world import cookie_of

HERE = Path(__file__).parent
PRODUCTS = ("unleash", "growthbook", "launchdarkly", "flagsmith", "flagd")


def sample(name: str) -> str:
    return (HERE / f"{name}.json").read_text()


def imported(world: World, content: str, **given: Any) -> Any:
    return world.good("flags/import", **{"websiteId": world.shop, "content": content} | given)


def by_key(shown: Any) -> dict[str, Any]:
    return {one["key"]: one for one in shown["flags"]}


@pytest.mark.parametrize("product", PRODUCTS)
def test_a_dry_run_says_what_an_import_does_and_stores_nothing(world: World, product: str) -> None:
    audit = world.rows("select count(*) from audit")
    dry = imported(world, sample(product), dryRun=True)
    assert (dry["format"], dry["dryRun"]) == (product, True)
    for table in ("flags", "flag_versions", "target_groups", "flag_scopes"):
        assert world.rows(f"select count(*) from {table}") == [(0,)]
    assert world.rows("select count(*) from audit") == audit
    done = imported(world, sample(product))
    assert done["created"] > 5
    for tried, made in zip(dry["flags"], done["flags"], strict=True):
        assert tried == made | {"flagId": None}
    assert {**dry, "flags": [], "dryRun": False} == {**done, "flags": []}
    flags = {one.key: one for one in world.known().flags}
    assert set(flags) == {one["key"] for one in done["flags"] if one["status"] == "created"}
    for one in done["flags"]:
        assert one["status"] == "failed" or flags[one["key"]].definition.status == one["flagStatus"], one
    again = imported(world, sample(product))
    assert (again["created"], again["existing"], again["failed"]) == (0, done["created"], done["failed"])
    replaced = imported(world, sample(product), existing="replace")
    assert (replaced["unchanged"], replaced["updated"]) == (done["created"], 0)


def test_partially_supported_flag_is_imported_as_inactive_with_a_note(world: World) -> None:
    shown = imported(world, sample("unleash"))
    row = by_key(shown)["at-random"]
    assert (row["status"], row["flagStatus"]) == ("created", "inactive")
    waits = "The flag is inactive. Review and activate it"
    assert row["notes"] == [
        "It is on at random for each evaluation",
        f"{waits}. Its off value is left out, so no user gets it until then",
    ]
    of_key = {one.key: one.definition for one in world.known().flags}
    assert (of_key["at-random"].offValue, of_key["plain-off"].offValue) == (None, False)
    child = by_key(shown)["child"]  # of a flag that waits: no user gets its off value either
    assert (child["flagStatus"], of_key["child"].offValue) == ("inactive", None)
    assert shown["inactive"] == sum("Review and activate it" in " ".join(one["notes"]) for one in shown["flags"]) > 3
    slashed = by_key(shown)["name/with/slashes"]
    assert (slashed["status"], slashed["field"], slashed["flagId"]) == ("failed", "key", None)
    history = world.good("flags/history", flagId=row["flagId"])
    assert "From Unleash; It is on at random" in json.dumps(history)


def own_file(*flags: dict[str, Any]) -> str:
    return json.dumps({"format": "analytics-box-flags", "flags": flags})


def test_flags_that_need_many_others_are_looked_at_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    flags: list[dict[str, Any]] = [
        {"key": f"k{i}", "dependencies": [f"k{j}" for j in range(max(0, i - 5), i)]} for i in range(40)
    ]
    monkeypatch.setattr(planning, "MOST_EFFORT", 3_000)
    assert imported(world, own_file(*flags))["created"] == 40
    named = [one | {"name": "Other"} for one in flags]
    assert imported(world, own_file(*named), existing="replace")["updated"] == 40
    assert imported(world, own_file(*named), existing="replace")["unchanged"] == 40
    around = [named[0] | {"dependencies": ["k39"]}, *named[1:]]
    (wrong,) = [one for one in imported(world, own_file(*around), existing="replace")["flags"] if one["error"]]
    assert (wrong["key"], "Circular dependency" in wrong["error"]) == ("k0", True)
    more = [one | {"dependencies": [*one["dependencies"][:4], "k0"]} for one in named[1:]]
    before = world.rows("select definition, version from flags order by id")
    assert world.refused("flags/import", websiteId=world.shop, content=own_file(*more), existing="replace") == (
        400,
        "These flags have too many dependencies. Import them in several files",
    )
    assert world.rows("select definition, version from flags order by id") == before


def test_overlong_dependency_chain_is_found_in_a_file(world: World) -> None:
    flags = [
        {"key": f"k{i}", "prerequisites": [{"key": f"k{i - 1}", "gives": ["true"]}] if i else []} for i in range(13)
    ]
    shown = imported(world, own_file(*reversed(flags)))
    wrong = {one["key"]: one["error"] for one in shown["flags"] if one["error"]}
    assert wrong == {
        "k11": "Chains of required flags can have up to 10 steps",
        "k12": "There is no flag k11 in this environment",
    }


def test_flags_stay_inactive_while_what_they_need_is(world: World) -> None:
    content = json.loads(sample("unleash"))
    next(one for one in content["features"] if one["name"] == "rollout")["enabled"] = False
    next(one for one in content["features"] if one["name"] == "rollout")["strategies"] = []
    content["features"].reverse()
    row = by_key(imported(world, json.dumps(content)))["child"]
    assert (row["status"], row["flagStatus"]) == ("created", "inactive")
    assert {one.key: one.definition.offValue for one in world.known().flags}["child"] is False  # as it was there
    assert row["notes"] == ["It is inactive, because it needs rollout, which is not active"]


def test_an_export_imported_elsewhere_is_the_same(world: World) -> None:
    imported(world, sample("launchdarkly"))
    imported(world, sample("growthbook"), environment="staging")
    world.put("personal", {"payload": {"a": [1, {"b": None}]}, "folder": "a/b"}, user_id="ada")
    exported = world.good("flags/export", websiteId=world.shop)
    assert exported["flags"] == len(world.known().flags) > 30
    to = {"organizationId": world.box.organization_id}
    done = world.good("flags/import", content=exported["content"], **to)
    assert (done["format"], done["created"], done["failed"]) == ("analytics-box", exported["flags"], 0)
    back = world.good("flags/export", **to)
    assert json.loads(back["content"]) == json.loads(exported["content"])
    staging = world.good("flags/export", websiteId=world.shop, environment="staging")
    assert {one["environment"] for one in json.loads(staging["content"])["flags"]} == {"staging"}
    moved = imported(world, staging["content"], environment="production")
    assert {one["environment"] for one in moved["flags"]} == {"production"}
    assert world.refused("flags/import", websiteId=world.shop, content=exported["content"], environment="x") == (
        400,
        'The file has several environments. Select one: "", staging',
    )


def test_an_export_for_flagd_lists_what_it_cannot_say(world: World) -> None:
    imported(world, sample("flagd"))
    imported(world, sample("launchdarkly"))
    exported = world.good("flags/export", websiteId=world.shop, format="flagd")
    file = json.loads(exported["content"])
    notes = {one["key"]: one["notes"] for one in exported["notes"]}
    assert notes["child"] == ["prerequisites are not supported"]
    assert notes["rollout"] == ["flagd uses another hash, so users are bucketed again"]
    assert {"internal", "greeting"}.isdisjoint(notes)
    assert "colours-of-some" not in notes
    assert (file["flags"]["child"]["state"], file["flags"]["rollout"]["state"]) == ("DISABLED", "ENABLED")
    assert notes["clauses"][0] == "Rule 1: ends_with of text values only is not supported"


def test_a_plan_is_not_stored_over_what_others_changed_meanwhile(world: World) -> None:
    own = FlagReach(world.box.organization_id, By("user:test", world.box.clock.now()), website_id=world.shop)
    _, file = calls.read_file(sample("flagd"))
    scope = world.flags.scope(world.shop)
    assert scope is not None
    plan = plan_import(scope, own, file, FlagImportTarget(source="flagd", existing="replace"))
    world.put("on", {"defaultValue": False})
    with pytest.raises(OutdatedPlan):
        world.box.run(save(world.box.box.parts, world.shop, lambda db: store(db, own, plan, "flagd")))
    assert [one.key for one in world.known().flags] == ["on"]


def test_an_export_for_flagd_writes_no_target_group_out_without_end() -> None:
    large = group("large", {"type": "property", "field": "p", "operator": "in", "values": ["x" * 900] * 100})
    small = group("small", {"type": "property", "field": "p", "operator": "in", "values": ["x"]})

    def naming(id: str, times: int) -> dict[str, Any]:
        return {"type": "conditions", "conditions": {"any": [{"group": id}] * times}}

    many = [flag(f"many-{number}", rules=[naming("large", 2)]) for number in range(60)]
    flags = [flag("small", rules=[naming("small", 190)]), flag("large", rules=[naming("large", 3)]), *many]
    file, said = flagd_writing.build_file(flags, [large, small])
    refused = [key for key, _ in said]
    assert refused[0] == "large"
    assert (file["flags"]["large"]["state"], file["flags"]["many-0"]["state"]) == ("DISABLED", "ENABLED")
    assert "targeting" not in file["flags"]["large"]
    assert "many-59" in refused  # and all of them together
    assert len(json.dumps(file)) < 2 * LARGEST_SCOPE


HOSTILE = [
    ("", "The file is empty"),
    ("{", r"This is not valid JSON \(line 1, character 2\)"),
    ("7", "This file does not contain flags"),
    ("{}", "This file does not contain flags"),
    (
        '{"format": "analytics-box-flags", "flags": [{"key": "a", "colour": 1}]}',
        "colour is not a known field",
    ),
    ('{"features": {"a": {"defaultValue": false, "rules": [{"condition": {"$and": 7}, "force": {"a": []}}]}}}', ""),
    ('{"features": [{"name": "a", "strategies": [{"name": {}, "constraints": [7, {"values": {}}]}]}]}', ""),
    ('{"flags": {"a": {"variants": {"a": [], "b": {}}, "defaultVariant": 7, "targeting": [[]]}}}', ""),
    ('{"flags": {"a": {"variants": {"a": 1}, "targeting": {"if": [{"<": [{"var": 7}]}, {"fractional": [[]]}]}}}}', ""),
    ('{"items": [{"key": "a", "variations": [{}, 7], "rules": [{"clauses": {}}], "fallthrough": 7}]}', ""),
    ('{"flags": {"a": {"variations": [1], "on": true, "fallthrough": {"rollout": {"variations": [{}]}}}}}', ""),
    ('{"flags": {"a": {"variants": {"a": 1}, "targeting": ' + '{"!": ' * 500 + "1" + "}" * 500 + "}}}", ""),
    (
        '{"features": {"a": {"defaultValue": 1, "rules": [{"condition": '
        + '{"$not": ' * 500
        + "{}"
        + "}" * 500
        + "}]}}}",
        "",
    ),
]


@each(("content", "said"), HOSTILE)
def test_odd_files_are_refused_in_a_line(content: str, said: str) -> None:
    if said:
        with pytest.raises(BadRequest, match=said) as refused:
            calls.read_file(content)
        assert "\n" not in refused.value.message
    else:
        with suppress(BadRequest):
            calls.read_file(content)


def test_permissions_to_import_and_export(shared: World) -> None:
    empty = {"format": "analytics-box-flags"}
    assert shared.call("flags/import", by="reading", websiteId=shared.shop, content=json.dumps(empty)).status == 403
    assert shared.call("flags/import", by="foreign", websiteId=shared.shop, content=json.dumps(empty)).status == 404
    assert shared.call("flags/export", by="foreign", websiteId=shared.shop).status == 404
    assert shared.good("flags/import", websiteId=shared.shop, content=json.dumps(empty))["total"] == 0
    viewer = cookie_of(shared.box, "viewer")
    assert shared.call("flags/import", cookie=viewer, websiteId=shared.shop, content=json.dumps(empty)).status == 403
    assert shared.call("flags/export", cookie=viewer, websiteId=shared.shop).status == 200
