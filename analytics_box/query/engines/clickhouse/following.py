"""ClickHouse follows events.db: shipment after shipment, and removal after removal, until it has the state of now."""

import asyncio
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import NamedTuple, TypeVar

from msgspec.structs import replace

from analytics_box.base.clock import DAY, Clock
from analytics_box.base.facts import erase, orders, trimmed
from analytics_box.base.facts.orders import ErasureOrder
from analytics_box.base.store import text_numbers
from analytics_box.base.store.db import Connection, Db
from analytics_box.query.engines.clickhouse import beginning, delivery, machines, opening, removing, shipping
from analytics_box.query.engines.clickhouse.line import ClickHouseConnection
from analytics_box.query.engines.clickhouse.machines import ClickHouseMachine
from analytics_box.query.engines.clickhouse.removing import AffectedRows
from analytics_box.query.engines.clickhouse.server import Away, Server
from analytics_box.query.engines.clickhouse.shipping import PendingShipment, Position, Shipment
from analytics_box.query.engines.trimming import TrimTimes

T = TypeVar("T")

_READ_SECONDS = 120.0
_NOBODY = -1  # no text has this number


class ShipmentResult(NamedTuple):
    """Whether there may be more to send, and what of it was read already."""

    more: bool
    ahead: Shipment | None = None


