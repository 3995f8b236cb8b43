"""The form of a funnel: creating, changing and deleting one."""

from collections.abc import Mapping

from litestar.params import FromPath

from analytics_box.base.translation import _, ngettext
from analytics_box.figures import page
from analytics_box.figures.asking import UnansweredQuery
from analytics_box.figures.view import read_view
from analytics_box.products.funnels import calls
from analytics_box.products.funnels.form import (
    KIND_LABELS,
    LABELS,
    ORDER_LABELS,
    UNIT_LABELS,
    goal_names,
    home,
    message_of,
    rows_of,
    values_of,
    with_goals,
)
from analytics_box.products.funnels.funnel import Funnel
from analytics_box.products.funnels.lookup import find_funnel
from analytics_box.products.funnels.messages import ChangedFunnel, NewFunnel, OneFunnel
from analytics_box.products.funnels.suggestion import suggest_pages
from analytics_box.products.goals.form import OPERATOR_LABELS, fields_of
from analytics_box.products.goals.goal import GoalDefinition
from analytics_box.products.goals.lookup import active_goals, find_goal
from analytics_box.products.overview.board import WEBSITE
from analytics_box.tenants.tenancy import messages
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.rules import Website
from analytics_box.tenants.websites.shell import site_shell
from analytics_box.web.page.edits import check_version, shown_version
from analytics_box.web.page.questions import ConfirmationTexts, ask
from analytics_box.web.page.visit import Again, Answer, Page, PageRequest, Visitor

MOST_SUGGESTED = 6
_DELETE = ConfirmationTexts(
    _("Delete the funnel {name}?"), _("Events are kept. Only the funnel is deleted."), _("Delete {name}")
)


async def new_form(visit: Visitor, website_id: FromPath[str]) -> Page:
    """GET /sites/{id}/funnels/new?kind-0=page&target-0=… or ?goal=…: the form, with steps from its address or with the
    commonest way to a goal. Raises NotFound."""
    website, goal_id = own(visit.call, website_id), visit.asked("goal")
    if goal_id:
        return await _suggestion(visit, website, goal_id)
    steps = {name: value for name, value in visit.request.query_params.items() if name.startswith(("kind-", "target-"))}
    return await _form(visit, website, None, Again(values={"isActive": "on", **steps}))


async def _suggestion(visit: PageRequest, website: Website, goal_id: str) -> Page:
    """The form with the commonest way to a goal. Raises NotFound."""
    _website, goal = await find_goal(visit.call, goal_id, website.id)
    asking, _board = await page.empty(visit, website.site, read_view(f"/sites/{website.id}", {}, WEBSITE))
    try:
        pages = await suggest_pages(asking, goal)
    except UnansweredQuery:
        pages = []
    values = {"isActive": "on", "name": _("To “{goal}”").format(goal=goal.name)[:100]}
    for number, (kind, target) in enumerate((*(("page", path) for path in pages), ("goal", goal.id))):
        values |= {f"kind-{number}": kind, f"target-{number}": target}
    days = asking.days.length
    said = ngettext(
        "Suggested: the most common way to this goal today.",
        "Suggested: the most common way to this goal in the last {days} days.",
        days,
    ).format(days=days)
    if not pages:
        said = _("No way to this goal was found. Add the steps before it.")
    return await _form(visit, website, None, Again(values=values), said)


async def add(visit: Visitor, website_id: FromPath[str]) -> Answer:
    """POST /sites/{id}/funnels/new. Raises NotFound."""
    website, form = own(visit.call, website_id), await visit.form()

    async def save() -> str:
        given = {"websiteId": website.id, **message_of(await _goals_by_id(visit, website, form))}
        made = await calls.create(visit.call, messages.message_of(given, NewFunnel))
        return f"{home(website)}/{made.id}?done=created"

    async def again(visit: PageRequest, again: Again) -> Page:
        return await _form(visit, website, None, again)

    if "more" in form:
        return await _form(visit, website, None, Again(values=form))
    return await visit.submit(save, again, values=form)


