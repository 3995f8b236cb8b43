"""The sender and the destination of a page's events: everything that the head of a request says.

A browser sends the same head with each of its events, so its meaning is worked out once and remembered.
`PreparedSenders.prepare` works it out from the headers in its key and from no others, so a header that is not in the
key cannot change the result. A remembered sender is used only while the objects that it was made from are still in
place: the website in its directory, its settings for bots and the databases of locations. So code that changes one of
them has nothing to do here. Visitor ids are valid under the salts that they were made with, and this memory is cleared
with them.
"""

from collections.abc import Mapping
from functools import lru_cache, partial

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import errors
from analytics_box.ingest import visitors
from analytics_box.ingest.bot_rules import Wishes
from analytics_box.ingest.classification import Classification
from analytics_box.ingest.enrich import EventSender, EventTarget
from analytics_box.ingest.visitors import SaltFile
from analytics_box.tenants.websites.directory import TrackingTarget
from analytics_box.tenants.websites.origin_check import OriginCheck
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.address import network_of
from analytics_box.web.asgi import Headers, Scope
from analytics_box.web.recognition import agent
from analytics_box.web.recognition.bots import classify_headers
from analytics_box.web.recognition.geo import Geo
from analytics_box.web.recognition.language import preferred_language

MOST_BYTES = 16 << 20  # some 15,000 senders
_ENTRY = 1_000  # bytes that a remembered sender takes besides its texts: about, and rather more
_LONGEST = 2_000  # bytes of a head that is worth remembering
_LONGEST_ORIGIN = 300
_SHARED, _LONGEST_SHARED = 4_000, 512
# All headers that describe a sender; the headers in which a proxy may name its location are added to them.
_HEADERS = (b"user-agent", b"accept", b"accept-language", b"origin", b"sec-ch-ua", b"signature-agent", b"from")
_OF_FRONT = (b"host", b"x-forwarded-for", b"forwarded")  # by which http.front lets a request in and finds its address

_EXPOSED = b"X-Analytics-Box, X-Request-ID, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset"

_Key = tuple[str | bytes | None, ...]

# Many senders have the same browser, so each header, and the text of a User-Agent, is in memory once.
_first_equal = lru_cache(maxsize=_SHARED)(bytes)
_agent_text = lru_cache(maxsize=_SHARED)(partial(bytes.decode, encoding="latin-1"))


class PreparedSender(Struct, frozen=True, gc=False):
    """A sender as one website sees it, the target of its events, and the identity that its limits count under.

    `address` is the client's, `cors` are headers of answers to its page. `is_usual` says that the sender's events are
    stored as a person's, and that no check of its head can fail or has to be noted. `tracked`, `wishes` and `places`
    are the objects that it was made from.
    """

    sender: EventSender
    target: EventTarget
    identity: str
    address: str
    cors: Headers
    is_usual: bool
    tracked: TrackingTarget
    wishes: Wishes
    places: object


