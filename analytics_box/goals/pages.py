"""The goals of a website and its custom events: the list with rates, the form of a goal, and deleting one."""

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlencode

from litestar.params import FromPath
from msgspec import Struct

from analytics_box.facts.event import EXPOSURE
from analytics_box.goals import calls, rows
from analytics_box.goals.figures import Period, Reached, rate_text, reached
from analytics_box.goals.form import LABELS, fields_of, message_of, said, values_of
from analytics_box.goals.goal import Goal
from analytics_box.goals.messages import ChangedGoal, NewGoal, OneGoal
from analytics_box.goals.rules import MOST_CONDITIONS
from analytics_box.http.page.questions import ask
from analytics_box.http.page.visit import Again, Answer, Page, Visit, Visitor
from analytics_box.identity import at_least
from analytics_box.query import ranges
from analytics_box.query.access import Scope
from analytics_box.query.ranges import PRESETS, Preset
from analytics_box.query.run import Queries
from analytics_box.tenancy import messages
from analytics_box.texts import Goals, figures
from analytics_box.websites.reach import own
from analytics_box.websites.rules import Website
from analytics_box.websites.shell import site_shell

WRITER: Final = "member"
USUAL: Final[Preset] = "last_30d"
MOST_EVENTS: Final = 100


class GoalLine(Struct, frozen=True):
    """A goal in the list. `overview` shows everything beside its conversions."""

    name: str
    said: str
    overview: str
    edit: str
    conversions: str
    rate: str
    width: str
    revenue: str
    is_active: bool
    failed: str = ""


class EventLine(Struct, frozen=True):
    """A custom event in the list."""

    name: str
    href: str
    times: str
    visitors: str
    rate: str


class RangeChoice(Struct, frozen=True):
    name: str
    href: str
    selected: bool


