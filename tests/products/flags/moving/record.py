"""Asks the engines of other products what their flags give to whom, and writes it to `answers.json` beside this.

It runs in an environment of its own, where those engines are installed, once for each of them:

    pip install yggdrasil-engine growthbook launchdarkly-server-sdk openfeature-flagd-core==1.0.0
    python tests/products/flags/moving/record.py unleash growthbook launchdarkly flagd

Each is asked as its clients ask it, about the sample file of its own format.
"""

import json
import random
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
Person = dict[str, Any]  # `id`, and properties


def people() -> list[Person]:
    """Who is asked about: users with all kinds of properties, some of which are missing."""
    chance = random.Random(19)
    choices: dict[str, list[Any]] = {
        "email": ["ada@example.com", "Grace@EXAMPLE.org", "alan@example.net", "joan@example.org"],
        "country": ["NL", "DE", "BE", "FR", "LU"],
        "plan": ["pro", "free", "team", "my pro", "proper"],
        "age": [5, 17, 18, 25, 39.5, 40, 42, 61],
        "version": ["1.9.9", "2.0.0", "2.3.4", "2.10.0-beta.1", "3.0.0", "3.0.1"],
        "since": ["2023-01-01T00:00:00Z", "2024-04-30T23:59:59Z", "2024-05-02T10:00:00+02:00"],
        "tenant": ["acme", "globex", "initech", "umbrella", "hooli", "wayne"],
        "tags": [["a", "b"], ["c"], ["z"], []],
        "remoteAddress": ["10.4.5.6", "192.0.2.7", "198.51.100.1"],
    }
    found = [{"id": f"user-{number}"} for number in range(1, 25)]
    for number in range(1, 121):
        person: Person = {"id": f"user-{number}" if number < 30 else f"{chance.getrandbits(64):016x}"}
        found.append(person | {name: chance.choice(of) for name, of in choices.items() if chance.random() < 0.75})
    return found


def unleash(sample: Any) -> dict[str, list[Any]]:
    engine = import_module("yggdrasil_engine.engine").UnleashEngine()
    engine.take_state(json.dumps(sample))

    def context(person: Person) -> dict[str, Any]:
        plain = {name: value for name, value in person.items() if name not in {"id", "remoteAddress", "tags"}}
        properties = {name: f"{value:g}" if isinstance(value, float) else str(value) for name, value in plain.items()}
        address = {"remoteAddress": person["remoteAddress"]} if "remoteAddress" in person else {}
        return {"userId": person["id"], "properties": properties} | address

    def ask(flag: str, person: Person) -> Any:
        if not engine.check_enabled(flag, context(person)).is_enabled:
            return False
        found = engine.check_variant(flag, context(person)).variant
        return found.name if found.enabled else True

    return {one["name"]: [ask(one["name"], person) for person in people()] for one in sample["features"]}


def growthbook(sample: Any) -> dict[str, list[Any]]:
    client = import_module("growthbook").GrowthBook

    def ask(flag: str, person: Person) -> Any:
        asked = client(attributes=person, features=sample["features"], savedGroups=sample["savedGroups"])
        return asked.eval_feature(flag).value

    return {key: [ask(key, person) for person in people()] for key in sample["features"]}


def launchdarkly(sample: Any) -> dict[str, list[Any]]:
    sdk, integrations = import_module("ldclient"), import_module("ldclient.integrations")
    path = HERE / "launchdarkly.json"
    source = integrations.Files.new_data_source(paths=[str(path)])
    config = import_module("ldclient.config").Config("key", update_processor_class=source, send_events=False)
    client = sdk.LDClient(config, start_wait=5)

    def ask(flag: str, person: Person) -> Any:
        builder = sdk.Context.builder(person["id"])
        for name, value in person.items():
            if name != "id":
                builder.set(name, value)
        return client.variation(flag, builder.build(), "the code's default")

    try:
        return {key: [ask(key, person) for person in people()] for key in sample["flags"]}
    finally:
        client.close()


def flagd(sample: Any) -> dict[str, list[Any]]:
    core = import_module("openfeature.contrib.tools.flagd.core").FlagdCore()
    context = import_module("openfeature.evaluation_context").EvaluationContext
    core.set_flags(json.dumps(sample))

    def ask(flag: str, person: Person) -> Any:
        attributes = {name: value for name, value in person.items() if name != "id"}
        found = core._resolve(flag, "the code's default", context(person["id"], attributes))
        return found.value

    return {key: [ask(key, person) for person in people()] for key in sample["flags"]}


_ASKED: dict[str, tuple[Callable[[Any], dict[str, list[Any]]], str]] = {
    "unleash": (unleash, "yggdrasil-engine"),
    "growthbook": (growthbook, "growthbook"),
    "launchdarkly": (launchdarkly, "launchdarkly-server-sdk"),
    "flagd": (flagd, "openfeature-flagd-core"),
}


def main(names: list[str]) -> None:
    path = HERE / "answers.json"
    answers = json.loads(path.read_text()) if path.exists() else {}
    for name in names:
        ask, package = _ASKED[name]
        given = ask(json.loads((HERE / f"{name}.json").read_text()))
        answers[name] = {
            "by": f"{package} {version(package)}",
            "flags": {key: _short(found) for key, found in given.items()},
        }
    path.write_text(json.dumps(answers, indent=1, ensure_ascii=False, sort_keys=True) + "\n")


def _short(given: list[Any]) -> dict[str, Any]:
    """Each value once, and for each person its number as a letter."""
    values: list[Any] = []
    letters = ""
    for value in given:
        encoded = json.dumps(value)
        if encoded not in values:
            values.append(encoded)
        letters += chr(ord("a") + values.index(encoded))
    return {"values": [json.loads(one) for one in values], "given": letters}


if __name__ == "__main__":
    main(sys.argv[1:])
