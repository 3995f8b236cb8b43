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


def test_flag_exposures_are_in_no_list_and_no_share_but_in_the_api(box: WholeBox) -> None:
    for name in ("$flag_evaluated", "$flag_evaluated", "signup", "signup", "signup", "share"):
        event = {"name": name, "websiteId": box.sites["shop"], "anonymousId": "ann", "properties": {"flag": "new"}}
        assert box.post("/track", event, key="all").status == 200
    site = f"/sites/{box.sites['shop']}"
    page = box.get(f"{site}/parts/events?range=today", cookie=box.cookie, accept="text/html").body.decode()
    assert re.findall(r'class="number bar-share">([^<]*)<', page) == ["75\u00a0%", "25\u00a0%"]
    for path in (f"{site}/parts/events?range=today", f"{site}/details/events?range=today", f"{site}/realtime"):
        text = box.get(path, cookie=box.cookie, accept="text/html").body.decode()
        assert "signup" in text
        assert "$flag_evaluated" not in text, path
    rows = box.query("shop", {"parameters": ["custom_events"], "preset": "today"}).json["data"][0]["data"]
    assert {row["name"]: row["total_events"] for row in rows} == {"signup": 3, "$flag_evaluated": 2, "share": 1}


def test_two_pages_of_one_visitor_are_each_seen_by_all(box: WholeBox) -> None:
    view(box, "ann", "/a")
    view(box, "ann", "/b")
    view(box, "bea", "/a")
    target = f"/sites/{box.sites['shop']}/parts/pages?range=today"
    page = box.get(target, cookie=box.cookie, accept="text/html").body.decode()
    shares = re.findall(r'class="number bar-share">([^<]*)<', page)
    assert shares == ["100.0\u00a0%", "50\u00a0%"]
