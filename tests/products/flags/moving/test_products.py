"""Flags of other products give everybody what those products' own engines give them.

What the engines answer is in `answers.json`; `record.py` asks them. Flags of which something cannot be said here are
left out: they are imported as inactive ones, and the last table says why.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from analytics_box.products.flags.editing.change import needs
from analytics_box.products.flags.evaluation.compiling import Ruleset, compile_ruleset
from analytics_box.products.flags.evaluation.conditions import nodes
from analytics_box.products.flags.evaluation.outcome import EvaluationContext
from analytics_box.products.flags.flag import Flag, TargetGroup
from analytics_box.products.flags.moving import flagd, growthbook, launchdarkly, unleash
from analytics_box.products.flags.moving.wanted import SourceFile
from tests.cases import each
from tests.products.flags.moving.record import people

HERE = Path(__file__).parent
ANSWERS = json.loads((HERE / "answers.json").read_text())
READERS: dict[str, Callable[[Any], SourceFile]] = {
    "unleash": unleash.read_file,
    "growthbook": growthbook.read_file,
    "launchdarkly": launchdarkly.read_file,
    "flagd": flagd.read_file,
}


def read(product: str) -> SourceFile:
    return READERS[product](json.loads((HERE / f"{product}.json").read_text()))


def flags_of(file: SourceFile) -> list[Flag]:
    """Imported files: flags that lost something that decides, or need such a flag, are inactive."""
    definitions = {one.key: one.definition for one in file.flags if one.definition is not None}
    lost = {one.key for one in file.flags if one.decides}
    while more := {key for key, one in definitions.items() if key not in lost and lost.intersection(needs(one))}:
        lost |= more
    return [
        Flag(
            id=key,
            organization_id="o",
            website_id="w",
            key=key,
            definition=replace(one, status="inactive", offValue=None) if key in lost else one,
        )
        for key, one in definitions.items()
    ]


def groups_of(file: SourceFile) -> list[TargetGroup]:
    return [
        TargetGroup(id=one.ref, organization_id="o", website_id="w", name=one.name, rules=one.rules)
        for one in file.groups
    ]


def context(person: dict[str, Any]) -> EvaluationContext:
    rest = {name: value for name, value in person.items() if name not in {"id", "email"}}
    return EvaluationContext(user_id=person["id"], email=person.get("email", ""), properties=rest)


@pytest.mark.parametrize("product", READERS)
def test_imported_flags_give_all_users_their_previous_values(product: str, subtests: pytest.Subtests) -> None:
    file, recorded = read(product), ANSWERS[product]["flags"]
    ready = compile_ruleset(flags_of(file), groups_of(file))
    assert len(ready.keys()) >= len(recorded) / 2
    contexts = list(map(context, people()))
    for key in tuple(ready.keys()):
        with subtests.test(key):
            given = [_given(ready, key, one, product) for one in contexts]
            values, letters = recorded[key]["values"], recorded[key]["given"]
            wanted = [values[ord(letter) - ord("a")] for letter in letters]
            assert [found for found in zip(people(), given, wanted, strict=True) if found[1] != found[2]] == []


def _given(ready: Ruleset, key: str, to: EvaluationContext, product: str) -> Any:
    """What somebody gets, as the engine of the product says it."""
    outcome = ready.one(key, to)
    assert outcome is not None
    if product == "unleash":
        return outcome.variant or outcome.enabled
    return None if outcome.reason == "DEPENDENCY_NOT_SATISFIED" and product == "growthbook" else outcome.value


_SESSION = (
    "Users without a user id were assigned by session or at random; here they all share one bucket. If all of your "
    "users have a user id, activate it"
)
_LOOSE = "it compares versions, and versions without three numbers are ordered differently here"
_MISSING = "which users without it meet by some SDKs only"
_KEY = "A key has 1 to 128 letters and digits of any script, and any of . _ : ~ | -"
_UNREAD = "The targeting cannot be read"
LOST: dict[str, dict[str, str]] = {
    "unleash": {
        **dict.fromkeys(("rollout", "colours", "gated-colours", "strategy-variants"), _SESSION),
        "at-random": "It is on at random for each evaluation",
        "custom-strategy": "The strategy byMoonPhase is not supported",
        "dates": "The constraint since DATE_AFTER is not supported",
        "until-later": "The constraint currentTime DATE_BEFORE is not supported",
        "unknown-segment": "The file does not include the segment constraints of the strategy default",
        "name/with/slashes": _KEY,
    },
    "growthbook": {
        "namespaced": "Rule 1: its namespace is not supported",
        "filtered": "Rule 1: its filters is not supported",
        "conditions": f"Rule 1: $lt of age, {_MISSING}, is not supported; Rule 4: {_LOOSE}",
        "lookahead": "Rule 1: the regular expression ^(?!test) is not supported",
        "slashed/key": _KEY,
    },
    "launchdarkly": {
        "other-kind": "Rule 1: os in is not supported",
        "big-segment": "The segment big is incomplete: It is a big segment, whose users are not in the file",
        "slashed/key": _KEY,
    },
    "flagd": {
        "by-the-clock": f'{_UNREAD}: {{">":[{{"var":"$flagd.timestamp"}},1700000000]}} is not supported',
        "without-default": "There is no defaultVariant. If no rule matches, the default in your code applies",
        "odd-draw": f'{_UNREAD}: fractional buckets by {{"var":"email"}}',
    },
}


@each("product", READERS)
def test_unsupported_parts_are_listed(product: str) -> None:
    file = read(product)
    found = {one.key: one.error or "; ".join(one.notes) for one in file.flags if one.decides or one.error}
    assert found == LOST[product]


@each(("inner", "inactive"), [({}, False), ({"rules": [{"clauses": [], "weight": 50_000}]}, True)])
def test_a_segment_inside_another_becomes_its_conditions(inner: dict[str, Any], inactive: bool) -> None:
    def of(key: str) -> dict[str, Any]:
        return {"clauses": [{"attribute": "", "op": "segmentMatch", "values": [key]}]}

    some = {"key": "key", "op": "startsWith", "attribute": "key", "values": ["a"]}
    given = {
        "flags": {"f": {"key": "f", "on": True, "variations": [True, False], "offVariation": 1, "salt": "x",
                        "version": 1, "rules": [of("outer") | {"variation": 0}], "fallthrough": {"variation": 1}}},
        "segments": {
            "outer": {"key": "outer", "excluded": ["abe"], "rules": [of("inner")]},
            "inner": {"key": "inner", "included": ["bob"], "excluded": ["ann"], "rules": [{"clauses": [some]}]} | inner,
        },
    }  # fmt: skip
    file = launchdarkly.read_file(given)
    assert [bool(one.decides) for one in file.flags] == [inactive]
    assert [(one.ref, [node.group for node in nodes(one.rules) if node.group]) for one in file.groups] == [
        ("outer", [])
    ]
    if not inactive:
        ready = compile_ruleset(flags_of(file), groups_of(file))
        users = ["bob", "ann", "abe", "ada", "cid"]
        outcomes = [ready.one("f", EvaluationContext(user_id=user)) for user in users]
        assert [user for user, one in zip(users, outcomes, strict=True) if one and one.enabled] == ["bob", "ada"]
