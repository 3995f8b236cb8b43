"""Odd values give what they gave in other products, whose engines were asked, or the flag waits."""

from collections.abc import Mapping
from typing import Any

import pytest

from analytics_box.products.flags.evaluation.compiling import compile_ruleset
from analytics_box.products.flags.evaluation.outcome import EvaluationContext
from analytics_box.products.flags.moving import calls, flagd, flagd_writing, growthbook, launchdarkly, unleash
from analytics_box.products.flags.moving.wanted import SourceFile, SourceFlag
from tests.cases import each
from tests.products.flags.moving.test_products import flags_of, groups_of

ABSENT = object()
Given = Mapping[str, Any]


def of_unleash(constraint: Given) -> SourceFile:
    strategy = {"name": "default", "parameters": {}, "constraints": [{"contextName": "v"} | dict(constraint)]}
    return unleash.read_file({"features": [{"name": "f", "enabled": True, "strategies": [strategy]}]})


def of_launchdarkly(clause: Given) -> SourceFile:
    rule = {"clauses": [{"attribute": "v"} | dict(clause)], "variation": 0}
    flag = {"on": True, "variations": [True, False], "offVariation": 1, "salt": "x", "rules": [rule]}
    return launchdarkly.read_file({"flags": {"f": flag | {"fallthrough": {"variation": 1}}}})


def of_flagd(condition: Given) -> SourceFile:
    variants = {"on": True, "off": False}
    targeting = {"if": [condition, "on", "off"]}
    return flagd.read_file({"flags": {"f": {"variants": variants, "defaultVariant": "off", "targeting": targeting}}})


def of_growthbook(condition: Given) -> SourceFile:
    rules = [{"condition": {"v": condition}, "force": True}]
    return growthbook.read_file({"features": {"f": {"defaultValue": False, "rules": rules}}})


def matching(file: SourceFile, values: list[Any]) -> list[Any]:
    """The values that the flag is on for; it was imported as an active one."""
    assert [one.decides for one in file.flags] == [False]
    ready = compile_ruleset(flags_of(file), groups_of(file))

    def is_on(value: Any) -> bool:
        outcome = ready.one("f", EvaluationContext(user_id="u", properties={} if value is ABSENT else {"v": value}))
        assert outcome is not None
        return outcome.enabled

    return [value for value in values if is_on(value)]


VERSIONS = ["2.0.0", "2.0.0+b", "v2.0.0", "2.0", "2", "02.0.0", " 2.0.0", "2.0.0-a", "x", ABSENT]
TIMES = ["2024-06-01T00:00:00Z", "2024-06-01T00:00:00+02:00", "2024-06-01", "2024-06-01T00:00:00", "x", ABSENT]
PAST = 1_700_000_000_000
ADDRESSES = ["10.1.1.1", "11.1.1.1", "2001:db8::1", "::ffff:10.1.1.1", "x", ABSENT]


@each(
    ("constraint", "values", "fits"),
    [
        ({"operator": "SEMVER_EQ", "value": "2.0.0"}, VERSIONS, VERSIONS[:2]),
        ({"operator": "SEMVER_EQ", "value": "2.0.0", "inverted": True}, VERSIONS, VERSIONS[2:]),
        ({"operator": "NUM_GT", "value": "5"}, ["6", "6.0", " 6", "1e1", "x", "", ABSENT], ["6", "6.0", "1e1"]),
        ({"operator": "IN_CIDR", "values": ["10.0.0.0/8", "2001:db8::/32"]}, ADDRESSES, ["10.1.1.1", "2001:db8::1"]),
        ({"operator": "IN_CIDR", "values": ["x", "10.0.0.1/8"]}, ADDRESSES, ["10.1.1.1"]),
        ({"operator": "IN_CIDR", "values": ["10.0.0.0/8"], "inverted": True}, ADDRESSES, ADDRESSES[1:]),
    ],
)
def test_unleash(constraint: Given, values: list[Any], fits: list[Any]) -> None:
    assert matching(of_unleash(constraint), values) == fits


