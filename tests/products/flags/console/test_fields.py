"""The form of a flag: what is stored, what is typed, and what its buttons do."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec import convert
from msgspec.structs import replace

from analytics_box.base.errors import BadRequest
from analytics_box.products.flags.console.buttons import after_button
from analytics_box.products.flags.console.definition import definition_of
from analytics_box.products.flags.console.fields import (
    FlagConditionFields,
    FlagFormState,
    FlagRuleFields,
    NeedFields,
    read_state,
)
from analytics_box.products.flags.console.filled import new_state, state_of_definition
from analytics_box.products.flags.console.wrong_fields import form_field
from analytics_box.products.flags.flag import (
    DEEPEST,
    MOST_RULES,
    Bucketing,
    FlagDefinition,
    Prerequisite,
    TargetingCondition,
    TargetingRule,
    Variant,
)
from analytics_box.web.page.templates import field_errors
from tests.cases import each
from tests.examples import examples
from tests.products.flags.definitions import KEPT, WHOLE, WRITTEN, posted, untold


def lists(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2)


def built(state: FlagFormState, stored: FlagDefinition | None = None) -> FlagDefinition:
    return convert(definition_of(state, stored), FlagDefinition)


def wrong(state: FlagFormState) -> dict[str, str]:
    try:
        definition_of(state)
    except BadRequest as refused:
        return field_errors(refused)
    return {}


def with_tree(tree: FlagConditionFields) -> FlagFormState:
    return replace(new_state({}), rules=(FlagRuleFields(tree=tree),))


def one(**given: Any) -> FlagConditionFields:
    return FlagConditionFields("all", inner=(FlagConditionFields(**given),))


def test_unchanged_form_saves_the_stored_flag() -> None:
    state = read_state(posted(state_of_definition(WHOLE)))
    assert built(state, WHOLE) == WHOLE


ODD = [
    "",
    " ",
    " a ",
    "a, b",
    "a,b",
    '"a"',
    "a\nb",
    "a\r\nb",
    "\ra",
    "\n",
    "5",
    "true",
    "null",
    "{}",
    "\u2028",
    "\x00",
    "é",
    "\\n",
]
TEXTS = st.sampled_from(ODD) | st.text(max_size=5)
KEYS = st.sampled_from(["a", "a, b", ",", " a ", '"a"', "a  b", "5", "null", "[]", "é"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False) | TEXTS, lists
)
SCALARS = st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
SHARES = st.floats(0, 100) | st.sampled_from([100 / 3, 1e-9, 0.1 + 0.2])
ATTRIBUTES = st.sampled_from(["user_id", "email", "plan", " plan ", "a\nb", ","])
LEAVES = st.builds(TargetingCondition, attribute=ATTRIBUTES, value=SCALARS) | st.builds(
    TargetingCondition,
    attribute=ATTRIBUTES,
    operator=st.just("in"),
    values=st.lists(SCALARS, min_size=1, max_size=3).map(tuple),
)
RULES = st.builds(
    TargetingRule,
    type=st.just("conditions"),
    conditions=LEAVES | st.builds(TargetingCondition, all=st.lists(LEAVES, max_size=2).map(tuple)),
    name=TEXTS,
    percentage=st.none() | SHARES,
)
VARIANTS = st.builds(Variant, key=KEYS, value=JSON, type=st.just("json"), description=TEXTS, weight=st.none() | SHARES)
DEFINITIONS = st.builds(
    FlagDefinition,
    name=TEXTS,
    description=TEXTS,
    type=st.sampled_from(["boolean", "rollout", "multivariant"]),
    payload=st.none() | st.dictionaries(TEXTS, JSON, max_size=2),
    rolloutPercentage=SHARES,
    prerequisites=st.lists(
        st.builds(Prerequisite, st.just("a"), st.lists(KEYS, min_size=1, max_size=3).map(tuple)), max_size=2
    ).map(tuple),
    rules=st.lists(RULES, max_size=2).map(tuple),
    variants=st.lists(VARIANTS, min_size=1, max_size=3).map(tuple),
    folder=TEXTS,
    bucketing=st.builds(Bucketing, salt=TEXTS, variantSalt=TEXTS, attribute=TEXTS),
)


@examples(400)
@given(DEFINITIONS, JSON)
def test_every_stored_flag_survives_an_unchanged_form(stored: FlagDefinition, off: Any) -> None:
    stored = replace(stored, offValue=off if stored.type == "multivariant" else None)
    state = read_state(posted(state_of_definition(stored)))
    assert built(state, stored) == stored


def test_variants_with_commas_in_their_keys_can_be_typed_one_per_line() -> None:
    need = NeedFields("login", "variant", 'red, or blue\n"5"\ngreen\n')
    (found,) = built(replace(new_state({}), needs=(need,))).prerequisites
    assert found == Prerequisite("login", ("red, or blue", "5", "green"))


def test_rules_that_moved_are_still_themselves() -> None:
    state = read_state(posted(state_of_definition(WHOLE)))
    state = after_button(after_button(state, f"up.{len(WHOLE.rules) - 1}"), "remove-rule.0")
    expected = list(WHOLE.rules)
    expected[-2:] = reversed(expected[-2:])
    assert built(state, WHOLE).rules == tuple(expected[1:])


def test_form_input_is_stored_as_the_api_stores_it() -> None:
    only = replace(WHOLE, rules=WRITTEN, variants=WHOLE.variants[1:])
    assert built(untold(read_state(posted(state_of_definition(only))))) == only


def test_a_changed_rule_replaces_what_was_stored() -> None:
    state = read_state(posted(state_of_definition(replace(WHOLE, rules=KEPT))))
    changed = replace(state.rules[0], gives="off")
    rules = built(replace(state, rules=(changed, *state.rules[1:])), replace(WHOLE, rules=KEPT)).rules
    assert rules == (replace(KEPT[0], enabled=False), *KEPT[1:])


DRAWN = tuple(
    TargetingRule(
        "property", "exists", field="id", enabled=on, percentage=up_to, percentageFrom=start, bucketing=bucketing
    )
    for on, start, up_to, bucketing in [
        (True, 20, 45, Bucketing("growthbook_v1", "exp-1", attribute="id")),
        (True, 60, 90, None),
    ]
)


def test_a_rule_of_an_import_that_gets_another_name_draws_the_same_people() -> None:
    stored = FlagDefinition(rules=DRAWN, bucketing=Bucketing("growthbook_v2", "checkout"))
    state = read_state(posted(state_of_definition(stored)))
    named = built(replace(state, rules=tuple(replace(one, name="Renamed") for one in state.rules)), stored)
    assert named.rules == tuple(replace(one, name="Renamed") for one in DRAWN)
    wider, all_of_them = (replace(state.rules[1], percentage=text) for text in ("95", ""))
    changed = built(replace(state, rules=(wider, all_of_them)), stored).rules
    assert changed == (replace(DRAWN[1], percentage=95), replace(DRAWN[1], percentage=None, percentageFrom=0))


@each(
    ("tree", "rule"),
    [
        (one(attribute="user_id", operator="in", values="a\n\n b "), TargetingRule("user_id", "in", values=("a", "b"))),
        (one(attribute="user_id", operator="equals", values="17"), TargetingRule("user_id", "equals", value="17")),
        (
            one(attribute="property", property=" age ", operator="less", values="17"),
            TargetingRule("property", "less", "age", 17),
        ),
        (
            one(attribute="property", property="age", operator="equals", values='"17"'),
            TargetingRule("property", field="age", value="17"),
        ),
        (
            one(attribute="email", operator="contains", values="a\nb"),
            TargetingRule("email", "contains", batch=True, batchValues=("a", "b")),
        ),
        (
            one(attribute="property", property="x", operator="exists", values="left"),
            TargetingRule("property", "exists", "x"),
        ),
        (one(attribute="percentage", values="12,5"), TargetingRule("property", value=12.5)),
        (
            FlagConditionFields("all", inner=(one(attribute="email", operator="equals", values="a"),)),
            TargetingRule(
                "conditions",
                conditions=TargetingCondition(
                    all=(TargetingCondition(all=(TargetingCondition(attribute="email", value="a"),)),)
                ),
            ),
        ),
    ],
)
def test_single_condition_becomes_a_plain_rule_if_possible(tree: FlagConditionFields, rule: TargetingRule) -> None:
    assert built(with_tree(tree)).rules == (rule,)


@each(
    ("state", "field"),
    [
        (with_tree(FlagConditionFields("all")), "rules.0.if"),
        (with_tree(one(values="")), "rules.0.if.0.values"),
        (with_tree(one(attribute="property", values="5")), "rules.0.if.0.property"),
        (with_tree(one(attribute="group")), "rules.0.if.0.group"),
        (with_tree(one(attribute="percentage", values="many")), "rules.0.if.0.values"),
        (
            with_tree(
                FlagConditionFields(
                    "any", inner=(FlagConditionFields(attribute="percentage", values="5"), *one(values="x").inner)
                )
            ),
            "rules.0.if.0.attribute",
        ),
        (new_state({"payload": "{"}), "payload"),
        (new_state({"rolloutPercentage": "1e"}), "rolloutPercentage"),
        (new_state({"payload": "\ud800"}), "payload"),
        (new_state({"payload": "[" * 100_000}), "payload"),
    ],
)
def test_unreadable_input_is_reported_at_its_field(state: FlagFormState, field: str) -> None:
    assert list(wrong(state)) == [field]


def test_a_variant_of_another_type_says_what_it_takes() -> None:
    state = after_button(new_state({"type": "multivariant"}), "add-variant")
    for kind in ("number", "json"):
        typed = replace(state.variants[0], type=kind, value="{no")
        assert list(wrong(replace(state, variants=(typed,)))) == ["variants.0.value"]


def test_buttons_add_and_remove_rows_and_conditions() -> None:
    state = new_state({})
    for button in ("add-rule", "add-condition.0", "add-conditions.0", "add-condition.0.2"):
        state = after_button(state, button)
    tree = state.rules[0].tree
    assert [inner.kind for inner in tree.inner] == ["one", "one", "any"]
    assert len(tree.inner[2].inner) == 3
    assert state.focus == "rules.0.if.2.2.attribute"
    state = after_button(after_button(state, "remove-condition.0.2.0"), "remove-condition.0.0")
    assert [len(inner.inner) for inner in state.rules[0].tree.inner] == [0, 2]
    assert state.focus == "add-condition.0"


def test_two_new_variants_have_the_usual_keys() -> None:
    state = after_button(after_button(new_state({}), "add-variant"), "add-variant")
    assert [each.key for each in state.variants] == ["control", "treatment"]


@each(
    "button",
    [
        *("", "save", "up.0", "down.0", "up.-1", "remove-condition.0", "remove-condition.0.7", "add-condition.0.0"),
        *("add-condition.5", "add-condition.0.0.0", "remove-rule.x", "remove-rule.99999", "remove-variant.3", "up"),
    ],
)
def test_a_button_that_there_is_not_changes_nothing(button: str) -> None:
    state = after_button(new_state({}), "add-rule")
    assert after_button(state, button).rules == state.rules


def test_a_form_has_no_more_than_a_flag_may_have() -> None:
    state = new_state({})
    for _ in range(MOST_RULES + 1):
        state = after_button(state, "add-rule")
    assert len(state.rules) == MOST_RULES
    deep = after_button(new_state({}), "add-rule")
    for depth in range(20):
        deep = after_button(deep, ".".join(("add-conditions", "0", *(["1"] if depth else []), *["2"] * (depth - 1))))
    tree, depth = deep.rules[0].tree, 1
    while tree.inner:
        tree, depth = tree.inner[-1], depth + 1
    assert depth == DEEPEST
    assert read_state(posted(deep)).rules == deep.rules


def test_forged_form_is_read_safely() -> None:
    deep = {f"rules.0.if{'.0' * depth}.kind": "all" for depth in range(400)}
    tree, depth = read_state(deep).rules[0].tree, 0
    while tree.inner:
        tree, depth = tree.inner[0], depth + 1
    assert depth < 10


@each(
    ("wire", "field"),
    [
        ("rules[0].value", "rules.0.if.0.values"),
        ("rules[0].batchValues[3]", "rules.0.if.0.values"),
        ("rules[0].field", "rules.0.if.0.property"),
        ("rules[0].percentage", "rules.0.percentage"),
        ("rules[0].percentageFrom", "rules.0.percentage"),
        ("rules[0].variant", "rules.0.gives"),
        ("rules[7].conditions.value", "rules.7.if.0.values"),
        ("rules[8].conditions.group", "rules.8.if.0.group"),
        ("rules[9].conditions.any[0].all[1].value", "rules.9.if.0.1.values"),
        ("rules[9].conditions.any[1].none[0].operator", "rules.9.if.1.0.operator"),
        ("rules[9].conditions.any[1].none", "rules.9.if.1"),
        ("rules[9].conditions", "rules.9.if"),
        ("rules[99].value", "rules"),
        ("rules", "rules"),
        ("variants[1].weight", "variants.1.weight"),
        ("variants", "variants"),
        ("dependencies[0]", "needs.0.key"),
        ("prerequisites[2].gives[0]", "needs.3.variants"),
        ("prerequisites", "needs"),
        ("targetGroupIds[1]", "groups.1.id"),
        ("rolloutPercentage", "rolloutPercentage"),
        ("bucketing.variantSalt", "variantSalt"),
        ("key", "key"),
        ("needs.1.key", "needs.1.key"),
        ("rules.9.if.1.0.values", "rules.9.if.1.0.values"),
    ],
)
def test_a_refusal_is_shown_at_the_field_that_it_is_about(wire: str, field: str) -> None:
    assert form_field(wire, state_of_definition(WHOLE)) == field
