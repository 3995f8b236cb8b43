"""The page of retention: cohorts of known visitors, what it says without any, and its files."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from html import unescape

import pytest

from analytics_box.base.clock import DAY
from analytics_box.products.retention.figures import Average, averages
from tests.inprocess import WholeBox, whole_box

# Visitor, whether the id lasts, and the days before today on which it visits; the last one also buys.
VISITS: tuple[tuple[str, bool, tuple[int, ...]], ...] = (
    ("ann", True, (8, 7, 6)),
    ("bea", True, (8, 6)),
    ("cid", True, (8,)),
    ("dan", True, (2, 1)),
    ("eve", False, (8, 7)),
)


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("retention") / "data") as inside:
        for who, lasting, days in VISITS:
            for number, day in enumerate(days):
                at = inside.clock.now() - day * DAY
                send(inside, who, at, lasting=lasting, name="screen_view")
                if number == len(days) - 1:
                    send(inside, who, at + 1_000, lasting=lasting, name="buy")
        yield inside


def send(box: WholeBox, who: str, at: int, *, lasting: bool, name: str) -> None:
    content = {"anonymousId": who, "timestamp": at, "websiteId": box.sites["shop"], "name": name}
    content |= {"path": "https://shop.example/", "anonymizeVisitorIds": not lasting}
    assert box.post("/track", content, key="all").status == 200


def get(box: WholeBox, address: str = "") -> str:
    answer = box.get(f"/sites/{box.sites['shop']}/retention{address}", cookie=box.cookie, accept="text/html")
    assert answer.status == 200, answer.body[:500]
    return unescape(answer.body.decode())


def cohorts(shown: str) -> dict[str, list[str]]:
    """The cells of each cohort with visitors."""
    table = re.search(r'<table class="cohorts">(.*?)</table>', shown, re.DOTALL)
    assert table is not None
    found = {}
    for row in re.findall(r"<tr.*?</tr>", table.group(1), re.DOTALL)[1:]:
        name = re.search(r'scope="row">(.*?)<', row)
        cells = [cell.replace("\N{NO-BREAK SPACE}", " ") for cell in re.findall(r">([^<>]*)</td>", row)]
        assert name is not None
        found[name.group(1)] = [cell for cell in cells if cell]
    return {name: cells for name, cells in found.items() if cells[0] != "0"}


def test_cohort_has_the_share_that_came_back_each_day(box: WholeBox) -> None:
    first, second, whole = cohorts(get(box, "?range=last_14d&period=day")).values()
    assert first[:4] == ["3", "100 %", "33.3 %", "66.7 %"]
    assert second[:3] == ["1", "100 %", "100 %"]
    assert whole[:4] == ["4", "100.0 %", "50.0 %", "66.7 %"]


def test_events_select_cohorts_and_what_counts_as_coming_back(box: WholeBox) -> None:
    first, *_ = cohorts(get(box, "?range=last_14d&period=day&return=buy")).values()
    assert first[:4] == ["3", "100 %", "0.0 %", "66.7 %"]


def test_page_says_how_many_visitors_can_be_recognized(box: WholeBox) -> None:
    shown = get(box, "?range=last_14d").replace("\N{NO-BREAK SPACE}", " ")
    assert "4 of 6 visitors" in shown  # a daily id is another visitor each day
    assert "/docs/retention#recognize-more-visitors" in shown


def test_range_without_known_visitors_explains_how_to_recognize_them(box: WholeBox) -> None:
    shown = get(box, "?from=2025-01-01&to=2025-01-31&range=custom")
    assert "No cohorts in this range" in shown
    assert "Recognize more visitors" in shown


def test_parameters_of_the_page_stay_when_its_range_changes(box: WholeBox) -> None:
    shown = get(box, "?range=last_14d&period=day&return=buy")
    assert re.search(r'href="[^"]*range=today[^"]*return=buy', shown)


def test_file_has_the_tables_of_the_page(box: WholeBox) -> None:
    target = f"/sites/{box.sites['shop']}/retention/export/json?range=last_14d&period=day"
    answer = box.get(target, cookie=box.cookie)
    assert answer.status == 200
    assert {"retention", "lifecycle", "stickiness"} <= set(json.dumps(answer.json).replace('"', " ").split())


def test_returns_are_compared_with_those_of_another_range(box: WholeBox) -> None:
    def day(ago: int) -> str:
        return datetime.fromtimestamp((box.clock.now() - ago * DAY) / 1000, UTC).date().isoformat()

    asked = f"?range=custom&from={day(3)}&to={day(0)}&period=day&compare=own&cfrom={day(10)}&cto={day(7)}"
    shown = get(box, asked).replace("\N{NO-BREAK SPACE}", " ")
    tiles = dict(
        re.findall(r'<dt>([^<]+)</dt><dd class="funnel-value">[^<]*</dd><dd class="funnel-note">([^<]+)', shown)
    )
    assert tiles["Return after 1 day"] == "1 of 1 visitor, before: 33.3 %"
    assert "study-before" in shown
    assert "before:" not in get(box, f"?range=custom&from={day(3)}&to={day(0)}&period=day&compare=off")


def test_unfinished_periods_are_in_no_average() -> None:
    rows = [
        {"period": 0, "cohort_size": 4, "visitors": 4, "is_complete": True},
        {"period": 1, "cohort_size": 4, "visitors": 2, "is_complete": True},
        {"period": 0, "cohort_size": 6, "visitors": 6, "is_complete": False},
        {"period": 1, "cohort_size": 6, "visitors": 0, "is_complete": False},
    ]
    assert averages(rows) == [Average(10, 10), Average(2, 4)]
