"""A goal on its own page: its conversions day by day, next to the notes of its website."""

import asyncio

from litestar.params import FromPath
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.translation import _
from analytics_box.figures import export, page
from analytics_box.figures.asking import SubjectFacts
from analytics_box.figures.converting import CONVERSIONS
from analytics_box.figures.narrowing import Narrow, Narrowing
from analytics_box.figures.view import read_view
from analytics_box.products.goals.figures import MOST_SECONDS, GoalPeriod, goal_revenue
from analytics_box.products.goals.form import goal_text
from analytics_box.products.goals.goal import WRITER, amount, home
from analytics_box.products.goals.lookup import find_goal
from analytics_box.products.notes.on_charts import on_charts
from analytics_box.products.overview.board import WEBSITE
from analytics_box.products.overview.one_chart import GOAL
from analytics_box.query import named
from analytics_box.query.run import QueryRunner
from analytics_box.tenants.websites.shell import site_shell
from analytics_box.web.page.visit import Next, Page, Visitor


async def show(visit: Visitor, website_id: FromPath[str]) -> Page:
    """GET /sites/{id}/goal?goal=…: what became of a goal. Raises NotFound."""
    website, goal = await find_goal(visit.call, visit.asked("goal"), website_id)
    view = read_view(f"/sites/{website.id}/goal", visit.request.query_params, GOAL)
    told = SubjectFacts(notes=on_charts(visit, website))
    asking, board = await page.alone(visit, website.site, view, told)
    on_overview = replace(board.view, path=f"/sites/{website.id}", of=WEBSITE, metric=CONVERSIONS, beside="")
    only = Narrowing((Narrow(named.GOAL, "is", (goal.id,)),))
    earnings = None
    if goal.definition.amount:
        period = GoalPeriod(asking.days, asking.zone, asking.now)
        until = asyncio.get_running_loop().time() + MOST_SECONDS
        earnings = await goal_revenue(visit.parts[QueryRunner], website.site, goal.definition, period, until)
    writes = visit.person.may(WRITER)
    return visit.pages.show(
        "goal.html",
        shell=site_shell(visit, "goals", website),
        site=website,
        name=figures.visible(goal.name),
        said=goal_text(goal.definition),
        description=figures.visible(goal.description),
        is_active=goal.is_active,
        board=board,
        sum=_("Sum of its amounts: {sum}").format(sum=amount(earnings)) if earnings is not None else "",
        home=home(website),
        overview=on_overview.link(),
        only=replace(on_overview.without_goal(), filters=only).link(),
        edit=f"{home(website)}/{goal.id}" if writes else "",
        funnel=f"/sites/{website.id}/funnels/new?goal={goal.id}" if writes else "",
    )


async def file(visit: Visitor, website_id: FromPath[str], form: FromPath[str]) -> Next:
    """GET /sites/{id}/goal/export/{form}?goal=…: the figures of a goal. Raises NotFound, RateLimited or Unavailable."""
    website, _goal = await find_goal(visit.call, visit.asked("goal"), website_id)
    view = read_view(f"/sites/{website.id}/goal", visit.request.query_params, GOAL)
    return await export.file(visit, website.site, view, (), form)
