"""Backups of Uptime Kuma and configurations of Gatus: what is taken, and what is not supported."""

import copy
import json
import random
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from analytics_box.base.acting import By
from analytics_box.base.errors import BadRequest
from analytics_box.base.outgoing.addresses import Fence
from analytics_box.products.monitors.moving import gatus, kuma
from analytics_box.products.monitors.moving.plan import ExistingMonitors, MonitorImportPlan, in_order
from analytics_box.resource.reach import Reach
from tests.cases import each
from tests.products.monitors.world import World

HERE = Path(__file__).parent
KUMA = (HERE / "kuma.json").read_text()
GATUS = (HERE / "gatus.yaml").read_text()


def rows(world: World, content: str, **given: Any) -> dict[str, dict[str, Any]]:
    """What became of each monitor of a file, by its name."""
    shown = world.good("import", content=content, **given)
    return {row["name"]: row for row in shown["monitors"]}


def stored(world: World) -> dict[str | None, Any]:
    return {one.name: one for one in world.monitors.of(world.box.organization_id)}


@pytest.mark.parametrize("content", [KUMA, GATUS], ids=["kuma", "gatus"])
def test_a_dry_run_says_what_an_import_does_and_stores_nothing(world: World, content: str) -> None:
    before = world.rows("select count(*) from audit")
    dry = world.good("import", content=content, dryRun=True)
    assert world.good("listSchedules") == []
    assert world.good("listMaintenances") == []
    assert world.rows("select count(*) from audit") == before
    done = world.good("import", content=content)
    assert done["created"] > 5
    hidden = {"scheduleId", "pushUrl", "url"}
    for tried, made in zip(dry["monitors"], done["monitors"], strict=True):
        assert {k: v for k, v in tried.items() if k not in hidden} == {k: v for k, v in made.items() if k not in hidden}
        assert (tried["scheduleId"], tried["pushUrl"]) == (
            "" if made["status"] == "created" else made["scheduleId"],
            None,
        )
    assert {**dry, "monitors": [], "dryRun": False} == {**done, "monitors": []}
    again = world.good("import", content=content)
    assert (again["created"], again["existing"], again["failed"]) == (0, done["created"], done["failed"])
    assert [one["status"] for one in again["maintenances"]] == ["existing"] * len(done["maintenances"])


def test_a_backup_of_uptime_kuma_is_read(world: World) -> None:
    shown = world.good("import", content=KUMA)
    assert (shown["source"], shown["total"], shown["created"], shown["failed"]) == ("uptime-kuma", 13, 9, 4)
    assert shown["notes"] == [
        "Notification Telegram: no matching telegram channel. Add one, then import the file again."
    ]
    found = stored(world)
    shop = found["Shop"]
    assert (shop.url, shop.interval, shop.timeout, shop.failures_to_down) == (
        "https://shop.example.org/health?deep=1", 60, 12_000, 4
    )  # fmt: skip
    assert (shop.group, shop.tags, shop.is_paused) == ("Web", ("prod", "region:eu"), False)
    assert (shop.options.method, shop.options.verify, shop.options.redirects) == ("POST", False, 5)
    assert [(one.subject, one.value) for one in shop.options.assertions] == [("status", "200-299,304")]
    assert (shop.secrets.user, shop.secrets.password, shop.secrets.body) == ("ada", "hush", '{"deep": true}')
    assert dict(shop.secrets.headers) == {"X-Token": "hush", "Content-Type": "application/json"}
    search = found["Search"]
    assert (search.url, search.secrets.user, search.secrets.password) == (
        "https://search.example.org/",
        "user",
        "pa@ss",
    )
    assert (search.is_paused, search.cache_bust, search.timeout) == (True, True, 120_000)
    assert search.options.assertions[1].comparison == "not_contains"
    (_, asked) = found["API"].options.assertions
    assert (asked.subject, asked.property, asked.comparison, asked.value) == ("json", "/checks/0/state", "equals", "ok")
    assert [found[name].url for name in ("Postgres", "Router", "Mail")] == [
        "tcp://db.example.org:5432", "ping://9.9.9.10", "dns://example.org"
    ]  # fmt: skip
    assert (found["Mail"].options.record, found["Mail"].options.server) == ("MX", "9.9.9.9")
    assert found["Backup"].interval == 86_400


