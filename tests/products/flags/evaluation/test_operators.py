"""What each operator holds for, in rules as the wire has them and in conditions."""

from typing import Any

from analytics_box.products.flags.evaluation.asking import text_of
from analytics_box.products.flags.evaluation.outcome import EvaluationContext
from tests.cases import each
from tests.products.flags.evaluation.made import flag, ruleset

LONG = "x" * 5_000
WITHOUT = object()


def of_rule(rule: dict[str, Any], context: EvaluationContext) -> bool:
    """Whether a rule matches."""
    outcome = ruleset(flag(rules=[rule])).one("flag", context)
    assert outcome is not None
    return outcome.reason == "USER_RULE_MATCH"


def of_property(found: Any, **rule: Any) -> bool:
    """Whether a rule of the property "p" matches."""
    properties = {} if found is WITHOUT else {"p": found}
    return of_rule({"type": "property", "field": "p", **rule}, EvaluationContext(properties=properties))


def of_condition(found: Any, **node: Any) -> bool:
    """Whether a condition of the property "p" holds."""
    properties = {} if found is WITHOUT else {"p": found}
    rule = {"type": "conditions", "conditions": {"attribute": "p", **node}}
    return of_rule(rule, EvaluationContext(properties=properties))


@each(
    ("rule", "user", "wanted"),
    [
        ({"operator": "equals", "value": "ann"}, "ann", True),
        ({"operator": "equals", "value": "ann"}, "Ann", False),
        ({"operator": "equals", "value": 5}, "5", False),
        ({"operator": "contains", "value": "nn"}, "ann", True),
        ({"operator": "contains", "value": 5}, "a5", True),
        ({"operator": "starts_with", "value": "an"}, "ann", True),
        ({"operator": "starts_with", "value": "nn"}, "ann", False),
        ({"operator": "ends_with", "value": "nn"}, "ann", True),
        ({"operator": "in", "values": ["bob", "ann"]}, "ann", True),
        ({"operator": "in", "values": []}, "ann", False),
        ({"operator": "not_in", "values": ["bob"]}, "ann", True),
        ({"operator": "not_in", "values": ["bob"]}, "bob", False),
        ({"operator": "not_in", "values": ["bob"]}, "", False),
        ({"operator": "equals"}, "ann", False),
        ({"operator": "exists"}, "ann", True),
        ({"operator": "exists"}, "", False),
        ({"operator": "not_exists"}, "", True),
        ({"operator": "not_equals", "value": "bob"}, "ann", True),
        ({"operator": "not_equals", "value": "bob"}, "", False),
        ({"operator": "matches", "value": "^a.n$"}, "ann", True),
        ({"operator": "in", "batch": True, "batchValues": ["ann"]}, "ann", True),
        ({"operator": "in", "batch": True, "batchValues": ["ann"]}, "", False),
        ({"operator": "not_in", "batch": True, "batchValues": ["ann"]}, "ann", False),
        ({"operator": "not_in", "batch": True, "batchValues": ["ann"]}, "", True),
        ({"operator": "contains", "batch": True, "batchValues": ["b", "nn"]}, "ann", True),
        ({"operator": "contains", "batch": True, "batchValues": ["b", "nn"]}, "carl", False),
        ({"operator": "starts_with", "batch": True, "batchValues": ["b"]}, "", False),
        ({"operator": "equals", "value": "ann", "batch": True, "batchValues": []}, "ann", True),
        ({"operator": "equals", "value": "ann", "batch": True, "batchValues": ["bob"]}, "ann", False),
    ],
)
def test_rules_of_users(rule: dict[str, Any], user: str, wanted: bool) -> None:
    assert of_rule({"type": "user_id", **rule}, EvaluationContext(user_id=user)) == wanted
    assert of_rule({"type": "email", **rule}, EvaluationContext(email=user)) == wanted


