"""What cannot be evaluated as somebody means it is refused when it is written, with the field that is wrong."""

from typing import Any

import msgspec

from analytics_box.products.flags.evaluation.checking import MOST_STEPS, faults, group_faults, steps_together
from analytics_box.products.flags.flag import FlagDefinition
from tests.cases import each
from tests.products.flags.evaluation.made import flag, group

ON = {"key": "on", "value": "1"}
DEEP: dict[str, Any] = {"attribute": "a", "value": "b"}
for _ in range(8):
    DEEP = {"all": [DEEP]}


def found(definition: dict[str, Any]) -> dict[str, str]:
    """Faults of the flag "mine" by field, beside flags "other" (needs mine) and "split" (variants on and off)."""
    others = [
        flag("other", dependencies=["mine"]),
        flag("split", type="multivariant", variants=[ON, {"key": "off", "value": "0"}]),
    ]
    given = msgspec.convert(definition, FlagDefinition)
    return {one.field: one.message for one in faults("mine", given, others, [group("friends")])}


def conditions(node: dict[str, Any]) -> dict[str, Any]:
    return {"rules": [{"type": "conditions", "conditions": node}]}


def prop(**fields: Any) -> dict[str, Any]:
    return {"rules": [{"type": "property", "field": "plan", **fields}]}


