"""The goals of a website and its custom events: the list with rates, the form of a goal, and deleting one."""

from collections.abc import Sequence
from typing import Final

from litestar.params import FromPath
from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.facts.event import EXPOSURE
from analytics_box.base.translation import _, ngettext
from analytics_box.products.goals import lookup
from analytics_box.products.goals.figures import GoalFigures, GoalPeriod, goal_figures, rate_text, revenue_text
from analytics_box.products.goals.form import goal_text
from analytics_box.products.goals.goal import WRITER, Goal, address, home
from analytics_box.query import ranges
from analytics_box.query.access import ReadScope
from analytics_box.query.ranges import PRESETS, Preset
from analytics_box.query.run import QueryRunner
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.rules import Website
from analytics_box.tenants.websites.shell import site_shell
from analytics_box.web.page.dates import formats_of
from analytics_box.web.page.visit import Page, PageRequest, Visitor

_DONE = {"created": _("Goal created."), "saved": _("Goal saved."), "deleted": _("Goal deleted.")}
_RANGES = {"today": _("Today"), "last_7d": _("7 days"), "last_30d": _("30 days"), "last_90d": _("90 days")}


USUAL: Final[Preset] = "last_30d"
MOST_EVENTS: Final = 100


class GoalLine(Struct, frozen=True):
    """A goal in the list. `href` is its own page."""

    name: str
    said: str
    href: str
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
    goals = await visit.call.read(lambda db: lookup.of_website(db, website.id))
    queries = visit.parts[QueryRunner]
    found = await goal_figures(queries, website.site, [goal.definition for goal in goals], period, paid=True)
    events, failed = await _events(queries, website, period, chosen)
    visitors = next((one.visitors for one in found if isinstance(one, GoalFigures)), None)
    return visit.pages.show(
        "goals.html",
        shell=site_shell(visit, "goals", website),
        site=website,
        home=home(website),
        ranges=choices(home(website), chosen),
        goals=[_line(website, goal, one, chosen) for goal, one in _by_conversions(goals, found)],
        has_amounts=any(isinstance(one, GoalFigures) and revenue_text(one) for one in found),
        visitors="" if visitors is None else visitors_said(visitors),
        events=events[:MOST_EVENTS],
        more_events=_("Showing the {count} most frequent. The dashboard lists all.").format(count=MOST_EVENTS)
        if len(events) > MOST_EVENTS
        else "",
        failed=failed,
        may_edit=visit.person.may(WRITER),
        done=_DONE.get(visit.asked("done"), ""),
    )


def _by_conversions(goals: Sequence[Goal], found: Sequence[GoalFigures | str]) -> list[tuple[Goal, GoalFigures | str]]:
    """Goals with their figures: active ones first, by conversions; among equals the oldest first."""

    def rank(pair: tuple[Goal, GoalFigures | str]) -> tuple[bool, int]:
        goal, one = pair
        return not goal.is_active, -one.conversions if isinstance(one, GoalFigures) else 1

    return sorted(zip(goals, found, strict=True), key=rank)


def preset(visit: PageRequest) -> Preset:
    """The range that an address asks for; the usual one for any other."""
    asked = visit.asked("range")
    return next((one for one in PRESETS if one == asked and one in _RANGES), USUAL)


def period_of(visit: PageRequest, chosen: Preset) -> GoalPeriod:
    """The days of a range in the user's time zone."""
    zone = ranges.zone(visit.person.time_zone)
    days = ranges.of_preset(chosen, visit.call.now, zone, formats_of(visit.person).week[0])
    return GoalPeriod(days, zone, visit.call.now)


def choices(path: str, chosen: Preset, **kept: str) -> list[RangeChoice]:
    """The ranges of a page, as links."""
    return [
        RangeChoice(label, address(path, **kept, range="" if name == USUAL else name), name == chosen)
        for name, label in _RANGES.items()
    ]


def visitors_said(visitors: int) -> str:
    """The number of visitors, in words."""
    return ngettext("1 visitor in total", "{count} visitors in total", visitors).format(count=figures.count(visitors))


def _line(website: Website, goal: Goal, found: GoalFigures | str, chosen: Preset) -> GoalLine:
    known = found if isinstance(found, GoalFigures) else None
    return GoalLine(
        name=figures.visible(goal.name),
        said=goal_text(goal.definition),
        href=address(f"/sites/{website.id}/goal", goal=goal.id, range="" if chosen == USUAL else chosen),
        edit=f"{home(website)}/{goal.id}",
        conversions=figures.count(known.conversions) if known is not None else "–",
        rate=rate_text(known) if known is not None else "–",
        width=figures.bar_width(known.rate, 100) if known is not None else "w0",
        revenue=revenue_text(known) if known is not None else "",
        is_active=goal.is_active,
        failed=_("These figures could not be loaded: {why}").format(why=found) if isinstance(found, str) else "",
    )


async def _events(
    queries: QueryRunner, website: Website, period: GoalPeriod, chosen: Preset
) -> tuple[Sequence[EventLine], str]:
    """The custom events of the range, and why they are not known."""
    request = period.request("summary_totals", ()), period.request("custom_events", ())
    async with queries.budgets.of_page(public=False) as budget:
        (whole,), (entry,) = await queries.answers(request, ReadScope((website.site,)), budget)
    if not (whole.success and entry.success):
        return (), _("These figures could not be loaded: {why}").format(why=entry.error or whole.error)
    visitors = int(whole.data[0]["visitors"])
    shown = [row for row in entry.data if row["name"] != EXPOSURE][: MOST_EVENTS + 1]
    kept = "" if chosen == USUAL else chosen
    return [
        EventLine(
            name=figures.visible(row["name"]),
            href=address(f"/sites/{website.id}/events", event_name=row["name"], range=kept),
            times=figures.count(row["total_events"]),
            visitors=figures.count(row["unique_users"]),
            rate=rate_text(GoalFigures(visitors, row["unique_users"])),
        )
        for row in shown
    ], ""
