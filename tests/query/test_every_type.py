"""Every type of the catalogue answers over facts of every kind, with the kinds of values that it promises."""

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from analytics_box.base.store.strings import Strings
from analytics_box.products.links.clicks import rows as click_rows
from analytics_box.query.access import ReadScope
from analytics_box.query.catalog import registry
from analytics_box.query.catalog.values import id_text
from analytics_box.query.happened import FIELDS, LIMITS
from analytics_box.query.results import ROWS
from analytics_box.query.run import ParameterAnswer
from tests.cases import each
from tests.examples import is_thorough
from tests.query.checks_of_all_kinds import store_a_monitor
from tests.query.clicks_of_all_kinds import clicks_of_all_kinds
from tests.query.facts_of_all_kinds import ANA, of_assistants, of_tracker, visit
from tests.query.world import World

KINDS: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "number": (int, float, Decimal),
    "boolean": bool,
    "date": str,
    "datetime": str,
    "json": (dict, list, type(None)),
}


SETTINGS = {
    "activation_event": "purchase",
    "return_event": "purchase",
    "horizon_days": "7",
    "observation_end": "2026-06-17",
}


@pytest.fixture(scope="module")
def site(world: World) -> int:
    (number,) = world.new_sites(1)
    now = world.clock.now()
    world.store_facts([*visit(number, now), *of_tracker(number, now), *of_assistants(number, now)])
    clicks = clicks_of_all_kinds(number, world.clock.now(), landing=number, visitor=ANA)
    world.db.write_now(lambda db: click_rows.append(db, strings=Strings(), clicks=clicks, orphans={}))
    store_a_monitor(world.db, number, world.clock.now())
    return number


def ask(world: World, site: int, name: str, *, both: bool = True, **more: Any) -> ParameterAnswer:
    needs = registry.TYPES[name].needs
    filters = []
    if registry.TYPES[name].study:
        filters = [{"field": item, "op": "eq", "value": SETTINGS[item]} for item in needs]
    elif "session_id" in needs:
        filters = [{"field": "session_id", "op": "eq", "value": "s1"}]
    elif "path" in needs:
        filters = [{"field": "path", "op": "eq", "value": "/a"}]
    elif "funnel" in needs:
        filters = [{"field": "funnel", "op": "eq", "value": "f"}]
    elif "flag" in needs:
        filters = [{"field": "flag", "op": "eq", "value": "new"}]
    elif needs:
        filters = [{"field": "anonymous_id", "op": "eq", "value": id_text(ANA)}]
    body = {"parameters": [name], "preset": "today", "filters": filters, **more}
    reads = ReadScope((site,), subject=registry.TYPES[name].subject)
    (entry,) = world.entries(body, reads, now=world.clock.now(), both=both)
    return entry


@each("name", sorted(registry.TYPES))
def test_a_type_answers_with_the_fields_and_kinds_that_it_promises(world: World, site: int, name: str) -> None:
    entry = ask(world, site, name)
    assert entry.success, entry.error
    assert entry.data
    for row in entry.data:
        for output in registry.TYPES[name].outputs:
            value = row[output.name]
            assert value is None or isinstance(value, KINDS[output.type]), (output.name, value)
            assert output.type == "boolean" or not isinstance(value, bool), output.name
        assert set(row) == {output.name for output in registry.TYPES[name].outputs}
    assert json.loads(ROWS.encode(entry.data))


@each("name", sorted(registry.TYPES))
def test_pages_of_one_row_make_the_whole_answer(world: World, site: int, name: str) -> None:
    """The second is asked of both engines, or the first where there is one."""
    whole = ask(world, site, name, limit=200, both=is_thorough()).data
    for number, row in enumerate(whole, start=1):
        both = number == min(2, len(whole))
        assert ask(world, site, name, limit=1, page=number, both=both).data == [row], number
    assert ask(world, site, name, limit=1, page=len(whole) + 1, both=is_thorough()).data == []


OPERATORS = (
    *("eq", "ne", "contains", "not_contains", "starts_with", "not_starts_with", "ends_with", "regex"),
    *("in", "not_in", "is_set", "is_not_set"),
)


