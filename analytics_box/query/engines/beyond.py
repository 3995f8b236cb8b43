"""Facts that are only in ClickHouse, for code that reads single rows."""

from collections.abc import AsyncIterator, Awaitable, Collection, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from analytics_box.base.errors import InClickHouse
from analytics_box.base.facts import orders, trimmed
from analytics_box.base.facts.orders import OfPerson, Older
from analytics_box.base.store.db import Db
from analytics_box.base.translation import _
from analytics_box.query.engines.clickhouse import removing
from analytics_box.query.engines.clickhouse.server import Away, Server
from analytics_box.query.engines.counting import Row

if TYPE_CHECKING:
    from collections.abc import Callable

    from analytics_box.query.engines.clickhouse.engine import ClickHouse

T = TypeVar("T")


class Beyond:
    """Facts at and below the floors of events.db (facts.trimmed)."""

    def __init__(self, events: Db, far: "ClickHouse | None") -> None:
        self._events, self._far = events, far

    @property
    def is_shared(self) -> bool:
        """Whether ClickHouse has facts of several machines, of which events.db has a part."""
        return self._far is not None and self._far.is_shared

    @property
    def applied(self) -> int | None:
        """The last change of events.db that ClickHouse has; None if it has nothing."""
        return None if self._far is None else self._far.applied

    async def is_alone(self) -> bool:
        """Whether facts are there only, or are about to be."""
        return bool(await self._events.read(trimmed.floors)) or (self._far is not None and self._far.trimming.waits)

    async def floor(self, table: str) -> int:
        """The last id of a table that is there only; 0 where there is none."""
        return (await self._events.read(trimmed.floors)).get(table, 0)

    async def has_any(self, site: int, since: int = 0) -> bool:
        """Whether facts of a site from this instant on (UTC ms) are there only."""
        last = (await self._events.read(trimmed.latest)).get(site)
        return last is not None and last >= since

    async def require(self, site: int, since: int = 0) -> None:
        """See that facts of a site from this instant on can be had, wherever they are. Raises InClickHouse."""
        if self.is_shared or await self.has_any(site, since):
            await self._look(lambda _: None)

    @asynccontextmanager
    async def keeping(self) -> AsyncIterator[None]:
        """Nothing more is trimmed in the meantime."""
        if self._far is None:
            yield
            return
        async with self._far.keeping():
            yield

    async def has_removed(self, erasure: str) -> bool:
        """Whether all is gone there that an erasure removes; it is asked for if it is not yet."""
        if await self._is_open(erasure) and self._far is not None and self._far.ready:
            try:
                await self._far.look(lambda _: None)
            except Away:
                return False
        return not await self._is_open(erasure)

    async def _is_open(self, erasure: str) -> bool:
        return await self._events.read(partial(orders.is_open, erasure=erasure))

    async def used(self, strings: Collection[int]) -> set[int]:
        """Return the text numbers, of these, that facts there use. Raises InClickHouse."""
        if not strings or not await self._events.read(trimmed.floors):
            return set()
        return await self._asked(lambda far: far.used(strings))

    async def visitors(self, site: int, wanted: Collection[int]) -> set[int]:
        """Return the visitors of a site, of these, that have, or may have, events on any of several machines."""
        if self._far is None or not self._far.is_shared:
            return set()
        try:
            return await self._look(partial(removing.visitors, site=site, wanted=wanted))
        except InClickHouse:
            return {*wanted}

    async def shipments(self, what: OfPerson) -> list[tuple[int, int]]:
        """In which shipments of all machines something is of someone. Raises InClickHouse."""
        return await self._look(partial(removing.shipments, what=what))

    async def remove_everywhere(self, what: OfPerson, shipments: Sequence[tuple[int, int]]) -> None:
        """Ensure that these shipments hold no data of a person on any machine. Raises InClickHouse."""
        await self._asked(lambda far: far.remove_everywhere(what, shipments))

    async def rows(self, table: str, columns: Sequence[str], where: str, *, order: str, most: int) -> list[Row]:
        """Rows that are there only, of several machines all rows, by conditions in SQL without values. Raises
        InClickHouse."""
        floor = "" if self.is_shared else f"id <= {await self.floor(table)} and "
        statement = f"select {', '.join(columns)} from {table} where {floor}({where}) order by {order} limit {most}"
        return await self._look(lambda server: server.look(statement))

    async def texts(self, numbers: Collection[int]) -> dict[int, str]:
        """The texts that have these numbers on all machines. Raises InClickHouse."""
        listed = ", ".join(map(str, sorted(numbers))) or "0"
        statement = f"select id, any(value) from strings where id in ({listed}) group by id"
        found = await self._look(lambda server: server.look(statement))
        return {int(number): str(value) for number, value in found}

    async def remove_of_retired(self, sites: Sequence[int], older: Sequence[Older]) -> None:
        """Remove what machines that are gone for good have of these sites, and what is too old. Raises InClickHouse."""
        if self._far is not None and self._far.following.retired():
            await self._asked(lambda far: far.remove_of_retired(sites, older))

    async def _look(self, work: "Callable[[Server], T]") -> T:
        return await self._asked(lambda far: far.look(work))

    async def _asked(self, ask: "Callable[[ClickHouse], Awaitable[T]]") -> T:
        if self._far is None:
            raise InClickHouse(_("A part of this is in ClickHouse only, which this server does not use now (columnar)"))
        if not self._far.ready:
            raise InClickHouse(_("Part of this data is only in ClickHouse, which is unavailable"))
        try:
            return await ask(self._far)
        except Away as away:
            raise InClickHouse(_("Part of this data is only in ClickHouse, which is unavailable")) from away
