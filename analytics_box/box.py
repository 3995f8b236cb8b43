"""The composition root: the only place that wires parts together."""

import asyncio
import logging
from pathlib import Path
from typing import cast

from msgspec import Struct

import analytics_box
from analytics_box.accounts import rows as account_rows
from analytics_box.accounts.directory import Organizations
from analytics_box.accounts.passwords import Passwords
from analytics_box.accounts.second_step import SecondSteps
from analytics_box.accounts.sign_in import SignIns
from analytics_box.bots import rows as bot_rows
from analytics_box.bots.held import Held
from analytics_box.bots.judgement import Judgement
from analytics_box.clock import Clock, SystemClock
from analytics_box.drops.counts import Drops
from analytics_box.http import app, assets
from analytics_box.http.asgi import App
from analytics_box.http.call import Calls
from analytics_box.http.front import Front
from analytics_box.http.openapi import document
from analytics_box.http.pages import Pages
from analytics_box.http.reference import Reference
from analytics_box.ingest import facts, sessions
from analytics_box.ingest.geo import Places
from analytics_box.ingest.intake import Intake
from analytics_box.ingest.ledger import Ledger
from analytics_box.ingest.repeats import EventIds
from analytics_box.ingest.routes import handlers as event_handlers
from analytics_box.ingest.sessions import LiveSessions
from analytics_box.ingest.visitors import SaltFile
from analytics_box.keys import rows as key_rows
from analytics_box.keys.admission import Admission
from analytics_box.keys.ring import KeyRing
from analytics_box.limits import Limits
from analytics_box.notify.change import Tools
from analytics_box.notify.deliveries import Deliveries
from analytics_box.notify.mail import Mailer
from analytics_box.notify.send import Sender
from analytics_box.outgoing import client as outgoing
from analytics_box.profiles.erasure import Erasures
from analytics_box.profiles.matching import Traits
from analytics_box.profiles.people import People
from analytics_box.profiles.register import Register
from analytics_box.query.presence import Presence
from analytics_box.query.run import Queries
from analytics_box.settings import Settings
from analytics_box.store import schema
from analytics_box.store.db import Db
from analytics_box.store.migrations import migrate
from analytics_box.store.seal import Seal
from analytics_box.store.strings import Strings
from analytics_box.websites import rows as website_rows
from analytics_box.websites.directory import Directory
from analytics_box.websites.late_parts import LateParts

log = logging.getLogger(__name__)

SALTS_FILE = "salts"
UNCHECKED_FILE = "unchecked"  # is there after an unclean stop, until both databases have been looked through
KEY_FILE = "secret.key"  # what secrets at rest are sealed with


class Box(Struct, frozen=True):
    """A running box: its two databases, what is in memory beside them, and the application over them."""

    settings: Settings
    clock: Clock
    box_db: Db
    events_db: Db
    limits: Limits
    salts: SaltFile
    event_ids: EventIds
    erasures: Erasures
    drops: Drops
    places: Places
    held: Held
    sign_ins: SignIns
    calls: Calls
    deliveries: Deliveries
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
        (self.settings.data_dir / UNCHECKED_FILE).unlink(missing_ok=True)

    def close(self) -> None:
        """Finish the waiting writes and close both databases."""
        self.drops.write_now()
        self.events_db.close()
        self.box_db.close()


