"""No type counts more visitors than there were in the range, nor sessions that never began (semantics 8, 11 and 13)."""

from typing import Any

import pytest
from msgspec.structs import replace

from analytics_box.base.clock import DAY, HOUR, MINUTE
from analytics_box.base.facts.event import CUSTOM, PAGE_EXIT, Fact, FactSpan
from analytics_box.base.facts.tables import ATTRIBUTES, SPANS
from analytics_box.ingest.visitors import by_client_id
from analytics_box.query.access import ReadScope
from analytics_box.query.catalog import registry
from tests.cases import each
from tests.examples import some
from tests.query.facts_of_all_kinds import page_view
from tests.query.happenings import at
from tests.query.world import World, is_for_both

MIDNIGHT = at(2026, 6, 17)
PEOPLE = 4
OF_VISITORS = {
    *("visitors", "unique_visitors", "unique_users", "users", "affectedUsers", "affected_visitor_identifiers"),
    *("linked_visitor_identifiers", "active_users"),
}
OF_SESSIONS = {"affectedSessions", "affected_sessions", "unique_sessions", "candidate_exposed_sessions"}
OWN = {
    "vitals": (2, 1200.5),
    "errors": ("TypeError", "x is no function", "app.js", 3, 4, "at app.js:3"),
    "outgoing_links": ("https://x.example/a", "X", "x.example"),
    "engagement": (1, "unload", 30_000, 20_000, 500, 80, 3, 4, 5, 6, 0, 2, 1, "button", "div", 1, 0, "email", 0),
}
MEASURED = [table for table in SPANS if table in OWN]  # an exposure comes with its event


def span(table: str, site: int, time: int, visitor: int, session: str) -> FactSpan:
    return FactSpan(table, site, time, visitor, 0, session, "/", "", ("",) * len(ATTRIBUTES), OWN[table])


def over_midnight(site: int) -> list[Fact]:
    """Each comes twice, the second time until after midnight, by when they are other visitors; what is measured then
    is all that some of them leave. Two more leave measurements alone."""
    told: list[Fact] = []
    for person in range(PEOPLE):
        before, after = by_client_id(b"a", site, str(person)), by_client_id(b"b", site, str(person))
        noon, late = MIDNIGHT - 12 * HOUR, MIDNIGHT - 5 * MINUTE
        view = page_view(site, late, "/", before)
        told += [replace(page_view(site, noon, "/", before), client_session=f"noon {person}")]
        told += [replace(view, client_session=f"late {person}")]
        for time, visitor in ((late + MINUTE, before), (MIDNIGHT + MINUTE, after)):
            told += [span(table, site, time, visitor, f"late {person}") for table in MEASURED]
            left = replace(view, time=time, visitor=visitor, client_session=f"late {person}")
            told += [replace(left, kind=PAGE_EXIT, name="page_exit", engaged=40, scroll=50)]
        if person % 2:
            event = replace(
                view,
                kind=CUSTOM,
                name="buy",
                properties='{"k":"v"}',
                exposure=("new", "a"),
                client_session=f"late {person}",
            )
            told += [event, replace(event, time=MIDNIGHT + 2 * MINUTE, visitor=after)]
    for stranger in (91, 93):
        told += [span(table, site, MIDNIGHT - HOUR, stranger, f"stray {stranger}") for table in MEASURED]
    return told


@pytest.fixture(scope="module")
def site(world: World) -> int:
    (number,) = world.new_sites(1)
    world.store_facts(over_midnight(number))
    return number


def ask(world: World, site: int, query_type: str, first: str, last: str, *, limit: int = 100) -> list[dict[str, Any]]:
    """The rows of an answer; in an ordinary run, DuckDB is asked for some."""
    needs = registry.TYPES[query_type].needs
    filters = [{"field": "path", "op": "eq", "value": "/"}] if "path" in needs else []
    body: dict[str, object] = {"parameters": [query_type], "startDate": first, "endDate": last, "filters": filters}
    body |= {"limit": limit}
    (entry,) = world.entries(body, ReadScope((site,)), now=MIDNIGHT + DAY, both=is_for_both(body))
    assert entry.success, entry.error
    return entry.data


def fields(query_type: str) -> set[str]:
    return {output.name for output in registry.TYPES[query_type].outputs}