def test_notifications_of_uptime_kuma_become_alert_rules_of_existing_channels(world: World) -> None:
    config = {"token": "123456:AAE-abcdefghijklmnopqrstuvwxyz0123456", "chatId": "42"}
    channel = world.box.post(
        "/config/createChannel", {"type": "telegram", "name": "On call", "config": config}, key="all"
    ).json["channel"]["id"]
    notes = world.good("import", content=KUMA, dryRun=True)["notes"]
    assert notes == ["Notification Telegram: a new alert rule will notify On call."]
    notes = world.good("import", content=KUMA)["notes"]
    assert notes == ["Notification Telegram: the new alert rule Telegram notifies On call."]
    (rule,) = world.box.post("/alarms/list", {}, key="all").json
    assert (rule["name"], rule["triggerType"], rule["destinations"][0]["channelId"]) == ("Telegram", "uptime", channel)
    assert rule["triggerConditions"]["monitorIds"] == [stored(world)["Shop"].id]
    notes = world.good("import", content=KUMA)["notes"]
    assert notes == ["Notification Telegram: the alert rule Telegram already notifies On call."]


def test_unsupported_options_of_uptime_kuma_are_reported(world: World) -> None:
    found = rows(world, KUMA, dryRun=True)
    assert set(found["Shop"]["notes"]) == {
        "An interval of 20 seconds becomes 60 seconds",
        "description is not supported",
        "resendInterval is not supported",
    }
    assert {"interval", "timeout", "headers", "tags", "maxretries"} <= {*found["Shop"]["taken"]}
    assert found["Postgres"]["notes"] == ["maxretries + 1 becomes 10"]
    for name, error in (
        ("Containers", "Docker monitors are not supported"),
        ("Closed", "Upside-down mode is not supported"),
        ("Shop again", "The file contains this monitor twice"),
    ):
        assert (found[name]["status"], found[name]["error"]) == ("failed", error)
    assert found["At home"]["field"] == "url"
    assert "A server administrator can open the network" in found["At home"]["error"]
    for name, lost in (("Odd API", "jsonPath $count(items[price > 3]) =="), ("Intranet", "authMethod ntlm")):
        assert (found[name]["status"], found[name]["isPaused"]) == ("created", True)
        assert found[name]["notes"][-1] == "It is paused; look at it and resume it"
        assert any(note == f"{lost} is not supported" for note in found[name]["notes"])


def test_a_configuration_of_gatus_is_read(world: World) -> None:
    shown = world.good("import", content=GATUS)
    assert (shown["source"], shown["total"], shown["created"], shown["failed"]) == ("gatus", 14, 11, 3)
    assert shown["notes"] == ["Notification slack: no matching slack channel. Add one, then import the file again."]
    found = stored(world)
    front = found["front-end"]
    assert (front.group, front.interval, front.timeout, front.failures_to_down, front.successes_to_up) == (
        "core", 300, 2_500, 5, 3
    )  # fmt: skip
    assert [(one.subject, one.property, one.comparison, one.value) for one in front.options.assertions] == [
        ("status", "", "equals", "200"),
        ("json", "/status", "equals", "UP"),
        ("json", "/checks/0/name", "matches", "(?s)^disk.*$"),
        ("response_time", "", "less_than", "150"),
        ("certificate_days", "", "greater_than", "2"),
    ]
    assert dict(front.secrets.headers) == {"Authorization": "Bearer hush"}
    back = found["back-end"]
    assert (back.options.verify, back.options.redirects) == (False, 0)
    assert [(one.subject, one.comparison, one.value) for one in back.options.assertions] == [
        ("status", "in", "200,429"),
        ("body", "contains", "welcome"),
        ("json", "not_exists", ""),
    ]
    assert found["lengths"].options.assertions[0].value == "300"
    assert found["graph"].secrets.body == '{"query":"{ users { name } }"}'
    dns = found["example-dns-query"]
    assert (dns.url, dns.options.record, dns.options.server, dns.interval) == (
        "dns://example.com",
        "A",
        "8.8.8.8",
        3_600,
    )
    assert dns.options.assertions[0].subject == "record"
    assert (found["icmp-ping"].url, found["icmp-ping"].is_paused) == ("ping://example.org", True)
    assert found["database"].url == "tcp://db.example:6379"
    assert found["certificate"].options.assertions[0].value == "9"
    assert [one.value for one in found["domain"].options.assertions] == ["100-599"]
    assert (found["nightly-backup"].kind, found["nightly-backup"].interval) == ("push", 1_800)
    assert {name for name, one in found.items() if one.is_paused} == {"lengths", "icmp-ping", "domain", "sometimes"}
    failed = {row["name"]: row for row in shown["monitors"] if row["status"] == "failed"}
    assert {*failed} == {"variable", "starttls", "ssh"}
    assert failed["variable"]["notes"] == ["It contains an environment variable. Replace it with its value"]
    assert failed["starttls"]["error"] == "starttls checks are not supported"


