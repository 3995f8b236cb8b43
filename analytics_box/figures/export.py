"""A whole page of figures as a file: its figures, what its chart draws, and its lists."""

import io
import zipfile
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from analytics_box.base import errors
from analytics_box.base.translation import _
from analytics_box.figures import details, page, tables
from analytics_box.figures.asking import NOTHING, PageQuery, SubjectFacts, UnansweredQuery
from analytics_box.figures.board import Metric, Rows
from analytics_box.figures.converting import COLUMNS, keys
from analytics_box.figures.view import View
from analytics_box.query import parquet, sheets
from analytics_box.query.catalog.registry import TYPES
from analytics_box.query.catalog.types import Record
from analytics_box.query.results import ROWS
from analytics_box.web.page.visit import Next, PageRequest

MOST_ROWS = 1_000  # of a list; its table has more
FORMS = {"csv": "application/zip", "json": "application/json"}
_WRITTEN = (1980, 1, 1, 0, 0, 0)  # when files of an archive were written: the same rows make the same file


class ExportSheet(Struct, frozen=True):
    """A table of the file."""

    name: str
    columns: tuple[str, ...]
    rows: Sequence[Record]


Own = Mapping[str, Callable[[PageQuery], Awaitable[ExportSheet]]]  # tables of parts that the page's own room fills


async def file(
    visit: PageRequest,
    number: int,
    view: View,
    names: Sequence[str],
    form: str,
    *,
    told: SubjectFacts = NOTHING,
    own: Own | None = None,
) -> Next:
    """The given parts of a page as CSV, a file in an archive for each table, or as JSON; `told` as the page has it.

    Raises NotFound, RateLimited or Unavailable.
    """
    if form not in FORMS:
        raise errors.NotFound(_("There is nothing at this address"))
    parts = visit.parts
    allowance = parts.limits.take("export", visit.call.identity.limit_name, parts.settings.limit_export)
    visit.request.scope["allowance"] = allowance  # type: ignore[typeddict-unknown-key]  # for the front's headers
    asking, board = await page.empty(visit, number, view, told)
    view = board.view
    try:
        made = await sheets_of(asking, view, names, own or {})
    except UnansweredQuery as failed:
        raise errors.Unavailable(str(failed)) from failed
    ending = "zip" if form == "csv" else form
    called = f"{view.of.subject}-{asking.days.first}-{asking.days.last}.{ending}"
    content = archive(made) if form == "csv" else _json(asking, view, made)
    return visit.download(content, FORMS[form], called)


async def sheets_of(asking: PageQuery, view: View, names: Sequence[str], own: Own) -> list[ExportSheet]:
    """The tables of these parts, one after the other. Raises UnansweredQuery."""
    of = view.of
    made = await _figures(asking, view)
    for name in (one for panel in names if panel in of.panels for one in of.tables(panel)):
        found = await tables.lines(asking, view, name, MOST_ROWS)
        made.append(ExportSheet(name, *details.records(view.listed(name), found.lines)))
    extras = [of.extras[name] for name in names if name in of.extras]
    for extra, type_name in ((one, type_name) for one in extras for type_name in one.types):
        (rows,) = await asking.converting(view.aim, extra.keyed, [type_name], limit=MOST_ROWS)
        more = COLUMNS if view.aim is not None and type_name in extra.keyed else ()
        made.append(ExportSheet(type_name, tuple(one.name for one in (*TYPES[type_name].outputs, *more)), rows))
    made += [await own[name](asking) for name in names if name in own]
    remarks = [ExportSheet("remarks", ("remark",), [{"remark": text} for text in asking.said])] if asking.said else []
    return made + remarks


async def _figures(asking: PageQuery, view: View) -> list[ExportSheet]:
    """The figures of the whole range, and those that can be drawn by day or hour. Raises UnansweredQuery."""
    series = tuple(dict.fromkeys(metric.series for metric in view.charted.values()))
    types = tuple(dict.fromkeys((*(metric.total for metric in view.metrics), *series)))
    answers = dict(zip(types, await asking.converting(view.aim, keys(view.of), types), strict=True))
    filters = view.plain
    totals = [
        {"figure": metric.name, "value": metric.total_of(answers[metric.total], filters)} for metric in view.metrics
    ]
    drawn = [_series(answers[name], [one for one in view.charted.values() if one.series == name]) for name in series]
    return [ExportSheet("figures", ("figure", "value"), totals), *drawn]


def _series(rows: Rows, metrics: Sequence[Metric]) -> ExportSheet:
    names = ("date", *(metric.name for metric in metrics))
    return ExportSheet(
        "series", names, [{"date": row["date"], **{one.name: one.of(row) for one in metrics}} for row in rows]
    )


def archive(made: Sequence[ExportSheet], form: Literal["csv", "parquet"] = "csv") -> bytes:
    """The tables as CSV or Parquet files in an archive."""
    contents: Iterable[bytes] = (sheets.file(sheets.lines(sheet.columns, sheet.rows)) for sheet in made)
    if form == "parquet":
        contents = parquet.files((sheet.columns, sheet.rows) for sheet in made)
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for sheet, content in zip(made, contents, strict=True):
            archive.writestr(zipfile.ZipInfo(f"{sheet.name}.{form}", _WRITTEN), content, zipfile.ZIP_DEFLATED)
    return whole.getvalue()


def _json(asking: PageQuery, view: View, made: Sequence[ExportSheet]) -> bytes:
    of_sheets = {sheet.name: [{name: row[name] for name in sheet.columns} for row in sheet.rows] for sheet in made}
    return ROWS.encode({**details.about(asking.zone, asking.days, view), **of_sheets})