@each(
    ("found", "rule", "wanted"),
    [
        ("pro", {"operator": "equals", "value": "pro"}, True),
        (5, {"operator": "equals", "value": 5.0}, True),
        (5, {"operator": "equals", "value": "5"}, False),
        ("5", {"operator": "equals", "value": 5}, False),
        (1, {"operator": "equals", "value": True}, False),
        (True, {"operator": "equals", "value": 1}, False),
        (True, {"operator": "equals", "value": True}, True),
        (None, {"operator": "equals", "value": ""}, False),
        (["pro"], {"operator": "equals", "value": "pro"}, False),
        ({"a": 1}, {"operator": "in", "values": ["a"]}, False),
        (2**64, {"operator": "in", "values": [2**63]}, False),
        ("prose", {"operator": "contains", "value": "pro"}, True),
        (1.5, {"operator": "contains", "value": ".5"}, True),
        (5.0, {"operator": "contains", "value": ".0"}, False),
        (True, {"operator": "contains", "value": "true"}, True),
        (["a", "pro", 5.0], {"operator": "contains", "value": "pro,5"}, True),
        (WITHOUT, {"operator": "contains", "value": "e"}, False),
        (None, {"operator": "contains", "value": "u"}, False),
        ("pro", {"operator": "in", "values": ["free", "pro"]}, True),
        ("pro", {"operator": "not_in", "values": ["free"]}, True),
        (WITHOUT, {"operator": "not_in", "values": ["free"]}, True),
        (["free"], {"operator": "not_in", "values": ["free"]}, True),
        ("", {"operator": "exists"}, True),
        (0, {"operator": "exists"}, True),
        (None, {"operator": "exists"}, False),
        (WITHOUT, {"operator": "exists"}, False),
        (None, {"operator": "not_exists"}, True),
        (False, {"operator": "not_exists"}, False),
        (5, {"operator": "in", "batch": True, "batchValues": ["5"]}, True),
        (5.0, {"operator": "in", "batch": True, "batchValues": ["5"]}, True),
        (0, {"operator": "in", "batch": True, "batchValues": ["0"]}, True),
        ("", {"operator": "in", "batch": True, "batchValues": [""]}, False),
        (WITHOUT, {"operator": "not_in", "batch": True, "batchValues": ["5"]}, True),
        ("prose", {"operator": "starts_with", "batch": True, "batchValues": ["a", "pro"]}, True),
        (LONG, {"operator": "contains", "value": "x"}, False),
        (LONG, {"operator": "exists"}, False),
    ],
)
def test_rules_of_properties(found: Any, rule: dict[str, Any], wanted: bool) -> None:
    assert of_property(found, **rule) == wanted


