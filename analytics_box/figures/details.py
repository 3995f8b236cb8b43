"""A list as a table of all its rows: found, sorted, page by page, and as a file. Pure."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from operator import itemgetter
from typing import Any, Final, Literal
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.translation import _
from analytics_box.figures.board import ColumnUnit, FigureColumn, FigureList, Rows
from analytics_box.figures.detail_view import TableState
from analytics_box.figures.panels import UNKNOWN, Tab, leads_to, share_of, without
from analytics_box.figures.view import View, address
from analytics_box.query.catalog.types import Record
from analytics_box.query.catalog.values import round_quotient
from analytics_box.query.ranges import DayRange
from analytics_box.query.request import MAX_LIMIT
from analytics_box.web.page.dates import Formats, day_text, time_text

_HELPS = {
    "pages": _("Sessions, bounce rate and median duration are those of the sessions that began on the page."),
    "exit": _("Sessions are those that ended on the page."),
}
COLUMN_LABELS = {
    "visitors": _("Visitors"),
    "share": _("Share"),
    "pageviews": _("Page views"),
    "sessions": _("Sessions"),
    "bounce_rate": _("Bounce rate"),
    "median_session_duration": _("Median duration"),
    "median_time_on_page": _("Time on page"),
    "avg_scroll_depth": _("Scroll depth"),
    "total_events": _("Events"),
    "total_clicks": _("Clicks"),
    "unique_users": _("Visitors"),
    "unique_sessions": _("Sessions"),
    "unique_links": _("Links"),
    "exposures": _("Received"),
    "last_occurrence": _("Last"),
    "last_clicked": _("Last"),
    "last_seen": _("Last"),
    "first_seen": _("First"),
    "conversions": _("Conversions"),
    "conversion_rate": _("Conversion rate"),
    "clicks": _("Clicks"),
    "count": _("Checks"),
}


ON_A_PAGE: Final = 50
NAME, SHARE = "name", "share"
Way = Literal["", "ascending", "descending"]


class DetailLine(Struct, frozen=True):
    """A row of a list with all that is known of it; `figures` are by the names of their columns, `texts` what it is
    found by: its names on the page and in answers."""

    row: Record
    label: str
    detail: str
    figures: Mapping[str, float | str | None]
    texts: tuple[str, ...]
    share: float | None = None


class DetailHeading(Struct, frozen=True):
    """A column. `href` sorts by it; `way` is how the table is sorted by it now."""

    name: str
    label: str
    href: str
    way: Way
    number: bool = True


class TableRow(Struct, frozen=True):
    """A row as shown. `href` is the page of figures with this row alone, empty if there is no such page."""

    label: str
    detail: str
    width: str
    cells: tuple[str, ...]
    code: str | None = None
    href: str = ""


class DetailTable(Struct, frozen=True):
    """All rows of a list, of which one page is shown. `count` says in words which rows these are of how many, `share`
    what their shares are of; `fields` are what the form that searches them carries along. `cut`: there are more than
    `most` rows, which is as many as a table may have."""

    name: str
    label: str
    tabs: tuple[Tab, ...]
    headings: tuple[DetailHeading, ...]
    rows: tuple[TableRow, ...]
    count: str
    note: str
    share: str
    anchor: str
    search: str
    fields: tuple[tuple[str, str], ...]
    cut: bool
    most: str
    home: str
    all_rows: str
    earlier: str
    later: str
    csv: str
    json: str


def columns_of(listed: FigureList) -> tuple[FigureColumn, ...]:
    """The columns of a list's table, in their order: what it counts, the share, and what else is known."""
    counted = FigureColumn(listed.counted), FigureColumn(SHARE, "percent")
    return (*counted, *listed.columns, *(column for beside in listed.beside for column in beside.columns))


def lines(listed: FigureList, rows: Rows, beside: Sequence[Rows], whole: float | None) -> list[DetailLine]:
    """The rows of a list with those next to them, of which there are at most MAX_LIMIT; shares are of `whole`, if
    given."""
    rows = without(listed, rows)
    if listed.apart:
        whole = sum(row[listed.counted] for row in rows)
    known = [
        _JoinedRows({tuple(row[name] for name in one.named): row for row in found}, all=len(found) < MAX_LIMIT)
        for one, found in zip(listed.beside, beside, strict=True)
    ]
    return [_line(listed, row, known, whole) for row in rows]


