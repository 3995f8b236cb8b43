"""Flags by their procedures (wire 6.4): what they take, refuse and answer with, and who may call them."""

from html import unescape
from typing import Any
from urllib.parse import quote, quote_plus

import msgspec
import pytest

from analytics_box.app.jobs import JOBS, run_job
from analytics_box.base.clock import DAY
from analytics_box.products.flags.editing import change
from analytics_box.products.flags.editing.shown import rule_answer
from analytics_box.products.flags.flag import TargetingRule
from tests.cases import each
from tests.inprocess import KeyName
from tests.products.flags.world import World
from tests.tenants.keys.world import cookie_of

RULE = {"type": "email", "operator": "ends_with", "value": "@example.com", "enabled": True, "batch": False}
VARIANTS = [
    {"key": "a", "type": "string", "value": "Buy", "weight": 50},
    {"key": "b", "type": "json", "value": {"text": "Order"}, "weight": 50, "description": "The longer one"},
]


def make(world: World, key: str, **given: Any) -> Any:
    return world.good("flags/create", **{"websiteId": world.shop, "key": key} | given)


UNUSED = {"lastEvaluatedAt": None, "stale": None}


def test_a_flag_is_made_with_defaults_and_listed_newest_first(shared: World) -> None:
    made = make(shared, "first")
    assert made == made | {
        "key": "first",
        "name": None,
        "description": None,
        "type": "boolean",
        "status": "active",
        "defaultValue": False,
        "offValue": None,
        "payload": None,
        "rules": [],
        "rolloutPercentage": 0,
        "rolloutBy": "user",
        "persistAcrossAuth": False,
        "dependencies": [],
        "environment": None,
        "variants": [],
        "folder": None,
        "websiteId": shared.shop,
        "organizationId": shared.box.organization_id,
        "userId": None,
        "targetGroupIds": [],
        "targetGroups": [],
        "version": 1,
        "deletedAt": None,
        "inactiveDependencies": [],
        "dependents": [],
    }
    shared.box.clock.advance(seconds=1)
    second = make(shared, "second", status="inactive")
    assert [one["key"] for one in shared.good("flags/list", websiteId=shared.shop)][:2] == ["second", "first"]
    assert [one["id"] for one in shared.good("flags/list", websiteId=shared.shop, status="inactive")] == [second["id"]]
    assert shared.good("flags/list") == []  # the organization's own
    shown = shared.good("flags/getById", id=made["id"], websiteId=shared.shop)
    assert shown == {name: (made | UNUSED)[name] for name in shown}
    assert shared.good("flags/getByKey", key="first", websiteId=shared.shop) == shown
    assert shared.refused("flags/getByKey", key="nothing", websiteId=shared.shop)[0] == 404


def test_every_field_changes_is_stored_and_comes_back_as_it_was_given(shared: World) -> None:
    group = shared.good("targetGroups/create", websiteId=shared.shop, name="Staff", rules=[RULE])
    fields = {
        "name": "Buy button",
        "description": "What it says",
        "type": "multivariant",
        "defaultValue": True,
        "offValue": {"text": "Order"},
        "payload": {"deep": [1, 2.5, None]},
        "rules": [RULE],
        "rolloutPercentage": 12.5,
        "rolloutBy": "organization",
        "persistAcrossAuth": True,
        "variants": VARIANTS,
        "targetGroupIds": [group["id"]],
        "folder": "checkout/buttons",
        "bucketing": {"algorithm": "flagd", "salt": "old"},
    }
    made = make(shared, "fields")
    changed = shared.good("flags/update", id=made["id"], **fields)
    assert changed == made | fields | {
        "version": 2,
        "updatedAt": changed["updatedAt"],
        "targetGroups": [group],
    }
    shown = shared.good("flags/getById", id=made["id"])
    assert changed | UNUSED == shown | {"inactiveDependencies": [], "dependents": []}
    shared.known()
    emptied = (
        "name",
        "description",
        "offValue",
        "payload",
        "rules",
        "rolloutPercentage",
        "rolloutBy",
        "folder",
        "targetGroupIds",
    )
    changed = shared.good("flags/update", id=made["id"], type="boolean", variants=None, **dict.fromkeys(emptied))
    assert {name: changed[name] for name in emptied} == {name: made[name] for name in emptied}
    assert shared.rows("select version, action from flag_versions where flag_id = ?", made["id"]) == [
        (1, "created"),
        (2, "updated"),
        (3, "updated"),
    ]


def test_update_without_a_change_creates_no_version(shared: World) -> None:
    made = make(shared, "still", name="Still")
    again = shared.good("flags/update", id=made["id"], name=" Still ", rules=[])
    assert again == made