class PreparedSenders:
    """The senders of the last requests, in about `most_bytes`.

    They are kept in two halves, like strings (store.strings): once the recent ones are many they become the older ones,
    and what was older is forgotten. Few texts of a head are the sender's alone, so equal ones are one object, which the
    sender that came with it first is charged for.
    """

    def __init__(
        self, geo: Geo, classification: Classification, salts: SaltFile, *, most_bytes: int = MOST_BYTES
    ) -> None:
        self.most_bytes = most_bytes
        self._geo = geo
        self._classification = classification
        self._salts = salts
        self._headers = (*_HEADERS, *geo.headers)
        self._in_key = (*self._headers, *_OF_FRONT)
        self._recent: dict[_Key, PreparedSender] = {}
        self._older: dict[_Key, PreparedSender] = {}
        self._bytes = 0  # of the recent ones
        salts.memories.append(self.forget)

    def known(self, tracked: TrackingTarget, scope: Scope, headers: Mapping[bytes, bytes]) -> PreparedSender | None:
        """The sender of this request to a website, if it is remembered and still means the same."""
        key = self._key(tracked, scope, headers)
        prepared = self._recent.get(key)
        if prepared is None:
            prepared = self._older.pop(key, None)
            if prepared is None:
                return None
            self._remember(key, prepared)
        if (
            prepared.tracked is tracked
            and prepared.wishes is self._classification.of(prepared.target.site)
            and prepared.places is self._geo.places
        ):
            return prepared
        return None

    def _key(self, tracked: TrackingTarget, scope: Scope, headers: Mapping[bytes, bytes]) -> _Key:
        client = scope["client"]
        return (tracked.client_id.id, client[0] if client else "", *map(headers.get, self._in_key))

    def forget(self) -> None:
        """Forget all senders, with their addresses."""
        self._recent, self._older, self._bytes = {}, {}, 0
        _first_equal.cache_clear()
        _agent_text.cache_clear()

    def __len__(self) -> int:
        return len(self._recent) + len(self._older)

    def prepare(
        self, tracked: TrackingTarget, scope: Scope, headers: Mapping[bytes, bytes], now: int
    ) -> PreparedSender:
        """Work out the sender of this request, whose address is known, and remember it.

        Raises Forbidden for a page or address that may not send events (wire 4.6).
        """
        known = {name: headers[name] for name in self._headers if name in headers}
        check, address, site = tracked.check, scope["address"], tracked.website.site
        target = target_of(tracked.website, check, admit(check, known, address))
        wishes, places, salts = self._classification.of(site), self._geo.places, self._salts.current(now)
        sender = self._classification.classify(sender_of(self._geo, scope, known, by_key=False), site)
        ids = visitors.compute_ids((salts.today, salts.yesterday), site, f"{sender.network}\0{sender.user_agent}")
        sender = replace(sender, salts=salts, ids=ids)
        prepared = PreparedSender(
            sender,
            target,
            f"website:{tracked.website.id}:{sender.network}",
            address,
            cors(headers.get(b"origin")),
            bool(address) and not (sender.bot or target.ignored or "proxy_fault" in scope),
            tracked,
            wishes,
            places,
        )
        self._remember(self._key(tracked, scope, headers), prepared)
        return prepared

    def _remember(self, key: _Key, prepared: PreparedSender) -> None:
        size = sum([len(text) for text in key if text is not None])
        if size > _LONGEST or 2 * (_ENTRY + size) > self.most_bytes:
            return
        if key not in self._recent:
            shared = tuple(
                [
                    _first_equal(text) if isinstance(text, bytes) and len(text) <= _LONGEST_SHARED else text
                    for text in key
                ]
            )
            own = sum([len(text) for text, one in zip(key, shared, strict=True) if text is not None and one is text])
            self._bytes += _ENTRY + 2 * own  # the sender repeats most of them
            key = shared
        self._recent[key] = prepared
        if 2 * self._bytes >= self.most_bytes:
            self._older, self._recent, self._bytes = self._recent, {}, 0


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


def sender_of(geo: Geo, scope: Scope, headers: Mapping[bytes, bytes], *, by_key: bool) -> EventSender:
    """The sender of a request. With an API key it is a server, neither classified nor located."""
    header = headers.get(b"user-agent", b"")
    user_agent = _agent_text(header) if len(header) <= _LONGEST_SHARED else header.decode("latin-1")[:1024]
    network = network_of(scope["address"])
    if by_key:
        return EventSender(network, user_agent, agent.NOTHING, language="", bot="", by_key=True)
    seen = agent.parse(user_agent)
    bot, name = (seen.bot, seen.bot_name) if seen.bot else classify_headers(headers)
    client = scope["client"]
    location = geo.of(network, headers, peer=client[0] if client else "")
    return EventSender(
        network=network,
        user_agent=user_agent,
        agent=seen,
        language=preferred_language(headers.get(b"accept-language", b"").decode("latin-1")),
        bot=bot,
        by_key=False,
        bot_name=name,
        country=location.country,
        region=location.region,
        city=location.city,
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
        raise errors.Forbidden(f"{what} may not send events for {check.domain}", reason="INGEST_ORIGIN_NOT_AUTHORIZED")
    if not check.admits_address(address):
        raise errors.Forbidden(
            f"This address may not send events for {check.domain}", reason="INGEST_IP_NOT_AUTHORIZED"
        )
    return ""
