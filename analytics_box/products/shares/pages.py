"""The public dashboard of a website, its tables and its files, at /share/{slug}: by a share link, or by the id of a
website whose queries are public. At /embed/{slug} other websites embed it.

ShareSeen (seen.py) decides what it shows. Nothing on it is about single visits, people, properties, errors or
notes.
"""

import msgspec
from litestar import Response
from litestar.params import FromPath
from msgspec import Struct

from analytics_box.base import errors, figures
from analytics_box.base.translation import _
from analytics_box.figures import export, page, tables
from analytics_box.figures.asking import UnansweredQuery
from analytics_box.figures.view import View, read_view
from analytics_box.products.overview.board import TOTALS
from analytics_box.products.overview.live import online_text
from analytics_box.products.shares import change
from analytics_box.products.shares.branding import stylesheet
from analytics_box.products.shares.seen import GONE, THEME, ShareSeen, find
from analytics_box.products.shares.served import SharedPages
from analytics_box.query.presence import Presence
from analytics_box.tenants.accounts.locks import Locks
from analytics_box.tenants.organizations.image import Picture
from analytics_box.web.address import network_of
from analytics_box.web.badge import badge
from analytics_box.web.page.visit import Answer, Next, Page, PageRequest, Visitor
from analytics_box.web.recognition import bots


class ShareCounts(Struct, frozen=True):
    """The visitors of this month, and those of the last five minutes; null for links that show a part of the visits."""

    visitors: int
    online: int | None


# Pages that are kept cost nothing and do not count.
MADE_PER_MINUTE = 120
_NOT_STORED = {"cache-control": "no-store"}
_STORED = {"cache-control": "private, max-age=86400"}
_FOR_ALL = {"cache-control": "public, max-age=60"}
_BADGE_COLOR = "#0b6b62"
# A picture cannot do anything, even when it is opened as a page.
_PICTURE = {**_STORED, "content-security-policy": "default-src 'none'; sandbox", "x-content-type-options": "nosniff"}


async def show(visit: Visitor, slug: FromPath[str]) -> Page:
    """GET /share/{slug} and /embed/{slug}: the dashboard that a link shares, from memory if another visitor had it in
    the last seconds, or the form for its password. Raises NotFound or RateLimited."""
    seen = find(visit, slug)
    if not _is_open(visit, seen):
        return _password_form(visit, seen)
    view = seen.view(visit)
    key = seen.home, seen.slug, seen.website.id, seen.version, view
    kept = visit.parts[SharedPages]
    for_script = "hx-request" in visit.request.headers
    if for_script or view.wait or not kept.has(key):
        _take(visit)
    if for_script or view.wait:
        text, _is_whole = await _whole(visit, seen, view)
    else:
        text = await kept.find(key, lambda: _whole(visit, seen, view))
    if seen.link is not None and not for_script and _is_person(visit):
        kept.note_view(seen.link.id, visit.call.now)
    return Response(text, media_type="text/html", headers={**_NOT_STORED, **seen.headers})


async def enter(visit: Visitor, slug: FromPath[str]) -> Answer:
    """POST /share/{slug}: enter the password of a link. Raises NotFound, RateLimited or Unavailable."""
    seen, form = find(visit, slug), await visit.form()
    if seen.link is None or _is_open(visit, seen):
        return visit.go(seen.home or "/")
    locks, network = visit.parts[Locks], network_of(visit.call.identity.address)
    if not await locks.opens(seen.link, form.get("password", ""), network):
        return _password_form(visit, seen, wrong=_("Wrong password. Try again."))
    return visit.go(seen.home or "/", cookie=locks.set_cookie(seen.link, seen.home).decode())


async def show_part(visit: Visitor, slug: FromPath[str], name: FromPath[str]) -> Page:
    """GET /share/{slug}/parts/{name}: parts of it that were not ready in time. Raises NotFound and Forbidden."""
    seen = _unlock(visit, slug)
    _take(visit)
    view = seen.view(visit)
    board = await page.parts(visit, seen.website.site, view, name, await seen.facts(visit, view))
    return visit.pages.show("part.html", board=board)


async def details(visit: Visitor, slug: FromPath[str], name: FromPath[str]) -> Answer:
    """GET /share/{slug}/details/{list}: all rows of a list. Raises NotFound, Forbidden or RateLimited."""
    seen = _unlock(visit, slug)
    _take(visit)
    return await tables.show(
        visit,
        seen.website.site,
        seen.view(visit, f"/details/{name}"),
        name,
        home=seen.home,
        told=seen.told,
        template="share_details.html",
        headers=seen.headers,
        theme=_theme(visit, seen),
        subject=seen.title,
        seen=seen,
    )


async def details_file(visit: Visitor, slug: FromPath[str], name: FromPath[str], form: FromPath[str]) -> Next:
    """GET /share/{slug}/details/{list}/{form}: the same rows as csv or json. Raises NotFound, Forbidden or
    RateLimited."""
    seen = _unlock(visit, slug)
    _take(visit)
    return await tables.file(visit, seen.website.site, seen.view(visit, f"/details/{name}"), name, form, seen.told)


