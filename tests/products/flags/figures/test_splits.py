"""In which shares a flag gives its variants, as far as its definition tells, and whose flag is meant."""

import json
from typing import Any

import msgspec
import pytest

from analytics_box.products.flags.evaluation.compiling import compile_ruleset
from analytics_box.products.flags.evaluation.outcome import EvaluationContext
from analytics_box.products.flags.figures.splits import FlagSplits, split_of, split_within
from analytics_box.products.flags.flag import Flag, FlagDefinition
from analytics_box.query.named import Split, Untold
from analytics_box.tenants.websites.directory import Directory
from tests.cases import each
from tests.products.flags.world import World

THREE = [{"key": "a", "value": "1"}, {"key": "b", "value": "2"}, {"key": "c", "value": "3"}]


TWO, ABC = ("false", "true"), ("a", "b", "c")
LEFT: Untold = "not_by_chance"


def weighed(*weights: float | None) -> list[dict[str, Any]]:
    return [one | ({} if weight is None else {"weight": weight}) for one, weight in zip(THREE, weights, strict=False)]


@each(
    ("definition", "split"),
    [
        ({"type": "boolean"}, Split(TWO, untold=LEFT)),
        ({"type": "rollout", "rolloutPercentage": 30}, Split(("false", "true"), (70, 30))),
        ({"type": "rollout", "rolloutPercentage": 12.5}, Split(("false", "true"), (87, 13))),
        (
            {"type": "rollout", "rolloutPercentage": 12.5, "bucketing": {"algorithm": "flagd"}},
            Split(("false", "true"), (87.5, 12.5)),
        ),
        ({"type": "rollout", "rolloutPercentage": 30, "rolloutBy": "team"}, Split(TWO, untold=LEFT)),
        ({"type": "rollout", "rolloutPercentage": 30, "dependencies": ["x"]}, Split(TWO, untold=LEFT)),
        ({"type": "rollout", "rules": [{"type": "email"}]}, Split(TWO, untold=LEFT)),
        ({"type": "multivariant", "variants": THREE[:2]}, Split(("a", "b"), (50, 50), closed=True)),
        (
            {"type": "multivariant", "variants": weighed(33.33, 33.33, 33.34)},
            Split(("a", "b", "c"), (34, 33, 33), closed=True),
        ),
        ({"type": "multivariant", "variants": weighed(60, 40, None)}, Split(("a", "b", "c"), (60, 40, 0), closed=True)),
        ({"type": "multivariant", "variants": THREE, "targetGroupIds": ["g"]}, Split(ABC, closed=True, untold=LEFT)),
        (
            {"type": "multivariant", "variants": THREE, "rules": [{"type": "email"}]},
            Split(ABC, closed=True, untold=LEFT),
        ),
    ],
)
def test_shares_follow_from_the_definition(definition: dict[str, Any], split: Split) -> None:
    assert split_of(msgspec.convert(definition, FlagDefinition)) == split


@pytest.mark.parametrize("algorithm", ["default", "unleash", "growthbook_v1", "growthbook_v2", "flagd", "launchdarkly"])
def test_shares_are_those_that_users_get(algorithm: str) -> None:
    definition = {
        "type": "multivariant",
        "variants": weighed(33.33, 12.5, 54.17),
        "bucketing": {"algorithm": algorithm},
    }
    found = msgspec.convert(definition, FlagDefinition)
    flag = Flag(id="f", organization_id="o", website_id="w", key="price", definition=found)
    ruleset, users = compile_ruleset([flag], ()), 4_000
    counts = dict.fromkeys(("a", "b", "c"), 0)
    for number in range(users):
        outcome = ruleset.one("price", EvaluationContext(user_id=f"user-{number * 7919}"))
        assert outcome is not None
        counts[str(outcome.variant)] += 1
    split = split_of(found)
    for name, weight in zip(split.variants, split.weights, strict=True):
        assert abs(counts[name] / users - weight / 100) < 0.025, (name, counts)


def test_a_website_has_its_own_flag_else_that_of_its_organization(world: World) -> None:
    splits = FlagSplits(world.box.box.box_db, world.flags, world.box.box.parts[Directory])
    site = world.box.numbers["shop"]

    def of(key: str, site: int = site) -> Split | None:
        return world.box.run(splits.of(site, key, 0, world.box.clock.now()))

    assert of("price") is None
    world.put("price", {"type": "rollout", "rolloutPercentage": 10}, website=None)
    assert of("price") == Split(TWO, (90, 10))
    world.put("price", {"type": "rollout", "rolloutPercentage": 20})
    assert of("price") == Split(TWO, (80, 20))
    world.put("price", {"type": "rollout", "rolloutPercentage": 40}, environment="staging")
    assert of("price") == Split(TWO, (80, 20)), "the one of no environment counts"
    for environment in ("one", "two"):
        world.put("other", {"type": "boolean"}, environment=environment)
    assert of("other") == Split(untold="environments"), "nobody can tell which one visitors were given"
    assert of("price", 99) is None


@each(
    ("before", "split"),
    [
        ([], Split(("a", "b"), (50, 50), closed=True)),
        ([{"name": "Price", "status": "inactive"}], Split(("a", "b"), (50, 50), closed=True)),
        (None, Split(("a", "b"), untold="changed")),
        ([{}, {"rules": [{"type": "email"}]}], Split(("a", "b"), closed=True, untold="changed")),
        ([{"bucketing": {"salt": "x"}}], Split(("a", "b"), closed=True, untold="changed")),
        ([{"dependencies": ["x"]}], Split(("a", "b"), closed=True, untold="changed")),
        ([{"variants": weighed(10, 90)}], Split(("a", "b"), closed=True, untold="changed")),
        ([{"variants": THREE}], Split(ABC, closed=True, untold="changed")),  # a variant of then is one still
        ([{"type": "boolean"}], Split(("a", "b", "false", "true"), untold="changed")),
    ],
)
def test_shares_of_now_are_none_for_a_flag_that_was_another(before: list[dict[str, Any]] | None, split: Split) -> None:
    def made(fields: dict[str, Any]) -> FlagDefinition:
        return msgspec.convert({"type": "multivariant", "variants": THREE[:2]} | fields, FlagDefinition)

    assert split_within(made({}), None if before is None else [made(one) for one in before]) == split


def test_only_versions_within_the_range_matter(shared: World) -> None:
    """In box.db: what was before the range and what came after it is nothing of it, but what was in force is."""
    clock, key = shared.box.clock, "aged"
    made = json.loads(shared.call("flags/create", websiteId=shared.shop, key=key, type="rollout").body)
    times = [clock.now()]
    for share in (20, 30, 20):
        clock.advance(seconds=60)
        answer = shared.call("flags/update", id=made["id"], rolloutPercentage=share)
        assert answer.status == 200, answer.body
        times.append(clock.now())
    splits = FlagSplits(shared.box.box.box_db, shared.flags, shared.box.box.parts[Directory])

    def weights(start: int, end: int) -> tuple[float, ...]:
        found = shared.box.run(splits.of(shared.box.numbers["shop"], key, start, end))
        assert found is not None
        return found.weights

    assert weights(times[3], times[3] + 1) == (80, 20)
    assert weights(times[3] - 1, times[3] + 1) == ()
    assert weights(times[1], times[2]) == (80, 20)
    assert weights(times[1] - 1, times[2]) == ()
