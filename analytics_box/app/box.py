"""The composition root: the only place that wires parts together.

What stands over one database is wired in state_side and event_side; here they meet, with what reaches out of the box.
"""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct

import analytics_box
from analytics_box.app import node_side
from analytics_box.app.event_side import EventSide, open_events
from analytics_box.app.parts import PartInputs, parts_of
from analytics_box.app.plain_routes import FILES, ON_EVERY_MACHINE
from analytics_box.app.state_side import RequestCallers, StateSide, open_state
from analytics_box.app.watch.disk import Readiness
from analytics_box.app.watch.notices import notices
from analytics_box.app.watch.runs import OutgoingWatch, Runs, WatchedOutbox
from analytics_box.app.watch.state import WatchedParts
from analytics_box.base.backup import restore, take, upgrade
from analytics_box.base.backup.backups import Backups
from analytics_box.base.clock import Clock, SystemClock
from analytics_box.base.errors import MisdirectedRequest
from analytics_box.base.later import Later
from analytics_box.base.limits import TokenBuckets
from analytics_box.base.notify.deliveries import ChannelDeliveries
from analytics_box.base.notify.mail import Mailer
from analytics_box.base.notify.receivers import Queue
from analytics_box.base.notify.send import ChannelSender
from analytics_box.base.outgoing import client as outgoing
from analytics_box.base.outgoing.client import Clients
from analytics_box.base.outgoing.fences import fences
from analytics_box.base.settings import Settings, SettingsError
from analytics_box.base.store import running
from analytics_box.base.store.clock_watch import ClockWatch
from analytics_box.base.store.db import Db
from analytics_box.base.store.integrity import RollingCheck
from analytics_box.base.store.pairing import bring_together
from analytics_box.base.store.reserve import Reserve
from analytics_box.base.translation import _
from analytics_box.ingest import mcp_calls, usual
from analytics_box.ingest import routes as event_routes
from analytics_box.ingest.cluster import rows as cluster_rows
from analytics_box.ingest.cluster.messages import BadKeyFile, read_key
from analytics_box.ingest.cluster.node import Memory, Mirroring
from analytics_box.ingest.cluster.primary import Machines
from analytics_box.ingest.visitors import SALTS_FILE
from analytics_box.products.flags.ofrep.serve import Ofrep
from analytics_box.products.flags.serving.serve import FlagServer as FlagServing
from analytics_box.products.flags.usage.counts import FlagCounts
from analytics_box.products.links.redirects.observer import Observer
from analytics_box.products.links.redirects.redirect import Redirects
from analytics_box.products.monitors.domains import DomainWatch
from analytics_box.products.monitors.probing.probe import Prober
from analytics_box.products.monitors.running.engine import CheckEngine
from analytics_box.products.monitors.telling import Teller
from analytics_box.products.overview.live import LiveUpdates
from analytics_box.products.reports.sending import ReportDeliveries
from analytics_box.products.status_pages import markdown, pictures
from analytics_box.products.status_pages.automatic.telling import AutomaticIncidents
from analytics_box.products.status_pages.serving.earlier import Earlier
from analytics_box.products.status_pages.serving.making import TEMPLATES, Maker
from analytics_box.products.status_pages.serving.serve import StatusPageServer
from analytics_box.products.status_pages.subscribers.deliveries import SubscriberDeliveries
from analytics_box.products.status_pages.subscribers.public import SubscriptionPages
from analytics_box.products.status_pages.view.snapshots import PageSnapshots
from analytics_box.resource.reach import Owners
from analytics_box.tenants.accounts import users
from analytics_box.tenants.accounts.locks import Locks
from analytics_box.tenants.accounts.passwords import Passwords
from analytics_box.tenants.accounts.sign_in import SignIns
from analytics_box.tenants.keys import ring
from analytics_box.tenants.keys.ring import KeyRing
from analytics_box.tenants.websites.shell import WebsiteNavigation
from analytics_box.web.asgi import App, BuiltLater, Receive, Scope, Send
from analytics_box.web.call import Parts
from analytics_box.web.front import Front, HotHosts, HotPath
from analytics_box.web.guard import Guard
from analytics_box.web.page.templates import Pages
from analytics_box.web.plain import PlainRoutes
from analytics_box.web.proxy_watch import ProxyWatch
from analytics_box.web.turns import RequestTurns

if TYPE_CHECKING:
    from analytics_box.app import page_parts, procedures, routes
    from analytics_box.web import app
else:
    page_parts = Later("analytics_box.app.page_parts")
    app = Later("analytics_box.web.app")
    procedures, routes = Later("analytics_box.app.procedures"), Later("analytics_box.app.routes")

