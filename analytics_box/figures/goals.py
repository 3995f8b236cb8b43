"""Goals and funnels on pages of figures: the goal whose conversions are counted, and those that filters name. The rooms
of goals and funnels answer."""

from collections.abc import Awaitable, Callable, Collection, Sequence

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.translation import _
from analytics_box.figures.converting import GoalTarget
from analytics_box.figures.narrowing import EVERYTHING
from analytics_box.figures.values import KnownValues
from analytics_box.figures.view import View
from analytics_box.query.named import DROPOFF, GOAL
from analytics_box.web.call import Call
from analytics_box.web.page.visit import PageRequest


class KeptGoals(Struct, frozen=True):
    """Of the website that the facts know by a number: `find` are its goals with these ids that exist,
    `of` all of them."""

    find: Callable[[Call, int, Collection[str]], Awaitable[Sequence[GoalTarget]]]
    of: Callable[[Call, int], Awaitable[Sequence[GoalTarget]]]


async def with_goals(visit: PageRequest, number: int, view: View) -> View:
    """The view with the names of the goals that its filters name, and with what selects who reached the one that is
    chosen. Without that one where it is not there, which it says."""
    if view.goals is not None:
        return view
    segment = view.segment.filters if view.segment is not None else EVERYTHING
    named = {value for item in (*view.filters.items, *segment.items) if item.field == GOAL for value in item.values} | (
        {view.goal.id} if view.goal is not None else set()
    )
    if not named:
        return view
    found = {one.id: one for one in await visit.parts[KeptGoals].find(visit.call, number, named)}
    view = replace(view, goals=tuple((one.id, one.name) for one in found.values()))
    if view.goal is None:
        return view
    goal = found.get(view.goal.id)
    return (
        view.without_goal(_("This goal no longer exists, so no goal is selected."))
        if goal is None
        else replace(view, goal=goal)
    )


async def with_dropoffs(visit: PageRequest, number: int, view: View) -> View:
    """The view with the names of the funnels' steps that its filters name."""
    wanted = {value for item in view.filters.items if item.field == DROPOFF for value in item.values}
    if not wanted:
        return view
    found = await visit.parts[KnownValues].of[DROPOFF](visit.call, number, "")
    return replace(view, named=(*view.named, *((one.name, one.label) for one in found if one.name in wanted)))