@each(
    ("clause", "values", "fits"),
    [
        ({"op": "semVerEqual", "values": ["2.0.0"]}, VERSIONS, ["2.0.0", "2.0.0+b", "2.0", "2"]),
        ({"op": "semVerEqual", "values": ["2.0"]}, VERSIONS, ["2.0.0", "2.0.0+b", "2.0", "2"]),
        ({"op": "semVerEqual", "values": ["v2.0.0"]}, VERSIONS, []),
        ({"op": "semVerEqual", "values": ["2.0.0"], "negate": True}, ["2.0.0", "v2.0.0", "x", ABSENT], ["v2.0.0", "x"]),
        ({"op": "greaterThan", "values": [5]}, [6, "6", 6.5, True, [6], [4, 6], ABSENT], [6, 6.5, [6], [4, 6]]),
        ({"op": "greaterThan", "values": ["5"]}, [6, "6"], []),
        ({"op": "startsWith", "values": ["5"]}, ["5a", 51, ["5"], True], ["5a", ["5"]]),
        ({"op": "startsWith", "values": ["5"]}, [[51, "5a"], [51, "a"], [None, "5"]], [[51, "5a"], [None, "5"]]),
        ({"op": "greaterThan", "values": [5]}, [[6, "a"], ["6", 1], [True, 6]], [[6, "a"], [True, 6]]),
        ({"op": "matches", "values": ["^5$"]}, ["5", "5\n", "\uff15"], ["5"]),
        ({"op": "startsWith", "values": [5]}, ["5a", 51], []),
        ({"op": "contains", "values": ["r"]}, ["ar", True, ["ar"]], ["ar", ["ar"]]),
        ({"op": "matches", "values": ["5"]}, ["5a", 51, [5], [51, 5], ["a", "5a"]], ["5a", ["a", "5a"]]),
        ({"op": "matches", "values": ["5"], "negate": True}, ["5a", [5], ["5a"], ABSENT], [[5]]),
        ({"op": "endsWith", "values": ["5"]}, ["a5", [5], ["a5"]], ["a5", ["a5"]]),
        ({"op": "greaterThan", "values": [0]}, [[5], ["5"], [1, 2]], [[5], [1, 2]]),
        ({"op": "before", "values": ["2024-07-01T00:00:00Z"]}, [[PAST], PAST, [True]], [[PAST], PAST]),
        ({"op": "before", "values": ["2024-07-01"]}, [PAST, "2024-06-01T00:00:00Z"], []),
        ({"op": "semVerLessThan", "values": ["2.0.0"]}, ["1", 1, ["1"], [1], "2.0.0-a.01"], ["1", ["1"]]),
        ({"op": "before", "values": ["2024-07-01T00:00:00Z"]}, [*TIMES, PAST], [*TIMES[:2], PAST]),
        ({"op": "before", "values": [1_719_792_000_000]}, [*TIMES, PAST], [*TIMES[:2], PAST]),
    ],
)  # fmt: skip
def test_launchdarkly(clause: Given, values: list[Any], fits: list[Any]) -> None:
    assert matching(of_launchdarkly(clause), values) == fits


V = {"var": "v"}
ODD = [5, "5", "5.0", 0, 1, "", " 5", True, False, [], [5], ["5"], [0], [""], [1, 2], "a", ["a"], "z", 2, "2.0", ABSENT]