@each(
    ("given", "status", "message"),
    [
        ({"key": "with space"}, 400, "A key has 1 to 128 letters and digits of any script"),
        ({"key": ".."}, 400, "A key has 1 to 128 letters and digits of any script"),
        ({"key": "a/b"}, 400, "A key has 1 to 128 letters and digits of any script"),
        ({"key": "a\u3164b"}, 400, "A key has 1 to 128 letters and digits of any script"),
        ({"key": "a\u200db"}, 400, "A key has 1 to 128 letters and digits of any script"),
        ({"key": "a\nb"}, 400, "A key has 1 to 128 letters and digits of any script"),
        ({"key": ""}, 400, "is required"),
        ({"key": "k" * 129}, 400, "Must be at most 128 characters"),
        ({"key": "taken"}, 409, "A flag with this key already exists in this environment"),
        ({"name": "n" * 101}, 400, "Must be at most 100 characters"),
        ({"name": "a\u200bb"}, 400, "Enter a name with visible characters"),
        ({"description": "d" * 501}, 400, "Must be at most 500 characters"),
        ({"type": "nonsense"}, 400, "Must be one of: "),
        ({"rolloutPercentage": 101}, 400, "Must be a number from 0 to 100"),
        ({"folder": "a\u200bb"}, 400, "Enter a folder with visible characters"),
        ({"environment": "\u0007"}, 400, "Enter an environment of up to 64 visible characters"),
        ({"dependencies": ["nothing"]}, 400, "There is no flag nothing in this environment"),
        ({"dependencies": ["taken"], "environment": "staging"}, 400, "There is no flag taken in this environment"),
        ({"prerequisites": [{"key": "nothing"}]}, 400, "There is no flag nothing in this environment"),
        ({"rules": [{"type": "email", "operator": "like"}]}, 400, "Must be one of: "),
        ({"nonsense": 1}, 400, "This is not a known field"),
        ({"websiteId": "nowhere"}, 404, "There is no website with this id"),
    ],
)
def test_invalid_input_is_refused_in_one_line(
    shared: World, given: dict[str, object], status: int, message: str
) -> None:
    if "taken" not in {flag.key for flag in shared.known().flags}:
        make(shared, "taken")
    before = shared.known()
    code, said = shared.refused("flags/create", **{"websiteId": shared.shop, "key": "wrong"} | given)
    assert (code, message in said) == (status, True), said
    assert shared.known() == before


def algorithm(shown: Any) -> str:
    return str(shown["bucketing"]["algorithm"])


def test_new_flags_draw_independently_and_those_of_sdk_routes_as_the_wire_has_it(shared: World) -> None:
    for kind in ("boolean", "rollout"):
        assert algorithm(make(shared, f"new-{kind}", type=kind)) == "flagd"
    assert algorithm(make(shared, "new-variants", type="multivariant", variants=VARIANTS)) == "flagd"
    assert algorithm(make(shared, "as-said", bucketing={"algorithm": "default"})) == "default"
    salted = make(shared, "salted", bucketing={"salt": "s"})
    assert salted["bucketing"] == {"algorithm": "flagd", "salt": "s"}
    assert shared.good("flags/update", id=salted["id"], bucketing=None)["bucketing"] == {"algorithm": "flagd"}

    def by_sdk(key: str, **given: Any) -> Any:
        body = {"clientId": shared.shop, "key": key} | given
        made = shared.box.post("/public/v1/flags", body, key="all").json["flag"]
        return shared.good("flags/getById", id=made["id"])

    assert algorithm(by_sdk("sdk-rollout", type="rollout", rolloutPercentage=50)) == "default"
    assert algorithm(by_sdk("sdk-variants", type="multivariant", variants=VARIANTS)) == "flagd"


def test_flag_with_new_variants_uses_independent_bucketing_unless_it_was_bucketed_before(shared: World) -> None:
    wire = {"bucketing": {"algorithm": "default"}}
    for key, given, wanted in (
        ("plain", {}, "flagd"),
        ("drew", {"rules": [RULE | {"percentage": 10}]}, "default"),
    ):
        flag = make(shared, f"turns-{key}", **wire, **given)
        assert algorithm(shared.good("flags/update", id=flag["id"], name="Other")) == "default"
        turned = shared.good("flags/update", id=flag["id"], type="multivariant", variants=VARIANTS)
        assert algorithm(turned) == wanted


ODD_KEYS = ("checkout.v2", "team:flag", "a~b", "a|b", "größe", "プラン", "हिन्दी", "ключ-1", "k" * 128)