TYPES = [
    name
    for name, known in sorted(registry.TYPES.items())
    if known.subject == "website"
    and not known.recent
    and not known.today
    and not (set(known.needs) - {"path", "message"})
]
DAYS = (("2026-06-16", "2026-06-17"), ("2026-06-16", "2026-06-16"), ("2026-06-17", "2026-06-17"))


@each(
    ("name", "first", "last"),
    some([(name, *days) for name in TYPES if fields(name) & OF_VISITORS for days in DAYS], 100),
)
def test_no_row_has_more_visitors_than_the_range(world: World, site: int, name: str, first: str, last: str) -> None:
    (totals,) = ask(world, site, "summary_totals", first, last)
    for row in ask(world, site, name, first, last):
        for field in fields(name) & OF_VISITORS:
            assert row[field] <= totals["visitors"], (field, row)


@pytest.mark.parametrize("name", [name for name in TYPES if fields(name) & OF_SESSIONS])
def test_no_row_has_sessions_that_never_began(world: World, site: int, name: str) -> None:
    (totals,) = ask(world, site, "session_metrics", "2026-06-15", "2026-06-17")
    assert totals["total_sessions"] == 2 * PEOPLE
    rows = ask(world, site, name, "2026-06-15", "2026-06-17")
    assert rows
    for row in rows:
        for field in fields(name) & OF_SESSIONS:
            assert row[field] <= totals["total_sessions"], (field, row)
            assert "custom_event" in name or row[field] == PEOPLE, (field, row)


def test_no_share_is_more_than_all(world: World, site: int) -> None:
    for name in TYPES:
        percents = [output.name for output in registry.TYPES[name].outputs if output.unit == "percent"]
        for row in ask(world, site, name, "2026-06-16", "2026-06-17"):
            assert all(row[field] is None or 0 <= row[field] <= 100 for field in percents), (name, row)


@pytest.mark.parametrize(("name", "rows"), [("hour_of_day", 24), ("day_of_week", 7)])
def test_hours_and_days_without_events_are_rows_of_zeros(world: World, site: int, name: str, rows: int) -> None:
    found = ask(world, site, name, "2026-06-16", "2026-06-16")
    assert [next(iter(row.values())) for row in found] == list(range(rows))
    assert sum(row["pageviews"] for row in found) == 2 * PEOPLE
    assert sum(row["pageviews"] > 0 for row in found) == (2 if rows == 24 else 1)


def test_the_hours_of_a_week_are_all_there_and_each_is_of_its_day(world: World, site: int) -> None:
    found = ask(world, site, "hour_of_week", "2026-06-16", "2026-06-16", limit=168)
    assert [(row["day"], row["hour"]) for row in found] == [(day, hour) for day in range(7) for hour in range(24)]
    for hour in ask(world, site, "hour_of_day", "2026-06-16", "2026-06-16"):
        tuesday = found[2 * 24 + hour["hour"]]
        assert (tuesday["pageviews"], tuesday["visitors"]) == (hour["pageviews"], hour["visitors"])
    assert sum(row["pageviews"] for row in found) == 2 * PEOPLE


def test_leaving_is_no_event_of_a_person_and_events_are_no_pages(world: World) -> None:
    (site,) = world.new_sites(1)
    view = page_view(site, MIDNIGHT, "/", 5)
    told = [view, replace(view, kind=CUSTOM, name="buy", path="/app"), replace(view, kind=PAGE_EXIT, name="page_exit")]
    world.store_facts(told)
    (row,) = ask(world, site, "profile_list", "2026-06-17", "2026-06-17")
    assert (row["unique_event_names"], row["unique_pages"]) == (2, 1)


def test_of_a_choice_with_an_unknown_field_all_is_ignored(world: World, site: int) -> None:
    path = {"field": "path", "op": "eq", "value": "/nowhere"}
    unknown = {"field": "event_name", "op": "eq", "value": "buy"}
    either: dict[str, object] = {"any": [path, {"all": [unknown, {"field": "country", "op": "is_not_set"}]}]}
    for group, ignored in (({"any": [path, unknown]}, ("event_name", "path")), (either, ("event_name",))):
        body: dict[str, object] = {"parameters": ["top_pages"], "startDate": "2026-06-16", "endDate": "2026-06-16"}
        (entry,) = world.entries(body | {"filters": [group]}, ReadScope((site,)), now=MIDNIGHT)
        assert sorted(entry.ignoredFilters or ()) == sorted(ignored)
        assert bool(entry.data) == (len(ignored) > 1)