@each(
    ("condition", "values", "fits"),
    [
        ({"==": [V, 5]}, [5, "5", "5.0", 5.0, 6, "x", True], [5, "5", "5.0", 5.0]),
        ({"==": [V, "5"]}, [5, "5", 6], [5, "5"]),
        ({"==": [V, True]}, [True, 1, "1", "true", False], [True, 1, "1"]),
        ({"===": [V, 5]}, [5, "5", 5.0, [5]], [5, 5.0]),
        ({"==": [V, "5"]}, ["5", "5.0", 5, 5.0], ["5", 5, 5.0]),
        ({"<": [V, 5]}, [4, "4", 6, "x", True, ABSENT], [4, "4", True, ABSENT]),
        ({">": [V, 0]}, [1, True, False, ABSENT], [1, True]),
        ({">": [V, 5]}, [6, "6", "x", ABSENT], [6, "6"]),
        ({">": [V, 5]}, ["Infinity", "1_0", "\uff16", "1e400", "6\ufeff"], ["Infinity", "1e400", "6\ufeff"]),
        ({">": [V, 0]}, [True, ["a", True], [True]], [True, [True]]),
        ({">=": [V, 0]}, [0, -1, ABSENT], [0, ABSENT]),
        ({"in": [V, [5, "a"]]}, [5, "5", 5.0, "a"], [5, 5.0, "a"]),
        ({"in": ["a", V]}, ["ba", ["a"], ["ba"], ABSENT], ["ba", ["a"]]),
        ({"starts_with": [V, "5"]}, ["5a", 51, ["5"]], ["5a"]),
        ({"<": [V, 5]}, [[], [4], ["4"], [1, 2]], [[], [4], ["4"]]),
        ({">": [V, 5]}, [[], [6], [6, 7]], [[6]]),
        ({"<=": [0, V, 3]}, [[], [2], [1, 2]], [[], [2]]),
        ({"==": [V, "5"]}, [[5], ["5"], ["5.0"], [5, 6]], [[5], ["5"]]),
        ({"==": [V, "0"]}, ["0", 0, False, [0], [False], ABSENT], ["0", 0, False, [0]]),
        ({"==": [V, 1]}, [[1], [1, 2], ["1"]], [[1], ["1"]]),
        ({"==": [V, "a"]}, ["a", ["a"], ["a", "b"]], ["a", ["a"]]),
        ({"!!": [V]}, [[], [0], [""], [False], "a", "", 0, ABSENT], [[0], [""], [False], "a"]),
        ({"!": [V]}, [[], [0], [""], "a", "", 0, ABSENT], [[], "", 0, ABSENT]),
        ({"sem_ver": [V, "!=", "2.0.0"]}, ["2.0.0", "2.0", "2.0.1", "x", ABSENT], ["2.0.1"]),
        ({"sem_ver": [V, "!=", "2.0.0"]}, [2, 5, 5.5, True, " 5", ["5"], "2.0.0-a.01"], [5, 5.5]),
        ({"sem_ver": [V, "=", "2.0.0"]}, [*VERSIONS, 2, 2.0, ["2.0.0"]], [*VERSIONS[:5], 2, 2.0]),
        ({"sem_ver": [V, "<", "2.5"]}, [1.9, 2.4, 2.45, 2.05, "2.4 ", "v2.4", "V2.4"], [1.9, 2.4, "v2.4", "V2.4"]),
        ({"sem_ver": [V, "^", "2.0.0"]}, [2.1, 3, "2.9", "02.1.0", "2-a"], [2.1, "2.9", "2-a"]),
        ({"sem_ver": [V, "=", " 2.0.0"]}, ["2.0.0", " 2.0.0"], []),
        ({"sem_ver": [V, "!=", "02.0.0"]}, ["3.0.0"], []),
    ],
)
def test_flagd(condition: Given, values: list[Any], fits: list[Any]) -> None:
    assert matching(of_flagd(condition), values) == fits


@each(
    ("condition", "values", "fits"),
    [
        ({"$eq": 5}, [5, "5", 5.0, [5]], [5, 5.0]),
        ({"$ne": 5}, [5, "5", [5], [6], ABSENT], ["5", [5], [6], ABSENT]),
        ({"$in": [5, "a"]}, [5, "5", "a", ["a", "z"]], [5, "a", ["a", "z"]]),
        ({"$gt": 5}, [6, "6", "1e1", [6], True, ABSENT], [6]),
        ({"$not": {"$gt": 5}}, [6, "6", [6], ABSENT], ["6", [6], ABSENT]),
        ({"$regex": "5"}, ["5a", 5, [5], ["5a"]], ["5a"]),
        ({"$not": {"$regex": "5"}}, ["5a", "b", 5, ["5a"]], ["b", 5, ["5a"]]),
        ({"$ini": ["A"]}, [["a", 5], [5], [None, "a"]], [["a", 5], [None, "a"]]),
        ({"$ini": ["s", "k"]}, ["S", "\u017f", "\u212a"], ["S", "\u212a"]),
        ({"$exists": True, "$lt": 5}, [4, "4", ABSENT], [4]),
        ({"$regex": "\\s"}, ["a b", "a\u00a0b", "ab"], ["a b", "a\u00a0b"]),
        ({"$ini": ["A"]}, ["a", ["a"], ["b", "A"]], ["a", ["a"], ["b", "A"]]),
        ({"$ini": ["5"]}, ["5", 5, [5], ["5"]], ["5", ["5"]]),
        ({"$nin": [5, "a"]}, [5, "5", ["a"], ["z"], ABSENT], ["5", ["z"], ABSENT]),
    ],
)
def test_growthbook(condition: Given, values: list[Any], fits: list[Any]) -> None:
    assert matching(of_growthbook(condition), values) == fits


