"""A whole box inside the test's process: no socket, a clock that stands still, two organizations, keys of every kind.

`whole_box()` gives it; `box.get("/health")` and `box.post(…)` drive its ASGI application directly.
"""

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, NamedTuple, TypeVar
from urllib.parse import unquote

from analytics_box.app.box import Box, open_box
from analytics_box.app.setup.account import CreatedAccount, FirstAccount, first_account, first_key
from analytics_box.base import ids
from analytics_box.base.acting import By
from analytics_box.base.identity import SCOPES, Scope
from analytics_box.base.settings import Settings
from analytics_box.base.store import reserve, schema
from analytics_box.base.store.db import Db
from analytics_box.base.store.migrations import migrate
from analytics_box.base.store.pairing import bring_together
from analytics_box.tenants.accounts import passwords
from analytics_box.tenants.keys.change import create as create_key
from analytics_box.tenants.tenancy import rows as tenancy_rows
from analytics_box.tenants.tenancy.defaults import new_site
from analytics_box.tenants.tenancy.rules import Organization
from analytics_box.tenants.websites.change import create as create_website
from tests import compiled, hashing
from tests.migrated import migrated

NOON = 1_781_697_600_000  # Wednesday 2026-06-17 12:00 UTC
ROOM = 1 << 30  # free bytes of a disk on which no test looks at the reserve
EMAIL, PASSWORD = "ada@example.com", "a long and quiet sentence"
BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

compiled.keep()
hashing.hurry()

T = TypeVar("T")

KeyName = Literal["all", "reading", "tracking", "linking", "restricted", "elsewhere", "foreign", "revoked", "expired"]
SiteName = Literal["shop", "blog", "idle", "local", "foreign"]


class FixedClock:
    """A clock that moves only when a test moves it."""

    def __init__(self, now: int = NOON) -> None:
        self._now = now
        self._started = now

    def now(self) -> int:
        return self._now

    def monotonic(self) -> float:
        return (self._now - self._started) / 1000

    def advance(self, *, seconds: float) -> None:
        self._now += round(seconds * 1000)


