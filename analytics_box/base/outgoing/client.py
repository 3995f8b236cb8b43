"""The one client that asks the outside on behalf of people: webhooks, monitors, metadata (security: outgoing requests).

HTTP is here; a connection that is not HTTP, a TLS handshake, a question to name servers and a ping are in `talk`,
`handshake`, `records` and `ping`, which reach nothing but what this client has vetted.

A name is resolved once, all its addresses are vetted, and one of exactly these is dialled; SNI and Host carry the
name. The same happens again at each redirect. Proxies in the environment are never used.

Other hosts never get them, whatever `Domain` says, and nothing is kept beyond the request.
"""

import re
import ssl
import time
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.cache import BoundedCache
from analytics_box.base.outgoing.addresses import Address, Fence
from analytics_box.base.outgoing.certificate import tls_context
from analytics_box.base.outgoing.connection import within
from analytics_box.base.outgoing.failures import BadAnswer
from analytics_box.base.outgoing.fences import Fences, RequestAsker, fences
from analytics_box.base.outgoing.messages import (
    OTHERS,
    Header,
    Outgoing,
    ReceivedAnswer,
    RequestCourse,
    RequestPhases,
    Share,
    ms,
)
from analytics_box.base.outgoing.resolve import Resolver, resolver
from analytics_box.base.outgoing.target import HostPort, RequestTarget, redirect_target, target
from analytics_box.base.settings import Settings
from analytics_box.base.translation import _

_MOST: Final = 50  # of one chain; later ones replace the oldest
_LONGEST: Final = 4_096  # characters of a name with its value
_MOST_CHARACTERS: Final = 8_192  # of one Cookie header
_PLAIN = re.compile(r"[ -:<-~]*\Z")  # ASCII without control characters and `;`


class _Cookie(Struct, frozen=True):
    name: str
    value: str
    host: str
    path: str
    is_secure: bool


class Cookies:
    """The cookies that were set so far."""

    def __init__(self) -> None:
        self._kept: BoundedCache[tuple[str, str, str], _Cookie] = BoundedCache(_MOST)

    def hear(self, target: RequestTarget, headers: tuple[Header, ...]) -> None:
        """Apply the cookies that the answer of this target sets and removes."""
        for name, value in headers:
            if name == "set-cookie":
                self._set(target, value)

    def headers(self, target: RequestTarget, given: tuple[Header, ...]) -> tuple[Header, ...]:
        """The headers of a request to this target, with its cookies; a given one of the same name is left out."""
        found = {cookie.name: cookie.value for _, cookie in self._kept.items() if _is_for(cookie, target)}
        if not found:
            return given
        before = [pair.strip() for name, value in given if name.lower() == "cookie" for pair in value.split(";")]
        pairs = [pair for pair in before if pair and pair.partition("=")[0].strip() not in found]
        length = sum(map(len, pairs))
        for name, value in found.items():
            length += len(name) + len(value) + 3
            if length <= _MOST_CHARACTERS:
                pairs.append(f"{name}={value}")
        others = tuple(header for header in given if header[0].lower() != "cookie")
        return (*others, ("Cookie", "; ".join(pairs)))

    def _set(self, target: RequestTarget, text: str) -> None:
        pair, *attributes = text.split(";", 20)
        name, equals, value = (part.strip() for part in pair.partition("="))
        if not equals or not name or len(pair) > _LONGEST or not _PLAIN.match(name + value):
            return
        said = {key.strip().lower(): given.strip() for key, _, given in (one.partition("=") for one in attributes)}
        is_secure = "secure" in said
        if is_secure and target.scheme != "https":
            return
        path = said.get("path", "")
        if not path.startswith("/"):
            # The default is up to the last slash of the address that sets the cookie.
            path = target.path.partition("?")[0].rpartition("/")[0] or "/"
        place = (name, target.host, path)
        if _has_ended(said):
            self._kept.drop(place)
        else:
            self._kept.put(place, _Cookie(name, value, target.host, path, is_secure))


def _is_for(cookie: _Cookie, target: RequestTarget) -> bool:
    path = target.path.partition("?")[0]
    fits = path == cookie.path or path.startswith(cookie.path if cookie.path.endswith("/") else f"{cookie.path}/")
    return fits and cookie.host == target.host and (target.scheme == "https" or not cookie.is_secure)


