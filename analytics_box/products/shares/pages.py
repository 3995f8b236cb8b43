"""The public dashboard of a website, at /share/{slug}: by a share link, or by the website's id where its queries are
public.

It has totals, the chart and four lists, and can be filtered by what they show. Nothing on it is about single visits,
people, properties, errors, goals or notes.
"""

from typing import Final

from litestar import Response
from litestar.params import FromPath
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import errors
from analytics_box.base.translation import _
from analytics_box.figures import page
from analytics_box.figures.asking import SubjectFacts
from analytics_box.figures.view import View, read_view
from analytics_box.products.overview.board import CAMPAIGNS, LISTS, PANELS, WEBSITE
from analytics_box.products.overview.live import online_text
from analytics_box.products.shares.served import SharedPages
from analytics_box.products.shares.share import SHARES, ShareLink
from analytics_box.query.catalog.registry import TYPES
from analytics_box.query.presence import Presence
from analytics_box.tenants.accounts.locks import Locks
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.address import network_of
from analytics_box.web.page.visit import Answer, Page, PageRequest, Visitor

SHOWN: Final = ("sources", "pages", "countries", "browsers")
# Pages that are kept cost nothing and do not count.
MADE_PER_MINUTE = 120
_NAMES: Final = ("figures", *SHOWN)
# Only lists that the API shows of a public website: campaign terms and contents can hold personal data.
_LISTS: Final = {
    panel: tuple(name for name in PANELS[panel] if TYPES[LISTS[name].type].is_public(values=False)) for panel in SHOWN
}
PUBLIC_BOARD: Final = replace(
    WEBSITE,
    lists={name: LISTS[name] for names in _LISTS.values() for name in names},
    panels=_LISTS,
    sharing=tuple(name for name in CAMPAIGNS if name in _LISTS["sources"]),
    extras={},
    further=(),
    suggested={},
    segmented=False,
    converting=(),
    folded=(),
    tables_alone=(),
    explained_by=(),
    has_tables=False,
)


class SharedWebsite(Struct, frozen=True):
    """A website behind a public address. `version` changes with the link or the website."""

    website: Website
    slug: str
    title: str
    told: SubjectFacts
    version: int
    link: ShareLink | None = None


async def show(visit: Visitor, slug: FromPath[str]) -> Page:
    """GET /share/{slug}: the dashboard that a link shares, or the form for its password. Raises NotFound."""
    shared = await _find(visit, slug)
    if not _is_open(visit, shared):
        return _password_form(visit, shared)
    view = _view(visit, shared)
    key = shared.slug, shared.website.id, shared.version, view
    kept = visit.parts[SharedPages]
    is_own = "hx-request" in visit.request.headers or view.wait
    if is_own or not kept.has(key):
        _take(visit)
    if is_own:
        text, _is_whole = await _whole(visit, shared, view)
    else:
        text = await kept.find(key, lambda: _whole(visit, shared, view))
    return Response(text, media_type="text/html", headers={"cache-control": "no-store"})


async def enter(visit: Visitor, slug: FromPath[str]) -> Answer:
    """POST /share/{slug}: enter the password of a link. Raises NotFound, RateLimited or Unavailable."""
    shared, form = await _find(visit, slug), await visit.form()
    here = f"/share/{shared.slug}"
    if shared.link is None or shared.link.password is None or _is_open(visit, shared):
        return visit.go(here)
    locks, network = visit.parts[Locks], network_of(visit.call.identity.address)
    if not await locks.opens(shared.link, form.get("password", ""), network):
        return _password_form(visit, shared, wrong=_("Wrong password. Try again."))
    return visit.go(here, cookie=locks.set_cookie(shared.link, here).decode())


async def show_part(visit: Visitor, slug: FromPath[str], name: FromPath[str]) -> Page:
    """GET /share/{slug}/parts/{name}: parts of it that were not ready in time. Raises NotFound and Forbidden."""
    shared = await _find(visit, slug)
    if not _is_open(visit, shared):
        raise errors.Forbidden(_("Enter the password of this link first"))
    _take(visit)
    board = await page.parts(visit, shared.website.site, _view(visit, shared), name, shared.told)
    return visit.pages.show("part.html", board=board)


def _take(visit: PageRequest) -> None:
    """Count a page that is made for this visitor. Raises RateLimited."""
    visit.parts.limits.take("shared dashboards", visit.call.identity.limit_name, MADE_PER_MINUTE)


def _is_open(visit: PageRequest, shared: SharedWebsite) -> bool:
    """Whether the visitor needs no password, or has entered it."""
    if shared.link is None or shared.link.password is None:
        return True
    return visit.parts[Locks].has_cookie(shared.link, visit.request.headers.get("cookie", "").encode("latin-1"))


def _password_form(visit: PageRequest, shared: SharedWebsite, wrong: str = "") -> Page:
    return visit.pages.show("share_password.html", code=403 if wrong else 200, slug=shared.slug, wrong=wrong)


async def _whole(visit: PageRequest, shared: SharedWebsite, view: View) -> tuple[str, bool]:
    """The page, and whether it has all of its parts."""
    website = shared.website
    online = await visit.parts[Presence].online((website.site,), visit.call.now)
    board = await page.whole(visit, website.site, view, _NAMES, shared.told)
    shown = visit.pages.text(
        "share.html",
        title=shared.title,
        domain=website.domain,
        online=online_text(online[website.site]),
        quiet=not online[website.site],
        board=board,
    )
    return shown, not board.late


async def _find(visit: PageRequest, slug: str) -> SharedWebsite:
    """The website behind an address. Raises NotFound unless a link that works, or a public website, has it."""
    websites = visit.parts[Directory]
    share = await visit.call.read(lambda db: SHARES.first(db, "slug = ?", slug))
    if share is not None:
        return _by_link(visit, share, websites.find(share.website_id))
    website = websites.find(slug)
    if website is None or not website.is_public:
        raise errors.NotFound(_("This link does not exist or was deleted"))
    return SharedWebsite(website, slug, website.name, SubjectFacts(zone="UTC"), website.updated_at)


def _by_link(visit: PageRequest, share: ShareLink, website: Website | None) -> SharedWebsite:
    if website is None or (share.expires_at is not None and share.expires_at <= visit.call.now):
        raise errors.NotFound(_("This link does not exist or was deleted"))
    told = SubjectFacts(zone=share.time_zone, only=share.filters)
    return SharedWebsite(website, share.slug, website.name, told, share.updated_at, share)


def _view(visit: PageRequest, shared: SharedWebsite) -> View:
    return read_view(f"/share/{shared.slug}", visit.request.query_params, PUBLIC_BOARD)