async def show(visit: Visitor, website_id: FromPath[str]) -> Page:
    """GET /sites/{id}/goals; `?range=` is one of the presets. Raises NotFound."""
    website = own(visit.call, website_id)
    chosen = preset(visit)
    period = period_of(visit, chosen)
    goals = await visit.call.read(lambda db: rows.of_website(db, website.id))
    queries = visit.parts[Queries]
    found = await reached(queries, website.site, [goal.definition for goal in goals], period)
    events, failed = await _events(queries, website, period, chosen)
    visitors = next((one.visitors for one in found if isinstance(one, Reached)), None)
    return visit.pages.show(
        "goals.html",
        shell=site_shell(visit, "goals", website),
        site=website,
        home=home(website),
        ranges=choices(home(website), chosen),
        goals=[_line(website, goal, one, chosen) for goal, one in zip(goals, found, strict=True)],
        has_amounts=any(goal.definition.amount for goal in goals),
        visitors="" if visitors is None else visitors_said(visitors),
        events=events[:MOST_EVENTS],
        more_events=Goals.more_events.format(count=MOST_EVENTS) if len(events) > MOST_EVENTS else "",
        failed=failed,
        may_edit=at_least(visit.person.role, WRITER),
        done=Goals.done.get(visit.asked("done"), ""),
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
        given = messages.message_of({"websiteId": website.id, **message_of(form)}, NewGoal, "{message}")
        await calls.create(visit.call, given)
        return f"{home(website)}?done=created"

    async def again(visit: Visit, again: Again) -> Page:
        return _form(visit, website, None, again)

    return await visit.submit(save, again, values=form)


async def edit_form(visit: Visitor, website_id: FromPath[str], goal_id: FromPath[str]) -> Page:
    """GET /sites/{id}/goals/{goal}. Raises NotFound."""
    website, goal = await calls.known(visit.call, goal_id, website_id)
    return _form(visit, website, goal, Again(values=values_of(goal)))


async def save(visit: Visitor, website_id: FromPath[str], goal_id: FromPath[str]) -> Answer:
    """POST /sites/{id}/goals/{goal}. Raises NotFound."""
    website, goal = await calls.known(visit.call, goal_id, website_id)
    form = await visit.form()

    async def save() -> str:
        given = messages.message_of({"id": goal.id, **message_of(form)}, ChangedGoal, "{message}")
        await calls.update(visit.call, given)
        return f"{home(website)}?done=saved"

    async def again(visit: Visit, again: Again) -> Page:
        return _form(visit, website, goal, again)

    return await visit.submit(save, again, values=form)


async def delete_form(visit: Visitor, website_id: FromPath[str], goal_id: FromPath[str]) -> Page:
    """GET /sites/{id}/goals/{goal}/delete: are you sure? Raises NotFound."""
    website, goal = await calls.known(visit.call, goal_id, website_id)
    here = f"{home(website)}/{goal.id}"
    shell = site_shell(visit, "goals", website)
    return ask(visit, shell, Goals.delete, goal.name, action=f"{here}/delete", back=here)


async def delete(visit: Visitor, website_id: FromPath[str], goal_id: FromPath[str]) -> Answer:
    """POST /sites/{id}/goals/{goal}/delete. Raises NotFound."""
    website, goal = await calls.known(visit.call, goal_id, website_id)
    await calls.delete(visit.call, OneGoal(goal.id))
    return visit.go(f"{home(website)}?done=deleted")


def home(website: Website) -> str:
    """Where the goals of a website are."""
    return f"/sites/{website.id}/goals"


def preset(visit: Visit) -> Preset:
    """The range that an address asks for; the usual one for any other."""
    asked = visit.asked("range")
    return next((one for one in PRESETS if one == asked and one in Goals.ranges), USUAL)


def period_of(visit: Visit, chosen: Preset) -> Period:
    """The days of a range for whoever visits the page."""
    zone = ranges.zone(visit.person.time_zone)
    return Period(ranges.of_preset(chosen, visit.call.now, zone), zone, visit.call.now)


def choices(path: str, chosen: Preset, **kept: str) -> list[RangeChoice]:
    """The ranges of a page, as links."""
    return [
        RangeChoice(label, address(path, **kept, range="" if name == USUAL else name), name == chosen)
        for name, label in Goals.ranges.items()
    ]


def address(path: str, **given: str) -> str:
    """A path with those of these values that are there."""
    query = urlencode({name: value for name, value in given.items() if value})
    return f"{path}?{query}" if query else path


def visitors_said(visitors: int) -> str:
    """How many there were, in words."""
    return Goals.one_visitor if visitors == 1 else Goals.visitors.format(count=figures.count(visitors))


def _line(website: Website, goal: Goal, found: Reached | str, chosen: Preset) -> GoalLine:
    known = found if isinstance(found, Reached) else None
    revenue = known.revenue if known is not None else None
    return GoalLine(
        name=figures.visible(goal.name),
        said=said(goal.definition),
        overview=address(f"/sites/{website.id}", range="" if chosen == USUAL else chosen, goal=goal.id),
        edit=f"{home(website)}/{goal.id}",
        conversions=figures.count(known.conversions) if known is not None else Goals.unknown,
        rate=rate_text(known) if known is not None else Goals.unknown,
        width=figures.bar_width(known.rate, 100) if known is not None else "w0",
        revenue=amount(revenue) if revenue is not None else "",
        is_active=goal.is_active,
        failed=Goals.failed.format(why=found) if isinstance(found, str) else "",
    )


def amount(value: float) -> str:
    """A sum: with two decimals unless it is whole."""
    return figures.count(value) if value == round(value) else f"{value:,.2f}".replace("-", figures.MINUS)


async def _events(
    queries: Queries, website: Website, period: Period, chosen: Preset
) -> tuple[Sequence[EventLine], str]:
    """The custom events of the range, and why they are not known."""
    request = period.request("summary_totals", ()), period.request("custom_events", ())
    async with queries.budgets.of_page(public=False) as budget:
        (whole,), (entry,) = await queries.answers(request, Scope((website.site,)), budget)
    if not (whole.success and entry.success):
        return (), Goals.failed.format(why=entry.error or whole.error)
    visitors = int(whole.data[0]["visitors"])
    shown = [row for row in entry.data if row["name"] != EXPOSURE][: MOST_EVENTS + 1]
    kept = "" if chosen == USUAL else chosen
    return [
        EventLine(
            name=figures.visible(row["name"]),
            href=address(f"/sites/{website.id}/events", name=row["name"], range=kept),
            times=figures.count(row["total_events"]),
            visitors=figures.count(row["unique_users"]),
            rate=rate_text(Reached(visitors, row["unique_users"])),
        )
        for row in shown
    ], ""


def _form(visit: Visit, website: Website, goal: Goal | None, again: Again) -> Page:
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
        narrowed=Goals.narrowed.format(fields=fields_of(goal.definition)) if goal and goal.definition.filters else "",
    )