@each(
    ("found", "operator", "wanted_of", "wanted"),
    [
        (5, "greater", 4.5, True),
        ("5", "greater", 5, False),
        ("5", "greater_or_equal", "5.0", True),
        (" -1e3 ", "less", 0, True),
        ("0x10", "less", 100, False),
        ("1_0", "less", 100, False),
        ("٣", "less", 100, False),
        ("nan", "less_or_equal", 0, False),
        (float("nan"), "less_or_equal", 0, False),
        (True, "less_or_equal", 5, False),
        (10**400, "greater", 1, True),
        ([1, 9], "greater", 8, True),
        (WITHOUT, "less", 5, False),
        ("2026-01-31", "before", "2026-01-31T00:00:01Z", True),
        ("2026-01-31T01:00:00+02:00", "before", "2026-01-31", True),
        (1_769_817_600_000, "after", "2026-01-30", True),
        ("2026-01-31T00:00:00", "after", 1_769_817_600_000, False),
        ("yesterday", "before", "2026-01-31", False),
        ("9999-12-31T23:59:59-23:59", "after", "2026-01-31", True),
        ("0001-01-01T00:00:00+23:59", "before", "2026-01-31", True),
        ("1.2.3", "version_equals", "v1.2.3+build", True),
        ("1.2", "version_equals", "1.2.0", True),
        ("1.10.0", "version_greater", "1.9.9", True),
        ("1.0.0-alpha.2", "version_less", "1.0.0-alpha.10", True),
        ("1.0.0-alpha", "version_less", "1.0.0-1", False),
        ("1.0.0-rc.1", "version_less", "1.0.0", True),
        ("1.0.0-a", "version_less", "1.0.0-a.b", True),
        ("1.0.0", "version_greater_or_equal", "1.0.0", True),
        ("1.0.1", "version_less_or_equal", "1.0.0", False),
        ("one", "version_less", "1.0.0", False),
        (1.2, "version_less", "2.0.0", True),
        (2, "version_equals", "2.0.0", True),
        (True, "version_less", "2.0.0", False),
        (-1, "version_less", "2.0.0", False),
        ("user-12", "matches", r"\d{2}$", True),
        ("user-1", "matches", r"\d{2}$", False),
        ("Ann", "matches", "(?i)^ann$", True),
        ("a\ud800b", "matches", "b$", True),
        ("user-1", "not_matches", r"\d{2}$", True),
        (WITHOUT, "not_matches", "a", True),
        ("10.1.2.3", "ip_in", "10.0.0.0/8", True),
        ("10.1.2.3", "ip_in", "10.9.9.9/8", True),
        ("11.1.2.3", "ip_in", "10.0.0.0/8", False),
        ("::ffff:10.1.2.3", "ip_in", "10.0.0.0/8", True),
        ("2001:db8::1", "ip_in", "2001:db8::/32", True),
        ("2001:db8::1%eth0", "ip_in", "2001:db8::/32", True),
        ("10.1.2.3", "ip_in", "2001:db8::/32", False),
        ("10.1.2", "ip_in", "10.0.0.0/8", False),
        ("10.1.2", "ip_not_in", "10.0.0.0/8", True),
        (["a", "b"], "size", 2, True),
        (["a", "b"], "size", 3, False),
        ([], "size", 0, True),
        ("ab", "size", 2, False),
        (None, "size", 0, False),
        ("5", "has_type", "text", True),
        (5, "has_type", "text", False),
        (5.5, "has_type", "number", True),
        (True, "has_type", "number", False),
        (True, "has_type", "boolean", True),
        (["5"], "has_type", "list", True),
        (["5"], "has_type", "text", False),
        (None, "has_type", "text", False),
        ([], "has_type", "empty_list", True),
        ("", "has_type", "empty_list", False),
        ([0], "has_type", "empty_list", False),
        ([0], "has_type", "one_element", True),
        ([0, 0], "has_type", "one_element", False),
        (["a", "b"], "has_type", "texts", True),
        (["a", 1], "has_type", "texts", False),
        ("a", "has_type", "texts", False),
        ([1, 2.5], "has_type", "numbers", True),
        ([1, True], "has_type", "numbers", False),
        ("pro", "not_contains", "free", True),
        (["free", "pro"], "not_contains", "free", False),
        (["pro"], "not_equals", "free", True),
        (["free", "pro"], "in", "pro", True),
        ([["pro"]], "in", "pro", False),
        (["a"] * 200 + ["pro"], "in", "pro", False),
        ([LONG, "x"], "starts_with", "x", True),
        ([LONG], "starts_with", "x", False),
        ([], "equals", "a", False),
        ([], "exists", "", True),
    ],
)
def test_conditions(found: Any, operator: str, wanted_of: Any, wanted: bool) -> None:
    assert of_condition(found, operator=operator, value=wanted_of) == wanted
    assert of_condition(found, operator=operator, values=[wanted_of]) == wanted


@each(
    ("found", "only", "wanted"),
    [
        ("5a", "text", True),
        (5, "text", False),
        (5, "number", True),
        ("5", "number", False),
        (True, "number", False),
        ([5, "a"], "text", False),
        ([5, "5"], "text", True),
        (["5", 6], "number", False),
        (["a", 5], "number", True),
        ([], "text", False),
        (WITHOUT, "text", False),
    ],
)
def test_a_condition_for_one_type_ignores_values_and_elements_of_others(found: Any, only: str, wanted: bool) -> None:
    assert of_condition(found, operator="starts_with", value="5", only=only) == wanted
    assert of_condition(found, operator="not_contains", value="5", only=only) != wanted


