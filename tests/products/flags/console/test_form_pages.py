"""The form of a flag in a browser without scripts: creating and editing flags."""

import re
from html import unescape
from types import SimpleNamespace
from typing import get_args

import pytest
from msgspec import to_builtins
from msgspec.structs import replace

from analytics_box.products.flags.console.flag_pages import ALGORITHM_LABELS
from analytics_box.products.flags.flag import Algorithm, TargetingCondition, TargetingRule, Variant
from tests.cases import each
from tests.products.flags.console.world import Console, fields_of
from tests.products.flags.definitions import WHOLE, WRITTEN
from tests.products.flags.world import World
from tests.tenants.keys.world import cookie_of


@pytest.fixture(scope="module")
def console(shared: World) -> Console:
    return Console(shared)


def test_a_flag_is_made_with_a_rule_and_reads_as_what_it_decides(console: Console) -> None:
    added = console.sent("/flags/new", console.new("checkout", do="add-rule"))
    assert added.status == 200
    form = fields_of(added.body.decode()) | {
        "name": "New checkout",
        "type": "rollout",
        "rolloutPercentage": "12,5",
        "rules.0.if.0.attribute": "email",
        "rules.0.if.0.operator": "ends_with",
        "rules.0.if.0.values": "@one.example\r\n@two.example",
        "do": "save",
    }
    path = console.gone_to("/flags/new", form)
    made = console.flag(path)
    assert (made.key, made.scope, made.definition.rolloutPercentage) == ("checkout", console.world.shop, 12.5)
    assert made.definition.rules == (
        TargetingRule("email", "ends_with", batch=True, batchValues=("@one.example", "@two.example")),
    )
    page = unescape(console.seen(path))
    assert "Email ends with any of" in page
    assert "12.5\N{NO-BREAK SPACE}% of users" in page
    assert "Flag created" in page
    assert "New checkout" in console.seen("/flags")


def test_the_off_value_is_chosen_typed_and_kept(console: Console) -> None:
    path = console.gone_to("/flags/new", console.new("resting", status="inactive", off="on"))
    flag = console.flag(path)
    assert flag.definition.offValue is True
    assert "All users get its off value: " in unescape(console.seen(path))
    edit = f"/flags/{flag.id}/edit"
    form = fields_of(console.seen(edit))
    assert form["off"] == "on"
    variants = {"variants.0.key": "a", "variants.0.type": "number", "variants.0.value": "5"}
    for typed, stored in (("5", 5), ('"5"', "5"), ('{"x": [1]}', {"x": [1]}), ("plain text", "plain text"), ("", None)):
        form = fields_of(console.seen(edit)) | variants | {"type": "multivariant", "offValue": typed, "do": "save"}
        console.gone_to(edit, form)
        assert console.flag(path).definition.offValue == stored
        assert isinstance(stored, dict) or fields_of(console.seen(edit))["offValue"] == typed
    form = fields_of(console.seen(edit)) | {"variants.0.type": "string", "offValue": "5", "do": "save"}
    console.gone_to(edit, form)
    assert console.flag(path).definition.offValue == "5"


def test_a_new_flag_draws_independently_and_the_page_of_another_says_that_it_does_not(console: Console) -> None:
    path = console.gone_to("/flags/new", console.new("fresh", type="rollout", rolloutPercentage="50"))
    assert console.flag(path).definition.bucketing.algorithm == "flagd"
    assert (
        "This flag uses the original hash, which selects related groups of users for "
        "different flags. Experiments that run at the same time can influence each "
        "other. To switch to the independent hash, edit the flag and select it under "
        "Advanced, Bucketing. This reassigns all users."
    ) not in unescape(console.seen(path))
    old = console.world.put("older", {"type": "rollout", "rolloutPercentage": 50})
    page = unescape(console.seen(f"/flags/{old.id}"))
    assert (
        "This flag uses the original hash, which selects related groups of users for "
        "different flags. Experiments that run at the same time can influence each "
        "other. To switch to the independent hash, edit the flag and select it under "
        "Advanced, Bucketing. This reassigns all users."
    ) in page
    assert "Original (not independent of other flags)" in page
    console.gone_to(f"/flags/{old.id}/edit", fields_of(console.seen(f"/flags/{old.id}/edit")) | {"do": "save"})
    assert console.flag(f"/flags/{old.id}").definition.bucketing.algorithm == "default"


@each("algorithm", get_args(Algorithm))
def test_the_form_keeps_every_algorithm(console: Console, algorithm: str) -> None:
    given = {"type": "rollout", "rolloutPercentage": 50, "bucketing": {"algorithm": algorithm}}
    flag = console.world.put(f"drawn-{algorithm}", given)
    assert fields_of(console.seen(f"/flags/{flag.id}/edit"))["algorithm"] == algorithm
    assert ALGORITHM_LABELS[flag.definition.bucketing.algorithm] in unescape(console.seen(f"/flags/{flag.id}"))


