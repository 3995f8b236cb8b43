"""A flag that keeps the draw of another product gives everybody what that product's own engine gives them.

What the engines answer is in `products.json`; `record_products.py` asks them.
"""

import json
from pathlib import Path
from typing import Any

from analytics_box.products.flags.evaluation.bucketing import murmur3
from analytics_box.products.flags.evaluation.outcome import EvaluationContext
from tests.cases import each
from tests.products.flags.evaluation.made import flag, ruleset
from tests.products.flags.evaluation.record_products import PERCENTAGES, SALT, SALTS, WEIGHTS, identities

RECORDED = json.loads(Path(__file__).with_name("products.json").read_text(encoding="utf-8"))
VARIANTS = [{"key": name, "value": name, "weight": weight} for name, weight in WEIGHTS]


def bucketing(algorithm: str, salt: str) -> dict[str, Any]:
    """What an import stores of a flag with this salt."""
    if algorithm == "unleash":
        return {"algorithm": algorithm, "salt": salt}
    whole = f"{salt}.{SALT}" if algorithm == "launchdarkly" else salt
    return {"algorithm": algorithm, "salt": whole, "variantSalt": whole}


ALGORITHMS = [name for name in RECORDED if name != "murmur3"]


@each(("algorithm", "salt"), [(algorithm, salt) for algorithm in ALGORITHMS for salt in SALTS])
def test_the_same_users_are_in_a_rollout(algorithm: str, salt: str) -> None:
    draw = bucketing(algorithm, salt)
    flags = [flag(f"to-{one}", type="rollout", rolloutPercentage=one, bucketing=draw) for one in PERCENTAGES]
    ready = ruleset(*flags)
    for who, first in zip(identities(), RECORDED[algorithm]["rollout"][salt], strict=True):
        inside = [outcome.enabled for outcome in ready.all(EvaluationContext(user_id=who))]
        assert inside == [number >= int(first, 16) for number in range(len(PERCENTAGES))], who


@each(("algorithm", "salt"), [(algorithm, salt) for algorithm in ALGORITHMS for salt in SALTS])
def test_users_keep_their_variants(algorithm: str, salt: str) -> None:
    ready = ruleset(flag(salt, type="multivariant", variants=VARIANTS, bucketing=bucketing(algorithm, salt)))
    given = [ready.all(EvaluationContext(user_id=who))[0].value for who in identities()]
    assert "".join(given) == RECORDED[algorithm]["variant"][salt]


def test_murmur3_is_that_of_mmh3() -> None:
    for seed in ("0", "86028157"):
        for salt, hashes in RECORDED["murmur3"][seed].items():
            assert [murmur3((salt + who).encode(), int(seed)) for who in identities()] == hashes
