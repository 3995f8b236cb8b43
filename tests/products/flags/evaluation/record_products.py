"""Asks the engines of other products whom they draw, and adds it to `products.json` beside this.

It runs in an environment of its own, where those engines are installed. flagd has changed its hash: version 1.0.0 of
its engine gives `flagd`, and 2.0.0 `flagd_v3`.

    pip install yggdrasil-engine growthbook launchdarkly-server-sdk openfeature-flagd-core mmh3
    python tests/products/flags/evaluation/record_products.py \\
        unleash growthbook_v1 growthbook_v2 launchdarkly flagd_v3 murmur3
    pip install openfeature-flagd-core==1.0.0
    python tests/products/flags/evaluation/record_products.py flagd

Each product is asked as its clients ask it: with a whole definition of a flag, for a user.
"""

import json
import random
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

PERCENTAGES = (1, 5, 10, 25, 33, 50, 67, 75, 90, 99)
WEIGHTS = (("a", 20), ("b", 30), ("c", 50))
SALT = "grain"  # of a flag of LaunchDarkly, beside its key
SALTS = ("new-checkout", "Größe", "x")
Answer = dict[str, str]


def identities() -> list[str]:
    """Ids of users as they are, and as nobody expects them."""
    chance = random.Random(7)
    odd = [
        "1",
        "0",
        "a",
        "ab",
        "abc",
        "abcd",
        "Zoë",
        "日本語",
        "🚀",
        "e\u0301",
        "a b",
        "user@example.com",
        "x" * 300,
        "7.5",
    ]
    return odd + [f"{chance.getrandbits(128):032x}" for _ in range(30)] + [f"user-{number}" for number in range(30)]


def each(ask: Callable[[str, str], str]) -> Answer:
    """For each salt one letter for each id."""
    return {salt: "".join(ask(salt, identity) for identity in identities()) for salt in SALTS}


def in_percentages(ask: Callable[[int, str, str], bool]) -> Answer:
    """The first of the rollouts that somebody is in, by its number in hexadecimal; `a` for none."""

    def first(salt: str, identity: str) -> str:
        inside = [ask(one, salt, identity) for one in PERCENTAGES]
        if inside != sorted(inside):
            raise ValueError(f"{identity!r} is in a rollout, and not in a larger one")
        return f"{inside.index(True) if any(inside) else len(inside):x}"

    return each(first)


def unleash() -> dict[str, Answer]:
    def strategy(salt: str, percentage: int) -> dict[str, Any]:
        parameters = {"rollout": str(percentage), "stickiness": "userId", "groupId": salt}
        return {"name": "flexibleRollout", "parameters": parameters}

    engine = import_module("yggdrasil_engine.engine").UnleashEngine()
    features = [
        {"name": f"{salt}/{one}", "type": "release", "enabled": True, "strategies": [strategy(salt, one)]}
        for salt in SALTS
        for one in PERCENTAGES
    ]
    variants = [
        {"name": name, "weight": weight * 10, "weightType": "variable", "stickiness": "userId"}
        for name, weight in WEIGHTS
    ]
    # Without a strategy the group is the feature's name.
    features += [
        {"name": salt, "enabled": True, "strategies": [{"name": "default"}], "variants": variants} for salt in SALTS
    ]
    engine.take_state(json.dumps({"version": 2, "features": features}))
    return {
        "rollout": in_percentages(
            lambda one, salt, who: engine.is_enabled(f"{salt}/{one}", {"userId": who}).is_enabled
        ),
        "variant": each(lambda salt, who: engine.get_variant(salt, {"userId": who}).variant.name),
    }