def test_maintenance_of_gatus_becomes_windows(world: World) -> None:
    world.good("import", content=GATUS)
    front = stored(world)["front-end"]
    whole, one = sorted(world.good("listMaintenances"), key=lambda shown: len(shown["name"]))
    assert (whole["name"], whole["covers"]) == ("maintenance", {"all": True})
    assert (whole["repeat"]["every"], whole["repeat"]["weekdays"], whole["repeat"]["time"]) == ("week", [1, 4], "23:00")
    assert (whole["repeat"]["zone"], whole["repeat"]["minutes"]) == ("Europe/Amsterdam", 60)
    assert (one["covers"], one["repeat"]["every"]) == ({"monitorIds": [front.id]}, "day")


@each(
    ("content", "words"),
    (
        ("", "empty"),
        ("[1, 2]", "does not contain monitors"),
        ("{", "not valid JSON"),
        ("a: [", "not valid YAML (line"),
        ("just text", "must be an object or a list"),
        ('{"a": 1}', "does not contain monitors, monitorList"),
        ("a: !!python/object/apply:os.system [ls]", "not valid YAML"),
        ("endpoints: 5", "endpoints must be a list"),
        ("monitorList: 5", "monitorList"),
        ("monitors: [{url: 5}]", "monitors"),
        ("monitors: [{url: a, granularity: minute, colour: red}]", "colour"),
        ("monitors: &a [*a]", "refers to itself"),
        ("a: " + "[" * 60 + "]" * 60, "nested too deeply"),
        ("a: " + "[" * 100_000, "nested too deeply"),
        (
            "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
            + "\n".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12))
            + "\nmonitors: *a11",
            "too many values",
        ),
        (
            "a0: &a0 {k: v}\n"
            + "\n".join(f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 10)}]}}" for n in range(1, 12))
            + "\nmonitors: []",
            "too many values",
        ),
        ("monitors: []\nx: " + "9" * 5_000, "cannot be read"),
        ("monitors: []\nx: 0x" + "f" * 5_000, "cannot be read"),
        ("monitors: []\nx: !!int 1" + ":1" * 50, "cannot be read"),
        ("monitors: []\nx: " + "a" * 200_001, "200,000 characters"),
        ("monitors: [" + "a," * 200_000 + "]", "too many values"),
        ("monitors: []\n# " + "a" * 2_000_000, "2 MB"),
        ("monitorList: {1: {type: http, url: 'https://example.com', name: 0x" + "f" * 5_000 + "}}", "cannot be read"),
        ("monitors: []\nx: 2026-13-45", "cannot be read"),
    ),
    ids=lambda content, words: f"{content[:30]} {words}",
)
def test_another_file_is_refused_in_words(
    world: World, monkeypatch: pytest.MonkeyPatch, content: str, words: str
) -> None:
    monkeypatch.setattr("analytics_box.resource.imports.IMPORTS", 1_000)
    answer = world.call("import", content=content)
    assert answer.status == 400, answer.body
    assert words in answer.json["error"]
    assert len(answer.json["error"]) < 300


def test_a_file_may_hold_as_many_monitors_as_there_may_be(world: World) -> None:
    listed = "".join(f"  - {{url: 'https://example.com/{n}', granularity: day}}\n" for n in range(105))
    shown = world.good("import", content=f"monitors:\n{listed}")
    assert (shown["created"], shown["failed"]) == (100, 5)
    assert "monitors_per_organization" in shown["monitors"][-1]["error"]


ODD: tuple[Any, ...] = (
    *(None, True, 0, -1, 1e300, float("nan"), "", "x", "\u202e", [], [1], {}, {"a": 1}, [{}], "9" * 500, 10**30),
    *("https://[::1", "http://a:99999/", "[STATUS] == ", {"interval": 5}, "-5m", "${HOME}"),
)


def test_whatever_a_file_says_instead_is_taken_or_refused() -> None:
    """Values of real files replaced by odd ones: nothing but BadRequest is ever raised."""
    chance, refused = random.Random(7), 0
    plan_of = partial(
        MonitorImportPlan,
        ExistingMonitors((), frozenset(), {}, {}, 100),
        Reach("org", By("test", 1)),
        Fence(),
        "skip",
    )
    for given, reader in ((json.loads(KUMA), kuma.read_kuma), (yaml.safe_load(GATUS), gatus.read_gatus)):
        places = [path for path in paths(given) if path]
        for _ in range(100):
            odd = copy.deepcopy(given)
            *above, last = chance.choice(places)
            place = odd
            for step in above:
                place = place[step]
            place[last] = chance.choice(ODD)
            try:
                plan = plan_of()
                refused += sum(plan.of(one).status == "failed" for one in in_order(reader(odd).monitors)[0])
            except BadRequest:
                refused += 1
    assert refused > 100


def paths(value: Any) -> Iterator[tuple[Any, ...]]:
    """Where every value within a value is."""
    yield ()
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, one in inside:
        yield from ((name, *path) for path in paths(one))
