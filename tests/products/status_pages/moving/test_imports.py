"""Status pages of Statuspage, Cachet and Uptime Kuma: what becomes of components, incidents and their times."""

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest

from analytics_box.base.errors import BadRequest
from analytics_box.base.facts.uptime import DEGRADED, DOWN, UP
from analytics_box.products.monitors.moving.kuma_database import read_kuma_database
from analytics_box.products.status_pages.moving.atlassian import read_atlassian
from analytics_box.products.status_pages.moving.cachet import is_cachet, read_cachet
from analytics_box.products.status_pages.moving.wanted import instant
from analytics_box.products.status_pages.page import Whole
from tests.products.monitors.moving import kuma_files
from tests.products.status_pages.moving import files
from tests.products.status_pages.world import World

FILES = {"v1": files.STATUSPAGE_V1, "v2": files.STATUSPAGE_V2, "cachet2": files.CACHET_2, "cachet3": files.CACHET_3}


def imported(world: World, content: Any, **given: Any) -> Any:
    return world.good("import", content=json.dumps(content), **given)


def page_of(world: World, content: Any) -> Whole:
    (row,) = imported(world, content)["pages"]
    assert row["status"] == "created", row
    return world.known(row["statusPageId"])


@pytest.mark.parametrize("name", FILES)
def test_dry_run_says_what_an_import_does_and_stores_nothing(world: World, name: str) -> None:
    dry = imported(world, FILES[name], dryRun=True)
    assert world.good("list") == []
    done = imported(world, FILES[name])
    assert (done["created"], done["failed"]) == (1, 0)
    assert [{**one, "statusPageId": ""} for one in done["pages"]] == dry["pages"]
    again = imported(world, FILES[name])
    assert (again["created"], again["existing"]) == (0, 1)
    assert again["pages"][0]["statusPageId"] == done["pages"][0]["statusPageId"]
    assert len(world.good("list")) == 1


@pytest.mark.parametrize("name", ["v1", "v2"])
def test_page_of_statuspage_keeps_its_incidents_with_their_times(world: World, name: str) -> None:
    whole = page_of(world, FILES[name])
    assert (whole.page.slug, whole.page.name, whole.page.published) == ("acme-cloud", "Acme", False)
    (group,) = whole.groups
    checkout, search = whole.components
    assert (checkout.name, checkout.group_id, search.group_id) == ("Checkout", group.id, None)
    assert (search.status, search.only_if_degraded) == ("degraded_performance", True)
    incident = next(one for one in whole.incidents if one.kind == "incident")
    assert (incident.title, incident.status, incident.severity) == ("Checkout fails", "postmortem", "critical")
    assert [(one.status, one.at, one.notified) for one in reversed(incident.updates)] == [
        ("investigating", instant("2026-02-10T09:00:00Z"), False),
        ("monitoring", instant("2026-02-10T10:00:00Z"), False),
        ("resolved", instant("2026-02-10T11:00:00Z"), False),
        ("postmortem", instant("2026-02-12T09:00:00Z"), False),
    ]
    assert incident.updates[2].message == "A fix has been applied and we are monitoring the results."
    assert (incident.started_at, incident.resolved_at) == tuple(
        instant(f"2026-02-10T{hour}:00:00Z") for hour in ("09", "11")
    )
    assert [(one.component_id, one.impact) for one in incident.affected] == [(checkout.id, "down")]
    planned = next(one for one in whole.incidents if one.kind == "maintenance")
    assert (planned.status, planned.scheduled_for) == ("scheduled", instant("2026-04-01T02:00:00Z"))
    assert [(one.component_id, one.impact) for one in planned.affected] == [(search.id, "maintenance")]


def test_page_of_statuspage_has_its_settings_and_says_what_is_lost(world: World) -> None:
    (row,) = imported(world, files.STATUSPAGE_V1, dryRun=True)["pages"]
    assert row["notes"] == [
        "2 subscribers by SMS, webhook or chat, or that cannot be reached, are not imported",
        "The custom domain is not imported. Add it in Settings",
    ]
    assert (row["components"], row["incidents"], row["maintenances"], row["subscribers"]) == (2, 1, 1, 2)
    page = page_of(world, files.STATUSPAGE_V1).page
    assert (page.website_url, page.zone, page.indexed) == ("https://www.acme.example/", "Europe/Berlin", False)
    assert page.description == "How Acme is doing"


