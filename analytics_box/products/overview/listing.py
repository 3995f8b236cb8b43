"""The state of the list of websites in its address: search, order and page. Pure.

        q=shop      sort=change (or visitors, online, name, newest)      page=2

Pages are forgiving: invalid values fall back to the default, and defaults are left out of addresses.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal
from urllib.parse import urlencode

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.products.overview.week import Totals, Weeks
from analytics_box.tenants.websites.rules import Website

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

    def change(self, site: int) -> float | None:
        """By how much of the week before this week's visitors are more; None where these cannot be compared."""
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
