"""The engine against brute force over the stored facts: random facts, random questions, equal rows in equal order."""

import json
from datetime import date, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analytics_box.clock import HOUR, MINUTE
from analytics_box.ingest.facts import ATTRIBUTES, CUSTOM, PAGE_EXIT, PAGE_VIEW, SPANS, Event, Fact, Span
from tests.query import brute, calendars
from tests.query.brute.facts import Filter, Question, read
from tests.query.brute.filters import COLUMN
from tests.query.happenings import at
from tests.query.stage import Stage

PLACES = (
    ("UTC", at(2026, 6, 17)),
    ("Europe/Berlin", at(2026, 10, 24, 22)),
    ("America/Havana", at(2026, 10, 31, 4)),
    ("Asia/Kolkata", at(2026, 12, 30)),
    ("Australia/Lord_Howe", at(2026, 4, 4, 13)),
)
TEXTS = ("", "a", "b", "Ünï'\"", "%_")
WORDS: dict[str, tuple[str, ...]] = {
    "source": ("Direct", "Google", "news.example"),
    "country": ("", "Germany", "France"),
    "device": ("", "desktop", "mobile"),
    "viewport": ("", "1280x720", "390x844"),
    "browser": ("", "Chrome", "Firefox"),
    "browser_version": ("", "1.2", "10.0"),
}
PATHS = ("/", "/a", "/b/c", "/ü")
PROPERTIES = st.one_of(
    st.none(),
    st.dictionaries(
        st.sampled_from(("k", "plan", "ü")),
        st.one_of(
            st.sampled_from(("x", "y", "=1", "")), st.integers(-3, 3), st.booleans(), st.none(), st.just([1, "a"])
        ),
        min_size=1,
        max_size=3,
    ).map(lambda value: json.dumps(value, separators=(",", ":"), ensure_ascii=False)),
)
# A few hours of two days, in which things happen close together.
INSTANTS = st.builds(
    lambda hour, part: hour * HOUR + part * MINUTE // 2, st.sampled_from((-20, 0, 0, 1, 1, 23)), st.integers(0, 90)
)


@st.composite
def attributes(draw: st.DrawFn) -> tuple[str, ...]:
    return tuple(draw(st.sampled_from(WORDS.get(name, TEXTS[:3]))) for name in ATTRIBUTES)


@st.composite
def events(draw: st.DrawFn, site: int, around: int) -> Event:
    kind = draw(st.sampled_from((PAGE_VIEW, PAGE_VIEW, CUSTOM, PAGE_EXIT)))
    return Event(
        site=site,
        time=around + draw(INSTANTS),
        kind=kind,
        name=draw(st.sampled_from(("buy", "sign ✓"))) if kind == CUSTOM else "screen_view",
        namespace=draw(st.sampled_from(("", "shop"))),
        visitor=draw(st.sampled_from((0, 1, 1, 2, 2))),
        yesterday=0,
        path=draw(st.sampled_from(PATHS)),
        query_string=draw(st.sampled_from(("", "q=1"))),
        title="",
        engaged=draw(st.sampled_from((0, 1, 2, 9, 10, 10, 3600))) if kind == PAGE_EXIT else 0,
        scroll=draw(st.sampled_from((0, 24, 25, 99, 100))) if kind == PAGE_EXIT else 0,
        bot=draw(st.sampled_from(("", "", "", "", "", "known_bot_user_agent"))),
        origin="",
        client_session=draw(st.sampled_from(("", "", "s1"))),
        attributes=draw(attributes()),
        properties=draw(PROPERTIES) if kind == CUSTOM else None,
        profile=draw(st.sampled_from(("", "", "ann"))),
        interactions=draw(st.integers(0, 2)) if kind == PAGE_EXIT else 0,
    )


