"""The form of a goal: a new one, changing one, trying what it would count, and deleting one."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

from litestar.params import FromPath
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _, ngettext
from analytics_box.products.goals import calls
from analytics_box.products.goals.figures import GoalFigures, GoalPeriod, goal_figures
from analytics_box.products.goals.form import LABELS, OPERATOR_LABELS, fields_of, message_of, values_of
from analytics_box.products.goals.goal import Goal, GoalDefinition, home
from analytics_box.products.goals.lookup import definition_of, find_goal
from analytics_box.products.goals.messages import ChangedGoal, NewGoal, OneGoal
from analytics_box.products.goals.pages import USUAL, period_of
from analytics_box.products.goals.rules import MOST_CONDITIONS, page_filter
from analytics_box.query.access import ReadScope
from analytics_box.query.request import MAX_LIMIT
from analytics_box.query.run import QueryRunner
from analytics_box.tenants.tenancy import messages
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.rules import Website
from analytics_box.tenants.websites.shell import site_shell
from analytics_box.web.page.edits import check_version, shown_version
from analytics_box.web.page.questions import ConfirmationTexts, ask
from analytics_box.web.page.templates import field_errors
from analytics_box.web.page.visit import Again, Answer, Page, PageRequest, Visitor

_DELETE = ConfirmationTexts(_("Delete the goal {name}?"), _("Events and page views are kept."), _("Delete {name}"))


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
        return GoalTrial(_("These figures could not be loaded: {why}").format(why=found), nobody=True)
    if goal.type != "PAGE_VIEW":
        return GoalTrial(
            _trial_text(_("{conversions} of {visitors} visitors would have reached it: {rate}."), found),
            nobody=not found.conversions,
        )
    pages = await _pages(queries, site, goal, period)
    known = f"{figures.count(len(pages))}+" if len(pages) >= MAX_LIMIT else figures.count(len(pages))
    words = ngettext("1 page matches.", "{pages} pages match.", len(pages)).format(pages=known)
    others = len(pages) - MOST_PAGES
    return GoalTrial(
        " ".join((words, _trial_text(_("{conversions} of {visitors} visitors would have reached it: {rate}."), found))),
        tuple((figures.visible(path), figures.count(visitors)) for path, visitors in pages[:MOST_PAGES]),
        _("and {count} more").format(count=figures.count(others)) if others > 0 else "",
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
        check_version(form, goal)
        given = messages.message_of({"id": goal.id, **message_of(form)}, ChangedGoal)
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
        given = _new(website, {**form, "name": form.get("name", "").strip() or _("Goal")})
        definition = definition_of(given)
    except BadRequest as refused:
        return _form(visit, website, goal, Again(refused.status, form, field_errors(refused)))
    if goal is not None:
        definition = replace(definition, filters=goal.definition.filters)  # which the form does not show
    found = await try_goal(visit.parts[QueryRunner], website.site, definition, period_of(visit, USUAL))
    return _form(visit, website, goal, Again(values=form), found)


def _new(website: Website, form: Mapping[str, str]) -> NewGoal:
    """Raises BadRequest."""
    return messages.message_of({"websiteId": website.id, **message_of(form)}, NewGoal)


async def delete_form(visit: Visitor, website_id: FromPath[str], goal_id: FromPath[str]) -> Page:
    """GET /sites/{id}/goals/{goal}/delete: are you sure? Raises NotFound."""
    website, goal = await find_goal(visit.call, goal_id, website_id)
    here = f"{home(website)}/{goal.id}"
    shell = site_shell(visit, "goals", website)
    return ask(visit, shell, _DELETE, goal.name, action=f"{here}/delete", back=here)


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
        version=shown_version(goal, again.values) if goal is not None else "",
        values=again.values,
        errors=again.wrong,
        labels=LABELS,
        general=again.general,
        numbers=range(MOST_CONDITIONS),
        tried=tried,
        narrowed=_("Filters added over the API: {fields}. Saving keeps them.").format(fields=fields_of(goal.definition))
        if goal and goal.definition.filters
        else "",
        operator_labels=OPERATOR_LABELS,
    )