def test_past_of_components_follows_their_incidents(world: World) -> None:
    checkout = page_of(world, files.STATUSPAGE_V1).components[0]
    found = world.box.box.box_db.read_now(
        lambda db: db.execute(
            "select state, start, until from component_spans where component_id = ? order by start", (checkout.id,)
        ).fetchall()
    )
    nine, ten, eleven = (instant(f"2026-02-10T{hour}:00:00Z") for hour in ("09", "10", "11"))
    now = world.box.clock.now()
    assert found == [
        (UP, instant("2025-12-01"), nine),
        (DOWN, nine, ten),
        (DEGRADED, ten, eleven),
        (UP, eleven, now),
        (UP, now, 0),
    ]


@pytest.mark.parametrize("name", ["cachet2", "cachet3"])
def test_page_of_cachet_keeps_its_incidents_with_their_times(world: World, name: str) -> None:
    assert is_cachet(FILES[name])
    whole = page_of(world, FILES[name])
    api, website = whole.components
    assert [one.name for one in whole.groups] == ["Services"]
    assert (api.group_id, website.group_id, website.status) == (whole.groups[0].id, None, "major_outage")
    incident = next(one for one in whole.incidents if one.kind == "incident")
    assert [(one.status, one.message, one.at) for one in reversed(incident.updates)] == [
        ("investigating", "We **look** into it.", instant("2026-02-10 09:00:00")),
        ("identified", "It is DNS.", instant("2026-02-10 10:00:00")),
        ("resolved", "Fixed.", instant("2026-02-10 11:00:00")),
    ]
    assert [(one.component_id, one.impact) for one in incident.affected] == [(website.id, "degraded")]
    moved = next(one for one in whole.incidents if one.kind == "maintenance")
    assert (moved.status, moved.scheduled_until) == ("completed", instant("2026-01-10 03:00:00"))
    assert [one.component_id for one in moved.affected] == [api.id]


def test_status_page_of_uptime_kuma_shows_the_imported_monitors(world: World, tmp_path: Path) -> None:
    content = json.dumps(read_kuma_database(kuma_files.sqlite_file(tmp_path / "kuma.db", 2)))
    (row,) = world.good("import", content=content, dryRun=True)["pages"]
    assert row["notes"][:2] == [
        "Queue is not imported: there is no such monitor here",
        "Shop is not imported: there is no such monitor here",
    ]
    assert world.box.post("/uptime/import", {"content": content}, key="all").json["created"] == 3
    whole = page_of(world, json.loads(content))
    assert (whole.page.slug, whole.page.theme, whole.page.indexed) == ("acme", "dark", False)
    assert [one.name for one in whole.groups] == ["Services", "Storage"]
    shop, database = whole.components
    names = {one.id: one.name for one in world.monitors.of(world.box.organization_id)}
    assert [names[one.monitor_id or ""] for one in (shop, database)] == ["Shop", "Database"]
    assert (shop.hide_url, database.hide_url) == (False, True)
    (incident,) = whole.incidents
    assert (incident.title, incident.status, incident.started_at) == (
        "Slow checkout",
        "resolved",
        instant("2026-02-18 12:05:00"),
    )


def test_page_that_cannot_be_imported_leaves_nothing_behind(world: World) -> None:
    content = copy.deepcopy(files.STATUSPAGE_V1)
    content["page"]["name"] = "\u200b"
    (row,) = imported(world, content)["pages"]
    assert (row["status"], row["error"]) == ("failed", "Enter a name with visible characters")
    assert world.good("list") == []


def test_page_whose_slug_another_organization_has_gets_another_one(world: World) -> None:
    world.good("create", key="foreign", name="Acme", slug="acme-cloud")
    assert page_of(world, files.STATUSPAGE_V1).page.slug == "acme-cloud-2"
    assert imported(world, files.STATUSPAGE_V1)["existing"] == 1


def test_file_of_something_else_is_refused(world: World) -> None:
    assert world.call("import", content='{"monitors": []}').status == 400
    assert world.call("import", content="[]").status == 400


@pytest.mark.parametrize("name", FILES)
def test_spoiled_file_is_read_or_refused(name: str) -> None:
    draw: Any = random.Random(name)
    read = read_cachet if name.startswith("cachet") else read_atlassian
    for _turn in range(200):
        whole = copy.deepcopy(FILES[name])
        inside, key = whole, draw.choice(sorted(whole))
        while isinstance(inside[key], dict | list) and inside[key] and draw.random() < 0.8:
            inside = inside[key]
            key = draw.choice(sorted(inside)) if isinstance(inside, dict) else draw.randrange(len(inside))
        inside[key] = draw.choice((None, True, -1, 1.5, "", "x", [], {}, [1], {"data": 3}, "2026-99-99"))
        try:
            found: object = read(whole)
        except (BadRequest, TypeError, ValueError, KeyError) as refused:
            found = refused
        assert isinstance(found, list | Exception)
