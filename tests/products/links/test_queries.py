"""Clicks through POST /v1/query with link_id (wire 1.12): against brute force, and who may ask."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Literal
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from msgspec.structs import replace

from analytics_box.base.clock import DAY, HOUR, MINUTE
from analytics_box.base.facts.event import CLICK, KINDS, PAGE_VIEW, Event
from analytics_box.base.settings import Settings
from analytics_box.base.store.strings import Strings
from analytics_box.products.links.clicks import rows as click_rows
from analytics_box.products.links.clicks.rows import LinkClick
from analytics_box.products.links.redirects.directory import LinkDirectory
from analytics_box.query.access import ReadScope
from analytics_box.query.catalog.links import TYPES
from tests.cases import each
from tests.examples import examples
from tests.inprocess import KeyName, whole_box
from tests.products.links.conftest import unlimited
from tests.products.links.world import GOOGLEBOT, World
from tests.query import world as queries
from tests.query.clicks_of_all_kinds import click, clicks_of_all_kinds
from tests.query.facts_of_all_kinds import ANA, visit

Row = dict[str, Any]
FIELDS = {
    "country": "country",
    "region": "region",
    "city": "city",
    "device_type": "device",
    "browser_name": "browser",
    "referrer": "source",
    "os_name": "system",
    "language": "language",
    "variant": "variant",
    "rule": "rule",
}
TOPS = {
    "link_top_countries": ("country",),
    "link_top_regions": ("region", "country"),
    "link_top_cities": ("city", "country"),
    "link_top_devices": ("device",),
    "link_top_browsers": ("browser",),
    "link_top_systems": ("system",),
    "link_top_languages": ("language",),
    "link_top_referrers": ("source",),
    "link_variants": ("variant",),
    "link_rules": ("rule",),
}
BERLIN = ZoneInfo("Europe/Berlin")
SUMMER_ENDS = round(datetime(2026, 10, 25, tzinfo=BERLIN).timestamp() * 1000)  # a day of 25 hours

CLICKS = st.lists(
    st.builds(
        click,
        st.sampled_from((1, 2)),
        st.integers(-2, 30).map(lambda hour: SUMMER_ENDS + hour * HOUR + MINUTE),
        kind=st.sampled_from((1, 1, 1, 2, 3, 4, 5)),
        visitor=st.integers(1, 4),
        country=st.sampled_from(("Germany", "France")),
        region=st.sampled_from(("Berlin", "Bavaria")),
        city=st.sampled_from(("Berlin", "Munich")),
        device=st.sampled_from(("desktop", "mobile")),
        browser=st.sampled_from(("Firefox", "Safari")),
        system=st.sampled_from(("Linux", "iOS")),
        language=st.sampled_from(("de", "fr")),
        source=st.sampled_from(("Direct", "Google")),
        variant=st.sampled_from(("a", "b")),
        rule=st.sampled_from(("r", "s")),
        agent=st.sampled_from(("", "Googlebot")),
    ),
    max_size=30,
)
FILTERS = st.lists(
    st.tuples(
        st.sampled_from(sorted(FIELDS)),
        st.sampled_from(("eq", "ne", "contains", "in", "not_in")),
        st.sampled_from(
            ("Germany", "Berlin", "mobile", "desktop", "Safari", "Google", "Direct", "iOS", "de", "a", "s")
        ),
    ),
    max_size=2,
)


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[queries.World]:
    with queries.world_in(tmp_path_factory.mktemp("clicks")) as found:
        yield found


def fits(field: str, operator: str, value: str, one: LinkClick) -> bool:
    text: str = getattr(one, FIELDS[field])
    if field == "device_type" and operator != "contains":
        value = value.lower()
    return {
        "eq": text == value,
        "ne": text != value,
        "contains": value.lower() in text if field == "device_type" else value in text,
        "in": text == value,
        "not_in": text != value,
    }[operator]


def grouped(clicks: list[LinkClick], names: tuple[str, ...]) -> list[Row]:
    groups: dict[tuple[str, ...], list[LinkClick]] = defaultdict(list)
    for one in clicks:
        groups[tuple(getattr(one, name) for name in names)].append(one)
    rows = [
        {
            "name": values[0],
            "clicks": len(members),
            "visitors": len({one.visitor for one in members}),
            "percentage": round(100 * len(members) / len(clicks), 2),
        }
        for values, members in sorted(groups.items(), key=lambda item: (-len(item[1]), *item[0]))
    ]
    return rows


def by_day(clicks: list[LinkClick]) -> list[Row]:
    return [
        {"date": f"2026-10-{25 + number}", "clicks": len(inside), "visitors": len({one.visitor for one in inside})}
        for number, (start, end) in enumerate(((0, 25), (25, 49)))
        if (inside := [one for one in clicks if start * HOUR <= one.time - SUMMER_ENDS < end * HOUR]) or True
    ]


def by_hour_of_week(clicks: list[LinkClick]) -> list[Row]:
    """Each hour of each day, Sunday first, by the clock in Berlin."""
    hours: dict[tuple[int, int], list[LinkClick]] = defaultdict(list)
    for one in clicks:
        local = datetime.fromtimestamp(one.time / 1000, BERLIN)
        hours[local.isoweekday() % 7, local.hour].append(one)
    return [
        {
            "day": day,
            "hour": hour,
            "clicks": len(hours[day, hour]),
            "visitors": len({one.visitor for one in hours[day, hour]}),
        }
        for day in range(7)
        for hour in range(24)
    ]


@examples(60, anew=True, unchecked=[HealthCheck.function_scoped_fixture])
@given(CLICKS, FILTERS)
def test_figures_are_those_of_brute_force(
    stage: queries.World, clicks: list[LinkClick], filters: list[tuple[str, str, str]]
) -> None:
    stage.db.write_now(lambda db: db.execute("delete from link_clicks") and None)
    stage.db.write_now(lambda db: click_rows.append(db, strings=Strings(), clicks=clicks, orphans={}))
    body: dict[str, object] = {
        "parameters": [*TOPS, "link_total_clicks", "link_clicks_by_day", "link_kinds", "link_hour_of_week"],
        "startDate": "2026-10-25",
        "endDate": "2026-10-26",
        "timeZone": "Europe/Berlin",
        "limit": 168,
        "filters": [
            {"field": field, "op": operator, "value": [value] if operator in {"in", "not_in"} else value}
            for field, operator, value in filters
        ],
    }
    entries = {
        entry.parameter: entry for entry in stage.entries(body, ReadScope((1,), subject="link"), now=SUMMER_ENDS)
    }
    inside = [
        one
        for one in clicks
        if one.link == 1
        and 0 <= one.time - SUMMER_ENDS < 49 * HOUR
        and all(fits(field, operator, value, one) for field, operator, value in filters)
    ]
    people = [one for one in inside if one.kind == CLICK]
    for name, dimensions in TOPS.items():
        found = [{key: row[key] for key in ("name", "clicks", "visitors", "percentage")} for row in entries[name].data]
        assert found == grouped(people, dimensions)[:100], name
    (total,) = entries["link_total_clicks"].data
    assert (total["total"], total["visitors"]) == (len(people), len({one.visitor for one in people}))
    assert entries["link_clicks_by_day"].data == by_day(people)
    assert entries["link_hour_of_week"].data == by_hour_of_week(people)
    kinds = {KINDS[kind]: sum(one.kind == kind for one in inside) for kind in KINDS}
    assert {row["name"]: row["clicks"] for row in entries["link_kinds"].data} == {
        name: count for name, count in kinds.items() if count
    }


def test_referrers_and_countries_by_day_are_how_many_there_were(stage: queries.World) -> None:
    at = SUMMER_ENDS + HOUR
    made = [
        click(7, at, source="Google", country="Germany"),
        click(7, at, source="Google", country=""),
        click(7, at, source="Bing", country="France"),
        click(7, at, source="Direct", referrer="", country="France"),
    ]
    stage.db.write_now(lambda db: click_rows.append(db, strings=Strings(), clicks=made, orphans={}))
    body: dict[str, object] = {
        "parameters": ["link_referrers_by_day", "link_countries_by_day"],
        "startDate": "2026-10-25",
        "endDate": "2026-10-25",
        "timeZone": "Europe/Berlin",
    }
    for entry in stage.entries(body, ReadScope((7,), subject="link"), now=at):
        assert entry.data == [{"date": "2026-10-25", "value": 2}]


def test_visits_that_followed_are_sessions_of_clicking_visitors(stage: queries.World) -> None:
    """Within five minutes, on the website that the link leads to, as the visitor whom the click foretold."""
    (site, other) = stage.new_sites(2)
    now = stage.clock.now()
    template = visit(site, now)[0]
    assert isinstance(template, Event)

    def view(visitor: int, after: int, where: int = site, path: str = "/") -> Event:

        return replace(
            template, site=where, time=now + after, visitor=visitor, yesterday=visitor, kind=PAGE_VIEW, path=path
        )

    made = [
        click(9, now, landing=site, landing_visitor=101),  # lands, sees two pages
        click(9, now, landing=site, landing_visitor=102),  # lands twice by the clock, once as a session
        click(9, now + MINUTE, landing=site, landing_visitor=102),
        click(9, now, landing=site, landing_visitor=103),  # comes six minutes later: not because of the link
        click(9, now, landing=other, landing_visitor=101),
        click(9, now, kind=2, landing=site, landing_visitor=104),  # a program
        click(9, now),  # a target elsewhere
    ]
    stage.db.write_now(lambda db: click_rows.append(db, strings=Strings(), clicks=made, orphans={}))
    stage.store_facts(
        [
            view(101, 1_000),
            view(101, 61_000, path="/b"),
            view(102, 2_000),
            view(103, 6 * MINUTE),
            view(104, 1_000),
            view(105, 1_000),
        ]
    )
    body: dict[str, object] = {"parameters": ["link_landings"], "preset": "today"}
    (entry,) = stage.entries(body, ReadScope((9,), subject="link"), now=now)
    assert entry.data == [
        {"clicks": 6, "sessions": 2, "pageviews": 3, "bounce_rate": 50.0, "median_session_duration": 30.0}
    ]


def test_visits_that_followed_a_click_are_whole_when_they_began_before_the_range(stage: queries.World) -> None:
    (site,) = stage.new_sites(1)
    now = stage.clock.now()
    template = visit(site, now)[0]
    assert isinstance(template, Event)
    midnight = now // DAY * DAY

    def view(minutes: int) -> Event:
        moment = midnight + minutes * MINUTE
        return replace(template, time=moment, visitor=201, yesterday=201, kind=PAGE_VIEW, path=f"/{minutes}")

    made = [click(8, midnight + 10 * MINUTE, landing=site, landing_visitor=201)]
    stage.db.write_now(lambda db: click_rows.append(db, strings=Strings(), clicks=made, orphans={}))
    stage.store_facts([view(minutes) for minutes in (-40, -20, 0, 11)])
    body: dict[str, object] = {"parameters": ["link_landings"], "preset": "today"}
    (entry,) = stage.entries(body, ReadScope((8,), subject="link"), now=now)
    assert entry.data == [
        {"clicks": 1, "sessions": 1, "pageviews": 4, "bounce_rate": 0, "median_session_duration": 51 * 60}
    ]


ASKING: tuple[tuple[KeyName | None, int, str], ...] = (
    ("all", 200, ""),
    ("reading", 200, ""),  # read:data with global access, no scope of links needed (spec 2.2 rule 2)
    ("linking", 403, "FORBIDDEN"),
    ("restricted", 403, "FORBIDDEN"),
    ("foreign", 403, "FORBIDDEN"),
    ("revoked", 401, "AUTH_REQUIRED"),
    (None, 401, "AUTH_REQUIRED"),
)


@each(
    ("path", "key", "status", "code"),
    [(path, key, status, code) for path in ["/v1/query", "/v1/query/compile"] for key, status, code in ASKING],
)
def test_permissions_to_query_a_link(world: World, path: str, key: KeyName | None, status: int, code: str) -> None:
    made = world.link()
    body = {"parameters": ["link_total_clicks"], "preset": "today"}
    answer = world.box.post(f"{path}?link_id={made['id']}", body, key=key)
    assert (answer.status, answer.json.get("code", "")) == (status, code)
    assert made["slug"] not in str(answer.body)
    unknown = world.box.post(f"{path}?link_id=nothere1", body, key=key)
    assert (unknown.status, unknown.json["code"]) == (401 if status == 401 else 403, unknown.json["code"])


def test_a_link_is_asked_about_over_http(world: World) -> None:
    made = world.link()
    world.follow(made["slug"])
    world.follow(made["slug"], user_agent=GOOGLEBOT)
    world.counted()
    names = ["link_total_clicks", "link_kinds", "link_top_bots", "top_pages"]
    answer = world.box.post(f"/v1/query?link_id={made['id']}", {"parameters": names, "preset": "today"}, key="all")
    found = {entry["parameter"]: entry["data"] for entry in answer.json["data"]}
    assert found["link_total_clicks"][0]["total"] == 1
    assert [(row["name"], row["kind"]) for row in found["link_top_bots"]] == [("Googlebot", "bot")]
    assert found["top_pages"] == []  # a type of websites finds nothing on a link (wire 1.1)
    site = world.box.query("shop", {"parameters": ["link_total_clicks", "link_kinds"], "preset": "today"})
    assert [entry["data"] for entry in site.json["data"]] == [
        [{"total": 0, "visitors": 0, "first_clicked": None, "last_clicked": None}],
        [],
    ]


@pytest.mark.parametrize("number", [1, 2, 3])
def test_no_number_of_a_link_is_ever_a_number_of_a_website(world: World, number: int) -> None:
    """Websites and links are numbered on their own; a type of one asked of the other must not meet by number."""
    event = b'{"name": "screen_view", "path": "/secret"}'
    for site in ("shop", "blog"):
        world.box.ask(
            "POST",
            f"/?client_id={world.box.sites[site]}",
            headers={"content_type": "application/json", "origin": f"https://{site}.example"},
            body=event,
        )
    made = [world.link() for _ in range(number)][-1]
    answer = world.box.post(
        f"/v1/query?link_id={made['id']}",
        {"parameters": ["top_pages", "summary_totals", "active_stats", "realtime_pages"], "preset": "today"},
        key="all",
    )
    assert "/secret" not in str(answer.body)
    assert not any(row.get("pageviews") for entry in answer.json["data"] for row in entry["data"])


def test_both_engines_say_the_same_of_a_link(tmp_path: Path) -> None:
    """Over clicks of all kinds, a visit that followed, and clicks that were removed again."""

    def answers(columnar: Literal["on", "off"]) -> tuple[str, Any]:
        def adjust(given: Settings) -> Settings:
            return replace(unlimited(given), columnar=columnar)

        with whole_box(tmp_path / columnar, adjust=adjust) as box:
            world, now = World(box), box.clock.now()
            made, gone = world.link(), world.link()
            (number,) = (found.number for found in [box.box.parts[LinkDirectory].find("", made["slug"])] if found)
            shop = box.numbers["shop"]
            clicks = clicks_of_all_kinds(number, now, landing=shop, visitor=ANA)
            events = box.box.events
            events.db.write_now(lambda db: click_rows.append(db, strings=Strings(), clicks=clicks, orphans={}))
            events.db.write_now(lambda db: events.intake.ledger.append(db, visit(shop, now)))
            world.follow(gone["slug"])
            box.run(events.clicks.flush())
            box.run(events.engines.maintain())
            world.call("links.delete", id=gone["id"])
            body = {
                "parameters": [one.name for one in TYPES],
                "preset": "last_7d",
                "filters": [{"field": "country", "op": "ne", "value": "Spain"}],
            }
            asked = box.post(f"/v1/query?link_id={made['id']}", body, key="all").json["data"]
            engine = box.post(f"/v1/query/compile?link_id={made['id']}", body, key="all").json["engine"]
            return str(engine), asked

    engine, rows = answers("off")
    assert engine == "sqlite"
    assert answers("on") == ("duckdb", rows)