async def edit_form(visit: Visitor, website_id: FromPath[str], funnel_id: FromPath[str]) -> Page:
    """GET /sites/{id}/funnels/{funnel}/edit. Raises NotFound."""
    website, funnel = await find_funnel(visit.call, funnel_id, website_id)
    return await _form(visit, website, funnel, Again(values=values_of(funnel)))


async def save(visit: Visitor, website_id: FromPath[str], funnel_id: FromPath[str]) -> Answer:
    """POST /sites/{id}/funnels/{funnel}/edit. Raises NotFound."""
    website, funnel = await find_funnel(visit.call, funnel_id, website_id)
    form = await visit.form()

    async def save() -> str:
        check_version(form, funnel)
        steps = message_of(await _goals_by_id(visit, website, form), funnel.definition)
        given = {"id": funnel.id, **steps}
        await calls.update(visit.call, messages.message_of(given, ChangedFunnel))
        return f"{home(website)}/{funnel.id}?done=saved"

    async def again(visit: PageRequest, again: Again) -> Page:
        return await _form(visit, website, funnel, again)

    if "more" in form:
        return await _form(visit, website, funnel, Again(values=form))
    return await visit.submit(save, again, values=form)


async def delete_form(visit: Visitor, website_id: FromPath[str], funnel_id: FromPath[str]) -> Page:
    """GET /sites/{id}/funnels/{funnel}/delete: confirm the deletion. Raises NotFound."""
    website, funnel = await find_funnel(visit.call, funnel_id, website_id)
    here = f"{home(website)}/{funnel.id}"
    shell = site_shell(visit, "funnels", website)
    return ask(visit, shell, _DELETE, funnel.name, action=f"{here}/delete", back=f"{here}/edit")


async def delete(visit: Visitor, website_id: FromPath[str], funnel_id: FromPath[str]) -> Answer:
    """POST /sites/{id}/funnels/{funnel}/delete. Raises NotFound."""
    website, funnel = await find_funnel(visit.call, funnel_id, website_id)
    await calls.delete(visit.call, OneFunnel(funnel.id))
    return visit.go(f"{home(website)}?done=deleted")


async def _goals_by_id(visit: PageRequest, website: Website, form: Mapping[str, str]) -> dict[str, str]:
    """The form with the ids of the goals that its steps name."""
    names = goal_names(await active_goals(visit.parts.box_db, website.id))
    return with_goals(form, {name: goal_id for goal_id, name in names.items()})


async def _form(visit: PageRequest, website: Website, funnel: Funnel | None, again: Again, suggested: str = "") -> Page:
    goals = goal_names(await active_goals(visit.parts.box_db, website.id))
    values = with_goals(again.values, goals)
    return visit.pages.show(
        "funnel_form.html",
        code=again.code,
        shell=site_shell(visit, "funnels", website),
        site=website,
        home=home(website),
        action=f"{home(website)}/{f'{funnel.id}/edit' if funnel is not None else 'new'}",
        back=f"{home(website)}/{funnel.id}" if funnel is not None else home(website),
        is_new=funnel is None,
        version=shown_version(funnel, values) if funnel is not None else "",
        values=values,
        errors=again.wrong,
        labels=LABELS,
        general=again.general,
        numbers=range(rows_of(values)),
        goals=sorted(goals.values()),
        suggested=suggested,
        suggestions={f"{home(website)}/new?goal={goal_id}": name for goal_id, name in [*goals.items()][:MOST_SUGGESTED]}
        if funnel is None and not any(name.startswith("target-") for name in values)
        else {},
        kinds=KIND_LABELS,
        orders=ORDER_LABELS,
        units=UNIT_LABELS,
        operators=OPERATOR_LABELS,
        filtered=fields_of(GoalDefinition("PAGE_VIEW", "/", funnel.definition.filters)) if funnel is not None else "",
    )