class Following:
    """Sends shipments and removals one after the other. Code that changes rows there holds the `lock`."""

    def __init__(
        self,
        events: Db,
        clock: Clock,
        line: ClickHouseConnection,
        known: TrimTimes,
        *,
        every: float,
        among: Callable[[], ClickHouseMachine | None] | None = None,
    ) -> None:
        self._events, self._clock, self._line, self._known = events, clock, line, known
        self._every, self._among = every, among
        self.machine = None if among is None else among()  # as of when the line was opened
        self.position: Position | None = None
        self.lock = asyncio.Lock()
        self.removals = 0  # how often rows began or ended to be replaced
        self._version = -1  # of events.db that is there
        self._followed_at = -math.inf  # seconds of the clock
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def version(self) -> int:
        """Of the facts that a question would be answered from now."""
        fresh = 0 <= self._clock.monotonic() - self._followed_at < self._every
        return self._version if self._line.is_ready and fresh else self._events.version

    @property
    def applied(self) -> int | None:
        """The last change that has arrived; None if nothing was ever sent, so that nobody needs any."""
        position = self.position or shipping.read_position(self._events.path.parent)
        return None if position is None else position.applied

    def look_again(self) -> None:
        """Whether the tables are still the same is to be seen, whatever came here."""
        self._version = -1

    async def follow(self, *, now: bool = False) -> None:
        """Update it to the current facts. A shipment continues after its last caller has left.

        Raises Away.
        """
        if not now and self.version == self._version:
            return
        task = asyncio.create_task(self._follow_to(self._events.version))
        self._tasks.add(task)
        task.add_done_callback(self._followed)
        await asyncio.shield(task)

    @contextmanager
    def replacing(self) -> Iterator[None]:
        """Mark a replacement of rows: concurrent reads may see a part of it. After a failure, the mark stays until the
        connection is opened again.
        """
        self.removals += self.removals % 2 + 1  # odd until it is over, whatever happened before
        yield
        self.removals += 1

    def may_trim(self) -> bool:
        """Whether rows may leave events.db: of several machines, once the primary knows that this one has some there
        alone."""
        machine = self._among() if self._among is not None else None
        return self._among is None or (machine is not None and machine.may_trim)

    def retired(self) -> tuple[int, ...]:
        """The machines that are gone for good, as the primary knows."""
        machine = self._among() if self._among is not None else None
        return () if machine is None else machine.retired

    async def write(self, position: Position) -> None:
        """Record the position. Raises OSError."""
        await asyncio.to_thread(shipping.write_position, self._events.path.parent, position)
        self.position = position

    def _followed(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # Waiting callers get the exception.

    async def _follow_to(self, wanted: int) -> None:
        async with self.lock:
            if self._line.server is not None and self._version >= wanted:
                return
            with self._line.losing():
                if self._line.server is None:
                    await self._open()
                sent = ShipmentResult(more=True)
                while self._version < wanted:
                    version = self._events.version
                    sent = await self._step(sent.ahead)
                    if not sent.more and not await self._carry_out():
                        self._version, self._followed_at = version, self._clock.monotonic()

    async def _open(self) -> None:
        """Connect, and find out how far it is."""
        await self._line.open()
        self._version = -1
        self.removals += self.removals % 2
        if self._among is None:
            self.position = await beginning.alone(self._events, self._line, self._clock)
        else:
            self.machine = self._among()
            self.position = await beginning.among(self._events, self._line, self._clock, self.machine)

    def _open_position(self) -> tuple[Position, Server]:
        if self.position is None or self._line.server is None:
            raise Away("It is closed")
        return self.position, self._line.server

    async def _step(self, ahead: Shipment | None) -> ShipmentResult:
        """Send one shipment: one that may be on its way already, what was read ahead, or what is next."""
        position, server = self._open_position()
        now, machine = self._clock.now(), self.machine
        if machine is not None:
            await self._line.send(partial(machines.check, server, machine, position.epoch))
        doubted_until, shipment = 0, ahead
        if position.sending is not None:
            doubted_until, shipment = now + DAY, await self._same_shipment(server, position, position.sending, now)
        elif shipment is None:
            shipment = await self._next_shipment(server, position, now)
        if shipment is None:
            return ShipmentResult(more=False)
        position = position.sends(shipment.sending)
        if position != self.position:
            await self.write(position)
        arrived = position.arrived(
            shipment.sending, removed_at=now if shipment.removes else 0, doubted_until=doubted_until
        )
        following = await self._deliver(server, position, shipment, arrived)
        await self.write(arrived)
        # There may be more behind what was read ahead: it is older than this step.
        return ShipmentResult(shipment.more or shipment is ahead, following)

    async def _deliver(
        self, server: Server, position: Position, shipment: Shipment, arrived: Position
    ) -> Shipment | None:
        """Send it, and read in the meantime what comes behind it; None if that is to be read once this has arrived.

        What changes after it was read comes with a later shipment, as what changes while a shipment is on its way.
        """
        deliver = partial(delivery.deliver, server, position, shipment, self.machine)
        with self.replacing() if shipment.removes else nullcontext():
            if not shipment.more:
                await self._line.send(deliver)
                return None
            sent, ahead = await asyncio.gather(
                self._line.send(deliver),
                self._read(
                    partial(
                        shipping.next_shipment, position=arrived, now=self._clock.now(), left={}, machine=self.machine
                    )
                ),
                return_exceptions=True,
            )
            if sent is not None:
                raise sent
            return None if isinstance(ahead, BaseException) else ahead

    async def _same_shipment(self, server: Server, position: Position, sending: PendingShipment, now: int) -> Shipment:
        """The shipment that may be on its way already, to be sent again."""
        if now - sending.began >= DAY:
            await self._line.send(partial(delivery.take_back, server, position.number + 1))
            sending = sending.anew(now)
        return await self._read(
            partial(shipping.same_shipment, position=position, sending=sending, machine=self.machine)
        )

    async def _next_shipment(self, server: Server, position: Position, now: int) -> Shipment | None:
        """The next shipment; None if ClickHouse has caught up."""
        machine, left = self.machine, dict[tuple[str, tuple[int, ...]], int]()
        while True:
            try:
                return await self._read(
                    partial(shipping.next_shipment, position=position, now=now, left=left, machine=machine)
                )
            except shipping.TopChanged as top:
                found = await self._line.send(partial(opening.newest_left, server, position, top, machine))
                left[top.table, top.changed] = found

    async def _carry_out(self) -> bool:
        """Remove what the next order says; whether there was one."""
        order = await self._events.read(orders.first)
        if order is None:
            return False
        position, server = self._open_position()
        machine = self.machine
        there = order if machine is None else await self._events.read(partial(_as_shared, order=order))
        if isinstance(order.what, orders.OfPerson) and not order.what.noted:
            found = await self._line.send(partial(removing.find, server, there, machine))
            if machine is not None:
                found = await self._events.read(partial(_as_here, found=found, machine=machine))
            await self._events.write(
                partial(
                    orders.note_found, order=order, removed=found.rows, strings=found.strings, sessions=found.sessions
                )
            )
        with self.replacing():
            await self._line.send(partial(removing.remove, server, there, machine))
        if isinstance(order.what, orders.Older):
            await erase.people(self._events, order.what.site, order.what.before, self._visitors)
        floors = await self._events.read(trimmed.floors)
        left = await self._line.send(partial(removing.remaining_rows, server, order.what.site, floors, machine))
        await self._events.write(partial(orders.forget, order=order, left=left))
        await self._known.reload()
        if not position.removed_at:
            await self.write(replace(position, removed_at=self._clock.now()))
        return True

    async def _visitors(self, site: int, wanted: list[int]) -> set[int]:
        """The visitors of a site, of these, that have events there."""
        return await self._line.send(partial(removing.visitors, self._line.there(), site, wanted))

    async def _read(self, work: Callable[[Connection], T]) -> T:
        return await self._events.read(work, seconds=_READ_SECONDS)


def _as_shared(db: Connection, *, order: ErasureOrder) -> ErasureOrder:
    """The order by the numbers that texts have on all machines."""
    if not isinstance(order.what, orders.OfPerson) or not order.what.profile:
        return order
    profile = order.what.profile
    shared = text_numbers.numbers_of(db, [profile]).get(profile, _NOBODY)
    return replace(order, what=replace(order.what, profile=shared))


def _as_here(db: Connection, *, found: AffectedRows, machine: ClickHouseMachine) -> AffectedRows:
    """Convert the numbers of texts and sessions to those of this machine."""
    return AffectedRows(
        found.rows,
        text_numbers.rows_of(db, found.strings),
        {session - machine.first for session in found.sessions},
    )
