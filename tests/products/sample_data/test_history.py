"""The demo's history: believable, without gaps, and always the same for the same seed."""

from collections import Counter

import pytest

from analytics_box.base.clock import DAY, HOUR, MINUTE, utc_day
from analytics_box.base.facts.event import CUSTOM, PAGE_EXIT, PAGE_VIEW, Event, Fact, FactSpan, describe_attributes
from analytics_box.base.facts.tables import ATTRIBUTES, SPANS
from analytics_box.ingest.enrich import EventTarget
from analytics_box.products.sample_data import history
from analytics_box.products.sample_data.arrivals import DAYS, SPIKE
from tests.examples import is_thorough

NOW = 1_790_000_000_000  # 2026-09-21 13:33 UTC
FIRST = utc_day(NOW) - DAYS
TARGET = EventTarget(1, "inkwell.example")


def _facts(seed: str = "a seed", start: int = FIRST * DAY, end: int = NOW) -> list[Fact]:
    return history.events(seed, TARGET, first_day=FIRST, start=start, end=end)


@pytest.fixture(scope="module")
def facts() -> list[Fact]:
    """The whole history of a new demo."""
    return _facts()


@pytest.fixture(scope="module")
def everything(facts: list[Fact]) -> list[Event]:
    """What people did."""
    return [fact for fact in facts if isinstance(fact, Event) and not fact.bot]


@pytest.fixture(scope="module")
def columns(everything: list[Event]) -> dict[str, list[str]]:
    """What their attributes are."""
    found = zip(*map(describe_attributes, everything), strict=True)
    return {name: list(values) for name, values in zip(ATTRIBUTES, found, strict=True)}


def test_the_same_seed_gives_the_same_events_also_in_two_parts(facts: list[Fact]) -> None:
    """In an ordinary run of the last weeks."""
    begin, middle = FIRST * DAY if is_thorough() else NOW - 20 * DAY, NOW - 3 * DAY - 5 * HOUR
    last = _facts(start=middle)
    assert _facts(start=begin, end=middle) + last == [fact for fact in facts if fact.time >= begin]
    assert _facts("another seed", start=middle) != last


def test_there_are_enough_events_for_a_full_page_and_few_enough_for_a_quick_start(everything: list[Event]) -> None:
    assert 30_000 <= len(everything) <= 60_000
    kinds = Counter(event.kind for event in everything)
    assert 0.8 * kinds[PAGE_VIEW] < kinds[PAGE_EXIT] < kinds[PAGE_VIEW]
    assert kinds[CUSTOM] > 1_000


def test_events_come_oldest_first_and_inside_the_asked_range(everything: list[Event]) -> None:
    times = [event.time for event in everything]
    assert times == sorted(times)
    assert times[0] >= FIRST * DAY
    assert times[-1] < NOW


def test_no_day_is_empty_weekends_are_quiet_and_traffic_grows(everything: list[Event]) -> None:
    views = Counter(utc_day(event.time) for event in everything if event.kind == PAGE_VIEW)
    days = range(FIRST, utc_day(NOW))
    assert all(views[day] >= 40 for day in days)

    ordinary = [day for day in days if day - FIRST not in SPIKE]
    weekend = [views[day] for day in ordinary if (day + 3) % 7 >= 5]
    week = [views[day] for day in ordinary if (day + 3) % 7 < 5]
    assert sum(weekend) / len(weekend) < 0.8 * sum(week) / len(week)

    first, last = range(FIRST, FIRST + 14), range(utc_day(NOW) - 14, utc_day(NOW))
    assert sum(views[day] for day in last) > 1.3 * sum(views[day] for day in first)


def test_sample_has_one_peak_caused_by_hacker_news(everything: list[Event]) -> None:
    views = Counter(utc_day(event.time) for event in everything if event.kind == PAGE_VIEW)
    (spike, most), (_, second) = views.most_common(2)
    assert spike - FIRST in SPIKE
    assert most > 1.2 * second
    sources = Counter(_attribute(event, "source") for event in everything if utc_day(event.time) == spike)
    del sources["Direct"]  # also every later page of a visit, until the ledger gives it its session's source
    assert sources.most_common(1)[0][0] == "Hacker News"


def test_a_few_programs_come_each_day_and_the_rest_are_visitors(facts: list[Fact], everything: list[Event]) -> None:
    programs = Counter(utc_day(fact.time) for fact in facts if isinstance(fact, Event) and fact.bot)
    assert len(programs) >= DAYS
    assert max(programs.values()) <= 6
    assert {fact.agent for fact in facts if isinstance(fact, Event) and fact.bot} >= {"Googlebot", "GPTBot"}
    assert all(event.visitor for event in everything)


def test_everything_that_a_tracker_measures_is_there(facts: list[Fact]) -> None:
    spans = [fact for fact in facts if isinstance(fact, FactSpan)]
    assert {span.table for span in spans} == set(SPANS) - {"flag_exposures", "mcp_calls", "ai_requests"}, (
        "those are of flags and servers"
    )
    assert all(len(span.own) == len(SPANS[span.table]) for span in spans)
    assert len({span.own[1] for span in spans if span.table == "errors"}) == 5
    assert len({span.own[2] for span in spans if span.table == "outgoing_links"}) >= 5


def test_places_channels_and_campaigns_are_many(columns: dict[str, list[str]]) -> None:
    least = {"country": 12, "region": 25, "city": 30, "channel": 7}
    least |= {"utm_campaign": 8, "utm_source": 4, "utm_medium": 4, "utm_term": 3, "utm_content": 2}
    for column, number in least.items():
        assert len({*columns[column]} - {""}) >= number, column
    unknown = columns["country"].count("")
    assert 0 < unknown < 0.05 * len(columns["country"]), "some places stay unknown"


def test_every_event_has_a_page_a_browser_a_system_and_a_device(
    everything: list[Event], columns: dict[str, list[str]]
) -> None:
    for column in ("source", "browser", "system", "device", "language", "time_zone", "viewport", "screen"):
        assert "" not in columns[column], column
    assert all(_attribute(event, "entry") for event in everything if event.kind == PAGE_VIEW)
    assert all(event.path.startswith("/") for event in everything)
    assert {*columns["device"]} == {"desktop", "mobile", "tablet"}


def test_leave_beacons_carry_engaged_time_and_scroll_depth(everything: list[Event]) -> None:
    leaves = [event for event in everything if event.kind == PAGE_EXIT]
    assert all(0 < event.engaged <= 1_200 and 0 < (event.scroll or 0) <= 100 for event in leaves)


def test_custom_events_carry_properties(everything: list[Event]) -> None:
    custom = [event for event in everything if event.kind == CUSTOM]
    assert {"signup", "download"} <= {event.name for event in custom}
    assert all(event.properties for event in custom)


def test_sample_has_current_visitors() -> None:
    events = history.just_now("a seed", TARGET, NOW)
    assert events == history.just_now("a seed", TARGET, NOW)
    assert len({event.visitor for event in events}) > 3
    assert all(NOW - 5 * MINUTE < event.time < NOW for event in events)


def _attribute(event: Event, column: str) -> str:
    return describe_attributes(event)[ATTRIBUTES.index(column)]
