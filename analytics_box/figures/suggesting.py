"""The form that adds a filter to a page of figures: its suggestions, and the address that it leads to."""

from collections.abc import Sequence

from multidict import MultiDict

from analytics_box.base import figures
from analytics_box.figures import page
from analytics_box.figures.asking import UnansweredQuery
from analytics_box.figures.goals import KeptGoals
from analytics_box.figures.narrowing import EXACT, LONGEST_VALUE, values_of
from analytics_box.figures.values import SHOWN, KeptValues, KnownValues, Value, like, list_of, matching_values, values
from analytics_box.figures.view import View, address, read_view
from analytics_box.query.happened import NAMED
from analytics_box.query.named import DROPOFF, GOAL
from analytics_box.web.page.visit import Next, Page, PageRequest


async def suggested_values(visit: PageRequest, number: int, view: View) -> Page:
    """The values of the field `field` that begin like `q` or have it somewhere, as options of a listbox."""
    field, typed = visit.asked("field"), visit.asked("q")[:LONGEST_VALUE]
    known = visit.parts[KnownValues].of.get(field) if field in view.of.fields else None
    found = await (known(visit.call, number, typed) if known else _fitting(visit, number, view, field, typed))
    shown = found[:SHOWN]
    counts = [figures.count(one.count) if one.count else "" for one in shown]
    return visit.pages.show("components/suggestions.html", values=list(zip(shown, counts, strict=True)))


async def _fitting(visit: PageRequest, number: int, view: View, field: str, typed: str) -> Sequence[Value]:
    found, stored = await _values(visit, number, view, field), view.of.stored.get(field)
    return like(found, typed, (stored(typed),) if stored is not None else ())


async def redirect_with_values(visit: PageRequest, number: int, view: View) -> Next | None:
    """To the address that the form for filters leads to, with the values by the names that the facts know; None if
    no form was sent."""
    query, of = visit.request.query_params, view.of
    field = query.get("field", "")
    if field not in of.fields:
        return None
    typed = [value.strip()[:LONGEST_VALUE] for value in values_of(query, "value")]
    if query.get("op", "is") in EXACT and (list_of(of, field) is not None or field in NAMED) and any(typed):
        stored = of.stored.get(field, str)
        found = await _values(visit, number, view, field)
        typed = [name for text in typed if text for name in matching_values(found, stored(text))]
    others = [(name, value) for name in dict.fromkeys(query) if name != "value" for value in values_of(query, name)]
    return visit.go(address(read_view(view.path, MultiDict([*others, *(("value", value) for value in typed)]), of)))


async def _values(visit: PageRequest, number: int, view: View, field: str) -> Sequence[Value]:
    """The values of a field; goals by their ids. None if they are not known in time."""
    if field == GOAL:
        return [Value(one.id, one.name) for one in await visit.parts[KeptGoals].of(visit.call, number)]
    if field == DROPOFF:
        return await visit.parts[KnownValues].of[DROPOFF](visit.call, number, "")
    try:
        return await values((await page.asking_for(visit, number, view))[0], visit.parts[KeptValues], field)
    except UnansweredQuery:
        return ()
