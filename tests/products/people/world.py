"""Both databases with people in them, and what removes them: everything but HTTP."""

import asyncio
import atexit
import shutil
import tempfile
from collections.abc import Callable, Coroutine
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from analytics_box.base import clock as clocks
from analytics_box.base.facts.event import CUSTOM, PAGE_VIEW, Event, Fact, FactSpan
from analytics_box.base.facts.tables import ATTRIBUTES, BY_NAME, FACT_NAMES, SPANS
from analytics_box.base.store import schema
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.store.seal import Seal
from analytics_box.base.store.strings import Strings
from analytics_box.ingest import recovery
from analytics_box.ingest.ledger import Ledger
from analytics_box.ingest.live import LiveSessions
from analytics_box.ingest.profiles import ProfileLinks, VisitorIdentification
from analytics_box.ingest.visitors import SaltFile
from analytics_box.products.people import traces
from analytics_box.products.people.erasure import Erasures
from analytics_box.products.people.reading import Profiles
from analytics_box.products.people.rules import Holder, holder_of
from analytics_box.query.engines.beyond import Beyond
from analytics_box.tenants.websites import rows as website_rows
from tests.inprocess import NOON, FixedClock, fill

T = TypeVar("T")

ACTOR = "user:ada"


@cache
def _filled() -> Path:
    """A data directory with organizations and websites in it, to be copied."""
    directory = Path(tempfile.mkdtemp()) / "data"
    atexit.register(shutil.rmtree, directory.parent)
    fill(directory, NOON)
    return directory