def operators_of(name: str, field: str) -> tuple[str, ...]:
    """Those that a type takes for a field: of ids and of counts there are only some."""
    few = field in {"website_id", "client_id"} or field in registry.TYPES[name].having
    limits = LIMITS.get(field)
    return ("eq", "ne", "in", "not_in") if few else limits.operators if limits else OPERATORS


def _asked() -> list[tuple[str, str, int]]:
    """Types with some of the fields that they may be filtered by, for all types of a source have the same ones, and
    numbers that differ. An ordinary run has every fourth pair, and those with a type or a field that has not been."""
    found = [
        (name, field, turn)
        for first, (name, known) in enumerate(sorted(registry.TYPES.items()))
        for turn, field in enumerate(known.filters, start=first)
        if field not in {*known.needs, *known.alone} and turn % (4 if field in FIELDS else 3) == 0
    ]
    some: list[tuple[str, str, int]] = []
    for number, (name, field, turn) in enumerate(found):
        is_new = all(name != other for other, _, _ in some) or all(field != other for _, other, _ in some)
        if is_thorough() or number % 4 == 0 or is_new:
            some.append((name, field, turn))
    return some


def _with_both() -> Iterator[tuple[str, str, str, bool]]:
    """These types and fields with the operator that is asked alone, and whether both engines are asked it: every other
    one, in an ordinary run those with a field or an operator that has not been, and a few."""
    fields, operators = set(), set()
    for number, (name, field, turn) in enumerate(_asked()):
        allowed = operators_of(name, field)
        operator = allowed[turn // 3 % len(allowed)]
        is_new = field not in fields or operator not in operators
        both = turn % 2 == 0 if is_thorough() else is_new or number % 9 == 0
        if both:
            fields.add(field)
            operators.add(operator)
        yield name, field, operator, both


@each(("name", "field", "alone", "both"), _with_both())
def test_every_allowed_filter_runs_with_every_operator(
    world: World, site: int, name: str, field: str, alone: str, *, both: bool
) -> None:
    """All operators at once, all of them and any of them, and one alone."""
    needs = registry.TYPES[name].full_needs
    needed = [{"field": item, "op": "eq", "value": SETTINGS.get(item, "s1")} for item in needs]
    operators = operators_of(name, field)
    value = "1" if field in LIMITS else "a"
    every = [{"field": field, "op": op} | ({} if op.endswith("set") else {"value": value}) for op in operators]
    one = every[operators.index(alone)]
    many = [every, [{"any": every}]] if field in FIELDS else [[*every, {"any": every}]]  # within MAX_HAPPENED
    if field == "funnel_dropoff":  # A query can have one of them.
        many = []
    for chosen in (*many, [one]):
        entry = ask(world, site, name, both=both and chosen == [one], filters=[*chosen, *needed])
        assert entry.success, (chosen, entry.error)


def test_a_key_of_a_property_is_one_of_several_conditions_beside_any_other(world: World, site: int) -> None:
    name = "custom_event_properties"
    key = {"field": "property_key", "op": "eq", "value": "plan"}
    for field in {*registry.TYPES[name].filters} - {"property_key"}:
        other = {"field": field, "op": "eq", "value": "1" if field in LIMITS else "a"}
        entry = ask(world, site, name, both=False, filters=[{"any": [key, other]}])
        assert entry.success, field


def test_a_country_has_its_code(world: World, site: int) -> None:
    (row,) = ask(world, site, "country").data
    assert (row["name"], row["country_code"]) == ("Germany", "DE")


def test_a_type_that_needs_a_filter_says_so(world: World, site: int) -> None:
    for name, known in registry.TYPES.items():
        if known.needs:
            entry = ask(world, site, name, filters=[])
            assert not entry.success
            assert known.needs[0] in str(entry.error)


@pytest.mark.parametrize("comparison", ["previous_period", "previous_year"])
def test_a_comparison_adds_the_rows_of_the_earlier_range(world: World, site: int, comparison: str) -> None:
    entry = ask(world, site, "summary_metrics", comparison=comparison)
    (row,) = entry.comparison.data  # type: ignore[union-attr]  # it is there, or this fails
    assert row["pageviews"] == 0
    assert row["date"] == {"previous_period": "2026-06-16", "previous_year": "2025-06-17"}[comparison]
    alone = ask(world, site, "active_stats", comparison=comparison)
    assert not alone.comparison, "a type that looks at now has nothing to compare"
