"""Filters on what happened in a session select all of it: for sessions, for page views, for every kind of fact."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from analytics_box.base.clock import DAY
from analytics_box.base.errors import InvalidQuery
from analytics_box.base.store.strings import Strings
from analytics_box.products.links.clicks import rows as click_rows
from analytics_box.query import happened
from analytics_box.query.access import ReadScope
from analytics_box.query.catalog.values import id_text
from analytics_box.query.run import ParameterAnswer
from tests.cases import each
from tests.query.clicks_of_all_kinds import clicks_of_all_kinds
from tests.query.facts_of_all_kinds import ANA, BEN, visit
from tests.query.world import World, is_for_both, world_in

BOTH, NOBODY = {ANA, BEN}, set[int]()
PUBLIC = {"event", "viewed_page", "exit_page", "entry_page", "outgoing_domain", "scroll", "engaged"}


class Known:
    """Of each website a link that is called spring, with the same number."""

    async def numbers(self, sites: tuple[int, ...], called: tuple[str, ...]) -> tuple[int, ...]:
        return tuple(site for site in sites if "spring" in called)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with world_in(tmp_path_factory.mktemp("world"), links=Known()) as made:
        yield made


@pytest.fixture(scope="module")
def site(world: World) -> int:
    (number,) = world.new_sites(1)
    world.store_facts(visit(number, world.clock.now()))
    clicks = clicks_of_all_kinds(number, world.clock.now(), landing=number, visitor=ANA)
    world.db.write_now(lambda db: click_rows.append(db, strings=Strings(), clicks=clicks, orphans={}))
    return number


def ask(world: World, site: int | ReadScope, names: str, *filters: object) -> list[ParameterAnswer]:
    body: dict[str, object] = {"parameters": names.split(), "preset": "today", "filters": list(filters)}
    reads = site if isinstance(site, ReadScope) else (site,)
    return world.entries(body, reads, now=world.clock.now(), both=is_for_both(body))


def found(world: World, site: int, *filters: object) -> set[int]:
    """Whose sessions these filters select, and that page views are counted of just those."""
    sessions, totals = ask(world, site, "session_list summary_totals", *filters)
    assert sessions.success, sessions.error
    whose = {row["visitor_id"] for row in sessions.data}
    assert totals.data[0]["pageviews"] == 2 * (id_text(ANA) in whose) + (id_text(BEN) in whose)
    return {who for who in BOTH if id_text(who) in whose}


def one(field: str, value: object = None, op: str = "eq") -> dict[str, object]:
    return {"field": field, "op": op} | ({} if value is None else {"value": value})


@each(
    ("filters", "whose"),
    [
        ([one("event", "buy")], BOTH),
        ([one("event", "nothing")], NOBODY),
        ([one("event", "bu", "starts_with")], BOTH),
        ([one("event", op="is_set")], BOTH),
        ([one("event", "buy", "ne")], NOBODY),
        ([one("event", ["nothing", "$flag_evaluated"], "in")], {ANA}),
        ([one("event_property", "plan")], BOTH),
        ([one("event_property", "plan=pro")], {ANA}),
        ([one("event_property", "plan=pro", "ne")], {BEN}),
        ([one("event_property", "plan=f", "starts_with")], {BEN}),
        ([one("event_property", "n=4.5")], {BEN}),
        ([one("event_property", 'o={"x":1}')], {ANA}),
        # Of one and the same event, unless they are in groups of their own.
        ([one("event_property", "plan=pro"), one("event_property", "n=3")], {ANA}),
        ([one("event_property", "plan=pro"), one("event_property", "n=4.5")], NOBODY),
        ([one("event", "buy"), one("event_property", "plan=free")], {BEN}),
        ([one("event", "$flag_evaluated"), one("event_property", "plan=pro")], NOBODY),
        ([one("event", "$flag_evaluated"), {"all": [one("event_property", "plan=pro")]}], {ANA}),
        ([{"all": [one("event", "buy"), one("event_property", "plan=free")]}], {BEN}),
        ([{"any": [one("event", "$flag_evaluated"), one("event_property", "plan=free")]}], BOTH),
        ([one("viewed_page", "/a/")], {ANA}),
        ([one("viewed_page", "/")], BOTH),
        ([one("viewed_page", "^/[a-z]$", "regex")], {ANA}),
        ([one("exit_page", "/")], {BEN}),
        ([one("exit_page", "/a")], {ANA}),
        ([one("exit_page", "/a", "ne")], {BEN}),
        ([one("outgoing_link", "https://x.example/a")], {ANA}),
        ([one("outgoing_domain", "x.example")], {ANA}),
        ([one("outgoing_domain", op="is_not_set")], {BEN}),
        ([one("error", "x is no function")], {ANA}),
        ([one("error", "no func", "contains")], {ANA}),
        ([one("error", "another")], NOBODY),
        ([one("error", op="is_not_set")], {BEN}),
        ([one("scroll", 80)], {ANA}),
        ([one("scroll", "81")], NOBODY),
        ([one("scroll", [90, 10], "in")], {ANA}),
        ([one("engaged", 40)], {ANA}),
        ([one("engaged", 41)], NOBODY),
        ([one("engaged", 40, "ne")], {BEN}),
        ([one("link", "spring")], {ANA}),
        ([one("link", "autumn")], NOBODY),
        ([one("link", "autumn", "ne")], BOTH),
        ([one("link", op="is_set")], {ANA}),
        ([{"any": [one("link", "spring"), one("event_property", "plan=free")]}], BOTH),
    ],
)
def test_a_session_is_selected_by_what_happened_in_it(
    world: World, site: int, filters: list[object], whose: set[int]
) -> None:
    assert found(world, site, *filters) == whose


def test_facts_of_every_kind_are_those_of_the_sessions(world: World, site: int) -> None:
    names = "outbound_links error_types vitals_overview scroll_depth_summary flag_variants"
    whole = ask(world, site, names)
    assert ask(world, site, names, one("event_property", "plan=pro")) == whole  # all of these are Ana's
    for entry, known in zip(ask(world, site, names, one("event_property", "plan=free")), whole, strict=True):
        assert entry.success
        assert entry.data != known.data, entry.parameter


def test_event_after_the_range_selects_its_session(world: World) -> None:
    (site,) = world.new_sites(1)
    midnight = world.clock.now() // DAY * DAY
    world.store_facts(visit(site, midnight + 190_000))  # Ana's first page is ten seconds before midnight
    for field, value in (("exit_page", "/a"), ("event_property", "plan=pro"), ("engaged", 40)):
        for name in ("top_pages", "entry_pages"):
            day = day_before(midnight) | {"parameters": [name], "filters": [one(field, value)]}
            (entry,) = world.entries(day, (site,), now=world.clock.now())
            assert [row["path"] for row in entry.data] == ["/"]


def day_before(midnight: int) -> dict[str, object]:
    day = f"{datetime.fromtimestamp(midnight / 1000 - 1, UTC):%Y-%m-%d}"
    return {"startDate": day, "endDate": day}


@each(
    ("field", "op", "value", "said"),
    [
        ("scroll", "eq", 0, "scroll is a whole number from 1 to 100"),
        ("scroll", "eq", "half", "scroll is a whole number"),
        ("scroll", "eq", 50.5, "scroll is a whole number"),
        ("engaged", "eq", 90_000, "engaged is a whole number from 1 to 86400"),
        ("engaged", "contains", 1, "engaged can only be compared with eq, ne, in, not_in, is_set and is_not_set"),
        ("link", "regex", "a", "link can only be compared with"),
    ],
)
def test_unsupported_comparison_is_reported(
    world: World, site: int, field: str, op: str, value: object, said: str
) -> None:
    with pytest.raises(InvalidQuery, match=said):
        ask(world, site, "summary_totals", one(field, value, op))


def test_a_query_has_twenty_of_these_filters(world: World, site: int) -> None:
    kinds = [one("event", "buy"), one("event_property", "plan"), one("exit_page", "/a"), one("link", op="is_set")]
    (entry,) = ask(world, site, "top_pages", *kinds * 5)
    assert [row["path"] for row in entry.data] == ["/", "/a"]
    with pytest.raises(InvalidQuery, match="20 session filters"):
        ask(world, site, "top_pages", *kinds * 5, {"any": [{"all": [one("event", "buy")]}]})


@each("field", sorted({*happened.FIELDS, "entry_page"}))
def test_the_public_filters_by_what_it_is_shown(world: World, site: int, field: str) -> None:
    value = "50" if field in happened.MOST else "x"
    for values, shown in ((False, PUBLIC), (True, PUBLIC | happened.OF_VALUES)):
        scope = ReadScope((site,), people=False, public=True, values=values)
        (entry,) = ask(world, scope, "summary_totals", one(field, value))
        assert entry.success
        assert (entry.ignoredFilters == (field,)) == (field not in shown)
