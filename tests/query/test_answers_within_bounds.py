"""Answers within the budget are what they were; one that is too large fails alone, on both engines."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics_box.query import budget, routes, run
from analytics_box.query.access import ReadScope
from analytics_box.query.budget import MB, AnswerBudgets, AnswerLimits
from analytics_box.query.catalog import registry
from analytics_box.query.messages import QueryEntry
from analytics_box.query.request import DECODER, GivenQuery, QueryRequest, check
from analytics_box.query.results import ROWS
from analytics_box.query.routes import Encoding
from analytics_box.query.run import ComparisonAnswer, ParameterAnswer, QueryRunner
from tests.cases import each
from tests.examples import examples, some
from tests.inprocess import NOON
from tests.query.checks_of_all_kinds import check as check_of
from tests.query.checks_of_all_kinds import store_checks
from tests.query.facts_of_all_kinds import page_view, visit
from tests.query.world import World, world_in

SITE = 1
MONITOR = 1
LONG = 2_000  # characters of a path
PATHS = 700
BUDGET = AnswerLimits(bytes=2 * MB, rows=5_000)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with world_in(tmp_path_factory.mktemp("world")) as made:
        made.new_sites(1)
        made.store_facts(visit(SITE, NOON))
        made.store_facts([page_view(SITE, NOON - 1_000 - n, f"/{n}/".ljust(LONG, "x"), 100 + n) for n in range(PATHS)])
        yield made


def request(*parameters: Any, **more: Any) -> QueryRequest:
    body = DECODER.decode(json.dumps({"preset": "today", "parameters": parameters, **more}))
    assert isinstance(body, GivenQuery)
    return check(body, zone_name=None, now=NOON)


def asked(world: World, *requests: QueryRequest, allowed: AnswerLimits = BUDGET) -> list[list[ParameterAnswer]]:
    """The answers of SQLite, with which those of DuckDB agree."""

    async def ask() -> list[list[list[ParameterAnswer]]]:
        await world._engines[1].maintain()
        assert [engines.name for engines in world._engines] == ["sqlite", "duckdb"]
        answers = []
        for engines in world._engines:
            queries = QueryRunner(engines, world.clock, seconds=30, budgets=AnswerBudgets(allowed))
            async with queries.budgets.of_request(public=False) as one:
                answers.append(await queries.answers(requests, ReadScope((SITE,)), one))
        return answers

    ledger, columns = world._runner.run(ask())
    assert msgspec.to_builtins(ledger) == msgspec.to_builtins(columns)
    return ledger


def sent(entries: list[ParameterAnswer], allowed: AnswerLimits) -> list[QueryEntry]:
    """Entries as a request sends them: where that takes a larger budget, once more with it."""
    one = budget.AnswerBudget(allowed, asyncio.Semaphore(1))
    encoding = Encoding(one)
    try:
        (shown,) = encoding.of_queries([entries])
    except budget.NeedsMore:
        asyncio.run(one.grow())
        (shown,) = encoding.of_queries([entries])
    return shown


def test_an_entry_over_budget_fails_alone_and_says_what_to_ask_instead(world: World) -> None:
    wide = AnswerLimits(bytes=MB + 1_000, rows=100_000)
    parameters = ("top_pages", "summary_totals", "country", {"name": "top_pages", "id": "again"})
    (entries,) = asked(world, request(*parameters, limit=10_000), allowed=wide)
    assert [(entry.parameter, entry.success) for entry in entries] == [
        ("summary_totals", True),
        ("country", True),
        ("top_pages", False),
        ("again", False),
    ]
    for failed in entries[2:]:
        assert (failed.code, failed.data) == ("LIMIT_EXCEEDED", [])
        assert isinstance(failed.error, str)
        for word in ("smaller limit", "shorter range", "fewer parameters", "/v1/export/data"):
            assert word in failed.error


def test_answer_that_fits_is_returned_regardless_of_earlier_ones(world: World) -> None:
    """The first is large, the second too large together with it, the third fits again."""
    first, second, third = (
        request({"name": "top_pages", "id": name}, limit=limit, page=page)
        for name, limit, page in (("first", 500, 1), ("second", 701, 1), ("third", 10, 3))
    )
    answers = asked(world, first, second, third)
    assert [entries[0].success for entries in answers] == [True, False, True]
    assert [len(entries[0].data) for entries in answers] == [500, 0, 10]


def test_the_budget_is_that_of_the_whole_request(world: World) -> None:
    names = [f"number {number}" for number in range(10)]
    requests = [request({"name": "top_pages", "id": name}, limit=150 + at) for at, name in enumerate(names)]
    answers = asked(world, *requests)
    good = [entries[0].success for entries in answers]
    assert good == [True] * 6 + [False] * 4


def test_rows_times_parameters_are_counted_over_the_batch(world: World) -> None:
    lists = [{"name": name, "id": name} for name in ("country", "region", "city")]
    first, second = asked(world, request(*lists, limit=2_000), request("summary_metrics", "browsers", limit=1_000))
    assert [(entry.parameter, entry.success) for entry in first] == [
        ("country", True),
        ("region", True),
        ("city", False),
    ]
    assert first[2].code == "LIMIT_EXCEEDED"
    assert "5,000 rows" in str(first[2].error)
    assert "smaller limit" in str(first[2].error)
    assert [(entry.parameter, entry.success) for entry in second] == [("summary_metrics", True), ("browsers", False)]


def test_types_with_few_rows_count_with_those(world: World) -> None:
    few = [name for name, known in registry.TYPES.items() if known.series and not known.asks[0].group][:5]
    assert len(few) == 5
    (entries,) = asked(world, request(*few, "summary_totals", "session_metrics", limit=10_000))
    assert [entry.success for entry in entries] == [True] * 7


def test_a_comparison_counts_twice(world: World) -> None:
    (entries,) = asked(world, request("country", limit=2_501, comparison="previous_period"))
    assert entries[0].code == "LIMIT_EXCEEDED"
    (entries,) = asked(world, request("country", limit=2_500, comparison="previous_period"))
    assert entries[0].success


def test_the_same_question_is_looked_for_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[object] = []
    rows = run.QueryRunner._rows

    async def watched(self: QueryRunner, *given: Any, **more: Any) -> Any:
        looked.append(given)
        return await rows(self, *given, **more)

    monkeypatch.setattr(run.QueryRunner, "_rows", watched)
    same = [{"name": "top_pages", "id": str(number)} for number in range(20)]
    one, two = asked(world, request(*same, "country", limit=10), request(*same, limit=10, id="other"))
    assert len(looked) == 2 * 2  # top_pages and country, by two engines
    assert [entry.parameter for entry in two] == [str(number) for number in range(20)]
    assert all(entry.data == two[0].data for entry in (*one[:20], *two))
    assert len(two[0].data) == 10


@pytest.mark.parametrize(
    "other",
    [
        {"limit": 11},
        {"page": 2},
        {"preset": "yesterday"},
        {"sortBy": "name"},
        {"comparison": "previous_period"},
        {"filters": [{"field": "country", "op": "eq", "value": "France"}]},
    ],
)
def test_another_question_has_an_answer_of_its_own(world: World, other: dict[str, Any]) -> None:
    one, two = asked(world, request("top_pages", limit=10), request("top_pages", **{"limit": 10, **other}))
    assert one[0] != two[0]


def whole(entries: list[ParameterAnswer]) -> bytes:
    """As answers were encoded before they had a budget."""
    return ROWS.encode(entries)


@each("name", some((name for name, known in registry.TYPES.items() if not known.needs), 40))
def test_an_answer_within_the_budget_is_the_same_to_the_byte(
    world: World, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(routes, "_PIECE", 3)
    monkeypatch.setattr(run, "_IN_A_THREAD", 0)
    plain = QueryRunner(
        world._engines[0], world.clock, seconds=30, budgets=AnswerBudgets(AnswerLimits(bytes=1_000 * MB, rows=0))
    )
    tight = AnswerLimits(bytes=16 * MB)
    body = request(name, {"name": name, "id": "twice"}, limit=700, comparison="previous_period")
    before = whole(world._runner.run(plain.answer(body, ReadScope((SITE,)))))
    with monkeypatch.context() as patch:
        patch.setattr(budget, "SMALL", 1_000)
        (entries,) = asked(world, body, allowed=tight)
        assert ROWS.encode(sent(entries, tight)) == before


values = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text()
rows = st.lists(st.dictionaries(st.text(max_size=5), values | st.lists(values, max_size=3), max_size=4), max_size=9)


@examples(200, anew=True)
@given(tables=st.lists(rows, max_size=4), earlier=rows, piece=st.integers(1, 4))
def test_pieces_make_the_same_json(tables: list[list[dict[str, Any]]], earlier: list[Any], piece: int) -> None:
    entries = [ParameterAnswer(str(number), success=True, data=data) for number, data in enumerate(tables)]
    entries += [
        ParameterAnswer(
            "compared", success=True, data=[], comparison=ComparisonAnswer("2026-06-01", "2026-06-02", earlier)
        ),
        ParameterAnswer("failed", success=False, data=[], error="Query execution failed"),
    ]
    before = whole(entries)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(routes, "_PIECE", piece)
        assert ROWS.encode(sent(entries, AnswerLimits())) == before


def test_json_longer_than_the_rows_counts_toward_the_limit() -> None:
    """Control characters take six bytes each; and so do answers that are shared, each time that they are sent."""
    one = budget.AnswerBudget(AnswerLimits(bytes=10_000), asyncio.Semaphore(1))
    shared = [{"name": "x" * 4_000}]
    entries = [
        ParameterAnswer("long", success=True, data=[{"name": "\x01" * 3_000}]),
        *(ParameterAnswer(name, success=True, data=shared) for name in ("one", "two", "three")),
        ParameterAnswer("small", success=True, data=[{"name": "x"}]),
    ]
    (shown,) = Encoding(one).of_queries([entries])
    assert {entry.parameter: entry.success for entry in shown} == {
        "long": False,
        "one": True,
        "two": True,
        "three": False,
        "small": True,
    }
    assert [entry.success for entry in shown] == [True, True, True, False, False]
    assert {entry.code for entry in shown if not entry.success} == {"LIMIT_EXCEEDED"}
    assert len(ROWS.encode(shown)) < 10_000


def test_answers_that_are_shared_wait_for_a_place_before_they_are_long() -> None:
    one = budget.AnswerBudget(AnswerLimits(bytes=3 * MB), asyncio.Semaphore(1))
    shared = [{"name": "x" * 400_000}]
    entries = [ParameterAnswer(str(number), success=True, data=shared) for number in range(5)]
    encoding = Encoding(one)
    with pytest.raises(budget.NeedsMore):
        encoding.of_queries([entries])
    asyncio.run(one.grow())
    (shown,) = encoding.of_queries([entries])
    assert all(entry.success for entry in shown)
    assert {json.loads(bytes(entry.data))[0]["name"] for entry in shown} == {"x" * 400_000}


def test_read_beyond_the_limit_frees_its_connection(tmp_path: Path, world: World) -> None:
    """So that the log can start again, and the next question is answered."""
    for _ in range(10):
        (entries,) = asked(world, request("top_pages", limit=700), allowed=AnswerLimits(bytes=100_000))
        assert entries[0].code == "LIMIT_EXCEEDED"
    (entries,) = asked(world, request("top_pages", limit=5), allowed=AnswerLimits(bytes=100_000))
    assert len(entries[0].data) == 5
    assert world.db.queues.reads == 0


def test_two_weeks_of_checks_by_the_hour_fit_a_page(world: World) -> None:
    """Of a monitor that is checked each minute, and answers in another bin of the histogram each time."""
    minutes = range(14 * 24 * 60)
    checks = [check_of(MONITOR, NOON - at * 60_000, int(50_000 * 1.02 ** (at % 60))) for at in minutes]
    store_checks(world.db, checks)
    body = {"preset": "last_14d", "granularity": "hour", "limit": 400}
    for name in ("uptime_time_series", "uptime_response_time_trends"):
        (entry,) = world.entries(
            {"parameters": [name], **body}, ReadScope((MONITOR,), subject="monitor"), now=NOON, both=False
        )
        assert entry.success, entry.error
        assert len(entry.data) == 14 * 24