def test_a_form_that_is_saved_untouched_changes_nothing(console: Console) -> None:
    groups = [console.world.put_group(name, []) for name in ("one", "two")]
    for key in ("login", "a", "b", "c"):
        console.world.put(key)
    rules = (
        *WRITTEN[:8],
        TargetingRule("conditions", conditions=TargetingCondition(group=groups[0].id)),
        WRITTEN[9],
        WHOLE.rules[-4],
    )
    whole = replace(
        WHOLE,
        rules=rules,
        variants=(*WHOLE.variants[:2], Variant("seven", 7, "number", weight=0)),
        targetGroupIds=tuple(one.id for one in groups),
        bucketing=replace(WHOLE.bucketing, algorithm="default"),
    )
    flag = console.world.put("whole", to_builtins(whole), environment="staging", user_id="anna")
    path = f"/flags/{flag.id}"
    form = fields_of(console.seen(f"{path}/edit"))
    assert console.gone_to(f"{path}/edit", form | {"do": "save"}) == f"{path}?done=saved"
    assert console.flag(path) == flag
    console.gone_to(f"{path}/edit", form | {"name": "Other", "do": "save", "note": "a better name"})
    changed = console.flag(path)
    assert changed.definition == replace(whole, name="Other")
    assert (changed.environment, changed.user_id, changed.version) == ("staging", "anna", 2)
    noted = console.world.rows("select note from flag_versions where flag_id = ? and version = 2", flag.id)
    assert noted == [("a better name",)]


@each(
    ("typed", "field"),
    [
        ({"key": "no spaces"}, "key"),
        ({"key": ""}, "key"),
        ({"rolloutPercentage": "a lot", "type": "rollout"}, "rolloutPercentage"),
        ({"payload": "{no json"}, "payload"),
        (
            {"rules.0.if.kind": "all", "rules.0.if.0.kind": "one", "rules.0.if.0.attribute": "email"},
            "rules.0.if.0.values",
        ),
        ({"needs.0.key": "nowhere", "needs.0.must": "active"}, "needs"),
        ({"environment": "\u202e"}, "environment"),
        ({"folder": "<b>\u200b"}, "folder"),
    ],
)
def test_invalid_input_is_reported_at_its_field_and_the_rest_kept(
    console: Console, typed: dict[str, str], field: str
) -> None:
    answer = console.sent("/flags/new", console.new("wrong", description="Kept <i>") | typed)
    page = answer.body.decode()
    assert answer.status == 400, page
    assert f'id="{field}-error"' in page
    assert f'href="#{field}"' in page
    assert fields_of(page)["description"] == "Kept <i>"


def test_key_of_a_new_flag_is_derived_from_its_name_unless_it_is_typed(console: Console) -> None:
    assert console.flag(console.gone_to("/flags/new", console.new("", name="Größere Suche!"))).key == "groessere-suche"
    assert console.flag(console.gone_to("/flags/new", console.new("own_key", name="Other name"))).key == "own_key"
    nameless = console.sent("/flags/new", console.new("", name="?"))
    assert nameless.status == 400
    assert 'id="key-error"' in nameless.body.decode()


def test_new_flag_is_one_card_and_an_edited_one_names_its_advanced_settings(console: Console) -> None:
    new = console.seen("/flags/new").split('id="flag-form"')[1].split('<section class="panel form link-trial"')[0]
    assert new.count("panel form") == 1
    assert re.search(r'<details class="link-more flag-advanced"><summary><span>Advanced <small></small>', new)
    flag = console.world.put("advanced", {"folder": "Shop", "payload": 1, "status": "inactive"}, environment="staging")
    page = console.seen(f"/flags/{flag.id}/edit")
    settings = "Status: Inactive · Folder: Shop · Environment: staging · Payload · Bucketing"
    assert f"<small>{settings}</small>" in page
    wrong = console.sent(f"/flags/{flag.id}/edit", fields_of(page) | {"payload": "{", "do": "save"}).body.decode()
    assert '<details class="link-more flag-advanced" open>' in wrong
    added = console.sent(f"/flags/{flag.id}/edit", fields_of(page) | {"do": "add-need"}).body.decode()
    assert '<details class="link-more flag-advanced" open>' in added


def test_a_key_that_is_taken_is_said_there(console: Console) -> None:
    console.world.put("taken")
    answer = console.sent("/flags/new", console.new("taken"))
    assert answer.status == 409
    assert 'id="key-error"' in answer.body.decode()


