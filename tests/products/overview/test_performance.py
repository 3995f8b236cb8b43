"""The performance page: percentiles, ratings, and the rows with the most visitors affected."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analytics_box.base.clock import DAY, MINUTE
from tests.inprocess import SiteName, WholeBox, whole_box
from tests.products.flags.world import World

FAST, SLOW = 1_000, 9_000


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    """Five visitors of /slow have a poor LCP, one of /mixed; four of /mixed have a good one, one needs work."""
    with whole_box(tmp_path_factory.mktemp("performance") / "data") as inside:
        measured = [("/slow", SLOW)] * 5 + [("/mixed", SLOW), ("/mixed", 3_000)] + [("/mixed", FAST)] * 4
        for number, (path, value) in enumerate(measured):
            send(inside, f"visitor {number}", path, metricName="LCP", metricValue=value, release="2")
        send(inside, "visitor 0", "/slow", metricName="CLS", metricValue=0.02)
        yield inside


def send(box: WholeBox, who: str, path: str, **measured: Any) -> None:
    one = {"anonymousId": who, "path": f"https://shop.example{path}", "timestamp": box.clock.now() - MINUTE}
    query, origin = f"client_id={box.sites['shop']}", "https://shop.example"
    assert box.post(f"/batch?{query}", [{**one, "name": "screen_view"}], origin=origin).status == 200
    assert box.post(f"/vitals?{query}", [{**one, **measured}], origin=origin).status == 200


def page(box: WholeBox, query: str = "", site: SiteName = "shop") -> str:
    path = f"/sites/{box.sites[site]}/performance?range=today{query}"
    answer = box.get(path, cookie=box.cookie, accept="text/html")
    assert answer.status == 200, answer.body
    return answer.body.decode()


def rows(text: str) -> list[tuple[str, ...]]:
    """The breakdown: name, value, share of poor measurements, visitors affected, measurements."""
    table = text.partition('id="split-title"')[2].partition("</table>")[0]
    found = []
    for row in re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)[1:]:
        cells = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)
        found.append(tuple(re.sub(r"<[^>]+>", "", cell).strip() for cell in cells))
    return found


def test_pages_with_the_most_visitors_affected_come_first(box: WholeBox) -> None:
    slow, mixed = rows(page(box))
    assert slow == ("/slow", "9.0\xa0s Poor", "100.0\xa0%", "5", "5")
    assert (mixed[0], *mixed[2:]) == ("/mixed", "16.7\xa0%", "1", "6")


def test_percentile_can_be_selected(box: WholeBox) -> None:
    _slow, mixed = rows(page(box, "&rank=p50"))
    assert mixed[1] == "1.0\xa0s Good"
    _slow, mixed = rows(page(box, "&rank=p99"))
    assert mixed[1].endswith("Poor")


def test_shares_of_a_metric_sum_to_the_whole(box: WholeBox) -> None:
    text = page(box)
    assert "36.4\xa0% good, 9.1\xa0% need work, 54.5\xa0% poor · 11 measured" in text
    assert "100.0\xa0% good, 0.0\xa0% need work, 0.0\xa0% poor · 1 measured" in text


@pytest.mark.parametrize("split", ["country", "device", "browser", "connection", "release"])
def test_other_breakdowns_have_all_measurements(box: WholeBox, split: str) -> None:
    found = rows(page(box, f"&split={split}"))
    assert sum(int(row[4]) for row in found) == 11
    assert split != "release" or found[0][0] == "2"


def test_other_metric_has_its_own_rows(box: WholeBox) -> None:
    assert rows(page(box, "&vital=CLS")) == [("/slow", "0.02 Good", "0.0\xa0%", "0", "1")]


def test_website_without_measurements_says_how_to_get_them(box: WholeBox) -> None:
    assert "data-track-web-vitals" in page(box, site="blog")


def test_metrics_and_the_chosen_breakdown_are_exported(box: WholeBox) -> None:
    path = f"/sites/{box.sites['shop']}/performance/export/json?range=today&split=release&rank=p90"
    found = json.loads(box.get(path, cookie=box.cookie, accept="text/html").body)
    assert [(row["name"], row["samples"]) for row in found["release"]] == [("2", 11)]
    assert {row["metric_name"]: row["samples"] for row in found["vitals_overview"]}["LCP"] == 11
    assert found["vitals_time_series"]


def test_cards_name_the_value_before_and_the_trend_the_flags_that_changed(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data") as box:
        flags = World(box)
        send(box, "ann", "/", metricName="LCP", metricValue=FAST)
        old = flags.good("flags/create", key="old", websiteId=box.sites["shop"], type="boolean")["id"]
        box.clock.advance(seconds=DAY / 1000)
        flags.good("flags/create", key="elsewhere", websiteId=box.sites["blog"], type="boolean")
        made = flags.good("flags/create", key="check-out", websiteId=box.sites["shop"], type="rollout")["id"]
        flags.good("flags/update", id=made, rolloutPercentage=50, name="Rolled out")
        box.clock.advance(seconds=1)
        flags.good("flags/create", key="everywhere", organizationId=box.organization_id, type="boolean")
        send(box, "ann", "/", metricName="LCP", metricValue=3_000)
        box.clock.advance(seconds=7200)
        send(box, "bob", "/", metricName="LCP", metricValue=SLOW)
        text = page(box)
        assert "<small>before: 1.0\xa0s</small>" in text
        notes = re.findall(
            r'<li id="vital-note-\d+"><span>[^<]+</span> <a href="([^"]+)" data-whole><bdi>([^<]+)<', text
        )
        assert [href for href, _said in notes[:2]] == [f"/flags/{made}/history"] * 2
        assert notes[0][1] == "Flag check-out: Created"
        assert notes[1][1].startswith("Flag check-out: ")
        assert notes[1][1].endswith(", 1 more change")
        assert [said for _href, said in notes[2:]] == ["Flag everywhere: Created"]
        assert old not in text
        assert "before:" not in page(box, "&compare=off")
        marked = re.findall(
            r'<li class="vital-flag w(\d+)[^"]*"><a href="#vital-note-(\d+)"[^>]*aria-label="([^"]+)"', text
        )
        assert [(int(number), said.count("Flag ")) for _place, number, said in marked] == [(0, 3)]
        assert [row[1] for row in rows(text)] == ["7.5\xa0s Poor before: 1.0\xa0s"]
        assert "vital-before" not in page(box, "&compare=off")