def _has_ended(said: dict[str, str]) -> bool:
    """Whether the cookie is set only to be removed. `Max-Age` goes before `Expires`."""
    age = said.get("max-age", "")
    if age.removeprefix("-").isdecimal() and age.isascii():
        return age.startswith("-") or not age.strip("0")
    try:
        return parsedate_to_datetime(said.get("expires", "").replace("-", " ")[:40]).timestamp() <= time.time()
    except (ValueError, OverflowError):
        return False


REDIRECTS: Final = 5  # unless the ask says otherwise
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_HARMLESS: Final = frozenset({"accept", "accept-encoding", "accept-language", "user-agent"})  # may go to another origin


class OutgoingRequest(Struct, frozen=True):
    """A request. `seconds` is for everything, redirects included; bodies beyond the caps are cut, not refused.

    `redirects` of 0 gives back the redirecting answer itself. Without `verify` any certificate will do. Without `keep`
    the body is read and counted, and not given back; as is what `share` has no room for.
    """

    url: str
    method: str = "GET"
    headers: tuple[Header, ...] = ()
    body: bytes = b""
    seconds: float = 10.0
    redirects: int = REDIRECTS
    body_bytes: int = 1_048_576
    decoded_bytes: int = 4_194_304
    keep: bool = True
    share: Share | None = None
    verify: bool = True


class OutgoingAnswer(Struct, frozen=True):
    """An answer. `address` is the one that was dialled, `phases` those of the last request; `total` is in ms.

    Header names are in lower case. `size` is what the body had before it was unpacked; a body that cannot be unpacked
    is empty and not complete, and `unreadable` says why. `certificate_expires_at` is UTC
    ms, of the certificate that ends first if redirects led past several. `url` is where the answer came from: it may
    hold secrets of the user who entered the address.
    """

    status: int
    headers: tuple[Header, ...]
    body: bytes
    size: int
    complete: bool
    url: str
    redirects: int
    address: str
    certificate_expires_at: int | None
    phases: RequestPhases
    total: float
    unreadable: str = ""

    def header(self, name: str) -> str:
        """The last header of this name; empty if there is none."""
        return next((value for key, value in reversed(self.headers) if key == name), "")


class Trust:
    """The context that checks certificates. `given` replaces the system's certificate authorities."""

    def __init__(self, given: ssl.SSLContext | None = None) -> None:
        self._given = given

    @cached_property
    def verifying(self) -> ssl.SSLContext:
        """Accepts certificates that an authority vouches for."""
        return self._given or tls_context()

    @cached_property
    def accepting(self) -> ssl.SSLContext:
        """Accepts any certificate."""
        context = tls_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        return context


