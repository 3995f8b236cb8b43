"""Answers to plans from ClickHouse, each of one state: rows may be replaced while it is asked."""

import logging
from functools import partial

from analytics_box.base.errors import DeadlineExceeded, Unavailable
from analytics_box.base.translation import _
from analytics_box.query.engines.clickhouse.following import Following
from analytics_box.query.engines.clickhouse.line import ClickHouseConnection
from analytics_box.query.engines.clickhouse.server import Server
from analytics_box.query.engines.counting import Row, Take
from analytics_box.query.plan import QueryPlan

log = logging.getLogger(__name__)

_TRIES = 2  # of a question beside which rows were replaced; another one has them wait


class Answers:
    """Answers to plans from ClickHouse. Up to `waiting` plans may be open at the same time."""

    def __init__(self, line: ClickHouseConnection, following: Following, *, waiting: int) -> None:
        self._line, self._following = line, following
        self._waiting, self._running = waiting, 0

    async def rows(self, plan: QueryPlan, seconds: float, take: Take) -> list[Row]:
        """The rows of a plan. Raises Away, ClickHousePlanFailed, DeadlineExceeded, OverBudget and Unavailable."""
        if self._running >= self._waiting:
            raise Unavailable(_("Too many queries at once. Try again in a moment."), retry_after=1)
        self._running += 1
        try:
            return await self._answer(plan, seconds, _Once(take))
        finally:
            self._running -= 1

    async def _answer(self, plan: QueryPlan, seconds: float, take: "_Once") -> list[Row]:
        """Ask, again where rows were replaced in the meantime, and in the end while nothing is."""
        for _try in range(_TRIES):
            before = self._following.removals
            rows = await self._ask(plan, seconds, take)
            if before == self._following.removals and not before % 2:
                return rows
        async with self._following.lock:
            return await self._ask(plan, seconds, take)

    async def _ask(self, plan: QueryPlan, seconds: float, take: "_Once") -> list[Row]:
        take.begin()
        try:
            return await self._line.ask(partial(_rows, plan=plan, seconds=seconds, take=take), seconds=seconds + 1)
        except TimeoutError as late:
            raise DeadlineExceeded.after(seconds) from late


class _Once:
    """Tells of the bytes of an answer once, however often it is asked for."""

    def __init__(self, take: Take) -> None:
        self._take = take
        self._told, self._now = 0, 0

    def begin(self) -> None:
        self._now = 0

    def __call__(self, size: int) -> None:
        self._now += size
        if self._now > self._told:
            more, self._told = self._now - self._told, self._now
            self._take(more)


def _rows(server: Server, *, plan: QueryPlan, seconds: float, take: Take) -> list[Row]:
    return server.rows(plan, seconds, take)