@each("key", ODD_KEYS)
def test_a_key_of_any_script_works_everywhere(shared: World, key: str) -> None:
    made = make(shared, key, defaultValue=True)
    needs = make(shared, f"{key[:100]}-needs", dependencies=[key], prerequisites=[{"key": key}], defaultValue=True)
    assert shared.good("flags/getByKey", websiteId=shared.shop, key=key)["id"] == made["id"]
    of_shop = f"clientId={shared.shop}"
    one = shared.box.get(f"/public/v1/flags/evaluate?{of_shop}&key={quote(key)}").json
    assert (one["value"], one["flagId"]) == (True, made["id"])
    some = shared.box.get(f"/public/v1/flags/bulk?{of_shop}&keys={quote(key)},{quote(needs['key'])}").json["flags"]
    assert [flag["value"] for flag in some.values()] == [True, True]
    shared.box.clock.advance(seconds=60)
    file = shared.good("flags/export", websiteId=shared.shop)["content"]
    again = shared.good("flags/import", websiteId=shared.shop, content=file, existing="replace", dryRun=True)
    assert {row["status"] for row in again["flags"] if row["key"].startswith(key[:100])} == {"unchanged"}
    page = shared.box.get(f"/flags/{made['id']}/code", cookie=shared.owner, accept="text/html")
    assert (page.status, f"key={quote_plus(key)}" in unescape(page.body.decode())) == (200, True)


def test_key_is_unique_per_environment_and_user(shared: World) -> None:
    keys = ("env", None), ("env", "staging"), ("env", "production")
    for key, environment in keys:
        make(shared, key, environment=environment)
    make(shared, "env", userId="ada")
    assert shared.refused("flags/create", websiteId=shared.shop, key="env", environment="")[0] == 409
    assert shared.refused("flags/create", websiteId=shared.shop, key="env", userId="ada")[0] == 409
    found = shared.good("flags/list", websiteId=shared.shop, environment="staging")
    assert [(one["key"], one["environment"]) for one in found] == [("env", "staging")]
    named = {one["environment"]: one["flags"] for one in shared.good("flags/environments", websiteId=shared.shop)}
    assert named["staging"] == named["production"] == 1
    assert shared.good("flags/getByKey", websiteId=shared.shop, key="env", userId="ada")["userId"] == "ada"
    staging = shared.good("flags/getByKey", websiteId=shared.shop, key="env", environment="staging")
    assert shared.refused("flags/update", id=staging["id"], environment="production")[0] == 409
    assert shared.good("flags/update", id=staging["id"], environment="test")["environment"] == "test"


def test_a_flag_is_copied_to_another_environment_and_is_inactive_there(shared: World) -> None:
    made = make(shared, "copied", rules=[RULE], defaultValue=True)
    copy = shared.good("flags/copy", id=made["id"], environment="live")
    different = {"id", "status", "environment", "createdAt", "updatedAt"}
    assert {name for name in made if made[name] != copy[name]} <= different
    assert (copy["environment"], copy["status"]) == ("live", "inactive")
    assert shared.refused("flags/copy", id=made["id"], environment="live")[0] == 409
    assert shared.refused("flags/copy", id=made["id"], environment=None)[0] == 400
    shared.good("flags/activate", id=copy["id"])
    shared.good("flags/update", id=made["id"], defaultValue=False, status="archived")
    replaced = shared.good("flags/copy", id=made["id"], environment="live", replace=True)
    assert (replaced["id"], replaced["defaultValue"], replaced["status"]) == (copy["id"], False, "active")


def test_a_flag_stays_inactive_while_one_that_it_needs_is_and_both_are_told(shared: World) -> None:
    base = make(shared, "base", status="inactive")
    made = make(shared, "above", dependencies=["base"])
    assert (made["status"], made["inactiveDependencies"]) == ("inactive", ["base"])
    assert shared.good("flags/activate", id=made["id"])["inactiveDependencies"] == ["base"]
    assert shared.good("flags/getById", id=made["id"])["status"] == "inactive"
    shared.good("flags/activate", id=base["id"])
    assert shared.good("flags/activate", id=made["id"])["status"] == "active"
    assert shared.good("flags/deactivate", id=base["id"])["dependents"] == ["above"]
    assert shared.good("flags/update", id=made["id"], name="Above")["status"] == "active"  # nobody asked for another
    assert shared.good("flags/archive", id=base["id"])["dependents"] == []  # it gave nothing before
    assert shared.good("flags/delete", id=base["id"]) == {"success": True, "dependents": ["above"]}
    assert shared.good("flags/update", id=made["id"], name="Above all")["dependencies"] == ["base"]
    assert shared.refused("flags/create", websiteId=shared.shop, key="third", dependencies=["base"])[0] == 400


