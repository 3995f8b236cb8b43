"""The list of an organization's links under /links, and deleting a link."""

from functools import partial
from typing import Final
from urllib.parse import urlencode

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.clock import DAY
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.links import rows
from analytics_box.products.links.clicks import rows as click_rows
from analytics_box.products.links.clicks.waiting import Clicks
from analytics_box.products.links.editing import calls as procedures
from analytics_box.products.links.editing.calls import LinkShown
from analytics_box.products.links.folders.calls import folder_names
from analytics_box.products.links.link import LONGEST_TAG
from analytics_box.products.links.listing import calls, ranked
from analytics_box.products.links.listing.calls import LinkPage, Sort
from analytics_box.products.links.listing.lines import line
from analytics_box.products.links.messages import OneLink
from analytics_box.products.links.page_frame import DONE, HOME, frame, links_in_words
from analytics_box.products.links.rows import LinkSelection
from analytics_box.web.page.questions import ConfirmationTexts
from analytics_box.web.page.resource_form import DeletePages, DeleteQuestion
from analytics_box.web.page.visit import Page, PageRequest, Visitor
from analytics_box.web.recognition.language import display_name

_DELETE = ConfirmationTexts(
    _("Delete {name}?"),
    _("{address} stops working immediately, and its clicks are deleted. This cannot be undone."),
    _("Delete {name}"),
)


AT_ONCE = 50  # links on a page
MOST_TAGS = 200  # to choose from; any other tag is chosen by a click on it
# Lists with fewer links have neither a search nor filters.
SEARCHED = 12
NO_FOLDER = "none"
SORTS: tuple[Sort, ...] = ("newest", "oldest", "clicks", "last-click", "name-asc", "name-desc")


class LinkListState(Struct, frozen=True):
    """The state of the list in its URL: ?search= &folder= (an id, or none) &tag= &sort= &page=."""

    search: str = ""
    folder: str = ""
    tag: str = ""
    sort: Sort = "newest"
    page: int = 1

    @property
    def narrowed(self) -> bool:
        """Whether filters leave out links."""
        return bool(self.search or self.folder or self.tag)

    @property
    def folder_id(self) -> str | UnsetType | None:
        """The folder, as input of procedures."""
        if self.folder == NO_FOLDER:
            return None
        return self.folder or UNSET

    def link(self, **changes: object) -> str:
        """The URL of this list with these changes, for templates."""
        state = replace(self, **changes)
        parameters = {
            "search": state.search,
            "folder": state.folder,
            "tag": state.tag,
            "sort": state.sort if state.sort != "newest" else "",
            "page": str(state.page) if state.page > 1 else "",
        }
        query = urlencode({name: value for name, value in parameters.items() if value})
        return f"{HOME}?{query}" if query else HOME


async def link_list(visit: Visitor) -> Page:
    """GET /links."""
    asked, person = read_asked(visit), visit.person
    page = LinkPage(
        folder_id=asked.folder_id,
        tag=asked.tag or None,
        search=asked.search or None,
        sort=asked.sort,
        limit=AT_ONCE,
        offset=(asked.page - 1) * AT_ONCE,
    )
    answer = await calls.list_page(visit.call, page)
    among = visit.call.identity.resources
    everything = LinkSelection(person.organization_id, among=among)
    selection = replace(everything, folder_id=asked.folder_id, tag=page.tag, search=page.search)

    def look(db: Connection) -> tuple[int, list[str], bool]:
        tags = rows.tag_names(db, person.organization_id, MOST_TAGS) if among is None else []
        some = rows.numbers(db, everything, limit=SEARCHED)
        return rows.count(db, selection), tags, len(some) == SEARCHED

    total, tags, searched = await visit.call.read(look)
    folders = await folder_names(visit) if among is None else {}
    return visit.pages.show(
        "links.html",
        shell=frame(visit.person),
        asked=asked,
        searched=searched or asked.narrowed,
        links=[line(link, folders, person, visit.call.now) for link in answer.items],
        counted=_count_text(asked, len(answer.items), total),
        folders=folders,
        tags=[(tag, tag) for tag in (tags if not asked.tag or asked.tag in tags else [asked.tag, *tags])],
        later=asked.link(page=asked.page + 1) if answer.hasMore else "",
        earlier=asked.link(page=asked.page - 1) if asked.page > 1 else "",
        editable=person.may_create,
        done=DONE.get(visit.asked("done"), ""),
    )