@each(
    ("definition", "field", "words"),
    [
        ({"name": "n" * 101}, "name", "100 characters"),
        ({"description": "n" * 501}, "description", "500 characters"),
        ({"rolloutPercentage": 100.5}, "rolloutPercentage", "from 0 to 100"),
        ({"rolloutPercentage": -1}, "rolloutPercentage", "from 0 to 100"),
        ({"payload": [1]}, "payload", "JSON object"),
        ({"payload": {"a": "x" * 33_000}}, "payload", "32,768 bytes"),
        ({"type": "multivariant"}, "variants", "at least one"),
        ({"variants": [ON] * 33}, "variants", "32 variants"),
        ({"variants": [ON, ON]}, "variants[1].key", "Several variants have the key on"),
        ({"variants": [{"key": "true", "value": "1"}]}, "variants[0].key", "Enter another variant key"),
        ({"variants": [{"key": "", "value": "1"}]}, "variants[0].key", "1 to 128"),
        ({"variants": [{"key": "a", "value": 1}]}, "variants[0].value", "not text"),
        ({"variants": [{"key": "a", "value": "1", "type": "number"}]}, "variants[0].value", "not a number"),
        ({"variants": [{"key": "a", "value": "x" * 40_000}]}, "variants[0].value", "32,768 bytes"),
        ({"variants": [ON | {"weight": 50}, {"key": "b", "value": "", "weight": 49}]}, "variants", "add up to 99,"),
        ({"variants": [ON | {"weight": 101}]}, "variants[0].weight", "from 0 to 100"),
        ({"dependencies": ["mine"]}, "dependencies", "mine → mine"),
        ({"dependencies": ["split", "other"]}, "dependencies", "mine → other → mine"),
        ({"prerequisites": [{"key": "other"}]}, "prerequisites", "mine → other → mine"),
        ({"prerequisites": [{"key": "split", "gives": []}]}, "prerequisites[0].gives", "must return"),
        ({"prerequisites": [{"key": "split", "gives": ["blue"]}]}, "prerequisites[0].gives", "no variant blue"),
        ({"dependencies": [f"flag-{n}" for n in range(21)]}, "dependencies", "20"),
        ({"targetGroupIds": ["enemies"]}, "targetGroupIds", "target group does not exist"),
        ({"targetGroupIds": ["friends"] * 21}, "targetGroupIds", "20 target groups"),
        ({"bucketing": {"salt": "x" * 256}}, "bucketing.salt", "255"),
        ({"offValue": "red"}, "offValue", "must be true or false"),
        (
            {"type": "multivariant", "variants": [ON], "offValue": "x" * 32_768},
            "offValue",
            "can have up to 32,768 bytes",
        ),
        ({"rules": [{"type": "user_id", "value": "a"}] * 101}, "rules", "100 rules"),
        ({"rules": [{"type": "property", "value": "a"}]}, "rules[0].field", "Enter a property"),
        ({"rules": [{"type": "property", "value": 101}]}, "rules[0].value", "from 0 to 100"),
        ({"rules": [{"type": "user_id"}]}, "rules[0].value", "a value to compare with"),
        ({"rules": [{"type": "user_id", "operator": "in", "values": ["a", 5]}]}, "rules[0].values", "are text"),
        ({"rules": [{"type": "conditions"}]}, "rules[0].conditions", "Add a condition"),
        (prop(conditions=DEEP), "rules[0].conditions", "Only rules of type"),
        (prop(value="v" * 1_001), "rules[0].value", "1,000 characters"),
        (prop(operator="in", values=["v"] * 1_001), "rules[0].values", "1,000 values"),
        (prop(operator="in", batch=True, batchValues=["v"] * 1_001), "rules[0].batchValues", "1,000 values"),
        (prop(operator="contains", value=""), "rules[0].value", "text to look for"),
        (prop(operator="matches", value="(a"), "rules[0].value", "valid regular expression"),
        (prop(operator="matches", value="(?=a)"), "rules[0].value", "valid regular expression"),
        (
            prop(operator="not_matches", value="((a{1,1000}){1,1000}){1,1000}"),
            "rules[0].value",
            "valid regular expression",
        ),
        (prop(operator="greater", value="ten"), "rules[0].value", "ten is not a number"),
        (prop(operator="before", value="tomorrow"), "rules[0].value", "tomorrow is not a date"),
        (prop(operator="version_less", value="one.two"), "rules[0].value", "as 1.2.3"),
        (prop(operator="ip_not_in", values=["10.0.0.0/8", "10.0.0.256"]), "rules[0].values", "10.0.0.256 is not an IP"),
        (prop(value="a", variant="on"), "rules[0].variant", "no variant on"),
        (
            {"type": "multivariant", "variants": [ON], **prop(value="a", variant="on", enabled=False)},
            "rules[0].variant",
            "cannot have a variant",
        ),
        (prop(value="a", percentage=101), "rules[0].percentage", "from 0 to 100"),
        (prop(value="a", percentageFrom=10), "rules[0].percentageFrom", "percentage as well"),
        (prop(value="a", percentage=5, percentageFrom=10), "rules[0].percentageFrom", "from 0 to percentage"),
        (conditions({}), "rules[0].conditions", "exactly one"),
        (conditions({"attribute": "a", "value": "b", "group": "friends"}), "rules[0].conditions", "exactly one"),
        (conditions({"none": [{"all": [{"attribute": "a"}]}]}), "rules[0].conditions.none[0].all[0].value", "compare"),
        (
            conditions({"any": [{"group": "enemies"}]}),
            "rules[0].conditions.any[0].group",
            "target group does not exist",
        ),
        (conditions(DEEP), "rules[0].conditions" + ".all[0]" * 8, "8 levels deep"),
        (conditions({"all": [{"attribute": "a", "value": "b"}] * 200}), "rules", "200 conditions"),
    ],
)
def test_a_fault_names_its_field_and_says_what_to_do(definition: dict[str, Any], field: str, words: str) -> None:
    assert words in found(definition).get(field, ""), found(definition)


@each(
    "definition",
    [
        {},
        {"variants": [{"key": str(n), "value": "", "weight": 33.33} for n in range(3)]},
        {"type": "multivariant", "variants": [ON], **prop(value="a", variant="on", percentage=12.5)},
        {"dependencies": ["split", "not-there"]},
        {"prerequisites": [{"key": "split", "gives": ["on", "false"]}]},
        {"targetGroupIds": ["friends"], **conditions({"none": [{"group": "friends"}]})},
        prop(operator="not_exists"),
        prop(operator="in", values=[1, True, "x", 2.5]),
        {"rules": [{"type": "property", "value": 12.5}]},
        conditions({"attribute": "ip", "operator": "ip_in", "values": ["10.0.0.1", "2001:db8::/32"]}),
        {"rules": [{"type": "user_id", "operator": "in", "values": [f"user-{n}" for n in range(1_000)]}] * 10},
        conditions(DEEP["all"][0]),
        conditions({"all": []}),
    ],
)
def test_valid_definitions_are_accepted(definition: dict[str, Any]) -> None:
    assert found(definition) == {}