def test_update_with_an_outdated_version_is_refused(shared: World) -> None:
    made = make(shared, "locked")
    shared.good("flags/update", id=made["id"], version=1, name="One", note="The first")
    for procedure in ("update", "activate", "archive", "delete"):
        status, message = shared.refused(f"flags/{procedure}", id=made["id"], version=1)
        assert (status, message) == (409, "This flag has been changed. It is now at version 2 now")
    assert shared.rows("select note from flag_versions where flag_id = ?", made["id"]) == [("",), ("The first",)]


def test_a_deleted_flag_is_gone_and_its_key_is_free_again(shared: World) -> None:
    made = make(shared, "gone")
    shared.good("flags/delete", id=made["id"], note="No longer needed")
    for procedure in ("getById", "update", "delete", "activate"):
        assert shared.refused(f"flags/{procedure}", id=made["id"]) == (404, "There is no flag with this id")
    assert make(shared, "gone")["id"] != made["id"]
    assert shared.rows("select json_extract(definition, '$.status') from flags where id = ?", made["id"]) == [
        ("archived",)
    ]
    assert shared.rows("select action from audit where subject_id = ? order by id", made["id"]) == [
        ("created",),
        ("deleted",),
    ]


def test_audit_log_shows_changes_without_users_of_rules(shared: World) -> None:
    made = make(shared, "audited", userId="secret-user")
    rules = [{"type": "user_id", "operator": "in", "values": ["secret-user"]}]
    shared.good("flags/update", id=made["id"], rules=rules, payload={"secret": 1}, status="inactive")
    shared.good("flags/update", id=made["id"], offValue=True)
    shared.good("targetGroups/create", websiteId=shared.shop, name="Audited", rules=rules)
    found = str(shared.rows("select subject, detail from audit order by id desc limit 4"))
    assert '"offValue": {"before": null, "after": true}' in found
    assert "secret" not in found
    assert '"rules": {"before": 0, "after": 1}' in found
    assert '"status": {"before": "active", "after": "inactive"}' in found
    page = shared.box.get("/settings/audit", cookie=shared.owner, accept="text/html").body.decode()
    assert "changed flag “audited”" in page
    assert "created target group “Audited”" in page


def test_folders_are_counted_renamed_with_those_below_them_and_taken_away(world: World) -> None:
    for key, folder in (("a", "shop"), ("b", "shop/pay"), ("c", " shop //cart "), ("d", "shopping"), ("e", None)):
        make(world, key, folder=folder)
    of_shop = {"websiteId": world.shop}

    def folders() -> dict[str, int]:
        return {one["folder"]: one["flags"] for one in world.good("flags/listFolders", **of_shop)}

    assert folders() == {"shop": 1, "shop/cart": 1, "shop/pay": 1, "shopping": 1}
    assert [one["key"] for one in world.good("flags/list", **of_shop, folder="shop")] == ["a"]
    assert [one["key"] for one in world.good("flags/list", **of_shop, folder="")] == ["e"]
    assert world.good("flags/renameFolder", **of_shop, folder="shop", to="store/main")["moved"] == 3
    assert folders() == {"shopping": 1, "store": 0, "store/main": 1, "store/main/cart": 1, "store/main/pay": 1}
    assert world.good("flags/deleteFolder", **of_shop, folder="store/main")["moved"] == 3
    assert folders() == {"shopping": 1, "store": 1, "store/cart": 1, "store/pay": 1}
    assert world.refused("flags/renameFolder", **of_shop, folder="nothing", to="x")[0] == 404
    assert world.refused("flags/renameFolder", **of_shop, folder="store", to="/")[0] == 400
    assert world.refused("flags/renameFolder", **of_shop, folder="store", to="x" * 98)[0] == 400
    world.known()


@each(
    ("key", "status"),
    [("reading", 403), ("tracking", 403), ("revoked", 401), ("foreign", 404), ("elsewhere", 403)],
)
def test_a_key_without_the_scope_or_of_others_gets_nothing(shared: World, key: KeyName, status: int) -> None:
    flag = shared.put(f"of-{key}")
    for procedure, given in (
        ("flags/list", {"websiteId": shared.shop}),
        ("flags/getById", {"id": flag.id}),
        ("flags/create", {"websiteId": shared.shop, "key": "theirs"}),
        ("flags/update", {"id": flag.id, "name": "Theirs"}),
        ("flags/delete", {"id": flag.id}),
        ("targetGroups/list", {"websiteId": shared.shop}),
        ("flags/renameFolder", {"websiteId": shared.shop, "folder": "a", "to": "b"}),
    ):
        assert shared.call(procedure, by=key, **given).status == status, procedure
    assert shared.flags.find(flag.id) == flag


