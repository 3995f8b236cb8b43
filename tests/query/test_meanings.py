"""Small stories with the numbers that a person would write beside them (semantics 7 to 15)."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

from analytics_box.base.facts.event import FactSpan
from analytics_box.base.facts.tables import ATTRIBUTES
from tests.cases import each
from tests.query.happenings import DAY, HOUR, MINUTE, SECOND, Happening, at
from tests.query.oracle import Asked
from tests.query.world import World

NOON = at(2026, 6, 17, 12)

view = Happening(site=0, time=NOON, arrived=NOON, kind="view", person=1, path="/a")
leave = replace(view, kind="exit", name="page_exit")
custom = replace(view, kind="custom", name="buy", person=1)
given = replace(custom, name="$flag_evaluated")
quiet = replace(custom, interactions=0)
nobody = replace(custom, person=0)
program = replace(view, bot="known_bot_user_agent")
someone = replace(view, person=2)


def after(happening: Happening, delay: int, **changes: Any) -> Happening:
    return replace(happening, time=NOON + delay, arrived=NOON + delay, **changes)


# A story of one day, and some of its totals.
STORIES: dict[str, tuple[Sequence[Happening], dict[str, float]]] = {
    "nothing": ([], {"pageviews": 0, "visitors": 0, "sessions": 0, "bounce_rate": 0, "median_session_duration": 0}),
    "one view": ([view], {"pageviews": 1, "visitors": 1, "sessions": 1, "bounce_rate": 100, "total_events": 1}),
    "9 s on the page": ([view, after(leave, 9_000, engaged=9)], {"bounce_rate": 100, "median_session_duration": 9}),
    "10 s on the page": ([view, after(leave, 10_000, engaged=10)], {"bounce_rate": 0, "median_session_duration": 10}),
    "twice 5 s": ([view, after(leave, 1, engaged=5), after(leave, 2, engaged=5)], {"bounce_rate": 0, "pageviews": 1}),
    "two views": ([view, after(view, 1)], {"bounce_rate": 0, "pageviews": 2, "sessions": 1}),
    "a view and an event": ([view, after(custom, 1)], {"bounce_rate": 0, "total_events": 2, "pageviews": 1}),
    "a view and a non-interactive event": ([view, after(quiet, 1)], {"bounce_rate": 100, "total_events": 2}),
    "a view and one event of each": ([view, after(quiet, 1), after(custom, 2)], {"bounce_rate": 0, "total_events": 3}),
    "a view and what a flag gave": ([view, after(given, 1)], {"bounce_rate": 100, "total_events": 2, "pageviews": 1}),
    "only an event": ([custom], {"pageviews": 0, "visitors": 1, "sessions": 1, "bounce_rate": 0, "total_events": 1}),
    "only a leave": ([leave], {"pageviews": 0, "visitors": 0, "sessions": 0, "total_events": 0}),
    "a server's event": ([nobody], {"visitors": 0, "sessions": 0, "total_events": 1}),
    "a program": ([program], {"pageviews": 0, "visitors": 0, "sessions": 0, "total_events": 0}),
    "one of two bounces": ([view, someone, after(someone, 1)], {"bounce_rate": 50, "sessions": 2, "visitors": 2}),
    "one of three": ([view, someone, after(someone, 1), after(view, HOUR)], {"bounce_rate": 66.67, "visitors": 2}),
    "the median of 0, 1 and 10 s": (
        [view, someone, after(someone, SECOND), after(view, HOUR), after(view, HOUR + 10 * SECOND)],
        {"median_session_duration": 1},
    ),
    "the median of 0 and 1 s": ([view, someone, after(someone, SECOND)], {"median_session_duration": 0.5}),
    "a late view makes a session longer": (
        [view, replace(view, time=NOON - MINUTE)],
        {"sessions": 1, "median_session_duration": 60},
    ),
    "yesterday's session goes on": (
        [after(view, -DAY, client_session="s"), after(view, -HOUR, client_session="s")],
        {"pageviews": 1, "sessions": 0, "visitors": 1, "bounce_rate": 0},
    ),
}


@each("story", STORIES)
def test_a_story_has_these_totals(world: World, story: str) -> None:
    happenings, expected = STORIES[story]
    (site,) = world.new_sites(1)
    world.store([replace(happening, site=site) for happening in happenings])
    (totals,) = world.rows(Asked("summary_totals", (site,), date(2026, 6, 17), date(2026, 6, 17), ZoneInfo("UTC")))
    assert {name: totals[name] for name in expected} == expected


def test_a_day_that_a_zone_left_out_has_a_row_of_zeros_and_no_hours(world: World) -> None:  # Samoa, 2011-12-30
    (site,) = world.new_sites(1)
    world.store([replace(view, site=site, time=at(2011, 12, 30, 10), arrived=at(2011, 12, 30, 10))])
    gone = Asked("summary_metrics", (site,), date(2011, 12, 30), date(2011, 12, 30), ZoneInfo("Pacific/Apia"))
    (row,) = world.rows(gone)
    assert (row["date"], row["pageviews"], row["sessions"]) == ("2011-12-30", 0, 0)
    assert world.rows(replace(gone, hourly=True)) == []
    around = world.rows(replace(gone, first=date(2011, 12, 29), last=date(2011, 12, 31)))
    assert [row["pageviews"] for row in around] == [0, 0, 1]


def test_a_filter_of_a_sessions_field_selects_all_its_events(world: World) -> None:  # semantics 15
    (site,) = world.new_sites(1)
    first = replace(view, site=site, session={"browser": "Firefox", "source": "Google"})
    later = after(first, MINUTE, session={"browser": "Chrome", "source": "Direct"})
    world.store([first, later])
    asked = Asked("summary_totals", (site,), date(2026, 6, 17), date(2026, 6, 17), ZoneInfo("UTC"))
    (firefox,) = world.rows(replace(asked, filters=(("browser_name", "eq", ["Firefox"]),)))
    (chrome,) = world.rows(replace(asked, filters=(("browser_name", "eq", ["Chrome"]),)))
    assert (firefox["pageviews"], chrome["pageviews"]) == (2, 0)


def test_a_filter_of_a_path_selects_its_views_and_the_sessions_that_have_one(world: World) -> None:  # semantics 15
    (site,) = world.new_sites(1)
    home, pricing = replace(view, site=site, path="/"), after(view, MINUTE, site=site, path="/pricing")
    world.store([home, pricing, replace(home, person=2), after(custom, 1, site=site, person=3, path="/pricing")])
    asked = Asked("summary_totals", (site,), date(2026, 6, 17), date(2026, 6, 17), ZoneInfo("UTC"))
    (totals,) = world.rows(replace(asked, filters=(("path", "eq", ["/pricing/"]),)))
    assert (totals["pageviews"], totals["sessions"], totals["bounce_rate"]) == (1, 1, 0)


def test_filters_of_pages_that_must_all_hold_are_of_one_page_view(world: World) -> None:  # in groups as outside of them
    (site,) = world.new_sites(1)
    world.store([replace(view, site=site, path="/docs"), after(view, MINUTE, site=site, path="/blog/new")])
    range_of = {"startDate": "2026-06-17", "endDate": "2026-06-17", "parameters": ["summary_totals"]}
    for ending, sessions in (("new", 1), ("docs", 0)):
        pages = [
            {"field": "path", "op": "starts_with", "value": "/blog"},
            {"field": "path", "op": "ends_with", "value": ending},
        ]
        never = {"field": "country", "op": "eq", "value": "Nowhere"}
        for filters in (pages, [{"all": pages}], [{"any": [{"all": pages}, never]}]):
            (entry,) = world.entries({**range_of, "filters": filters}, (site,))
            assert (entry.data[0]["sessions"], entry.data[0]["pageviews"]) == (sessions, sessions), filters


def test_a_session_is_measured_to_its_end_even_when_that_is_another_day(world: World) -> None:  # semantics 10 and 11
    (site,) = world.new_sites(1)
    late_evening = replace(view, site=site, time=NOON + 12 * HOUR - 1, arrived=NOON + 12 * HOUR - 1, client_session="s")
    end = replace(late_evening, time=late_evening.time + DAY, arrived=late_evening.time + DAY)
    world.store([late_evening, end])
    asked = Asked("summary_totals", (site,), date(2026, 6, 17), date(2026, 6, 17), ZoneInfo("UTC"))
    (totals,) = world.rows(asked)
    assert (totals["sessions"], totals["median_session_duration"], totals["pageviews"]) == (1, 86_400, 1)


def test_an_unknown_device_is_a_desktop(world: World) -> None:  # wire 2.2
    (site,) = world.new_sites(1)
    for person, device in enumerate(("", "desktop", "mobile"), start=1):
        world.store([replace(view, site=site, person=person, session={"device": device})])
    asked = Asked("summary_totals", (site,), date(2026, 6, 17), date(2026, 6, 17), ZoneInfo("UTC"))
    for operator, values, views in (("eq", ["Desktop"], 2), ("ne", ["desktop"], 1), ("in", ["mobile", "desktop"], 3)):
        (totals,) = world.rows(replace(asked, filters=(("device_type", operator, values),)))
        assert totals["pageviews"] == views, operator


def test_equal_rows_are_ordered_by_name_whichever_way_they_are_sorted(world: World) -> None:  # semantics 22
    (site,) = world.new_sites(1)
    for person, path in enumerate(("/b", "/c", "/a"), start=1):
        world.store([replace(view, site=site, person=person, path=path)])
    asked = Asked("top_pages", (site,), date(2026, 6, 17), date(2026, 6, 17), ZoneInfo("UTC"), sort_by="pageviews")
    for descending in (True, False):
        assert [row["path"] for row in world.rows(replace(asked, descending=descending))] == ["/a", "/b", "/c"]


def test_error_rate_is_of_all_sessions_that_met_an_error_or_did_something_in_the_range(world: World) -> None:
    (site,) = world.new_sites(1)
    midnight = at(2026, 6, 17)
    views = [
        replace(view, site=site, time=time, arrived=time, person=person)
        for person, time in ((1, midnight - MINUTE), (2, midnight + HOUR), (3, midnight + 2 * HOUR))
    ]
    world.store(views)
    world.store_facts(
        [
            FactSpan(
                "errors",
                site,
                time,
                one.visitor_on(time // DAY),
                one.visitor_on(time // DAY - 1),
                "",
                "/a",
                "",
                ("",) * len(ATTRIBUTES),
                ("TypeError", "x", "app.js", 1, 1, ""),
            )
            for one, time in ((views[0], midnight + MINUTE), (views[1], midnight + HOUR + MINUTE))
        ]
    )
    body: dict[str, object] = {"parameters": ["error_summary"], "startDate": "2026-06-17", "endDate": "2026-06-17"}
    for path, affected, rate in (("", 2, 66.67), ("/a", 2, 66.67), ("/b", 0, 0)):
        filters = [{"field": "path", "op": "eq", "value": path}] if path else []
        (entry,) = world.entries(body | {"filters": filters}, (site,), now=midnight + DAY)
        assert (entry.data[0]["affectedSessions"], entry.data[0]["errorRate"]) == (affected, rate), path
