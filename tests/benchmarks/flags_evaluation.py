"""What an evaluation of 20 flags takes, by what decides in them: processor time of a new user each."""

import random
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import msgspec

from analytics_box.products.flags.evaluation.compiling import Ruleset, compile_ruleset
from analytics_box.products.flags.evaluation.outcome import EvaluationContext
from analytics_box.products.flags.flag import Flag, FlagDefinition
from tests.benchmarks.figures import machine, report

FLAGS, USERS, ROUNDS = 20, 2_000, 5
_PROPERTIES: Final = {"plan": "pro", "country": "DE", "version": "2.10.1", "ip": "10.1.2.3", "age": 41}
_USERS_LISTED: Final = [f"somebody-{number}" for number in range(200)]
_RULES: Final[list[dict[str, Any]]] = [
    {"type": "user_id", "operator": "in", "values": _USERS_LISTED},
    {"type": "property", "field": "plan", "operator": "equals", "value": "free"},
]
_CONDITIONS: Final[list[dict[str, Any]]] = [
    {
        "type": "conditions",
        "conditions": {
            "all": [
                {"attribute": "country", "operator": "in", "values": ["DE", "AT", "CH"]},
                {"attribute": "version", "operator": "version_greater", "value": "2.9.0"},
                {"attribute": "ip", "operator": "ip_in", "value": "10.0.0.0/8"},
                {"attribute": "plan", "operator": "matches", "value": "^(free|trial)$"},
            ]
        },
    }
]
_VARIANTS: Final = [{"key": key, "value": key, "weight": weight} for key, weight in (("a", 20), ("b", 30), ("c", 50))]
_ROLLOUT: Final = {"type": "rollout", "rolloutPercentage": 50}

KINDS: Final[dict[str, dict[str, Any]]] = {
    "boolean": {"defaultValue": True},
    "rollout": _ROLLOUT,
    "multivariant": {"type": "multivariant", "variants": _VARIANTS},
    "rollout_after_two_rules": {**_ROLLOUT, "rules": _RULES},
    "rollout_after_four_conditions": {**_ROLLOUT, "rules": _CONDITIONS},
    "needs_another": {**_ROLLOUT, "prerequisites": [{"key": "flag-0"}]},
    **{
        f"rollout_of_{algorithm}": {**_ROLLOUT, "bucketing": {"algorithm": algorithm}}
        for algorithm in ("unleash", "growthbook_v2", "flagd", "launchdarkly")
    },
}


def main() -> None:
    """Report each kind of flag, 20 of them at once."""
    machine()
    for kind, definition in KINDS.items():
        ready = compile_ruleset([_flag(number, definition) for number in range(FLAGS)], ())
        report("flags_evaluation", flags=FLAGS, kind=kind, microseconds=_median(partial(_evaluate, ready)))
    definition = KINDS["rollout_after_two_rules"]
    flags = [_flag(number, definition) for number in range(FLAGS)]
    report("flags_compiling", flags=FLAGS, microseconds=_median(lambda: _timed(lambda: compile_ruleset(flags, ()))))


def _flag(number: int, definition: dict[str, Any]) -> Flag:
    given = dict(definition)
    if number == 0:
        given.pop("prerequisites", None)
    made = msgspec.convert(given, FlagDefinition)
    return Flag(id=f"flag{number:08}", organization_id="load", website_id="load", key=f"flag-{number}", definition=made)


def _median(once: Callable[[], float]) -> float:
    return statistics.median(once() for _ in range(ROUNDS))


def _evaluate(ready: Ruleset) -> float:
    """Microseconds of processor time for all flags of one user, each user a new one."""
    chance = random.Random(1)
    people = [
        EvaluationContext(user_id=f"{chance.getrandbits(128):032x}", properties=_PROPERTIES) for _ in range(USERS)
    ]
    begun = time.process_time()
    for who in people:
        ready.all(who)
    return (time.process_time() - begun) / USERS * 1_000_000


def _timed(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return (time.process_time() - begun) * 1_000_000