def owns(table: str) -> st.SearchStrategy[tuple[int | float | str, ...]]:
    number, text = st.integers(0, 3), st.sampled_from(("x", "y"))
    if table == "vitals":
        return st.tuples(st.sampled_from((1, 2, 3, 4, 5, 6, 11)), st.integers(0, 4000).map(lambda value: value / 8))
    if table == "errors":
        return st.tuples(text, text, text, number, number, text)
    if table == "outgoing_links":
        return st.tuples(text, text, text)
    texts = {"exit_type", "rage_target", "dead_target", "last_field"}
    return st.tuples(*(text if name in texts else number for name in SPANS["engagement"]))


@st.composite
def spans(draw: st.DrawFn, site: int, around: int) -> Span:
    table = draw(st.sampled_from(sorted(SPANS)))
    return Span(
        table=table,
        site=site,
        time=around + draw(INSTANTS),
        visitor=draw(st.integers(0, 3)),
        yesterday=0,
        client_session=draw(st.sampled_from(("", "s1"))),
        path=draw(st.sampled_from(PATHS)),
        query_string="",
        attributes=draw(attributes()),
        own=draw(owns(table)),
    )


@st.composite
def filters(draw: st.DrawFn, name: str, allowed: tuple[str, ...]) -> Filter:
    field = draw(st.sampled_from([item for item in allowed if item in COLUMN]))
    values = WORDS.get(COLUMN[field], PATHS if field == "path" else TEXTS)
    operator = draw(
        st.sampled_from(
            (
                *("eq", "ne", "in", "not_in", "contains", "not_contains", "starts_with", "not_starts_with"),
                *("ends_with", "is_set", "is_not_set", "regex"),
            )
        )
    )
    if operator in {"is_set", "is_not_set"}:
        return field, operator, []
    if operator == "regex":
        return field, operator, [draw(st.sampled_from(("a", "^a$", "o+", "[bn]", "^$")))]
    listed = draw(st.lists(st.sampled_from((*values, "Unknown")), min_size=1, max_size=2))
    return field, operator, listed if operator in {"in", "not_in"} else listed[:1]


def body(name: str, first: date, last: date, tz: str, wanted: list[Filter]) -> dict[str, Any]:
    return {
        "parameters": [name],
        "startDate": first.isoformat(),
        "endDate": last.isoformat(),
        "timeZone": tz,
        "limit": 10_000,
        "filters": [
            {"field": field, "op": operator}
            | ({} if not values else {"value": values if operator in {"in", "not_in"} else values[0]})
            for field, operator, values in wanted
        ],
    }


# Filters that a type allows and that would need a person's visitors; tests/profiles has these.
LEFT_OUT = {"profile_id"}


@pytest.mark.parametrize("name", sorted(brute.ANSWERS))
@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_every_answer_is_what_brute_force_finds(stage: Stage, name: str, data: st.DataObject) -> None:
    from analytics_box.query import catalog  # noqa: PLC0415  what may be filtered by is all that is taken from it

    zone, around = data.draw(st.sampled_from(PLACES))
    (site,) = stage.new_sites(1)
    facts: list[Fact] = data.draw(
        st.lists(st.one_of(events(site, around), events(site, around), spans(site, around)), min_size=12, max_size=36)
    )
    for fact in facts:
        stage.store_facts([fact])
    stored = stage.db.read_now(lambda db: read(db, (site,)))
    allowed = tuple(item for item in catalog.TYPES[name].filters if item not in LEFT_OUT)
    for _ in range(3):
        today = calendars.shown(around, ZoneInfo(zone)).date()
        first = today + timedelta(days=data.draw(st.sampled_from((-1, 0, 0, 0, 1))))
        last = first + timedelta(days=data.draw(st.integers(0, 2)))
        wanted = data.draw(st.lists(filters(name, allowed), max_size=data.draw(st.sampled_from((0, 0, 1, 2)))))
        asked = Question(first, last, ZoneInfo(zone), tuple(wanted))
        (entry,) = stage.entries(body(name, first, last, zone, wanted), (site,))
        assert entry.success, entry.error
        assert entry.data == brute.ANSWERS[name](stored, asked), asked
