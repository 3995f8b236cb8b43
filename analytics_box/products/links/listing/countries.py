"""The page of an organization's clicks by country: the links that visitors of each country click most."""

from functools import partial
from typing import Final
from urllib.parse import urlencode

from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.clock import DAY
from analytics_box.base.translation import _
from analytics_box.products.links import rows
from analytics_box.products.links.clicks import rows as click_rows
from analytics_box.products.links.clicks.waiting import Clicks
from analytics_box.products.links.listing import ranked
from analytics_box.products.links.page_frame import HOME, frame
from analytics_box.products.links.rows import LinkSelection
from analytics_box.web.page.visit import Page, Visitor
from analytics_box.web.recognition.language import display_name

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
