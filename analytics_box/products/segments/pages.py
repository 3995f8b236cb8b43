"""The page of a website's segments: readers see the shared ones and their own; members change them."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final
from urllib.parse import parse_qsl, urlencode

from msgspec import Struct
from msgspec.structs import replace
from multidict import MultiDict

from analytics_box.base import figures
from analytics_box.base.errors import BadRequest, NotFound
from analytics_box.base.translation import _
from analytics_box.base.urls import url_parts
from analytics_box.figures import chips
from analytics_box.figures.converting import GoalTarget
from analytics_box.figures.goals import KeptGoals, with_dropoffs, with_goals
from analytics_box.figures.narrowing import EVERYTHING, Narrowing, Segment, normal
from analytics_box.figures.narrowing_question import narrowing_of, problems, question_filters
from analytics_box.figures.segmented import SegmentedBoard
from analytics_box.figures.values import Value, matching_values
from analytics_box.figures.view import View, read_view
from analytics_box.products.segments import calls
from analytics_box.products.segments.calls import ChangedSegment, NewSegment, OneSegment
from analytics_box.products.segments.segment import SEGMENTS
from analytics_box.products.segments.segment import Segment as Saved
from analytics_box.query.named import GOAL
from analytics_box.query.request import QueryFilterInput
from analytics_box.tenants.saved import verbs
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.rules import Website
from analytics_box.tenants.websites.shell import site_shell
from analytics_box.web.page.edits import shown_version
from analytics_box.web.page.questions import ConfirmationTexts
from analytics_box.web.page.resource_form import DeletePages, DeleteQuestion, Form, FormPages
from analytics_box.web.page.visit import Again, Page, PageRequest

_DELETE = ConfirmationTexts(
    _("Delete the segment {name}?"), _("Links that use it show all visits instead."), _("Delete {name}")
)
_DONE = {"saved": _("Segment saved."), "deleted": _("Segment deleted.")}
_BETWEEN = {"all": _("and"), "any": _("or")}


def by_name(filters: Narrowing, goals: Sequence[GoalTarget]) -> Narrowing:
    """The filters with a goal by its name where no other has that name."""
    named = Counter(goal.name.casefold() for goal in goals)
    shown = {goal.id: goal.name for goal in goals if goal.name.strip() and named[goal.name.casefold()] == 1}
    return _with_goals(filters, lambda value: (shown.get(value, value),))


def by_id(filters: Narrowing, goals: Sequence[GoalTarget]) -> Narrowing:
    """The filters with each goal by its id; a goal can be given by its name in any case."""
    known = [Value(goal.id, goal.name) for goal in goals]
    return _with_goals(filters, lambda value: matching_values(known, value))


def _with_goals(filters: Narrowing, said: Callable[[str], tuple[str, ...]]) -> Narrowing:
    return normal(
        [
            replace(item, values=tuple(name for value in item.values for name in said(value)))
            if item.field == GOAL
            else item
            for item in filters.items
        ],
        filters.match,
    )


class SegmentLine(Struct, frozen=True):
    """A segment in the list: its filters in words, with the word between them, and as an address has them."""

    id: str
    name: str
    said: tuple[str, ...]
    between: str
    query: str
    href: str
    is_shared: bool
    is_own: bool


async def _find(visit: PageRequest) -> tuple[Website, Saved | None]:
    """A website, and its segment that the address names; None for the list. Raises NotFound."""
    website, segment_id = own(visit.call, visit.path("website_id")), visit.path("segment_id")
    if not segment_id:
        return website, None
    of, stored = await verbs.find_visible(visit.call, SEGMENTS, segment_id)
    if of.id != website.id:
        raise NotFound.of("segment", segment_id)
    return website, stored


async def _save(visit: PageRequest, website: Website, stored: Saved | None, form: Form) -> str:
    """Save filters. A new segment is selected on the page that its form came from."""
    filters = await _filters(visit, website, form.get("query", ""))
    name, is_shared = form.get("name", "")[:255], "shared" in form
    if stored is None:
        made = await calls.create(visit.call, NewSegment(website.id, name, filters, is_shared))
        return _with_segment(website.id, form.get("back", ""), made.id)
    await calls.update(visit.call, ChangedSegment(stored.id, name, filters, is_shared))
    return f"/sites/{website.id}/segments?done=saved"


def _view(visit: PageRequest, website_id: str, query: str) -> View:
    """The overview with what an address asks for."""
    return read_view(
        f"/sites/{website_id}", MultiDict(parse_qsl(query.strip().removeprefix("?"))), visit.parts[SegmentedBoard].of
    )


def _with_segment(website_id: str, back: str, segment_id: str) -> str:
    """The address of the page that a form came from, with the new segment; the dashboard for other pages."""
    home, parts = f"/sites/{website_id}", url_parts(back)
    is_own = parts.path == home or parts.path.startswith(f"{home}/")
    query = [*parse_qsl(parts.query if is_own else ""), ("segment", segment_id)]
    return f"{parts.path if is_own else home}?{urlencode(query, safe='/,^')}"


async def _filters(visit: PageRequest, website: Website, query: str) -> list[QueryFilterInput]:
    """The filters that are written as in an address, also goals by their names. Raises NotFound and BadRequest."""
    goals = await visit.parts[KeptGoals].of(visit.call, website.site)
    found = by_id(_view(visit, website.id, query).filters, goals)
    if not found.items:
        raise BadRequest.about("query", _("Enter at least one filter, for example country=Germany."))
    wrong = problems(found)
    if wrong:
        raise BadRequest.about("query", next(iter(wrong.values())))
    return question_filters(found)


async def _list(visit: PageRequest, website: Website, stored: Saved | None, again: Again) -> Page:
    """All segments, with the form of a new one; of the `stored` one the form came back."""
    changed = stored.id if stored is not None else ""
    found = await verbs.visible(visit.call, SEGMENTS, website)
    goals = await visit.parts[KeptGoals].of(visit.call, website.site)
    return visit.show(
        "segments.html",
        site_shell(visit, "overview", website),
        again,
        site=website,
        home=f"/sites/{website.id}/segments",
        segments=[await _line(visit, website, goals, one) for one in found],
        versions={one.id: shown_version(one, again.values if one.id == changed else {}) for one in found},
        changed=changed,
        may_write=visit.person.may("member"),
        done=_DONE.get(visit.asked("done"), ""),
    )


SEGMENT: Final = FormPages(
    find=_find,
    fill=lambda visit, _website, _stored: {"query": visit.asked("query"), "back": ""},
    show=_list,
    save=_save,
    deletion=DeletePages(
        find=_find,
        question=lambda visit, website, one: DeleteQuestion(
            _DELETE, site_shell(visit, "overview", website), one.name, f"/sites/{website.id}/segments"
        ),
        delete=lambda visit, _website, one: calls.delete(visit.call, OneSegment(one.id)),
        after=lambda website, _form: f"/sites/{website.id}/segments?done=deleted",
    ),
)


async def _line(visit: PageRequest, website: Website, goals: Sequence[GoalTarget], saved: Saved) -> SegmentLine:
    filters: Narrowing = narrowing_of(saved.content) or EVERYTHING
    page = _view(visit, website.id, "")
    view = await with_goals(visit, website.site, replace(page, filters=filters))
    view = await with_dropoffs(visit, website.site, view)
    return SegmentLine(
        id=saved.id,
        name=figures.visible(saved.name),
        said=tuple(chips.words(view, part) for part in filters.parts),
        between=_BETWEEN[filters.match],
        query=urlencode(by_name(filters, goals).parameters, safe="/,^"),
        href=page.link(segment=Segment(saved.id)),
        is_shared=saved.is_shared,
        is_own=saved.is_of(visit.person.user_id),
    )
