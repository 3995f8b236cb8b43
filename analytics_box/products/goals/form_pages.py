"""The form of a goal: a new one, changing one, trying what it would count, and deleting one."""

from collections.abc import Awaitable, Callable, Mapping

from litestar.params import FromPath
from msgspec.structs import replace

from analytics_box.base.errors import BadRequest
from analytics_box.base.texts import GoalTexts
from analytics_box.products.goals import calls
from analytics_box.products.goals.change import definition_of
from analytics_box.products.goals.form import LABELS, fields_of, message_of, values_of
from analytics_box.products.goals.goal import Goal
from analytics_box.products.goals.messages import ChangedGoal, NewGoal, OneGoal
from analytics_box.products.goals.pages import USUAL, period_of
from analytics_box.products.goals.reach import find_goal
from analytics_box.products.goals.rules import MOST_CONDITIONS
from analytics_box.products.goals.shown import home
from analytics_box.products.goals.trying import GoalTrial, try_goal
from analytics_box.query.run import QueryRunner
from analytics_box.tenants.tenancy import messages
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.rules import Website
from analytics_box.tenants.websites.shell import site_shell
from analytics_box.web.page.questions import ask
from analytics_box.web.page.templates import field_errors
from analytics_box.web.page.visit import Again, Answer, Page, PageRequest, Visitor


async def new_form(visit: Visitor, website_id: FromPath[str]) -> Page:
    """GET /sites/{id}/goals/new; `?event=` is filled in. Raises NotFound."""
    event = visit.asked("event")[:1_000]
    given = {"kind": "event", "target": event, "name": event[:100]} if event else {}
    return _form(visit, own(visit.call, website_id), None, Again(values={"active": "on", **given}))


async def add(visit: Visitor, website_id: FromPath[str]) -> Answer:
    """POST /sites/{id}/goals/new. Raises NotFound."""
    website, form = own(visit.call, website_id), await visit.form()

    async def save() -> str:
        await calls.create(visit.call, _new(website, form))
        return f"{home(website)}?done=created"

    return await _answer_form(visit, website, None, form, save)


async def edit_form(visit: Visitor, website_id: FromPath[str], goal_id: FromPath[str]) -> Page:
    """GET /sites/{id}/goals/{goal}. Raises NotFound."""
    website, goal = await find_goal(visit.call, goal_id, website_id)
    return _form(visit, website, goal, Again(values=values_of(goal)))


async def save(visit: Visitor, website_id: FromPath[str], goal_id: FromPath[str]) -> Answer:
    """POST /sites/{id}/goals/{goal}. Raises NotFound."""
    website, goal = await find_goal(visit.call, goal_id, website_id)
    form = await visit.form()

    async def save() -> str:
        given = messages.message_of({"id": goal.id, **message_of(form)}, ChangedGoal, "{message}")
        await calls.update(visit.call, given)
        return f"{home(website)}?done=saved"

    return await _answer_form(visit, website, goal, form, save)


async def _answer_form(
    visit: PageRequest,
    website: Website,
    goal: Goal | None,
    form: Mapping[str, str],
    save: Callable[[], Awaitable[str]],
) -> Answer:
    """The answer to a form: it is saved, or, with the button that tries it, shown again with the visitors it would
    count.
    """

    async def again(visit: PageRequest, again: Again) -> Page:
        return _form(visit, website, goal, again)

    if "try" not in form:
        return await visit.submit(save, again, values=form)
    try:
        given = _new(website, {**form, "name": form.get("name", "").strip() or GoalTexts.goal})
        definition = definition_of(given)
    except BadRequest as refused:
        return _form(visit, website, goal, Again(refused.status, form, field_errors(refused)))
    if goal is not None:
        definition = replace(definition, filters=goal.definition.filters)  # which the form does not show
    found = await try_goal(visit.parts[QueryRunner], website.site, definition, period_of(visit, USUAL))
    return _form(visit, website, goal, Again(values=form), found)


def _new(website: Website, form: Mapping[str, str]) -> NewGoal:
    """Raises BadRequest."""
    return messages.message_of({"websiteId": website.id, **message_of(form)}, NewGoal, "{message}")


async def delete_form(visit: Visitor, website_id: FromPath[str], goal_id: FromPath[str]) -> Page:
    """GET /sites/{id}/goals/{goal}/delete: are you sure? Raises NotFound."""
    website, goal = await find_goal(visit.call, goal_id, website_id)
    here = f"{home(website)}/{goal.id}"
    shell = site_shell(visit, "goals", website)
    return ask(visit, shell, GoalTexts.delete, goal.name, action=f"{here}/delete", back=here)


async def delete(visit: Visitor, website_id: FromPath[str], goal_id: FromPath[str]) -> Answer:
    """POST /sites/{id}/goals/{goal}/delete. Raises NotFound."""
    website, goal = await find_goal(visit.call, goal_id, website_id)
    await calls.delete(visit.call, OneGoal(goal.id))
    return visit.go(f"{home(website)}?done=deleted")


def _form(
    visit: PageRequest, website: Website, goal: Goal | None, again: Again, tried: GoalTrial | None = None
) -> Page:
    return visit.pages.show(
        "goal_form.html",
        code=again.code,
        shell=site_shell(visit, "goals", website),
        site=website,
        home=home(website),
        action=f"{home(website)}/{goal.id if goal is not None else 'new'}",
        is_new=goal is None,
        values=again.values,
        errors=again.wrong,
        labels=LABELS,
        general=again.general,
        numbers=range(MOST_CONDITIONS),
        tried=tried,
        narrowed=GoalTexts.narrowed.format(fields=fields_of(goal.definition))
        if goal and goal.definition.filters
        else "",
    )
