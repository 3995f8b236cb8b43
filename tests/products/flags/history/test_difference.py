"""What two states of a flag differ in."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from analytics_box.products.flags.flag import Bucketing, FlagDefinition, Prerequisite, TargetingRule, Variant
from analytics_box.products.flags.history.difference import difference
from tests.cases import each

ADA, BOB, EVE = (TargetingRule(type="user_id", value=name) for name in ("ada", "bob", "eve"))
A, B = Variant(key="a", value="A", weight=50), Variant(key="b", value="B", weight=50)
HEAVY = replace(A, weight=100)


@each(
    ("before", "after", "changes"),
    [
        ({}, {}, []),
        ({"rolloutPercentage": 10}, {"rolloutPercentage": 10.0}, []),
        ({"name": "Old"}, {"name": "New", "status": "inactive"}, [("name", "", "changed"), ("status", "", "changed")]),
        ({"payload": 1}, {"payload": True}, [("payload", "", "changed")]),
        ({"payload": {"a": 1}}, {"payload": {"a": True}}, [("payload", "", "changed")]),
        ({}, {"bucketing": Bucketing(salt="s")}, [("bucketing", "", "changed")]),
        ({"rules": (ADA,)}, {"rules": (ADA, BOB)}, [("rules", "2", "added")]),
        ({"rules": (ADA, BOB)}, {"rules": (BOB,)}, [("rules", "1", "removed")]),
        ({"rules": (ADA, BOB, EVE)}, {"rules": (BOB, EVE, ADA)}, [("rules", "3", "moved")]),
        ({"rules": (ADA, BOB)}, {"rules": (ADA, EVE)}, [("rules", "2", "changed")]),
        ({"rules": (ADA, ADA)}, {"rules": (ADA,)}, [("rules", "2", "removed")]),
        ({"variants": (A,)}, {"variants": (HEAVY, B)}, [("variants", "a", "changed"), ("variants", "b", "added")]),
        ({"variants": (A, B)}, {"variants": (B, A)}, [("variants", "", "moved")]),
        ({"dependencies": ("x", "y")}, {"dependencies": ("y", "x")}, []),
        (
            {"dependencies": ("x",)},
            {"dependencies": ("y",)},
            [("dependencies", "x", "removed"), ("dependencies", "y", "added")],
        ),
        (
            {"prerequisites": (Prerequisite("x"),)},
            {"prerequisites": (Prerequisite("x", ("a",)),)},
            [("prerequisites", "x", "changed")],
        ),
        ({"targetGroupIds": ("g", "h")}, {"targetGroupIds": ("h", "g")}, [("targetGroupIds", "", "moved")]),
    ],
)
def test_each_thing_that_differs_is_named(
    before: dict[str, Any], after: dict[str, Any], changes: list[tuple[str, str, str]]
) -> None:
    found = difference(FlagDefinition(**before), FlagDefinition(**after))
    assert [(change.field, change.item, change.kind) for change in found] == changes


def test_difference_shows_previous_and_new_values() -> None:
    (change,) = difference(FlagDefinition(rules=(ADA,)), FlagDefinition(rules=(BOB,)))
    assert (change.before, change.after) == (ADA, BOB)
    (moved,) = difference(FlagDefinition(rules=(ADA, BOB, EVE)), FlagDefinition(rules=(EVE, ADA, BOB)))
    assert (moved.before, moved.after) == (3, 1)
    (order,) = difference(FlagDefinition(variants=(A, B)), FlagDefinition(variants=(B, A)))
    assert (order.before, order.after) == (["a", "b"], ["b", "a"])


RULES = st.lists(st.sampled_from((ADA, BOB, EVE)), max_size=6).map(tuple)


@settings(max_examples=200)
@given(before=RULES, after=RULES)
def test_rules_differ_exactly_when_a_change_is_named(
    before: tuple[TargetingRule, ...], after: tuple[TargetingRule, ...]
) -> None:
    found = difference(FlagDefinition(rules=before), FlagDefinition(rules=after))
    assert bool(found) == (before != after)
    counted = {kind: sum(change.kind == kind for change in found) for kind in ("added", "removed")}
    assert len(after) - len(before) == counted["added"] - counted["removed"]
