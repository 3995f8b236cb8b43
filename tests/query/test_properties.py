"""What must hold of every answer, whatever the story, the zone and the range."""

from collections import Counter
from datetime import date, timedelta
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.query import calendars
from tests.query.happenings import HOUR, NAMES, PATHS, SOURCES, Happening, at, happenings
from tests.query.oracle import Asked, Filter
from tests.query.world import World

ADDITIVE = ("pageviews", "sessions", "total_events")
SESSION_FIELDS = {"referrer": SOURCES, "browser_name": ("Chrome", "", "x"), "device_type": ("mobile", "desktop", "d")}
OPPOSITES = (("eq", "ne"), ("contains", "not_contains"), ("in", "not_in"))
LISTS = ("top_pages", "traffic_sources", "browser_name", "os_name", "custom_events")

zones = st.sampled_from(sorted(available_timezones() - {"localtime"})).map(ZoneInfo)
# Any whole hour from 1980 to 2040.
instants = st.integers(at(1980, 1, 1) // HOUR, at(2040, 1, 1) // HOUR).map(lambda hour: hour * HOUR)


@st.composite
def wide_questions(draw: st.DrawFn, *, site: int, begin: int, hourly: bool) -> Asked:
    tz = draw(zones)
    first = calendars.shown(begin, tz).date() + timedelta(days=draw(st.integers(-1, 1)))
    last = first + timedelta(days=draw(st.integers(0, 2 if hourly else 40)))
    return Asked("summary_totals", (site,), first, last, tz, hourly=hourly, limit=10_000)


@examples(60)
@given(data=st.data())
@pytest.mark.parametrize("series", ["summary_metrics", "events_by_date"])
@pytest.mark.parametrize("hourly", [False, True], ids=["days", "hours"])
def test_the_buckets_of_a_range_sum_to_its_totals(world: World, data: st.DataObject, hourly: bool, series: str) -> None:
    begin = data.draw(instants)
    (site,) = world.new_sites(1)
    world.store(data.draw(happenings(sites=(site,), begin=begin, most=12)))
    asked = data.draw(wide_questions(site=site, begin=begin, hourly=hourly))
    (totals,) = world.drawn(asked)
    buckets = world.drawn(as_type(asked, series))
    for measure in ADDITIVE:
        if measure in buckets[0]:
            assert sum(bucket[measure] for bucket in buckets) == totals[measure], measure
    labels = [bucket["date"] for bucket in buckets]
    assert len(set(labels)) == len(labels)
    assert hourly or len(labels) == (asked.last - asked.first).days + 1


@examples(40)
@given(data=st.data())
def test_a_filter_and_its_opposite_part_the_total(world: World, data: st.DataObject) -> None:
    asked = told(world, data)
    one, other = data.draw(st.sampled_from(OPPOSITES))
    name = data.draw(st.sampled_from(("path", *SESSION_FIELDS)))
    value = data.draw(st.sampled_from(SESSION_FIELDS.get(name, PATHS)))
    (with_it,) = world.drawn(with_filters(asked, (name, one, [value])))
    (without,) = world.drawn(with_filters(asked, (name, other, [value])))
    (totals,) = world.drawn(asked)
    # A session may have both a page view of this path and one of another, so paths do not part sessions.
    for measure in ADDITIVE if name in SESSION_FIELDS else ("pageviews", "total_events"):
        assert with_it[measure] + without[measure] == totals[measure], measure


@examples(20)
@given(data=st.data())
def test_custom_events_are_parted_by_name_and_its_opposite(world: World, data: st.DataObject) -> None:
    asked = as_type(told(world, data), "custom_events")
    one, other = data.draw(st.sampled_from(OPPOSITES))
    value = data.draw(st.sampled_from((*NAMES, "up")))
    having = world.drawn(with_filters(asked, ("event_name", one, [value])))
    lacking = world.drawn(with_filters(asked, ("event_name", other, [value])))
    assert counted(having) + counted(lacking) == counted(world.drawn(asked))
    assert not set(counted(having)) & set(counted(lacking))


@examples(30)
@given(data=st.data())
def test_pages_never_overlap_and_leave_nothing_out(world: World, data: st.DataObject) -> None:
    asked = as_type(told(world, data), data.draw(st.sampled_from((*LISTS, "summary_metrics", "summary_totals"))))
    whole = world.drawn(asked)
    size = data.draw(st.integers(1, 4))
    pages = [
        world.drawn(Asked(asked.type, asked.sites, asked.first, asked.last, asked.tz, limit=size, page=page))
        for page in range(1, len(whole) // size + 2)
    ]
    assert [row for page in pages for row in page] == whole


@examples(30)
@given(data=st.data())
def test_order_of_arrival_does_not_change_distinct_visitors(world: World, data: st.DataObject) -> None:
    here, there = world.new_sites(2)
    story = [alone(happening) for happening in data.draw(happenings(sites=(here,), begin=at(2026, 6, 17)))]
    people = data.draw(st.permutations(sorted({happening.person for happening in story})))
    world.store(story)
    # On the second site everybody arrives after everybody before them.
    world.store([moved(happening, there) for person in people for happening in story if happening.person == person])
    for query_type in (*LISTS, "summary_metrics", "summary_totals"):
        asked = Asked(query_type, (here,), *days_of_june(), ZoneInfo("UTC"))
        again = Asked(query_type, (there,), *days_of_june(), ZoneInfo("UTC"))
        assert world.drawn(asked) == world.drawn(again), query_type


@examples(20)
@given(data=st.data())
def test_websites_are_counted_each_and_added(world: World, data: st.DataObject) -> None:
    sites = world.new_sites(2)
    world.store(data.draw(happenings(sites=sites, begin=at(2026, 6, 17))))
    (both,) = world.drawn(Asked("summary_totals", sites, *days_of_june(), ZoneInfo("UTC")))
    parts = [world.drawn(Asked("summary_totals", (site,), *days_of_june(), ZoneInfo("UTC")))[0] for site in sites]
    for measure in (*ADDITIVE, "visitors"):
        assert sum(part[measure] for part in parts) == both[measure], measure


def told(world: World, data: st.DataObject) -> Asked:
    """A story on a new site, and the question for all its totals."""
    (site,) = world.new_sites(1)
    world.store(data.draw(happenings(sites=(site,), begin=at(2026, 6, 17))))
    return Asked("summary_totals", (site,), *days_of_june(), ZoneInfo("UTC"), limit=100)


def days_of_june() -> tuple[date, date]:
    return date(2026, 6, 16), date(2026, 7, 25)


def as_type(asked: Asked, query_type: str) -> Asked:
    return Asked(query_type, asked.sites, asked.first, asked.last, asked.tz, hourly=asked.hourly, limit=asked.limit)


def with_filters(asked: Asked, *filters: Filter) -> Asked:
    return Asked(asked.type, asked.sites, asked.first, asked.last, asked.tz, filters=filters, limit=asked.limit)


def counted(rows: list[dict[str, object]]) -> Counter[str]:
    return Counter({str(row["name"]): int(str(row["total_events"])) for row in rows})


def alone(happening: Happening) -> Happening:
    """With a session id that no other person sends, if with any."""
    named = happening.client_session and f"{happening.client_session} of {happening.person}"
    return changed(happening, client_session=named)


def moved(happening: Happening, site: int) -> Happening:
    return changed(happening, site=site)


def changed(happening: Happening, **values: object) -> Happening:
    return Happening(**{**vars(happening), **values})
