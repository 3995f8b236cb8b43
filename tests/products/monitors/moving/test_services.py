"""Monitors of UptimeRobot, Better Stack and Healthchecks, lists of URLs, and alerts of Gatus."""

import json
from typing import Any

import pytest

from tests.products.monitors.moving import services
from tests.products.monitors.world import World

TOKEN = "31365bce-8da9-4729-8ff3-aaa71d56b712"


def imported(world: World, content: Any, **given: Any) -> Any:
    return world.good("import", content=content if isinstance(content, str) else json.dumps(content), **given)


def stored(world: World) -> dict[str | None, Any]:
    return {one.name: one for one in world.monitors.of(world.box.organization_id)}


@pytest.mark.parametrize("content", [services.ROBOT_V2, services.ROBOT_V3], ids=["v2", "v3"])
def test_monitors_of_uptimerobot_are_imported_without_notes_on_defaults(world: World, content: Any) -> None:
    shown = imported(world, content)
    assert (shown["source"], shown["created"], shown["failed"]) == ("uptimerobot", 5, 0)
    assert [one["notes"] for one in shown["monitors"]] == [[], [], [], [], ["It has a new URL to push to"]]
    found = stored(world)
    shop, search = found["Shop"], found["Search"]
    assert (shop.url, shop.interval, shop.timeout, shop.options.method) == (
        "https://shop.example.org/", 300, 30_000, "HEAD"
    )  # fmt: skip
    assert shop.options.assertions[0].value in {"200-399", "200-299,300-399"}
    assert (search.is_paused, search.options.method, search.interval) == (True, "GET", 60)
    assert (search.options.assertions[1].comparison, search.options.assertions[1].value) == (
        "matches",
        r"(?i)Results\ \(all\)",
    )
    assert [found[name].url for name in ("Database", "Router")] == ["tcp://db.example.org:5432", "ping://9.9.9.10"]
    assert (found["Backup"].interval, found["Backup"].options.grace) == (86_400, 86_400)
    assert imported(world, content)["existing"] == 5


def test_monitors_and_heartbeats_of_better_stack_are_imported(world: World) -> None:
    shown = imported(world, services.BETTER_STACK)
    assert (shown["source"], shown["created"]) == ("better-stack", 4)
    rows = {one["name"]: one for one in shown["monitors"]}
    assert rows["Flow"]["error"] == "Playwright monitors are not supported"
    assert rows["Shop"]["notes"] == ["An interval of 180 seconds becomes 300 seconds"]
    found = stored(world)
    assert (found["Shop"].group, found["Shop"].failures_to_down, found["Shop"].timeout) == ("Web", 3, 30_000)
    api = found["API"]
    assert (api.options.method, api.options.verify, api.options.assertions[0].value) == ("POST", False, "200,401")
    assert (dict(api.secrets.headers), api.secrets.body) == ({"X-Token": "hush"}, "{}")
    assert (found["Database"].url, found["Database"].timeout) == ("tcp://db.example.org:5432", 5_000)
    assert (found["Backup"].kind, found["Backup"].options.grace) == ("push", 3_600)


@pytest.mark.parametrize("content", [services.HEALTHCHECKS_V1, services.HEALTHCHECKS_V3], ids=["v1", "v3"])
def test_check_of_healthchecks_keeps_its_deadline_and_token(world: World, content: Any) -> None:
    shown = imported(world, content)
    assert (shown["source"], shown["monitors"][0]["notes"]) == ("healthchecks", [])
    backup = stored(world)["Backup"]
    assert (backup.kind, backup.interval, backup.options.grace) == ("push", 86_400, 86_400 + 3_600)
    assert (backup.tags, backup.secrets.token) == (("db", "prod"), TOKEN)
    assert world.box.get(f"/push/{TOKEN}").status == 200


