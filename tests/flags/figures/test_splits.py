"""In which shares a flag gives its variants, as far as its definition tells, and whose flag is meant."""

from typing import Any

import msgspec
import pytest

from analytics_box.flags.evaluation.compiling import compiled
from analytics_box.flags.evaluation.context import Context
from analytics_box.flags.figures.splits import FlagSplits, split_of
from analytics_box.flags.flag import Definition, Flag
from analytics_box.query.splits import Split
from analytics_box.websites.directory import Directory
from tests.cases import each
from tests.flags.world import World

THREE = [{"key": "a", "value": "1"}, {"key": "b", "value": "2"}, {"key": "c", "value": "3"}]


def weighed(*weights: float | None) -> list[dict[str, Any]]:
    return [one | ({} if weight is None else {"weight": weight}) for one, weight in zip(THREE, weights, strict=False)]


@each(
    ("definition", "split"),
    [
        ({"type": "boolean"}, Split(("false", "true"))),
        ({"type": "rollout", "rolloutPercentage": 30}, Split(("false", "true"), (70, 30))),
        ({"type": "rollout", "rolloutPercentage": 12.5}, Split(("false", "true"), (87, 13))),
        (
            {"type": "rollout", "rolloutPercentage": 12.5, "bucketing": {"algorithm": "flagd"}},
            Split(("false", "true"), (87.5, 12.5)),
        ),
        ({"type": "rollout", "rolloutPercentage": 30, "rolloutBy": "team"}, Split(("false", "true"))),
        ({"type": "rollout", "rolloutPercentage": 30, "dependencies": ["x"]}, Split(("false", "true"))),
        ({"type": "rollout", "rules": [{"type": "email"}]}, Split(("false", "true"))),
        ({"type": "multivariant", "variants": THREE[:2]}, Split(("a", "b"), (50, 50))),
        ({"type": "multivariant", "variants": weighed(33.33, 33.33, 33.34)}, Split(("a", "b", "c"), (34, 33, 33))),
        ({"type": "multivariant", "variants": weighed(60, 40, None)}, Split(("a", "b", "c"), (60, 40, 0))),
        ({"type": "multivariant", "variants": THREE, "targetGroupIds": ["g"]}, Split(("a", "b", "c"))),
        ({"type": "multivariant", "variants": THREE, "rules": [{"type": "email"}]}, Split(("a", "b", "c"))),
    ],
)
def test_shares_follow_from_the_definition(definition: dict[str, Any], split: Split) -> None:
    assert split_of(msgspec.convert(definition, Definition)) == split


@pytest.mark.parametrize("algorithm", ["default", "unleash", "growthbook_v1", "growthbook_v2", "flagd", "launchdarkly"])
def test_shares_are_those_that_users_get(algorithm: str) -> None:
    definition = {
        "type": "multivariant",
        "variants": weighed(33.33, 12.5, 54.17),
        "bucketing": {"algorithm": algorithm},
    }
    found = msgspec.convert(definition, Definition)
    flag = Flag(id="f", organization_id="o", website_id="w", key="price", definition=found)
    ruleset, users = compiled([flag], ()), 4_000
    counts = dict.fromkeys(("a", "b", "c"), 0)
    for number in range(users):
        outcome = ruleset.one("price", Context(user_id=f"user-{number * 7919}"))
        assert outcome is not None
        counts[str(outcome.variant)] += 1
    split = split_of(found)
    for name, weight in zip(split.variants, split.weights, strict=True):
        assert abs(counts[name] / users - weight / 100) < 0.025, (name, counts)


def test_a_website_has_its_own_flag_else_that_of_its_organization(world: World) -> None:
    splits = FlagSplits(world.flags, world.box.box.parts[Directory])
    site = world.box.numbers["shop"]
    assert splits.of(site, "price") is None
    world.put("price", {"type": "rollout", "rolloutPercentage": 10}, website=None)
    assert splits.of(site, "price") == Split(("false", "true"), (90, 10))
    world.put("price", {"type": "rollout", "rolloutPercentage": 20})
    assert splits.of(site, "price") == Split(("false", "true"), (80, 20))
    world.put("price", {"type": "rollout", "rolloutPercentage": 40}, environment="staging")
    assert splits.of(site, "price") == Split(("false", "true"), (80, 20)), "the one of no environment counts"
    for environment in ("one", "two"):
        world.put("other", {"type": "boolean"}, environment=environment)
    assert splits.of(site, "other") == Split(), "nobody can tell which one visitors were given"
    assert splits.of(99, "price") is None
