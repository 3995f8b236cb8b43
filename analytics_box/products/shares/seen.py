"""The visible part of a share: one value that decides for the dashboard, its tables and files, embeds and badges."""

from functools import lru_cache, partial
from typing import Final
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import errors
from analytics_box.base.translation import _
from analytics_box.figures.asking import SubjectFacts
from analytics_box.figures.board import Board
from analytics_box.figures.converting import GoalTarget
from analytics_box.figures.export import Own
from analytics_box.figures.spans import day_in
from analytics_box.figures.view import View, read_view
from analytics_box.products.goals.lookup import active_goals
from analytics_box.products.overview.board import CAMPAIGNS, LISTS, PANELS, WEBSITE
from analytics_box.products.overview.compact import EXTRAS
from analytics_box.products.overview.goal_rates import rates, sheet
from analytics_box.products.shares.directory import AT_ROOT, ShareDirectory
from analytics_box.products.shares.share import USUAL_PANELS, PanelName, ShareLink
from analytics_box.query.catalog.registry import TYPES
from analytics_box.query.ranges import midnight
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.front import CONTENT_SECURITY_POLICY
from analytics_box.web.page.visit import PageRequest

SHARE: Final = "/share/"
EMBED: Final = "/embed/"
THEME: Final = "theme"
GONE: Final = _("This link does not exist or was deleted")
# The panels of the dashboard by what they are called to owners, which is what visitors see.
_PANELS: Final[dict[PanelName, str]] = {
    "sources": "sources",
    "pages": "pages",
    "places": "countries",
    "devices": "browsers",
    "events": "events",
}


class ShareSeen(Struct, frozen=True, kw_only=True):
    """A website as the visitors of one address see it.

    `home` is the path of its dashboard, empty at the root of a domain, and `files` that of its colors and logo. `board`
    has its tiles and lists and what they can be filtered by. `version` changes
    with the link and the website. Visitors of a protected one need a password. It can be embedded by `hosts`, which an
    `is_embedded` one is.
    """

    website: Website
    slug: str
    home: str
    files: str
    title: str
    board: Board
    told: SubjectFacts
    version: tuple[int, int]
    link: ShareLink | None = None
    has_goals: bool = False
    is_protected: bool = False
    is_indexed: bool = False
    hosts: tuple[str, ...] = ()
    has_badge: bool = False
    is_embedded: bool = False

    @property
    def headers(self) -> dict[str, str]:
        """The headers of its pages."""
        if not self.is_embedded:
            return {}
        allowed = f"frame-ancestors 'self' {' '.join(self.hosts)}"
        return {"content-security-policy": CONTENT_SECURITY_POLICY.replace("frame-ancestors 'none'", allowed)}

    def view(self, visit: PageRequest, rest: str = "") -> View:
        """The state that the address of a page asks for."""
        own = (THEME,) if self.is_embedded else ()
        return read_view(f"{self.home}{rest}", visit.request.query_params, self.board, own)

    async def facts(self, visit: PageRequest, view: View) -> SubjectFacts:
        """Its facts, with the goals if it shows them."""
        goals = await self._goals(visit)
        own = {"goals": partial(rates, view=view, goals=goals)} if goals else {}
        return replace(self.told, own=own, rows={"goals": len(goals)})

    async def sheets(self, visit: PageRequest, view: View) -> Own:
        """The tables that a file has in addition to its lists."""
        goals = await self._goals(visit)
        return {"goals": partial(sheet, view=view, goals=goals)} if goals else {}

    async def _goals(self, visit: PageRequest) -> tuple[GoalTarget, ...]:
        return await active_goals(visit.parts.box_db, self.website.id) if self.has_goals else ()


def find(visit: PageRequest, slug: str) -> ShareSeen:
    """The share behind an address. Raises NotFound unless a link that works, or a public website, has it; the link at
    the id of its website works while that is public. Below /embed/ it also has to be one that other websites can embed.
    """
    websites = visit.parts[Directory]
    link = visit.parts[ShareDirectory].find(slug)
    website = websites.find(slug if link is None else link.website_id)
    is_over = link is not None and link.expires_at is not None and link.expires_at <= visit.call.now
    is_embedded, is_root = visit.request.url.path.startswith(EMBED), AT_ROOT in visit.request.scope
    if website is None or is_over or (slug == website.id and not website.is_public):
        raise errors.NotFound(GONE)
    if link is None and is_embedded:
        raise errors.NotFound(GONE)
    files = "" if is_root else f"{SHARE}{slug}"
    home = f"{EMBED}{slug}" if is_embedded else files
    if link is None:
        return ShareSeen(
            website=website,
            slug=slug,
            home=home,
            files=files,
            title=website.name,
            board=board_of(USUAL_PANELS),
            told=SubjectFacts(zone="UTC"),
            version=(0, website.updated_at),
        )
    # Browsers keep the cookie of a password from other websites, and search engines have none.
    is_open = link.password is None
    if is_embedded and not (link.embed_hosts and is_open):
        raise errors.NotFound(_("This dashboard cannot be embedded"))
    return ShareSeen(
        website=website,
        slug=slug,
        home=home,
        files=files,
        title=link.title or website.name,
        board=board_of(link.panels),
        told=SubjectFacts(only=link.filters, earliest=_earliest(link), zone=link.time_zone),
        version=(link.updated_at, website.updated_at),
        link=link,
        has_goals="goals" in link.panels,
        is_protected=not is_open,
        is_indexed=link.is_indexed and is_open,
        hosts=link.embed_hosts if is_open else (),
        has_badge=link.has_badge and is_open,
        is_embedded=is_embedded,
    )


def _earliest(link: ShareLink) -> int | None:
    """The start of its earliest day in its time zone, in UTC ms."""
    day = day_in(link.earliest_date)
    return None if day is None else midnight(day, ZoneInfo(link.time_zone))


@lru_cache(maxsize=64)
def board_of(panels: tuple[PanelName, ...]) -> Board:
    """The dashboard with these panels. It has only lists that the API shows of public websites: campaign terms and
    contents can hold personal data."""
    lists = {
        panel: tuple(name for name in PANELS[panel] if TYPES[LISTS[name].type].is_public(values=False))
        for chosen, panel in _PANELS.items()
        if chosen in panels
    }
    return replace(
        WEBSITE,
        lists={name: LISTS[name] for names in lists.values() for name in names},
        panels=lists,
        sharing=tuple(name for name in CAMPAIGNS if name in lists.get("sources", ())),
        extras={"goals": replace(EXTRAS["goals"], before="")} if "goals" in panels else {},
        further=(),
        suggested={},
        segmented=False,
        converting=(),
        folded=(),
        tables_alone=(),
        explained_by=(),
    )
