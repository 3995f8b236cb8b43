"""What is looked after in ClickHouse now and then: rows that came late, and the bytes of removed ones."""

from functools import partial

from analytics_box.clock import DAY, Clock
from analytics_box.query.engines.clickhouse import delivery, machines
from analytics_box.query.engines.clickhouse.following import Following
from analytics_box.query.engines.clickhouse.line import Line


async def remove_late(line: Line, following: Following, clock: Clock) -> None:
    """For two days after this machine began again, look for what it had sent before and came late. Raises Away."""
    position, server, machine = following.position, line.server, following.machine
    if position is None or server is None or machine is None or clock.now() - position.began >= 2 * DAY:
        return
    async with following.lock:
        with line.losing():
            await line.send(partial(machines.remove_late, server, machine, position.own_from, position.kept))


async def purge(line: Line, following: Following, clock: Clock) -> None:
    """What was removed a day ago leaves the server's disk. Raises Away."""
    position, server = following.position, line.server
    if position is None or server is None or not position.removed_at:
        return
    if clock.now() - position.removed_at < DAY:
        return
    async with following.lock:
        with line.losing():
            await line.send(partial(delivery.purge, server, position))
            await following.write(position.purged())
