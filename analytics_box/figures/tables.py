"""The table of a list as a page and as files: what it asks, and how it is answered."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import errors
from analytics_box.base.translation import _
from analytics_box.figures import details, page, suggesting
from analytics_box.figures.asking import NOTHING, PageQuery, SubjectFacts, UnansweredQuery
from analytics_box.figures.converting import key_of
from analytics_box.figures.detail_view import TableState
from analytics_box.figures.details import DetailLine, DetailTable
from analytics_box.figures.panels import share_help
from analytics_box.figures.view import View, address
from analytics_box.query import sheets
from analytics_box.query.request import MAX_LIMIT
from analytics_box.web.page.visit import Answer, Next, PageRequest

FORMS = {"csv": "text/csv", "json": "application/json"}


class TableLines(Struct, frozen=True):
    """All lines of a list, and the number that their shares are of, if it is one of the whole page."""

    lines: Sequence[DetailLine]
    whole: float | None


async def show(
    visit: PageRequest,
    number: int,
    view: View,
    name: str,
    *,
    home: str,
    told: SubjectFacts = NOTHING,
    template: str = "details.html",
    **context: Any,
) -> Answer:
    """The page with the table of a list. `view` is the table's own, `home` the path of the page of figures, `told` as
    that page has it; `context` is for the template. A filter that a form adds leads to the address that has it. Raises
    NotFound."""
    _joined_rows(view, name)
    settled = await suggesting.redirect_with_values(visit, number, view) if visit.signed_in else None
    if settled is not None:
        return settled
    asking, board = await page.empty(visit, number, view, told)
    return visit.pages.show(
        template,
        **context,
        board=board,
        table=await _table(asking, board.view, name, home),
        label=details.list_name(view, name),
        home=address(replace(board.view, path=home, detail=TableState())),
    )


async def _table(asking: PageQuery, view: View, name: str, home: str) -> DetailTable | None:
    """The table, or none where its rows could not be read."""
    try:
        found = await lines(asking, view, name)
    except UnansweredQuery:
        return None
    return details.table(
        view,
        name,
        found.lines,
        home=home,
        most=MAX_LIMIT,
        zone=asking.zone,
        formats=asking.formats,
        share=share_help(view.of, view.of.lists[name], found.whole),
    )


async def file(visit: PageRequest, number: int, view: View, name: str, form: str, told: SubjectFacts = NOTHING) -> Next:
    """All rows of a list that are searched for, in the order of the table, as CSV or JSON. Raises NotFound, or
    Unavailable."""
    _joined_rows(view, name)
    if form not in FORMS:
        raise errors.NotFound(_("There is nothing at this address"))
    asking, board = await page.empty(visit, number, view, told)
    view = board.view
    try:
        found = await lines(asking, view, name)
    except UnansweredQuery as failed:
        raise errors.Unavailable(str(failed)) from failed
    listed = view.listed(name)
    names, rows = details.records(listed, details.select_lines(found.lines, view.detail, listed))
    days = asking.days
    called = f"{name}-{days.first}-{days.last}.{form}"
    if form == "csv":
        content = sheets.file(sheets.lines(names, rows))
    else:
        about = {"list": name, **details.about(asking.zone, days, view)}
        content = msgspec.json.encode({**about, "rows": rows})
    return visit.download(content, FORMS[form], called)


async def lines(asking: PageQuery, view: View, name: str, most: int = MAX_LIMIT) -> TableLines:
    """The first `most` lines of a list. Raises UnansweredQuery."""
    listed = view.listed(name)
    whole = view.of.wholes.get(listed.counted)
    types = [listed.type] if whole is None else [listed.type, whole[0]]
    rows, *in_all = await asking.converting(view.aim, {listed.type: key_of(listed)}, types, limit=most)
    beside = await asking.rows((), derived=[one.type for one in listed.beside]) if listed.beside else []
    of = None if whole is None else float(in_all[0][0][whole[1]])
    return TableLines(details.lines(listed, rows, beside, of), of)


def _joined_rows(view: View, name: str) -> None:
    if name not in view.of.lists or name not in view.of.tables(name):
        raise errors.NotFound(_("There is nothing at this address"))
