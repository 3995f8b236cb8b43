"""Environment documents of Flagsmith: users keep their values, and what cannot be kept makes a flag inactive."""

import json
from pathlib import Path
from typing import Any

import pytest

from analytics_box.base.errors import BadRequest
from analytics_box.products.flags.evaluation.compiling import compile_ruleset
from analytics_box.products.flags.evaluation.outcome import EvaluationContext
from analytics_box.products.flags.flag import Flag
from analytics_box.products.flags.moving import calls
from analytics_box.products.flags.moving.wanted import SourceFile
from tests.cases import each

DOCUMENT = json.loads(Path(__file__).with_name("flagsmith.json").read_text())


def read(document: dict[str, Any]) -> SourceFile:
    source, file = calls.read_file(json.dumps(document))
    assert source == "flagsmith"
    return file


def outcome(file: SourceFile, key: str, **properties: Any) -> tuple[bool, Any]:
    flags = [
        Flag(id=one.key, organization_id="o", website_id="w", key=one.key, definition=one.definition)
        for one in file.flags
        if one.definition is not None
    ]
    to = EvaluationContext(user_id="ada", email=properties.pop("email", ""), properties=properties)
    found = compile_ruleset(flags, []).one(key, to)
    assert found is not None
    return found.enabled, found.value


@each(
    ("key", "properties", "wanted"),
    [
        ("new-cart", {"plan": "pro", "age": 20}, (True, True)),
        ("new-cart", {"plan": "school"}, (True, True)),
        ("new-cart", {"plan": "pro", "age": 17}, (False, False)),
        ("new-cart", {"plan": "free", "age": 20}, (False, False)),
        ("always", {}, (True, True)),
        ("banner", {}, (True, "welcome")),
        ("banner", {"plan": "team"}, (True, "thanks")),
        ("banner", {"plan": "team", "email": "bo@inkwell.example"}, (True, "colleague")),
        ("limit", {}, (True, 12)),
    ],
)
def test_user_keeps_the_value_of_flagsmith(key: str, properties: dict[str, Any], wanted: tuple[bool, Any]) -> None:
    assert outcome(read(DOCUMENT), key, **properties) == wanted


def test_unsupported_parts_of_flagsmith_are_listed() -> None:
    assert {one.key: one.notes for one in read(DOCUMENT).flags if one.decides} == {
        "slow-start": ("Segment tenth: PERCENTAGE_SPLIT is not supported",),
        "colour": ("Flagsmith uses another hash, so users are assigned to variants again",),
        "for-ada": ("Overrides for single identities are not supported",),
    }


@each(
    ("condition", "value", "is_on"),
    [
        ({"operator": "EQUAL", "value": "7"}, 7, True),
        ({"operator": "EQUAL", "value": "7"}, "7", True),
        ({"operator": "EQUAL", "value": "true"}, True, True),
        ({"operator": "EQUAL", "value": "false"}, True, False),
        ({"operator": "NOT_EQUAL", "value": "7"}, 8, True),
        ({"operator": "NOT_EQUAL", "value": "7"}, None, False),
        ({"operator": "CONTAINS", "value": "ell"}, "well", True),
        ({"operator": "NOT_CONTAINS", "value": "ell"}, "well", False),
        ({"operator": "NOT_CONTAINS", "value": "ell"}, None, False),
        ({"operator": "GREATER_THAN_INCLUSIVE", "value": "7"}, 7, True),
        ({"operator": "IN", "value": '["7", "8"]'}, 8, True),
        ({"operator": "IS_SET", "value": None}, None, False),
        ({"operator": "IS_NOT_SET", "value": None}, None, True),
    ],
)
def test_condition_of_flagsmith_matches_the_same_values(condition: dict[str, Any], value: Any, is_on: bool) -> None:
    rules = [{"type": "ALL", "conditions": [{"property_": "p", **condition}]}]
    state = {"feature": {"name": "f"}, "enabled": False}
    segments = [{"name": "s", "rules": rules, "feature_states": [{**state, "enabled": True}]}]
    file = read({"feature_states": [state], "project": {"segments": segments}})
    assert file.flags[0].notes == ()
    assert outcome(file, "f", **({} if value is None else {"p": value}))[0] is is_on


def test_deep_rules_and_other_files_are_refused() -> None:
    rule: dict[str, Any] = {"type": "ALL", "conditions": []}
    for _ in range(30):
        rule = {"type": "ALL", "rules": [rule]}
    state = {"feature": {"name": "f"}, "enabled": False}
    segments = [{"name": "s", "rules": [rule], "feature_states": [state]}]
    file = read({"feature_states": [state], "project": {"segments": segments}})
    assert file.flags[0].notes == ("Segment s: a rule as deep as that is not supported",)
    with pytest.raises(BadRequest, match="list of objects"):
        calls.read_file('{"feature_states": 7}')
