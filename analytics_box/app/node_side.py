"""The connection of several machines with both databases: what an ingest machine receives and reports, and what a
primary
knows of people from its ingest machines.
"""

from collections.abc import Iterable, Sequence
from functools import partial

from msgspec.structs import replace

from analytics_box.app.event_side import EventSide
from analytics_box.app.state_side import StateSide, read_anew
from analytics_box.base.clock import DAY, Clock, utc_day
from analytics_box.base.errors import InClickHouse
from analytics_box.base.facts import erase, orders, trimmed
from analytics_box.base.facts.orders import OfPerson, Older
from analytics_box.base.outgoing import client as outgoing
from analytics_box.base.outgoing.fences import ADMINISTRATOR
from analytics_box.base.settings import Settings
from analytics_box.base.store.db import Db
from analytics_box.base.store.text_numbers import number_of
from analytics_box.ingest.cluster import mirrored
from analytics_box.ingest.cluster.messages import RemovalOrder, SiteReport, read_key
from analytics_box.ingest.cluster.node import Memory, Mirroring
from analytics_box.ingest.cluster.primary import Machines
from analytics_box.ingest.profile_rules import ProfileLink
from analytics_box.products.people.rules import Stay
from analytics_box.query import presence
from analytics_box.query.engines import Engines
from analytics_box.query.engines.clickhouse.shipping import newest_change
from analytics_box.tenants.websites.rules import Website

_MOST_SITES = 10_000  # that the primary is notified of
_ANYWHERE = ("0.0.0.0/0", "::/0")  # the operator says where the primary is


class PeopleElsewhere:
    """People as a primary knows them from its ingest machines, and orders to remove them there."""

    def __init__(self, machines: Machines, engines: Engines) -> None:
        self._machines, self._engines = machines, engines

    async def links(self, site: int, profile_id: str) -> list[ProfileLink]:
        """See Others. Raises Unavailable."""
        return [ProfileLink(*found) for found in await self._engines.links(site, profile_id)]

    async def order(self, site: int, profile_id: str, stays: Sequence[Stay], erasure: str) -> None:
        """See Others. Raises Unavailable."""
        order = RemovalOrder(0, site, profile_id, [(stay.visitor, stay.since, stay.until) for stay in stays], erasure)
        shipments = await self._engines.beyond.shipments(_who(order))
        await self._machines.order(replace(order, shipments=shipments))

    async def have_removed(self, erasure: str) -> bool:
        """See Others."""
        waits = False
        for order in await self._machines.orders():
            if self._machines.have_done(order) and await self._is_gone(order):
                await self._machines.forget(order)
            else:
                waits |= order.erasure == erasure
        return not waits

    async def _is_gone(self, order: RemovalOrder) -> bool:
        try:
            await self._engines.beyond.remove_everywhere(_who(order), order.shipments)
        except InClickHouse:
            return False
        return True


async def remove_of_retired(box_db: Db, engines: Engines, websites: Iterable[Website], now: int) -> None:
    """Remove what machines that are gone for good have of websites that are gone, too, and what is older than a website
    wants to keep it. Raises Unavailable."""
    kept = [(website.site, website.tracking.dataRetentionDays) for website in websites]
    older = [Older(site, (utc_day(now) - days) * DAY) for site, days in kept if days is not None]
    await engines.beyond.remove_of_retired(await box_db.read(mirrored.gone_sites), older)


def _who(order: RemovalOrder) -> OfPerson:
    """The person of an order by the numbers that texts have on all machines, for ClickHouse."""
    return OfPerson(order.site, number_of(order.profile), tuple(order.stays))


def mirroring(settings: Settings, clock: Clock, state: StateSide, events: EventSide, *, agent: str) -> Mirroring:
    """The mirror of an ingest machine. Raises BadKeyFile."""
    anywhere = outgoing.clients(replace(settings, allowed_private_targets=_ANYWHERE), agent=agent).of(ADMINISTRATOR)
    key = read_key(settings.cluster_key_file)
    return Mirroring(settings.node, settings.primary_url, key, state.db, events.salts, anywhere, clock)


def memory_of(state: StateSide, events: EventSide, clock: Clock) -> Memory:
    """State in memory that follows the mirror, and the reports to the primary."""

    async def behind() -> int:
        return (await events.engines.status()).behind + await events.outbox.count()

    async def removed() -> int | None:
        """The last change of the facts; None while some are to be removed in ClickHouse."""
        if await events.erasures.are_under_way():
            return None
        return await events.db.read(lambda db: None if orders.count(db) else newest_change(db))

    def has_arrived(change: int) -> bool:
        applied = events.engines.beyond.applied
        return applied is not None and applied >= change

    async def seen() -> Sequence[SiteReport]:
        active = await events.db.read(lambda db: sorted({*presence.active(db), *trimmed.latest(db)}))
        sites = tuple(active[:_MOST_SITES])
        online = await events.presence.online(sites, clock.now())
        begun = await events.presence.beginnings(sites)
        return [
            SiteReport(site, online[site], begun.get(site, 0), tuple(await events.presence.kinds(site)))
            for site in sites
        ]

    async def remove(order: RemovalOrder) -> None:
        await events.outbox.remove(order)
        await events.erasures.ordered(order.site, order.profile, order.stays)

    return Memory(
        read_anew=partial(read_anew, state),
        erase=partial(erase.site, events.db),
        remove=remove,
        behind=behind,
        alone=events.engines.beyond.is_alone,
        removed=removed,
        has_arrived=has_arrived,
        seen=seen,
        outbox=events.outbox,
        hand_over=partial(events.outbox.hand_over, events.dropped),
    )
