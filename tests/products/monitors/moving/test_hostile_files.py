"""Files that somebody made to do harm: nothing takes long, nothing breaks, and tokens of others stay theirs."""

import json
from pathlib import Path
from typing import Any

import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analytics_box.base.errors import BadRequest
from analytics_box.base.plain_files import read_mapping as read_text
from analytics_box.products.monitors.moving.calls import read_import
from analytics_box.products.monitors.moving.conditions import assertion, seconds_of
from analytics_box.products.monitors.moving.wanted import MonitorImportFile, MonitorImportNotes
from tests.cases import each
from tests.products.monitors.world import World

HERE = Path(__file__).parent
TOKEN = "0123456789-abcdefghijklmnopqrstu"


@each(
    "condition",
    ("a" * 1_001, "[STATUS] == " + "2" * 1_001, " " * 50_000, "a " * 400, "== 200", "[RESPONSE_TIME] <= inf"),
    ids=lambda condition: f"{condition[:20]} {len(condition)}",
)
def test_a_condition_that_nothing_can_ask_for_is_noted_in_short(condition: str) -> None:
    notes = MonitorImportNotes()
    assert assertion("http", condition, notes) is None
    assert notes.decides
    assert len(notes.said[0]) < 150


def test_a_condition_is_split_at_its_first_operator() -> None:
    found = assertion("http", "  [BODY].a   ==  b <= c ", MonitorImportNotes())
    assert found == {"subject": "json", "property": "/a", "comparison": "equals", "value": "b <= c"}


@each(
    ("text", "seconds"),
    (
        ("1h30m", 5_400.0),
        (" 500ms ", 0.5),
        ("1.5m", 90.0),
        ("5", None),
        ("5m x", None),
        ("1" * 32 + "s", None),
        (5, None),
    ),
)
def test_a_duration_is_short(text: Any, seconds: float | None) -> None:
    assert seconds_of(text) == seconds


def test_times_of_day_are_texts() -> None:
    assert read_text("a: 23:00\nb: 1:30.5\nc: 12\nd: 1.5") == {"a": "23:00", "b": "1:30.5", "c": 12, "d": 1.5}


@each(
    "endpoint",
    ({"alerts": 5}, {"alerts": [5]}, {"maintenance-windows": 3}, {"maintenance-windows": [{"every": 3}]},
     {"conditions": ["[RESPONSE_TIME] <= inf"]}, {"interval": 10**4_000}, {"conditions": 5}),
    ids=lambda endpoint: str(endpoint)[:40],
)  # fmt: skip
def test_an_endpoint_with_something_else_in_it_is_read(endpoint: dict[str, Any]) -> None:
    content = json.dumps({"endpoints": [{"name": "a", "url": "https://example.com"} | endpoint]})
    _, file = read_import(content, None)
    assert len(file.monitors) == 1


def test_a_number_beyond_all_is_none(world: World) -> None:
    monitor = {"type": "http", "url": "https://example.com", "name": "a", "interval": 10**400}
    shown = world.good("import", content=json.dumps({"monitorList": [monitor]}), dryRun=True)
    assert shown["created"] == 1


def test_push_monitor_keeps_the_token_of_a_file_only_if_valid_and_unused(world: World) -> None:
    there = world.good("createSchedule", kind="push", granularity="hour", name="There")
    taken = there["pushUrl"].rpartition("/")[2]
    listed = [
        {"kind": "push", "granularity": "hour", "name": str(number), "secrets": {"token": token}}
        for number, token in enumerate((TOKEN, TOKEN, taken, "short", "a/" * 20))
    ]
    shown = world.good("import", content=json.dumps({"monitors": listed}))
    assert [bool(row["notes"]) for row in shown["monitors"]] == [False, True, True, True, True]
    tokens = [world.known(row["scheduleId"]).secrets.token for row in shown["monitors"]]
    assert (tokens[0], len({*tokens, taken})) == (TOKEN, 6)
    for row in shown["monitors"]:
        world.good("deleteSchedule", scheduleId=row["scheduleId"])
    assert world.box.get(f"/push/{taken}").status == 200
    assert world.box.get(f"/push/{TOKEN}").status == 404


def test_letting_go_of_a_monitor_leaves_what_another_one_has(world: World) -> None:
    one = world.good("createSchedule", kind="push", granularity="hour", name="A", websiteId=world.box.sites["shop"])
    first = world.known(one["scheduleId"])
    twin = type(first)(**{name: getattr(first, name) for name in first.__struct_fields__} | {"number": 999, "id": "x"})
    world.monitors.remember(twin)
    world.monitors.forget(twin)
    assert world.monitors.with_token(first.secrets.token) is not None


def test_an_organization_imports_six_times_a_minute(world: World) -> None:
    content = "monitors: []"
    assert [world.call("import", content=content, dryRun=True).status for _ in range(7)] == [200] * 6 + [429]
    assert world.call("import", key="foreign", content=content).status == 200


KUMA: dict[str, Any] = json.loads((HERE / "kuma.json").read_text())
GATUS: dict[str, Any] = yaml.safe_load((HERE / "gatus.yaml").read_text())
OWN: dict[str, Any] = {
    "monitors": [
        {"url": "https://example.com", "granularity": "day", "secrets": {"headers": {"a": "b"}}, "tags": ["a"]},
    ],
    "maintenances": [{"name": "a", "covers": {"all": True}, "repeat": {"every": "day", "time": "02:30"}}],
}
ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**30), 10**30),
    st.floats(),
    st.text(max_size=20),
    st.lists(st.integers() | st.text(max_size=5), max_size=3),
    st.dictionaries(st.sampled_from(("enabled", "interval", "name", "id")), st.integers() | st.text(max_size=5)),
)


@st.composite
def spoiled(draw: st.DrawFn) -> str:
    """A file of a known form, in which some values are others."""
    whole = json.loads(json.dumps(draw(st.sampled_from((KUMA, GATUS, OWN))), default=str))
    for _ in range(draw(st.integers(1, 3))):
        inside, key = whole, draw(st.sampled_from(sorted(whole)))
        while isinstance(inside[key], dict | list) and inside[key] and draw(st.integers(0, 4)):
            inside = inside[key]
            key = draw(st.sampled_from(sorted(inside) if isinstance(inside, dict) else range(len(inside))))
        inside[key] = draw(ODD)
    return json.dumps(whole) if draw(st.booleans()) else str(yaml.safe_dump(whole))


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(spoiled())
def test_a_spoiled_file_is_refused_in_words_or_read(content: str) -> None:
    try:
        found: object = read_import(content, None)[1]
    except BadRequest as refused:
        found = refused
    assert isinstance(found, MonitorImportFile | BadRequest)