def test_a_condition_with_several_values_holds_for_any_of_them_and_a_negation_for_none() -> None:
    for operator, negation, found in (("contains", "not_contains", "abc"), ("matches", "not_matches", "abc")):
        assert of_condition(found, operator=operator, values=["x", "b"])
        assert not of_condition(found, operator=negation, values=["x", "b"])
        assert of_condition(found, operator=negation, values=["x", "y"])


@each(
    ("value", "text"),
    [
        *((5, "5"), (5.0, "5"), (-0.5, "-0.5"), (-0.0, "0"), (0.1, "0.1"), (1e-6, "0.000001"), (1.5e-7, "1.5e-7")),
        *((123456789012345680.0, "123456789012345680"), (1e20, "1" + "0" * 20), (1e21, "1e+21"), (10**400, "Infinity")),
        *((float("nan"), "NaN"), (True, "true"), (False, "false"), (None, ""), ("x", "x")),
        *((["a", 1.0, None, True], "a,1,,true"), ([], ""), ([["b"], "c"], ",c"), ({"a": 1}, "[object Object]")),
        *((["x" * 1_000] * 3, f"{'x' * 1_000},{'x' * 23}"), ([1] * 500, ",".join("1" * 20))),
    ],
)
def test_values_have_the_text_that_javascript_gives_them(value: Any, text: str) -> None:
    assert text_of(value) == text


ON, OFF = ({"attribute": "p", "value": "a"}, {"attribute": "p", "value": "b"})


@each(
    ("node", "wanted"),
    [
        ({"all": [ON, ON]}, True),
        ({"all": [ON, OFF]}, False),
        ({"any": [OFF, ON]}, True),
        ({"any": [OFF, OFF]}, False),
        ({"none": [OFF, OFF]}, True),
        ({"none": [OFF, ON]}, False),
        ({"all": []}, True),
        ({"any": []}, False),
        ({"none": []}, True),
        ({"all": [{"any": [OFF, {"none": [OFF]}]}, ON]}, True),
        ({"all": [{"attribute": "user_id", "value": "ann"}, {"attribute": "email", "operator": "not_exists"}]}, True),
        ({"any": [{"attribute": "organization_id", "value": "acme"}]}, True),
        ({"attribute": "team_id", "operator": "exists"}, False),
        ({}, False),
    ],
)
def test_trees_of_conditions(node: dict[str, Any], wanted: bool) -> None:
    context = EvaluationContext(user_id="ann", organization_id="acme", properties={"p": "a", "user_id": "bob"})
    assert of_rule({"type": "conditions", "conditions": node}, context) == wanted


@each(("value", "wanted"), [(0, 0), (25, 25), (100, 100), (12.5, 13), (True, None)])
def test_a_property_rule_without_a_property_is_a_percentage_that_all_flags_share(
    value: Any, wanted: int | None
) -> None:
    """By hash("percentage:" + id) mod 100, of which 0 to 99 are here once each."""
    by_draw = {int(text): who for who, text in _PERCENT.items()}
    ready = [
        of_rule({"type": "property", "value": value}, EvaluationContext(user_id=by_draw[one])) for one in range(100)
    ]
    assert ready == [one < (wanted or 0) for one in range(100)]


def _percentages() -> dict[str, str]:
    """Users by number, each with the percent at which the wire draws them."""
    found: dict[str, str] = {}
    taken: set[int] = set()
    number = 0
    while len(taken) < 100:
        hashed = 0
        for letter in f"percentage:{number}":
            hashed = (hashed * 31 + ord(letter)) % 2**32
        drawn = (hashed if hashed < 2**31 else 2**32 - hashed) % 100
        if drawn not in taken:
            taken.add(drawn)
            found[str(number)] = str(drawn)
        number += 1
    return found


_PERCENT = _percentages()
