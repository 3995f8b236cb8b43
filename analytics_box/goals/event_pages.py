"""A custom event on a page of its own: how often, of how many visitors, with which properties, on which pages."""

from collections.abc import Sequence
from itertools import islice
from typing import Final

from litestar.params import FromPath
from msgspec import Struct

from analytics_box import errors
from analytics_box.goals.figures import Reached, rate_text
from analytics_box.goals.pages import USUAL, WRITER, address, choices, home, period_of, preset
from analytics_box.http.page.visit import Page, Visitor
from analytics_box.identity import at_least
from analytics_box.query.access import Scope
from analytics_box.query.catalog.types import Record
from analytics_box.query.request import GivenFilter
from analytics_box.query.run import Queries
from analytics_box.texts import EventPages, figures
from analytics_box.websites.reach import own
from analytics_box.websites.shell import site_shell

LONGEST_NAME: Final = 1_000
MOST_KEYS: Final = 50  # properties, those of the commonest values
MOST_VALUES: Final = 10  # of a property
MOST_PAGES: Final = 10
_TYPES: Final = ("summary_totals", "custom_events", "custom_event_properties", "custom_events_by_path")


class Bar(Struct, frozen=True):
    """A value or a page: how often it came, and its share."""

    label: str
    count: str
    share: str
    width: str


class PropertyShown(Struct, frozen=True):
    """A property with its commonest values; whether there are others."""

    key: str
    values: tuple[Bar, ...]
    more: bool


async def show(visit: Visitor, website_id: FromPath[str]) -> Page:
    """GET /sites/{id}/events?name=…; `&range=` is one of the presets. Raises NotFound."""
    website = own(visit.call, website_id)
    name, chosen = visit.asked("name")[:LONGEST_NAME], preset(visit)
    if not name:
        raise errors.NotFound("There is nothing at this address")
    period, queries = period_of(visit, chosen), visit.parts[Queries]
    only = [GivenFilter("event_name", "eq", name)]
    wanted = [period.request(kind, () if kind == "summary_totals" else only) for kind in _TYPES]
    async with queries.budgets.of_page(public=False) as budget:
        entries = [entry for (entry,) in await queries.answers(wanted, Scope((website.site,)), budget)]
    failed = next((str(entry.error) for entry in entries if not entry.success), "")
    whole, own_row, properties, pages = [entry.data for entry in entries]
    event = next(iter(own_row), {"total_events": 0, "unique_users": 0, "unique_sessions": 0})
    path, kept = f"/sites/{website.id}/events", "" if chosen == USUAL else chosen
    return visit.pages.show(
        "event.html",
        shell=site_shell(visit, "goals", website),
        site=website,
        name=figures.visible(name),
        home=address(home(website), range=kept),
        ranges=choices(path, chosen, name=name),
        tiles=() if failed else _tiles(event, whole),
        properties=() if failed else _properties(properties, int(event["total_events"])),
        more=len({row["property_key"] for row in properties}) > MOST_KEYS,
        pages=() if failed else _bars(pages[:MOST_PAGES], "name", "total_events", int(event["total_events"])),
        more_pages=len(pages) > MOST_PAGES,
        failed=EventPages.failed.format(why=failed) if failed else "",
        overview=address(f"/sites/{website.id}", range=kept, event=name),
        new_goal=address(f"{home(website)}/new", event=name) if at_least(visit.person.role, WRITER) else "",
    )


def _tiles(event: Record, whole: Sequence[Record]) -> tuple[tuple[str, str], ...]:
    reached = Reached(int(whole[0]["visitors"]), int(event["unique_users"]))
    return (
        (EventPages.times, figures.count(event["total_events"])),
        (EventPages.visitors, figures.count(event["unique_users"])),
        (EventPages.sessions, figures.count(event["unique_sessions"])),
        (EventPages.rate, rate_text(reached)),
    )


def _properties(found: Sequence[Record], events: int) -> tuple[PropertyShown, ...]:
    """By key; the values of each are in the order of the answer, the commonest first."""
    keys: dict[str, list[Record]] = {}
    for row in found:
        keys.setdefault(row["property_key"], []).append(row)
    return tuple(
        PropertyShown(
            figures.visible(key), _bars(own[:MOST_VALUES], "property_value", "count", events), len(own) > MOST_VALUES
        )
        for key, own in islice(keys.items(), MOST_KEYS)
    )


def _bars(found: Sequence[Record], label: str, count: str, whole: int) -> tuple[Bar, ...]:
    largest = max((row[count] for row in found), default=0)
    return tuple(
        Bar(
            figures.visible(row[label]) or EventPages.unknown_page,
            figures.count(row[count]),
            figures.percent(100 * row[count] / whole) if whole else "",
            figures.bar_width(row[count], largest),
        )
        for row in found
    )
