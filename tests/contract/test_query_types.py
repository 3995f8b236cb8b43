"""The catalogue against the wire's lists of types (spec 2.4, wire 1)."""

from analytics_box.query.catalog import registry
from tests.cases import each
from tests.contract import wire_types as wire


def test_the_catalogue_has_the_types_of_the_wire_and_those_beyond_it() -> None:
    assert set(registry.TYPES) == set(wire.FIELDS) | set(wire.BEYOND)


@each("name", sorted(wire.FIELDS | wire.BEYOND))
def test_a_type_has_its_fields(name: str) -> None:
    outputs = registry.TYPES[name].outputs
    assert {output.name for output in outputs} == set((wire.FIELDS | wire.BEYOND)[name].split())
    assert all(output.description for output in outputs)


def test_public_types_are_those_of_the_wire_and_aggregates_beyond_it() -> None:
    assert {name for name, known in registry.TYPES.items() if known.public} == wire.PUBLIC | wire.PUBLIC_BEYOND


@each("name", sorted(registry.TYPES))
def test_a_type_has_its_default_limit_and_filters(name: str) -> None:
    known = registry.TYPES[name]
    assert known.default_limit == wire.LIMITS.get(name, 100)
    if name in wire.OWN_FILTERS:
        assert not set(known.filters) >= wire.COMMON
    else:
        assert set(known.filters) >= wire.COMMON
    assert set(wire.EXTRA_FILTERS.get(name, "").split()) <= set(known.filters)


@each("name", sorted(registry.TYPES))
def test_series_know_hours_and_days_and_nothing_else_does(name: str) -> None:
    known = registry.TYPES[name]
    wanted = ("minute", "hour", "day") if name in wire.BY_MINUTE else ("hour", "day") if name in wire.HOURLY else ()
    assert known.granularities == wanted
    assert known.usual == ("hour" if name in wire.BY_MINUTE else "day")


def test_types_are_customizable_as_the_wire_says() -> None:
    assert {name: registry.TYPES[name].customizable for name in wire.CUSTOMIZABLE} == wire.CUSTOMIZABLE


def test_the_gated_types_are_the_eight_of_error_tracking() -> None:  # spec 2.4
    assert {name for name, query_type in registry.TYPES.items() if query_type.gated} == {
        *("recent_errors", "error_types", "errors_by_page", "error_summary"),
        *("error_chart_data", "error_trends", "error_frequency", "errors_by_type"),
    }
