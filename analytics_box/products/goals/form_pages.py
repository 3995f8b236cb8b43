"""The form of a goal: a new one, changing one, trying what it would count, and deleting one."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _, ngettext
from analytics_box.products.goals import calls
from analytics_box.products.goals.figures import GoalFigures, GoalPeriod, goal_figures
from analytics_box.products.goals.form import LABELS, OPERATOR_LABELS, fields_of, message_of, values_of
from analytics_box.products.goals.goal import Goal, GoalDefinition
from analytics_box.products.goals.lookup import definition_of, find_goal
from analytics_box.products.goals.messages import ChangedGoal, NewGoal, OneGoal
from analytics_box.products.goals.pages import USUAL, period_of
from analytics_box.products.goals.rules import MOST_CONDITIONS, page_filter
from analytics_box.query.access import ReadScope
from analytics_box.query.request import MAX_LIMIT
from analytics_box.query.run import QueryRunner
from analytics_box.tenants.tenancy import messages
from analytics_box.tenants.websites.resource_form import WebsiteForm
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.page.questions import ConfirmationTexts
from analytics_box.web.page.resource_form import Form
from analytics_box.web.page.templates import field_errors
from analytics_box.web.page.visit import Again, Page, PageRequest

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
    (found,) = await goal_figures(queries, site, [goal], period)
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


def _fill(visit: PageRequest, _website: Website, goal: Goal | None) -> Form:
    """The values of the form; the event of `?event=` is filled in."""
    if goal is not None:
        return values_of(goal)
    event = visit.asked("event")[:1_000]
    return {"active": "on", **({"kind": "event", "target": event, "name": event[:100]} if event else {})}


async def _message(_visit: PageRequest, _website: Website, _goal: Goal | None, form: Form) -> Mapping[str, Any]:
    return message_of(form)


async def _context(_visit: PageRequest, _website: Website, goal: Goal | None, _values: Form) -> Mapping[str, Any]:
    filters = fields_of(goal.definition) if goal is not None else ""
    return {
        "numbers": range(MOST_CONDITIONS),
        "narrowed": _("Filters added over the API: {fields}. Saving keeps them.").format(fields=filters)
        if filters
        else "",
        "operator_labels": OPERATOR_LABELS,
        "tried": None,
    }


_FORM: Final = WebsiteForm[Goal](path="goals", template="goal_form.html", here="goals", labels=LABELS, context=_context)


async def _press(visit: PageRequest, website: Website, goal: Goal | None, form: Form) -> Page | None:
    """The form with the visitors that the goal would count, for the button that tries it."""
    if "try" not in form:
        return None
    name = form.get("name", "").strip() or _("Goal")
    try:
        given = messages.message_of({"websiteId": website.id, **message_of(form), "name": name}, NewGoal)
        definition = definition_of(given)
    except BadRequest as refused:
        return await _FORM.show(visit, website, goal, Again(refused.status, form, field_errors(refused)))
    if goal is not None:
        definition = replace(definition, filters=goal.definition.filters)  # which the form does not show
    tried = await try_goal(visit.parts[QueryRunner], website.site, definition, period_of(visit, USUAL))
    return await _FORM.show(visit, website, goal, Again(values=form), tried=tried)


PAGES: Final = _FORM.pages(
    parameter="goal_id",
    find=find_goal,
    fill=_fill,
    message=_message,
    create=(calls.create, NewGoal),
    update=(calls.update, ChangedGoal),
    delete=(calls.delete, OneGoal),
    question=_DELETE,
    press=_press,
)
