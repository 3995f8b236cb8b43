"""Goals on the overview: the conversions of each, as a panel against the days that are compared, and as a table."""

import asyncio
from collections.abc import Collection, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.translation import _
from analytics_box.figures.asking import PageQuery, UnansweredQuery
from analytics_box.figures.board import Rows
from analytics_box.figures.converting import CONVERSIONS, RATE, GoalTarget, keys
from analytics_box.figures.export import ExportSheet
from analytics_box.figures.shading import number
from analytics_box.figures.tiles import TileChange, change_of
from analytics_box.figures.view import View
from analytics_box.products.goals.figures import LATE, MOST_SECONDS
from analytics_box.products.overview.board import PANELS, TOTALS, WEBSITE
from analytics_box.products.overview.compact import EXTRAS
from analytics_box.query.catalog.types import Record
from analytics_box.query.presence import KINDS

AT_ONCE: Final = 4  # goals that are counted at the same time
_CONVERSIONS: Final = WEBSITE.converting[0]


class GoalBar(Struct, frozen=True):
    """A goal in the panel. `href` chooses it, or no longer where it is `selected`; `change` is that of its conversions,
    `before` says what there was."""

    name: str
    href: str
    conversions: str
    rate: str
    width: str
    selected: bool
    change: TileChange | None
    before: str


class GoalRates(Struct, frozen=True):
    """The panel: its goals, the page of all, and the dashboard with the conversions of each campaign: of the chosen
    goal, else of the one that is reached most. A dashboard on which goals cannot be chosen has no such links."""

    bars: tuple[GoalBar, ...]
    more: str = ""
    by_campaign: str = ""


async def rates(asking: PageQuery, view: View, goals: Sequence[GoalTarget]) -> GoalRates:
    """The conversions of each goal in the range of the page. Raises UnansweredQuery."""
    against = asking.compared
    so_far = (TOTALS,) if against is not None and not against.nothing else ()
    found = await _count_goals(asking, view, goals, so_far)
    largest = max((rows[0][0][CONVERSIONS] for rows in found), default=0)
    if not view.of.converting:
        return GoalRates(
            tuple(_bar(asking, view, goal, rows, largest) for goal, rows in zip(goals, found, strict=True))
        )
    reached = max(zip(goals, found, strict=True), key=lambda one: one[1][0][0][CONVERSIONS])[0]
    campaigns = replace(view, goal=view.goal or GoalTarget(reached.id)).tab("utm_campaign")
    return GoalRates(
        tuple(_bar(asking, view, goal, rows, largest) for goal, rows in zip(goals, found, strict=True)),
        f"{view.path}/goals",
        campaigns.link(),
    )


async def sheet(asking: PageQuery, view: View, goals: Sequence[GoalTarget]) -> ExportSheet:
    """The conversions as a table of a file, without the days of the comparison. Raises UnansweredQuery."""
    found = await _count_goals(asking, view, goals)
    names = (CONVERSIONS, RATE)
    lines = [
        {"goal": goal.name, **{name: rows[0][0][name] for name in names}}
        for goal, rows in zip(goals, found, strict=True)
    ]
    return ExportSheet("goals", ("goal", *names), lines)


async def _count_goals(
    asking: PageQuery, view: View, goals: Sequence[GoalTarget], so_far: Sequence[str] = ()
) -> list[list[Rows]]:
    """The figures of each goal: of the range, and of `so_far` in the days before. Raises UnansweredQuery."""
    slots = asyncio.Semaphore(AT_ONCE)

    async def ask(goal: GoalTarget) -> list[Rows]:
        async with slots:
            return await asking.converting(goal, keys(WEBSITE), (TOTALS,), so_far=so_far)

    try:
        async with asyncio.timeout(MOST_SECONDS):
            return await asyncio.gather(*(ask(goal) for goal in goals))
    except TimeoutError as late:
        raise UnansweredQuery(LATE) from late


def _bar(asking: PageQuery, view: View, goal: GoalTarget, rows: Sequence[Rows], largest: int) -> GoalBar:
    (now,), before = rows[0], rows[1][0] if len(rows) > 1 else None
    selected = view.goal is not None and view.goal.id == goal.id
    return GoalBar(
        goal.name,
        _leads_to(view, goal, selected=selected),
        figures.count(now[CONVERSIONS]),
        number(now[RATE], "percent"),
        figures.bar_width(now[CONVERSIONS], largest),
        selected,
        _change(asking, now, before),
        _("Before: {count} conversions, {rate}").format(
            count=figures.count(before[CONVERSIONS]), rate=number(before[RATE], "percent")
        )
        if before is not None
        else "",
    )


def _leads_to(view: View, goal: GoalTarget, *, selected: bool) -> str:
    """The dashboard with this goal chosen, or no longer where it is."""
    if not view.of.converting:
        return ""
    return view.without_goal().link() if selected else replace(view, goal=GoalTarget(goal.id)).link()


def _change(asking: PageQuery, now: Record, before: Record | None) -> TileChange | None:
    """Judged as the tiles are: not where what stands against it is not known whole, or not as long."""
    if before is None or (asking.compared is not None and asking.compared.begun is not None):
        return None
    return change_of(
        _CONVERSIONS,
        now[CONVERSIONS],
        before[CONVERSIONS],
        so_far=bool(asking.until),
        fair=asking.compared is None or asking.compared.fair,
    )


_WHENEVER: Final = ("week",)  # what all websites measure


def parts_of(view: View, measured: Collection[str]) -> tuple[str, ...]:
    """The parts of an overview: what its website has measured, and what is about a filter only with that."""
    panels = tuple(name for name in PANELS if name not in KINDS or name in measured)
    given = view.plain
    extras = tuple(
        name for name, one in EXTRAS.items() if (one.needs in given if one.needs else name in (*measured, *_WHENEVER))
    )
    there = {"figures", *panels, *extras}
    return tuple(name for name in view.of.parts if name in there)
