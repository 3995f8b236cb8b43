"""The demo's data directory: an account, 90 days of visits and of checks, up to now each time the demo starts."""

from pathlib import Path
from typing import Final, NamedTuple, get_args

import msgspec
from msgspec import Struct, convert

from analytics_box.app.demo import ai_requests, flags, found, links, mcp_calls, monitors, shop
from analytics_box.app.demo.failures import NotADemo
from analytics_box.app.setup.account import FirstAccount, first_account, first_key
from analytics_box.base import ids
from analytics_box.base.acting import By
from analytics_box.base.clock import DAY, MINUTE, iso_day, utc_day
from analytics_box.base.facts.event import Fact
from analytics_box.base.store import schema
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.store.pairing import bring_together
from analytics_box.base.store.seal import KEY_FILE, Seal
from analytics_box.base.store.strings import Strings
from analytics_box.ingest import recovery
from analytics_box.ingest.dropped import count_quarantined
from analytics_box.ingest.enrich import EventTarget
from analytics_box.ingest.ledger import Ledger
from analytics_box.ingest.live import LiveSessions
from analytics_box.ingest.visitors import SALTS_FILE, SaltFile
from analytics_box.products.funnels import change as funnels
from analytics_box.products.funnels.lookup import FUNNELS
from analytics_box.products.funnels.messages import NewFunnel
from analytics_box.products.goals import lookup
from analytics_box.products.goals.goal import Type
from analytics_box.products.goals.messages import NewGoal
from analytics_box.products.links.link import ShortLink
from analytics_box.products.notes import change as notes
from analytics_box.products.notes.draft import draft_note
from analytics_box.products.notes.messages import NewAnnotation
from analytics_box.products.reports import change as reports
from analytics_box.products.reports.report import REPORTS
from analytics_box.products.sample_data import history
from analytics_box.products.sample_data.arrivals import DAYS
from analytics_box.products.sample_data.site import DOMAIN, NAME
from analytics_box.products.segments.segment import SEGMENTS
from analytics_box.products.shares import change as shares
from analytics_box.products.shares.share import SHARES, PanelName
from analytics_box.products.source_maps import source_map
from analytics_box.products.source_maps.mappings import pack
from analytics_box.query.request import QueryFilterInput
from analytics_box.tenants.accounts.passwords import hash_now
from analytics_box.tenants.saved import change as saved
from analytics_box.tenants.websites import rows as website_rows
from analytics_box.tenants.websites.rules import Website


class PlannedGoal(NamedTuple):
    """A goal."""

    name: str
    type: Type
    target: str


class PlannedNote(NamedTuple):
    """A note on a day after so many since the first, and on how many more."""

    age: int
    text: str
    color: str
    lasts: int = 0


GOALS: Final = (PlannedGoal("Sign-up", "EVENT", "signup"), PlannedGoal("Contact page", "PAGE_VIEW", "/contact"))
FUNNEL: Final = {
    "name": "Pricing to sign-up",
    "steps": [
        {"type": "PAGE_VIEW", "target": "/", "name": "Home page"},
        {"type": "PAGE_VIEW", "target": "/pricing", "name": "Pricing"},
        {"type": "EVENT", "target": "signup", "name": "Sign-up"},
    ],
}
NOTES: Final = (
    PlannedNote(24, "Inkwell 2 is here", "#16A34A"),
    PlannedNote(70, "On the front page of Hacker News", "#D97706", lasts=1),
    PlannedNote(83, "A new price for teams", "#3B82F6"),
)
REPORT: Final = "Weekly report"
# The share link, whose address is readable so that it can be shown.
SHARE: Final = {"name": "Public dashboard", "slug": "inkwell", "panels": get_args(PanelName), "has_badge": True}
SEGMENT: Final = "Found by search, reads the docs"
_FILTERS: Final = (
    QueryFilterInput("channel", "eq", "Organic Search"),
    QueryFilterInput("path", "starts_with", "/docs"),
)


# The checkout's script: an error in its line 118, and the handler in line 12 that calls the function.
SOURCE_MAP: Final = {
    "version": 3,
    "sources": ["src/events.ts", "src/checkout/plans.ts"],
    "names": ["loadPlans"],
    "mappings": f"{';' * 11}IA8BEA{';' * 106}QCWI",
}
_MOST_MAP_BYTES: Final = 1_000_000


