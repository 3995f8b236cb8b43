"""What a goal would have counted, before it is saved: the visitors of the last 30 days, and the pages of a path."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.texts import Goals, figures
from analytics_box.products.goals.figures import Period, Reached, reached
from analytics_box.products.goals.goal import Definition
from analytics_box.products.goals.rules import page_filter
from analytics_box.query.access import Scope
from analytics_box.query.request import MAX_LIMIT
from analytics_box.query.run import Queries

MOST_PAGES: Final = 5  # that are named


class Tried(Struct, frozen=True):
    """What is said of a trial: one line, the pages that fit with their visitors, how many others do, and whether nobody
    did it at all."""

    said: str
    pages: tuple[tuple[str, str], ...] = ()
    others: str = ""
    nobody: bool = False


async def tried(queries: Queries, site: int, goal: Definition, period: Period) -> Tried:
    """What this goal would have counted in the period."""
    (found,) = await reached(queries, site, [replace(goal, amount="")], period)
    if isinstance(found, str):
        return Tried(Goals.failed.format(why=found), nobody=True)
    if goal.type != "PAGE_VIEW":
        return Tried(_said(Goals.tried, found), nobody=not found.conversions)
    pages = await _pages(queries, site, goal, period)
    known = f"{figures.count(len(pages))}+" if len(pages) >= MAX_LIMIT else figures.count(len(pages))
    words = Goals.tried_page if len(pages) == 1 else Goals.tried_pages.format(pages=known)
    others = len(pages) - MOST_PAGES
    return Tried(
        f"{words} {_said(Goals.tried, found)}",
        tuple((figures.visible(path), figures.count(visitors)) for path, visitors in pages[:MOST_PAGES]),
        Goals.tried_others.format(count=figures.count(others)) if others > 0 else "",
        not found.conversions,
    )


async def _pages(queries: Queries, site: int, goal: Definition, period: Period) -> Sequence[tuple[str, int]]:
    """The pages that the goal's path fits, the most viewed first."""
    own = replace(page_filter(goal.target), field="path")
    (entry,) = await queries.answer(period.request("top_pages", [own]), Scope((site,)))
    return [(row["path"], row["visitors"]) for row in entry.data] if entry.success else []


def _said(words: str, found: Reached) -> str:
    return words.format(
        conversions=figures.count(found.conversions),
        visitors=figures.count(found.visitors),
        rate=figures.percent(found.rate),
    )
