"""The work of every importer grows no faster than its file, whatever shape the file has."""

import json
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from analytics_box.base.acting import By
from analytics_box.base.outgoing.addresses import Fence
from analytics_box.products.flags.access import FlagReach
from analytics_box.products.flags.flag import FlagScope
from analytics_box.products.flags.moving import calls
from analytics_box.products.flags.moving.planning import FlagImportTarget, plan_import
from analytics_box.products.links.bulk import imports as link_imports
from analytics_box.products.monitors.moving import calls as monitor_imports
from analytics_box.products.monitors.moving.plan import ExistingMonitors, MonitorImportPlan, in_order
from analytics_box.resource.reach import Reach
from tests.cases import each
from tests.examples import examples
from tests.steps import steps

BY = By("test", 0)
SMALL, TIMES = 100, 4
SLACK = 1.3  # of what is four times as much


def monitors(text: str) -> None:
    _, file = monitor_imports.read_import(text, None)
    plan = MonitorImportPlan(
        ExistingMonitors(monitors=(), ids=frozenset(), websites={}, used={}, most=10_000),
        Reach("o", BY),
        Fence(()),
        "skip",
    )
    ordered, _ = in_order(file.monitors)
    for one in ordered:
        plan.of(one)


def links(text: str) -> None:
    link_imports.read_rows(text, "json" if text.startswith(("[", "{")) else "csv")


def flags(text: str) -> None:
    source, file = calls.read_file(text)
    plan_import(
        FlagScope("w", "o", "w"),
        FlagReach("o", BY, website_id="w"),
        file,
        FlagImportTarget(source=source, existing="skip"),
    )


def kuma(size: int, parent: Callable[[int], int | None]) -> str:
    groups = [{"id": n, "type": "group", "name": f"g{n}", "parent": parent(n)} for n in range(size)]
    asked = [
        {"id": size + n, "type": "http", "name": f"m{n}", "url": f"https://{n}.example/", "parent": n}
        for n in range(size)
    ]
    return json.dumps({"monitorList": groups + asked})


def gatus(size: int) -> str:
    window = {"start": "01:00", "duration": "1h"}
    endpoints = [
        {
            "name": f"e{n}",
            "url": f"https://{n}.example/",
            "conditions": ["[STATUS] == 200"],
            "maintenance-windows": [window],
        }
        for n in range(size)
    ]
    return str(yaml.safe_dump({"endpoints": endpoints}))


def own_monitors(size: int) -> str:
    listed = [
        {"id": f"{n:020}", "url": f"https://{n}.example/", "granularity": "minute", "parent": f"{n + 1:020}"}
        for n in range(size)
    ]
    return json.dumps({"monitors": listed})


def unleash_export(size: int) -> str:
    names = [f"f{n}" for n in range(size)]
    return json.dumps(
        {
            "features": [{"name": name} for name in names],
            "featureStrategies": [{"id": name, "featureName": name, "name": "default"} for name in names],
            "featureEnvironments": [{"featureName": name, "environment": "p", "enabled": True} for name in names],
        }
    )


def unleash_needs(size: int) -> str:
    needs = [{"feature": f"g{n} has no key"} for n in range(size)]
    return json.dumps({"features": [{"name": "f", "enabled": True, "strategies": [], "dependencies": needs}]})


def launchdarkly(size: int) -> str:
    flag = {"key": "f", "on": True, "variations": list(range(size)), "fallthrough": {"variation": 0}}
    rules = [{"clauses": [{"op": "in", "attribute": "a", "values": [n]}], "variation": n} for n in range(size)]
    return json.dumps({"flags": {"f": flag | {"rules": rules}}})


def launchdarkly_segments(size: int) -> str:
    segments = {f"s{n}": {"key": f"s{n}", "included": ["u"], "rules": []} for n in range(size)}
    rules = [{"clauses": [{"op": "segmentMatch", "values": [f"s{n}"]}], "variation": 0} for n in range(size)]
    flag = {"key": "f", "on": True, "variations": [True, False], "fallthrough": {"variation": 1}, "rules": rules}
    return json.dumps({"flags": {"f": flag}, "segments": segments})


def growthbook(size: int) -> str:
    rules = [{"condition": {"a": n}, "force": n} for n in range(size)]
    return json.dumps({"features": {"f": {"defaultValue": 0, "rules": rules}}})


def growthbook_needs(size: int) -> str:
    parent = {"id": "g", "gate": True, "condition": {"value": {"$exists": True}}}
    rules: list[dict[str, Any]] = [{"parentConditions": [parent]} for _ in range(size)]
    return json.dumps({"features": {"g": {"defaultValue": 0}, "f": {"defaultValue": True, "rules": rules}}})


def flagd(size: int) -> str:
    branches: list[Any] = []
    for n in range(size):
        branches += [{"==": [{"var": "a"}, n]}, "on"]
    flag = {"state": "ENABLED", "variants": {"on": True, "off": False}, "defaultVariant": "off"}
    return json.dumps({"flags": {"f": flag | {"targeting": {"if": [*branches, "off"]}}}})


