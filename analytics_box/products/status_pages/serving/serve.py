"""Answers visitors of status pages without Litestar. Frequent answers are sent from memory."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Final, Protocol
from urllib.parse import quote

from analytics_box.base import background, errors
from analytics_box.base.clock import Clock
from analytics_box.base.errors import BoxError, RateLimited, Unavailable
from analytics_box.base.settings import Settings
from analytics_box.base.translation import _
from analytics_box.base.urls import url_parts
from analytics_box.products.status_pages.directory import StatusPages
from analytics_box.products.status_pages.page import Whole
from analytics_box.products.status_pages.seen import PageSeen
from analytics_box.products.status_pages.serving import making
from analytics_box.products.status_pages.serving.kept import (
    CachedAnswer,
    HeaderList,
    Key,
    RenderedAnswer,
    Shelf,
    send_kept,
)
from analytics_box.products.status_pages.serving.making import HTML, NO_INDEX, Maker
from analytics_box.products.status_pages.subscribers import public
from analytics_box.products.status_pages.subscribers.public import Reply, SubscriptionVisit, is_for_us
from analytics_box.tenants.accounts.locks import Locks, basic_password
from analytics_box.web.address import network_of
from analytics_box.web.asgi import App, Receive, Scope, Send, respond
from analytics_box.web.turns import RequestTurns

_UNKNOWN = (
    _("Page not found"),
    _("There is no status page with this URL on this server."),
    _("Check the URL, or ask the person who sent it to you."),
)
_MISSING = (_("Page not found"), _("There is nothing at this address, or it has moved."))


PREFIX: Final = "/status/"
FILES: Final = "files/"
_MINUTE: Final = 60_000
_NOT_STORED: Final = (b"cache-control", b"private, no-store")
_METHODS: Final = "GET, HEAD, OPTIONS"
_FORM_METHODS: Final = "GET, HEAD, OPTIONS, POST"
_OUR_OWN: Final = {b"same-origin", b"none"}
_FOR_EVER: Final = (b"cache-control", b"public, max-age=31536000, immutable")
_PREFLIGHT: Final = (
    (b"access-control-allow-methods", _METHODS.encode()),
    (b"access-control-allow-headers", b"authorization, if-none-match"),
    (b"access-control-max-age", b"86400"),
)
_HEALTHY: Final = b'{"status":"ok"}'
_ROBOTS: Final = {True: b"User-agent: *\nAllow: /\n", False: b"User-agent: *\nDisallow: /\n"}

Files = Callable[[str, str], Awaitable[tuple[bytes, str] | None]]  # ids of page and picture → its bytes and type


class CurrentPages(Protocol):
    """The source of the current state of pages."""

    async def of(self, whole: Whole) -> PageSeen:
        """Return the page as visitors see it."""


class SubscriptionHandler(Protocol):
    """The handler of visitors' subscription requests."""

    async def answer(self, whole: Whole, seen: PageSeen, visit: SubscriptionVisit) -> Reply:
        """Answer a visitor of a page."""


