"""Live updates of a website's open pages: the number of current visitors, and whether there is something new to fetch.

GET /live/{website}, a stream past the web framework, or repeatedly GET /sites/{website}/live. Both need a signed-in
person who may read the website. A stream checks that again before each message.
"""

import asyncio
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct

from analytics_box.base import errors, figures
from analytics_box.base.clock import Clock
from analytics_box.base.identity import SignedInPerson
from analytics_box.base.settings import Settings
from analytics_box.base.store.db import Db
from analytics_box.base.translation import _
from analytics_box.ingest.arrivals import Arrivals
from analytics_box.query.presence import Presence
from analytics_box.tenants.accounts.sign_in import SignIns
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.address import network_of
from analytics_box.web.asgi import Receive, Scope, Send, cookie, respond
from analytics_box.web.streams import BEAT, HEADERS, PING, EventStream, EventStreams, StreamPace

PREFIX: Final = "/live/"
MOST_OF_SESSION: Final = 3  # a browser has six connections to a server that speaks HTTP/1.1: pages need the others
MOST_OF_ACCOUNT: Final = 12
_PAUSE, _LOOK = 2.0, 5.0  # seconds: between two events of one stream; after which who is there is counted again
_FRESH: Final = 2.0  # seconds for which a count is taken for that of now, at least
_SPARED: Final = 50  # times as long as counting took
_TRUSTED: Final = 60.0  # seconds until a session is looked at again although nothing was written


class LiveState(Struct, frozen=True):
    """The state sent to a page. `stored` and `missed` change as soon as there is something new to fetch."""

    online: int
    text: str
    begun: bool
    stored: int
    missed: int


class ArrivalCounts(NamedTuple):
    """The numbers of a website that differ once there is something new to ask for."""

    stored: int
    missed: int


class OnlineCount(Struct, frozen=True):
    """The current visitors, whether any event ever came, and how long this answer may be reused."""

    online: int
    begun: bool
    until: float


class Watching:
    """The number of current visitors, counted once for all open pages of a website."""

    def __init__(self, presence: Presence, arrivals: Arrivals, clock: Clock) -> None:
        self._presence = presence
        self._arrivals = arrivals
        self._clock = clock
        self._known: dict[int, OnlineCount] = {}
        self._looking: dict[int, asyncio.Task[OnlineCount]] = {}

    def heard(self, site: int) -> ArrivalCounts:
        """The arrivals so far. A page that is rendered after this contains all of them."""
        return ArrivalCounts(self._arrivals.stored(site), self._arrivals.missed(site))

    async def now(self, site: int) -> LiveState:
        """The current state for pages of this site. Raises BoxError."""
        stored, missed = self.heard(site)
        known = self._known.get(site)
        if known is None or known.until <= self._clock.monotonic() or (stored and not known.begun):
            known = await asyncio.shield(self._one_look(site, begun=known is not None and known.begun))
        return LiveState(known.online, online_text(known.online), known.begun, stored, missed)

    def _one_look(self, site: int, *, begun: bool) -> "asyncio.Task[OnlineCount]":
        """The running look, which all streams share, or a new one."""
        if site not in self._looking:
            self._looking[site] = task = asyncio.create_task(self._look(site, begun=begun))
            task.add_done_callback(lambda task: self._looked(site, task))
        return self._looking[site]

    def _looked(self, site: int, task: "asyncio.Task[OnlineCount]") -> None:
        del self._looking[site]
        if not task.cancelled():
            task.exception()  # Streams that still wait are told.

    async def _look(self, site: int, *, begun: bool) -> OnlineCount:
        began = self._clock.monotonic()
        online = (await self._presence.online((site,), self._clock.now()))[site]
        begun = begun or bool(online) or bool(await self._presence.begun((site,)))
        ended = self._clock.monotonic()
        looked = OnlineCount(online, begun, ended + max(_FRESH, _SPARED * (ended - began)))
        self._known[site] = looked
        return looked


def online_text(online: int) -> str:
    """The number of current visitors, in words."""
    return _("{count} online now").format(count=figures.count(online))


class LiveUpdates:
    """Answers GET /live/{website id}."""

    def __init__(
        self,
        watching: Watching,
        arrivals: Arrivals,
        sign_ins: SignIns,
        websites: Directory,
        box_db: Db,
        clock: Clock,
        settings: Settings,
    ) -> None:
        self._watching = watching
        self._sign_ins = sign_ins
        self._websites = websites
        self._box_db = box_db
        self._clock = clock
        ping = min(PING, settings.idle_seconds / 3)
        most = min(settings.live_streams, settings.max_connections // 4)
        of_address = min(settings.live_streams_address, settings.max_connections_address // 4 or most)
        self.streams = EventStreams(
            clock,
            lambda site, changed: arrivals.subscribe(int(site), changed),
            StreamPace(pause=_PAUSE, look=min(_LOOK, ping), ping=ping, beat=BEAT),
            most=most,
            most_of={"address": of_address, "account": MOST_OF_ACCOUNT, "session": MOST_OF_SESSION},
        )

    async def under_prefix(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Stream updates to a page until it is closed or its user loses access to the website.

        Raises AuthRequired, NotFound, Forbidden for other sites' pages, and what EventStreams.serve raises.
        """
        scope["path_template"] = f"{PREFIX}..."
        if scope["method"] != "GET":
            raise errors.MethodNotAllowed(_("Use GET"), headers={"Allow": "GET"})
        token, version, checked = self._token(scope), self._box_db.version, self._clock.monotonic()
        website_id = scope["path"][len(PREFIX) :]
        person, website = await self._admitted(token, website_id)
        headers = [*HEADERS]
        if scope.get("head"):
            await respond(send, 200, headers)
            return
        whose = {
            "address": network_of(scope["address"]),
            "account": person.user_id,
            "session": person.session.hex(),
        }
        # These would stay in memory as long as the stream.
        scope["headers"], scope["headers_by_name"], scope["query_string"] = [], {}, b""
        told: LiveState | None = None

        async def news() -> bytes | None:
            nonlocal told, version, checked
            now, moment = await self._watching.now(website.site), self._clock.monotonic()
            # Something was written: perhaps that this session has ended.
            if version != self._box_db.version or moment - checked > _TRUSTED:
                version, checked = self._box_db.version, moment
                await self._admitted(token, website_id)
            if now == told:
                return b""
            told = now
            return b"data: %b\n\n" % msgspec.json.encode(now)

        async def news_or_end() -> bytes | None:
            try:
                return await news()
            except errors.BoxError:
                return None  # The next request is told why.

        await self.streams.serve(EventStream(website.site, whose), news_or_end, receive, send, headers)

    def _token(self, scope: Scope) -> str:
        """The session that a request names. Raises Forbidden for what pages of other sites ask."""
        sent = {name: value.decode("latin-1") for name, value in scope["headers"]}
        if sent.get(b"sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
            raise errors.Forbidden(_("This request came from another site"))
        return cookie(sent.get(b"cookie", ""), self._sign_ins.cookie_name)

    async def _admitted(self, token: str, website_id: str) -> tuple[SignedInPerson, Website]:
        """The person and the website, if they can read it. Raises AuthRequired and NotFound."""
        person = await self._sign_ins.find(token) if token else None
        if person is None:
            raise errors.AuthRequired(_("Sign in to see this page"))
        website = self._websites.find(website_id)
        if website is None or person.role_in(website.organization_id) is None:
            raise errors.NotFound.of("website", website_id)
        return person, website
