"""Whose time zone counts: the one that was chosen, else that of the browser that signed in last."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from analytics_box.app.admin import commands
from analytics_box.base.errors import BadRequest
from analytics_box.tenants.accounts import passwords
from tests.inprocess import EMAIL, PASSWORD, RunningBox, empty_box


@pytest.fixture
def box(tmp_path: Path) -> Iterator[RunningBox]:
    with empty_box(tmp_path / "data") as made:
        yield made


def set_up(box: RunningBox, **given: str) -> Any:
    """As `analytics-box setup` does it."""
    wanted = {"organization": "Ada", "website": "Shop", "domain": "shop.example", "email": EMAIL, **given}
    account = json.dumps({**wanted, "password": passwords.hash_now(PASSWORD)}).encode()
    return box.run(commands.run_command(box.box.parts, "setup", account))


def sign_in(box: RunningBox, zone: str) -> str:
    """In a browser of this zone; its cookie."""
    form = urlencode({"email": EMAIL, "password": PASSWORD, "zone": zone}).encode()
    headers = {"content_type": "application/x-www-form-urlencoded"}
    return box.ask("POST", "/sign-in", headers=headers, body=form).headers["set-cookie"].partition(";")[0]


def zone_of(box: RunningBox, cookie: str) -> tuple[str, str]:
    """The zone as the wire names it, and the one that pages are shown in."""
    chosen = box.post("/preferences/getUserPreferences", {}, cookie=cookie).json["timezone"]
    page = box.get("/settings/profile", cookie=cookie).body.decode()
    return chosen, page.partition("time zone, now ")[2].partition(".")[0]


def test_the_zone_that_setup_is_given_stays(box: RunningBox) -> None:
    set_up(box, time_zone="Europe/Berlin")
    assert zone_of(box, sign_in(box, "Asia/Tokyo")) == ("Europe/Berlin", "Europe/Berlin")


def test_without_one_the_browser_of_each_sign_in_decides(box: RunningBox) -> None:
    set_up(box)
    assert zone_of(box, sign_in(box, "Asia/Tokyo")) == ("auto", "Asia/Tokyo")
    assert zone_of(box, sign_in(box, "Europe/Berlin")) == ("auto", "Europe/Berlin")
    assert zone_of(box, sign_in(box, "Nowhere/Land")) == ("auto", "UTC")


def test_a_chosen_one_is_given_back_to_the_browser_by_auto(box: RunningBox) -> None:
    set_up(box, time_zone="Europe/Berlin")
    cookie = sign_in(box, "Asia/Tokyo")
    box.post("/preferences/updateUserPreferences", {"timezone": "auto"}, cookie=cookie)
    assert zone_of(box, cookie) == ("auto", "Europe/Berlin")
    assert zone_of(box, sign_in(box, "Asia/Tokyo")) == ("auto", "Asia/Tokyo")


def test_a_zone_that_is_none_is_refused_and_nothing_is_made(box: RunningBox) -> None:
    with pytest.raises(BadRequest, match="IANA"):
        set_up(box, time_zone="Berlin")
    assert box.box.box_db.read_now(lambda db: db.execute("select count(*) from users").fetchall()) == [(0,)]
