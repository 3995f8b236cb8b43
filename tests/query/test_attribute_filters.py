"""A filter on an attribute selects rows by the numbers of combinations and looks up the attributes of no row."""

from functools import partial

import pytest

from analytics_box.base.facts.tables import COMBINATION_OF
from analytics_box.base.store.db import Connection
from analytics_box.query.engines import sqlite
from analytics_box.query.engines.sql.names import DIMENSIONS_OF, MEASURES
from analytics_box.query.engines.sql.texts import Values
from analytics_box.query.filters import ConditionGroup, FilterCondition, FunnelPlan
from analytics_box.query.plan import QueryPlan, Source
from tests.query.world import World

CONDITIONS = {
    name: ConditionGroup(
        True, (FilterCondition(name, "is", ("DE",), True), FilterCondition(name, "contains", ("D",), False))
    )
    for name in COMBINATION_OF
}
COUNTS = {"count", "sessions", "pageviews", "step_1"}
SOURCES = sorted(
    source
    for source in DIMENSIONS_OF
    if DIMENSIONS_OF[source].issuperset(COMBINATION_OF) and COUNTS.intersection(MEASURES[source])
)
FUNNEL = FunnelPlan((FilterCondition("session_page", "set", (), False),))


@pytest.mark.parametrize("source", SOURCES)
def test_filter_on_an_attribute_looks_up_no_combination_of_a_row(world: World, source: Source) -> None:
    measure = next(name for name in MEASURES[source] if name in COUNTS)
    for name, condition in CONDITIONS.items():
        plan = QueryPlan(source, (1,), 0, 1, (measure,), where=(condition,), funnel=FUNNEL)
        statement = sqlite.render(plan)
        explain = partial(explained, statement.sql, statement.values)
        steps = world.db.read_now(explain)
        assert not [step for step in steps if "CORRELATED" in step], name


def explained(text: str, values: Values, db: Connection) -> list[str]:
    return [str(row[-1]) for row in db.execute(f"explain query plan {text}", values).fetchall()]


def test_sources_with_all_attributes_are_tried() -> None:
    assert {"events", "sessions", "vitals", "errors", "outgoing_links", "engagement", "flag_exposures"} <= {*SOURCES}


def test_error_group_is_looked_up_in_an_index(world: World) -> None:
    condition = FilterCondition("fingerprint", "is", ("0123456789abcdef",), False)
    for measure in ("last", "count", "sessions"):
        statement = sqlite.render(QueryPlan("errors", (1,), 0, 1, (measure,), where=(condition,)))
        steps = world.db.read_now(partial(explained, statement.sql, statement.values))
        assert any("INDEX errors_by_group (<expr>=? AND site=?" in step for step in steps), (measure, steps)
