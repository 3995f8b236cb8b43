"""Ranges of any length, in steps of any width, beside what is known of earlier days."""

import html
import re
from collections.abc import Iterator

import pytest

from tests.cases import each
from tests.inprocess import SiteName, WholeBox, whole_box

DAY = 86_400
# Days before the noon of Wednesday 17 June 2026, hours after that noon, the website, and who visits it.
VISITS: tuple[tuple[int, int, SiteName, str], ...] = (
    (20, 0, "shop", "ab"),
    (20, 1, "blog", "w"),
    (7, -3, "blog", "xy"),
    (7, 3, "blog", "z"),
    (3, 0, "shop", "c"),
    (0, -1, "blog", "uvw"),
    (0, 0, "shop", "d"),
)


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    """A shop with two visitors on Thursday 28 May 2026, one on Sunday 14 June, and one today, 17 June; and a blog."""
    with whole_box(tmp_path_factory.mktemp("ranges") / "data") as inside:
        noon = inside.clock.now()
        for days, hours, site, who in VISITS:
            inside.clock.advance(seconds=(noon - inside.clock.now()) / 1000 - days * DAY + hours * 3600)
            for name in who:
                event = {"name": "screen_view", "path": f"https://{site}.example/", "anonymousId": name}
                assert inside.post(f"/?client_id={inside.sites[site]}", event).status == 200
        yield inside


def shown(box: WholeBox, rest: str, site: SiteName = "shop") -> str:
    answer = box.get(f"/sites/{box.sites[site]}?wait=all&{rest}", cookie=box.cookie, accept="text/html")
    assert answer.status == 200
    return html.unescape(answer.body.decode())


def table(page: str) -> list[list[str]]:
    """The cells of the chart's table, row by row."""
    own = page.partition('<div class="chart-table')[2].partition("</table>")[0]
    rows = re.findall(r'<tr><th scope="row">(.*?)</tr>', own, re.DOTALL)
    return [[" ".join(re.sub(r"<[^>]*>", " ", cell).split()) for cell in re.split("<td[^>]*>", row)] for row in rows]


def test_all_time_begins_with_the_first_event_and_is_compared_with_nothing(box: WholeBox) -> None:
    page = shown(box, "range=all&show=table&by=week")
    assert "28 May – 17 Jun 2026" in page
    assert "no data before" not in page.casefold()
    assert table(page) == [
        ["28 – 30 May 2026 3 of 7 days", "2"],
        ["31 May – 6 Jun 2026", "0"],
        ["7 – 13 Jun 2026", "0"],
        ["14 – 17 Jun 2026 this week so far", "2"],
    ]


def test_years_are_drawn_by_months_without_those_before_the_first_event(box: WholeBox) -> None:
    page = shown(box, "range=custom&from=2017-01-01&to=2026-06-17&show=table&beside=bounce_rate")
    assert table(page) == [
        ["May 2026", "2", "100.0 %"],
        ["1 – 17 Jun 2026 this month so far", "2", "100.0 %"],
    ]


def test_missing_earlier_data_is_reported_instead_of_a_change(box: WholeBox) -> None:
    page = shown(box, "range=last_30d")
    assert page.casefold().count("no data before 28 may") == 1
    assert 'class="change' not in page


def test_a_week_stands_beside_the_week_before(box: WholeBox) -> None:
    page = shown(box, "range=last_7d&show=table")
    assert "no data before" not in page.casefold()
    assert [row[0] for row in table(page)[-2:]] == ["Tue 16 Jun", "Wed 17 Jun today so far"]
    assert [row[2] for row in table(page)[-2:]] == ["Tue 9 Jun", "Wed 10 Jun"]


def test_a_range_that_is_not_over_is_compared_with_as_much_of_the_one_before(box: WholeBox) -> None:
    for name in ("today", "last_7d"):
        page = shown(box, f"range={name}&align=weekday&show=table", "blog")
        (tile,) = re.findall(r'id="tile-visitors".*?</li>', page, re.DOTALL)
        words = " ".join(re.sub(r"<[^>]*>", " ", tile.partition('tile-change number">')[2]).split())
        assert words == "up 50.0 % from 2 by then", name
        assert "compared with the same time of day" in page
    assert "the same time of day" not in shown(box, "range=yesterday", "blog")
    assert "the same time of day" not in shown(box, "range=last_30d", "blog")  # of which not all is known
    assert table(page)[-1][1:] == ["3", "Wed 10 Jun", "3"]  # the chart has whole days
    cards = box.get("/sites", cookie=box.cookie, accept="text/html").body.decode()
    card = (
        cards.partition('<ul class="sites">')[2]
        .partition(f'href="/sites/{box.sites["blog"]}"')[2]
        .partition("</li>")[0]
    )
    assert "50.0\xa0%" in card  # so that all pages agree


def test_months_stand_beside_as_many_days(box: WholeBox) -> None:
    own = "compare=own&cfrom=2026-05-20&cto=2026-06-24"
    page = shown(box, f"range=custom&from=2026-05-13&to=2026-06-17&by=month&show=table&{own}")
    assert table(page) == [
        ["13 – 31 May 2026 19 of 31 days", "2", "20 May – 7 Jun 2026", "2"],
        ["1 – 17 Jun 2026 this month so far", "2", "8 – 24 Jun 2026", "2"],
    ]


def test_own_dates_of_another_length_are_shown_without_a_change_of_counts(box: WholeBox) -> None:
    page = shown(box, "range=last_7d&compare=own&cfrom=2026-05-28&cto=2026-05-29")
    assert "2 days versus 7" in page
    assert re.search(r'id="tile-visitors".*?tile-change number"><span>from 2</span>', page, re.DOTALL)


@each(
    ("query", "said"),
    [
        ("range=for_ever", "Unknown range “for_ever”. Showing last 30 days."),
        ("range=last_90d&by=hour", "Hours are not available for 90 days. Showing days."),
        ("range=custom&from=1990-01-01&to=2026-06-17", "Ranges are limited to 3,660 days."),
        ("compare=<script>", "Unknown comparison “<script>”."),
    ],
)
def test_invalid_parameters_are_reported(box: WholeBox, query: str, said: str) -> None:
    assert said in shown(box, query)
    assert "<script>”" not in box.get(f"/sites/{box.sites['shop']}?wait=all&{query}", cookie=box.cookie).body.decode()


def test_website_opens_on_the_hours_of_today_until_its_first_event_is_two_days_old(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    with whole_box(tmp_path_factory.mktemp("young") / "data") as young:
        event = {"name": "screen_view", "path": "https://shop.example/", "anonymousId": "a"}
        assert young.post(f"/?client_id={young.sites['shop']}", event).status == 200
        page = shown(young, "show=table")
        assert [hour for hour, _visitors in table(page)][-1].endswith("12:00 this hour so far")
        assert page.count("range=last_30d") > 0  # else the choice of 30 days would lead back to today
        assert [day for day, _visitors in table(shown(young, "range=last_30d&show=table"))][-1].endswith("today so far")
        young.clock.advance(seconds=2 * DAY)
        assert [day for day, _visitors in table(shown(young, "show=table"))][-1] == "Fri 19 Jun today so far"


def test_change_since_yesterday_is_one_click_from_the_movers(box: WholeBox) -> None:
    page = shown(box, "range=last_7d", "blog")
    link = re.search(r'id="moved-yesterday" href="([^"]*)"', page)
    assert link is not None
    assert "range=yesterday" in link[1]
    assert 'id="moved-yesterday"' not in shown(box, "range=yesterday", "blog")