class World:
    """An open box without a web. `stop_at` names the step of an erasure at which the box is to crash."""

    def __init__(self, directory: Path, clock: FixedClock | None = None) -> None:
        self.directory, self.clock = directory, clock or FixedClock()
        if not directory.exists():
            shutil.copytree(_filled(), directory)
        self.box_db = Db(directory / schema.BOX_FILE, readers=1, durability="normal")
        self.events = Db(directory / schema.EVENTS_FILE, readers=1, durability="normal")
        self.strings, self.live = Strings(), LiveSessions()
        self.seal = Seal(directory / "secret.key")
        self.profile_links = ProfileLinks(self.strings, self.seal, self.clock)
        self.events.attach(self.strings, self.live, self.profile_links)
        self.events.write_now(lambda db: recovery.recover(db, self.live, self.clock.now()))
        self.ledger = Ledger(self.strings, self.live, profile_links=self.profile_links)
        self.salts = SaltFile(directory / "salts", str.encode)
        self.stop_at = ""
        self.before: Callable[[str], None] = lambda _: None
        self.erasures = Erasures(
            self.events,
            self.box_db,
            self.profile_links,
            self.strings,
            self.live,
            self.salts,
            self.clock,
            asyncio.Lock(),
            Beyond(self.events, None),
            progress=self._progress,
        )
        self.profiles = Profiles(self.events, self.seal, self.erasures)
        websites = {site.domain: holder_of(site) for site in self.box_db.read_now(website_rows.everything)}
        self.shop, self.blog = websites["shop.example"], websites["blog.example"]
        self._runner = asyncio.Runner()

    def _progress(self, step: str) -> None:
        self.before(step)
        if step == self.stop_at:
            raise Crash(step)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._runner.run(work)

    def add(self, *added: Fact) -> None:
        """These facts arrive together."""
        self.events.write_now(lambda db: self.ledger.append(db, added))

    def identify(self, profile_id: str, *visitors: int, site: int | None = None, **traits: Any) -> None:
        """Somebody says who these visitors are."""
        said = VisitorIdentification(site or self.shop.site, profile_id, frozenset(visitors), traits, self.clock.now())
        self.events.write_now(lambda db: self.profile_links.identify(db, said))

    def ids(self) -> dict[str, list[int]]:
        """The ids of all rows, by table."""
        return self.events.read_now(
            lambda db: {
                table: [int(str(row[0])) for row in db.execute(f"select id from {table} order by id").fetchall()]
                for table in FACT_NAMES
            }
        )

    def read(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """Rows of events.db."""
        return self.events.read_now(lambda db: list(db.execute(sql, values).fetchall()))

    def texts(self) -> set[str]:
        """All strings that events.db has."""
        return {str(row[0]) for row in self.read("select value from strings")}

    def audit(self) -> list[tuple[Any, ...]]:
        """The audit entries about people."""
        return self.box_db.read_now(
            lambda db: list(
                db.execute(
                    "select actor, action, subject, subject_id, detail from audit where subject like 'person%'"
                ).fetchall()
            )
        )

    def close(self) -> None:
        self.events.close()
        self.box_db.close()
        self._runner.close()

    def again(self) -> "World":
        """The box after a restart."""
        self.close()
        return World(self.directory, self.clock)


class Crash(Exception):
    """The box is gone at this step."""


class Said(NamedTuple):
    """What an event or a span says of itself in these tests."""

    visitor: int = 0
    profile: str = ""
    path: str = "/"
    client_session: str = ""
    yesterday: int = 0
    bot: str = ""
    minute: float = 0


def attributes(**given: str) -> tuple[str, ...]:
    return tuple(given.get(name, "") for name in ATTRIBUTES)


def event(site: int, said: Said, *, name: str = "screen_view", properties: str | None = None) -> Event:
    """An event, so many minutes after noon."""
    return Event(
        site=site,
        time=NOON + round(said.minute * clocks.MINUTE),
        kind=PAGE_VIEW if name == "screen_view" else CUSTOM,
        name=name,
        namespace="",
        visitor=said.visitor,
        yesterday=said.yesterday or said.visitor,
        path=said.path,
        query_string="",
        title=f"Title of {said.path}",
        engaged=0,
        scroll=0,
        bot=said.bot,
        origin="",
        client_session=said.client_session,
        attributes=attributes(entry=said.path, browser="Firefox", referrer=f"https://from.example{said.path}"),
        properties=properties,
        profile=said.profile,
    )


_OWN: dict[str, tuple[int | float | str | None, ...]] = {
    "vitals": (2, 1234.5, "2026.47"),
    "errors": ("TypeError", "x is not a function", "app.js", 12, 7, "at x", "2026.47", "0123456789abcdef"),
    "outgoing_links": ("https://away.example/x", "Away", "away.example"),
    "engagement": (1, "unload", 10, 9, 8, 50, 3, 2, 1, 4, 0, 0, 0, "", "", 0, 0, "", 0),
    "flag_exposures": ("new-checkout", "treatment"),
    "mcp_calls": ("find", 12, 40, "Order 1 failed", "group", "cursor", "1", "orders", "2", "production", "cursor/1"),
    "transactions": (
        *("stripe", "sale", "completed", "EUR", "", "session", ""),
        *(1230, 0, 12, 13, 0, 1, 0),
        *("ch_1", "p_1", "Notebook", "", "first.example", "Referral", "spring", "/first"),
    ),
    "ai_requests": ("gptbot", "ChatGPT", "training", "html", "server", 200, 1, "GPTBot/1.2", "chatgpt.com"),
}


def span(table: str, site: int, said: Said) -> FactSpan:
    """A span of this table, so many minutes after noon."""
    assert len(_OWN[table]) == len(SPANS[table])
    return FactSpan(
        table=table,
        site=site,
        time=NOON + round(said.minute * clocks.MINUTE),
        visitor=said.visitor,
        yesterday=said.yesterday or said.visitor,
        client_session=said.client_session,
        path=said.path,
        query_string="",
        attributes=attributes(browser="Firefox"),
        own=_OWN[table],
        profile=said.profile,
    )


def dangling(db: Connection) -> list[tuple[str, int]]:
    """Numbers in the facts that stand for no string, by table."""
    known = {int(str(row[0])) for row in db.execute("select id from strings").fetchall()}
    found = []
    for table in FACT_NAMES:
        names = BY_NAME[table].strings
        for row in db.execute(f"select {', '.join(names)} from {table}").fetchall():
            found += [(table, int(str(number))) for number in row if number not in known]
    return found


def used_texts(db: Connection) -> set[str]:
    """All strings that the facts refer to; a row repeats what its session had at its first event."""
    found: set[int] = set()
    for table in FACT_NAMES:
        for row in db.execute(f"select {', '.join(BY_NAME[table].strings)} from {table}").fetchall():
            found |= {int(str(number)) for number in row}
    return set(traces.strings_numbered(db, found).values())


def website_of(world: World, number: int) -> Holder:
    return world.shop if number == world.shop.site else world.blog
