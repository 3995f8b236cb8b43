"""The public dashboard of a website, its tables and its files, at /share/{slug}: by a share link, or by the id of a
website whose queries are public.

ShareSeen (seen.py) decides what it shows. Nothing on it is about single visits, people, properties, errors or
notes.
"""

from litestar import Response
from litestar.params import FromPath

from analytics_box.base import errors
from analytics_box.base.translation import _
from analytics_box.figures import export, page, tables
from analytics_box.figures.view import View
from analytics_box.products.overview.live import online_text
from analytics_box.products.shares.branding import stylesheet
from analytics_box.products.shares.seen import GONE, ShareSeen, find
from analytics_box.products.shares.served import SharedPages
from analytics_box.query.presence import Presence
from analytics_box.tenants.accounts.locks import Locks
from analytics_box.tenants.organizations import logos
from analytics_box.web.address import network_of
from analytics_box.web.page.visit import Answer, Next, Page, PageRequest, Visitor
from analytics_box.web.recognition import bots

# Pages that are kept cost nothing and do not count.
MADE_PER_MINUTE = 120
_NOT_STORED = {"cache-control": "no-store"}
_STORED = {"cache-control": "private, max-age=86400"}
# A picture cannot do anything, even when it is opened as a page.
_PICTURE = {**_STORED, "content-security-policy": "default-src 'none'; sandbox", "x-content-type-options": "nosniff"}


async def show(visit: Visitor, slug: FromPath[str]) -> Page:
    """GET /share/{slug}: the dashboard that a link shares, or the form for its password. Raises NotFound."""
    seen = await find(visit, slug)
    if not _is_open(visit, seen):
        return _password_form(visit, seen)
    return await dashboard(visit, seen, seen.view(visit))


async def dashboard(visit: PageRequest, seen: ShareSeen, view: View, *, is_embedded: bool = False) -> Page:
    """The dashboard, from memory if another visitor had it in the last seconds. Raises RateLimited."""
    key = seen.home, seen.slug, seen.website.id, seen.version, view
    kept = visit.parts[SharedPages]
    for_script = "hx-request" in visit.request.headers
    if for_script or view.wait or not kept.has(key):
        _take(visit)
    if for_script or view.wait:
        text, _is_whole = await _whole(visit, seen, view, is_embedded=is_embedded)
    else:
        text = await kept.find(key, lambda: _whole(visit, seen, view, is_embedded=is_embedded))
    if seen.link is not None and not for_script and _is_person(visit):
        kept.note_view(seen.link.id, visit.call.now)
    return Response(text, media_type="text/html", headers=_NOT_STORED)


async def enter(visit: Visitor, slug: FromPath[str]) -> Answer:
    """POST /share/{slug}: enter the password of a link. Raises NotFound, RateLimited or Unavailable."""
    seen, form = await find(visit, slug), await visit.form()
    if seen.link is None or _is_open(visit, seen):
        return visit.go(seen.home)
    locks, network = visit.parts[Locks], network_of(visit.call.identity.address)
    if not await locks.opens(seen.link, form.get("password", ""), network):
        return _password_form(visit, seen, wrong=_("Wrong password. Try again."))
    return visit.go(seen.home, cookie=locks.set_cookie(seen.link, seen.home).decode())


async def show_part(visit: Visitor, slug: FromPath[str], name: FromPath[str]) -> Page:
    """GET /share/{slug}/parts/{name}: parts of it that were not ready in time. Raises NotFound and Forbidden."""
    seen = await _unlock(visit, slug)
    return await part(visit, seen, seen.view(visit), name)


async def part(visit: PageRequest, seen: ShareSeen, view: View, name: str) -> Page:
    """Parts of a dashboard. Raises NotFound or RateLimited."""
    _take(visit)
    board = await page.parts(visit, seen.website.site, view, name, await seen.facts(visit, view))
    return visit.pages.show("part.html", board=board)


async def details(visit: Visitor, slug: FromPath[str], name: FromPath[str]) -> Answer:
    """GET /share/{slug}/details/{list}: all rows of a list. Raises NotFound, Forbidden or RateLimited."""
    seen = await _unlock(visit, slug)
    _take(visit)
    return await tables.show(
        visit,
        seen.website.site,
        seen.view(visit, f"/details/{name}"),
        name,
        home=seen.home,
        told=seen.told,
        template="share_details.html",
        subject=seen.title,
        seen=seen,
    )


