"""Asks the engines of other products about odd values, and writes what all of them agree on to `odd_answers.json`.

It runs where the engines are installed that `record.py` names, with these of npm in the folder NODE:

    npm install @openfeature/flagd-core @growthbook/growthbook @launchdarkly/node-server-sdk unleash-client
    python tests/products/flags/moving/record_odd.py NODE

For each flag the answers about all of `odd.VALUES` follow each other: y for on, n for off, or - where engines disagree
or one of them fails. A number behind an answer says how often it is repeated.
"""

import json
import logging
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from importlib import import_module
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
Json = dict[str, Any]
Answers = dict[str, list[Any]]  # by flag, about each of the values

PACKAGES = {
    "flagd": ("openfeature-flagd-core", "@openfeature/flagd-core"),
    "growthbook": ("growthbook", "@growthbook/growthbook"),
    "launchdarkly": ("launchdarkly-server-sdk", "@launchdarkly/node-server-sdk"),
    "unleash": ("yggdrasil-engine", "unleash-client"),
}


def flagd(sample: Json, values: list[Json]) -> Answers:
    core = import_module("openfeature.contrib.tools.flagd.core").FlagdCore()
    context = import_module("openfeature.evaluation_context").EvaluationContext
    core.set_flags(json.dumps(sample))
    return {key: [core._resolve(key, None, context("u", one)).value for one in values] for key in sample["flags"]}


def growthbook(sample: Json, values: list[Json]) -> Answers:
    client = import_module("growthbook").GrowthBook

    def ask(key: str, one: Json) -> Any:
        given = client(attributes={"id": "u"} | one, features=sample["features"], savedGroups=sample["savedGroups"])
        return given.eval_feature(key).value

    return {key: [ask(key, one) for one in values] for key in sample["features"]}


def launchdarkly(sample: Json, values: list[Json]) -> Answers:
    sdk, files = import_module("ldclient"), import_module("ldclient.integrations").Files
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(sample, file)
        file.flush()
        source = files.new_data_source(paths=[file.name])
        config = import_module("ldclient.config").Config("key", update_processor_class=source, send_events=False)
        client = sdk.LDClient(config, start_wait=5)

    def ask(key: str, one: Json) -> Any:
        builder = sdk.Context.builder("u")
        for name, value in one.items():
            builder.set(name, value)
        return client.variation(key, builder.build(), None)

    try:
        return {key: [ask(key, one) for one in values] for key in sample["flags"]}
    finally:
        client.close()


def unleash(sample: Json, values: list[Json]) -> Answers:
    """Its clients know texts alone."""
    engine = import_module("yggdrasil_engine.engine").UnleashEngine()
    engine.take_state(json.dumps(sample))

    def ask(name: str, one: Json) -> Any:
        if not isinstance(one.get("v", ""), str):
            return None
        return engine.check_enabled(name, {"userId": "u", "properties": one}).is_enabled

    return {one["name"]: [ask(one["name"], value) for value in values] for one in sample["features"]}


ASKED: dict[str, Callable[[Json, list[Json]], Answers]] = {
    "flagd": flagd,
    "growthbook": growthbook,
    "launchdarkly": launchdarkly,
    "unleash": unleash,
}


def of_node(product: str, sample: Json, values: list[Json], folder: Path) -> Answers:
    """The answers of the engine in JavaScript."""
    with tempfile.TemporaryDirectory() as place:
        given, taken = Path(place, "given.json"), Path(place, "taken.json")
        given.write_text(json.dumps({"sample": sample, "values": values}))
        script = [str(HERE / "record_odd.cjs"), product, str(given), str(taken), str(folder.resolve())]
        subprocess.run(["node", *script], check=True, stdout=subprocess.DEVNULL)
        found: Answers = json.loads(taken.read_text())
        return found


def agreed(one: Any, other: Any) -> str:
    """One character for an answer of both engines."""
    return ("y" if one else "n") if one is other and isinstance(one, bool) else "-"


def short(answers: Iterable[str]) -> str:
    """Answers with how often each is repeated."""
    runs = [(one, len(list(same))) for one, same in groupby(answers)]
    return "".join(f"{one}{count if count > 1 else ''}" for one, count in runs)


def main(folder: Path) -> None:
    logging.disable()
    sys.path.insert(0, str(HERE.parents[3]))
    odd = import_module("tests.products.flags.moving.odd")
    written: Json = {}
    for product, ask in ASKED.items():
        sample, (ours, theirs) = odd.FILES[product](), PACKAGES[product]
        in_python, in_node = ask(sample, odd.VALUES), of_node(product, sample, odd.VALUES, folder)
        installed = json.loads((folder / "node_modules" / theirs / "package.json").read_text())["version"]
        written[product] = {
            "by": f"{ours} {version(ours)}, {theirs} {installed}",
            "flags": {key: short(map(agreed, found, in_node[key])) for key, found in in_python.items()},
        }
    (HERE / "odd_answers.json").write_text(json.dumps(written, indent=0) + "\n")


def unfolded(text: str) -> str:
    """The answers about each value."""
    return "".join(one * int(count or 1) for one, count in re.findall(r"([yn-])(\d*)", text))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