def growthbook(hash_version: int) -> dict[str, Answer]:
    books = import_module("growthbook")

    def in_rollout(percentage: int, salt: str, who: str) -> bool:
        rule = {"force": True, "coverage": percentage / 100, "seed": salt, "hashVersion": hash_version}
        features = {"flag": {"defaultValue": False, "rules": [rule]}}
        return bool(books.GrowthBook(attributes={"id": who}, features=features).is_on("flag"))

    def variant(salt: str, who: str) -> str:
        experiment = books.Experiment(
            key="experiment",
            variations=[name for name, _ in WEIGHTS],
            weights=[weight / 100 for _, weight in WEIGHTS],
            seed=salt,
            hashVersion=hash_version,
        )
        return str(books.GrowthBook(attributes={"id": who}).run(experiment).value)

    return {"rollout": in_percentages(in_rollout), "variant": each(variant)}


def launchdarkly() -> dict[str, Answer]:
    client_of, source_of = import_module("ldclient"), import_module("ldclient.integrations").Files

    def flag(key: str, shares: list[int]) -> dict[str, Any]:
        rollout = {"variations": [{"variation": number, "weight": share * 1000} for number, share in enumerate(shares)]}
        names = [name for name, _ in WEIGHTS]
        return {
            "key": key,
            "on": True,
            "version": 1,
            "salt": SALT,
            "variations": names,
            "fallthrough": {"rollout": rollout},
        }

    # The key is hashed, so a flag of each share is in a file of its own.
    def asked(shares: list[int]) -> Callable[[str, str], str]:
        with NamedTemporaryFile("w", suffix=".json") as file:
            json.dump({"flags": {salt: flag(salt, shares) for salt in SALTS}}, file)
            file.flush()
            source = source_of.new_data_source(paths=[file.name])
            client = client_of.LDClient(
                client_of.Config("sdk-key", update_processor_class=source, send_events=False), start_wait=5
            )
        return lambda salt, who: str(client.variation(salt, client_of.Context.create(who), "none"))

    asking = {one: asked([one, 100 - one]) for one in PERCENTAGES}
    return {
        "rollout": in_percentages(lambda one, salt, who: asking[one](salt, who) == "a"),
        "variant": each(asked([weight for _, weight in WEIGHTS])),
    }


def flagd() -> dict[str, Answer]:
    engine = import_module("openfeature.contrib.tools.flagd.core")
    context_of = import_module("openfeature.evaluation_context").EvaluationContext

    def asked(key: str, shares: list[list[Any]], who: str) -> str:
        core = engine.FlagdCore()
        names = {str(name): str(name) for name, _ in shares}
        flag = {"state": "ENABLED", "variants": names, "defaultVariant": "a", "targeting": {"fractional": shares}}
        core.set_flags(json.dumps({"flags": {key: flag}}))
        return str(core.resolve_string_value(key, "none", context_of(targeting_key=who)).value)

    return {
        "rollout": in_percentages(lambda one, salt, who: asked(salt, [["a", one], ["b", 100 - one]], who) == "a"),
        "variant": each(lambda salt, who: asked(salt, [list(pair) for pair in WEIGHTS], who)),
    }


def murmur3() -> dict[str, Any]:
    hash_of = import_module("mmh3").hash

    return {
        str(seed): {salt: [hash_of(salt + who, seed, signed=False) for who in identities()] for salt in SALTS[:1]}
        for seed in (0, 86_028_157)
    }


PRODUCTS: dict[str, tuple[str, Callable[[], dict[str, Any]]]] = {
    "unleash": ("yggdrasil-engine", unleash),
    "growthbook_v1": ("growthbook", lambda: growthbook(1)),
    "growthbook_v2": ("growthbook", lambda: growthbook(2)),
    "launchdarkly": ("launchdarkly-server-sdk", launchdarkly),
    "flagd": ("openfeature-flagd-core", flagd),
    "flagd_v3": ("openfeature-flagd-core", flagd),
    "murmur3": ("mmh3", murmur3),
}


def main() -> None:
    """Record what the products named in the arguments answer."""
    file = Path(__file__).with_name("products.json")
    recorded = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    for name in sys.argv[1:]:
        package, ask = PRODUCTS[name]
        recorded[name] = {"made by": f"{package} {version(package)}", **ask()}
    file.write_text(json.dumps(recorded, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
