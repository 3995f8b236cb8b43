"""The page of right now has the figures of the API's types, and nothing of what was sent is markup."""

import re
from collections.abc import Iterator
from html import unescape

import pytest

from analytics_box.products.overview import realtime_pages
from tests.inprocess import WholeBox, whole_box

HOSTILE = "/<b>bold</b>"


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("realtime") / "data") as inside:
        for ago, who, path in (
            (1_500, "early", "/old"),
            (240, "anna", "/four"),
            (30, "bob", HOSTILE),
            (0, "anna", "/"),
        ):
            at = inside.clock.now() - ago * 1_000
            event = {"name": "screen_view", "path": f"https://shop.example{path}", "anonymousId": who, "timestamp": at}
            sent = inside.post(f"/?client_id={inside.sites['shop']}", event, origin="https://shop.example")
            assert sent.status == 200
        yield inside


def page(box: WholeBox, site: str) -> str:
    answer = box.get(f"/sites/{site}/realtime", cookie=box.cookie, accept="text/html")
    assert answer.status == 200
    return answer.body.decode()


def rows(box: WholeBox, name: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = box.query("shop", {"parameters": [name], "preset": "today"}).json["data"][0][
        "data"
    ]
    return found


def test_its_figures_are_those_of_the_api(box: WholeBox) -> None:
    seen = page(box, box.sites["shop"])
    assert "2 online now" in seen
    minutes = [[int(each) for each in found] for found in re.findall(r"visitors (\d+), page views (\d+)", seen)]
    told = [[row["visitors"], row["pageviews"]] for row in rows(box, "realtime_velocity")[-30:]]
    assert minutes == told
    assert sum(views for _, views in minutes) == 4, "with that of 25 minutes ago"
    listed = seen.partition('id="now-pages"')[2].partition("</section>")[0]
    shown = [unescape(name) for name in re.findall(r'<span class="bar[^>]*><bdi>(.*?)</bdi>', listed)]
    assert shown == [row["path"] for row in rows(box, "realtime_pages")]
    assert "/old" not in listed


def test_current_visitors_are_equal_on_all_pages_after_a_clock_change(box: WholeBox) -> None:
    now_was = box.clock.now()
    box.clock.advance(seconds=-20)
    try:
        (now,) = rows(box, "active_stats")
        polled = box.get(f"/sites/{box.sites['shop']}/live", cookie=box.cookie).json["online"]
        shown = re.search(r"(\d+) online now", page(box, box.sites["shop"]))
        assert shown is not None
        assert (int(shown[1]), polled, now["active_users"]) == (2, 2, 2)
        box.clock.advance(seconds=-20)  # before Bob came
        (now,) = rows(box, "active_stats")
        shown = re.search(r"(\d+) online now", page(box, box.sites["shop"]))
        assert shown is not None
        assert int(shown[1]) == now["active_users"] == 1
    finally:
        box.clock.advance(seconds=(now_was - box.clock.now()) / 1000)


def test_the_feed_says_when_there_was_more(box: WholeBox, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Older ones are not shown" not in page(box, box.sites["shop"])
    monkeypatch.setattr(realtime_pages, "MOST", 1)
    assert "Latest event. Older ones are not shown." in page(box, box.sites["shop"])


def test_events_of_the_last_two_minutes_are_listed_newest_first(box: WholeBox) -> None:
    feed = page(box, box.sites["shop"]).partition('id="now-feed"')[2].partition("</section>")[0]
    assert [unescape(path) for path in re.findall(r'feed-path"><bdi>(.*?)</bdi>', feed)] == ["/", HOSTILE]
    assert re.findall(r"<time[^>]*>([^<]+)", feed) == ["12:00:00", "11:59:30"]
    assert "<b>" not in feed


def test_a_row_leads_to_the_overview_of_today_narrowed_to_it(box: WholeBox) -> None:
    listed = page(box, box.sites["shop"]).partition('id="now-pages"')[2].partition("</section>")[0]
    (href,) = [unescape(found) for found in re.findall(r'href="([^"]*four)"', listed)]
    assert href == f"/sites/{box.sites['shop']}?range=today&path=/four"
    narrowed = box.get(href, cookie=box.cookie, accept="text/html").body.decode()
    assert 'id="chip-path"' in narrowed


def test_without_anybody_it_says_so_and_others_do_not_see_it(box: WholeBox) -> None:
    empty = page(box, box.sites["blog"])
    assert "No visitors in the last 5 minutes." in empty
    assert "No events in the last 2 minutes." in empty
    assert box.get(f"/sites/{box.sites['foreign']}/realtime", cookie=box.cookie, accept="text/html").status == 404
    assert box.get(f"/sites/{box.sites['shop']}/realtime", accept="text/html").status == 303
