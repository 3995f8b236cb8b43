"""Trial of a goal before it is saved: the visitors of the last 30 days, and the pages of a path."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.texts import GoalTexts, figures
from analytics_box.products.goals.figures import GoalFigures, GoalPeriod, goal_figures
from analytics_box.products.goals.goal import GoalDefinition
from analytics_box.products.goals.rules import page_filter
from analytics_box.query.access import ReadScope
from analytics_box.query.request import MAX_LIMIT
from analytics_box.query.run import QueryRunner

MOST_PAGES: Final = 5  # that are named


class GoalTrial(Struct, frozen=True):
    """The result of a trial: one line, the matching pages with their visitors, the number of further pages, and whether
    no
    visitor reached it.
    """

    said: str
    pages: tuple[tuple[str, str], ...] = ()
    others: str = ""
    nobody: bool = False


async def try_goal(queries: QueryRunner, site: int, goal: GoalDefinition, period: GoalPeriod) -> GoalTrial:
    """The figures that this goal would have had in the period."""
    (found,) = await goal_figures(queries, site, [replace(goal, amount="")], period)
    if isinstance(found, str):
        return GoalTrial(GoalTexts.failed.format(why=found), nobody=True)
    if goal.type != "PAGE_VIEW":
        return GoalTrial(_trial_text(GoalTexts.tried, found), nobody=not found.conversions)
    pages = await _pages(queries, site, goal, period)
    known = f"{figures.count(len(pages))}+" if len(pages) >= MAX_LIMIT else figures.count(len(pages))
    words = GoalTexts.tried_page if len(pages) == 1 else GoalTexts.tried_pages.format(pages=known)
    others = len(pages) - MOST_PAGES
    return GoalTrial(
        f"{words} {_trial_text(GoalTexts.tried, found)}",
        tuple((figures.visible(path), figures.count(visitors)) for path, visitors in pages[:MOST_PAGES]),
        GoalTexts.tried_others.format(count=figures.count(others)) if others > 0 else "",
        not found.conversions,
    )


async def _pages(
    queries: QueryRunner, site: int, goal: GoalDefinition, period: GoalPeriod
) -> Sequence[tuple[str, int]]:
    """The pages that the goal's path fits, the most viewed first."""
    own = replace(page_filter(goal.target), field="path")
    (entry,) = await queries.answer(period.request("top_pages", [own]), ReadScope((site,)))
    return [(row["path"], row["visitors"]) for row in entry.data] if entry.success else []


def _trial_text(words: str, found: GoalFigures) -> str:
    return words.format(
        conversions=figures.count(found.conversions),
        visitors=figures.count(found.visitors),
        rate=figures.percent(found.rate),
    )
