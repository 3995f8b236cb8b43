"""Everything on the overview is a URL, and no URL breaks it."""

from datetime import date
from urllib.parse import parse_qsl, urlsplit
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as some

from analytics_box.dashboard.view import View, address, days_of, read_view
from analytics_box.overview.board import LISTS, PANELS, WEBSITE
from analytics_box.query.ranges import PRESETS, Days

PATH = "/sites/w1"
NOVEMBER_20 = 1_795_183_200_000  # 2026-11-20 14:00 UTC


def read(query: str) -> View:
    return read_view(PATH, dict(parse_qsl(query)), WEBSITE)


def test_defaults_are_left_out_of_the_address() -> None:
    assert address(read("")) == PATH
    assert address(read("range=last_30d&metric=visitors&tab=browsers&compare=on")) == PATH


@pytest.mark.parametrize(
    "query",
    [
        "range=today",
        "range=custom&from=2026-10-22&to=2026-11-20",
        "metric=bounce_rate&compare=off&tab=systems",
        "tab=channels,entry,regions,languages,domains",
        "channel=Organic+Search&country=Germany",
        "path=/blog/caf%C3%A9+%26+more",
        "more=pages&show=table&zone=Europe/Berlin",
        "wait=all",
    ],
)
def test_an_address_is_what_its_state_says(query: str) -> None:
    assert address(read(query)) == f"{PATH}?{query}"


PARAMETERS = ("range", "from", "to", "metric", "tab", "more", "zone", "wait", "country", "path")
STATES = some.builds(
    View,
    path=some.just(PATH),
    of=some.just(WEBSITE),
    range=some.sampled_from(PRESETS),
    metric=some.sampled_from(tuple(WEBSITE.charted)),
    compare=some.booleans(),
    tabs=some.tuples(*(some.sampled_from(names) for names in PANELS.values())).map(
        lambda names: tuple(name for name in names if name not in PANELS)
    ),
    more=some.sampled_from(("", *LISTS)),
    table=some.booleans(),
    zone=some.sampled_from(("", "UTC", "Asia/Kathmandu")),
    wait=some.booleans(),
    filters=some.dictionaries(some.sampled_from(WEBSITE.fields), some.text(min_size=1, max_size=20)).map(
        lambda found: tuple((name, found[name]) for name in WEBSITE.fields if name in found)
    ),
)


@given(STATES)
def test_every_state_survives_its_address(state: View) -> None:
    assert read(urlsplit(address(state)).query) == state


@given(
    some.dictionaries(
        some.sampled_from(PARAMETERS),
        some.text(),
    )
)
def test_no_address_breaks_the_page(query: dict[str, str]) -> None:
    state = read_view(PATH, query, WEBSITE)
    assert days_of(state, NOVEMBER_20, ZoneInfo("UTC")).length >= 1
    assert address(read(urlsplit(address(state)).query)) == address(state)


@pytest.mark.parametrize(
    "query",
    [
        "range=custom",
        "range=custom&from=2026-11-01",
        "range=custom&from=nonsense&to=2026-11-01",
        "range=custom&from=0001-01-01&to=2026-11-01",
        "range=custom&from=2020-01-01&to=2026-11-01",
        "range=for_ever",
    ],
)
def test_a_range_that_cannot_be_is_the_default_range(query: str) -> None:
    assert read(query).range == "last_30d"


def test_own_dates_the_wrong_way_round_are_turned() -> None:
    state = read("range=custom&from=2026-11-20&to=2026-11-01")
    assert (state.first, state.last) == (date(2026, 11, 1), date(2026, 11, 20))


def test_the_days_follow_the_zone_of_the_page() -> None:
    midnight_in_berlin = 1_795_129_200_000 + 30 * 60_000  # 2026-11-20 00:30 there, still the 19th in UTC
    today = read("range=today")
    assert days_of(today, midnight_in_berlin, ZoneInfo("Europe/Berlin")) == Days(date(2026, 11, 20), date(2026, 11, 20))
    assert days_of(today, midnight_in_berlin, ZoneInfo("UTC")) == Days(date(2026, 11, 19), date(2026, 11, 19))


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


def test_a_tab_keeps_those_of_other_panels_and_drops_the_longer_list_of_its_own() -> None:
    state = read("tab=channels,systems&more=systems")
    assert address(state.tab("devices")) == f"{PATH}?tab=channels,devices"
    assert address(state.tab("browsers")) == f"{PATH}?tab=channels"
    assert address(state.tab("sources")) == f"{PATH}?tab=systems&more=systems"


def test_what_is_chosen_again_is_no_filter_any_more() -> None:
    berlin = read("browser_name=Chrome").narrowed({"country": "Germany", "region": "Berlin"})
    assert address(berlin) == f"{PATH}?country=Germany&region=Berlin&browser_name=Chrome"
    assert address(berlin.narrowed({"country": "Germany", "region": "Berlin"})) == f"{PATH}?browser_name=Chrome"
    assert address(berlin.narrowed({"country": "France"})) == f"{PATH}?country=France&region=Berlin&browser_name=Chrome"


def test_a_filter_leads_to_short_lists() -> None:
    assert address(read("more=pages").narrowed({"path": "/"})) == f"{PATH}?path=/"


def test_a_form_adds_a_filter_to_those_that_it_carries() -> None:
    state = read("range=today&city=Munich&field=country&value=+Germany+")
    assert address(state) == f"{PATH}?range=today&country=Germany&city=Munich"
    assert state.all_fields == (("range", "today"), ("country", "Germany"), ("city", "Munich"))


@pytest.mark.parametrize("query", ["field=secrets&value=1", "field=country&value=+", "field=country", "value=Germany"])
def test_a_form_that_names_no_filter_adds_none(query: str) -> None:
    assert read(query).filters == ()