class _JoinedRows(Struct, frozen=True):
    """The rows next to a list by what names them, and whether these are all."""

    rows: Mapping[tuple[Any, ...], Record]
    all: bool


def _line(listed: FigureList, row: Record, known: Sequence[_JoinedRows], whole: float | None) -> DetailLine:
    name = tuple(row[field] for field in (listed.shown, *listed.within))
    share = share_of(row, row[listed.counted], whole)
    figures_of = {listed.counted: row[listed.counted], SHARE: share}
    figures_of |= {column.known_as: _value(column, row) for column in listed.columns}
    for beside, found in zip(listed.beside, known, strict=True):
        own = found.rows.get(name)
        figures_of |= {column.known_as: _value(column, own, counted=found.all) for column in beside.columns}
    label, detail = _label(listed, row), listed.detail(row) if listed.detail is not None else ""
    return DetailLine(row, label, detail, figures_of, (label, detail, str(row[listed.shown] or "")), share)


def _value(column: FigureColumn, row: Record | None, *, counted: bool = True) -> Any:
    """The value of a figure in a row. It is unknown if the row is missing there; if all rows were `counted`, it is
    zero.
    """
    if row is None:
        return 0 if counted and column.unit == "count" else None
    return None if column.needs and not row[column.needs] else row[column.name]


def _label(listed: FigureList, row: Record) -> str:
    return listed.label(row[listed.shown] or "") or _("Unknown")


def select_lines(found: Sequence[DetailLine], detail: TableState, listed: FigureList) -> list[DetailLine]:
    """The lines that are searched for, sorted as wanted; equal ones stay in their order, what is unknown comes last."""
    wanted = detail.search.casefold()
    lines_of = [one for one in found if any(wanted in text.casefold() for text in one.texts)]
    sort = detail.sort or listed.order
    if sort == NAME:
        return sorted(lines_of, key=lambda one: one.label.casefold(), reverse=not detail.ascending)
    if sort not in {column.known_as for column in columns_of(listed)}:
        return lines_of
    there = [(value, one) for one in lines_of if (value := one.figures[sort]) is not None]
    there.sort(key=itemgetter(0), reverse=not detail.ascending)
    return [*(one for _rest, one in there), *(one for one in lines_of if one.figures[sort] is None)]


