"""The composition root: the only place that wires parts together.

What stands over one database is wired in state_side and event_side; here they meet, with what reaches out of the box.
"""

from pathlib import Path

from msgspec import Struct

import analytics_box
from analytics_box.accounts.second_step import SecondSteps
from analytics_box.accounts.sign_in import SignIns
from analytics_box.accounts.tries import Tries
from analytics_box.clock import Clock, SystemClock
from analytics_box.event_side import EventSide, open_events
from analytics_box.http import app, assets
from analytics_box.http.asgi import App
from analytics_box.http.call import Calls
from analytics_box.http.front import Front
from analytics_box.http.guard import Guard
from analytics_box.http.manual import Manual
from analytics_box.http.openapi import document
from analytics_box.http.pages import Pages
from analytics_box.http.reference import Reference
from analytics_box.ingest.routes import handlers as event_handlers
from analytics_box.keys import rows as key_rows
from analytics_box.limits import Limits
from analytics_box.links.following.observer import Observer
from analytics_box.links.following.parts import Links
from analytics_box.links.following.redirect import Redirects
from analytics_box.links.moving.jobs import ImportJobs
from analytics_box.notify.change import Tools
from analytics_box.notify.deliveries import Deliveries
from analytics_box.notify.mail import Mailer
from analytics_box.notify.send import Sender
from analytics_box.outgoing import client as outgoing
from analytics_box.outgoing.client import Client
from analytics_box.settings import Settings
from analytics_box.state_side import StateSide, open_state
from analytics_box.store import running
from analytics_box.store.clock_watch import ClockWatch
from analytics_box.store.db import Db
from analytics_box.store.pairing import bring_together
from analytics_box.store.reserve import Reserve
from analytics_box.watch.figures import Watched
from analytics_box.watch.readiness import Readiness
from analytics_box.watch.runs import Runs
from analytics_box.websites.late_parts import LateParts

_MEGABYTE = 1_000_000


class Box(Struct, frozen=True):
    """A running box: its two databases, what is in memory beside them, and the application over them."""

    settings: Settings
    clock: Clock
    box_db: Db
    events: EventSide
    reserve: Reserve
    clock_watch: ClockWatch
    limits: Limits
    sign_ins: SignIns
    calls: Calls
    deliveries: Deliveries
    runs: Runs
    application: App
    unclean: bool  # a run did not close its files, and nobody has looked through them since

    async def note_key_use(self) -> None:
        """Write down when API keys were last used, as far as box.db does not know it."""
        keys = self.calls.keys
        uses = keys.unsaved_uses()
        if uses:
            await self.box_db.write(lambda db: key_rows.note_use(db, uses))
            keys.saved(uses)

    def found_sound(self) -> None:
        """Both databases were looked through after an unclean stop."""
        running.found_sound(self.settings.data_dir)

    def close(self) -> None:
        """Finish the waiting writes and close both databases."""
        running.closing(self.settings.data_dir)
        self.events.close()
        self.box_db.close()
        running.closed(self.settings.data_dir)


def open_box(settings: Settings, clock: Clock | None = None) -> Box:
    """Migrate and open the databases of a data directory and wire everything. The caller holds the lock."""
    clock = clock or SystemClock()
    # First, for it refuses wrong settings: no file is open yet.
    client = outgoing.client(settings, agent=f"AnalyticsBox/{analytics_box.__version__}")
    unclean = running.was_left_open(settings.data_dir)
    reserve = Reserve(settings.data_dir, settings.least_free_mb * _MEGABYTE)
    reserve.keep_from_start()
    bring_together(settings.data_dir)
    running.starting(settings.data_dir)
    state = open_state(settings, clock, reserve)
    events = open_events(settings, clock, state, reserve)
    running.opened(settings.data_dir)
    calls = _calls(settings, clock, state, events, client)
    runs = Runs()
    return Box(
        settings=settings,
        clock=clock,
        box_db=state.db,
        events=events,
        reserve=reserve,
        clock_watch=ClockWatch(state.db, clock),
        limits=state.limits,
        sign_ins=state.sign_ins,
        calls=calls,
        deliveries=Deliveries(state.db, state.seal, calls.sender, clock),
        runs=runs,
        application=_application(state, events, calls, runs, reserve),
        unclean=unclean,
    )


def _calls(settings: Settings, clock: Clock, state: StateSide, events: EventSide, client: Client) -> Calls:
    mailer = Mailer(settings)
    return Calls(
        settings=settings,
        clock=clock,
        limits=state.limits,
        box_db=state.db,
        keys=state.keys,
        websites=state.websites,
        organizations=state.organizations,
        sign_ins=state.sign_ins,
        passwords=state.passwords,
        second_steps=SecondSteps(clock, secure=settings.secure),
        tries=Tries(state.limits, state.seal, settings),
        seal=state.seal,
        presence=events.presence,
        drops=events.drops,
        held=events.held,
        queries=events.queries,
        register=events.register,
        links=Links(state.links, state.link_domains, events.clicks, events.db),
        mailer=mailer,
        outgoing=client,
        channel_tools=Tools(state.seal, client.fence),
        sender=Sender(client, mailer),
    )


def _application(state: StateSide, events: EventSide, calls: Calls, runs: Runs, reserve: Reserve) -> App:
    settings = calls.settings
    files = assets.load(web_dir() / "static")
    pages = Pages(web_dir() / "templates", files)
    application = app.build(
        guard=Guard(state.keys, state.admission, state.sign_ins),
        calls=calls,
        pages=pages,
        parts={
            "settings": settings,
            "clock": calls.clock,
            "limits": state.limits,
            "assets": files,
            "box_db": state.db,
            "passwords": state.passwords,
            "organizations": state.organizations,
            "websites": state.websites,
            "presence": events.presence,
            "manual": Manual(web_dir() / "manual"),
            "reference": Reference(lambda: document(settings, cookie=state.sign_ins.cookie_name)),
            "mailer": calls.mailer,
            "queries": events.queries,
            "late": LateParts(calls.clock),
            "imports": ImportJobs(calls.clock),
            "register": events.register,
            "keys": state.keys,
            "sign_ins": state.sign_ins,
            "watched": _watched(state, events, settings, runs, reserve),
        },
    )
    return Front(
        application,
        events=event_handlers(events.intake),
        links=_redirects(state, events, calls, pages),
        limits=state.limits,
        settings=settings,
    )


def _watched(state: StateSide, events: EventSide, settings: Settings, runs: Runs, reserve: Reserve) -> Watched:
    databases = (state.db, events.db)
    readiness = Readiness(databases, least_free=settings.ready_free_mb, reserve=reserve)
    return Watched(databases, events.drops, events.engines, runs, readiness)


def _redirects(state: StateSide, events: EventSide, calls: Calls, pages: Pages) -> Redirects:
    return Redirects(
        directory=state.links,
        domains=state.link_domains,
        clicks=events.clicks,
        observer=Observer(events.places, events.salts, state.websites, calls.clock),
        box_db=state.db,
        passwords=state.passwords,
        limits=state.limits,
        clock=calls.clock,
        settings=calls.settings,
        draw=pages.text,
    )


def web_dir() -> Path:
    """The folder of pages, static files and the manual: inside the installed package, else beside it in a checkout."""
    package = Path(analytics_box.__file__).parent
    packaged = package / "web"
    return packaged if packaged.is_dir() else package.parent / "web"
