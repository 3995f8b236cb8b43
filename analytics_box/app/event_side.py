"""The side of the events: events.db, what is in memory next to it, how events come in and how they are asked about."""

import asyncio
import logging
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct
from msgspec.structs import asdict

from analytics_box.app.state_side import StateSide
from analytics_box.base.clock import Clock
from analytics_box.base.errors import Unavailable
from analytics_box.base.settings import Settings
from analytics_box.base.store import schema, text_numbers
from analytics_box.base.store.budgets import Budgets, DiskBudget
from analytics_box.base.store.db import Db
from analytics_box.base.store.reserve import Reserve
from analytics_box.base.store.seal import Seal, SealBroken
from analytics_box.base.store.strings import Strings
from analytics_box.base.translation import _
from analytics_box.ingest import recovery
from analytics_box.ingest.ai_requests import AiMemory
from analytics_box.ingest.arrivals import Arrivals
from analytics_box.ingest.bots.quarantine import Quarantine
from analytics_box.ingest.cluster.reports import Inbox, Outbox
from analytics_box.ingest.cluster.which import which
from analytics_box.ingest.dropped import DroppedTraffic
from analytics_box.ingest.intake import Intake
from analytics_box.ingest.ledger import Ledger
from analytics_box.ingest.live import LiveSessions
from analytics_box.ingest.prepared import PreparedSenders
from analytics_box.ingest.profiles import ProfileLinks
from analytics_box.ingest.refusals import Refusals
from analytics_box.ingest.repeats import EventIds
from analytics_box.ingest.visitors import HISTORY, HISTORY_FILE, SALTS_FILE, History, SaltFile
from analytics_box.products.links.clicks.waiting import Clicks
from analytics_box.products.people.erasure import Erasures
from analytics_box.query.engines import Engines
from analytics_box.query.engines.clickhouse.machines import ClickHouseMachine
from analytics_box.query.engines.clickhouse.server import ClickHouseTarget
from analytics_box.query.presence import Presence
from analytics_box.web.recognition.geo import Geo

if TYPE_CHECKING:
    from analytics_box.query.engines.clickhouse.engine import ClickHouse

log = logging.getLogger(__name__)

_MEGABYTE = 1_000_000

_FIRST_EVENT = "-- event_side.has_events\nselect 1 from stored_events limit 1"


class EventSide(Struct, frozen=True):
    """The parts over events.db."""

    db: Db
    strings: Strings
    event_ids: EventIds
    geo: Geo
    salts: SaltFile
    dropped: DroppedTraffic
    refusals: Refusals
    arrivals: Arrivals
    clicks: Clicks
    quarantine: Quarantine
    intake: Intake
    erasures: Erasures
    outbox: Outbox
    inbox: Inbox
    presence: Presence
    engines: Engines

    def close(self) -> None:
        """Finish the waiting writes and close the database with its replica."""
        self.dropped.write_now()
        self.clicks.write_now()
        self.engines.stop_rolling()
        self.db.close()
        self.engines.close()


def _history_key(seal: Seal) -> bytes:
    """The key that secret.key gives. Raises Unavailable where it cannot be read: nothing may be stored with another."""
    try:
        return seal.derive(HISTORY)
    except SealBroken as broken:
        raise Unavailable(
            _("The server cannot read its secret.key, which events of earlier days require. Ask its administrator"),
            reason="DELIVERY_UNAVAILABLE",
        ) from broken


def _history_key_of_primary(file: Path) -> bytes:
    """The key that the primary told this machine."""
    try:
        return file.read_bytes()
    except OSError as broken:
        raise Unavailable(
            _("This machine has not reached its primary yet, whose key is required for events of earlier days"),
            reason="DELIVERY_UNAVAILABLE",
        ) from broken


class _Memory(NamedTuple):
    """State in memory that follows the commits and rollbacks of events.db."""

    strings: Strings
    live: LiveSessions
    event_ids: EventIds
    profile_links: ProfileLinks
    budgets: Budgets


