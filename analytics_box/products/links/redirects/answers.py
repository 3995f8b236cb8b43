"""Answers to a short URL: a redirect, or a page of the box. Nothing here is stored by shared caches."""

from collections.abc import Callable
from typing import Any, Final
from zlib import crc32

from msgspec.structs import replace

from analytics_box.base.errors import RateLimited
from analytics_box.base.translation import _
from analytics_box.products.links.link import ShortLink
from analytics_box.products.links.targeting.apps import APPS, address_in
from analytics_box.products.links.targeting.rules import TargetChoice
from analytics_box.web.asgi import Send, respond

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