def table(
    view: View,
    name: str,
    found: Sequence[DetailLine],
    *,
    home: str,
    most: int,
    zone: ZoneInfo,
    formats: Formats,
    share: str,
) -> DetailTable:
    """The table of a list. `view` is the table's own; `home` is the path of the page of figures; `found` are at most
    `most` lines, all that were asked for."""
    listed, detail = view.listed(name), view.detail
    columns = columns_of(listed)
    shown = select_lines(found, detail, listed)
    pages = max(1, -(-len(shown) // ON_A_PAGE))
    page = min(detail.page, pages)
    first = (page - 1) * ON_A_PAGE
    on_page = shown[first : first + ON_A_PAGE]
    largest = max((one.row[listed.counted] for one in found), default=0)
    back = replace(view, path=home, detail=TableState())
    return DetailTable(
        name=name,
        label=list_name(view, name),
        tabs=tuple(_tab(view, home, one, name) for one in view.of.tables(name)),
        headings=tuple(_headings(view, columns, listed.order)),
        rows=tuple(_row(back, listed, one, columns, largest, zone, formats) for one in on_page),
        count=_count(first, len(on_page), len(shown)),
        note=_HELPS.get(name, ""),
        share=share,
        anchor=view.of.words.anchors[name],
        search=detail.search,
        fields=replace(view, detail=replace(detail, search="", page=1)).all_fields,
        cut=len(found) >= most,
        most=figures.count(most),
        home=address(back),
        all_rows=_at(view, search="", page=1) if detail.search else "",
        earlier=_at(view, page=page - 1) if page > 1 else "",
        later=_at(view, page=page + 1) if page < pages else "",
        csv=file_of(view, "csv"),
        json=file_of(view, "json"),
    )


def list_name(view: View, name: str) -> str:
    """The name of a list; a list that shares a tab includes the tab's name."""
    words, sharing = view.of.words, view.of.sharing
    return f"{words.tabs[sharing[0]]}: {words.choices[name]}" if name in sharing else words.tabs[name]


def file_of(view: View, form: str) -> str:
    """The address of all rows as a file."""
    return address(replace(view, path=f"{view.path}/{form}", detail=replace(view.detail, page=1)))


def records(listed: FigureList, found: Sequence[DetailLine]) -> tuple[tuple[str, ...], list[Record]]:
    """The names of a file's columns, and its rows: names, then figures as answers have them, shares in percent with two
    decimals."""
    columns = tuple(column.known_as for column in columns_of(listed))
    names = tuple(dict.fromkeys((listed.shown, *listed.within)))
    made = [
        {name: one.row[name] for name in names}
        | {name: one.figures[name] for name in columns}
        | {SHARE: round_quotient(one.share)}
        for one in found
    ]
    return (*names, *columns), made


def about(zone: ZoneInfo, days: DayRange, view: View) -> Record:
    """A file's description of itself: its days, its address, and the goal whose conversions it has."""
    goal = {"goal": {"id": view.aim.id, "name": view.aim.name}} if view.aim is not None else {}
    days_of = {"startDate": days.first, "endDate": days.last, "timeZone": zone.key}
    return {**days_of, "address": address(view), **goal}


def _at(view: View, **changes: Any) -> str:
    return address(replace(view, detail=replace(view.detail, **changes)))


def _tab(view: View, home: str, name: str, selected: str) -> Tab:
    """Another list of the panel, searched and sorted as usual."""
    found = replace(view, path=f"{home}/details/{name}", detail=TableState())
    return Tab(name, list_name(view, name), address(found), "", selected=name == selected)


def _headings(view: View, columns: Sequence[FigureColumn], order: str) -> list[DetailHeading]:
    detail, words = view.detail, view.of.words.columns
    known = {NAME: _("Name"), SHARE: _("Share")} | {one.known_as: words[one.known_as] for one in columns}
    sort = detail.sort if detail.sort in known else order or columns[0].known_as
    headings = []
    for name in (NAME, *(one.known_as for one in columns)):
        now = sort == name
        ascending = not detail.ascending if now else name == NAME
        way: Way = "" if not now else "ascending" if detail.ascending else "descending"
        href = _at(view, sort=name, ascending=ascending, page=1)
        headings.append(DetailHeading(name, known[name], href, way, number=name != NAME))
    return headings


def _row(
    back: View,
    listed: FigureList,
    line: DetailLine,
    columns: Sequence[FigureColumn],
    largest: float,
    zone: ZoneInfo,
    formats: Formats,
) -> TableRow:
    href, selected = leads_to(back, listed, line.row)
    return TableRow(
        label=figures.visible(line.label),
        detail=figures.visible(line.detail),
        width=figures.bar_width(line.row[listed.counted], largest),
        cells=tuple(figure_text(column.unit, line.figures[column.known_as], zone, formats) for column in columns),
        code=(line.row["country_code"] or "") if listed.places else None,
        href=address(back) if selected else href,
    )


def figure_text(unit: ColumnUnit, value: Any, zone: ZoneInfo, formats: Formats) -> str:
    """A figure in words; a dash where it is unknown."""
    if value is None:
        return UNKNOWN
    match unit:
        case "count":
            return figures.count(value)
        case "percent":
            return figures.percent(value)
        case "seconds":
            return figures.duration(value)
        case "ms":
            return figures.milliseconds(value)
        case "score":
            return f"{value:.2f}"
        case "moment":
            local = datetime.fromisoformat(value[:19]).replace(tzinfo=UTC).astimezone(zone)
            return f"{day_text(local, formats.date)}, {time_text(local, formats.time)}"


def _count(first: int, here: int, found: int) -> str:
    if found == 1:
        return _("1 row")
    if not here:
        return ""
    counted = {"first": figures.count(first + 1), "last": figures.count(first + here), "count": figures.count(found)}
    return _("{first}–{last} of {count}").format(**counted)
