"""The parts of the box that handlers work with, by what they are about. A handler takes one by its class."""

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from msgspec import Struct

import analytics_box
from analytics_box.app.event_side import EventSide
from analytics_box.app.state_side import StateSide
from analytics_box.app.watch.notices import DismissedNotices, dismissals
from analytics_box.app.watch.state import WatchedParts
from analytics_box.base.clock import Clock
from analytics_box.base.notify.deliveries import ChannelDeliveries
from analytics_box.base.notify.send import ChannelSender
from analytics_box.base.outgoing.client import Clients
from analytics_box.base.outgoing.fences import STRANGER
from analytics_box.base.settings import Settings
from analytics_box.ingest.cluster.primary import Machines
from analytics_box.products.alerts.due import Reminders
from analytics_box.products.alerts.traffic.day_figures import FigureWatch
from analytics_box.products.alerts.traffic.watch import TrafficWatch
from analytics_box.products.exports.loading import FactLoader
from analytics_box.products.flags.ofrep.serve import Ofrep
from analytics_box.products.flags.ofrep.streams import FlagStreams, States
from analytics_box.products.flags.usage.counts import FlagCounts
from analytics_box.products.monitors.domains import DomainWatch
from analytics_box.products.monitors.erasing import Erasing
from analytics_box.products.monitors.moving.histories import MonitorHistories
from analytics_box.products.monitors.probing.registration import Registrations
from analytics_box.products.monitors.telling import monitors_for_alerts
from analytics_box.products.overview.live import LiveUpdates, Watching
from analytics_box.products.reports.sending import ReportDeliveries
from analytics_box.products.shares.served import SharedPages
from analytics_box.products.status_pages.automatic.telling import AutomaticIncidents
from analytics_box.products.status_pages.subscribers import subscribing
from analytics_box.products.status_pages.subscribers.deliveries import SubscriberDeliveries
from analytics_box.products.status_pages.subscribers.public import SubscriptionPages
from analytics_box.products.status_pages.view.snapshots import PageSnapshots
from analytics_box.products.status_pages.view.sources import Sources
from analytics_box.tenants.accounts.locks import Locks
from analytics_box.tenants.accounts.passwords import Passwords
from analytics_box.tenants.accounts.second_factor import SecondSteps
from analytics_box.web.call import Parts
from analytics_box.web.page.assets import Assets
from analytics_box.web.page.templates import Pages


class PartInputs(Struct, frozen=True):
    """The inputs of the parts: both sides of the box, outgoing clients and monitoring."""

    settings: Settings
    clock: Clock
    state: StateSide
    events: EventSide
    clients: Clients
    sender: ChannelSender
    deliveries: ChannelDeliveries
    watched: WatchedParts
    machines: Machines


def parts_of(wired: PartInputs, later: Callable[[], Iterable[object]]) -> Parts:
    """All parts; those of a kind next to each other. `later` are those that pages and the API alone ask for."""
    state, pages = wired.state, Pages(web_dir() / "templates", _assets())
    return Parts(
        wired.settings,
        wired.clock,
        state.limits,
        state.db,
        *_in_state(state),
        *_in_events(wired.events),
        SecondSteps(wired.clock, secure=wired.settings.secure),
        *_asking(wired),
        *_of_flags(wired),
        *_of_status_pages(wired, pages),
        *_of_monitors(wired),
        *_telling(wired),
        wired.watched,
        wired.watched.backups,
        DismissedNotices(state.db.read_now(dismissals)),
        wired.machines,
        SharedPages(wired.clock),
        ReportDeliveries(state.db, state.seal, wired.sender, wired.clock, wired.settings, pages.text),
        Locks("share", state.seal, Passwords(at_once=1), state.limits, wired.clock, secure=wired.settings.secure),
        pages,
        _assets(),
        later=later,
    )


def _in_state(state: StateSide) -> tuple[object, ...]:
    """Parts that keep rows of box.db in memory."""
    return (
        state.keys,
        state.websites,
        state.organizations,
        state.sign_ins,
        state.passwords,
        state.seal,
        state.settings,
        state.links,
        state.link_domains,
        state.monitors,
        state.status_pages,
        state.shares,
        state.flags,
    )


def _in_events(events: EventSide) -> tuple[object, ...]:
    """Parts on top of events.db."""
    return (
        events.intake,
        events.presence,
        events.dropped,
        events.refusals,
        events.quarantine,
        events.erasures,
        events.clicks,
        events.salts,
    )


def _asking(wired: PartInputs) -> tuple[object, ...]:
    """Subjects of queries, and current visitors."""
    state, events, clock = wired.state, wired.events, wired.clock
    watching = Watching(events.presence, events.arrivals, clock)
    return (
        watching,
        LiveUpdates(watching, events.arrivals, state.sign_ins, state.websites, state.db, clock, wired.settings),
    )


def _of_flags(wired: PartInputs) -> tuple[object, ...]:
    state, clock, settings = wired.state, wired.clock, wired.settings
    states = States()
    streams = FlagStreams(state.flags, states, clock, settings)
    return (
        streams,
        Ofrep(state.flags, states, streams, state.limits, clock, settings),
        FlagCounts(state.db, state.flags, clock),
    )


def _of_status_pages(wired: PartInputs, pages: Pages) -> tuple[object, ...]:
    state, clock, settings, sender = wired.state, wired.clock, wired.settings, wired.sender
    told = SubscriberDeliveries(state.db, state.seal, sender, clock, settings, pages.text)
    subscribed = subscribing.SubscriptionTools(
        state.seal, wired.clients.fences.of(STRANGER), settings.status_page_subscribers
    )
    return (
        _snapshots(wired),
        told,
        AutomaticIncidents(state.db, state.status_pages, clock, told.soon),
        subscribed,
        SubscriptionPages(state.db, subscribed, told, sender.mailer, state.limits, clock),
    )


def _snapshots(wired: PartInputs) -> PageSnapshots:
    """Status pages as visitors see them."""
    state = wired.state
    return PageSnapshots(
        Sources(
            box_db=state.db,
            events=wired.events.db,
            monitors=state.monitors,
            organizations=state.organizations,
            settings=wired.settings,
            clock=wired.clock,
            clock_watch=wired.watched.clock_watch,
        )
    )


def _of_monitors(wired: PartInputs) -> tuple[object, ...]:
    state, settings, clients = wired.state, wired.settings, wired.clients
    return (
        Erasing(wired.events.db),
        FactLoader(wired.events.db, wired.events.strings, wired.events.erasures.live),
        MonitorHistories(wired.events.db, wired.events.strings),
        DomainWatch(Registrations(clients), state.monitors, state.db, wired.clock, settings.public_url),
    )


def _telling(wired: PartInputs) -> tuple[object, ...]:
    """Messages, and what alert rules watch."""
    state, events, clock, url = wired.state, wired.events, wired.clock, wired.settings.public_url
    known = monitors_for_alerts(state.monitors)
    return (
        wired.clients,
        wired.sender,
        wired.sender.mailer,
        wired.deliveries,
        known,
        Reminders(state.db, clock, known),
        FigureWatch(state.db, state.websites, clock, url),
        TrafficWatch(state.db, events.engines, state.websites, known, clock, url),
    )


@cache
def _assets() -> Assets:
    """The files for browsers, which do not change while a process runs."""
    return Assets(web_dir() / "static")


def web_dir() -> Path:
    """The folder of pages, static files and the manual: inside the installed package, else next to it in a checkout."""
    package = Path(analytics_box.__file__).parent
    packaged = package / "web"
    return packaged if (packaged / "templates").is_dir() else package.parent / "web"
