"""Everything on the overview is a URL, and no URL breaks it."""

from datetime import date
from urllib.parse import parse_qsl, urlsplit
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as some
from multidict import MultiDict

from analytics_box.figures.comparing import Comparison
from analytics_box.figures.narrowing import OPS, WITHOUT_VALUE, Narrow, normal
from analytics_box.figures.periods import STEPS
from analytics_box.figures.spans import NAMED, YOUNG, RangeName, RangeSpan, days_of
from analytics_box.figures.view import View, address, read_view
from analytics_box.products.overview.board import PANELS, WEBSITE
from analytics_box.query.ranges import DayRange
from tests.cases import each

PATH = "/sites/w1"
NOVEMBER_20 = 1_795_183_200_000  # 2026-11-20 14:00 UTC


def read(query: str) -> View:
    return read_view(PATH, MultiDict(parse_qsl(query)), WEBSITE)


def test_defaults_are_left_out_of_the_address() -> None:
    assert address(read("")) == PATH
    assert address(read("range=last_30d&metric=visitors&tab=browsers&compare=on")) == PATH


@pytest.mark.parametrize(
    "query",
    [
        "range=today",
        "range=custom&from=2026-10-22&to=2026-11-20",
        "range=custom&from=2019-10-22&to=2026-11-20&by=month",
        "range=all&by=week&compare=year",
        "range=last_12m&compare=own&cfrom=2025-01-01&cto=2025-01-31",
        "metric=bounce_rate&compare=off&tab=systems",
        "metric=sessions&beside=visitors",
        "tab=channels,entry,regions,languages,domains",
        "channel=Organic+Search&country=Germany",
        "path=/blog/caf%C3%A9+%26+more",
        "show=table&zone=Europe/Berlin",
        "wait=all",
        "segment=seg12345",
        "country=France&country=Germany&country.not=Spain&path.contains=/blog&utm_source.set=yes",
        "1.channel=Direct&1.country=Germany&2.path.starts=/b&2.path.matches=^/a",
        "country=France&path=/&match=any",
    ],
)
def test_an_address_is_what_its_state_says(query: str) -> None:
    assert address(read(query)) == f"{PATH}?{query}"


PARAMETERS = (
    "range",
    "from",
    "to",
    "by",
    "compare",
    "cfrom",
    "cto",
    "beside",
    "metric",
    "tab",
    "zone",
    "wait",
    "country",
    "path",
)
STATES = some.builds(
    View,
    path=some.just(PATH),
    of=some.just(WEBSITE),
    range=some.sampled_from(NAMED),
    usual=some.sampled_from(("last_30d", "today")),
    by=some.sampled_from(("", *STEPS)),
    metric=some.sampled_from(tuple(WEBSITE.charted)),
    compare=some.sampled_from(
        [
            Comparison(),
            Comparison(weekdays=True),
            Comparison("off"),
            Comparison("year"),
            Comparison("year", weekdays=True),
        ]
    )
    | some.just(Comparison("own", first=date(2020, 1, 1), last=date(2026, 1, 1))),
    tabs=some.tuples(*(some.sampled_from(names) for names in PANELS.values())).map(
        lambda names: tuple(name for name in names if name not in PANELS)
    ),
    table=some.booleans(),
    zone=some.sampled_from(("", "UTC", "Asia/Kathmandu")),
    wait=some.booleans(),
    filters=some.builds(
        normal,
        some.lists(
            some.builds(
                Narrow,
                some.sampled_from(("city", "path", "channel")),
                some.sampled_from([op for op in OPS if op not in WITHOUT_VALUE]),
                some.lists(some.text(min_size=1, max_size=5), min_size=1, max_size=3).map(tuple),
                some.integers(0, 12),
            ),
            max_size=8,
        ),
        some.sampled_from(("all", "any")),
    ),
)


@given(STATES)
def test_every_state_survives_its_address(state: View) -> None:
    assert read(urlsplit(address(state)).query).open_for(0, 0 if state.usual == "today" else YOUNG) == state


