"""The first and the last thing that a request meets: its id, its address, host check, headers, last refusal.

The hot paths of one table go straight from here to their handlers; everything else goes to Litestar.
"""

import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import lru_cache, partial
from hmac import compare_digest
from operator import itemgetter
from typing import NamedTuple, Protocol

from analytics_box.base import errors, ids, log
from analytics_box.base.errors import BoxError, RateLimited
from analytics_box.base.limits import Allowance, TokenBuckets
from analytics_box.base.settings import Settings
from analytics_box.base.translation import _
from analytics_box.base.urls import url_parts
from analytics_box.web import render
from analytics_box.web.address import PROXY_SECRET, canonical, client_of, network_of, networks
from analytics_box.web.asgi import App, Headers, Message, Receive, Scope, Send, respond
from analytics_box.web.body import BytesInFlight, pass_over
from analytics_box.web.proxy_watch import ProxyWatch
from analytics_box.web.route import RESOURCE
from analytics_box.web.turns import RequestTurns
from analytics_box.web.unread import PIECE, NotRead, UnreadAnswers

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
SECURITY_HEADERS = (
    (b"content-security-policy", CONTENT_SECURITY_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
)
HSTS = (b"strict-transport-security", b"max-age=31536000")
LEFT = 499  # in the access log: the client left before its answer began
CLOSE = (b"connection", b"close")  # after a flood: what else was sent ahead costs nothing then
# What an answer may say for itself instead.
_LIMITS = (b"x-ratelimit-limit", b"x-ratelimit-remaining", b"x-ratelimit-reset")
OURS = frozenset((b"x-request-id", *(name for name, _ in (*SECURITY_HEADERS, HSTS, CLOSE)), *_LIMITS))
_NAME = itemgetter(0)
FILES = "/static/"  # what pages on every host load
_ANY_KEY = (b"www-authenticate", b"Bearer")
_HOST = re.compile(rb"([0-9A-Za-z\-._~!$&'()*+,;=%]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{0,5})?")  # RFC 3986 3.2.2
_LONGEST_HOST = 262  # bytes: a name of 255, a dot and a port
LOOPBACK_NAMES = {"localhost", "127.0.0.1", "::1"}


class HotPath(NamedTuple):
    """A line of the table of hot paths: a plain ASGI function that answers without the framework.

    `path` is a whole address, `/track`, or the beginning of all that it answers, `/status/`. With `methods` any other
    method goes to the framework. A path with `own_refusals` finds a refusal of the front in scope["refused"] and
    answers it in its own shape. Other machines ask at one of `any_host`, by whichever name they know this one.
    """

    path: str
    answer: App
    is_whole: bool = True
    methods: frozenset[str] | None = None
    own_refusals: bool = False
    any_host: bool = False


class HotHosts(NamedTuple):
    """A line of the table of custom domains: the live set of their names, and the application at the root of one;
    None while its organization is closed."""

    names: Set[str]
    app_at: Callable[[str], App | None]


class Shortcut(Protocol):
    """A quick way to the answers of most requests to one address."""

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> bool:
        """Answer a POST; return False if it has to take the long way.

        What is known by then is in the scope: `headers_by_name`, `address` if the request was counted under the limit
        of its address, `body` if it was read, and `refused`.
        """


class Front:
    """The ASGI application that granian serves."""

    def __init__(
        self,
        app: App,
        *,
        paths: Iterable[HotPath],
        hosts: Sequence[HotHosts],
        limits: TokenBuckets,
        settings: Settings,
        proxies: ProxyWatch,
        turns: RequestTurns,
        shortcuts: Callable[[Headers, Callable[[Scope], None]], Mapping[str, Shortcut]] | None = None,
    ) -> None:
        """`shortcuts` gives those of event routes by their path. It gets the headers that all answers have, and the
        check of a request, which puts a refusal into the scope."""
        self._app = app
        self._paths = paths_by_folder(paths)
        self._domains = tuple(hosts)
        self._limits = limits
        self._limit = settings.limit_address
        self._turns = turns
        self._trusted = networks(settings.trusted_proxies)
        self._proxy_secret = settings.proxy_secret.encode()
        self._proxies = proxies
        self._hosts = own_hosts(settings)
        self._headers = (*SECURITY_HEADERS, HSTS) if settings.secure else SECURITY_HEADERS
        self._how = challenge(settings)
        self._noted = settings.access_log == "on"
        self._shortcuts: Mapping[str, Shortcut] = {}
        if shortcuts is not None and not self._noted:
            self._shortcuts = shortcuts(self._headers, partial(self._admit, told=False))
        self._bodies = BytesInFlight(settings.max_bodies_bytes)
        self._unread = UnreadAnswers()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope["bodies"] = self._bodies
        domain = self._domain_of(scope)
        shortcut = self._shortcuts.get(scope["path"]) if domain is None and scope["method"] == "POST" else None
        try:
            if shortcut is None or not await shortcut.answer(scope, receive, send):
                await self._answer(scope, receive, send, domain)
        finally:
            self._end(scope)

    async def _answer(self, scope: Scope, receive: Receive, send: Send, domain: App | None) -> None:
        """Answer any request. `domain` serves its host, if that is its own domain."""
        request_id = ids.new_request_id()
        scope["request_id"] = request_id
        log.REQUEST_ID.set(request_id)
        status = 0
        began = time.perf_counter() if self._noted else 0.0
        head = scope["method"] == "HEAD"
        if head:
            scope["method"] = "GET"  # answered like GET, without the body
            scope["head"] = True

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                own, more = message["headers"], [(b"x-request-id", request_id.encode()), *self._headers]
                allowance = scope.get("allowance")
                if allowance is not None:
                    more += allowance_headers(allowance)
                if "flood" in scope:
                    more.append(CLOSE)
                if not OURS.isdisjoint(map(_NAME, own)):
                    said = frozenset(map(_NAME, own))
                    more = [item for item in more if item[0] not in said]
                if status == 401:
                    own = [self._how if pair == _ANY_KEY else pair for pair in own]
                message["headers"] = [*own, *more]
            elif head and message["type"] == "http.response.body":
                message = {**message, "body": b""}
            elif len(message.get("body", b"")) > PIECE:
                await self._send_long(scope, send, message)
                return
            await send(message)

        try:
            await self._serve(scope, receive, answer, domain)
        except Exception as raised:
            # Litestar wraps what its answer met in its own error.
            error = render.as_box_error(scope.get("not_read", raised))
            errors.forget_frames(raised)
            if not status:
                await refuse(answer, error, render.api_body(error, request_id))
        else:
            if status >= 400:
                await pass_over(scope, receive)
        finally:
            if self._noted:
                method = "HEAD" if head else scope["method"]
                log.note_request(method, self._shown(scope), status or LEFT, (time.perf_counter() - began) * 1000)

    def _end(self, scope: Scope) -> None:
        """Give back what a request held."""
        if "body_bytes" in scope:
            self._bodies.give_back(scope["body_bytes"])
        leave = scope.pop("leave", None)
        if leave is not None:
            leave()

    async def _send_long(self, scope: Scope, send: Send, message: Message) -> None:
        """Send a long part of an answer as fast as its client reads, which no longer needs a turn of its address."""
        if "end_turn" in scope:
            scope["end_turn"]()
        network = network_of(scope.get("address", ""))
        try:
            await self._unread.send(send, message["body"], network=network, more=message.get("more_body", False))
        except NotRead as not_read:
            scope["not_read"] = not_read
            raise

    def _shown(self, scope: Scope) -> str:
        """A request's path for the access log: of addresses that hold ids and tokens, what they are made after."""
        path: str = scope["path"]
        line = self._paths.get(path)
        if line is not None and line.is_whole:
            return path
        template = scope.get("path_template")
        if template:
            return str(template)
        first, more = path[1:].partition("/")[::2]
        return f"/{first}/..." if more else path

    def _domain_of(self, scope: Scope) -> App | None:
        """The application of a request's host, if that is a custom domain."""
        host = None
        for names, app_at in self._domains:
            if names:
                if host is None:
                    host = _requested_host(scope)
                if host in names and (found := app_at(host)) is not None:
                    return found
        return None

    def _hot_path(self, path: str, method: str) -> HotPath | None:
        """The line of the table for a path: that of the whole path, or that of its first folder."""
        line = self._paths.get(path) or self._paths.get(path[: path.find("/", 1) + 1])
        if line is None or not (path == line.path if line.is_whole else path.startswith(line.path)):
            return None
        return line if line.methods is None or method in line.methods else None

    async def _serve(self, scope: Scope, receive: Receive, answer: Send, domain: App | None) -> None:
        """Hand a request to its handler. Raises what they raise."""
        path = scope["path"]
        if domain is not None:
            self._admit(scope, own_host=False)
            await (self._app if path.startswith(FILES) else domain)(scope, receive, answer)
            return
        line = self._hot_path(path, scope["method"])
        if line is not None:
            # A shortcut may have let it in.
            if "address" not in scope:
                self._admit(scope, own_host=not line.any_host, told=not line.own_refusals)
            await line.answer(scope, receive, answer)
            return
        self._admit(scope)
        async with self._turns.of(network_of(scope["address"])) as scope["end_turn"]:
            await self._app(scope, receive, answer)

    def _admit(self, scope: Scope, *, own_host: bool = True, told: bool = True) -> None:
        """Check a request. Raises BoxError; without `told` it is left to the handler, in the scope: that one refuses in
        its own shape, and so that another site's page may read it."""
        if "headers_by_name" not in scope:
            scope["headers_by_name"] = dict(scope["headers"])
        try:
            self._check(scope, scope["headers_by_name"], own_host=own_host)
        except BoxError as refused:
            if told:
                raise
            scope["refused"] = refused.with_traceback(None)  # whose frames hold the scope

    def _check(self, scope: Scope, headers: dict[bytes, bytes], *, own_host: bool) -> None:
        """Set the client's address; refuse unknown hosts and floods. Raises BoxError.

        Without `own_host` the host is known to be a domain of something that this box serves.
        """
        host, name = headers.get(b"host"), b"x-forwarded-for"
        forwarded = headers.get(name)
        if forwarded is None:
            name = b"forwarded"
            forwarded = headers.get(name)
        if len(headers) < len(scope["headers"]):  # something is there twice
            if len(_all(scope, b"host")) > 1:
                raise errors.BadRequest(_("The request has more than one Host header"))
            if forwarded is not None:
                forwarded = headers[name] = b",".join(_all(scope, name))
        peer = scope["client"]
        if forwarded is None or not peer:
            address = canonical(peer[0]) if peer else ""
        else:
            client = client_of(peer[0], forwarded.decode("latin-1"), self._trusted, standard=name == b"forwarded")
            if (
                self._proxy_secret
                and client.address
                and compare_digest(headers.get(PROXY_SECRET, b""), self._proxy_secret)
            ):
                trusted = (*self._trusted, *networks((client.address,)))
                client = client_of(peer[0], forwarded.decode("latin-1"), trusted, standard=name == b"forwarded")
            address = client.address
            if client.fault is not None:
                scope["proxy_fault"] = client.fault
                self._proxies.note(client.fault)
        scope["address"] = address
        if not host:
            raise errors.BadRequest(_("The request has no Host header"))
        own_name = host_name(host)
        if own_host and self._hosts and own_name not in self._hosts:
            raise errors.MisdirectedRequest(_("This host name does not belong to this server"))
        if scope["path"] != "/health":
            try:
                self._limits.take("address", network_of(address), self._limit)
            except RateLimited:
                scope["flood"] = True
                raise


def paths_by_folder(paths: Iterable[HotPath]) -> dict[str, HotPath]:
    """The table by what is looked up: a whole path, or the first folder of a longer one. Raises ValueError if two
    lines have the same."""
    found: dict[str, HotPath] = {}
    for line in paths:
        key = line.path if line.is_whole else line.path[: line.path.index("/", 1) + 1]
        if found.setdefault(key, line) is not line:
            raise ValueError(f"Two hot paths begin with {key}")
    return found


def allowance_headers(allowance: Allowance) -> tuple[tuple[bytes, bytes], ...]:
    """Headers with the remaining allowance of the limit that a request was counted under (wire 11.2)."""
    return (
        (_LIMITS[0], b"%d" % allowance.limit),
        (_LIMITS[1], b"%d" % allowance.remaining),
        (_LIMITS[2], b"%d" % allowance.reset),
    )


def challenge(settings: Settings) -> tuple[bytes, bytes]:
    """The header of a 401 that says how to authenticate, and where that is described (wire 3.4, RFC 9728)."""
    return (b"www-authenticate", f'Bearer resource_metadata="{settings.public_url}{RESOURCE}"'.encode())


async def refuse(send: Send, error: BoxError, body: bytes) -> None:
    """Answer with a refusal, from outside Litestar."""
    await respond(send, error.status, render.header_list(error), body)


def own_hosts(settings: Settings) -> frozenset[str]:
    """The host names that this box answers to; none means any, as long as no address is configured."""
    configured = {
        (url_parts(url).hostname or "").removesuffix(".") for url in (settings.base_url, settings.ingest_url) if url
    }
    return frozenset(configured | LOOPBACK_NAMES) if configured else frozenset()


def _all(scope: Scope, name: bytes) -> list[bytes]:
    return [value for given, value in scope["headers"] if given == name]


def _requested_host(scope: Scope) -> str:
    """The host that a request names, as it is to be looked up; empty for none. What is wrong with it is told later."""
    given: bytes = next((value for name, value in scope["headers"] if name == b"host"), b"")
    return given.decode("latin-1").partition(":")[0].rstrip(".").lower()


@lru_cache(maxsize=1_024)
def host_name(header: bytes) -> str:
    """The name of a Host header in lower case, without its port and without the dot that may end it.

    Raises BadRequest for what is no host, such as one with a user before it (RFC 9112 3.2).
    """
    found = _HOST.fullmatch(header) if len(header) <= _LONGEST_HOST else None
    if found is None:
        raise errors.BadRequest(_("The Host header is not a host and port"))
    return found[1].decode().strip("[]").lower().removesuffix(".")
