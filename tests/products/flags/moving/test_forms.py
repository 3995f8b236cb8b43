"""Other forms of products' files: they say the same flags as the samples that the engines were asked about."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analytics_box.base.errors import BadRequest
from analytics_box.products.flags.evaluation.compiling import compile_ruleset
from analytics_box.products.flags.evaluation.outcome import EvaluationContext
from analytics_box.products.flags.flag import FlagDefinition
from analytics_box.products.flags.moving import calls, flagd, flagd_writing, growthbook, launchdarkly, unleash
from analytics_box.products.flags.moving.wanted import SourceFile
from tests.products.flags.moving.record import people
from tests.products.flags.moving.test_products import ANSWERS, HERE, READERS, context, flags_of, groups_of, read


def sample(product: str) -> Any:
    return json.loads((HERE / f"{product}.json").read_text())


def definitions(file: SourceFile) -> dict[str, tuple[FlagDefinition | None, tuple[str, ...]]]:
    return {one.key: (one.definition, one.notes) for one in file.flags}


def test_an_export_of_a_state_of_unleash_says_the_same() -> None:
    given = sample("unleash")
    strategies, states = [], []
    for feature in given["features"]:
        for environment in ("development", "production"):
            enabled = feature["enabled"] and environment == "production"
            states.append(
                {
                    "featureName": feature["name"],
                    "environment": environment,
                    "enabled": enabled,
                    "variants": feature.get("variants", []),
                }
            )
        for order, one in enumerate(feature["strategies"]):
            strategies.append(
                {
                    "id": f"{feature['name']}-{order}",
                    "featureName": feature["name"],
                    "strategyName": one["name"],
                    "environment": "production",
                    "sortOrder": order,
                    "parameters": one["parameters"],
                    "constraints": one.get("constraints", []),
                    "variants": one.get("variants", []),
                }
            )
    links = [
        {"featureStrategyId": f"{feature['name']}-{order}", "segmentId": segment}
        for feature in given["features"]
        for order, one in enumerate(feature["strategies"])
        for segment in one.get("segments", ())
    ]
    state = {
        "version": 4,
        "features": [{"name": one["name"], "description": one.get("description")} for one in given["features"]],
        "featureStrategies": strategies[::-1],
        "featureEnvironments": states,
        "featureStrategySegments": links,
        "segments": given["segments"],
        "dependencies": [
            {"feature": one["name"], "dependencies": one["dependencies"]}
            for one in given["features"]
            if "dependencies" in one
        ],
    }
    with pytest.raises(BadRequest, match=r"several environments\. Select one: development, production"):
        calls.read_file(json.dumps(state))
    source, found = calls.read_file(json.dumps(state), environment="production")
    assert (source, found.chosen) == ("unleash", "production")
    assert definitions(found) == definitions(unleash.read_file(given))
    off = calls.read_file(json.dumps(state), environment="development")[1]
    assert {one.definition.status for one in off.flags if one.definition is not None} == {"inactive"}


def test_the_admin_api_of_unleash_says_the_same() -> None:
    given = sample("unleash")
    kept = ("enabled", "strategies", "variants")
    features = [
        {name: value for name, value in one.items() if name not in kept}
        | {"environments": [{"name": "production"} | {name: one[name] for name in kept if name in one}]}
        for one in given["features"]
    ]
    found = unleash.read_file({"features": features, "segments": given["segments"]})
    assert definitions(found) == definitions(unleash.read_file(given))


def test_the_api_of_launchdarkly_says_the_same() -> None:
    given = sample("launchdarkly")
    shared = ("key", "variations", "version")
    items = [
        {
            "key": key,
            "kind": "multivariate",
            "variations": [{"_id": "x", "value": value} for value in one["variations"]],
            "environments": {
                "test": {"on": False, "salt": "other", "offVariation": 0},
                "production": {name: value for name, value in one.items() if name not in shared},
            },
        }
        for key, one in given["flags"].items()
    ]
    segments = {"items": list(given["segments"].values())}
    content = json.dumps({"items": items, "segments": segments})
    source, found = calls.read_file(content, environment="production")
    assert (source, found.chosen) == ("launchdarkly", "production")
    whole = launchdarkly.read_file(given)
    assert (definitions(found), found.groups) == (definitions(whole), whole.groups)
    without = calls.read_file(json.dumps(items), environment="production")[1]
    segmented = next(one for one in without.flags if one.key == "segmented")
    assert (segmented.decides, segmented.notes[0]) == (True, "The segment beta is not in the file")


def test_the_api_of_growthbook_says_the_same() -> None:
    given = sample("growthbook")
    features = [
        {
            "id": key,
            "valueType": "string",
            "defaultValue": "false",
            "environments": {
                "dev": {"enabled": False, "defaultValue": "false"},
                "production": {"enabled": True, "definition": json.dumps(one)},
            },
        }
        for key, one in given["features"].items()
    ]
    content = json.dumps({"features": features, "savedGroups": given["savedGroups"]})
    source, found = calls.read_file(content, environment="production")
    assert (source, found.chosen) == ("growthbook", "production")
    assert definitions(found) == definitions(growthbook.read_file(given))
    off = calls.read_file(content, environment="dev")[1]
    assert {one.definition.status for one in off.flags if one.definition is not None} == {"inactive"}


def test_flagd_export_imported_again_gives_all_users_the_same_values() -> None:
    file = read("flagd")
    written, _ = flagd_writing.build_file(flags_of(file), groups_of(file))
    again = flagd.read_file(written)
    ready = compile_ruleset(flags_of(again), ())
    assert len(tuple(ready.keys())) > 5
    for key in tuple(ready.keys()):
        recorded = ANSWERS["flagd"]["flags"][key]
        for person, letter in zip(people(), recorded["given"], strict=True):
            outcome = ready.one(key, context(person))
            assert outcome is not None
            assert outcome.value == recorded["values"][ord(letter) - ord("a")], (key, person)


def test_a_later_flagd_draws_by_another_hash() -> None:
    (source, file) = calls.read_file((HERE / "flagd.json").read_text(), "flagd-v3")
    colours = next(one.definition for one in file.flags if one.key == "colours")
    assert source == "flagd-v3"
    assert colours is not None
    assert {one.bucketing.algorithm for one in colours.rules if one.bucketing} | {colours.bucketing.algorithm} == {
        "flagd_v3"
    }


def _places(given: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where there is a value in JSON."""
    yield path
    parts: Any = given.items() if isinstance(given, Mapping) else enumerate(given) if isinstance(given, list) else ()
    for name, value in parts:
        yield from _places(value, (*path, name))


def _with(given: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    copied = dict(given) if isinstance(given, dict) else list(given)
    copied[path[0]] = _with(given[path[0]], path[1:], value)
    return copied


SAMPLES = {product: (sample(product), list(_places(sample(product)))) for product in READERS}
ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([0, -1, 10**30, 1e308, "", "x", "\ud800", [], {}, [[]], [None], {"": None}, {"var": []}]),
    st.recursive(st.text(max_size=3), lambda inside: st.lists(inside, max_size=2), max_leaves=3),
)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(product=st.sampled_from(sorted(READERS)), place=st.integers(0, 10**6), odd=ODD)
def test_whatever_stands_in_a_file_it_is_read_or_refused(product: str, place: int, odd: Any) -> None:
    whole, places = SAMPLES[product]
    broken = _with(whole, places[place % len(places)], odd)
    try:
        _, file = calls.read_file(json.dumps(broken), product)  # type: ignore[arg-type]  # one of READERS
    except BadRequest:
        return
    ready = compile_ruleset(flags_of(file), groups_of(file))
    ready.all(EvaluationContext(user_id="user-1", properties={"country": "NL", "age": 42}))