@given(
    some.dictionaries(
        some.sampled_from(PARAMETERS),
        some.text(),
    )
)
def test_no_address_breaks_the_page(query: dict[str, str]) -> None:
    state = read_view(PATH, query, WEBSITE)
    assert days_of(state.span, NOVEMBER_20, ZoneInfo("UTC")).length >= 1
    assert address(read(urlsplit(address(state)).query)) == address(state)


@each(
    ("query", "said"),
    [
        ("range=custom", "a first and a last day"),
        ("range=custom&from=2026-11-01", "a first and a last day"),
        ("range=custom&from=nonsense&to=2026-11-01", "nonsense – 2026-11-01"),
        ("range=custom&from=0001-01-01&to=2026-11-01", "0001-01-01"),
        ("range=for_ever", "“for_ever”"),
    ],
)
def test_a_range_that_cannot_be_is_the_usual_one_and_the_page_says_so(query: str, said: str) -> None:
    state = read(query)
    assert state.range == "last_30d"
    assert said in state.unread[0]
    assert "last 30 days" in state.unread[0]


@each(
    ("query", "said"),
    [
        ("compare=neighbours", "“neighbours”"),
        ("compare=own&cfrom=2026-11-01", "2026-11-01"),
        ("by=decade", "“decade”"),
        ("metric=fame", "“fame”"),
        ("beside=fame", "“fame”"),
        ("zone=Mars/Olympus", "“Mars/Olympus”"),
    ],
)
def test_unreadable_parameters_are_reported_and_left_out_of_links(query: str, said: str) -> None:
    state = read(query)
    assert said in "".join(state.unread)
    assert address(state) == PATH


def test_an_address_that_can_be_read_leaves_nothing_to_say() -> None:
    assert read("range=all&by=month&metric=sessions&beside=visitors&compare=year&zone=UTC").unread == ()


def test_years_are_a_range_and_of_more_than_can_be_asked_the_last_days_are() -> None:
    assert read("range=custom&from=2017-01-01&to=2026-11-01").first == date(2017, 1, 1)
    longest = read("range=custom&from=1990-01-01&to=2026-11-01")
    assert (longest.last, days_of(longest.span, NOVEMBER_20, ZoneInfo("UTC")).length) == (date(2026, 11, 1), 3_660)
    assert "3,660 days" in longest.unread[0]


@each(
    ("name", "begun", "first"),
    [
        ("last_12m", None, date(2025, 12, 1)),
        ("all", date(2024, 2, 29), date(2024, 2, 29)),
        ("all", None, date(2026, 11, 20)),
        ("all", date(2001, 1, 1), date(2016, 11, 13)),
    ],
)
def test_the_ranges_of_pages_end_today(name: RangeName, begun: date | None, first: date) -> None:
    assert days_of(RangeSpan(name), NOVEMBER_20, ZoneInfo("UTC"), begun) == DayRange(first, date(2026, 11, 20))


def test_another_range_leaves_what_was_chosen_for_this_one_behind() -> None:
    state = read("range=all&by=month&compare=own&cfrom=2025-01-01&cto=2025-01-31&metric=sessions")
    assert address(state.of_range("today")) == f"{PATH}?range=today&metric=sessions"
    assert address(read("range=all&compare=off").of_range("today")) == f"{PATH}?range=today&compare=off"


def test_own_dates_the_wrong_way_round_are_turned() -> None:
    state = read("range=custom&from=2026-11-20&to=2026-11-01")
    assert (state.first, state.last) == (date(2026, 11, 1), date(2026, 11, 20))


def test_the_days_follow_the_zone_of_the_page() -> None:
    midnight_in_berlin = 1_795_129_200_000 + 30 * 60_000  # 2026-11-20 00:30 there, still the 19th in UTC
    today = read("range=today")
    assert days_of(today.span, midnight_in_berlin, ZoneInfo("Europe/Berlin")) == DayRange(
        date(2026, 11, 20), date(2026, 11, 20)
    )
    assert days_of(today.span, midnight_in_berlin, ZoneInfo("UTC")) == DayRange(date(2026, 11, 19), date(2026, 11, 19))


