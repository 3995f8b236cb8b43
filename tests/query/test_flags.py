"""The result of an experiment: whom a flag gave what, what they did then, and what of it is more than chance."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from analytics_box.base.clock import DAY, SECOND
from analytics_box.base.facts.event import CUSTOM, Event, Fact
from analytics_box.query.access import ReadScope
from analytics_box.query.named import Split
from tests.cases import each
from tests.query.facts_of_all_kinds import page_view
from tests.query.happenings import at
from tests.query.world import World

NOON = at(2026, 6, 17, 12)
DAY_OF_IT = {"startDate": "2026-06-17", "endDate": "2026-06-17"}
SPLITS: Mapping[str, Split] = {
    "weighed": Split(("old", "new"), (75.0, 25.0)),
    "targeted": Split(("old", "new"), untold="not_by_chance"),
    "closed": Split(("old", "new"), (50.0, 50.0), closed=True),
}


class Known:
    """The flags of a box, by their keys."""

    async def of(self, site: int, flag: str, start: int, end: int) -> Split | None:
        return SPLITS.get(flag)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    made = World(tmp_path_factory.mktemp("flags"), splits=Known())
    yield made
    made.close()


def given(site: int, visitor: int, flag: str, variant: str, *, after: float = 0) -> Event:
    """Somebody is given something, so many seconds after noon."""
    view = page_view(site, NOON + round(after * SECOND), "/", visitor)
    return replace(view, kind=CUSTOM, name="$flag_evaluated", exposure=(flag, variant))


def bought(site: int, visitor: int, *, after: float, name: str = "buy") -> Event:
    return replace(page_view(site, NOON + round(after * SECOND), "/", visitor), kind=CUSTOM, name=name)


def told(world: World, *facts: tuple[Any, ...]) -> int:
    """A website of its own, with facts: ("given", visitor, flag, variant, seconds) or (event, visitor, seconds)."""
    (site,) = world.new_sites(1)
    made: list[Fact] = []
    for kind, visitor, *rest in facts:
        if kind == "given":
            made.append(given(site, 2 * visitor, rest[0], rest[1], after=rest[2]))
        else:
            made.append(bought(site, 2 * visitor, after=rest[0], name=kind))
    world.store_facts(made)
    return site


def result(world: World, site: int, flag: str = "f", *more: dict[str, Any]) -> list[dict[str, Any]]:
    filters = [*more, {"field": "flag", "op": "eq", "value": flag}]
    body: dict[str, object] = {"parameters": ["flag_exposures"], **DAY_OF_IT, "filters": filters}
    (entry,) = world.entries(body, (site,), now=NOON)
    assert entry.success, entry.error
    return entry.data


BUY = {"field": "conversion", "op": "eq", "value": "buy"}


def fields(rows: list[dict[str, Any]], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in rows]


def test_the_first_exposure_decides_and_who_was_given_several_is_in_no_rate(world: World) -> None:
    site = told(
        world,
        ("given", 1, "f", "a", 0),
        ("given", 1, "f", "a", 9),
        ("given", 2, "f", "b", 5),
        ("given", 2, "f", "a", 4),
        ("given", 3, "f", "b", 0),
        ("given", 4, "other", "c", 0),
        ("buy", 1, 1),
        ("buy", 1, 2),
        ("buy", 2, 6),
    )
    shown = fields(result(world, site, "f", BUY), "variant", "visitors", "mixed_visitors", "conversions", "share")
    assert shown == [("a", 1, 1, 1, 66.67), ("b", 1, 0, 0, 33.33)]
    assert result(world, site, "nothing") == []


def test_only_what_happens_after_the_first_exposure_and_in_the_range_is_a_conversion(world: World) -> None:
    site = told(
        world,
        *(("given", visitor, "f", "a", 10) for visitor in range(1, 6)),
        ("buy", 1, 9.999),
        ("buy", 2, 10),
        ("buy", 3, 9),
        ("buy", 3, 11),
        ("buy", 4, DAY / SECOND),
        ("sell", 5, 11),
    )
    assert fields(result(world, site, "f", BUY), "visitors", "conversions", "conversion_rate") == [(5, 2, 40.0)]
    either = BUY | {"op": "in", "value": ["buy", "sell"]}
    assert fields(result(world, site, "f", either), "conversions") == [(3,)]


def test_without_a_conversion_nothing_is_said_of_one(world: World) -> None:
    site = told(world, ("given", 1, "f", "a", 0), ("given", 2, "f", "b", 0), ("buy", 1, 5))
    unknown = ("conversions", "conversion_rate", "conversion_rate_low", "difference", "difference_high", "p_value")
    assert fields(result(world, site), *unknown) == [(None,) * 6] * 2


def test_rates_are_compared_with_the_control(world: World) -> None:
    facts: list[tuple[Any, ...]] = [
        ("given", visitor, "f", ("Control", "b")[visitor % 2], 0) for visitor in range(1, 201)
    ]
    facts += [("buy", visitor, 1) for visitor in range(1, 201) if (visitor % 2 and visitor < 60) or visitor < 20]
    (control, other) = result(world, told(world, *facts), "f", BUY)
    assert (control["variant"], control["is_control"], other["is_control"]) == ("Control", True, False)
    assert (control["conversions"], other["conversions"]) == (9, 30)
    assert (control["difference"], control["p_value"]) == (None, None)
    assert (other["difference"], other["difference_low"], other["difference_high"]) == (21.0, 10.14, 31.46)
    assert other["p_value"] == 0.0002


@each(
    ("flag", "order", "expected", "said", "why"),
    [
        ("weighed", ["old", "new"], [75.0, 25.0], 0.0, None),  # its own order, however many there are of each
        ("targeted", ["old", "new"], [None, None], None, "not_by_chance"),
        ("unknown", ["new", "old"], [None, None], None, "unknown_flag"),
    ],
)
def test_shares_are_held_against_those_of_the_flag(
    world: World, flag: str, order: list[str], expected: list[float | None], said: float | None, why: str | None
) -> None:
    facts = [("given", visitor, flag, "new" if visitor <= 29 else "old", 0) for visitor in range(1, 51)]
    rows = result(world, told(world, *facts), flag, {"field": "flag", "op": "ne", "value": "other"})
    assert [row["variant"] for row in rows] == order
    assert [row["expected_share"] for row in rows] == expected
    assert {(row["sample_ratio_p_value"], row["expected_share_unknown"]) for row in rows} == {(said, why)}


@each(
    ("flag", "shown"),
    [
        (
            "closed",
            [
                ("old", True, True, 10, 0, 50.0, 50.0, 2),
                ("new", True, False, 9, 1, 50.0, 50.0, 0),
                ("(not given)", False, False, 4, 1, None, None, 1),
            ],
        ),
        (
            "weighed",  # a rollout, say: what else was given may be anything
            [
                ("old", True, True, 10, 0, 40.0, 75.0, 2),
                ("new", True, False, 9, 1, 40.0, 25.0, 0),
                ("false", True, False, 3, 1, 16.0, None, 1),
                ("(none)", True, False, 1, 0, 4.0, None, 0),
            ],
        ),
    ],
)
def test_visitors_without_a_variant_are_in_no_share_and_no_comparison(
    world: World, flag: str, shown: list[tuple[Any, ...]]
) -> None:
    site = told(
        world,
        *(("given", visitor, flag, "old" if visitor <= 10 else "new", 0) for visitor in range(1, 21)),
        *(("given", visitor, flag, "false" if visitor < 25 else "(none)", 0) for visitor in range(21, 26)),
        ("given", 20, flag, "false", 1),
        ("given", 24, flag, "old", 1),
        *(("buy", visitor, 2) for visitor in (1, 2, 21, 24)),
    )
    rows = result(world, site, flag, BUY)
    names = ("is_given", "is_control", "visitors", "mixed_visitors", "share", "expected_share", "conversions")
    assert fields(rows, "variant", *names) == shown
    assert (rows[2]["p_value"] is None) == (flag == "closed")
    only = told(world, ("given", 1, flag, "false", 0))
    assert fields(result(world, only, flag), "variant", "is_control") == [
        ("(not given)", False) if flag == "closed" else ("false", True)
    ]


def test_others_filters_choose_exposures_and_a_second_flag_visitors(world: World) -> None:
    site = told(
        world,
        ("given", 1, "f", "a", 0),
        ("given", 2, "f", "b", 0),
        ("given", 2, "g", "x", 9),
        ("given", 3, "g", "x", 0),
    )
    also = {"all": [{"field": "flag", "op": "eq", "value": "g=x"}]}
    assert fields(result(world, site, "f", also), "variant", "visitors") == [("b", 1)]
    nowhere = {"field": "country", "op": "eq", "value": "Atlantis"}
    assert result(world, site, "f", nowhere) == []


@each(
    "filters",
    [
        [],
        [{"field": "flag", "op": "ne", "value": "f"}],
        [{"field": "flag", "op": "in", "value": ["f", "g"]}],
        [{"field": "flag", "op": "eq", "value": "f"}, {"field": "flag", "op": "eq", "value": "g"}],
        [{"field": "flag", "op": "eq", "value": "f"}, BUY | {"op": "ne"}],
        [{"field": "flag", "op": "eq", "value": "f"}, BUY, BUY],
        [{"field": "flag", "op": "eq", "value": "f"}, {"any": [BUY]}],
    ],
)
def test_invalid_experiment_query_is_refused(world: World, filters: list[dict[str, Any]]) -> None:
    body: dict[str, object] = {"parameters": ["flag_exposures"], **DAY_OF_IT, "filters": filters}
    (entry,) = world.entries(body, (1,), now=NOON)
    assert not entry.success
    assert "flag_exposures" in str(entry.error)


@each(
    ("op", "value", "visitors"),
    [
        ("eq", "f", 3),
        ("eq", "f=a", 2),
        ("eq", "f=", 0),
        ("eq", "a=b=c", 1),
        ("eq", "a=b", 1),
        ("ne", "f=a", 3),
        ("in", ["f=b", "a=b"], 2),
        ("not_in", ["f", "a=b"], 1),
        ("contains", "=a", 2),
        ("starts_with", "f=", 3),
        ("ends_with", "c", 1),
        ("regex", "^[af]=", 4),
        ("is_set", None, 4),
        ("is_not_set", None, 1),
    ],
)
def test_everything_can_be_narrowed_to_who_was_given_something(
    world: World, op: str, value: Any, visitors: int
) -> None:
    site = told(
        world,
        ("given", 1, "f", "a", 0),
        ("given", 2, "f", "a", 0),
        ("given", 3, "f", "b", 0),
        ("given", 4, "a=b", "c", 0),
        ("given", 4, "f", "a", DAY / SECOND),
        ("buy", 5, 0),
        ("buy", 4, 0),
    )
    wanted = {"field": "flag", "op": op} | ({} if value is None else {"value": value})
    body: dict[str, object] = {
        "parameters": ["summary_totals", "session_metrics", "custom_events_summary"],
        **DAY_OF_IT,
        "filters": [wanted],
    }
    totals, of_sessions, events = world.entries(body, (site,), now=NOON)
    assert totals.data[0]["visitors"] == visitors
    assert of_sessions.data[0]["total_sessions"] == visitors
    assert events.data[0]["unique_users"] == visitors


def test_current_visitors_include_exposures_of_the_last_day(world: World) -> None:
    minute, day = 60, DAY // SECOND
    site = told(
        world,
        ("given", 1, "f", "a", -59 * minute),
        ("given", 2, "f", "a", -day - 5 * minute + 1),
        ("given", 3, "f", "a", -day - 5 * minute - 1),
        ("given", 4, "f", "b", -59 * minute),
        *(("buy", visitor, -1) for visitor in (1, 2, 3, 4)),
    )
    wanted = {"field": "flag", "op": "eq", "value": "f=a"}
    body: dict[str, object] = {"parameters": ["realtime_countries"], **DAY_OF_IT, "filters": [wanted]}
    (entry,) = world.entries(body, (site,), now=NOON)
    assert [row["visitors"] for row in entry.data] == [2]


def test_strangers_can_neither_see_flags_nor_find_out_by_filters(world: World) -> None:
    site = told(world, ("given", 1, "f", "a", 0))
    body: dict[str, object] = {
        "parameters": ["summary_totals"],
        **DAY_OF_IT,
        "filters": [{"field": "flag", "op": "eq", "value": "nobody has this"}],
    }
    (entry,) = world.entries(body, ReadScope((site,), public=True), now=NOON)
    assert entry.ignoredFilters == ("flag",)
    assert entry.data[0]["visitors"] == 1