_MEGABYTE = 1_000_000
_SENDING = frozenset(("POST", "OPTIONS"))
TRACKER_PARTS = "/parts/"
UNHEARD = "This machine has not reached its primary yet"


class Box(Struct, frozen=True):
    """A running box: its two databases, what is in memory beside them, and the application over them."""

    settings: Settings
    clock: Clock
    box_db: Db
    events: EventSide
    reserve: Reserve
    clock_watch: ClockWatch
    limits: TokenBuckets
    sign_ins: SignIns
    parts: Parts
    deliveries: ChannelDeliveries
    engine: CheckEngine
    runs: Runs
    application: App
    mirroring: Mirroring | None  # of a machine that takes events alone
    node_memory: Memory
    file_checks: tuple[RollingCheck, ...]  # of both databases
    unclean: bool  # a run did not close its files, and nobody has looked through them since

    async def note_key_use(self) -> None:
        """Write down when API keys were last used, as far as box.db does not know it."""
        keys = self.parts[KeyRing]
        uses = keys.unsaved_uses()
        if uses:
            await self.box_db.write(lambda db: ring.note_use(db, uses))
            keys.saved(uses)

    def found_sound(self) -> None:
        """Both databases were looked through after an unclean stop."""
        running.found_sound(self.settings.data_dir)

    def close(self) -> None:
        """Finish the waiting writes and close both databases."""
        self.parts[Backups].stop()
        running.closing(self.settings.data_dir)
        self.events.close()
        self.parts[FlagCounts].write_now()
        self.box_db.close()
        if self.box_db.damage.refusal() is not None:
            running.found_damaged(self.settings.data_dir)
        running.mark_closed(self.settings.data_dir)


def open_box(given: Settings, clock: Clock | None = None, sources: Mapping[str, str] | None = None) -> Box:
    """Migrate and open the databases of a data directory and wire everything. The caller holds the lock.

    `sources` are the places of given settings; stored ones apply to the others.
    """
    settings = given
    clock = clock or SystemClock()
    # First, because it refuses wrong settings: no file is open yet.
    agent = f"AnalyticsBox/{analytics_box.__version__}"
    clients = outgoing.clients(settings, agent=agent)
    restore.complete(settings.data_dir)
    take.sweep(settings.data_dir, fresh=True)
    unclean = running.was_left_open(settings.data_dir)
    reserve = Reserve(settings.data_dir, settings.least_free_mb * _MEGABYTE)
    reserve.keep_from_start()
    bring_together(settings.data_dir, upgrade.prepare(settings, clock))
    upgrade.mark_done(settings)
    running.starting(settings.data_dir)
    state = open_state(given, clock, reserve, sources)
    settings = state.settings.current
    clients.fences.allowed = fences(settings).allowed
    clients.fences.opened = state.organizations.private_targets_of
    _check_is_promoted(settings, state)
    events = open_events(settings, clock, state, reserve)
    state.db.damage.pair(events.db.damage)
    running.mark_opened(settings.data_dir)
    runs, clock_watch = Runs(), ClockWatch(state.db, clock)
    sender = ChannelSender(clients, Mailer(settings))
    deliveries = ChannelDeliveries(state.db, state.seal, sender, clock)
    backups = Backups(settings, (state.db, events.db), clock)
    teller = Teller(state.db, state.monitors, clock, settings.public_url, deliveries.soon)
    engine = _engine(state, events, settings, clients, clock, teller)
    machines, mirroring = _machines(settings, clock, state, events, agent)
    watched = _watch_targets(state, events, settings, runs, reserve, clock, clock_watch, backups, engine, machines)
    wired = PartInputs(settings, clock, state, events, clients, sender, deliveries, watched, machines)
    parts = parts_of(wired, lambda: page_parts.page_parts(wired))

    def follow(changed: Settings) -> None:
        parts.settings = backups.settings = changed
        sender.mailer.use(changed)
        clients.fences.allowed = fences(changed).allowed

    state.settings.followers.append(follow)
    teller.also = parts[AutomaticIncidents].tell
    _watch_outgoing(parts, deliveries, events, mirroring)
    return Box(
        settings=settings,
        clock=clock,
        box_db=state.db,
        events=events,
        reserve=reserve,
        clock_watch=clock_watch,
        limits=state.limits,
        sign_ins=state.sign_ins,
        parts=parts,
        deliveries=deliveries,
        engine=engine,
        runs=runs,
        application=_node(state, events, parts, mirroring) if mirroring else _application(state, events, parts),
        mirroring=mirroring,
        node_memory=node_side.memory_of(state, events, clock),
        file_checks=(RollingCheck(state.db), RollingCheck(events.db)),
        unclean=unclean,
    )