def own_flags(size: int) -> str:
    chain = [
        {"key": f"f{n}", "prerequisites": [{"key": f"f{n + 1}", "gives": ["true"]}] if n % 8 else []}
        for n in range(size)
    ]
    return json.dumps({"format": "analytics-box-flags", "flags": chain})


def own_groups(size: int) -> str:
    return json.dumps({"format": "analytics-box-flags", "targetGroups": [{"name": f"g{n}"} for n in range(size)]})


def csv(size: int) -> str:
    return "targetUrl,tags,folder\n" + "".join(f"https://{n}.example/,a;b,f{n}\n\n\n" for n in range(size))


def json_links(size: int) -> str:
    return json.dumps([{"targetUrl": f"https://{n}.example/", "tags": ["a"]} for n in range(size)])


def dub_links(size: int) -> str:
    geo = {f"{chr(65 + n // 26 % 26)}{chr(65 + n % 26)}": "https://example.com/" for n in range(size)}
    links = [{"key": f"s{n}xx", "url": "https://example.com/", "domain": "a.example", f"x{n}": 1} for n in range(size)]
    return json.dumps([*links, links[0] | {"geo": geo}])


def yourls_links(size: int) -> str:
    links = {
        f"link_{n}": {"shorturl": f"https://a.example/{n}xx", "url": "https://example.com/", "timestamp": "x"}
        for n in range(size)
    }
    return json.dumps({"stats": {f"s{n}": n for n in range(20)}, "links": links})


SHAPES = (
    (monitors, lambda size: kuma(size, lambda n: n + 1)),
    (monitors, lambda size: kuma(size, lambda n: n - 1)),
    (monitors, lambda size: kuma(size, lambda n: (n + 1) % size)),
    (monitors, lambda size: kuma(size, lambda _: None)),
    (monitors, gatus),
    (monitors, own_monitors),
    (flags, unleash_export),
    (flags, unleash_needs),
    (flags, launchdarkly),
    (flags, launchdarkly_segments),
    (flags, growthbook),
    (flags, growthbook_needs),
    (flags, flagd),
    (flags, own_flags),
    (flags, own_groups),
    (links, csv),
    (links, json_links),
    (links, dub_links),
    (links, yourls_links),
)


@each(("read", "made"), SHAPES)
def test_a_file_four_times_as_large_takes_four_times_the_steps(
    read: Callable[[str], None], made: Callable[[int], str]
) -> None:
    read(made(2))  # what is compiled and looked up with the first file only
    small, large = made(SMALL), made(SMALL * TIMES)
    assert steps(lambda: read(large)) < SLACK * TIMES * steps(lambda: read(small))


@given(st.randoms(use_true_random=False))
@examples(20)
def test_groups_of_any_shape_take_steps_in_proportion(chance: Any) -> None:
    size = 100
    parents = [chance.choice([None, chance.randrange(size), n - 1, n + 1]) for n in range(size)]
    assert steps(lambda: monitors(kuma(size, lambda n: parents[n]))) < 600_000


def referring(parts: int) -> tuple[str, ...]:
    """Files in which a part names others many times, and these others again: read naively, they stand for more than
    anyone can read."""
    flag = {"state": "ENABLED", "variants": {"on": True, "off": False}, "defaultVariant": "off"}
    asked = {"==": [{"var": "a"}, 1]}
    joined = {f"e{n}": {"or": [{"$ref": f"e{n + 1}"}] * parts} for n in range(12)} | {"e12": asked}
    branches = {f"e{n}": {"if": [asked, {"$ref": f"e{n + 1}"}] * parts} for n in range(12)} | {"e12": "on"}
    saved = [[{"$savedGroup": {"id": f"g{n + 1}"}}] * parts for n in range(6)]
    groups: dict[str, Any] = {f"g{n}": {"type": "condition", "condition": {"$or": one}} for n, one in enumerate(saved)}
    groups["g6"] = {"type": "condition", "condition": {"a": 1}}
    rule = {"condition": {"$savedGroup": {"id": "g0"}}, "force": True}
    constraint = {"contextName": "a", "operator": "IN", "values": ["x"]}
    strategies = [{"name": "default", "segments": [1]}] * parts
    return (
        json.dumps({"flags": {"f": flag | {"targeting": {"if": [{"$ref": "e0"}, "on"]}}}, "$evaluators": joined}),
        json.dumps({"flags": {"f": flag | {"targeting": {"$ref": "e0"}}}, "$evaluators": branches}),
        json.dumps({"features": {"f": {"defaultValue": False, "rules": [rule]}}, "savedGroups": groups}),
        json.dumps(
            {
                "features": [{"name": "f", "enabled": True, "strategies": strategies}],
                "segments": [{"id": 1, "constraints": [constraint] * 100 * parts}],
            }
        ),
    )


@pytest.mark.parametrize("number", range(len(referring(2))))
def test_parts_that_refer_to_each_other_do_not_multiply(number: int) -> None:
    assert steps(lambda: flags(referring(4)[number])) < 250_000
