"""The sender and the destination of a page's events: everything that the head of a request says.

A browser sends the same head with each of its events, so its meaning is worked out once and remembered.
`PreparedSenders.prepare` works it out from the headers in its key and from no others, so a header that is not in the
key cannot change the result. A remembered sender is used only while the objects that it was made from are still in
place: the website in its directory, its settings for bots and the databases of locations. So code that changes one of
them has nothing to do here. Visitor ids are valid under the salts that they were made with, and this memory is cleared
with them.
"""

import hashlib
import secrets
from collections.abc import Mapping
from functools import lru_cache, partial
from itertools import repeat

from msgspec import Struct

from analytics_box.base import errors
from analytics_box.base.cache import BoundedCache
from analytics_box.base.translation import _
from analytics_box.ingest import visitors
from analytics_box.ingest.bot_rules import Wishes
from analytics_box.ingest.classification import Classification
from analytics_box.ingest.enrich import EventSender, EventTarget
from analytics_box.ingest.visitors import SaltFile, Salts
from analytics_box.tenants.websites.directory import TrackingTarget
from analytics_box.tenants.websites.origin_check import OriginCheck
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.address import PROXY_SECRET, network_of
from analytics_box.web.asgi import Headers, Scope
from analytics_box.web.recognition import agent
from analytics_box.web.recognition.bots import classify_headers
from analytics_box.web.recognition.geo import Geo
from analytics_box.web.recognition.language import preferred_language

MOST_BYTES = 16 << 20  # some 24,000 senders
_ENTRY = 680  # bytes that a remembered sender takes, of the usual length: about, and rather more
_USUAL, _LONGEST = 256, 512  # characters of a User-Agent: of more an entry takes more; longer ones are not remembered
_LONGEST_ORIGIN = 300
_SHARED = 4_000
# All headers that describe a sender; the headers in which a proxy may name its location are added to them.
_HEADERS = (b"user-agent", b"accept", b"accept-language", b"origin", b"sec-ch-ua", b"signature-agent", b"from")
_OF_FRONT = (b"host", b"x-forwarded-for", b"forwarded")  # by which http.front lets a request in and finds its address

_EXPOSED = b"X-Analytics-Box, X-Request-ID, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset"

_ABSENT = repeat(b"\1")  # which no header's value can contain, and no zero, which separates them

# Many senders have the same browser and send to the same website, so what they have in common is in memory once.
_agent_text = lru_cache(maxsize=_SHARED)(partial(bytes.decode, encoding="latin-1"))


class PreparedSender(Struct, frozen=True, gc=False):
    """A sender as one website sees it, the target of its events, and the identity that its limits count under.

    `address` is the client's, `cors` are headers of answers to its page. `is_usual` says that the sender's events are
    stored as a person's, and that no check of its head can fail or has to be noted. `tracked`, `wishes` and `places`
    are the objects that it was made from.
    """

    sender: EventSender
    target: EventTarget
    address: str
    cors: Headers
    is_usual: bool
    tracked: TrackingTarget
    wishes: Wishes
    places: object

    @property
    def identity(self) -> str:
        """The name under which its limits count."""
        return f"website:{self.tracked.website.id}:{self.sender.network}"