def make(db: Connection, website: Website, first_day: int) -> None:
    """Create the resources that are missing."""
    by = By("demo", first_day * DAY)
    if not source_map.MAPS.count(db, "website_id = ?", website.id):
        values, content = {"script": "assets/checkout.js"}, pack(msgspec.json.encode(SOURCE_MAP))
        source_map.store(db, by, website, values, content, _MOST_MAP_BYTES)
    if not lookup.GOALS.count(db, "website_id = ?", website.id):
        for goal in GOALS:
            given = {"websiteId": website.id, "type": goal.type, "target": goal.target, "name": goal.name}
            lookup.create(db, by, website, convert(given, NewGoal))
    if not FUNNELS.count(db, "website_id = ?", website.id):
        funnels.create(db, by, website, convert({"websiteId": website.id, **FUNNEL}, NewFunnel))
    if not notes.NOTES.count(db, "website_id = ?", website.id):
        for note in NOTES:
            notes.create(
                db, website, By("demo", (first_day + note.age) * DAY), *draft_note(_note(note, first_day), by.now)
            )
    if not REPORTS.count(db, "website_id = ?", website.id):
        since = By("demo", (first_day + DAYS) * DAY)  # So that no report about earlier weeks is sent.
        reports.create(db, since, website, {"name": REPORT}, (EMAIL,), (), "UTC")
    if not SHARES.count(db, "website_id = ?", website.id):
        shares.create(db, by, website, SHARE, (), "UTC")
    if not saved.of_website(db, SEGMENTS, website.id, ""):
        saved.create(db, SEGMENTS, website, by, SEGMENT, _FILTERS, is_shared=True)


def _note(planned: PlannedNote, first_day: int) -> NewAnnotation:
    first = first_day + planned.age
    return NewAnnotation(
        websiteId="",
        text=planned.text,
        xValue=iso_day(first * DAY),
        xEndValue=iso_day((first + planned.lasts) * DAY) if planned.lasts else None,
        color=planned.color,
    )


FOLDER = "demo"  # inside the user's data folder
FILE = "demo.json"
EMAIL = "demo@inkwell.example"
SEED = "inkwell"
BATCH = 5_000  # events per commit
ONLINE = 5 * MINUTE  # how long a visitor counts as online (semantics 9)


class Demo(Struct, frozen=True):
    """The demo's own record. `filled` is the end of its history in UTC ms, `first_day` a day of clock.utc_day, `port`
    that of
    its shop.
    """

    email: str
    password: str
    first_day: int
    filled: int
    port: int = shop.PORT


class DemoResources(Struct, frozen=True):
    """Resources in the demo's box.db."""

    target: EventTarget
    short: list[ShortLink]
    watched: monitors.DemoMonitors
    flags: flags.DemoFlags


class FilledDemo(Struct, frozen=True):
    """A demo up to now, and what stands in its box.db."""

    demo: Demo
    made: DemoResources


def shop_port(directory: Path) -> int:
    """The port at which the demo's shop stood last, or would like to stand. Raises NotADemo."""
    demo = _load_record(directory)
    return shop.PORT if demo is None else demo.port


def fill(directory: Path, now: int, seed: str = SEED, *, port: int = shop.PORT) -> Demo:
    """Fill the demo as `filled` does, and return its record."""
    return fill_demo(directory, now, seed, port=port).demo


def fill_demo(directory: Path, now: int, seed: str = SEED, *, port: int = shop.PORT) -> FilledDemo:
    """Make the demo, or add what has happened since it was last filled; its shop stands at this port now.

    The caller holds the directory's lock.

    Raises NotADemo, before anything is written, for a directory that something else has filled.
    """
    demo = _load_record(directory) or _new(directory, now)
    bring_together(directory)
    made = _account(directory, demo, now, port)
    now_filled = msgspec.structs.replace(demo, filled=max(demo.filled, now), port=port)
    events, given = since(now_filled, made, max(demo.filled, now - DAYS * DAY), seed)
    happened = [*events, *given.events]
    if now - demo.filled > ONLINE:
        happened += history.just_now(seed, made.target, now)
    SaltFile(directory / SALTS_FILE, str.encode).current(now)  # else the box would miss those of today's visitors
    _count_events(directory / schema.BOX_FILE, given)
    _append(directory / schema.EVENTS_FILE, sorted(happened, key=lambda event: event.time), made, seed, now_filled)
    note(directory, now_filled)
    return FilledDemo(now_filled, made)


