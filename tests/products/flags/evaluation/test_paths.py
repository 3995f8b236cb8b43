"""Attributes inside objects and lists: `address.city` and `items.0`."""

from typing import Any

from analytics_box.products.flags.evaluation.compiling import compile_ruleset
from analytics_box.products.flags.evaluation.outcome import EvaluationContext
from analytics_box.products.flags.flag import Flag, FlagDefinition, TargetingCondition, TargetingRule
from tests.cases import each

USER = {
    "address": {"city": "Delft", "geo": {"lat": 52.0}},
    "items": [{"price": 5}, {"price": 7}],
    "plan.name": "literal",
    "plan": {"name": "nested"},
    "plain": "text",
}


def is_on(rule: TargetingRule, properties: dict[str, Any]) -> bool:
    flag = Flag(
        id="f",
        organization_id="o",
        website_id="w",
        key="f",
        definition=FlagDefinition(type="boolean", status="active", defaultValue=False, rules=(rule,)),
    )
    outcome = compile_ruleset([flag], []).one("f", EvaluationContext(user_id="ada", properties=properties))
    assert outcome is not None
    return outcome.enabled


@each(
    ("attribute", "value", "expected"),
    (
        ("address.city", "Delft", True),
        ("address.city", "Leiden", False),
        ("address.geo.lat", 52, True),
        ("address.geo.lat.more", 52, False),
        ("address.street", "Delft", False),
        ("items.1.price", 7, True),
        ("items.2.price", 7, False),
        ("items.-1.price", 7, False),
        ("plan.name", "literal", True),
        ("plan.name", "nested", False),
        ("plain.more", "text", False),
        ("nothing.more", "text", False),
    ),
)
def test_path_reads_the_value_inside_objects_and_lists(attribute: str, value: Any, expected: bool) -> None:
    condition = TargetingCondition(attribute=attribute, value=value)
    assert is_on(TargetingRule(type="conditions", conditions=condition), USER) is expected
    if isinstance(value, str):
        assert is_on(TargetingRule(type="property", field=attribute, value=value), USER) is expected


def test_missing_path_does_not_exist() -> None:
    condition = TargetingCondition(attribute="address.street", operator="not_exists")
    assert is_on(TargetingRule(type="conditions", conditions=condition), USER)
    assert is_on(TargetingRule(type="conditions", conditions=condition), {})
