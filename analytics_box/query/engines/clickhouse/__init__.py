"""ClickHouse in the place of the column replica: it follows events.db, and answers plans once it has all of it.

While it is away, or has not caught up, SQLite answers from events.db, which has everything.
"""

import asyncio
import contextlib
import logging
import math
import secrets
import time
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from msgspec.structs import replace

from analytics_box.clock import DAY, Clock, utc_day
from analytics_box.errors import DeadlineExceeded, Unavailable
from analytics_box.facts import erase, orders, trimmed
from analytics_box.facts.tables import FACT_NAMES
from analytics_box.query.engines.clickhouse import machines, opening, removing, shipping, tables, words
from analytics_box.query.engines.clickhouse.machines import Machine, Replaced
from analytics_box.query.engines.clickhouse.opening import Gone
from analytics_box.query.engines.clickhouse.server import Away, PlanFailed, Server, Target
from analytics_box.query.engines.clickhouse.shipping import Position, Shipment
from analytics_box.query.engines.counting import Row, Take
from analytics_box.query.engines.sql import Statement
from analytics_box.query.engines.trimming import Trimmed
from analytics_box.query.plan import Plan
from analytics_box.store.db import Connection, Db
from analytics_box.store.text_numbers import number_of

__all__ = ["Away", "ClickHouse", "PlanFailed", "Target"]

log = logging.getLogger(__name__)
T = TypeVar("T")

AT_ONCE = 8  # questions that are with the server
EVERY_SECONDS = 1.0  # between two shipments: answers may be so old
_FIRST_WAIT, _LONGEST_WAIT = 5, 60  # seconds after a failure
_READ_SECONDS = 120.0
_TRIMMED, _TRIMMED_AT_ONCE = 8_000, 1_000  # rows that are looked for there together, and that a write trims
_TRIM_SECONDS = 3.0  # at a time
_TRIES = 2  # of a question beside which rows were replaced; another one has them wait


