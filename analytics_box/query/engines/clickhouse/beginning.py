"""The position of ClickHouse when its connection is opened: the recorded one, or the beginning."""

import asyncio
import logging
import secrets
from collections.abc import Mapping
from functools import partial

from msgspec.structs import replace

from analytics_box.base.clock import Clock
from analytics_box.base.facts import orders, trimmed
from analytics_box.base.store.db import Connection, Db
from analytics_box.query.engines.clickhouse import machines, opening, shipping
from analytics_box.query.engines.clickhouse.line import ClickHouseConnection
from analytics_box.query.engines.clickhouse.machines import ClickHouseMachine
from analytics_box.query.engines.clickhouse.server import Away, EventsLost
from analytics_box.query.engines.clickhouse.shipping import Position

log = logging.getLogger(__name__)


async def alone(events: Db, line: ClickHouseConnection, clock: Clock) -> Position:
    """Return the position of this machine's facts in ClickHouse. Tables that do not match it are rebuilt."""
    server, position = line.there(), shipping.read_position(events.path.parent)
    box = await events.read(_box)
    why = await line.send(partial(opening.why_not, server, position, box))
    if position is not None and not why:
        newest = {} if position.sending else await line.send(partial(opening.newest_rows, server, position))
        why = await events.read(partial(shipping.why_not_here, position=position, newest=newest))
    floors, counts = await events.read(_only_there)
    if floors:
        await line.send(partial(opening.require_shape, server))
        await line.send(partial(opening.require, server, counts, floors))
    if position is None or why:
        return await _begin(events, line, clock, box=box, why=why, floors=floors)
    return position


async def _begin(
    events: Db, line: ClickHouseConnection, clock: Clock, *, box: str, why: str, floors: Mapping[str, int]
) -> Position:
    """Make the tables again, or where ClickHouse has rows alone, keep these and send everything else again."""
    server = line.there()
    position = Position(secrets.token_hex(8), applied=await events.read(shipping.newest_change))
    if floors:
        log.warning("ClickHouse keeps rows that are missing from events.db. Sending all other rows again: %s", why)
        last = await line.send(partial(opening.resume, server, box, position.epoch, floors))
        number = max(last, clock.now())  # above all that may still arrive, which nobody knows
        kept = dict(floors)
        position = replace(position, number=number, last=kept, kept=kept, before=number, removed_at=clock.now())
    else:
        log.info("Recreating the tables in ClickHouse: %s", why)
        await line.send(partial(opening.make, server, box, position.epoch))
    await asyncio.to_thread(shipping.write_position, events.path.parent, position)
    return position


async def among(events: Db, line: ClickHouseConnection, clock: Clock, machine: ClickHouseMachine | None) -> Position:
    """Return the position of this machine among several. If it is uncertain, the machine's rows there are removed and
    sent again.
    """
    if machine is None:
        raise Away("this machine has not reached its primary yet")
    floors, counts = await events.read(_only_there)
    if floors and not machine.number:
        raise EventsLost("events have left events.db for its tables when this was the only machine")
    server, position = line.there(), shipping.read_position(events.path.parent)
    epochs = await line.send(partial(machines.found_tables, server, machine))
    if floors:
        await line.send(partial(opening.require, server, counts, floors, machine))
    is_own = await line.send(partial(machines.is_own, server, machine, position.epoch if position else ""))
    if is_own and position is not None and await _is_ours(events, line, position, machine, epochs):
        return position
    log.info("Sending all events of this machine to ClickHouse")
    applied = await events.read(shipping.newest_change)
    begun, now = await line.send(partial(machines.begin, server, machine, epochs[0], floors)), clock.now()
    number = machines.first_shipment(machine, now)
    kept = dict(floors)
    position = Position(begun, number=number, applied=applied, last=kept, kept=kept, began=now, own_from=number)
    await asyncio.to_thread(shipping.write_position, events.path.parent, position)
    return position


async def _is_ours(
    events: Db, line: ClickHouseConnection, position: Position, machine: ClickHouseMachine, epochs: list[str]
) -> bool:
    """Whether what this machine has there is what it sent until this position."""
    if position.epoch.partition(".")[0] not in epochs:
        return False
    newest = {} if position.sending else await line.send(partial(opening.newest_rows, line.there(), position, machine))
    look = partial(shipping.why_not_here, position=position, newest=newest, machine=machine)
    return not await events.read(look)


def _box(db: Connection) -> str:
    return str(db.execute("-- clickhouse.box\nselect id from box").fetchall()[0][0])


def _only_there(db: Connection) -> tuple[dict[str, int], dict[str, int]]:
    """The rows that are only in ClickHouse: the highest id and the number of rows by table; no numbers while removal
    orders are pending.
    """
    return trimmed.floors(db), {} if orders.count(db) else trimmed.counts(db)
