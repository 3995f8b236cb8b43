"""What one request may take, and all of them together."""

import asyncio
from collections.abc import Iterable, Iterator

import pytest

from analytics_box.base.errors import OverBudget, Unavailable
from analytics_box.query import budget
from analytics_box.query.budget import MB, SMALL, AnswerBudget, AnswerBudgets, AnswerLimits, NeedsMore, ParameterBytes
from analytics_box.query.engines.counting import PIECE, Row, collect_rows, json_place
from analytics_box.query.plan import QueryPlan


def _bytes_of(rows: Iterable[Row], json_at: int = -1) -> int:
    sizes: list[int] = []
    collect_rows(rows, sizes.append, json_at)
    return sum(sizes)


def test_a_budget_grows_before_it_is_exhausted() -> None:
    async def take() -> None:
        async with AnswerBudgets(AnswerLimits(3 * MB)).of_page() as one:
            one.take(SMALL)
            with pytest.raises(NeedsMore):
                one.take(1)
            await one.grow()
            one.take(2 * MB)
            with pytest.raises(OverBudget, match=r"can have up to 3 MB\. Use a smaller limit") as refused:
                one.take(1)
            assert not isinstance(refused.value, NeedsMore)
            assert one.taken == 3 * MB

    asyncio.run(take())


def test_a_parameter_that_fails_gives_back_what_it_took() -> None:
    one = AnswerBudget(AnswerLimits(SMALL), asyncio.Semaphore(1))
    failing, other = ParameterBytes(one), ParameterBytes(one)
    failing(SMALL)
    with pytest.raises(OverBudget):
        other(1)
    failing.give_back()
    other(SMALL)


def test_few_large_answers_are_made_at_once_and_small_ones_do_not_wait_for_them() -> None:
    async def ask() -> None:
        budgets = AnswerBudgets()
        async with budgets.of_page() as one, budgets.of_page() as two, budgets.of_page() as three:
            await one.grow()
            await two.grow()
            waiting = asyncio.ensure_future(three.grow())
            async with budgets.of_page() as small, budgets.of_page(public=True) as stranger:
                small.take(SMALL)
                await stranger.grow()  # they have a place of their own
                assert not waiting.done()
            two.end()
            await waiting
            assert three.has_grown
            two._has_place = False

    asyncio.run(ask())


@pytest.mark.parametrize(("stranger", "most"), [(False, budget._AT_ONCE), (True, budget._OF_PUBLIC)])
def test_requests_wait_their_turn_and_excess_ones_are_refused(
    monkeypatch: pytest.MonkeyPatch, stranger: bool, most: int
) -> None:
    monkeypatch.setattr(budget, "_WAITING", 3)
    monkeypatch.setattr(budget, "_WAITING_PUBLIC", 3)

    async def ask() -> None:
        budgets, free, running = AnswerBudgets(), asyncio.Event(), 0

        async def one() -> None:
            nonlocal running
            async with budgets.of_request(public=stranger):
                running += 1
                await free.wait()

        asking = [asyncio.ensure_future(one()) for _ in range(most + 3)]
        for _ in range(10):
            await asyncio.sleep(0)
        assert running == most
        with pytest.raises(Unavailable) as refused:
            await one()
        assert refused.value.headers["Retry-After"] == "1"
        async with budgets.of_request(public=not stranger):
            pass  # the others do not wait for these
        free.set()
        await asyncio.gather(*asking)

    asyncio.run(ask())


def test_rows_are_counted_over_all_parameters() -> None:
    one = AnswerBudget(AnswerLimits(rows=100), asyncio.Semaphore(1))
    one.ask(60)
    with pytest.raises(OverBudget, match="can return up to 100 rows"):
        one.ask(50)
    one.ask(40)


def test_parameters_of_strangers_are_counted() -> None:
    one = AnswerBudget(AnswerLimits(parameters=2), asyncio.Semaphore(1))
    one.ask(1)
    one.ask(1)
    with pytest.raises(OverBudget, match="can have up to 2 parameters"):
        one.ask(0)


class Full(Exception):
    """What the reader is told."""


def test_bytes_are_counted_before_the_next_rows_are_read() -> None:
    read = 0

    def rows() -> Iterator[tuple[str]]:
        nonlocal read
        for _ in range(1_000):
            read += 1
            yield ("x" * 10_000,)

    def take(_size: int) -> None:
        raise Full

    with pytest.raises(Full):
        collect_rows(rows(), take)
    assert read <= PIECE // 10_000 + 1


def test_all_bytes_are_counted_and_all_rows_are_there() -> None:
    rows = [("a" * length, length, None) for length in range(3_000)]
    taken: list[int] = []
    assert collect_rows(iter(rows), taken.append) == rows
    assert sum(taken) == _bytes_of(rows) > sum(range(3_000))
    assert len(taken) > 10


def test_json_counts_for_what_it_becomes() -> None:
    plan = QueryPlan("events", (1,), 0, 1, columns=("name", "properties"))
    assert json_place(plan.names) == 1
    assert json_place(("name",)) == -1
    flat, deep = "x" * 3_000, '{"a":[' + ",".join(["[]"] * 1_000) + "]}"
    assert _bytes_of([("a", deep)], 1) > 10 * _bytes_of([("a", flat)], 1)
    assert _bytes_of([("a", None)], 1) < 100


def test_a_page_never_has_more_than_its_part() -> None:
    async def ask() -> None:
        budgets = AnswerBudgets(AnswerLimits(16 * MB), AnswerLimits(2 * MB))
        async with budgets.of_page() as page, budgets.of_request(public=False) as request:
            assert (page.allowed.bytes, request.allowed.bytes) == (4 * MB, 16 * MB)
            assert (page.allowed.rows, page.allowed.parameters) == (0, 0), "a page asks for what it shows"
        async with budgets.of_page(public=True) as page, budgets.of_request(public=True) as request:
            assert (page.allowed.bytes, request.allowed.bytes) == (2 * MB, 2 * MB)

    asyncio.run(ask())
