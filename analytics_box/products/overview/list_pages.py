"""The list of all websites: searched, sorted, and quick however many there are."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Final, Literal
from urllib.parse import urlencode

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.translation import _, ngettext
from analytics_box.products.overview.weeks import Totals, WebsiteDay, Weeks, compare_weeks, series
from analytics_box.query import ranges
from analytics_box.query.presence import Presence
from analytics_box.query.ranges import DayRange
from analytics_box.query.run import QueryRunner
from analytics_box.tenants.websites import settings_area
from analytics_box.tenants.websites.reach import all_own, restorable
from analytics_box.tenants.websites.rules import MANAGER, Website
from analytics_box.web.page.shell import frame
from analytics_box.web.page.visit import Next, Page, PageRequest, Visitor

_SORTS = {
    "visitors": _("Visitors"),
    "change": _("Change"),
    "online": _("Online now"),
    "name": _("Name"),
    "newest": _("Newest"),
}


Sort = Literal["visitors", "change", "online", "name", "newest"]
SORTS: Final[tuple[Sort, ...]] = Sort.__args__  # type: ignore[attr-defined]  # the arguments of a Literal
OF_A_PAGE: Final = 48
LONGEST: Final = 200  # characters of a search


class Listing(Struct, frozen=True):
    """A state of the list. `page` counts from 1."""

    search: str = ""
    sort: Sort = "visitors"
    page: int = 1

    def link(self, **changes: Any) -> str:
        """The address of this state with some of it changed; the first page unless that is what changes."""
        wanted = replace(self, **{"page": 1, **changes})
        given = {
            "q": wanted.search,
            "sort": "" if wanted.sort == "visitors" else wanted.sort,
            "page": "" if wanted.page == 1 else str(wanted.page),
        }
        found = {name: value for name, value in given.items() if value}
        return f"/sites?{urlencode(found)}" if found else "/sites"


class WebsiteFigures(Struct, frozen=True):
    """The figures that the list sorts and compares by, by site number. `weeks` is None if they could not be read;
    `beginnings` are the times of first events (UTC ms).
    """

    weeks: Weeks | None
    online: Mapping[int, int]
    beginnings: Mapping[int, int]
    imported: frozenset[int] = frozenset()

    def change(self, site: int) -> float | None:
        """By how much of the week before this week's visitors are more; None if these cannot be compared."""
        if self.weeks is None or self.beginnings.get(site, self.weeks.since + 1) > self.weeks.since:
            return None
        now, then = (part.get(site, Totals()).visitors for part in (self.weeks.now, self.weeks.before))
        return (now - then) / then if then else None


def read_listing(query: Mapping[str, str]) -> Listing:
    """The state that an address asks for. Never raises."""
    page = query.get("page", "")
    return Listing(
        search=" ".join(query.get("q", "").split())[:LONGEST],
        sort=next((sort for sort in SORTS if sort == query.get("sort")), "visitors"),
        page=max(1, int(page)) if page.isascii() and page.isdigit() and len(page) < 5 else 1,
    )


def search_websites(websites: Sequence[Website], search: str) -> list[Website]:
    """The websites whose name or domain has each of these words."""
    words = search.casefold().split()
    return [one for one in websites if all(word in f"{one.name} {one.domain}".casefold() for word in words)]


def in_order(websites: Sequence[Website], sort: Sort, known: WebsiteFigures) -> list[Website]:
    """The websites as they are sorted; equal ones by their names."""
    return sorted(websites, key=lambda one: (_rank(one, sort, known), one.name.casefold(), one.created_at))


def _rank(website: Website, sort: Sort, known: WebsiteFigures) -> tuple[bool, float]:
    """Lower comes first; what is not known comes last."""
    match sort:
        case "name":
            return False, 0
        case "newest":
            return False, -website.created_at
        case "online":
            return False, -known.online.get(website.site, 0)
        case "change":
            change = known.change(website.site)
            return change is None, -(change or 0)
        case "visitors":
            totals = None if known.weeks is None else known.weeks.now.get(website.site)
            return totals is None, -(totals.visitors if totals else 0)


WIDTH, HEIGHT, MARGIN = 280.0, 44.0, 3.0
TIMES = 10  # from which on a change is said as how many times


class WeekChange(Struct, frozen=True):
    """This week against the week before, in words; `amount` is empty if both are the same."""

    direction: Literal["up", "down", "same"]
    amount: str


class SiteCard(Struct, frozen=True):
    """A website as its card shows it. `line`, `tail` and `area` are SVG paths of its visitors per day, empty if none:
    the finished days, the last step to the unfinished today, and the surface below. `has_imported` says that these
    days have imported totals, which are not included.

    `change` is None if there is nothing to compare with; `young` says that its first event is younger than that.
    """

    id: str
    name: str
    domain: str
    href: str
    waiting: bool
    visitors: str
    unit: str
    online: str
    line: str
    tail: str
    area: str
    change: WeekChange | None = None
    young: bool = False
    has_imported: bool = False