class PreparedSenders:
    """The senders of the last requests, in about `most_bytes`, by a digest of what the head of a request says.

    A digest takes a sixth of the memory of the texts, and one comparison instead of a dozen.
    """

    def __init__(
        self,
        geo: Geo,
        classification: Classification,
        salts: SaltFile,
        *,
        has_proxy_secret: bool = False,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self._geo = geo
        self._classification = classification
        self._salts = salts
        self._headers = (*_HEADERS, *geo.headers)
        self._in_key = (*self._headers, *_OF_FRONT, *((PROXY_SECRET,) if has_proxy_secret else ()))
        self._digest = hashlib.blake2b(digest_size=16, salt=secrets.token_bytes(16))  # to be copied
        self.most_bytes = most_bytes
        self.forget()
        salts.memories.append(self.forget)

    def known(self, tracked: TrackingTarget, scope: Scope, headers: Mapping[bytes, bytes]) -> PreparedSender | None:
        """The sender of this request to a website, if it is remembered and still means the same."""
        prepared = self._known.get(self._key(tracked, scope, headers))
        if (
            prepared is not None
            and prepared.tracked is tracked
            and prepared.wishes is self._classification.of(prepared.target.site)
            and prepared.places is self._geo.places
        ):
            return prepared
        return None

    def _key(self, tracked: TrackingTarget, scope: Scope, headers: Mapping[bytes, bytes]) -> bytes:
        client = scope["client"]
        digest = self._digest.copy()
        digest.update(f"{tracked.client_id.id}\0{client[0] if client else ''}\0".encode())
        digest.update(b"\0".join(map(headers.get, self._in_key, _ABSENT)))
        return digest.digest()

    def forget(self) -> None:
        """Forget all senders, with their addresses."""
        self._known: BoundedCache[bytes, PreparedSender] = BoundedCache(most_weight=self.most_bytes, weigh=_weigh)
        _agent_text.cache_clear()

    def __len__(self) -> int:
        return len(self._known)

    def prepare(
        self, tracked: TrackingTarget, scope: Scope, headers: Mapping[bytes, bytes], now: int
    ) -> PreparedSender:
        """Work out the sender of this request, whose address is known, and remember it.

        Raises Forbidden for a page or address that may not send events (wire 4.6).
        """
        known = {name: headers[name] for name in self._headers if name in headers}
        check, address, site = tracked.check, scope["address"], tracked.website.site
        target = _first_equal(target_of(tracked.website, check, admit(check, known, address)))
        wishes, places, salts = self._classification.of(site), self._geo.places, self._salts.current(now)
        sender = self._classification.classify(sender_of(self._geo, scope, known, site=site, salts=salts), site)
        prepared = PreparedSender(
            sender,
            target,
            address,
            cors(headers.get(b"origin")),
            bool(address) and not (sender.bot or target.ignored or "proxy_fault" in scope),
            tracked,
            wishes,
            places,
        )
        if len(sender.user_agent) <= _LONGEST and len(headers.get(b"origin", b"")) <= _LONGEST_ORIGIN:
            self._known.put(self._key(tracked, scope, headers), prepared)
        return prepared


@lru_cache(maxsize=_SHARED)
def _first_equal(target: EventTarget) -> EventTarget:
    return target


def _weigh(_: bytes, prepared: PreparedSender) -> int:
    return _ENTRY + max(len(prepared.sender.user_agent) - _USUAL, 0)


def cors(origin: bytes | None) -> Headers:
    """Headers of an answer to a page of this origin; none if there is none.

    Beacons with a JSON body are lost unless the origin is echoed and credentials allowed; no cookie is read. An origin
    of 64 KB is echoed, but not remembered.
    """
    if origin is None:
        return ()
    return _known_cors(origin) if len(origin) <= _LONGEST_ORIGIN else _known_cors.__wrapped__(origin)


@lru_cache(maxsize=256)
def _known_cors(origin: bytes) -> Headers:
    return (
        (b"access-control-allow-origin", origin),
        (b"access-control-allow-credentials", b"true"),
        (b"access-control-expose-headers", _EXPOSED),
        (b"vary", b"Origin"),
    )


def sender_of(
    geo: Geo, scope: Scope, headers: Mapping[bytes, bytes], *, site: int = 0, salts: Salts | None = None
) -> EventSender:
    """The sender of a request to a site whose visitor has ids under these salts. Without them it is a server with an
    API key, neither classified nor located."""
    header = headers.get(b"user-agent", b"")
    user_agent = _agent_text(header) if len(header) <= _LONGEST else header.decode("latin-1")[:1024]
    network = network_of(scope["address"])
    if salts is None:
        return EventSender(network, user_agent, agent.NOTHING, "", "", True)
    seen = agent.parse(user_agent)
    bot, name = (seen.bot, seen.bot_name) if seen.bot else classify_headers(headers)
    client = scope["client"]
    location = geo.of(network, headers, peer=client[0] if client else "")
    return EventSender(
        network,
        user_agent,
        seen,
        preferred_language(headers.get(b"accept-language", b"").decode("latin-1")),
        bot,
        False,
        name,
        *location,
        salts,
        visitors.compute_ids((salts.today, salts.yesterday), site, f"{network}\0{user_agent}"),
    )


def target_of(website: Website, check: OriginCheck, ignored: str = "") -> EventTarget:
    """A website as the place where events go."""
    return EventTarget(
        website.site,
        website.domain,
        cookieless=check.cookieless,
        ignored=ignored,
        ignored_paths=check.ignored_paths,
        budget=check.budget,
        currency=website.tracking.defaultCurrency or "",
        browser_revenue=website.tracking.browserRevenue,
    )


def admit(check: OriginCheck, headers: Mapping[bytes, bytes], address: str) -> str:
    """Return why events from this page and address are answered like others but not stored; empty if they are stored.

    Raises Forbidden for a page or an address that may not send events at all (wire 4.6).
    """
    sent = headers.get(b"origin")
    origin = sent.decode("latin-1") if sent is not None else None
    ignored = check.ignores(origin, address)
    if ignored:
        return ignored
    if not check.admits_origin(origin):
        what = "Pages of this origin" if origin is not None else "Requests without an Origin header"
        raise errors.Forbidden(
            _("{what} cannot send events for {domain}").format(what=what, domain=check.domain),
            reason="INGEST_ORIGIN_NOT_AUTHORIZED",
        )
    if not check.admits_address(address):
        raise errors.Forbidden(
            _("This address cannot send events for {domain}").format(domain=check.domain),
            reason="INGEST_IP_NOT_AUTHORIZED",
        )
    return ""