def _watch_outgoing(
    parts: Parts, deliveries: ChannelDeliveries, events: EventSide, mirroring: Mirroring | None
) -> None:
    """Have what leaves the box watched."""
    outgoing, subscribers = parts[WatchedParts].outgoing, parts[SubscriberDeliveries]
    if mirroring is not None:

        async def waiting() -> Queue:
            return Queue(await events.outbox.count())

        outgoing.outboxes["primary"] = WatchedOutbox(waiting)
        return
    outgoing.outboxes["channels"] = WatchedOutbox(deliveries.queue, deliveries.outcomes)
    outgoing.outboxes["subscribers"] = WatchedOutbox(subscribers.queue, subscribers.outcomes)
    reports = parts[ReportDeliveries]
    outgoing.outboxes["reports"] = WatchedOutbox(reports.queue, reports.outcomes)
    outgoing.lookups.append(parts[DomainWatch].lookups)


def _check_is_promoted(settings: Settings, state: StateSide) -> None:
    """See that these files of a primary were not brought from another machine without a word: salts never leave one.
    Raises SettingsError."""
    if not settings.cluster_key_file or settings.role == "ingest" or (settings.data_dir / SALTS_FILE).exists():
        return
    if state.db.read_now(cluster_rows.nodes):
        raise SettingsError(
            f"{settings.data_dir} has files of a primary from another machine. If that machine is lost, promote this "
            f"one: analytics-box promote --data-dir {settings.data_dir}"
        )


def _machines(
    settings: Settings, clock: Clock, state: StateSide, events: EventSide, agent: str
) -> tuple[Machines, Mirroring | None]:
    """The ingest machines that this one is the primary of, or its own mirror. Raises SettingsError."""
    try:
        if settings.role == "ingest":
            if state.db.read_now(users.is_over):
                raise SettingsError(
                    f"{settings.data_dir} contains accounts of a server: use a separate folder for the ingest machine"
                )
            mirroring = node_side.mirroring(settings, clock, state, events, agent=agent)
            return Machines(None, state.db, state.seal, events.salts, clock), mirroring
        if state.db.read_now(cluster_rows.has) is not None:
            raise SettingsError(
                f"{settings.data_dir} belongs to an ingest machine: set role to ingest, or use another directory"
            )
        key = read_key(settings.cluster_key_file) if settings.cluster_key_file else None
    except BadKeyFile as wrong:
        raise SettingsError(str(wrong)) from wrong
    machines = Machines(key, state.db, state.seal, events.salts, clock)
    if key is not None:
        events.presence.elsewhere = machines
        machines.inbox = events.inbox
        events.erasures.others = node_side.PeopleElsewhere(machines, events.engines)
    return machines, None


def _engine(
    state: StateSide, events: EventSide, settings: Settings, clients: Clients, clock: Clock, teller: Teller
) -> CheckEngine:
    """The monitor engine. It begins once the server runs."""
    prober, canaries = Prober(clients), settings.monitor_canaries
    engine = CheckEngine(prober.check, teller.tell, events.db, events.strings, clock, canaries)
    state.monitors.run_by(engine)
    return engine


def _application(state: StateSide, events: EventSide, parts: Parts) -> App:
    pages = parts[Pages]
    pages.tell_administrators(lambda shell: notices(parts, shell.user_id))
    pages.complete_frames(WebsiteNavigation(state.websites).complete_frame)
    guard = Guard(RequestCallers(state.keys, state.admission, state.sign_ins), Owners(parts.box_db))
    turns = RequestTurns(parts.settings.max_requests_address)

    def build() -> App:
        parts.complete()
        return app.build(routes.PAGES_AND_API, procedures.PROCEDURES, guard=guard, parts=parts, pages=pages)

    framework = PlainRoutes((*ON_EVERY_MACHINE, FILES), parts, BuiltLater(build))
    status_pages, flags = _status_pages(state, parts, pages, turns), _flags(state, parts, framework, turns)
    events.salts.memories += [status_pages.forget, flags.forget, parts[Ofrep].forget]
    machines = parts[Machines]
    redirects, live = _redirects(state, events, parts, pages), parts[LiveUpdates]
    takes_events = parts.settings.role != "primary"
    handlers = (event_routes.handlers if takes_events else event_routes.of_primary)(events.intake)
    handlers[event_routes.MCP] = mcp_calls.beside_server(handlers[event_routes.MCP], framework, parts.settings)
    return Front(
        framework,
        paths=(
            *_event_paths(handlers),
            HotPath("/l/", redirects.under_prefix, is_whole=False),
            HotPath("/status/", status_pages.under_prefix, is_whole=False),
            HotPath("/public/v1/flags", flags.under_prefix, is_whole=False, own_refusals=True),
            HotPath("/live/", live.under_prefix, is_whole=False),
            *([HotPath("/cluster/pull", machines.answer, any_host=True)] if machines.are_wanted else ()),
        ),
        hosts=(
            HotHosts(state.link_domains.names(), redirects.app_at),
            HotHosts(state.status_pages.domains(), status_pages.app_at),
            HotHosts(
                state.shares.domains(),
                partial(state.shares.app_at, framework, turns, parts.settings.public_url),
            ),
        ),
        shortcuts=partial(usual.shortcuts, events.intake) if takes_events else None,
        limits=state.limits,
        settings=parts.settings,
        proxies=parts[WatchedParts].proxies,
        turns=turns,
    )


