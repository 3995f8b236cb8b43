"""Status pages behind the front of the box, with what is known of them told by the test."""

import asyncio
import base64
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from analytics_box.app.parts import web_dir
from analytics_box.base.errors import Unavailable
from analytics_box.base.limits import TokenBuckets
from analytics_box.base.settings import Settings
from analytics_box.base.store.seal import Seal
from analytics_box.products.status_pages.directory import StatusPages
from analytics_box.products.status_pages.page import Whole, new_page
from analytics_box.products.status_pages.seen import IncidentSeen, PageSeen
from analytics_box.products.status_pages.serving.making import Maker
from analytics_box.products.status_pages.serving.serve import StatusPageServer
from analytics_box.products.status_pages.subscribers.public import Reply, SubscriptionVisit
from analytics_box.tenants.accounts.locks import Locks
from analytics_box.tenants.accounts.passwords import Passwords, hash_now
from analytics_box.web.asgi import Receive, Scope, Send, respond
from analytics_box.web.front import Front, HotHosts, HotPath
from analytics_box.web.page import assets
from analytics_box.web.page.templates import Pages
from analytics_box.web.proxy_watch import ProxyWatch
from analytics_box.web.turns import RequestTurns
from tests.inprocess import Answer, FixedClock
from tests.products.status_pages.serving.examples import BUSY, NOW

PASSWORD = "open sesame"
HASHED = hash_now(PASSWORD)
DOMAIN = "status.acme.example"
PICTURE = b"\x89PNG a logo"
PAGE = new_page(id=BUSY.id, organization_id="organization-1", slug=BUSY.slug, name=BUSY.name, zone=BUSY.zone, version=1)

ASSETS = assets.Assets(web_dir() / "static")
PAGES = Pages(web_dir() / "templates", ASSETS)


class Known:
    """What is known of the page: a test sets `seen`. `looks` counts how often somebody asked."""

    def __init__(self) -> None:
        self.seen: PageSeen = BUSY
        self.earlier: Sequence[IncidentSeen] | None = ()
        self.looks = 0
        self.meanwhile: Callable[[], None] | None = None  # what happens while somebody waits for it
        self.reads = self.at_once = self.most_at_once = 0  # of box.db
        self.visits: list[SubscriptionVisit] = []
        self.reply = Reply(title="Subscribe", text="Here")

    async def of(self, _: Whole) -> PageSeen:
        self.looks += 1
        if self.meanwhile is not None:
            self.meanwhile()
        return self.seen

    async def between(self, _: Whole, start: int, end: int, skipped: int, most: int) -> Sequence[IncidentSeen]:
        await self._read()
        if self.earlier is None:
            raise Unavailable("The box is busy")
        found = (*self.seen.incidents, *self.seen.maintenances, *self.earlier)
        inside = [one for one in found if start <= one.started_at < end]
        return sorted(inside, key=lambda one: (-one.started_at, -one.created_at, one.id))[skipped : skipped + most]

    async def find(self, _: Whole, incident_id: str) -> IncidentSeen | None:
        await self._read()
        if self.earlier is None:
            raise Unavailable("The box is busy")
        return next((one for one in self.earlier if one.id == incident_id), None)

    async def _read(self) -> None:
        self.reads += 1
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        for _ in range(5):
            await asyncio.sleep(0)  # others have their turn, as while a database reads
        self.at_once -= 1

    async def answer(self, _: Whole, __: PageSeen, visit: SubscriptionVisit) -> Reply:
        self.visits.append(visit)
        if visit.method == "POST":
            return Reply(status=303, location="/subscription/secret")
        return self.reply


class World:
    """A page at /status/acme, and what answers for it."""

    def __init__(self, directory: Path, settings: Settings | None = None) -> None:
        self.clock = FixedClock(NOW)
        self.address = "203.0.113.7"  # of who asks
        self.passwords = Passwords()
        self.before_body: Callable[[], None] | None = None  # what happens while somebody sends a form
        self.known = Known()
        self.pages = StatusPages([Whole(PAGE)])
        self.files_asked = 0
        settings = settings or Settings(data_dir=directory)
        limits, turns = TokenBuckets(self.clock), RequestTurns(settings.max_requests_address)
        self.serving = StatusPageServer(
            pages=self.pages,
            snapshots=self.known,
            maker=Maker(PAGES.text, self.known.between, self.known.find, self.clock),
            files=self._file,
            subscriptions=self.known,
            locks=Locks(
                "status", Seal(directory / "secret.key"), self.passwords, limits, self.clock, secure=settings.secure
            ),
            clock=self.clock,
            settings=settings,
            render=PAGES.text,
            turns=turns,
        )
        self.front = Front(
            _nothing,
            paths=(HotPath("/status/", self.serving.under_prefix, is_whole=False),),
            hosts=(HotHosts(self.pages.domains(), self.serving.app_at),),
            limits=limits,
            settings=settings,
            proxies=ProxyWatch(self.clock),
            turns=turns,
        )
        self._runner = asyncio.Runner()

    def change(self, **fields: Any) -> None:
        """Other fields of the page."""
        whole = self.pages.find(PAGE.id)
        assert whole is not None
        self.pages.remember(Whole(replace(whole.page, version=whole.page.version + 1, **fields)))

    def get(self, path: str = "", **headers: str) -> Answer:
        """GET below /status/acme, or a whole path."""
        return self.ask("GET", path, headers)

    def ask(self, method: str, path: str, headers: Mapping[str, str] | None = None, body: bytes = b"") -> Answer:
        """One request; header names are given with underscores."""
        return self._runner.run(self._exchange(self._scope(method, path, headers or {}), body))

    def together(self, *paths: str, **headers: str) -> list[Answer]:
        """GET of all of these at the same time."""

        async def all_of_them() -> list[Answer]:
            return await asyncio.gather(*(self._exchange(self._scope("GET", path, headers), b"") for path in paths))

        return self._runner.run(all_of_them())

    def _scope(self, method: str, path: str, headers: Mapping[str, str]) -> Scope:
        sent = {"host": "localhost", **headers}
        return {
            "type": "http",
            "method": method,
            "scheme": "http",
            "path": path if path.startswith("/") else f"/status/acme/{path}".rstrip("/"),
            "query_string": b"",
            "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in sent.items()],
            "client": (self.address, 40_000),
        }

    async def _exchange(self, scope: Scope, body: bytes) -> Answer:
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            if self.before_body is not None:
                self.before_body()
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        await self.front(scope, receive, send)
        headers = {name.decode(): value.decode("latin-1") for name, value in reversed(sent[0]["headers"])}
        return Answer(sent[0]["status"], headers, b"".join(message.get("body", b"") for message in sent[1:]))

    async def _file(self, _: str, digest: str) -> tuple[bytes, str] | None:
        self.files_asked += 1
        return (PICTURE, "image/png") if digest == "abc123" else None

    def close(self) -> None:
        self._runner.close()


def basic(password: str) -> str:
    """An Authorization header."""
    return f"Basic {base64.b64encode(f'anybody:{password}'.encode()).decode()}"


async def _nothing(scope: Scope, receive: Receive, send: Send) -> None:
    await respond(send, 404, [], b"the framework")