async def details_file(visit: Visitor, slug: FromPath[str], name: FromPath[str], form: FromPath[str]) -> Next:
    """GET /share/{slug}/details/{list}/{form}: the same rows as csv or json. Raises NotFound, Forbidden or
    RateLimited."""
    seen = await _unlock(visit, slug)
    _take(visit)
    return await tables.file(visit, seen.website.site, seen.view(visit, f"/details/{name}"), name, form, seen.told)


async def export_file(visit: Visitor, slug: FromPath[str], form: FromPath[str]) -> Next:
    """GET /share/{slug}/export/{form}: the dashboard of a range as csv or json. Raises NotFound, Forbidden or
    RateLimited."""
    seen = await _unlock(visit, slug)
    view = seen.view(visit)
    own = await seen.sheets(visit, view)
    names = (*seen.board.panels, *own)
    return await export.file(visit, seen.website.site, view, names, form, told=seen.told, own=own)


async def colors(visit: Visitor, slug: FromPath[str]) -> Response[str]:
    """GET /share/{slug}/colors.css: the accent color of a link. Raises NotFound."""
    seen = await find(visit, slug)
    if seen.link is None or seen.link.accent is None:
        raise errors.NotFound(GONE)
    return Response(stylesheet(seen.link.accent), media_type="text/css", headers=_STORED)


async def logo(visit: Visitor, slug: FromPath[str]) -> Response[bytes]:
    """GET /share/{slug}/logo: the logo of the organization, if the link shows it. Raises NotFound."""
    seen = await find(visit, slug)
    organization = seen.website.organization_id
    shows = seen.link is not None and seen.link.shows_logo
    picture = await visit.call.read(lambda db: logos.current(db, organization)) if shows else None
    if picture is None:
        raise errors.NotFound(GONE)
    return Response(picture.content, media_type=picture.type, headers=_PICTURE)


async def _unlock(visit: PageRequest, slug: str) -> ShareSeen:
    """A share whose password the visitor has entered if it has one. Raises NotFound or Forbidden."""
    seen = await find(visit, slug)
    if not _is_open(visit, seen):
        raise errors.Forbidden(_("Enter the password of this link first"))
    return seen


def _take(visit: PageRequest) -> None:
    """Count a page that is made for this visitor. Raises RateLimited."""
    visit.parts.limits.take("shared dashboards", visit.call.identity.limit_name, MADE_PER_MINUTE)


def _is_open(visit: PageRequest, seen: ShareSeen) -> bool:
    """Whether the visitor needs no password, or has entered it."""
    if seen.link is None or not seen.is_protected:
        return True
    return visit.parts[Locks].has_cookie(seen.link, visit.request.headers.get("cookie", "").encode("latin-1"))


def _is_person(visit: PageRequest) -> bool:
    """Whether a page that is opened counts as a view: not by bots, members and browsers that load it in advance."""
    headers = visit.request.headers
    in_advance = "prefetch" in headers.get("sec-purpose", headers.get("purpose", ""))
    return not visit.signed_in and not in_advance and bots.classify(visit.browser())[0] == ""


def _password_form(visit: PageRequest, seen: ShareSeen, wrong: str = "") -> Page:
    return visit.pages.show("share_password.html", code=403 if wrong else 200, slug=seen.slug, wrong=wrong)


async def _whole(visit: PageRequest, seen: ShareSeen, view: View, *, is_embedded: bool) -> tuple[str, bool]:
    """The page, and whether it has all of its parts."""
    site = seen.website.site
    online = await visit.parts[Presence].online((site,), visit.call.now)
    told = await seen.facts(visit, view)
    names = tuple(name for name in seen.board.parts if name not in seen.board.extras or name in told.own)
    board = await page.whole(visit, site, view, names, told)
    shown = visit.pages.text(
        "share.html",
        seen=seen,
        is_embedded=is_embedded,
        theme=view.own_value("theme") if is_embedded else "",
        online=online_text(online[site]),
        quiet=not online[site],
        board=board,
    )
    return shown, not board.late