def _node(state: StateSide, events: EventSide, parts: Parts, mirroring: Mirroring) -> App:
    """The application of an ingest machine, which takes events only."""
    pages = parts[Pages]
    guard = Guard(RequestCallers(state.keys, state.admission, state.sign_ins), Owners(parts.box_db))
    built = BuiltLater(lambda: app.build(ON_EVERY_MACHINE, (), guard=guard, parts=parts, pages=pages))
    framework = PlainRoutes(ON_EVERY_MACHINE, parts, built)
    known = {route.path for route in ON_EVERY_MACHINE}

    async def some(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] not in known and not scope["path"].startswith(TRACKER_PARTS):
            raise MisdirectedRequest(_("This machine only accepts events. Pages and the API are on the primary"))
        await framework(scope, receive, send)

    return Front(
        some,
        paths=_event_paths(event_routes.of_node(events.intake, lambda: "" if mirroring.is_there else UNHEARD)),
        hosts=(),
        limits=state.limits,
        settings=parts.settings,
        proxies=parts[WatchedParts].proxies,
        turns=RequestTurns(parts.settings.max_requests_address),
    )


def _event_paths(handlers: Mapping[str, App]) -> Iterable[HotPath]:
    """The event routes; a GET of the root is a page."""
    for path, app in handlers.items():
        is_whole = path == "/" or not path.endswith("/")
        yield HotPath(path, app, methods=_SENDING if path == "/" else None, own_refusals=True, is_whole=is_whole)


def _watch_targets(
    state: StateSide,
    events: EventSide,
    settings: Settings,
    runs: Runs,
    reserve: Reserve,
    clock: Clock,
    clock_watch: ClockWatch,
    backups: Backups,
    engine: CheckEngine,
    machines: Machines,
) -> WatchedParts:
    databases = (state.db, events.db)
    return WatchedParts(
        settings=settings,
        clock=clock,
        databases=databases,
        dropped=events.dropped,
        engines=events.engines,
        runs=runs,
        readiness=Readiness(databases, least_free=settings.ready_free_mb, reserve=reserve),
        reserve=reserve,
        clock_watch=clock_watch,
        backups=backups,
        proxies=ProxyWatch(clock),
        started_at=clock.now(),
        monotonic=clock.monotonic(),
        machines=machines,
        cut_off_since=lambda: engine.isolated_since,
        outgoing=OutgoingWatch(
            monitors=engine.by_state,
            refused=lambda: engine.refused if state.settings.current.allowed_private_targets else 0,
        ),
    )


def _redirects(state: StateSide, events: EventSide, parts: Parts, pages: Pages) -> Redirects:
    return Redirects(
        directory=state.links,
        domains=state.link_domains,
        clicks=events.clicks,
        observer=Observer(events.geo, events.salts, state.websites, parts.clock),
        box_db=state.db,
        passwords=state.passwords,
        limits=state.limits,
        clock=parts.clock,
        settings=parts.settings,
        render=pages.text,
    )


def _status_pages(state: StateSide, parts: Parts, pages: Pages, turns: RequestTurns) -> StatusPageServer:
    settings, clock = parts.settings, parts.clock
    snapshots = parts[PageSnapshots]
    earlier = Earlier(snapshots.sources)
    if len(state.status_pages):  # a visitor who comes first is not to wait for them
        pages.prepare(TEMPLATES)
        markdown.html("")
    return StatusPageServer(
        pages=state.status_pages,
        snapshots=snapshots,
        maker=Maker(pages.text, earlier.between, earlier.find, clock),
        files=partial(pictures.find, state.db),
        subscriptions=parts[SubscriptionPages],
        locks=Locks("status", state.seal, Passwords(at_once=1), state.limits, clock, secure=settings.secure),
        clock=clock,
        settings=settings,
        render=pages.text,
        turns=turns,
    )


def _flags(state: StateSide, parts: Parts, framework: App, turns: RequestTurns) -> FlagServing:
    return FlagServing(
        flags=state.flags,
        remote=parts[Ofrep],
        limits=state.limits,
        limit=parts.settings.limit_flags,
        clock=parts.clock,
        app=framework,
        turns=turns,
    )