class Answer(NamedTuple):
    """What came back. Header names are in lower case; of equal ones the first counts."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class RunningBox:
    """An open box, and how to ask it: `get`, `post` and `ask` are its HTTP."""

    def __init__(self, box: Box, clock: FixedClock, keys: Mapping[KeyName, str]) -> None:
        self.box = box
        self.clock = clock
        self.keys = dict(keys)
        self._runner = asyncio.Runner()

    def get(self, target: str, **headers: str) -> Answer:
        """GET; header names are given with underscores."""
        return self.ask("GET", target, headers=headers)

    def post(self, target: str, content: object, *, key: KeyName | None = None, **headers: str) -> Answer:
        """POST as JSON unless the content is bytes already."""
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        given = {"content_type": "application/json", **headers}
        if key is not None:
            given["x_api_key"] = self.keys[key]
        return self.ask("POST", target, headers=given, body=body)

    def sign_in(self, user_id: str) -> str:
        """A Cookie header of a user who has just signed in."""
        token = self._runner.run(self.box.sign_ins.open_for(user_id))
        return f"{self.box.sign_ins.cookie_name}={token}"

    def ask(
        self,
        method: str,
        target: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
        address: str = "203.0.113.7",
    ) -> Answer:
        """One request. Host, Accept and User-Agent are a browser's unless given; an empty value leaves one out."""
        sent = {"host": "localhost", "accept": "*/*", "user_agent": BROWSER, **(headers or {})}
        path, _, query = target.partition("?")
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(path),
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [
                (name.replace("_", "-").lower().encode(), value.encode("latin-1"))
                for name, value in sent.items()
                if value
            ],
            "client": (address, 40_000),
            "server": ("localhost", 8000),
        }
        return self._runner.run(self._exchange(scope, body))

    async def _exchange(self, scope: dict[str, Any], body: bytes) -> Answer:
        incoming = iter([{"type": "http.request", "body": body, "more_body": False}])
        sent: list[dict[str, Any]] = []
        answered = asyncio.Event()

        async def receive() -> dict[str, Any]:
            message = next(incoming, None)
            if message is None:
                await answered.wait()  # the client stays until it has its answer
            return message or {"type": "http.disconnect"}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)
            if message["type"] == "http.response.body" and not message.get("more_body"):
                answered.set()

        await self.box.application(scope, receive, send)
        headers = {name.decode().lower(): value.decode("latin-1") for name, value in reversed(sent[0]["headers"])}
        return Answer(sent[0]["status"], headers, b"".join(message.get("body", b"") for message in sent[1:]))

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Something of the box itself, on its event loop."""
        return self._runner.run(work)

    def reopen(self) -> None:
        """Stop the box and start it again over the same files."""
        self.box.close()
        self.box = open_box(self.box.settings, self.clock)

    def close(self) -> None:
        self.box.close()
        self._runner.close()


class WholeBox(RunningBox):
    """A box with something in it: websites and API keys by name, and an owner who can sign in."""

    def __init__(self, box: Box, clock: FixedClock, filled: "Filled") -> None:
        super().__init__(box, clock, filled.keys)
        self.organization_id = filled.made.organization.id
        self.foreign_organization_id = filled.foreign_organization_id
        self.user_id = filled.made.user.id
        self.sites = dict(filled.sites)
        self.numbers = dict(filled.numbers)

    @property
    def cookie(self) -> str:
        """A Cookie header of the owner, who has just signed in."""
        return self.sign_in(self.user_id)

    def query(self, site: SiteName, content: object, *, key: KeyName = "all") -> Answer:
        """POST /v1/query for a website."""
        return self.post(f"/v1/query?website_id={self.sites[site]}", content, key=key)


class Filled(NamedTuple):
    """What was put into the data directory."""

    made: CreatedAccount
    foreign_organization_id: str
    sites: dict[SiteName, str]
    numbers: dict[SiteName, int]
    keys: dict[KeyName, str]


@contextmanager
def whole_box(
    directory: Path,
    *,
    clock: FixedClock | None = None,
    adjust: Callable[[Settings], Settings] = lambda settings: settings,
) -> Iterator[WholeBox]:
    """An open box over a fresh data directory; `adjust` changes its settings."""
    clock = clock or FixedClock()
    filled = fill(directory, clock.now())
    inside = WholeBox(open_box(adjust(Settings(data_dir=directory)), clock), clock, filled)
    try:
        yield inside
    finally:
        inside.close()


@contextmanager
def empty_box(directory: Path, *, clock: FixedClock | None = None, base_url: str = "") -> Iterator[RunningBox]:
    """An open box that nobody has set up yet."""
    directory.mkdir(parents=True, exist_ok=True)
    migrated(directory)
    clock = clock or FixedClock()
    inside = RunningBox(open_box(Settings(data_dir=directory, base_url=base_url), clock), clock, {})
    try:
        yield inside
    finally:
        inside.close()


def fill(directory: Path, now: int) -> Filled:
    """The first account, a second organization, websites of every state and keys of every kind."""
    filled, files = _pattern(now)
    directory.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (directory / name).write_bytes(content)
    if reserve.disk_of(directory).free > ROOM:
        with (directory / reserve.FILE).open("wb") as kept:  # without its 8 MB, which are work for the memory
            kept.truncate(reserve.SIZE)
    return filled


@cache
def _pattern(now: int) -> tuple[Filled, dict[str, bytes]]:
    """The files of a filled data directory; copying them is far quicker than migrating and filling each anew."""
    with TemporaryDirectory() as name:
        directory = Path(name)
        migrate(directory)
        db = Db(directory / schema.BOX_FILE, readers=1)
        try:
            filled = db.write_now(lambda connection: _fill(connection, now))
        finally:
            db.close()
        bring_together(directory)
        return filled, {path.name: path.read_bytes() for path in directory.iterdir()}


def _fill(db: Any, now: int) -> Filled:
    wanted = FirstAccount(
        EMAIL, passwords.hash_now(PASSWORD), organization="Ada", website="Shop", domain="shop.example"
    )
    made = first_account(db, wanted, by=By("test", now))
    _, first_secret = first_key(db, made, by=By("test", now))
    foreign = Organization(ids.new_id(), "Eve", "eve", "hobby", new_site(db, now), now)
    tenancy_rows.insert(db, foreign, "{}")

    def site(name: str, domain: str, organization_id: str = made.organization.id) -> Any:
        return create_website(db, organization_id=organization_id, name=name, domain=domain, by=By("test", now + 1))

    websites: dict[SiteName, Any] = {
        "shop": made.website,
        "blog": site("Blog", "blog.example"),
        "idle": site("Idle", "idle.example"),
        "local": site("Local", "localhost"),
        "foreign": site("Foreign", "foreign.example", foreign.id),
    }
    db.execute("update websites set is_public = 1 where domain = 'blog.example'")
    db.execute("update websites set status = 'INACTIVE' where domain = 'idle.example'")

    def key(*scopes: Scope, only: SiteName | None = None, organization_id: str = made.organization.id) -> str:
        _, secret = create_key(
            db,
            organization_id=organization_id,
            name="Key",
            scopes=scopes,
            websites=(websites[only].id,) if only else None,
            by=By("test", now),
        )
        return secret

    keys: dict[KeyName, str] = {
        "all": first_secret,
        "reading": key("read:data"),
        "tracking": key("track:events"),
        "linking": key("read:links", "write:links"),
        "restricted": key("read:data", "track:events", only="shop"),
        "elsewhere": key("read:data", "track:events", only="local"),
        "foreign": key(*SCOPES, organization_id=foreign.id),
        "revoked": key(*SCOPES),
        "expired": key(*SCOPES),
    }
    db.execute("update api_keys set revoked_at = ? where digest = ?", (now, ids.digest(keys["revoked"])))
    db.execute("update api_keys set expires_at = ? where digest = ?", (now, ids.digest(keys["expired"])))
    return Filled(
        made=made,
        foreign_organization_id=foreign.id,
        sites={name: website.id for name, website in websites.items()},
        numbers={name: website.site for name, website in websites.items()},
        keys=keys,
    )