def since(demo: Demo, made: DemoResources, start: int, seed: str = SEED) -> tuple[list[Fact], flags.DemoEvaluations]:
    """The demo's history from `start` (UTC ms) to the time up to which it is filled, and the flag evaluations of that
    time.
    """
    days = history.events(seed, made.target, first_day=demo.first_day, start=utc_day(start) * DAY, end=demo.filled)
    given = flags.evaluations_between(made.flags, days, seed, start=start, end=demo.filled)
    calls = mcp_calls.calls_between(made.target.site, seed, first_day=demo.first_day, start=start, end=demo.filled)
    agents = ai_requests.requests_between(
        made.target.site, seed, first_day=demo.first_day, start=start, end=demo.filled
    )
    return [*(event for event in days if event.time >= start), *calls, *agents], given


def _new(directory: Path, now: int) -> Demo:
    if (directory / schema.BOX_FILE).exists():
        raise NotADemo(f"{directory} contains data that is not from a demo; choose another --data-dir")
    first_day = utc_day(now) - DAYS
    demo = Demo(email=EMAIL, password=ids.base62(16), first_day=first_day, filled=first_day * DAY)
    note(directory, demo)
    return demo


def _load_record(directory: Path) -> Demo | None:
    try:
        return msgspec.json.decode((directory / FILE).read_bytes(), type=Demo)
    except FileNotFoundError:
        return None
    except msgspec.DecodeError as broken:
        raise NotADemo(f"{directory / FILE} cannot be read: {broken}") from broken


def note(directory: Path, demo: Demo) -> None:
    """Write the demo's record next to the old one and rename it, so that it is whole; 0600 because of the password."""
    beside = directory / f"{FILE}.new"
    beside.touch(mode=0o600)
    beside.write_bytes(msgspec.json.format(msgspec.json.encode(demo)))
    beside.replace(directory / FILE)


def _account(directory: Path, demo: Demo, now: int, port: int) -> DemoResources:
    """The demo's website with its links, its monitors and its status page, made with its account at the first start."""
    box_db = Db(directory / schema.BOX_FILE, readers=1)
    try:
        websites = box_db.read_now(website_rows.everything)
        if not websites:
            wanted = FirstAccount(
                email=demo.email, password=hash_now(demo.password), organization=NAME, website=NAME, domain=DOMAIN
            )
            websites = [box_db.write_now(lambda db: _first(db, wanted, By("demo", demo.first_day * DAY)))]
        website, seal = websites[0], Seal(directory / KEY_FILE)
        short = box_db.write_now(lambda db: links.make(db, website.organization_id, demo.first_day * DAY))
        watched = box_db.write_now(
            lambda db: monitors.make(db, seal, website, demo.first_day, now=now, port=port, before=demo.port)
        )
        box_db.write_now(lambda db: found.make(db, website, watched, demo.first_day, now=now))
        given = box_db.write_now(lambda db: flags.make(db, website, demo.first_day, now))
        box_db.write_now(lambda db: make(db, website, demo.first_day))
        return DemoResources(EventTarget(website.site, website.domain), short, watched, given)
    finally:
        box_db.close()


def _first(db: Connection, wanted: FirstAccount, by: By) -> Website:
    made = first_account(db, wanted, by=by)
    first_key(db, made, by=by)
    return made.website


def _count_events(path: Path, given: flags.DemoEvaluations) -> None:
    box_db = Db(path, readers=1)
    try:
        box_db.write_now(lambda db: flags.append(db, given))
    finally:
        box_db.close()


def _append(path: Path, happened: list[Fact], made: DemoResources, seed: str, demo: Demo) -> None:
    """Through the same ledger as events from the network, so that sessions are real."""
    events_db = Db(path, readers=1)
    try:
        strings, live = Strings(), LiveSessions()
        events_db.attach(strings, live)
        ledger = Ledger(strings, live)
        if happened:
            oldest = happened[0].time
            events_db.write_now(lambda db: recovery.recover(db, live, oldest))
        for first in range(0, len(happened), BATCH):
            batch = happened[first : first + BATCH]

            def append(db: Connection, batch: list[Fact] = batch) -> None:
                ledger.append(db, batch)
                count_quarantined(db, batch)

            events_db.write_now(append)
        events_db.write_now(lambda db: links.append(db, made.short, happened, seed))
        events_db.write_now(
            lambda db: found.append(db, strings, made.watched, seed, first_day=demo.first_day, now=demo.filled)
        )
    finally:
        events_db.close()
