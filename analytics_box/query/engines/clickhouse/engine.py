"""ClickHouse in the place of the column replica: it follows events.db, and answers plans once it has all of it.

While it is away, or has not caught up, SQLite answers from events.db, which has everything.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from functools import partial
from typing import TypeVar

from analytics_box.base.clock import Clock
from analytics_box.base.errors import DeadlineExceeded, Unavailable
from analytics_box.base.facts.orders import OfPerson, Older
from analytics_box.base.facts.tables import FACT_NAMES
from analytics_box.base.store import text_numbers
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.store.text_numbers import number_of
from analytics_box.base.translation import _
from analytics_box.query.engines.clickhouse import removing, words
from analytics_box.query.engines.clickhouse.following import Following
from analytics_box.query.engines.clickhouse.line import ClickHouseConnection
from analytics_box.query.engines.clickhouse.machines import SHIFT, ClickHouseMachine, first_of, of_number
from analytics_box.query.engines.clickhouse.removing import Everywhere
from analytics_box.query.engines.clickhouse.server import Away, ClickHousePlanFailed, ClickHouseTarget, Server
from analytics_box.query.engines.clickhouse.upkeep import Trimming, Upkeep
from analytics_box.query.engines.counting import Row, Take
from analytics_box.query.engines.sql import SqlStatement
from analytics_box.query.engines.trimming import TrimTimes
from analytics_box.query.plan import QueryPlan

_TRIES = 2  # of a question beside which rows were replaced; another one has them wait


class Answers:
    """Answers to plans from ClickHouse. Up to `waiting` plans may be open at the same time."""

    def __init__(self, line: ClickHouseConnection, following: Following, *, waiting: int) -> None:
        self._line, self._following = line, following
        self._waiting, self._running = waiting, 0

    async def rows(self, plan: QueryPlan, seconds: float, take: Take) -> list[Row]:
        """The rows of a plan. Raises Away, ClickHousePlanFailed, DeadlineExceeded, OverBudget and Unavailable."""
        if self._running >= self._waiting:
            raise Unavailable(_("Too many queries are running. Try again in a moment."), retry_after=1)
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


log = logging.getLogger(__name__)
T = TypeVar("T")

EVERY_SECONDS = 1.0  # between two shipments: answers may be so old


class ClickHouse:
    """Follows events.db by shipments, one after the other, and answers from what has arrived."""

    NAME = words.NAME

    def __init__(
        self,
        events: Db,
        clock: Clock,
        target: ClickHouseTarget,
        *,
        waiting: int = 256,
        every: float = EVERY_SECONDS,
        keep_days: int = 0,
        among: Callable[[], ClickHouseMachine | None] | None = None,
    ) -> None:
        """`among` says which of several machines this is, once it is known."""
        self._events = events
        self.is_shared = among is not None  # whether it has events that events.db has not, those of other machines
        self.trimmed = TrimTimes(events)
        self._line = ClickHouseConnection(clock, target)
        self.following = Following(events, clock, self._line, self.trimmed, every=every, among=among)
        self.trimming = Trimming(events, clock, self._line, self.following, self.trimmed, keep_days=keep_days)
        self._upkeep = Upkeep(events, clock, self._line, self.following)
        self._answers = Answers(self._line, self.following, waiting=waiting)

    @property
    def ready(self) -> bool:
        """Whether it has answered last, and has all that there was then."""
        return self._line.is_ready

    @property
    def away_since(self) -> int | None:
        """Since when it has been away (UTC ms); None if it is not."""
        return self._line.away_since

    @property
    def replaced_at(self) -> int:
        """The time when another machine was promoted in place of this primary (UTC ms); 0 if none was."""
        return self._line.replaced_at

    @property
    def lacks(self) -> str:
        """A description of the events that ClickHouse has lost and that exist nowhere else; empty if it is complete."""
        return self._line.lacks

    @property
    def version(self) -> int:
        """Of the facts that a question would be answered from now."""
        return self.following.version

    @property
    def applied(self) -> int | None:
        """The last change that has arrived; None if nothing was ever sent, so that nobody needs any."""
        return self.following.applied

    def statement(self, plan: QueryPlan) -> SqlStatement:
        """The statement for this plan."""
        return words.render(plan, several=self.is_shared)

    async def rows_or_none(self, plan: QueryPlan, seconds: float, take: Take) -> list[Row] | None:
        """The rows of a plan; None if someone else has to answer it now.

        Raises DeadlineExceeded, OverBudget and Unavailable.
        """
        if not self.ready:
            return None
        try:
            await asyncio.wait_for(self.following.follow(), seconds / 2)
            return await self._answers.rows(plan, seconds, take)
        except TimeoutError:
            log.warning("ClickHouse is too far behind to answer queries")
        except ClickHousePlanFailed:
            log.exception("ClickHouse could not answer a query. SQLite answers it instead")
        except Away:
            pass  # it was told in the log
        return None

    async def maintain(self) -> None:
        """Catch up, from the beginning if need be."""
        if not self._line.may_be_tried:
            return
        if self.is_shared:
            self.following.look_again()  # now and then
        try:
            await self.following.follow(now=True)
            await self._upkeep.remove_late()
            await self._upkeep.purge()
            await self.trimming.trim()
        except Away:
            return
        if not self.ready:
            self._line.ready()
            log.info("ClickHouse has all events and answers queries")

    @contextlib.asynccontextmanager
    async def keeping(self) -> AsyncIterator[None]:
        """Nothing more is trimmed in the meantime."""
        async with self.trimming.keeping():
            yield

    async def look(self, work: Callable[[Server], T]) -> T:
        """Run a read there, after ClickHouse has caught up with events.db. Raises Away."""
        await self.following.follow(now=True)
        return await self._line.ask(work)

    async def behind(self) -> tuple[int, int]:
        """The number of rows of facts there, and the number of rows still to come."""
        newest, position = await self._events.read(_newest), self.following.position
        there = {name: max(position.last_of(name), 0) if position else 0 for name in newest}
        return sum(there.values()), sum(max(newest[name] - there[name], 0) for name in newest)

    async def links(self, site: int, profile_id: str) -> list[tuple[int, int, int]]:
        """Return the visitors that any machine knows to have been a person: (visitor, since, 1 for the person or 0 for
        another person). Raises Away.
        """
        await self.following.follow(now=True)
        person = number_of(profile_id)
        theirs = f"select visitor from visitor_profiles where site = {site} and profile = {person}"
        found = await self._line.send(
            partial(
                self._line.there().look,
                f"select visitor, time, max(profile = {person}) from visitor_profiles where site = {site}"
                f" and visitor in ({theirs}) group by visitor, time",
            )
        )
        return [(int(visitor), int(time), int(is_person)) for visitor, time, is_person in found]

    async def used(self, strings: Collection[int]) -> set[int]:
        """Return the text numbers, of these, that facts sent by this machine use. Raises Away."""
        if not self.is_shared:
            return await self.look(partial(removing.used, wanted=strings))
        await self.following.follow(now=True)
        own = of_number(first_of(self.following.machine) >> SHIFT)
        shared = await self._events.read(partial(text_numbers.numbers_of, rows=strings))
        used = await self.look(partial(removing.used, wanted={*shared.values()}, of=own))
        return {row for row in strings if row not in shared or shared[row] in used}

    async def remove_everywhere(self, what: OfPerson, shipments: Sequence[tuple[int, int]]) -> None:
        """Remove what machines that are gone for good have of someone, and see that no machine has any of it in these
        shipments. Raises Away."""
        wanted = Everywhere(what, shipments, self.following.retired())
        await self._remove(partial(removing.remove_everywhere, wanted=wanted))

    async def remove_of_retired(self, sites: Sequence[int], older: Sequence[Older]) -> None:
        """Remove what machines that are gone for good have of these sites, and what is too old. Raises Away."""
        for number in self.following.retired():
            await self._remove(partial(removing.remove_of_retired, number=number, sites=sites, older=older))

    async def _remove(self, work: Callable[[Server], None]) -> None:
        """Remove something once all is there that this box has."""
        await self.following.follow(now=True)
        async with self.following.lock:
            with self._line.losing(), self.following.replacing():
                await self._line.send(partial(work, self._line.there()))

    def close(self) -> None:
        """Wait for what is under way, and close."""
        self._line.close()


def _newest(db: Connection) -> dict[str, int]:
    query = " union all ".join(f"select '{name}', coalesce(max(id), 0) from {name}" for name in FACT_NAMES)
    return {str(name): int(str(last)) for name, last in db.execute(f"-- clickhouse.newest\n{query}").fetchall()}
