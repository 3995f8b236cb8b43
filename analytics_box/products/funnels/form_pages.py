"""The form of a funnel: creating, changing and deleting one."""

from collections.abc import Mapping
from typing import Any, Final

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
from analytics_box.tenants.websites.resource_form import WebsiteForm
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.page.questions import ConfirmationTexts
from analytics_box.web.page.resource_form import Form
from analytics_box.web.page.visit import Again, Page, PageRequest

MOST_SUGGESTED = 6
_DELETE = ConfirmationTexts(
    _("Delete the funnel {name}?"), _("Events are kept. Only the funnel is deleted."), _("Delete {name}")
)


async def _context(visit: PageRequest, website: Website, funnel: Funnel | None, values: Form) -> Mapping[str, Any]:
    """The further values of the template; a new funnel for ?goal= has the commonest way to it. Raises NotFound."""
    goal_id = visit.asked("goal")
    if funnel is None and goal_id and visit.request.method == "GET":
        values = await _suggestion(visit, website, goal_id)
    goals = goal_names(await active_goals(visit.parts.box_db, website.id))
    values = with_goals(values, goals)
    suggestions = {
        f"{_FORM.address(website, None)}?goal={goal_id}": name for goal_id, name in [*goals.items()][:MOST_SUGGESTED]
    }
    is_empty = funnel is None and not any(name.startswith("target-") for name in values)
    return {
        "values": values,
        "numbers": range(rows_of(values)),
        "goals": sorted(goals.values()),
        "suggested": values.get("suggested", ""),
        "suggestions": suggestions if is_empty else {},
        "kinds": KIND_LABELS,
        "orders": ORDER_LABELS,
        "units": UNIT_LABELS,
        "operators": OPERATOR_LABELS,
        "filtered": fields_of(GoalDefinition("PAGE_VIEW", "/", funnel.definition.filters)) if funnel else "",
    }


_FORM: Final = WebsiteForm[Funnel](
    path="funnels", template="funnel_form.html", here="funnels", labels=LABELS, context=_context, has_page=True
)


async def _suggestion(visit: PageRequest, website: Website, goal_id: str) -> Form:
    """The values of a form with the commonest way to a goal, and what is suggested. Raises NotFound."""
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
    return {**values, "suggested": said}


def _fill(visit: PageRequest, _website: Website, funnel: Funnel | None) -> Form:
    """The values of the form; a new one has the steps of ?kind-0=page&target-0=…"""
    if funnel is not None:
        return values_of(funnel)
    steps = {name: value for name, value in visit.request.query_params.items() if name.startswith(("kind-", "target-"))}
    return {"isActive": "on", **steps}


async def _message(visit: PageRequest, website: Website, funnel: Funnel | None, form: Form) -> Mapping[str, Any]:
    """The fields of a funnel; its steps name goals, which are stored by id."""
    names = goal_names(await active_goals(visit.parts.box_db, website.id))
    goals = {name: goal_id for goal_id, name in names.items()}
    return message_of(with_goals(form, goals), funnel.definition if funnel is not None else None)


async def _press(visit: PageRequest, website: Website, funnel: Funnel | None, form: Form) -> Page | None:
    """The form with another step, for the button that adds one."""
    return await _FORM.show(visit, website, funnel, Again(values=form)) if "more" in form else None


PAGES: Final = _FORM.pages(
    parameter="funnel_id",
    find=find_funnel,
    fill=_fill,
    message=_message,
    create=(calls.create, NewFunnel),
    update=(calls.update, ChangedFunnel),
    delete=(calls.delete, OneFunnel),
    question=_DELETE,
    press=_press,
)