def test_a_key_of_one_website_has_its_flags_only(shared: World) -> None:
    given = {"name": "Flags", "scopes": [], "resources": {f"website:{shared.shop}": ["manage:flags"]}}
    made = shared.good("apikeys/create", cookie=shared.owner, **given)

    def status(procedure: str, **given: Any) -> int:
        return shared.box.post(f"/{procedure}", given, x_api_key=made["secret"]).status

    own, blog = shared.put("of-shop"), shared.put("of-blog", website=shared.box.sites["blog"])
    of_all = shared.put("of-all", website=None)
    assert [status("flags/getById", id=flag.id) for flag in (own, blog, of_all)] == [200, 404, 404]
    assert status("flags/update", id=own.id, name="Mine") == 200
    assert status("flags/list", websiteId=shared.shop) == 200
    assert status("flags/list") == status("flags/create", key="all") == 403
    assert status("flags/create", key="there", websiteId=shared.box.sites["blog"]) == 404


def test_viewers_look_and_members_write(shared: World) -> None:
    flag = shared.put("roles")
    viewer, member = cookie_of(shared.box, "viewer"), cookie_of(shared.box, "member")
    assert shared.call("flags/getById", cookie=viewer, id=flag.id).status == 200
    assert shared.refused("flags/update", cookie=viewer, id=flag.id, name="Theirs")[0] == 403
    assert shared.call("flags/update", cookie=member, id=flag.id, name="Theirs").status == 200
    stranger = cookie_of(shared.box, "owner", organization_id=shared.box.foreign_organization_id)
    assert shared.refused("flags/getById", cookie=stranger, id=flag.id)[0] == 404


def test_a_deleted_flag_can_be_brought_back_inactive_while_its_grace_lasts(world: World) -> None:
    of_shop = {"websiteId": world.shop}
    first, second = make(world, "first", rules=[RULE]), make(world, "second")
    for flag in (first, second):
        world.good("flags/delete", id=flag["id"])
    assert {one["key"] for one in world.good("flags/listDeleted", **of_shop)} == {"first", "second"}
    assert world.refused("flags/undelete", id=first["id"])[0] == 404  # not of the organization
    back = world.good("flags/undelete", id=first["id"], **of_shop)
    assert (back["status"], back["rules"], back["version"], back["deletedAt"]) == ("inactive", [RULE], 3, None)
    assert world.known().flags[0].id == first["id"]
    assert world.refused("flags/undelete", id=first["id"], **of_shop)[0] == 404
    make(world, "second")
    assert world.refused("flags/undelete", id=second["id"], **of_shop)[0] == 409
    world.box.clock.advance(seconds=30 * DAY / 1000)
    assert world.good("flags/listDeleted", **of_shop) == []
    job = next(job for job in JOBS if job.name == "purge flags")
    world.box.run(run_job(job, world.box.box))
    assert len(world.rows("select id from flags")) == 2
    assert world.refused("flags/undelete", id=second["id"], **of_shop)[0] == 404


def test_all_flags_together_have_a_largest_size(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(change, "LARGEST_SCOPE", 2_000)
    payload = {"payload": {"text": "x" * 900}}
    made = [make(world, key, **payload) for key in ("a", "b")]
    before = world.known()
    status, message = world.refused("flags/create", websiteId=world.shop, key="c", **payload)
    assert (status, message) == (
        409,
        "All flags together can have up to 2,000 bytes. Reduce or delete one first",
    )
    assert world.known() == before
    world.good("flags/delete", id=made[0]["id"])
    make(world, "c", **payload)


def test_every_field_of_a_rule_comes_back_as_it_was_given(shared: World) -> None:
    rule = RULE | {
        "type": "conditions",
        "field": "plan",
        "values": ["a", 2, True],
        "batchValues": ["b"],
        "name": "Some",
        "conditions": {"any": [{"attribute": "plan", "value": "pro"}, {"all": [{"attribute": "seats", "value": 3}]}]},
        "variant": "a",
        "percentage": 50,
        "percentageFrom": 10,
        "bucketing": {"algorithm": "unleash", "salt": "old"},
    }
    assert rule.keys() == set(TargetingRule.__struct_fields__)
    assert msgspec.json.decode(msgspec.json.encode(rule_answer(msgspec.convert(rule, TargetingRule)))) == rule