@each(
    "constraint",
    [
        {"operator": "SEMVER_EQ", "value": "v2.0.0"},
        {"operator": "SEMVER_EQ", "value": "2.0"},
        {"operator": "SEMVER_EQ", "value": "2.0.9007199254740992"},
        {"operator": "DATE_AFTER", "value": "2024-05-01T00:00:00.000Z"},  # some SDKs compare the current time instead
        {"operator": "IN", "values": ["a", " b"]},
        {"operator": "STR_CONTAINS", "values": [""]},
        {"operator": "STR_CONTAINS", "values": ["Σ"], "caseInsensitive": True},
        {"operator": "NUM_GT", "value": "1_0"},
        {"operator": "NUM_GT", "value": "\uff15"},
        {"operator": "REGEX", "value": "(?i)a"},
        {"operator": "REGEX", "value": "a\\z"},
        {"operator": "IN_CIDR", "values": ["::/0"]},
    ],
)
def test_a_flag_of_unleash_waits_if_its_sdks_disagree(constraint: Given) -> None:
    assert [one.decides for one in of_unleash(constraint).flags] == [True]


@each(
    "clause",
    [
        {"op": "matches", "values": ["(?i)a"]},
        {"op": "matches", "values": ["a\\Z"]},
        {"op": "matches", "values": ["\\pL"]},
        {"op": "matches", "values": ["(?<name>a)"]},
        {"op": "semVerEqual", "values": ["2.0.9007199254740992"]},
    ],
)
def test_a_flag_of_launchdarkly_waits_if_its_sdks_disagree(clause: Given) -> None:
    assert [one.decides for one in of_launchdarkly(clause).flags] == [True]


@each("weight", ["50", 50.5, True, None, 2**31])
def test_a_flag_of_flagd_waits_if_a_weight_is_no_whole_number(weight: Any) -> None:
    targeting = {"fractional": [["on", weight], ["off", 1]]}
    assert [one.decides for one in calls.read_file(flag_of_flagd(targeting=targeting), "flagd")[1].flags] == [True]


@each(
    "condition",
    [{"<": [V, 5]}, {"==": [V, "5"]}, {"!!": [V]}, {"!": [V]}, {"sem_ver": [V, "!=", "2.0.0"]}, {"in": [V, ["a", 5]]}],
)
def test_odd_values_are_the_same_after_an_export_to_flagd_and_back(condition: Given) -> None:
    for whole in (condition, {"and": [condition, {"!==": [V, "z"]}]}, {"or": [condition, {"===": [V, "z"]}]}):
        file = of_flagd(whole)
        written, said = flagd_writing.build_file(flags_of(file), groups_of(file))
        assert said == []
        assert matching(flagd.read_file(written), ODD) == matching(file, ODD)


def test_growthbook_empty_value_is_not_bucketed() -> None:
    rules = [{"force": True, "coverage": 0.9999, "hashAttribute": "v", "hashVersion": 2}]
    file = growthbook.read_file({"features": {"f": {"defaultValue": False, "rules": rules}}})
    assert matching(file, ["a", "", 0, False, True, 5, [], ["a"], ["a", "b"], ABSENT]) == ["a", 5]


def feature(*rules: Given, **more: Any) -> SourceFlag:
    (one, *_) = growthbook.read_file({"features": {"f": {"defaultValue": False, "rules": list(rules)}, **more}}).flags
    return one


