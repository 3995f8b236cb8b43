"""The buckets of a range sum to its totals for whatever is counted one by one, in any zone (semantics 3 to 5)."""

from dataclasses import replace
from datetime import date, timedelta
from functools import cache
from random import Random
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from analytics_box.base.clock import HOUR, MINUTE, SECOND
from analytics_box.base.facts.event import CUSTOM, PAGE_VIEW, Event, Fact, FactSpan
from analytics_box.base.facts.tables import ATTRIBUTES
from analytics_box.query.catalog.types import Record
from tests.examples import examples, is_thorough
from tests.query import brute, calendars
from tests.query.brute.facts import RAW, Question
from tests.query.questions import Asked, ask, questions
from tests.query.stories import Story, tell
from tests.query.test_ranges import CHOSEN, EVERY, days_of_change
from tests.query.world import World

# A type with buckets, a type about the whole range, and which fields of theirs are the same.
SUMS = (
    ("summary_metrics", "summary_totals", {"pageviews": "pageviews", "sessions": "sessions"}),
    ("events_by_date", "summary_totals", {"pageviews": "pageviews", "sessions": "sessions"}),
    ("hour_of_day", "summary_totals", {"pageviews": "pageviews"}),
    ("day_of_week", "summary_totals", {"pageviews": "pageviews"}),
    ("hour_of_week", "summary_totals", {"pageviews": "pageviews"}),
    ("hour_of_day", "top_pages", {"pageviews": "pageviews"}),
    ("sessions_time_series", "session_metrics", {"sessions": "total_sessions"}),
    ("profiles_time_series", "session_duration_distribution", {"sessions": "sessions"}),
    ("error_trends", "error_summary", {"errors": "totalErrors"}),
    ("error_frequency", "error_types", {"count": "count"}),
    ("error_chart_data", "errors_by_page", {"totalErrors": "errors"}),
    ("web_vitals_time_series", "web_vitals_by_page", {"measurements": "measurements"}),
    ("vitals_time_series", "vitals_overview", {"samples": "samples"}),
    ("performance_time_series", "load_time_performance", {"samples": "samples"}),
    ("custom_events_trends", "custom_events_summary", {"total_events": "total_events"}),
    ("custom_events_trends_by_event", "custom_events", {"total_events": "total_events"}),
)
SERIES = (
    *("summary_metrics", "sessions_time_series", "error_trends", "vitals_time_series", "performance_time_series"),
    *("custom_events_trends", "custom_events_trends_by_event", "web_vitals_time_series"),
)
FIRST_YEAR, LAST_YEAR = 1980, 2040


@pytest.fixture(scope="module")
def stories(world: World) -> tuple[Story, ...]:
    return tuple(tell(world, seed) for seed in range(70, 78))


@pytest.mark.parametrize("sums", SUMS, ids=lambda sums: f"{sums[0]} of {sums[1]}")
@examples(10, unchecked=HealthCheck)
@given(data=st.data())
def test_buckets_sum_to_the_whole(
    stories: tuple[Story, ...], sums: tuple[str, str, dict[str, str]], data: st.DataObject
) -> None:
    series, whole, same = sums
    story = data.draw(st.sampled_from(stories))
    asked = replace(data.draw(questions(story, series)), sort_by=None, limit=10_000, page=1)
    zone = ZoneInfo(data.draw(st.sampled_from(EVERY)))
    asked = replace(asked, question=replace(asked.question, tz=zone))
    buckets, total = ask(story, asked).data, ask(story, replace(asked, type=whole)).data
    for one, other in same.items():
        assert sum(row[one] for row in buckets) == sum(row[other] for row in total), (asked, one)


@cache
def cases() -> list[tuple[str, date]]:
    """Days on which clocks are moved: two of each chosen zone, one of others, and days on which nothing happens.

    An ordinary run takes one of each chosen zone, and fewer others.
    """
    draw = Random(5)
    others = draw.sample(sorted(set(EVERY) - set(CHOSEN)), 40 if is_thorough() else 12)
    found = []
    for name in (*CHOSEN, *(CHOSEN if is_thorough() else ()), *others):
        year = draw.randint(FIRST_YEAR, LAST_YEAR - 12)
        changes = list(days_of_change(ZoneInfo(name), year, year + 12))
        found.append((name, draw.choice(changes) if changes else date(year, draw.randint(1, 12), draw.randint(1, 28))))
    return found


@pytest.mark.parametrize("part", range(4))
def test_local_hours_and_days_are_those_of_the_clock(world: World, part: int) -> None:
    """The chosen zones are asked of both engines the first time (world.is_for_both), others of SQLite alone."""
    for number, (zone, day) in list(enumerate(cases()))[part::4]:
        tz = ZoneInfo(zone)
        (site,) = world.new_sites(1)
        noon = calendars.day_begins(day, tz) + 12 * HOUR
        world.store_facts(around(site, noon, Random(number)))
        story = Story(world, zone, noon, {site: "first"}, 0)
        scope = story.scope(1, owner=False)
        draw = Random(number)
        question = Question(day - timedelta(days=draw.randint(0, 1)), day + timedelta(days=draw.randint(0, 1)), tz)
        for name in ("hour_of_day", "day_of_week", "hour_of_week", *draw.sample(SERIES, 3)):
            for hourly in (False, True) if name in SERIES else (False,):
                asked = Asked(name, replace(question, hourly=hourly), scope)
                wanted = brute.ANSWERS[name](asked.facts(story), asked.question)
                assert ask(story, asked, both=None if number < len(CHOSEN) else False).data == shown(wanted), asked


def around(site: int, noon: int, draw: Random) -> list[Fact]:
    """Something every half hour or so from two days before to two days after."""
    instants = [noon + step * 29 * MINUTE + draw.randint(0, 60) * SECOND for step in range(-100, 101)]
    return [fact for instant in instants for fact in (_view(site, instant, draw), _other(site, instant, draw))]


def _view(site: int, time: int, draw: Random) -> Event:
    return _event(site, time, PAGE_VIEW, draw)


def _other(site: int, time: int, draw: Random) -> Fact:
    own = {"vitals": (draw.choice((2, 3, 11)), float(draw.randint(0, 4000))), "errors": ("T", "m", "f", 1, 2, "s")}
    table = draw.choice(("vitals", "errors", "events"))
    if table == "events":
        return _event(site, time, CUSTOM, draw)
    return FactSpan(table, site, time, draw.choice((1, 3, 5)), 0, "", "/", "", ("",) * len(ATTRIBUTES), own[table])


def _event(site: int, time: int, kind: int, draw: Random) -> Event:
    return Event(
        site=site,
        time=time,
        kind=kind,
        name="buy" if kind == CUSTOM else "screen_view",
        namespace="",
        visitor=draw.choice((1, 3, 5)),  # ids that last: other ids are of one UTC day
        yesterday=0,
        path="/",
        query_string="",
        title="",
        engaged=0,
        scroll=0,
        bot="",
        origin="",
        client_session="",
        attributes=("",) * len(ATTRIBUTES),
        properties=None,
    )


def shown(rows: list[Record]) -> list[Record]:
    return [{key: value for key, value in row.items() if key != RAW} for row in rows]
