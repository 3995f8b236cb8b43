"""Segments on pages of figures: filters saved under a name. The room of segments answers."""

from collections.abc import Awaitable, Callable

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.figures.board import Board
from analytics_box.figures.narrowing import Segment
from analytics_box.figures.view import View
from analytics_box.web.call import Call
from analytics_box.web.page.visit import PageRequest


class SegmentedBoard(Struct, frozen=True):
    """The page of figures whose filters are saved."""

    of: Board


class SegmentChoice(Struct, frozen=True):
    """A segment in the menu of a page."""

    id: str
    name: str
    href: str
    is_shared: bool
    selected: bool


class SegmentMenu(Struct, frozen=True):
    """The segments of a page. `saves` is where the form goes that saves the page's filters, if there are some and the
    person may; `query` is these filters as an address has them, `back` the page without them."""

    choices: tuple[SegmentChoice, ...]
    manage: str
    saves: str = ""
    query: str = ""
    back: str = ""


class SavedSegments(Struct, frozen=True):
    """Of the website that the facts know by a number: `find` is the segment with an id, if the caller may see it;
    `menu` are those that the caller may see, as links of a page."""

    find: Callable[[Call, int, str], Awaitable[Segment | None]]
    menu: Callable[[PageRequest, int, View], Awaitable[SegmentMenu | None]]


async def with_segment(visit: PageRequest, number: int, view: View) -> View:
    """The view with the filters of the segment that its address names; one that is not there has no name."""
    if view.segment is None or view.segment.name:
        return view
    found = await visit.parts[SavedSegments].find(visit.call, number, view.segment.id)
    return view if found is None else replace(view, segment=found)
