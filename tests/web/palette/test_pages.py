"""The palette of a whole box: every room is found, by those who may, in their own organization."""

import re
from collections.abc import Iterator
from html import unescape
from typing import Any
from urllib.parse import quote

import pytest

from analytics_box.app.page_parts import SOURCES
from analytics_box.app.routes import PAGES_AND_API
from tests.inprocess import FixedClock, WholeBox, whole_box

XSS = "<img src=x onerror=alert(1)> zebra"


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("palette"), clock=FixedClock()) as whole:
        fill(whole)
        yield whole


def fill(box: WholeBox) -> None:
    """Something called zebra in every room."""
    website, country = {"websiteId": box.sites["shop"]}, {"field": "country", "op": "eq", "value": "Germany"}
    query = {"parameters": ["top_pages"], "preset": "last_7d"}
    made: dict[str, dict[str, Any]] = {
        "links/create": {"name": XSS, "targetUrl": "https://shop.example/", "slug": "zebra-link"},
        "uptime/createSchedule": {"name": "Zebra monitor", "url": "https://zebra.example/", "granularity": "hour"},
        "statusPage/create": {"name": "Zebra status", "slug": "zebra-status"},
        "flags/create": {"key": "zebra-flag", "name": "Zebra flag", "type": "boolean", "defaultValue": False},
        "goals/create": {**website, "name": "Zebra goal", "type": "PAGE_VIEW", "target": "/zebra"},
        "segments/create": {**website, "name": "Zebra segment", "isShared": True, "filters": [country]},
        "questions/create": {**website, "name": "Zebra question", "isShared": True, "query": query},
    }
    for name, given in made.items():
        answer = box.post(f"/rpc/{name}", {"json": given}, key="all")
        assert answer.status == 200, (name, answer.body)


def found(box: WholeBox, asked: str, *, page: str = "/palette/options", here: str = "") -> list[tuple[str, str]]:
    """Labels and addresses."""
    text = box.get(f"{page}?q={quote(asked)}&here={here}", cookie=box.cookie, accept="text/html").body.decode()
    hits = re.findall(r'(?:data-href|href)="([^"]*)">(?:<svg.*?</svg>)<bdi class="palette-label">([^<]*)</bdi>', text)
    return [(unescape(label), unescape(href)) for href, label in hits]


def test_all_rooms_are_found_by_name_on_the_page_and_in_the_dialog(box: WholeBox) -> None:
    hits = found(box, "zebra")
    rooms = ("monitor", "status", "flag", "goal", "segment", "question")
    assert {label for label, _ in hits} == {XSS, *(f"Zebra {room}" for room in rooms)}
    assert {href.split("/")[1] for _, href in hits} == {"links", "monitors", "status-pages", "flags", "sites"}
    assert {label for label, _ in found(box, "shop zebra")} >= {"Zebra goal", "Zebra segment", "Zebra question"}
    assert found(box, "zebra", page="/palette") == hits
    assert found(box, "zebra-link")[0][0] == XSS
    for _, href in hits:
        assert box.get(href, cookie=box.cookie, accept="text/html").status == 200


def test_websites_their_pages_actions_settings_and_the_manual_are_found(box: WholeBox) -> None:
    shop = f"/sites/{box.sites['shop']}"
    assert ("Shop", shop) in found(box, "shop.exam")
    assert (found(box, "shop notes")[0][1]) == f"{shop}/notes"
    assert ("Create link", "/links/new") in found(box, "new link")
    assert "/settings/keys" in {href for _, href in found(box, "settings keys")}
    assert "/docs/backup" in {href for _, href in found(box, "back up")}
    assert "/docs/reports" in {href for _, href in found(box, "weekly email")}
    here = found(box, "", here=f"{shop}/queries")
    assert here[0][1] == shop
    assert ("Add website", "/sites/new") in here


def test_palette_links_lead_to_existing_pages(box: WholeBox) -> None:
    patterns = [
        re.compile(re.sub(r"\{[^}]*\}", "[^/]+", route.path) + r"\Z")
        for route in PAGES_AND_API
        if route.page and route.method == "GET"
    ]
    hits = {
        re.split(r"[?#]", href)[0]
        for asked in ("", "e", "a", "shop o", "shop e", "settings")
        for _, href in found(box, asked, page="/palette")
    }
    assert len(hits) > 30
    assert [href for href in hits if not any(pattern.match(href) for pattern in patterns)] == []


def test_other_organizations_and_viewers_find_only_what_is_theirs(box: WholeBox) -> None:
    assert "Foreign" not in {label for label, _ in found(box, "foreign")}
    set_role = "update members set role = ?"
    box.box.box_db.write_now(lambda db: db.execute(set_role, ("viewer",)).fetchall())
    try:
        assert not any(href.endswith("/new") for _, href in found(box, "new"))
        assert not any(href.endswith(("/settings", "/visitors")) for _, href in found(box, "shop e"))
        assert "Zebra flag" in {label for label, _ in found(box, "zebra")}
    finally:
        box.box.box_db.write_now(lambda db: db.execute(set_role, ("owner",)).fetchall())


def test_nothing_found_says_so_and_strangers_are_sent_to_sign_in(box: WholeBox) -> None:
    text = box.get("/palette?q=%3Cb%3Equagga", cookie=box.cookie, accept="text/html").body.decode()
    assert "No results for “&lt;b&gt;quagga”" in text
    assert found(box, "x" * 5_000) == []
    assert box.get("/palette/options?q=a", accept="text/html").status in {303, 401}
    assert len(SOURCES) == len(set(SOURCES))
