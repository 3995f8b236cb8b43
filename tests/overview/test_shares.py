"""Shares on pages are of all visitors of the range; a visitor may be in several rows (semantics 22)."""

import re

from tests.inprocess import WholeBox


def view(box: WholeBox, client: str, path: str) -> None:
    content = {
        "name": "screen_view",
        "path": f"https://shop.example{path}",
        "websiteId": box.sites["shop"],
        "anonymousId": client,
    }
    assert box.post("/track", content, key="all").status == 200


def test_two_pages_of_one_visitor_are_each_seen_by_all(box: WholeBox) -> None:
    view(box, "ann", "/a")
    view(box, "ann", "/b")
    view(box, "bea", "/a")
    target = f"/sites/{box.sites['shop']}/parts/pages?range=today"
    page = box.get(target, cookie=box.cookie, accept="text/html").body.decode()
    shares = re.findall(r'class="number bar-share">([^<]*)<', page)
    assert shares == ["100.0\u00a0%", "50.0\u00a0%"]