def open_box(settings: Settings, clock: Clock | None = None) -> Box:
    """Migrate and open the databases of a data directory and wire everything. The caller holds the lock."""
    clock = clock or SystemClock()
    # First, for it refuses wrong settings: no file is open yet.
    client = outgoing.client(settings, agent=f"AnalyticsBox/{analytics_box.__version__}")
    directory = settings.data_dir
    unchecked = directory / UNCHECKED_FILE
    unclean = unchecked.exists() or any(
        _is_left_over(directory / f"{name}-wal") for name in (schema.BOX_FILE, schema.EVENTS_FILE)
    )
    if unclean:
        unchecked.touch(mode=0o600)  # opening folds the logs back, which are the other sign
    migrate(directory)
    box_db = Db(directory / schema.BOX_FILE, readers=2, durability=settings.durability)
    events_db = Db(
        directory / schema.EVENTS_FILE,
        readers=settings.readers,
        durability=settings.durability,
        write_queue=settings.write_queue,
        read_queue=settings.query_queue,
    )
    strings, live, event_ids = Strings(), LiveSessions(), EventIds(clock)
    seal = Seal(directory / KEY_FILE)
    people = People(strings, seal, clock)
    events_db.accompany(strings, live, event_ids, people)
    events_db.write_now(lambda db: sessions.recover(db, live, clock.now(), facts.ATTRIBUTES))
    events_db.write_now(event_ids.recover)

    limits = Limits(clock)
    admission = Admission(clock, limits, settings)
    salts = SaltFile(directory / SALTS_FILE)
    salts.current(clock.now())
    organizations = Organizations(
        box_db.read_now(account_rows.organizations), box_db.read_now(account_rows.deleted_organizations)
    )
    keys = KeyRing(clock, box_db.read_now(key_rows.everything), organizations.closed)
    websites = Directory(box_db.read_now(website_rows.everything), organizations.closed)
    hasher = Passwords()
    seal = Seal(directory / KEY_FILE)
    sign_ins = SignIns(box_db, hasher, clock, secure=settings.secure)
    drops = Drops(events_db, clock)
    places = Places(settings)
    judgement = Judgement(box_db.read_now(bot_rows.everything))
    held = Held(events_db, live, judgement, clock)
    intake = Intake(
        events=events_db,
        ledger=Ledger(strings, live, event_ids, people),
        keys=keys,
        websites=websites,
        organizations=organizations,
        people=people,
        places=places,
        judgement=judgement,
        salts=salts,
        limits=limits,
        admission=admission,
        drops=drops,
        clock=clock,
        settings=settings,
    )
    erasures = Erasures(events_db, box_db, people, strings, live, salts, clock, asyncio.Lock())
    register = Register(events_db, seal, erasures)
    presence = Presence(events_db)
    queries = Queries(
        events_db,
        clock,
        seconds=settings.query_seconds,
        traits=Traits(events_db, seal),
        strangers=max(1, settings.readers // 2),
    )
    mailer = Mailer(settings)
    sender = Sender(client, mailer)
    calls = Calls(
        settings=settings,
        clock=clock,
        limits=limits,
        box_db=box_db,
        keys=keys,
        websites=websites,
        organizations=organizations,
        sign_ins=sign_ins,
        passwords=hasher,
        second_steps=SecondSteps(clock, secure=settings.secure),
        seal=seal,
        presence=presence,
        drops=drops,
        held=held,
        queries=queries,
        register=register,
        mailer=mailer,
        outgoing=client,
        channel_tools=Tools(seal, client.fence),
        sender=sender,
    )
    files = assets.load(web_dir() / "static")
    events = event_handlers(intake)
    reference = Reference(lambda: document(settings, cookie=sign_ins.cookie_name))
    litestar = app.build(
        keys=keys,
        admission=admission,
        sign_ins=sign_ins,
        pages=Pages(web_dir() / "templates", files),
        parts={
            "settings": settings,
            "clock": clock,
            "limits": limits,
            "assets": files,
            "box_db": box_db,
            "passwords": hasher,
            "organizations": organizations,
            "websites": websites,
            "presence": presence,
            "calls": calls,
            "reference": reference,
            "mailer": mailer,
            "queries": queries,
            "late": LateParts(clock),
            "register": register,
        },
    )
    front = Front(cast(App, litestar), events=events, limits=limits, settings=settings)
    return Box(
        settings=settings,
        clock=clock,
        box_db=box_db,
        events_db=events_db,
        limits=limits,
        salts=salts,
        event_ids=event_ids,
        erasures=erasures,
        drops=drops,
        places=places,
        held=held,
        sign_ins=sign_ins,
        calls=calls,
        deliveries=Deliveries(box_db, seal, sender, clock),
        application=front,
        unclean=unclean,
    )


def web_dir() -> Path:
    """The folder of templates and static files: inside the installed package, else beside it in a checkout."""
    package = Path(analytics_box.__file__).parent
    packaged = package / "web"
    return packaged if packaged.is_dir() else package.parent / "web"


def _is_left_over(wal: Path) -> bool:
    return wal.exists() and wal.stat().st_size > 0
