"""Every date and time on an overview is written as its reader has chosen; addresses and fields stay ISO."""

import html
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from analytics_box.base.identity import DateFormat, TimeFormat
from tests.cases import each
from tests.inprocess import WholeBox, whole_box
from tests.tenants.websites.world import view

NAMED = re.compile(r"\b(?:\d{1,2} (?:May|Jun)|(?:May|Jun) \d{1,2})\b")
NUMBERED = re.compile(r"\b(?:\d\d[./]\d\d\b[./]?(?:2026)?|2026-\d\d-\d\d|0[56]-\d\d)")
TEXT = re.compile(r"<(?:input|time)[^>]*>|<[^>]*>")


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    directory: Path = tmp_path_factory.mktemp("formats")
    with whole_box(directory / "data") as inside:
        for days in (-20, 20):  # something to compare with, and something of today
            inside.clock.advance(seconds=days * 86_400)
            assert view(inside, inside.sites["shop"]).status == 200
        yield inside


def shown(box: WholeBox, rest: str, date_format: DateFormat, time_format: TimeFormat = "HH:mm") -> str:
    """The overview as somebody with these formats gets it."""
    given = {"dateFormat": date_format, "timeFormat": time_format}
    cookie = box.cookie
    assert box.post("/preferences/updateUserPreferences", given, cookie=cookie).status == 200
    answer = box.get(f"/sites/{box.sites['shop']}{rest}", cookie=cookie, accept="text/html", hx_request="true")
    assert answer.status == 200
    return html.unescape(answer.body.decode())


def words(page: str) -> str:
    """What a reader sees: no tags, so no addresses and no values of fields either."""
    return TEXT.sub(" ", page)


SAID: list[tuple[DateFormat, str, str, str]] = [
    # format, range and what it is compared with, a tick and a label of the chart
    ("D MMM YYYY", "11 – 17 Jun 2026", "4 – 10 Jun 2026", "Wed 17 Jun"),
    ("MMM D, YYYY", "Jun 11 – 17, 2026", "Jun 4 – 10, 2026", "Wed Jun 17"),
    ("DD.MM.YYYY", "11.06.2026 – 17.06.2026", "04.06.2026 – 10.06.2026", "Wed 17.06."),
    ("DD/MM/YYYY", "11/06/2026 – 17/06/2026", "04/06/2026 – 10/06/2026", "Wed 17/06"),
    ("MM/DD/YYYY", "06/11/2026 – 06/17/2026", "06/04/2026 – 06/10/2026", "Wed 06/17"),
    ("YYYY-MM-DD", "2026-06-11 – 2026-06-17", "2026-06-04 – 2026-06-10", "Wed 06-17"),
]


@pytest.mark.parametrize(("form", "dates", "before", "label"), SAID, ids=[row[0] for row in SAID])
@pytest.mark.parametrize("rest", ["?range=last_7d", "?range=last_7d&show=table"], ids=["chart", "table"])
def test_days_are_written_as_chosen(
    box: WholeBox, form: DateFormat, dates: str, before: str, label: str, rest: str
) -> None:
    page = shown(box, rest, form)
    assert dates in page
    assert before in page
    if "table" in rest:
        assert f">{label} <small>today so far" in page or f">{label}<" in page
    else:
        assert f'"{label}"' in page, "the chart's labels"
    others = NUMBERED if "MMM" in form else NAMED
    assert not others.search(words(page)), others.findall(words(page))
    assert 'name="from" value="2026-06-11"' in page, "a date field speaks ISO"


@pytest.mark.parametrize(("form", "tick", "label"), [("HH:mm", "14:00", "14:00"), ("h:mm a", "2:00 pm", "2:00 pm")])
def test_hours_are_written_as_chosen(box: WholeBox, form: TimeFormat, tick: str, label: str) -> None:
    page = shown(box, "?range=today", "D MMM YYYY", form)
    assert f'"{tick}"' in page
    assert f'"Wed 17 Jun, {label}"' in page
    assert ('"14:00"' in page) == (form == "HH:mm")


@pytest.mark.parametrize("rest", ["?range=today&wait=all", "/realtime", "/details/events?range=today"])
def test_user_with_am_pm_sees_no_24_hour_time(box: WholeBox, rest: str) -> None:
    assert box.post("/track", {"name": "signup", "websiteId": box.sites["shop"]}, key="all").status == 200
    page = shown(box, rest, "D MMM YYYY", "h:mm a")
    seen = words(page) + " ".join(re.findall(r'(?:title|aria-label)="([^"]*)"', page))
    assert re.search(r"\b\d{1,2}(:\d\d)* [ap]m\b", seen)
    assert not re.findall(r"\b\d\d:\d\d\b(?! [ap]m)(?!:\d\d [ap]m)", seen)


@each(
    ("week_start", "this_week", "whole_week"),
    [("sunday", "14 – 17 Jun 2026", "7 – 13 Jun 2026"), ("monday", "15 – 17 Jun 2026", "8 – 14 Jun 2026")],
)
def test_weeks_begin_on_the_day_that_the_user_has_chosen(
    box: WholeBox, week_start: str, this_week: str, whole_week: str
) -> None:
    given = {"weekStart": week_start}
    assert box.post("/preferences/updateUserPreferences", given, cookie=box.cookie).json["weekStart"] == week_start
    assert this_week in words(shown(box, "?range=this_week", "D MMM YYYY"))
    weeks = shown(box, "?range=last_30d&by=week&show=table&wait=all", "D MMM YYYY")
    assert whole_week in words(weeks)
    days = re.findall(r'<abbr title="([A-Z][a-z]*day)">', weeks)
    assert days[0].lower() == week_start
