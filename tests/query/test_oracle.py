"""The engine against the oracle: random stories, random questions, equal rows."""

from datetime import timedelta
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.query import calendars, oracle
from tests.query.happenings import BROWSERS, LABELS, NAMES, PATHS, SOURCES, at, happenings
from tests.query.oracle import Asked, Filter, answer, tell
from tests.query.world import World

# A zone and a day around which something happens to its clock, and two where nothing does.
PLACES = (
    ("UTC", at(2026, 6, 17)),
    ("Asia/Kolkata", at(2026, 12, 30)),
    ("Europe/Berlin", at(2026, 3, 28)),
    ("Europe/Berlin", at(2026, 10, 24)),
    ("America/Havana", at(2026, 10, 31)),
    ("America/Santiago", at(2026, 9, 5)),
    ("Asia/Beirut", at(2026, 3, 28)),
    ("Africa/Cairo", at(2026, 10, 29)),
    ("Australia/Lord_Howe", at(2026, 4, 4)),
    ("Australia/Lord_Howe", at(2026, 10, 3)),
    ("America/St_Johns", at(2006, 10, 28)),
    ("Pacific/Apia", at(2011, 12, 29)),
    ("Antarctica/Troll", at(2026, 10, 24)),
    ("America/Sao_Paulo", at(2018, 11, 3)),
)
BEFORE = 10 * calendars.HOUR

SORTS = {
    "top_pages": ("visitors", "pageviews", "name"),
    "traffic_sources": ("visitors", "pageviews", "name"),
    "browser_name": ("visitors", "pageviews", "name"),
    "os_name": ("visitors", "pageviews", "name"),
    "custom_events": ("total_events", "unique_users", "name"),
    "summary_metrics": ("date",),
    "events_by_date": ("date",),
    "summary_totals": (),
}
COMMON_VALUES = {
    "path": (*PATHS, "/a/", "b", "/b", ""),
    "query_string": ("", "q", "q=1"),
    "device_type": ("desktop", "Desktop", "mobile", "tab"),
    "browser_name": (*BROWSERS, "rom"),
    "os_name": ("", "Linux", "Unknown", "OS"),
    "referrer": (*SOURCES, "direct", "google", "hn", "gmail"),
    "language": LABELS,
    "timezone": LABELS,
    "utm_source": LABELS,
    "utm_campaign": LABELS,
}
EVENT_VALUES = {
    "path": COMMON_VALUES["path"],
    "namespace": ("", "shop", "s"),
    "event_name": (*NAMES, "up", "'"),
    "source": ("", "backend"),
    "session_id": ("", "s1", "s"),
}
OPERATORS = ("eq", "ne", "contains", "not_contains", "starts_with", "in", "not_in")


@st.composite
def filters(draw: st.DrawFn, query_type: str) -> Filter:
    values = EVENT_VALUES if query_type == "custom_events" else COMMON_VALUES
    name = draw(st.sampled_from(sorted(values)))
    operator = draw(st.sampled_from(OPERATORS))
    choice = st.sampled_from(values[name])
    listed = draw(st.lists(choice, min_size=1, max_size=3)) if operator in {"in", "not_in"} else [draw(choice)]
    return name, operator, listed


@st.composite
def questions(draw: st.DrawFn, *, sites: tuple[int, ...], tz: ZoneInfo, begin: int) -> Asked:
    query_type = draw(st.sampled_from(oracle.TYPES))
    first = calendars.shown(begin, tz).date() + timedelta(days=draw(st.integers(-1, 2)))
    return Asked(
        type=query_type,
        sites=draw(st.sampled_from((sites[:1], sites))),
        first=first,
        last=first + timedelta(days=draw(st.integers(0, 4))),
        tz=tz,
        hourly=draw(st.booleans()),
        filters=tuple(draw(st.lists(filters(query_type), max_size=2)) if draw(st.booleans()) else ()),
        sort_by=draw(st.sampled_from((None, *SORTS[query_type]))),
        descending=draw(st.booleans()),
        limit=draw(st.sampled_from((1, 2, 100, 100, 100))),
        page=draw(st.sampled_from((1, 1, 1, 2))),
    )


@examples(150)
@given(data=st.data())
def test_every_answer_is_the_oracles(world: World, data: st.DataObject) -> None:
    hold_to_the_oracle(world, data)


def hold_to_the_oracle(world: World, data: st.DataObject) -> None:
    """Tell a story, and ask of it."""
    name, around = data.draw(st.sampled_from(PLACES))
    sites = world.new_sites(2)
    story = data.draw(happenings(sites=sites, begin=around - BEFORE))
    world.store(story)
    told = tell(story)
    for asked in data.draw(st.lists(questions(sites=sites, tz=ZoneInfo(name), begin=around), min_size=4, max_size=8)):
        assert world.drawn(asked) == answer(asked, told), asked