def test_cron_schedule_of_healthchecks_becomes_its_longest_gap(world: World) -> None:
    rows = {one["name"]: one for one in imported(world, services.HEALTHCHECKS_V3)["monitors"]}
    assert rows["Report"]["notes"][0] == "The schedule 0 6 * * 1 becomes a heartbeat at least every 168 hours"
    report, bill = stored(world)["Report"], stored(world)["Bill"]
    assert (report.is_paused, report.interval + report.options.grace) == (True, 7 * 86_400 + 600)
    assert rows["Bill"]["notes"][0].startswith("It may be late by up to 7 days here")
    assert (bill.is_paused, bill.options.grace) == (True, 604_800)


def test_list_of_urls_is_imported(world: World) -> None:
    shown = imported(world, "https://a.example.org/\n# a comment\n\nb.example.org/health\ntcp://c.example.org:22\n")
    assert (shown["source"], shown["created"]) == ("list", 3)
    urls = {one.url for one in world.monitors.of(world.box.organization_id)}
    assert urls == {"https://a.example.org/", "https://b.example.org/health", "tcp://c.example.org:22"}


@pytest.mark.parametrize("separator", [",", ";"])
def test_csv_file_with_a_column_of_urls_is_imported(world: World, separator: str) -> None:
    content = services.CSV if separator == "," else services.CSV.replace(",", ";").replace("prod;eu", "prod,eu")
    assert imported(world, content)["created"] == 3
    found = stored(world)
    shop = found["Shop"]
    assert (shop.url, shop.interval, shop.group, shop.tags) == (
        "https://shop.example.org/", 60, "Web", ("eu", "prod")
    )  # fmt: skip
    assert (shop.secrets.user, shop.secrets.password) == ("user", "pass")
    assert found["Search"].options.assertions[0].comparison == "contains"
    assert found["Database"].url == "tcp://db.example.org:5432"


def test_alerts_of_gatus_have_the_defaults_of_their_providers(world: World) -> None:
    content = """
alerting:
  discord: {webhook-url: "https://discord.example/x", default-alert: {failure-threshold: 4, success-threshold: 5}}
  slack: {webhook-url: "https://slack.example/x", default-alert: {enabled: false}}
web: {port: 8080}
endpoints:
  - {name: a, url: "https://a.example.org", conditions: ["[STATUS] == 200"], alerts: [{type: discord}]}
  - {name: b, url: "https://b.example.org", conditions: ["[STATUS] == 200"],
     alerts: [{type: discord, failure-threshold: 2}, {type: slack}]}
  - {name: c, url: "https://c.example.org", conditions: ["[STATUS] == 200"], alerts: [{type: slack}]}
  - {name: d, url: "https://d.example.org", conditions: ["[STATUS] == 200"], alerts: [{type: ntfy}]}
"""
    shown = imported(world, content)
    assert [one["notes"] for one in shown["monitors"]] == [[], [], [], []]
    assert shown["notes"] == [
        "Notification discord: no matching discord channel. Add one, then import the file again.",
        "Notification ntfy: no matching ntfy channel. Add one, then import the file again.",
    ]
    found = stored(world)
    thresholds = {name: (found[name].failures_to_down, found[name].successes_to_up) for name in "abcd"}
    assert thresholds == {"a": (4, 5), "b": (2, 5), "c": (2, 1), "d": (3, 2)}


@pytest.mark.parametrize(
    "content",
    ['{"monitors": [{"friendly_name": 5, "type": []}]}', '{"data": [{"type": "monitor", "attributes": 5}]}',
     '{"checks": [{"grace": "x", "schedule": "* * * * *", "timeout": {}}]}', "url\n\n", "url,name\nhttps://a.b,\"x",
     '[{"data": 5}, 7, {"data": [{"type": "heartbeat"}]}]'],
)  # fmt: skip
def test_odd_file_is_read_or_refused(world: World, content: str) -> None:
    answer = world.call("import", content=content, dryRun=True)
    assert answer.status in {200, 400}, answer.body