def open_events(settings: Settings, clock: Clock, state: StateSide, reserve: Reserve) -> EventSide:
    """Open events.db, which must be migrated, and bring what is in memory next to it to where it was."""
    db, memory = _open(settings, clock, state, reserve)
    outbox = Outbox(db, memory.profile_links, state.seal, clock)
    intake = _intake(settings, clock, state, db, memory, outbox)
    strings, live, salts = memory.strings, memory.live, intake.salts
    engines = Engines(
        db,
        clock,
        columnar=settings.columnar,
        memory=settings.columnar_memory,
        waiting=settings.query_queue,
        far=_clickhouse(settings, clock, db, state) if settings.columnar == "clickhouse" else None,
    )
    lock = asyncio.Lock()
    erasures = Erasures(db, state.db, memory.profile_links, strings, live, salts, clock, lock, engines.beyond)
    return EventSide(
        db=db,
        strings=strings,
        event_ids=memory.event_ids,
        geo=intake.geo,
        salts=salts,
        dropped=intake.dropped,
        refusals=intake.refusals,
        arrivals=intake.arrivals,
        clicks=Clicks(db, strings, clock),
        quarantine=Quarantine(db, live, strings, state.classification, state.websites, salts, clock),
        intake=intake,
        erasures=erasures,
        outbox=outbox,
        inbox=Inbox(db, state.db, memory.profile_links, lock),
        presence=Presence(db),
        engines=engines,
    )


def _open(settings: Settings, clock: Clock, state: StateSide, reserve: Reserve) -> tuple[Db, _Memory]:
    db = Db(
        settings.data_dir / schema.EVENTS_FILE,
        readers=settings.readers,
        durability=settings.durability,
        write_queue=settings.write_queue,
        read_queue=settings.query_queue,
        reserve=reserve,
    )
    several = bool(settings.cluster_key_file)
    strings, live, event_ids = Strings(numbered=several), LiveSessions(), EventIds(clock)
    budgets = Budgets(DiskBudget(settings.budget_texts, settings.budget_mb * _MEGABYTE))
    memory = _Memory(strings, live, event_ids, ProfileLinks(strings, state.seal, clock), budgets)
    db.attach(*memory)
    db.write_now(lambda db: recovery.recover(db, live, clock.now()))
    db.write_now(event_ids.recover)
    while several and db.write_now(text_numbers.catch_up):
        pass
    return db, memory


def _intake(settings: Settings, clock: Clock, state: StateSide, db: Db, memory: _Memory, outbox: Outbox) -> Intake:
    """The intake of events."""
    arrivals, geo, salts = Arrivals(), Geo(settings), _salts(settings, clock, state.seal, db)
    salts.memories.append(geo.forget)
    return Intake(
        events=db,
        ledger=Ledger(memory.strings, memory.live, memory.event_ids, memory.profile_links),
        budgets=memory.budgets,
        keys=state.keys,
        websites=state.websites,
        organizations=state.organizations,
        identified=outbox.identify if settings.role == "ingest" else memory.profile_links.identify,
        geo=geo,
        classification=state.classification,
        salts=salts,
        senders=PreparedSenders(geo, state.classification, salts, has_proxy_secret=bool(settings.proxy_secret)),
        limits=state.limits,
        admission=state.admission,
        dropped=DroppedTraffic(db, clock, told=arrivals.note_missed),
        refusals=Refusals(),
        arrivals=arrivals,
        ai=AiMemory(settings.data_dir, clock),
        clock=clock,
        settings=settings,
    )


def _salts(settings: Settings, clock: Clock, seal: Seal, db: Db) -> SaltFile:
    """The salts that visitors are hashed with. A replaced file is reported if there are visitors already."""
    told = partial(_history_key_of_primary, settings.data_dir / HISTORY_FILE)
    history = History(told if settings.role == "ingest" else partial(_history_key, seal))
    salts = SaltFile(settings.data_dir / SALTS_FILE, history)
    if salts.problem and db.read_now(lambda found: found.execute(_FIRST_EVENT).fetchall()):
        effect = (
            "the primary sends this machine the current ones"
            if settings.role == "ingest"
            else "today's visitors count as new from now on"
        )
        log.warning("%s was replaced (%s): %s", salts.path, salts.problem, effect)
    salts.current(clock.now())
    return salts


def _clickhouse(settings: Settings, clock: Clock, db: Db, state: StateSide) -> "ClickHouse":
    """ClickHouse in the place of the column replica."""
    from analytics_box.query.engines.clickhouse.engine import ClickHouse  # noqa: PLC0415  # few boxes have it

    several = bool(settings.cluster_key_file)
    cluster = settings.clickhouse_cluster
    target = ClickHouseTarget(settings.clickhouse_url, settings.clickhouse_password_file, cluster, several)
    among = partial(_machine, settings, state.db) if several else None
    keep_days = settings.clickhouse_keep_days
    return ClickHouse(db, clock, target, waiting=settings.query_queue, keep_days=keep_days, among=among)


def _machine(settings: Settings, box_db: Db) -> ClickHouseMachine | None:
    """The identity of this machine among several; None if it does not know its primary yet."""
    found = which(settings, box_db)
    return ClickHouseMachine(**asdict(found)) if found is not None else None
