"""Refusals beyond a limit name it, so that programs can tell it from a resource that exists already (wire 10.6)."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from analytics_box.base.notify import rules as channels
from analytics_box.products.goals import lookup
from analytics_box.products.links.folders import change as link_folders
from analytics_box.products.status_pages.editing import change as status_pages
from tests.inprocess import Answer, WholeBox, whole_box

CHANNEL = {"type": "email", "name": "Ada", "config": {"to": "ada@example.com"}}


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data", adjust=lambda settings: replace(settings, monitors_per_organization=1)) as inside:
        yield inside


def ask(box: WholeBox, procedure: str, /, **given: Any) -> Answer:
    headers = {"content_type": "application/json", "cookie": box.cookie, "sec_fetch_site": "same-origin"}
    return box.ask(
        "POST", f"/rpc/{procedure.replace('.', '/')}", headers=headers, body=json.dumps({"json": given}).encode()
    )


def test_reached_limit_of_a_setting_is_named(box: WholeBox) -> None:
    given = {"granularity": "hour", "url": "https://shop.example/"}
    assert ask(box, "uptime.createSchedule", **given).status == 200
    refused = ask(box, "uptime.createSchedule", **(given | {"url": "https://shop.example/other"}))
    assert (refused.status, refused.json["json"]["code"]) == (409, "CONFLICT")
    data = refused.json["json"]["data"]
    assert {name: data[name] for name in ("feature", "limit", "current")} == {
        "feature": "monitors",
        "limit": 1,
        "current": 1,
    }


def test_resource_that_exists_is_no_reached_limit(box: WholeBox) -> None:
    given = {"name": "Status", "slug": "shop-status"}
    assert ask(box, "statusPage.create", **given).status == 200
    assert set(ask(box, "statusPage.create", **given).json["json"]["data"]) <= {"requestId", "issues"}


@pytest.mark.parametrize(
    ("module", "constant", "procedure", "feature", "given"),
    [
        (lookup, "MOST_GOALS", "goals.create", "goals", {"type": "PAGE_VIEW", "target": "/", "name": "G"}),
        (link_folders, "MOST", "linkFolders.create", "linkFolders", {"name": "Folder"}),
        (channels, "MOST_CHANNELS", "config.createChannel", "channels", CHANNEL),
        (status_pages, "MOST_PAGES", "statusPage.create", "statusPages", {"name": "S", "slug": "s"}),
    ],
)
def test_reached_limit_of_a_resource_is_named(
    box: WholeBox,
    monkeypatch: pytest.MonkeyPatch,
    module: Any,
    constant: str,
    procedure: str,
    feature: str,
    given: dict[str, Any],
) -> None:
    monkeypatch.setattr(module, constant, 0)
    of_website = {"websiteId": box.sites["shop"]} if procedure == "goals.create" else {}
    refused = ask(box, procedure, **given, **of_website)
    assert refused.status == 409, refused.body
    assert refused.json["json"]["data"] | {"requestId": ""} == {
        "requestId": "",
        "feature": feature,
        "limit": 0,
        "current": 0,
    }