async def export_file(visit: Visitor, slug: FromPath[str], form: FromPath[str]) -> Next:
    """GET /share/{slug}/export/{form}: the dashboard of a range as csv or json. Raises NotFound, Forbidden or
    RateLimited."""
    seen = _unlock(visit, slug)
    view = seen.view(visit)
    own = await seen.sheets(visit, view)
    names = (*seen.board.panels, *own)
    return await export.file(visit, seen.website.site, view, names, form, told=seen.told, own=own)


async def colors(visit: Visitor, slug: FromPath[str]) -> Response[str]:
    """GET /share/{slug}/colors.css: the accent color of a link. Raises NotFound."""
    seen = find(visit, slug)
    if seen.link is None or seen.link.accent is None:
        raise errors.NotFound(GONE)
    return Response(stylesheet(seen.link.accent), media_type="text/css", headers=_STORED)


async def logo(visit: Visitor, slug: FromPath[str]) -> Response[bytes]:
    """GET /share/{slug}/logo: the logo of the link or of its organization. Raises NotFound."""
    seen = find(visit, slug)
    picture = await _logo(visit, seen)
    if picture is None:
        raise errors.NotFound(GONE)
    return Response(picture.content, media_type=picture.type, headers=_PICTURE)


async def _logo(visit: PageRequest, seen: ShareSeen) -> Picture | None:
    """The logo that a link shows, if it or its organization has one."""
    link = seen.link
    if link is None or not (link.logo or link.shows_logo):
        return None
    return await visit.call.read(lambda db: change.logo_of(db, link, seen.website))


async def count(visit: Visitor, slug: FromPath[str]) -> Response[str]:
    """GET /share/{slug}/count.json: the visitors of this month and those of now, for any website. Raises NotFound."""
    counts = await _counts(visit, slug)
    return Response(counts, media_type="application/json", headers={**_FOR_ALL, "access-control-allow-origin": "*"})


async def month_badge(visit: Visitor, slug: FromPath[str]) -> Response[str]:
    """GET /share/{slug}/badge.svg: the visitors of this month as a picture. Raises NotFound."""
    counts = msgspec.json.decode(await _counts(visit, slug), type=ShareCounts)
    picture = badge(visit.pages.text, _("visitors this month"), figures.count(counts.visitors), _BADGE_COLOR)
    return Response(picture, media_type="image/svg+xml", headers=_FOR_ALL)


async def _counts(visit: PageRequest, slug: str) -> str:
    """The counts of a share with a badge as JSON, from memory for some seconds. Raises NotFound."""
    seen = find(visit, slug)
    if not seen.has_badge:
        raise errors.NotFound(GONE)

    async def ask() -> tuple[str, bool]:
        site, view = seen.website.site, read_view(seen.home, {"range": "this_month", "compare": "off"}, seen.board)
        asking, _view = await page.asking_for(visit, site, view, seen.told)
        (rows,) = await asking.rows((TOTALS,))
        online = None if seen.told.only else (await visit.parts[Presence].online((site,), visit.call.now))[site]
        return msgspec.json.encode(ShareCounts(rows[0]["visitors"], online)).decode(), True

    try:
        return await visit.parts[SharedPages].find(("counts", seen.slug, seen.version), ask)
    except UnansweredQuery as failed:
        raise errors.Unavailable(str(failed)) from failed


def _unlock(visit: PageRequest, slug: str) -> ShareSeen:
    """A share whose password the visitor has entered if it has one. Raises NotFound or Forbidden."""
    seen = find(visit, slug)
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
    return visit.pages.show("share_password.html", code=403 if wrong else 200, action=seen.home or "/", wrong=wrong)


def _theme(visit: PageRequest, seen: ShareSeen) -> str:
    """The color mode that the page around an embedded dashboard fixed; empty for that of the visitor."""
    chosen = visit.asked(THEME)
    return chosen if seen.is_embedded and chosen in {"light", "dark"} else ""


async def _whole(visit: PageRequest, seen: ShareSeen, view: View) -> tuple[str, bool]:
    """The page, and whether it has all of its parts."""
    site = seen.website.site
    online = await visit.parts[Presence].online((site,), visit.call.now)
    told = await seen.facts(visit, view)
    names = tuple(name for name in seen.board.parts if name not in seen.board.extras or name in told.own)
    board = await page.whole(visit, site, view, names, told)
    shown = visit.pages.text(
        "share.html",
        seen=seen,
        theme=_theme(visit, seen),
        # Who is there is known of the whole website only.
        online="" if seen.told.only else online_text(online[site]),
        quiet=not online[site],
        has_logo=await _logo(visit, seen) is not None,
        board=board,
    )
    return shown, not board.late