class StatusPageServer:
    """Answers requests for status pages."""

    def __init__(
        self,
        *,
        pages: StatusPages,
        snapshots: CurrentPages,
        maker: Maker,
        files: Files,
        subscriptions: SubscriptionHandler,
        locks: Locks,
        clock: Clock,
        settings: Settings,
        render: making.Render,
        turns: RequestTurns,
    ) -> None:
        self._pages = pages
        self._snapshots = snapshots
        self._maker = maker
        self._files = files
        self._subscriptions = subscriptions
        self._locks = locks
        self._clock = clock
        self._settings = settings
        self._render = render
        self._turns = turns
        self._making: dict[tuple[Key, str], asyncio.Task[CachedAnswer | None]] = {}
        self.shelf = Shelf()

    def forget(self) -> None:
        """Forget the networks of visitors."""
        self._locks.wrong.sweep()

    def app_at(self, host: str) -> App | None:
        """The application of the page on this custom domain; None if no page has it."""
        whole = self._pages.by_domain(host)
        return partial(self._at_root, whole) if whole is not None else None

    async def under_prefix(self, scope: Scope, receive: Receive, send: Send) -> None:
        """/status/{slug}/… on the box's own hosts."""
        slug, _rest, rest = scope["path"][len(PREFIX) :].partition("/")
        whole = self._pages.by_slug(slug.lower())
        if whole is None:
            if making.is_for_programs(rest):
                raise errors.NotFound(_("There is no status page at this address"), headers=_everywhere())
            async with self._turns.of(network_of(scope["address"])):
                page = self._render("error.html", status=404, what=_UNKNOWN, request_id="", home=False)
                await respond(send, 404, [(b"content-type", HTML), NO_INDEX], page.encode())
            return
        await self._answer(whole, f"{PREFIX}{whole.page.slug}", rest, scope, receive, send)

    async def _at_root(self, whole: Whole, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request on the page's custom domain: the same paths, and the few that every host has."""
        rest = scope["path"][1:]
        match rest:
            case "health":
                await respond(send, 200, [(b"content-type", b"application/json")], _HEALTHY)
            case "robots.txt":
                await respond(
                    send, 200, [(b"content-type", b"text/plain; charset=utf-8")], _ROBOTS[whole.page.is_listed]
                )
            case "favicon.ico" if whole.page.favicon:
                await respond(send, 302, [(b"location", f"/{FILES}{whole.page.favicon}".encode())])
            case _:
                await self._answer(whole, "", rest, scope, receive, send)

    async def _answer(self, whole: Whole, base: str, rest: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Send a cached answer immediately; every other request takes one of its address's turns."""
        if rest.endswith("/"):
            rest = rest.rstrip("/")
        is_reading = scope["method"] == "GET"
        if is_reading and await self._send_known(whole, base, rest, scope, send):
            return
        async with self._turns.of(network_of(scope["address"])):
            if is_reading:
                await self._read(whole, base, rest, scope, send)
            else:
                await self._other_method(whole, base, rest, scope, receive, send)

    async def _send_known(self, whole: Whole, base: str, rest: str, scope: Scope, send: Send) -> bool:
        """Send a cached answer. Return False if there is none, or the visitor may need the password."""
        if is_for_us(rest) or rest.startswith(FILES) or (whole.page.password and not self._has_cookie(whole, scope)):
            return False
        state = self._state(whole, await self._snapshots.of(whole))
        kept = self.shelf.find((whole.page.id, base, rest), state)
        if kept is not None:
            await send_kept(send, kept, *_cache_headers(scope))
        return kept is not None

    async def _read(self, whole: Whole, base: str, rest: str, scope: Scope, send: Send) -> None:
        if is_for_us(rest):
            if not whole.page.password or rest != "subscribe" or await self._is_open(whole, rest, scope):
                await self._subscription(whole, base, rest, scope, {}, send)
            else:
                await self._ask_password(whole, base, rest, send)
        elif rest.startswith(FILES):
            await self._file(whole, rest.removeprefix(FILES), scope, send)
        elif whole.page.password and not await self._is_open(whole, rest, scope):
            await self._ask_password(whole, base, rest, send)
        else:
            await self._from_memory(whole, base, rest, scope, send)

    async def _from_memory(self, whole: Whole, base: str, rest: str, scope: Scope, send: Send) -> None:
        seen = await self._snapshots.of(whole)
        newest = self._newest(whole)
        if newest is not whole:  # it may have a password now
            await self._read(newest, base, rest, scope, send)
            return
        key, state = (whole.page.id, base, rest), self._state(whole, seen)
        kept = self.shelf.find(key, state)
        if kept is None:
            kept = await self._made_once(whole, seen, key, state)
        if kept is None:
            await self._missing(seen, base, rest, send)
        else:
            await send_kept(send, kept, *_cache_headers(scope))

    def _newest(self, whole: Whole) -> Whole:
        """Return the current version of the page. Raises NotFound if it was deleted during a wait."""
        found = self._pages.find(whole.page.id)
        if found is None:
            raise errors.NotFound(_("There is no status page at this address"), headers=_everywhere())
        return found

    def _state(self, whole: Whole, seen: PageSeen) -> str:
        """The key of an answer's content: the visible state and the page's version. It also contains the current minute
        while the state is stale, because the answer says how old it is."""
        state = f"{seen.etag} {whole.page.version}"
        if seen.stale_since is None:
            return state
        return f"{state} {self._clock.now() // _MINUTE}"

    async def _made_once(self, whole: Whole, seen: PageSeen, key: Key, state: str) -> CachedAnswer | None:
        """Build an answer once for all requests that wait for it, even if the first of them disconnects."""
        task = self._making.get((key, state))
        if task is None:
            task = asyncio.get_running_loop().create_task(self._make(whole, seen, key, state))
            self._making[key, state] = task
            task.add_done_callback(partial(self._is_made, key, state))
        return await asyncio.shield(task)

    def _is_made(self, key: Key, state: str, task: asyncio.Task[CachedAnswer | None]) -> None:
        del self._making[key, state]
        background.retrieve_exception(task)

    async def _make(self, whole: Whole, seen: PageSeen, key: Key, state: str) -> CachedAnswer | None:
        made = await self._maker.make(whole, seen, *key[1:])
        return self.shelf.keep(key, made, state) if made is not None else None

    async def _missing(self, seen: PageSeen, base: str, rest: str, send: Send) -> None:
        if making.is_for_programs(rest):
            raise errors.NotFound(_("This address does not exist on the status page"), headers=_everywhere())
        await self._page(send, "note", seen, base, status=404, what=_MISSING)

    async def _file(self, whole: Whole, digest: str, scope: Scope, send: Send) -> None:
        """Send an image of the page, without a password: the password form shows it, and digests are secret."""
        key = (whole.page.id, "", f"{FILES}{digest}")
        kept = self.shelf.find(key, digest)
        if digest not in {whole.page.logo, whole.page.favicon}:
            kept = None
        elif kept is None and (found := await self._files(whole.page.id, digest)) is not None:
            content, kind = found
            kept = self.shelf.keep(key, RenderedAnswer(content, kind.encode(), (_FOR_EVER, *making.EVERYWHERE)), digest)
        if kept is None:
            raise errors.NotFound(_("This file does not exist on the status page"), headers=_everywhere())
        await send_kept(send, kept, b"", _cache_headers(scope)[1])

    # Other methods

    async def _other_method(
        self, whole: Whole, base: str, rest: str, scope: Scope, receive: Receive, send: Send
    ) -> None:
        takes_form = is_for_us(rest) or (bool(whole.page.password) and not making.is_for_programs(rest))
        methods = _FORM_METHODS if takes_form else _METHODS
        if scope["method"] == "OPTIONS":
            headers: HeaderList = [(b"allow", methods.encode())]
            if making.is_for_programs(rest):
                headers += [*making.EVERYWHERE, *_PREFLIGHT]
            await respond(send, 204, headers)
        elif scope["method"] != "POST" or not takes_form:
            allowed = {"Allow": methods, **(_everywhere() if making.is_for_programs(rest) else {})}
            raise errors.MethodNotAllowed(_("Status pages accept GET and HEAD"), headers=allowed)
        else:
            form = await public.read_form(scope, receive, seconds=self._settings.body_seconds)
            await self._form(self._newest(whole), base, rest, scope, form, send)

    async def _form(
        self, whole: Whole, base: str, rest: str, scope: Scope, form: Mapping[str, str], send: Send
    ) -> None:
        if whole.page.password and not rest.startswith("subscription/") and not await self._is_open(whole, rest, scope):
            await self._enter(whole, base, rest, scope, form, send)
        elif is_for_us(rest):
            await self._subscription(whole, base, rest, scope, form, send)
        else:  # The password was sent again by a visitor who had already entered it.
            await respond(send, 303, [(b"location", _path(base, rest)), _NOT_STORED])

    async def _subscription(
        self, whole: Whole, base: str, rest: str, scope: Scope, form: Mapping[str, str], send: Send
    ) -> None:
        seen = await self._snapshots.of(whole)
        newest = self._newest(whole)
        if newest is not whole:
            if scope["method"] == "GET":
                await self._read(newest, base, rest, scope, send)
            else:
                await self._form(newest, base, rest, scope, form, send)
            return
        method: Any = scope["method"]
        visit = SubscriptionVisit(method, rest, network_of(scope["address"]), form, _is_foreign(scope))
        reply = await self._subscriptions.answer(whole, seen, visit)
        if reply.location:
            await respond(send, 303, [(b"location", f"{base}{reply.location}".encode("ascii")), _NOT_STORED])
            return
        page = self._maker.page(reply.template.removeprefix("status/").removesuffix(".html"), seen, base, reply=reply)
        await _send_page(send, page, status=reply.status)

    # Protected pages

    async def _is_open(self, whole: Whole, rest: str, scope: Scope) -> bool:
        """Return whether a visitor of a protected page has its password. Raises RateLimited and Unavailable, and
        AuthRequired for programs."""
        if self._has_cookie(whole, scope):
            return True
        given = next((basic_password(value) for name, value in scope["headers"] if name == b"authorization"), None)
        try:
            if given is not None and await self._locks.opens(whole.page, given, network_of(scope["address"])):
                return True
        except (RateLimited, Unavailable) as refused:
            refused.headers.update(_everywhere())
            raise
        if making.is_for_programs(rest) or given is not None:
            how = {"WWW-Authenticate": 'Basic realm="status page", charset="UTF-8"', **_everywhere()}
            raise errors.AuthRequired(
                _("This status page requires a password. Send it with HTTP Basic authentication"), headers=how
            )
        return False

    def _has_cookie(self, whole: Whole, scope: Scope) -> bool:
        return any(name == b"cookie" and self._locks.has_cookie(whole.page, value) for name, value in scope["headers"])

    async def _enter(
        self, whole: Whole, base: str, rest: str, scope: Scope, form: Mapping[str, str], send: Send
    ) -> None:
        """Check the posted password of a protected page."""
        try:
            is_right = await self._locks.opens(whole.page, form.get("password", ""), network_of(scope["address"]))
        except (RateLimited, Unavailable) as refused:
            await self._ask_password(
                whole,
                base,
                rest,
                send,
                wrong=_("Too many attempts. Wait a minute and try again."),
                refused=refused,
            )
            return
        if not is_right:
            await self._ask_password(whole, base, rest, send, wrong=_("Incorrect password. Try again."))
            return
        cookie = (b"set-cookie", self._locks.set_cookie(whole.page, base))
        await respond(send, 303, [(b"location", _path(base, rest)), cookie, _NOT_STORED])

    async def _ask_password(
        self, whole: Whole, base: str, rest: str, send: Send, *, wrong: str = "", refused: BoxError | None = None
    ) -> None:
        seen = await self._snapshots.of(whole)
        status = refused.status if refused is not None else 403 if wrong else 200
        headers = refused.headers if refused is not None else {}
        more = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        back = _path(base, rest).decode()
        await _send_page(
            send, self._maker.page("password", seen, base, back=back, wrong=wrong), status=status, more=more
        )

    async def _page(
        self, send: Send, template: str, seen: PageSeen, base: str, *, status: int, **context: object
    ) -> None:
        await _send_page(send, self._maker.page(template, seen, base, **context), status=status)


async def _send_page(send: Send, page: str, *, status: int, more: HeaderList | None = None) -> None:
    await respond(send, status, [(b"content-type", HTML), _NOT_STORED, NO_INDEX, *(more or [])], page.encode())


def _path(base: str, rest: str) -> bytes:
    """The requested path, always on this host: two slashes would start the name of another one."""
    return quote(f"{base}/{rest.lstrip('/')}".rstrip("/") or "/").encode()


def _cache_headers(scope: Scope) -> tuple[bytes, bytes | None]:
    """The accepted content codings, and the tags in If-None-Match."""
    accepted, known = b"", None
    for name, value in scope["headers"]:
        if name == b"accept-encoding":
            accepted = value
        elif name == b"if-none-match":
            known = value
    return accepted, known


def _everywhere() -> dict[str, str]:
    return {name.decode(): value.decode() for name, value in making.EVERYWHERE}


def _is_foreign(scope: Scope) -> bool:
    """Return whether a browser names another website as the sender of a form."""
    headers = dict(scope["headers"])
    site, origin = headers.get(b"sec-fetch-site"), headers.get(b"origin")
    if site is not None:
        return site not in _OUR_OWN
    return origin is not None and url_parts(origin.decode("latin-1")).netloc.encode() != headers.get(b"host")