def test_second_of_two_editors_is_warned_and_can_overwrite(console: Console) -> None:
    path = f"/flags/{console.world.put('second').id}"
    form = fields_of(console.seen(f"{path}/edit")) | {"do": "save"}
    console.gone_to(f"{path}/edit", form | {"name": "First"})
    answer = console.sent(f"{path}/edit", form | {"name": "Second"})
    page = answer.body.decode()
    assert answer.status == 409
    assert "Someone else changed this while you were editing." in page
    console.gone_to(f"{path}/edit", fields_of(page) | {"do": "save"})
    assert console.flag(path).definition.name == "Second"


def test_buttons_keep_what_is_typed_and_say_what_it_would_be(console: Console) -> None:
    form = console.new("buttons", name='Typed "so"', type="multivariant")
    for button in ("add-variant", "add-variant", "add-rule", "add-conditions.0", "add-need"):
        form = fields_of(console.sent("/flags/new", form | {"do": button}).body.decode())
    assert form["name"] == 'Typed "so"'
    assert {"variants.1.key", "rules.0.if.1.1.values", "needs.0.key"} <= form.keys()
    weights = {"variants.0.weight": "60", "variants.1.weight": "30,5", "do": "read"}
    page = unescape(console.sent("/flags/new", form | weights).body.decode())
    said = "The weights add up to 90.5\N{NO-BREAK SPACE}%: 9.5\N{NO-BREAK SPACE}% missing."
    assert said in page
    assert "variant:treatment" in page
    part = console.sent("/flags/new", form | weights, hx_request="true").body.decode()
    assert said in part
    assert 'id="said-0" data-hx-swap-oob="true"' in part
    assert "<form" not in part
    assert not any(flag.key == "buttons" for flag in console.world.known().flags)


def test_new_flag_that_requires_an_inactive_one_is_inactive(console: Console) -> None:
    console.world.put("asleep", {"status": "inactive"})
    form = console.new("needing") | {"needs.0.key": "asleep", "needs.0.must": "active", "needs.0.variants": ""}
    path = console.gone_to("/flags/new", form)
    assert console.flag(path).definition.status == "inactive"
    assert "because a required flag is not active" in console.seen(path)


def test_viewers_see_and_change_nothing_and_others_see_nothing(console: Console) -> None:
    flag = console.world.put("secret", {"rules": [{"type": "user_id", "value": "<script>"}]})
    viewer = cookie_of(console.box, "viewer")
    page = console.seen(f"/flags/{flag.id}", viewer)
    assert "&lt;script&gt;" in page
    assert "/edit" not in page
    assert "/flags/new" not in console.seen("/flags", viewer)
    for path in ("/flags/new", f"/flags/{flag.id}/edit", f"/flags/{flag.id}/delete", "/flags/groups/new"):
        assert console.answer(path, viewer).status == 403
    assert console.sent(f"/flags/{flag.id}/status", {"status": "archived"}, viewer).status == 403
    stranger = cookie_of(console.box, "owner", organization_id=console.box.foreign_organization_id)
    for path in (f"/flags/{flag.id}", f"/flags/{flag.id}/edit"):
        assert console.answer(path, stranger).status == 404
    assert "secret" not in console.seen("/flags", stranger)
    assert console.flag(f"/flags/{flag.id}") == flag


def test_a_form_is_as_large_as_a_flag_can_be(console: Console) -> None:
    values = "\r\n".join(f"user-{number}-{'x' * 200}" for number in range(900))
    form = console.new("large") | {"rules.0.if.kind": "all", "rules.0.if.0.kind": "one"}
    form |= {"rules.0.if.0.attribute": "user_id", "rules.0.if.0.operator": "in", "rules.0.if.0.values": values}
    path = console.gone_to("/flags/new", form | {"rules.0.gives": "on"})
    assert len(console.flag(path).definition.rules[0].values) == 900


def test_a_full_disk_takes_no_more_of_a_flag_but_switches_it_off(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    flag = console.world.put("full", {"folder": "whole"})
    group = console.world.put_group("full", [])
    path, of_group = f"/flags/{flag.id}", f"/flags/groups/{group.id}"
    form, group_form = (
        fields_of(console.seen(where)) | {"name": "Other", "do": "save"} for where in (f"{path}/edit", of_group)
    )
    moved = {"of": console.world.shop, "folder": "whole", "to": "else"}
    monkeypatch.setattr(console.box.box.box_db, "_reserve", SimpleNamespace(refusal="The disk is full"))
    for where, fields in (
        (f"{path}/edit", form),
        (of_group, group_form),
        (f"{path}/status", {"status": "active"}),
        ("/flags/folders/rename", moved),
    ):
        assert console.sent(where, fields).status == 503, where
    assert console.gone_to(f"{path}/status", {"status": "inactive"}).startswith(path)
    assert console.world.call("flags/activate", id=flag.id).status == 503
    kept = console.flag(path).definition
    assert (kept.status, kept.name, kept.folder) == ("inactive", "", "whole")
