"""ClickHouse answers every type of question as SQLite does."""

import logging
from collections.abc import Iterator

import pytest

from analytics_box.base.store.strings import Strings
from analytics_box.products.links.clicks import rows as click_rows
from analytics_box.query.catalog import registry
from analytics_box.query.engines.clickhouse.machines import ClickHouseMachine
from analytics_box.query.happened import LIMITS
from tests.cases import each
from tests.examples import some
from tests.query.checks_of_all_kinds import store_a_monitor
from tests.query.clickhouse.served import needs_chdb, serving
from tests.query.clickhouse.world import World
from tests.query.clicks_of_all_kinds import clicks_of_all_kinds
from tests.query.facts_of_all_kinds import ANA, of_assistants, of_tracker, visit
from tests.query.test_every_type import ask, operators_of

pytestmark = needs_chdb

OF_SEVERAL = some(sorted(registry.TYPES), 12)  # types that one of several machines is asked


@pytest.fixture(scope="module", params=["alone", "one of several"])
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A box alone, and the primary beside a machine that has sent the same texts, too."""
    several = request.param != "alone"
    with serving() as served:
        url = served.new_database()
        made = World(tmp_path_factory.mktemp("world"), url, ClickHouseMachine(0, "a", "a") if several else None)
        made.other = World(tmp_path_factory.mktemp("other"), url, ClickHouseMachine(3, "b", "a")) if several else None
        yield made
        for one in (made, made.other):
            if one is not None:
                one.close()


@pytest.fixture(scope="module")
def site(world: World) -> int:
    (number,) = world.new_sites(1)
    now = world.clock.now()
    world.store_facts([*visit(number, now), *of_tracker(number, now), *of_assistants(number, now)])
    clicks = clicks_of_all_kinds(number, world.clock.now(), landing=number, visitor=ANA)
    world.db.write_now(lambda db: click_rows.append(db, strings=Strings(), clicks=clicks, orphans={}))
    store_a_monitor(world.db, number, world.clock.now())
    if world.other is not None:
        world.send()
        world.other.store_facts(visit(number + 1_000, world.clock.now()))
        world.other.send()
    return number


@pytest.fixture(autouse=True)
def answered_there(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Nothing was left to SQLite."""
    with caplog.at_level(logging.WARNING, "analytics_box.query.engines.clickhouse"):
        yield
    assert not [record for record in caplog.records if record.name.startswith("analytics_box.query.engines")]


@each("name", sorted(registry.TYPES))
def test_a_type_has_the_same_answer(world: World, site: int, name: str) -> None:
    """Of several machines, an ordinary run asks some types."""
    if world.other is not None and name not in OF_SEVERAL:
        return
    entry = ask(world, site, name)
    assert entry.success, entry.error
    assert entry.data


def test_an_export_has_the_same_rows(world: World, site: int) -> None:
    """Also those of one of several machines, whose texts have other numbers there."""
    if world.other is None:
        world.send()
    whole, there = (world.archive(engines, site) for engines in world._engines)
    assert whole == there
    assert all(whole.values())


def _filters() -> list[tuple[str, str, str]]:
    """Each field with one of its operators, of a type that takes it."""
    types_of: dict[str, list[str]] = {}
    for name, known in sorted(registry.TYPES.items()):
        for field in known.filters:
            if field not in {*known.needs, *known.alone}:
                types_of.setdefault(field, []).append(name)
    found = []
    for turn, (field, names) in enumerate(sorted(types_of.items())):
        name = names[turn * 7 % len(names)]
        operators = operators_of(name, field)
        found.append((field, operators[turn * 5 % len(operators)], name))
    return found


FILTERS_OF_SEVERAL = some(_filters(), 20)


@each(("field", "op", "name"), _filters())
def test_a_filter_selects_the_same(world: World, site: int, field: str, op: str, name: str) -> None:
    """Of several machines, an ordinary run asks some."""
    if world.other is not None and (field, op, name) not in FILTERS_OF_SEVERAL:
        return
    known = registry.TYPES[name]
    value = {} if op.endswith("set") else {"value": "1" if field in LIMITS else "a"}
    needed = [{"field": item, "op": "eq", "value": "s1"} for item in known.needs[:1]]
    entry = ask(world, site, name, filters=[{"field": field, "op": op, **value}, *needed])
    assert entry.success, entry.error


ODD = ('it\'s a "text"\n\t\x00', "\\", "{x:String} ?", "'; drop table events", "ü → 漢字", "%_*[a]", "(?i)A|^$", "a.b")


@each(
    ("op", "value"),
    [(op, value) for number, value in enumerate(ODD) for op in ("in", "regex", "ends_with")[number % 2 :]],
)
def test_typed_text_is_bound_as_a_value(world: World, site: int, op: str, value: str) -> None:
    value = value.replace("{", "").replace("\\", "").replace("?", "", 1) if op == "regex" else value
    given = [f"{value}{number or ''}" for number in range(6)] if op == "in" else value
    assert ask(world, site, "top_pages", filters=[{"field": "path", "op": op, "value": given}]).success
