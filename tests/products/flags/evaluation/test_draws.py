"""Draws are fair: everybody is as likely as anybody, more percent keep whoever was in, and no draw tells of another.

The last is not so of the default draw, which is as the existing service has it.
"""

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import combinations
from typing import Any

import msgspec
from msgspec.structs import replace

from analytics_box.products.flags.editing.messages import CreateFlag, new_definition
from analytics_box.products.flags.evaluation.bucketing import (
    absolute,
    murmur3,
    rollout_draw,
    rule_draw,
    scale_and_hash,
    variant_draw,
    variant_prefix,
)
from analytics_box.products.flags.evaluation.outcome import EvaluationContext
from analytics_box.products.flags.flag import Algorithm, FlagDefinition, Variant
from tests.cases import each
from tests.products.flags.evaluation.made import flag, ruleset

ALGORITHMS: tuple[Algorithm, ...] = (
    *("default", "unleash", "growthbook_v1", "growthbook_v2", "flagd", "flagd_v3", "launchdarkly"),
)
INDEPENDENT = ALGORITHMS[1:]
UNFAIR = {2: 28.0, 3: 31.0, 99: 177.0}  # what a fair draw gives once in a million, by degrees of freedom


def identities(number: int, seed: int = 1) -> list[str]:
    """Ids as applications give them: random, counted, addresses."""
    chance = random.Random(seed)
    kinds = [
        [f"{chance.getrandbits(128):032x}" for _ in range(number // 2)],
        [f"user-{one}" for one in range(number // 4)],
        [f"{chance.getrandbits(40):x}@example.com" for _ in range(number // 4)],
    ]
    return [one for kind in kinds for one in kind]


def unevenness(counts: Iterable[int], shares: Sequence[float]) -> float:
    """Chi-square of counts against shares."""
    found = list(counts)
    total = sum(found)
    return sum((count - total * share) ** 2 / (total * share) for count, share in zip(found, shares, strict=True))


def hundredths(drawn: Iterable[float]) -> list[int]:
    counted = Counter(int(one) for one in drawn)
    return [counted[one] for one in range(100)]


def test_a_million_users_are_spread_evenly_by_the_default_draw() -> None:
    """Ids of two halves: each hash is that of the first half, moved on, and that of the second."""
    chance = random.Random(5)
    halves = [[f"{chance.getrandbits(64):016x}" for _ in range(1_000)] for _ in range(2)]
    begun = [scale_and_hash(f"new-checkout:{one}")[1] for one in halves[0]]
    ended = [scale_and_hash(one) for one in halves[1]]
    counted: Counter[int] = Counter()
    for scale, hashed in ended:
        moved = [one * scale + hashed & 0xFFFFFFFF for one in begun]
        counted.update([absolute(one) % 100 for one in moved])
    assert counted.total() == 1_000_000
    assert unevenness([counted[one] for one in range(100)], [0.01] * 100) < UNFAIR[99]


@each("algorithm", ALGORITHMS)
def test_rollouts_rules_and_variants_are_spread_evenly(algorithm: Algorithm) -> None:
    for drawn in draws(algorithm):
        assert unevenness(hundredths(drawn), [0.01] * 100) < UNFAIR[99]
        assert all(0 <= one < 100 for one in drawn)


@each("algorithm", ALGORITHMS)
def test_rule_match_does_not_influence_the_variant(algorithm: Algorithm) -> None:
    _, rule, variant = draws(algorithm)
    counted = Counter((int(a / 10), int(b / 10)) for a, b in zip(rule, variant, strict=True))
    squares = [counted[a, b] for a in range(10) for b in range(10)]
    assert unevenness(squares, [0.01] * 100) < UNFAIR[99]


@cache
def draws(algorithm: Algorithm) -> tuple[list[float], ...]:
    """The draws of a flag for its rollout, its rules and its variants."""
    one = flag("new-checkout", bucketing={"algorithm": algorithm})
    bucketing = one.definition.bucketing
    users = identities(4_000)
    made = (rollout_draw(one, bucketing), rule_draw(one, bucketing), variant_draw(one))
    return tuple([draw(who) for who in users] for draw in made)


@each("algorithm", INDEPENDENT)
def test_a_flag_tells_nothing_of_another(algorithm: Algorithm) -> None:
    users = identities(1_200)
    flags = [flag(key, bucketing={"algorithm": algorithm}) for key in ("first", "second", "first-2")]
    drawn = [[draw(who) for who in users] for draw in (rollout_draw(one, one.definition.bucketing) for one in flags)]
    for one, other in ((0, 1), (0, 2), (1, 2)):
        both = Counter((a < 50, b < 50) for a, b in zip(drawn[one], drawn[other], strict=True))
        assert unevenness([both[a, b] for a in (True, False) for b in (True, False)], [0.25] * 4) < UNFAIR[3]


EXPERIMENTS = (
    *("new-checkout", "pricing-page", "signup-form", "home-hero", "dark-mode"),
    *("free-trial", "onboarding", "search-v2", "upsell-banner", "checkout-button"),
)
PAIRS = 45
UNRELATED = 33.0  # what a fair table of two by two gives once in a hundred million: 45 pairs of 3 kinds of ids pass it


def everyday_ids() -> dict[str, list[str]]:
    """Ids of users as applications have them."""
    chance = random.Random(7)
    return {
        "counted": [f"user-{one}" for one in range(10_000, 12_000)],
        "numbers": [str(100_000 + one) for one in range(2_000)],
        "random": [f"{chance.getrandbits(128):032x}" for _ in range(2_000)],
    }


def related(definition: FlagDefinition, who: Sequence[str]) -> int:
    """The number of pairs of experiments with this definition that depend on each other, by their users."""
    flags = [replace(flag(key), definition=definition) for key in EXPERIMENTS]
    given = [ruleset(*flags).all(EvaluationContext(user_id=one)) for one in who]
    found = 0
    for one, other in combinations(range(len(EXPERIMENTS)), 2):
        both = Counter((outcomes[one].gave, outcomes[other].gave) for outcomes in given)
        rows, columns = (Counter(outcomes[place].gave for outcomes in given) for place in (one, other))
        squares = (
            (both[a, b] - rows[a] * columns[b] / len(who)) ** 2 / (rows[a] * columns[b] / len(who))
            for a in rows
            for b in columns
        )
        found += len(rows) < 2 or len(columns) < 2 or sum(squares) > UNRELATED
    return found


EVEN = [Variant("control", "a", weight=50), Variant("treatment", "b", weight=50)]


@each(
    "given",
    [
        {"type": "multivariant", "variants": EVEN},
        {"type": "multivariant", "variants": [replace(one, weight=None) for one in EVEN]},
        {"type": "rollout", "rolloutPercentage": 50},
    ],
)
def test_new_experiments_with_everyday_names_are_independent(given: dict[str, Any]) -> None:
    message = msgspec.convert(given | {"key": "x"}, CreateFlag)
    for kind, who in everyday_ids().items():
        assert related(new_definition(message), who) == 0, kind


def test_experiments_with_the_default_draw_depend_on_each_other() -> None:
    """Why new flags have another one: most pairs of them share more or fewer users than chance would give them."""
    given = msgspec.convert({"key": "x", "type": "rollout", "rolloutPercentage": 50}, CreateFlag)
    assert related(new_definition(given, by_sdk=True), everyday_ids()["counted"]) > PAIRS / 2


def test_the_default_draw_is_the_same_for_every_flag_but_for_a_step() -> None:
    """What the existing service's hash has as its price: of ids of the same length, one flag tells of the other."""
    signed = [[scale_and_hash(f"{key}:user-{who}")[1] for who in range(100, 999)] for key in ("first", "second")]
    assert len({(one - other) % 2**32 for one, other in zip(*signed, strict=True)}) == 1


@each("algorithm", ALGORITHMS)
def test_higher_percentage_keeps_all_included_users(algorithm: Algorithm) -> None:
    steps = (0, 1, 5, 12.5, 25, 50, 75, 99, 100)
    flags = [
        flag(f"to-{one}", type="rollout", rolloutPercentage=one, bucketing={"algorithm": algorithm, "salt": "grain"})
        for one in steps
    ]
    ready = ruleset(*flags)
    totals = [0] * len(steps)
    for who in identities(400):
        inside = [outcome.enabled for outcome in ready.all(EvaluationContext(user_id=who))]
        assert inside == sorted(inside), who
        totals = [total + one for total, one in zip(totals, inside, strict=True)]
    assert totals[0] == 0
    assert totals[-1] == 400
    assert totals == sorted(set(totals))


@each("algorithm", ALGORITHMS)
def test_variants_have_the_weights_that_they_were_given(algorithm: Algorithm) -> None:
    weights = (60, 25, 0, 15)
    variants = [{"key": f"v{one}", "value": "", "weight": weight} for one, weight in enumerate(weights)]
    equal = [{"key": f"v{one}", "value": ""} for one in range(4)]
    bucketing = {"algorithm": algorithm}
    ready = ruleset(
        flag("weighted", type="multivariant", variants=variants, bucketing=bucketing),
        flag("equal", type="multivariant", variants=equal, bucketing=bucketing),
    )
    given = [ready.all(EvaluationContext(user_id=who)) for who in identities(1_600)]
    counted = Counter(one.variant for one, _ in given)
    assert counted["v2"] == 0
    assert unevenness([counted["v0"], counted["v1"], counted["v3"]], (0.6, 0.25, 0.15)) < UNFAIR[2]
    evenly = Counter(one.variant for _, one in given)
    assert unevenness([evenly[f"v{one}"] for one in range(4)], [0.25] * 4) < UNFAIR[3]


def test_the_draw_of_flagd_is_murmur3_of_salt_and_identity_together() -> None:
    """The salt is hashed once, and the blocks of an identity once for all salts that are as long behind a block."""
    chance = random.Random(11)
    letters = "abc-09é日🚀"
    for size in range(14):
        salt = "".join(chance.choices(letters, k=size))
        one = flag("key", bucketing={"algorithm": "flagd", "salt": salt or "s"})
        draw, begun = rollout_draw(one, one.definition.bucketing), salt or "s"
        for length in range(30):
            who = "".join(chance.choices(letters, k=length))
            assert draw(who) == murmur3((begun + who).encode()) * 100 / 2**32, (begun, who)


def test_variants_are_drawn_with_a_salt_of_their_own() -> None:
    prefixes = [
        variant_prefix(flag("key", bucketing=bucketing))
        for bucketing in ({}, {"salt": "s"}, {"salt": "s", "variantSalt": "v"}, {"algorithm": "unleash"})
    ]
    assert prefixes == ["key:variant:", "s:variant:", "v:", "key:"]
