"""Redirects of short URLs (wire 7.3), past Litestar: a link that is in memory is answered without any database.

The order: find the link, check its expiry, ask for its password, choose the destination, answer 304 if the browser has
it already. A request cannot change the destinations of a link; at most it adds query parameters.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Final
from zlib import crc32

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import errors
from analytics_box.base.clock import Clock
from analytics_box.base.errors import RateLimited
from analytics_box.base.facts.event import PREVIEW
from analytics_box.base.limits import TokenBuckets
from analytics_box.base.settings import Settings
from analytics_box.base.store.db import Db
from analytics_box.base.translation import _
from analytics_box.products.links import rows
from analytics_box.products.links.clicks.waiting import Clicks
from analytics_box.products.links.domains.lookup import LinkDomain, LinkDomains
from analytics_box.products.links.link import ShortLink
from analytics_box.products.links.redirects.directory import LinkDirectory
from analytics_box.products.links.redirects.live import RedirectLink
from analytics_box.products.links.redirects.observer import ClickSender, Observer, is_office
from analytics_box.products.links.slugs import PREFIX, RESERVED_ON_DOMAINS, is_slug, short_url
from analytics_box.products.links.targeting.rules import APPS, TargetChoice, address_in, choose_target, forward_query
from analytics_box.tenants.accounts.passwords import Passwords
from analytics_box.web import body
from analytics_box.web.address import network_of
from analytics_box.web.asgi import App, Receive, Scope, Send, names_tag, respond

Render = Callable[..., str]  # a template's name and its context → a page
HeaderList = list[tuple[bytes, bytes]]

_NO_INDEX: Final = (b"x-robots-tag", b"noindex")
_REVALIDATED: Final = (b"cache-control", b"private, no-cache, max-age=0")
_NOT_STORED: Final = (b"cache-control", b"private, no-store")
# The destination gets the referrer as if there were no redirect (the Fetch standard applies this header).
_REFERRER: Final = (b"referrer-policy", b"strict-origin-when-cross-origin")
_HTML: Final = (b"content-type", b"text/html; charset=utf-8")
# A form's action covers where its answer redirects to, and a protected link redirects anywhere.
_FORM_LEADS_ON: Final = (
    b"content-security-policy",
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    b"base-uri 'none'; form-action 'self' http: https:; frame-ancestors 'none'",
)


def tag_of(location: bytes) -> bytes:
    """The entity tag of a redirect to this URL."""
    return b'"%08x"' % crc32(location)


async def redirect(send: Send, status: int, location: bytes, tag: bytes) -> None:
    """Redirect to a destination; browsers revalidate each time, which the tag makes cheap."""
    headers = [(b"location", location), _REVALIDATED, (b"etag", tag), _NO_INDEX, _REFERRER]
    await respond(send, status, headers)


async def not_modified(send: Send, tag: bytes) -> None:
    """Answer that the destination is unchanged; not a click."""
    await respond(send, 304, [_REVALIDATED, (b"etag", tag), _NO_INDEX, _REFERRER])


async def fall_back(send: Send, location: str) -> None:
    """Redirect to the fallback of a link that does not work."""
    await respond(send, 302, [(b"location", location.encode("ascii")), _NOT_STORED, _NO_INDEX, _REFERRER])


async def after_password(send: Send, location: bytes) -> None:
    """Redirect to the destination with GET."""
    await respond(send, 303, [(b"location", location), _NOT_STORED, _NO_INDEX, _REFERRER])


async def note(send: Send, render: Render, what: tuple[str, str, str], *, status: int) -> None:
    """Answer with a page that says what happened and what to do."""
    page = render("error.html", status=0, what=what, request_id="", home=False)
    await _page(send, page, status=status)


async def ask_password(send: Send, render: Render, *, wrong: str = "", refused: RateLimited | None = None) -> None:
    """Answer with the form of a protected link."""
    page = render("link_password.html", wrong=wrong)
    more: HeaderList = [_FORM_LEADS_ON]
    if refused is not None:
        more += [(name.lower().encode(), value.encode()) for name, value in refused.headers.items()]
    await _page(send, page, status=429 if refused is not None else 403 if wrong else 200, more=more)


async def open_app(send: Send, render: Render, choice: TargetChoice, location: str, system: str) -> None:
    """Answer with a page that opens the app and links to the web page."""
    app = APPS[choice.app]
    address = address_in(app, location, system)
    page = render("link_app.html", app=app.name, address=address, web=location)
    await _page(send, page, status=200, more=[(b"refresh", b"0;url=" + address.encode("ascii")), _REFERRER])


async def preview(send: Send, render: Render, link: ShortLink, url: str) -> None:
    """Answer with the preview of a shared link; that of a protected link is generic."""
    name = link.og_title or link.name
    if link.password is not None:
        link = replace(link, og_title=None, og_description=None, og_image_url=None, og_video_url=None)
        name = _("Protected link")
    await _page(send, render("link_preview.html", link=link, url=url, name=name), status=200)


async def nothing(send: Send) -> None:
    """Answer 404 to bots."""
    await respond(send, 404, [(b"content-type", b"text/plain"), (b"cache-control", b"public, max-age=3600")])


async def _page(send: Send, page: str, *, status: int, more: HeaderList | None = None) -> None:
    headers: list[Any] = [_HTML, _NOT_STORED, _NO_INDEX, *(more or [])]
    await respond(send, status, headers, page.encode())


_HOME = (
    _("Short links"),
    _("This domain hosts short links only."),
    _("Enter the full address of a link."),
)
_UNKNOWN = (
    _("Link not found"),
    _("No short link exists at this address."),
    _("Check the address, or ask the sender for the correct link."),
)
_EXPIRED = (
    _("This link has expired"),
    _("Its time or click limit has been reached."),
    _("Ask the sender for a new link."),
)


PREVIEW_PATH: Final = "/preview"  # after the slug
_MOST_FORM_BYTES: Final = 4_096
_FOR_ALL: Final = 20  # times what one IP address may try of a link's password, all of them together may
_WITH_BODY: Final = ("POST", "PUT", "PATCH", "DELETE")  # POST if a link has a password, all if its redirect keeps them
_METHODS: Final = ", ".join(("GET", "HEAD", "OPTIONS", *_WITH_BODY))
_KEEP_METHOD: Final = frozenset((307, 308))
_HEALTHY: Final = b'{"status":"ok"}'


class RequestedShortUrl(Struct, frozen=True):
    """The short URL that is requested: its domain (None on the box's own host), its slug, and the path before it."""

    domain: LinkDomain | None
    slug: str
    before: str

    @property
    def host(self) -> str:
        """The name under which the link is stored."""
        return self.domain.domain if self.domain is not None else ""


class Redirects:
    """Answers requests for short URLs."""

    def __init__(
        self,
        *,
        directory: LinkDirectory,
        domains: LinkDomains,
        clicks: Clicks,
        observer: Observer,
        box_db: Db,
        passwords: Passwords,
        limits: TokenBuckets,
        clock: Clock,
        settings: Settings,
        render: Render,
    ) -> None:
        self._domains = domains
        self._directory = directory
        self._clicks = clicks
        self._observer = observer
        self._box_db = box_db
        self._passwords = passwords
        self._limits = limits
        self._clock = clock
        self._settings = settings
        self._render = render

    async def under_prefix(self, scope: Scope, receive: Receive, send: Send) -> None:
        """/l/{slug} on the box's own host."""
        await self._answer(None, scope["path"][len(PREFIX) :], PREFIX, scope, receive, send)

    def app_at(self, host: str) -> App | None:
        """The application for a domain of short links: /{slug}, and the few paths that every host has."""
        found = self._domains.find(host)
        return partial(self._at_root, found) if found is not None else None

    async def _at_root(self, domain: LinkDomain, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"][1:]
        if not path:
            if domain.home_url is not None:
                await fall_back(send, domain.home_url)
            else:
                await note(send, self._render, _HOME, status=404)
        elif path.partition("/")[0] in RESERVED_ON_DOMAINS:
            await nothing(send)
        elif path == "health" and self._is_free(domain.domain, path):
            await respond(send, 200, [(b"content-type", b"application/json")], _HEALTHY)
        else:
            await self._answer(domain, path, "/", scope, receive, send)

    def _is_free(self, domain: str, slug: str) -> bool:
        """Whether it is certain that no link has this slug."""
        return self._directory.find(domain, slug) is None and self._directory.is_missing(domain, slug)

    async def _answer(
        self, domain: LinkDomain | None, path: str, before: str, scope: Scope, receive: Receive, send: Send
    ) -> None:
        method = scope["method"]
        if method == "OPTIONS":
            await respond(send, 204, [(b"allow", _METHODS.encode())])
            return
        if method != "GET" and method not in _WITH_BODY:
            raise errors.MethodNotAllowed(
                _("A short link accepts {methods}").format(methods=_METHODS), headers={"Allow": _METHODS}
            )
        slug, rest = path, ""
        if "/" in path:
            slug, _rest, rest = path.partition("/")
        asked = RequestedShortUrl(domain, slug, before)
        found = None
        if is_slug(slug) and rest in {"", PREVIEW_PATH[1:]}:
            found = self._directory.find(asked.host, slug) or await self._look_up(asked, scope)
        if found is not None and found.max_clicks is not None and self._clicks.counted(found.number) is None:
            await self._clicks.count_of(found.number)
        if found is None:
            await self._unknown(asked, scope, send)
        elif rest and not self._has_ended(found):
            await self._preview(asked, send)
        else:
            await self._redirect(asked, found, scope, receive, send)

    async def _look_up(self, asked: RequestedShortUrl, scope: Scope) -> RedirectLink | None:
        """A link that is not in memory: anonymous callers may try only so many slugs a minute. Raises RateLimited."""
        self._limits.take("link look-ups", network_of(scope["address"]), self._settings.limit_link_lookups)
        if self._directory.is_missing(asked.host, asked.slug):
            return None
        return await self._directory.look_up(asked.host, asked.slug)

    async def _unknown(self, asked: RequestedShortUrl, scope: Scope, send: Send) -> None:
        kind = self._observer.look(scope, dict(scope["headers"])).kind
        self._clicks.note_orphan(asked.host, kind, asked.slug if is_slug(asked.slug) else "")
        if asked.domain is not None and asked.domain.missing_url is not None:
            await fall_back(send, asked.domain.missing_url)
        else:
            await note(send, self._render, _UNKNOWN, status=404)

    async def _preview(self, asked: RequestedShortUrl, send: Send) -> None:
        link = await self._box_db.read(lambda db: rows.find_by_slug(db, asked.host, asked.slug))
        if link is None:
            await note(send, self._render, _UNKNOWN, status=404)
        else:
            await preview(send, self._render, link, short_url(asked.host, asked.slug, self._settings))

    async def _redirect(
        self, asked: RequestedShortUrl, found: RedirectLink, scope: Scope, receive: Receive, send: Send
    ) -> None:
        if self._has_ended(found):
            await self._ended(found, send)
            return
        _check_method(found, scope["method"])
        headers = dict(scope["headers"])
        seen = self._observer.look(scope, headers)
        if seen.kind == PREVIEW and is_office(seen.user_agent):
            self._note(seen, found, TargetChoice(found.target_url))
            await self._preview(asked, send)  # no redirect, so that the browser is handed the short link
            return
        if seen.kind == PREVIEW and found.has_preview:
            self._note(seen, found, TargetChoice(found.target_url))
            await fall_back(send, f"{asked.before}{asked.slug}{PREVIEW_PATH}")
            return
        if found.has_password:
            if not await self._unlocks(asked, found, scope, receive, send):
                return
            if self._has_ended(found):  # while the password was looked at
                await self._ended(found, send)
                return
        elif scope["method"] != "GET":
            await self._pass_on(found, seen, scope, send)
            return
        await self._to_target(found, seen, scope, headers.get(b"if-none-match"), send)

    def _has_ended(self, found: RedirectLink) -> bool:
        if found.expires_at is not None and self._clock.now() >= found.expires_at:
            return True
        return found.max_clicks is not None and (self._clicks.counted(found.number) or 0) >= found.max_clicks

    async def _ended(self, found: RedirectLink, send: Send) -> None:
        if found.expired_url is not None:
            await fall_back(send, found.expired_url)
        else:
            await note(send, self._render, _EXPIRED, status=410)

    async def _to_target(
        self, found: RedirectLink, seen: ClickSender, scope: Scope, known: bytes | None, send: Send
    ) -> None:
        """Redirect to the destination. Nothing awaits between the last check of the count and its click."""
        choice = _choice(found, seen)
        location = forward_query(choice.url, scope["query_string"].decode("latin-1"), found.query_forwarding)
        if choice.app:
            self._note(seen, found, choice)
            await open_app(send, self._render, choice, location, seen.agent.system)
            return
        target = location.encode("ascii")
        if found.has_password:
            self._note(seen, found, choice)
            await after_password(send, target)
            return
        tag = tag_of(target)
        if known is not None and names_tag(known, tag):
            await not_modified(send, tag)
            return
        self._note(seen, found, choice)
        await redirect(send, found.redirect_status, target, tag)

    async def _pass_on(self, found: RedirectLink, seen: ClickSender, scope: Scope, send: Send) -> None:
        """Redirect to the destination; the client repeats the method and body there."""
        choice = _choice(found, seen)
        target = forward_query(choice.url, scope["query_string"].decode("latin-1"), found.query_forwarding).encode(
            "ascii"
        )
        self._note(seen, found, choice)
        await redirect(send, found.redirect_status, target, tag_of(target))

    def _note(self, seen: ClickSender, found: RedirectLink, choice: TargetChoice) -> None:
        self._clicks.note(self._observer.click(seen, found, self._directory.organization_of(found), choice))

    async def _unlocks(
        self, asked: RequestedShortUrl, found: RedirectLink, scope: Scope, receive: Receive, send: Send
    ) -> bool:
        """Whether the right password came; else the form has been answered."""
        if scope["method"] != "POST":
            await ask_password(send, self._render)
            return False
        try:
            sent = await body.read_body(scope, receive, limit=_MOST_FORM_BYTES, seconds=self._settings.body_seconds)
            given = body.form(sent).get("password", "")
            self._throttle(found.number, network_of(scope["address"]))
        except RateLimited as refused:
            await ask_password(
                send, self._render, wrong=_("Too many wrong passwords. Wait a minute and try again."), refused=refused
            )
            return False
        link = await self._box_db.read(lambda db: rows.find_by_slug(db, asked.host, asked.slug))
        if link is not None and await self._passwords.verify(link.password, given[:128]):
            return True
        await ask_password(send, self._render, wrong=_("Incorrect password."))
        return False

    def _throttle(self, number: int, network: str) -> None:
        """Raises RateLimited for one IP address that tries too often, and for too many of them at one link."""
        most = self._settings.limit_link_passwords
        self._limits.take("link password", f"{number}:{network}", most)
        self._limits.take("link passwords", str(number), most * _FOR_ALL)


def _check_method(found: RedirectLink, method: str) -> None:
    """Raises MethodNotAllowed for a request with a body that is neither a password nor passed on to the target."""
    if found.has_password:
        bodies: tuple[str, ...] = ("POST",)
    else:
        bodies = _WITH_BODY if found.redirect_status in _KEEP_METHOD else ()
    if method != "GET" and method not in bodies:
        allowed = ", ".join(("GET", "HEAD", "OPTIONS", *bodies))
        raise errors.MethodNotAllowed(
            _("This short link accepts {allowed}").format(allowed=allowed), headers={"Allow": allowed}
        )


def _choice(found: RedirectLink, seen: ClickSender) -> TargetChoice:
    if found.is_simple:
        return TargetChoice(found.target_url)
    return choose_target(found, seen.visit, key=found.key)