@each(
    ("rule", "said"),
    [
        ({"contextualVariations": [{"value": True}]}, "contextualVariations is not supported"),
        ({"force": True, "newThing": 1}, "newThing is not supported"),
        ({"force": True, "condition": {"id": 5}}, "comparing the user id with a number"),
        ({"force": True, "condition": {"userId": {"$in": ["5", 5]}}}, "comparing the user id with a number"),
        ({"force": True, "condition": {"id": {"$nin": [5]}}}, "comparing the user id with a number"),
        ({"force": True, "condition": {"v": {"$vgt": "2.0.0"}}}, "it compares versions"),
        ({"force": True, "condition": {"v": {"$lt": 5}}}, "which users without it meet by some SDKs only"),
        ({"force": True, "condition": {"v": {"$gte": -1}}}, "which users without it meet by some SDKs only"),
        ({"force": True, "condition": {"v": {"$regex": "^n"}}}, "which users without it meet by some SDKs only"),
        ({"force": True, "condition": {"v": 0}}, "as which some SDKs read a missing value"),
        ({"force": True, "condition": {"v": {}}}, "comparing v with a list or an object"),
        ({"force": True, "condition": {"v": {"$notRegex": "a"}}}, "$notRegex of v"),
        ({"force": True, "condition": {"v": {"$regex": "a(?=b)"}}}, "the regular expression"),
        ({"force": True, "condition": {"v": {"$ini": ["\u03a3"]}}}, "$ini of v"),
        ({"force": True, "coverage": 0.5, "fallbackAttribute": "deviceId"}, "sticky bucketing"),
        ({"force": True, "coverage": 0.5, "condition": {"userId": "u"}}, "several of the attributes id, userId"),
    ],
)
def test_growthbook_feature_that_would_change_a_value_is_inactive(rule: Given, said: str) -> None:
    found = feature(rule)
    assert (found.decides, said in "; ".join(found.notes)) == (True, True), found.notes


def flag_of_flagd(**fields: Any) -> str:
    flag = {"variants": {"on": True, "off": False}, "defaultVariant": "off"} | fields
    return calls.format_json({"flags": {"f": flag}})


@pytest.mark.parametrize("is_guarded", [True, False])
def test_flagd_flag_bucketed_by_an_optional_attribute_is_inactive(is_guarded: bool) -> None:
    draw = {"fractional": [{"cat": [{"var": "$flagd.flagKey"}, V]}, ["on", 50], ["off", 50]]}
    content = flag_of_flagd(targeting={"if": [{"!!": [V]}, draw, "off"]} if is_guarded else draw)
    (found,) = calls.read_file(content, "flagd")[1].flags
    assert found.decides is not is_guarded


def test_flagd_fractional_of_an_unselected_version_is_inactive() -> None:
    content = flag_of_flagd(targeting={"fractional": [["on", 50], ["off", 50]]})
    assert [
        [one.decides for one in calls.read_file(content, source)[1].flags] for source in (None, "flagd", "flagd-v3")
    ] == [
        [True],
        [False],
        [False],
    ]


@each("value", [False, 0, "", None])
def test_a_flag_of_flagd_waits_if_a_missing_value_equals_differently_by_engine(value: Any) -> None:
    for operation in ("==", "!="):
        assert [one.decides for one in of_flagd({operation: [V, value]}).flags] == [True]


OFF = {"on": False, "salt": "x", "fallthrough": {"variation": 0}}


@each(
    ("variations", "off", "value"),
    [
        ([True, False], 0, True),
        ([True, False], 1, False),
        (["a", "b"], 1, "b"),
        ([{"x": 1}, None], 0, {"x": 1}),
        ([{"x": 1}, None], 1, None),
        ([True, False], None, None),
    ],
)
def test_a_flag_of_launchdarkly_keeps_its_off_variation(variations: list[Any], off: int | None, value: Any) -> None:
    (found,) = launchdarkly.read_file({"flags": {"f": OFF | {"variations": variations, "offVariation": off}}}).flags
    assert (found.decides, found.notes) == (False, ())
    assert found.definition is not None
    assert (found.definition.status, found.definition.offValue) == ("inactive", value)


def test_launchdarkly_draws_only_texts_and_whole_numbers() -> None:
    shares = [{"variation": 1, "weight": 1}, {"variation": 0, "weight": 99_999}]
    flag = {"on": True, "variations": [True, False], "salt": "x", "offVariation": 1}
    flag |= {"fallthrough": {"rollout": {"bucketBy": "v", "variations": shares}}}
    found = launchdarkly.read_file({"flags": {"f": flag}})
    assert matching(found, ["a", "", 5, 5.0, 5.5, True, [1], ABSENT]) == ["a", "", 5, 5.0]
