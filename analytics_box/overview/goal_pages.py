"""Goals on the overview: the one that the address chooses, and a panel of all that are active."""

from collections.abc import Sequence

from litestar.params import FromPath
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.dashboard import page
from analytics_box.dashboard.converting import Target
from analytics_box.dashboard.view import View, read_view
from analytics_box.errors import BoxError
from analytics_box.goals.figures import Period, Reached, rate_text, reached
from analytics_box.goals.goal import Goal
from analytics_box.goals.lookup import active_goals, goal_of
from analytics_box.goals.rules import filters_of
from analytics_box.http.page.visit import Page, Visit, Visitor
from analytics_box.overview.board import WEBSITE
from analytics_box.query.request import check_filters
from analytics_box.query.run import Queries
from analytics_box.texts import Goals, Overview, figures
from analytics_box.websites.reach import own
from analytics_box.websites.rules import Website


class GoalBar(Struct, frozen=True):
    """A goal in the panel. `href` chooses it, or no longer where it is `selected`."""

    name: str
    href: str
    conversions: str
    rate: str
    width: str
    selected: bool


class GoalPanel(Struct, frozen=True):
    """The panel: where it comes from, the goals, of which there are none while they are counted, and how many.
    `waiting` is the page that has them at once."""

    source: str
    waiting: str
    more: str
    expected: int
    bars: tuple[GoalBar, ...] = ()
    failed: str = ""


async def with_goal(visit: Visit, website: Website, view: View) -> View:
    """The view with what selects who reached its goal; without one that is not there, which it says."""
    if view.goal is None:
        return view
    goal = await goal_of(visit.call, website.id, view.goal.id)
    if goal is None:
        return replace(view, goal=None, unread=(*view.unread, Goals.not_there))
    filters = check_filters(list(filters_of(goal.definition)), "")
    return replace(view, goal=Target(goal.id, figures.visible(goal.name), filters))


async def goals_of(visit: Visit, website: Website, view: View) -> GoalPanel | None:
    """The panel, or its place, from which it is loaded by itself; None for a website without goals.

    A page that waits for all its parts has the panel, and so has one that is fetched to see what has changed.
    """
    goals = await active_goals(visit.call, website.id)
    if not goals:
        return None
    headers = visit.request.headers
    compared = "hx-request" in headers and "hx-boosted" not in headers
    return await _counted(visit, website, view, goals) if view.wait or compared else _panel(website, view, len(goals))


async def panel(visit: Visitor, website_id: FromPath[str]) -> Page:
    """GET /sites/{id}/goal-rates: the panel of goals, of what the address shows. Raises NotFound."""
    website = own(visit.call, website_id)
    view = read_view(f"/sites/{website.id}", visit.request.query_params, WEBSITE)
    shown = await _counted(visit, website, view, await active_goals(visit.call, website.id))
    return visit.pages.show("goal_panel.html", panel=shown)


async def _counted(visit: Visit, website: Website, view: View, goals: Sequence[Goal]) -> GoalPanel:
    """The panel with its numbers."""
    asking = await page.asking_for(visit, website.site, view)
    period = Period(asking.days, asking.zone, asking.now)
    try:
        found = await reached(
            visit.parts[Queries], website.site, [goal.definition for goal in goals], period, asking.filters
        )
    except BoxError as wrong:
        found = [wrong.message] * len(goals)
    failed = next((one for one in found if isinstance(one, str)), "")
    known = [(goal, one) for goal, one in zip(goals, found, strict=True) if isinstance(one, Reached)]
    largest = max((one.conversions for _, one in known), default=0)
    chosen = view.goal.id if view.goal is not None else ""
    bars = tuple(
        GoalBar(
            figures.visible(goal.name),
            replace(view, goal=None if goal.id == chosen else Target(goal.id)).link(),
            figures.count(one.conversions),
            rate_text(one),
            figures.bar_width(one.conversions, largest),
            goal.id == chosen,
        )
        for goal, one in known
    )
    return replace(_panel(website, view, len(goals)), bars=bars, failed=Overview.failed if failed else "")


def _panel(website: Website, view: View, number: int) -> GoalPanel:
    source = replace(view, path=f"/sites/{website.id}/goal-rates").link()
    return GoalPanel(source, view.waiting_link, f"/sites/{website.id}/goals", number)