class ClickHouse:
    """Follows events.db by shipments, one after the other, and answers from what has arrived."""

    NAME = words.NAME

    def __init__(
        self,
        events: Db,
        clock: Clock,
        target: Target,
        *,
        waiting: int = 256,
        every: float = EVERY_SECONDS,
        keep_days: int = 0,
        among: Callable[[], Machine | None] | None = None,
    ) -> None:
        """`among` says which of several machines this is, once it is known."""
        self._events, self._clock, self._target, self._keep_days = events, clock, target, keep_days
        self._among, self._machine = among, None if among is None else among()
        self.trimmed = Trimmed(events)
        self._directory = events.path.parent
        self._every, self._waiting, self._running = every, waiting, 0
        self._server: Server | None = None
        self._position: Position | None = None
        self._ready = False
        self._version = -1  # of events.db that is there
        self._followed_at = self._not_before = -math.inf  # seconds of the clock
        self._failures = 0  # in a row
        self.away_since: int | None = None  # UTC ms
        self.replaced_at = 0  # when another machine was promoted in the place of this primary (UTC ms)
        self.lacks = ""  # what ClickHouse has lost that nobody else has
        self._following, self._trimming = asyncio.Lock(), asyncio.Lock()
        self._keeping = 0  # who reads everything, from both sides
        self._removals = 0  # how often rows began or ended to be replaced
        self._tasks: set[asyncio.Task[None]] = set()
        self._asking = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="clickhouse")
        self._sending = ThreadPoolExecutor(1, thread_name_prefix="to-clickhouse")

    @property
    def is_shared(self) -> bool:
        """Whether it has events that events.db has not, those of other machines."""
        return self._among is not None

    @property
    def ready(self) -> bool:
        """Whether it has answered last, and has all that there was then."""
        return self._ready

    @property
    def version(self) -> int:
        """Of the facts that a question would be answered from now."""
        fresh = 0 <= self._clock.monotonic() - self._followed_at < self._every
        return self._version if self._ready and fresh else self._events.version

    @property
    def applied(self) -> int | None:
        """The last change that has arrived; None where nothing was ever sent, so that nobody needs any."""
        position = self._position or shipping.read_position(self._directory)
        return None if position is None else position.applied

    def statement(self, plan: Plan) -> Statement:
        """What it would run for this plan."""
        return words.render(plan, several=self.is_shared)

    async def rows_or_none(self, plan: Plan, seconds: float, take: Take) -> list[Row] | None:
        """The rows of a plan; None where somebody else has to answer it now.

        Raises DeadlineExceeded, OverBudget and Unavailable.
        """
        if not self._ready:
            return None
        try:
            await asyncio.wait_for(self._follow(), seconds / 2)
            return await self._rows(plan, seconds, take)
        except TimeoutError:
            log.warning("ClickHouse is behind by more than a question may wait: SQLite answers it")
        except PlanFailed:
            log.exception("ClickHouse cannot answer this; SQLite does")
        except Away:
            pass  # it was told in the log
        return None

    async def _rows(self, plan: Plan, seconds: float, take: Take) -> list[Row]:
        if self._running >= self._waiting:
            raise Unavailable("Too many questions at once; ask again in a moment", retry_after=1)
        self._running += 1
        try:
            return await self._answer(plan, seconds, _Once(take))
        finally:
            self._running -= 1

    async def maintain(self) -> None:
        """Catch up, from the beginning if need be."""
        if self._clock.monotonic() < self._not_before:
            return
        if self.is_shared:
            self._version = -1  # whether the tables are still the same is seen now and then, whatever came here
        try:
            await self._follow(now=True)
            await self._remove_late()
            await self._purge()
            await self._trim()
        except Away:
            return
        if not self._ready:
            self._ready = True
            self._failures, self.away_since, self.lacks = 0, None, ""
            log.info("ClickHouse has all events and answers queries")

    @contextlib.asynccontextmanager
    async def keeping(self) -> AsyncIterator[None]:
        """Nothing more is trimmed meanwhile."""
        async with self._trimming:
            self._keeping += 1
        try:
            yield
        finally:
            self._keeping -= 1

    async def look(self, work: Callable[[Server], T]) -> T:
        """What is found there once all is there that this box has. Raises Away."""
        await self._follow()
        server = self._server
        if server is None:
            raise Away("It was lost a moment ago")
        try:
            return await asyncio.get_running_loop().run_in_executor(self._asking, partial(work, server))
        except Away as away:
            if server is self._server:
                self._lose(away)
            raise

    async def behind(self) -> tuple[int, int]:
        """How many rows of facts are there, and how many are still to come."""
        newest = await self._events.read(_newest)
        there = {name: max(self._position.last_of(name), 0) if self._position else 0 for name in newest}
        return sum(there.values()), sum(max(newest[name] - there[name], 0) for name in newest)

    async def links(self, site: int, profile_id: str) -> list[tuple[int, int, int]]:
        """Who the visitors were that any machine knows to have been a person: (visitor, since, 1 for the person or 0
        for somebody else). Raises Away."""
        await self._follow(now=True)
        server = self._server
        if server is None:
            raise Away("It was lost a moment ago")
        person = number_of(profile_id)
        theirs = f"select visitor from visitor_profiles where site = {site} and profile = {person}"
        found = await self._send(
            partial(
                server.look,
                f"select visitor, time, max(profile = {person}) from visitor_profiles where site = {site}"
                f" and visitor in ({theirs}) group by visitor, time",
            )
        )
        return [(int(visitor), int(time), int(is_person)) for visitor, time, is_person in found]

    def close(self) -> None:
        """Wait for what is under way, and close."""
        self._ready = False
        for threads in (self._asking, self._sending):
            threads.shutdown(wait=True, cancel_futures=True)
        server, self._server = self._server, None
        if server is not None:
            _closed(server)

    async def _answer(self, plan: Plan, seconds: float, take: "_Once") -> list[Row]:
        """Ask, once more where rows were replaced meanwhile, and in the end while nothing is."""
        for _ in range(_TRIES):
            before = self._removals
            rows = await self._ask(plan, seconds, take)
            if before == self._removals and not before % 2:
                return rows
        async with self._following:
            return await self._ask(plan, seconds, take)

    async def _ask(self, plan: Plan, seconds: float, take: "_Once") -> list[Row]:
        take.begin()
        server = self._server
        if server is None:
            raise Away("It was lost a moment ago")
        try:
            asked = asyncio.get_running_loop().run_in_executor(self._asking, partial(server.rows, plan, seconds, take))
            return await asyncio.wait_for(asked, seconds + 1)
        except TimeoutError as late:
            raise DeadlineExceeded(f"This took longer than the {seconds:g} seconds it may take") from late
        except Away as away:
            if server is self._server:
                self._lose(away)
            raise

    async def _send(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._sending, work)

    async def _follow(self, *, now: bool = False) -> None:
        """Bring it to the state that the facts have now. A shipment goes on when nobody waits for it any more.

        Raises Away.
        """
        if not now and self.version == self._version:
            return
        task = asyncio.create_task(self._follow_to(self._events.version))
        self._tasks.add(task)
        task.add_done_callback(self._followed)
        await asyncio.shield(task)

    def _followed(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # whoever waits is told

    async def _follow_to(self, wanted: int) -> None:
        async with self._following:
            if self._server is not None and self._version >= wanted:
                return
            try:
                if self._server is None:
                    await self._open()
                while self._version < wanted:
                    version = self._events.version
                    if not await self._step() and not await self._carry_out():
                        self._version, self._followed_at = version, self._clock.monotonic()
            except (Away, OSError) as away:
                self._lose(away)
                raise Away(str(away)) from away

    async def _open(self) -> None:
        """Connect, and find out how far it is; what is not of these facts is made anew."""
        self._server = await self._send(partial(Server, self._target))
        self._version = -1
        self._removals += self._removals % 2
        position = shipping.read_position(self._directory)
        if self._among is not None:
            if await self._events.read(trimmed.floors):
                raise Gone("events have left events.db for its tables when this was the only machine")
            self._position = await self._open_among(self._server, position, self._among())
            return
        box = await self._events.read(_box)
        why = await self._send(partial(opening.why_not, self._server, position, box))
        if position is not None and not why:
            newest = {} if position.sending else await self._send(partial(opening.newest_rows, self._server, position))
            why = await self._events.read(partial(shipping.why_not_here, position=position, newest=newest))
        floors, counts = await self._events.read(_only_there)
        if floors:
            await self._send(partial(opening.require, self._server, counts, floors))
        if position is None or why:
            position = await self._begin(self._server, box, why, floors)
        self._position = position

    async def _begin(self, server: Server, box: str, why: str, floors: Mapping[str, int]) -> Position:
        """Make the tables anew, or where ClickHouse has rows alone, keep these and send everything else again."""
        position = Position(secrets.token_hex(8), applied=await self._events.read(shipping.newest_change))
        if floors:
            log.warning("ClickHouse keeps the rows that events.db has not, and is sent all others again: %s", why)
            last = await self._send(partial(opening.resume, server, box, position.epoch, floors))
            number = max(last, self._clock.now())  # above all that may still arrive, which nobody knows
            kept = dict(floors)
            position = replace(
                position, number=number, last=kept, kept=kept, before=number, removed_at=self._clock.now()
            )
        else:
            log.info("The tables in ClickHouse are made anew: %s", why)
            await self._send(partial(opening.make, server, box, position.epoch))
        await asyncio.to_thread(shipping.write_position, self._directory, position)
        return position

    async def _open_among(self, server: Server, position: Position | None, machine: Machine | None) -> Position:
        """How far this machine is among others; what it has there is removed and sent again where that is not sure."""
        if machine is None:
            raise Away("this machine has not heard from its primary yet")
        self._machine = machine
        epochs = await self._send(partial(machines.found_tables, server, machine))
        is_own = await self._send(partial(machines.is_own, server, machine, position.epoch if position else ""))
        if is_own and position is not None and await self._is_ours(server, position, machine, epochs):
            return position
        log.info("All events of this machine are sent to ClickHouse from the beginning")
        applied = await self._events.read(shipping.newest_change)
        begun, now = await self._send(partial(machines.begin, server, machine, epochs[0])), self._clock.now()
        number = machines.first_shipment(machine, now)
        position = Position(begun, number=number, applied=applied, began=now, own_from=number)
        await asyncio.to_thread(shipping.write_position, self._directory, position)
        return position

    async def _is_ours(self, server: Server, position: Position, machine: Machine, epochs: list[str]) -> bool:
        """Whether what this machine has there is what it sent until this position."""
        if position.epoch.partition(".")[0] not in epochs:
            return False
        newest = {} if position.sending else await self._send(partial(opening.newest_rows, server, position, machine))
        look = partial(shipping.why_not_here, position=position, newest=newest, machine=machine)
        return not await self._events.read(look)

    async def _step(self) -> bool:
        """Send one shipment; whether there may be more. One that may be on its way already goes first."""
        position, server = self._position, self._server
        if position is None or server is None:
            raise Away("It is closed")
        sending, now, machine = position.sending, self._clock.now(), self._machine
        if machine is not None:
            await self._send(partial(machines.check, server, machine, position.epoch))
        if sending is not None and now - sending.began >= DAY:
            await self._send(partial(_forget_shipment, server, position.number + 1))
            sending = sending.anew(now)
            await self._write(position.sends(sending))
        if sending is not None:
            shipment = await self._read(
                partial(shipping.same_shipment, position=position, sending=sending, machine=machine)
            )
        else:
            found = await self._next_shipment(server, position, now)
            if found is None:
                return False
            shipment = found
            await self._write(position.sends(shipment.sending))
        ship = partial(_ship, server, position, shipment, machine)
        if shipment.removes:
            self._removals += self._removals % 2 + 1  # odd until they are replaced, whatever happened before
            await self._send(ship)
            self._removals += 1
        else:
            await self._send(ship)
        await self._write(position.arrived(shipment.sending, removed_at=now if shipment.removes else 0))
        return shipment.more

    async def _next_shipment(self, server: Server, position: Position, now: int) -> Shipment | None:
        """What is to be sent next; None where all is there."""
        machine, left = self._machine, dict[tuple[str, tuple[int, ...]], int]()
        while True:
            try:
                return await self._read(
                    partial(shipping.next_shipment, position=position, now=now, left=left, machine=machine)
                )
            except shipping.TopChanged as top:
                found = await self._send(partial(opening.newest_left, server, position, top, machine))
                left[top.table, top.changed] = found

    async def _carry_out(self) -> bool:
        """Remove what the next order says; whether there was one."""
        server, order = self._server, await self._events.read(orders.first)
        if order is None:
            return False
        if server is None or self._position is None:
            raise Away("It is closed")
        if isinstance(order.what, orders.OfPerson) and not order.what.noted:
            found = await self._send(partial(removing.find, server, order))
            await self._events.write(
                partial(
                    orders.note_found, order=order, removed=found.rows, strings=found.strings, sessions=found.sessions
                )
            )
        self._removals += self._removals % 2 + 1
        await self._send(partial(removing.remove, server, order))
        self._removals += 1
        if isinstance(order.what, orders.Older):
            await erase.people(self._events, order.what.site, order.what.before, self._visitors)
        floors = await self._events.read(trimmed.floors)
        left = await self._send(partial(removing.left, server, order.what.site, floors))
        await self._events.write(partial(orders.forget, order=order, left=left))
        await self.trimmed.reload()
        if not self._position.removed_at:
            await self._write(replace(self._position, removed_at=self._clock.now()))
        return True

    async def _visitors(self, site: int, wanted: list[int]) -> set[int]:
        """Which of these visitors of a site have events there."""
        if self._server is None:
            raise Away("It is closed")
        return await self._send(partial(removing.visitors, self._server, site, wanted))

    async def _trim(self) -> None:
        """Trim what is old enough for a while, in pieces that ClickHouse is seen to have."""
        if not self._keep_days:
            return
        await self.trimmed.load()
        before = (utc_day(self._clock.now()) - self._keep_days) * DAY
        began = time.monotonic()
        for table in FACT_NAMES:
            while time.monotonic() - began < _TRIM_SECONDS:
                async with self._trimming, self._following:
                    try:
                        if self._keeping or not await self._trim_piece(table, before):
                            break
                    except (Away, OSError) as away:
                        self._lose(away)
                        raise Away(str(away)) from away

    async def _trim_piece(self, table: str, before: int) -> bool:
        """Trim the next rows of a table; whether there may be more that can be trimmed now."""
        position, server = self._position, self._server
        if position is None or server is None or position.sending is not None:
            return False
        piece = await self._events.read(
            partial(trimmed.next_piece, table=table, until=position.last_of(table), before=before, most=_TRIMMED)
        )
        if piece is None:
            return False
        floor = (await self._events.read(trimmed.floors)).get(table, -1)
        there = await self._send(partial(opening.count, server, table, f"id > {floor} and id <= {piece.until}"))
        if there != piece.count:
            await asyncio.to_thread(shipping.forget_position, self._directory)
            raise Away(f"it has {there} of {piece.count} rows of {table} that it had acknowledged; it gets them again")
        self.trimmed.note(piece)
        trim = partial(trimmed.trim, table=table, until=piece.until, applied=position.applied, most=_TRIMMED_AT_ONCE)
        more: bool | None = True
        while more:
            more = await self._events.write(trim)
        return more is not None and piece.count == _TRIMMED

    async def _read(self, work: Callable[[Connection], T]) -> T:
        return await self._events.read(work, seconds=_READ_SECONDS)

    async def _write(self, position: Position) -> None:
        await asyncio.to_thread(shipping.write_position, self._directory, position)
        self._position = position

    async def _remove_late(self) -> None:
        """For two days after this machine began again, look for what it had sent before and came late."""
        position, server, machine = self._position, self._server, self._machine
        if position is None or server is None or machine is None or self._clock.now() - position.began >= 2 * DAY:
            return
        async with self._following:
            try:
                await self._send(partial(machines.remove_late, server, machine, position.own_from))
            except Away as away:
                self._lose(away)
                raise

    async def _purge(self) -> None:
        """What was removed a day ago leaves the server's disk."""
        position, server = self._position, self._server
        if position is None or server is None or not position.removed_at:
            return
        if self._clock.now() - position.removed_at < DAY:
            return
        async with self._following:
            try:
                await self._send(partial(_purge, server, position))
                await self._write(position.purged())
            except (Away, OSError) as away:
                self._lose(away)
                raise Away(str(away)) from away

    def _lose(self, why: Exception) -> None:
        """Let SQLite answer, and try again after a while, which grows with each failure."""
        wait = min(_FIRST_WAIT * 2 ** min(self._failures, 10), _LONGEST_WAIT)
        self._failures += 1
        self.replaced_at = why.promoted_at if isinstance(why, Replaced) else self.replaced_at
        self.lacks = str(why) if isinstance(why, Gone) else ""
        self.away_since = self.away_since or self._clock.now()
        self._not_before = self._clock.monotonic() + wait
        self._ready = False
        log.error("ClickHouse does not do what it should (%s): SQLite answers; next try in %d seconds", why, wait)
        server, self._server = self._server, None
        if server is not None:
            self._sending.submit(_closed, server)


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


def _ship(server: Server, position: Position, shipment: Shipment, machine: Machine | None = None) -> None:
    """Send what it has, then remove what that replaces, and see that nothing is left of it. Raises Away."""
    number, tries = position.number + 1, shipment.sending.tries
    for part in shipment.parts:
        if part.count:
            token = f"{position.epoch}-{number}-{tries}-{part.table.name}"
            names = part.table.names if machine is None else machine.names(part.table)
            server.insert(part.table.name, (*names, "shipment"), part.lines, token)
    for part in reversed(shipment.parts):
        if part.changed:
            first, key = (0, "id") if machine is None else (machine.first, machine.key(part.table))
            changed = ", ".join(str(row + first) for row in part.changed)
            _remove(server, part.table.name, f"{key} in ({changed}) and shipment < {number}")


def _remove(server: Server, table: str, where: str) -> None:
    """Remove rows, and look for them again."""
    server.remove(table, where)
    if left := opening.count(server, table, where):
        raise Away(f"{left} rows of {table} that were removed are still there")


def _forget_shipment(server: Server, number: int) -> None:
    """Remove what has come of a shipment that is so old that ClickHouse may not know any more what it has of it."""
    for table in tables.SHIPPED:
        server.remove(table.name, f"shipment = {number}")


def _purge(server: Server, position: Position) -> None:
    for name, until in position.kept.items():
        server.remove(name, f"id > {until} and shipment <= {position.before}")
    for table in tables.SHIPPED:
        name = tables.own(table.name, server.cluster)
        server.do(f"alter table {name}{tables.on(server.cluster)} apply deleted mask", waits=False)


def _closed(server: Server) -> None:
    with contextlib.suppress(Away):
        server.close()


def _box(db: Connection) -> str:
    return str(db.execute("-- clickhouse.box\nselect id from box").fetchall()[0][0])


def _only_there(db: Connection) -> tuple[dict[str, int], dict[str, int]]:
    """What ClickHouse has alone: up to which ids, and how many rows; none are counted while some are to be removed."""
    return trimmed.floors(db), {} if orders.count(db) else trimmed.counts(db)


def _newest(db: Connection) -> dict[str, int]:
    query = " union all ".join(f"select '{name}', coalesce(max(id), 0) from {name}" for name in FACT_NAMES)
    return {str(name): int(str(last)) for name, last in db.execute(f"-- clickhouse.newest\n{query}").fetchall()}