async def _find(visit: PageRequest) -> tuple[None, LinkShown]:
    link = await procedures.get(visit.call, OneLink(visit.path("link_id")))
    return None, link


DELETION: Final = DeletePages(
    find=_find,
    question=lambda visit, _owner, link: DeleteQuestion(
        _DELETE, frame(visit.person), link.name, f"{HOME}/{link.id}", {"address": link.short_url}
    ),
    delete=lambda visit, _owner, link: procedures.delete(visit.call, OneLink(link.id)),
    after=lambda _owner, _form: f"{HOME}?done=deleted",
)


def read_asked(visit: PageRequest) -> LinkListState:
    """The state of the list from the URL. Invalid values are ignored."""
    page = visit.asked("page")
    return LinkListState(
        search=visit.asked("search").strip()[:255],
        folder=visit.asked("folder")[:255],
        tag=visit.asked("tag")[:LONGEST_TAG],
        sort=next((sort for sort in SORTS if sort == visit.asked("sort")), "newest"),
        page=int(page) if page.isascii() and page.isdecimal() and int(page[:6]) > 0 and len(page) < 6 else 1,
    )


def _count_text(asked: LinkListState, shown: int, total: int) -> str:
    """The number of links, and the range on this page, in words."""
    if total <= AT_ONCE and asked.page == 1:
        return links_in_words(total)
    first = (asked.page - 1) * AT_ONCE + 1
    return _("{first}–{last} of {count}").format(
        first=figures.count(first), last=figures.count(first + shown - 1), count=figures.count(total)
    )


RANGES: Final = {"last_7d": 7, "last_30d": 30, "last_90d": 90}  # as the page of a link names them, in days
USUAL: Final = "last_30d"
# Links with few clicks do not lead in a country, so the page reads only the most clicked ones.
MOST_LINKS: Final = 500
MOST_COUNTRIES: Final = 40
PER_COUNTRY: Final = 3
SECONDS: Final = 5


class CountryLink(Struct, frozen=True):
    """A link, its clicks from a country, and the page that shows only those clicks."""

    name: str
    clicks: str
    href: str


class CountryLine(Struct, frozen=True):
    """A country, its clicks, and its most clicked links."""

    name: str
    clicks: str
    links: tuple[CountryLink, ...]


async def clicks_by_country(visit: Visitor) -> Page:
    """GET /links/countries?range=: the most clicked links of each country."""
    chosen = visit.asked("range") if visit.asked("range") in RANGES else USUAL
    everything = LinkSelection(visit.person.organization_id, limit=MOST_LINKS)
    numbers = await ranked.numbers(visit.call, everything, "clicks")
    since = visit.call.now - RANGES[chosen] * DAY
    clicks = await visit.parts[Clicks].events.read(
        partial(click_rows.by_country, links=numbers, since=since), seconds=SECONDS
    )
    countries: dict[str, list[tuple[int, int]]] = {}
    for country, number, count in clicks:
        countries.setdefault(country, []).append((number, count))
    totals = {country: sum(count for _number, count in links) for country, links in countries.items()}
    first = sorted(totals, key=lambda country: (-totals[country], country))[:MOST_COUNTRIES]
    shown = {number for country in first for number, _count in countries[country][:PER_COUNTRY]}
    links = {link.number: link for link in await visit.call.read(lambda db: rows.in_order(db, tuple(shown)))}
    return visit.pages.show(
        "link_countries.html",
        shell=frame(visit.person),
        ranges=tuple((name, _("{count} days").format(count=days), name == chosen) for name, days in RANGES.items()),
        lines=[
            CountryLine(
                display_name("country", country) or _("Unknown"),
                figures.count(totals[country]),
                tuple(
                    CountryLink(
                        figures.visible(links[number].name),
                        figures.count(count),
                        f"{HOME}/{links[number].id}?{_filters(chosen, country)}",
                    )
                    for number, count in countries[country][:PER_COUNTRY]
                    if number in links
                ),
            )
            for country in first
        ],
    )


def _filters(chosen: str, country: str) -> str:
    """The query of a link's page in this range and country."""
    return urlencode({"range": chosen} | ({"country": country} if country else {}))