def site_card(website: Website, days: Sequence[WebsiteDay] | None, known: WebsiteFigures) -> SiteCard:
    """`days` is None if they could not be had."""
    weeks = known.weeks
    visitors = None if weeks is None or website.site not in weeks.now else weeks.now[website.site].visitors
    begun = known.beginnings.get(website.site)
    return SiteCard(
        id=website.id,
        name=website.name,
        domain=website.domain,
        href=f"/sites/{website.id}",
        waiting=begun is None,
        visitors="–" if visitors is None else figures.count(visitors),
        unit=ngettext("visitor", "visitors", int(visitors or 0)),
        online=figures.count(known.online.get(website.site, 0)),
        change=change(known.change(website.site)),
        young=weeks is not None and begun is not None and begun > weeks.since,
        has_imported=website.site in known.imported,
        **sparkline([day.visitors for day in days or ()]),
    )


def change(share: float | None) -> WeekChange | None:
    """A share of the week before, such as 0.12, in words: in percent, or as how many times where that says more."""
    if share is None:
        return None
    if not share:
        return WeekChange("same", "")
    much = f"×{figures.count(share + 1)}" if share + 1 >= TIMES else figures.percent(abs(share) * 100)
    return WeekChange("up" if share > 0 else "down", much)


def sparkline(values: Sequence[float]) -> dict[str, str]:
    """Paths in a box of 280 by 44, drawn from zero."""
    if len(values) < 3 or not any(values):
        return {"line": "", "tail": "", "area": ""}
    largest, step = max(values), WIDTH / (len(values) - 1)
    places = [
        f"{index * step:.1f} {HEIGHT - MARGIN - value / largest * (HEIGHT - 2 * MARGIN):.1f}"
        for index, value in enumerate(values)
    ]
    finished = " L".join(places[:-1])
    return {
        "line": f"M{finished}",
        "tail": f"M{places[-2]} L{places[-1]}",
        "area": f"M{finished} V{HEIGHT:.1f} H0Z",
    }


async def home(visit: Visitor) -> Next:
    """GET /: to the dashboard of the user's only website, to the list of several, or to sign in first."""
    if not visit.signed_in:
        return visit.go("/sign-in")
    websites = all_own(visit.call)
    return visit.go(f"/sites/{websites[0].id}" if len(websites) == 1 else "/sites")


async def site_list(visit: Visitor) -> Page:
    """GET /sites: a card per website, with its last seven days, and the deleted ones that can be restored.

    `?moved=` names the organization that a website was just transferred to.
    """
    person, parts = visit.person, visit.parts
    own = all_own(visit.call)
    manages = person.may(MANAGER)
    deleted = await restorable(visit.call) if manages else []
    moved = visit.asked("moved")
    view = read_listing(visit.request.query_params)
    known = await _website_figures(visit, own)
    found = in_order(search_websites(own, view.search), view.sort, known)
    pages = max(1, -(-len(found) // OF_A_PAGE))
    number = min(view.page, pages)
    return visit.pages.show(
        "sites.html",
        shell=frame(person, "sites"),
        sites=await _cards(visit, found[(number - 1) * OF_A_PAGE : number * OF_A_PAGE], known),
        count=_count(view, len(found), len(own)),
        total=len(own),
        view=view,
        sorts=[(sort, _SORTS[sort]) for sort in SORTS],
        earlier=view.link(page=number - 1) if number > 1 else "",
        later=view.link(page=number + 1) if number < pages else "",
        deleted=settings_area.restorable(deleted, parts.settings.grace_days, person),
        may_add=manages,
        moved=next((one for one in person.memberships if one.organization_id == moved), None),
    )


async def _website_figures(visit: PageRequest, websites: list[Website]) -> WebsiteFigures:
    """The figures of all websites, since any of them may sort first."""
    parts, now = visit.parts, visit.call.now
    sites = tuple(website.site for website in websites)
    beginnings, online = await asyncio.gather(parts[Presence].beginnings(sites), parts[Presence].online(sites, now))
    begun, zone = [site for site in sites if site in beginnings], ranges.zone(visit.person.time_zone)
    known, today = parts[QueryRunner].imported, ranges.today(now, zone)
    week = DayRange(today - timedelta(days=6), today)
    return WebsiteFigures(
        await compare_weeks(parts[QueryRunner], begun, zone, now),
        online,
        beginnings,
        frozenset(site for site in sites if known is not None and known.overlap((site,), week)),
    )


async def _cards(visit: PageRequest, websites: list[Website], known: WebsiteFigures) -> list[SiteCard]:
    begun = [website.site for website in websites if website.site in known.beginnings]
    days = await series(visit.parts[QueryRunner], begun, ranges.zone(visit.person.time_zone), visit.call.now)
    return [site_card(website, None if days is None else days.get(website.site), known) for website in websites]


def _count(view: Listing, found: int, total: int) -> str:
    """The number of websites on the page, in words."""
    if view.search:
        return _("{found} of {total} websites").format(found=figures.count(found), total=figures.count(total))
    return _("{total} websites").format(total=figures.count(total))