@pytest.mark.parametrize("zone", ["Mars/Olympus", "../../etc/passwd", "/etc/localtime", "x" * 5000, "Europe"])
def test_an_unknown_zone_is_none(zone: str) -> None:
    assert read_view(PATH, {"zone": zone}, WEBSITE).zone == ""


def test_a_form_of_own_dates_carries_everything_but_the_range() -> None:
    assert read("range=custom&from=2026-10-22&to=2026-11-20&metric=sessions&compare=off").fields == (
        ("metric", "sessions"),
        ("compare", "off"),
    )


def test_parts_of_a_page_keep_its_state() -> None:
    assert read("range=today").part("pages") == f"{PATH}/parts/pages?range=today"


def test_of_each_panel_the_last_list_named_is_shown() -> None:
    state = read("tab=nonsense,systems,devices,entry,pages,sources")
    assert state.tabs == ("devices",)
    assert (state.list_of("browsers"), state.list_of("pages")) == ("devices", "pages")


def test_a_tab_keeps_those_of_other_panels() -> None:
    state = read("tab=channels,systems")
    assert address(state.tab("devices")) == f"{PATH}?tab=channels,devices"
    assert address(state.tab("browsers")) == f"{PATH}?tab=channels"
    assert address(state.tab("sources")) == f"{PATH}?tab=systems"


def test_selecting_a_filter_again_removes_it() -> None:
    berlin = read("browser_name=Chrome").narrowed({"country": "Germany", "region": "Berlin"})
    assert address(berlin) == f"{PATH}?browser_name=Chrome&country=Germany&region=Berlin"
    assert address(berlin.narrowed({"country": "Germany", "region": "Berlin"})) == f"{PATH}?browser_name=Chrome"
    assert address(berlin.narrowed({"country": "France"})) == f"{PATH}?browser_name=Chrome&country=France&region=Berlin"


def test_a_filter_leads_to_short_lists() -> None:
    assert address(read("more=pages").narrowed({"path": "/"})) == f"{PATH}?path=/"


def test_a_form_adds_a_filter_to_those_that_it_carries() -> None:
    state = read("range=today&city=Munich&field=country&value=+Germany+")
    assert address(state) == f"{PATH}?range=today&city=Munich&country=Germany"
    assert state.all_fields == (("range", "today"), ("city", "Munich"), ("country", "Germany"))


@pytest.mark.parametrize(
    "query",
    [
        *("field=secrets&value=1", "field=country&value=+", "field=country", "value=Germany"),
        *(
            "field=country&op=between&value=Germany",
            "country.between=Germany",
            "0.country=Germany",
            "a.country=Germany",
        ),
        *("country.=Germany", "100.country=Germany", "secrets=1", "country="),
    ],
)
def test_unknown_filter_name_is_no_filter(query: str) -> None:
    assert read(query).filters.items == ()


@pytest.mark.parametrize(
    ("given", "narrowed"),
    [
        ("field=country&op=not&value=DE", "country.not=Germany"),
        ("country=france&field=country&op=is&value=germany", "country=France&country=Germany"),
        ("field=country&op=contains&value=land", "country.contains=land"),
        ("field=utm_source&op=set&value=", "utm_source.set=yes"),
        ("field=country&op=is&value=FR&value=DE&value=FR", "country=France&country=Germany"),
        ("country=Spain&field=channel&op=is&value=Direct&with=0", "1.channel=Direct&1.country=Spain"),
        ("country=Spain&field=channel&op=is&value=Direct&with=7", "channel=Direct&country=Spain"),
        ("match=any&country=Spain&field=channel&op=is&value=Direct", "channel=Direct&country=Spain&match=any"),
    ],
)
def test_a_form_takes_what_people_write(given: str, narrowed: str) -> None:
    assert address(read(given)) == f"{PATH}?{narrowed}"