def test_oversized_flag_is_refused() -> None:
    many = {"rules": [{"type": "user_id", "operator": "in", "values": ["x" * 100] * 1_000}] * 3}
    assert "262,144 bytes" in found(many)["rules"]


def test_flags_need_each_other_over_ten_steps_at_most() -> None:
    chain = [flag(f"f{n}", prerequisites=[{"key": f"f{n + 1}"}]) for n in range(10)] + [flag("f10")]
    needing = msgspec.convert({"prerequisites": [{"key": "f0"}]}, FlagDefinition)
    assert faults("mine", msgspec.convert({"prerequisites": [{"key": "f1"}]}, FlagDefinition), chain, []) == []
    assert "up to 10 steps" in faults("mine", needing, chain, [])[0].message


def test_comparisons_of_all_flags_together_are_limited() -> None:
    words = [
        {"type": "email", "operator": "contains", "batch": True, "batchValues": [f"word {n}" for n in range(1_000)]}
    ]
    others = [flag(str(number), rules=words) for number in range(MOST_STEPS // 3_000)]
    more = msgspec.convert({"rules": words}, FlagDefinition)
    assert faults("mine", more, others[:-1], []) == []
    assert "10,000 comparisons" in faults("mine", more, others, [])[0].message
    assert faults("mine", FlagDefinition(), others, []) == []  # a flag without rules adds nothing


def test_patterns_count_by_what_a_search_for_them_can_take() -> None:
    def matching(*patterns: str) -> FlagDefinition:
        rule = {"type": "conditions", "conditions": {"attribute": "p", "operator": "matches", "values": patterns}}
        return msgspec.convert({"rules": [rule]}, FlagDefinition)

    assert faults("mine", matching(*[rf"^user-\d+@site-{n}\.example$" for n in range(100)]), [], []) == []
    slow = matching(*[f"(?:a|b|ab|ba){{1,200}}{n}" for n in range(5)])
    assert "10,000 comparisons" in faults("mine", slow, [], [])[0].message


def test_a_target_group_counts_once_and_where_it_draws_for_each_flag() -> None:
    words = {"type": "email", "operator": "contains", "batch": True, "batchValues": ["word"] * 1_000}
    naming = {"type": "conditions", "conditions": {"any": [{"group": "g"}] * 150}}
    flags = [flag(str(number), rules=[naming], targetGroupIds=["g"]).definition for number in range(10)]
    assert steps_together(flags, [group("g", words)]) == 10 * 152 + 3_000
    assert steps_together(flags, [group("g", words | {"percentage": 5})]) == 10 * (152 + 3_010)


@each(
    ("rules", "words"),
    [
        ([{"type": "email"}], "a value to compare with"),
        ([{"type": "email", "value": "a", "variant": "on"}], "no variant on"),
        ([{"type": "conditions", "conditions": {"any": [{"group": "mine"}]}}], "cannot use target groups"),
        ([{"type": "conditions", "conditions": {"group": "friends"}}], "cannot use target groups"),
        (
            [{"type": "email", "operator": "contains", "batch": True, "batchValues": ["a"] * 1_000}] * 2,
            "5,000 comparisons",
        ),
        ([{"type": "conditions", "conditions": {"all": [{"attribute": "a", "value": "b"}] * 200}}], "200 conditions"),
    ],
)
def test_a_target_group_has_the_same_rules_and_names_no_other(rules: list[dict[str, Any]], words: str) -> None:
    messages = [one.message for one in group_faults(group("mine", *rules))]
    assert any(words in message for message in messages), messages
