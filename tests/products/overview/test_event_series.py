"""Custom events side by side on the page of one of them, and the files of events and goals."""

import re
from collections.abc import Iterator
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest

from analytics_box.base.clock import MINUTE
from tests.cases import each
from tests.inprocess import WholeBox, whole_box

# Times of each event by visitor.
DONE = {"buy": (1, 2), "look": (3, 0, 4), "$flag_evaluated": (1,)}


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("series") / "data") as inside:
        now = inside.clock.now()
        for name, times in DONE.items():
            for visitor, number in enumerate(times):
                for at in range(number):
                    content: dict[str, Any] = {
                        "name": name,
                        "anonymousId": f"v{visitor}",
                        "websiteId": inside.sites["shop"],
                    }
                    content |= {"timestamp": now - at * MINUTE, "path": "https://shop.example/"}
                    assert inside.post("/track", content, key="all").status == 200
        yield inside


def page(box: WholeBox, **own: str) -> str:
    query = urlencode({"event_name": "buy", "range": "today", **own})
    answer = box.get(f"/sites/{box.sites['shop']}/events?{query}", cookie=box.cookie, accept="text/html")
    assert answer.status == 200, answer.body[:500]
    return unescape(answer.body.decode())


def lines_of(text: str) -> list[tuple[str, ...]]:
    panel = text.partition('id="series-title"')[2].partition("</section>")[0]
    return re.findall(r"<bdi>([^<]+)</bdi></th><td class=\"number\">(\d+)</td><td class=\"number\">(\d+)", panel)


def test_other_events_are_offered_without_the_evaluation_of_flags(box: WholeBox) -> None:
    panel = page(box).partition('id="series-title"')[2].partition("</section>")[0]
    assert re.findall(r"<bdi>([^<]+)</bdi>", panel) == ["look"]


@each(
    ("series", "wanted"),
    [
        ("look", [("buy", "3", "2"), ("look", "7", "2")]),
        ("look,look,buy", [("buy", "3", "2"), ("look", "7", "2")]),
        ("never", [("buy", "3", "2"), ("never", "0", "0")]),
        ("", []),
    ],
)
def test_chosen_events_are_lines_of_one_chart(box: WholeBox, series: str, wanted: list[tuple[str, ...]]) -> None:
    text = page(box, series=series)
    assert lines_of(text) == wanted
    assert len(re.findall(r'<polyline class="series-\d"', text)) == len(wanted)


def test_at_most_three_events_are_compared_with_the_page(box: WholeBox) -> None:
    assert len(lines_of(page(box, series="a,b,c,d,e"))) == 4


def test_file_of_an_event_has_the_days_of_the_compared_events(box: WholeBox) -> None:
    query = urlencode({"event_name": "buy", "range": "last_7d", "series": "look"})
    answer = box.get(f"/sites/{box.sites['shop']}/events/export/json?{query}", cookie=box.cookie)
    assert answer.status == 200, answer.body
    compared = answer.json["compared"]
    assert len(compared) == 7
    assert {name: sum(row[name] for row in compared) for name in ("buy", "look")} == {"buy": 3, "look": 7}
    assert {row["figure"]: row["value"] for row in answer.json["figures"]}["total_events"] == 3


def test_file_of_a_goal_has_its_conversions(box: WholeBox) -> None:
    given = {"websiteId": box.sites["shop"], "name": "Bought", "type": "EVENT", "target": "buy"}
    goal = box.post("/goals/create", given, key="all").json["id"]
    answer = box.get(f"/sites/{box.sites['shop']}/goal/export/json?goal={goal}&range=today", cookie=box.cookie)
    assert answer.status == 200, answer.body
    assert {row["figure"]: row["value"] for row in answer.json["figures"]}["conversions"] == 2