class Client:
    """Makes requests for one asker, whose fence it has. `Clients` hands them out."""

    def __init__(self, fence: Fence, resolver: Resolver, *, agent: str, trust: Trust | None = None) -> None:
        self.fence = fence
        self.resolver = resolver
        self._agent = agent
        self._trust = trust or Trust()

    async def fetch(self, ask: OutgoingRequest, course: RequestCourse | None = None) -> OutgoingAnswer:
        """Ask, following redirects. How far it came is in `course`. Raises Failed."""
        course = RequestCourse() if course is None else course
        self.prepare(ask)
        began = time.perf_counter()
        async with within(ask.seconds):
            place, expires, received = await self._follow(ask, course)
        return OutgoingAnswer(
            status=received.status,
            headers=received.headers,
            body=received.body,
            size=received.size,
            complete=received.complete,
            url=place.url,
            redirects=course.redirects,
            address=course.address,
            unreadable=received.unreadable,
            certificate_expires_at=expires,
            phases=course.phases,
            total=max(0.0, ms(began, received.ended) - course.waited),
        )

    async def vet(self, place: HostPort | RequestTarget, course: RequestCourse | None = None) -> tuple[Address, ...]:
        """The addresses that may be dialled for it, resolved once; any bad one refuses the name. Raises Failed."""
        self.fence.check_port(place.port)
        address = place.address
        if address is not None:
            return (self.fence.check(address, place.port),)
        began = time.perf_counter()
        found = await self.resolver.addresses(place.host, course.group if course is not None else OTHERS)
        if course is not None:
            course.phases.dns = ms(began)
        return tuple(self.fence.check(address, place.port) for address in found)

    def trust(self, *, verify: bool) -> ssl.SSLContext:
        """The rules for accepting a certificate; without `verify` any is accepted."""
        return self._trust.verifying if verify else self._trust.accepting

    def prepare(self, ask: OutgoingRequest) -> None:
        """Load what the first request needs, before any clock runs."""
        import analytics_box.base.outgoing.exchange  # noqa: F401, PLC0415  # half a megabyte, where nothing is asked

        if ask.url.startswith("https:"):
            self.trust(verify=ask.verify)

    async def _follow(
        self, ask: OutgoingRequest, course: RequestCourse
    ) -> tuple[RequestTarget, int | None, ReceivedAnswer]:
        outgoing = Outgoing(
            method=ask.method,
            target=target(ask.url),
            headers=_with_defaults(ask.headers, self._agent),
            body=ask.body,
            body_bytes=ask.body_bytes,
            decoded_bytes=ask.decoded_bytes,
            keep=ask.keep,
            share=ask.share,
        )
        ends: list[int] = []
        cookies = Cookies()
        while True:
            headers = cookies.headers(outgoing.target, outgoing.headers)
            received = await self._once(replace(outgoing, headers=headers), course, verify=ask.verify)
            cookies.hear(outgoing.target, received.headers)
            if received.certificate_expires_at is not None:
                ends.append(received.certificate_expires_at)
            location = next((value for name, value in received.headers if name == "location"), "")
            if received.status not in _REDIRECTS or not location or not ask.redirects:
                return outgoing.target, min(ends, default=None), received
            if course.redirects == ask.redirects:
                raise BadAnswer(_("More than {redirects} redirects").format(redirects=ask.redirects))
            course.redirects += 1
            outgoing = _next(outgoing, received.status, redirect_target(outgoing.target, location))

    async def _once(self, outgoing: Outgoing, course: RequestCourse, *, verify: bool) -> ReceivedAnswer:
        course.phases, course.address = RequestPhases(), ""
        addresses = await self.vet(outgoing.target, course)
        trust = self.trust(verify=verify) if outgoing.target.scheme == "https" else None
        from analytics_box.base.outgoing.exchange import exchange  # noqa: PLC0415  # see prepare

        return await exchange(outgoing, addresses, trust, course)


class Clients:
    """The only source of clients: each is for an asker, and reaches what that asker may reach."""

    def __init__(self, fences: Fences, resolver: Resolver, *, agent: str, trust: Trust | None = None) -> None:
        self.fences = fences
        self.resolver = resolver
        self._agent = agent
        self._trust = trust or Trust()

    def of(self, asker: RequestAsker) -> Client:
        """The client for requests on behalf of this asker."""
        return Client(self.fences.of(asker), self.resolver, agent=self._agent, trust=self._trust)


def clients(settings: Settings, *, agent: str) -> Clients:
    """The clients of these settings. Raises SettingsError."""
    return Clients(fences(settings), resolver(settings), agent=agent)


def _with_defaults(headers: tuple[Header, ...], agent: str) -> tuple[Header, ...]:
    given = {name.lower() for name, _ in headers}
    defaults = (("User-Agent", agent), ("Accept", "*/*"), ("Accept-Encoding", "gzip"))
    return headers + tuple((name, value) for name, value in defaults if name.lower() not in given)


def _next(before: Outgoing, status: int, place: RequestTarget) -> Outgoing:
    """The request that a redirect asks for. Another origin gets nothing that might be a secret. Raises BadAnswer."""
    becomes_get = (status == 303 and before.method != "HEAD") or (status in {301, 302} and before.method == "POST")
    headers = before.headers
    if place.origin != before.target.origin:
        if before.body and not becomes_get:
            raise BadAnswer(_("The response redirects a request with a body to another server"))
        headers = tuple(header for header in headers if header[0].lower() in _HARMLESS)
    if becomes_get:
        headers = tuple(header for header in headers if not header[0].lower().startswith("content-"))
    method, body = ("GET", b"") if becomes_get else (before.method, before.body)
    return replace(before, method=method, target=place, headers=headers, body=body)
