"""The lists below the chart: bars, tabs, and how many there are. Pure."""

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.translation import _
from analytics_box.figures.board import Board, FigureList, Rows
from analytics_box.figures.converting import CONVERSIONS, RATE
from analytics_box.figures.pickers import shading_of
from analytics_box.figures.places import Crumb, everywhere, way_back
from analytics_box.figures.view import View, address
from analytics_box.figures.world import CountryRow, World, world
from analytics_box.query.catalog.types import Record

ROWS, FEW = 6, 3
ROWS_BELOW_A_MAP = 4
# Phones show fewer rows (overview.css). More are asked for, so that a panel can say how many there are.
ON_PHONES, COUNTED = 4, 100
COUNTRIES = 300  # more than there are
UNKNOWN = "–"  # a share of what is not counted in the whole


class RowConversions(Struct, frozen=True):
    """The visitors of a row who reached the chosen goal."""

    conversions: str
    rate: str


class BarRow(Struct, frozen=True):
    """A row of a bar list; `width` is a class w0 … w100. `code` is that of a country, None if rows have none.

    `href` filters the page by the row, or removes the filter if it is `selected`; empty if it cannot be filtered by.
    """

    label: str
    detail: str
    value: str
    share: str
    width: str
    code: str | None = None
    href: str = ""
    selected: bool = False
    done: RowConversions | None = None


class Tab(Struct, frozen=True):
    """A list that shares a panel with others. `href` is the page with it, `part` the panel alone."""

    name: str
    label: str
    href: str
    part: str
    selected: bool


class Below(Struct, frozen=True):
    """The list below a map. The map shows the rows of `countries`."""

    name: str
    countries: Rows


class Empty(Struct, frozen=True):
    """The text of a list without rows; `code` is set as code between the texts."""

    icon: str
    before: str
    code: str
    after: str


class Panel(Struct, frozen=True):
    """A list below the chart. `bars` is None while its query still runs.

    `choices` are the lists of the chosen tab, where it has several. `anchor` is that of its definition, `share` says
    what its shares are of. `ghosts` are the widths of what is in the place of bars. `details` is the address of
    the table of all rows. What came late may be as high as the place that was `kept` for it, a class. Beside a map of
    the `world`, `crumbs` lead back from the place that is looked at, and `inside` is what the bars below it are.
    At most `fits` rows are shown; `total` says how many there are unless even a phone shows all.
    """

    name: str
    shown: str
    label: str
    anchor: str
    tabs: tuple[Tab, ...]
    counted: str
    bars: tuple[BarRow, ...] | None
    empty: Empty
    ghosts: tuple[int, ...]
    details: str = ""
    share: str = ""
    failed: bool = False
    kept: str = ""
    choices: tuple[Tab, ...] = ()
    lists: str = ""
    world: World | None = None
    crumbs: tuple[Crumb, ...] = ()
    inside: str = ""
    converts: bool = False
    fits: int = ROWS
    total: str = ""


GHOSTS = (92, 74, 61, 50, 42, 35)


def panel(
    view: View,
    name: str,
    rows: Rows | None,
    *,
    whole: float | None = None,
    failed: bool = False,
    expected: int | None = None,
    below: Below | None = None,
) -> Panel:
    """A panel; `rows` is None while its query still runs. Shares are of `whole`, if given. `expected` is the number of
    rows it
    had when it was last shown, if known. `below` is another list below a map.
    """
    shown = view.list_of(name)
    of, words, drawn = view.of, view.of.words, view.of.lists[shown]
    crumbs = way_back(view, drawn) if below is not None else ()
    listed = of.lists[below.name] if below is not None else drawn
    fits = ROWS if crumbs else _most(of, shown)
    if rows is not None:
        rows = without(listed, rows)
    shares_tab = shown in of.sharing
    counted = "" if listed.apart else of.about(view.plain).names[listed.counted]
    return Panel(
        name=name,
        shown=shown,
        label=words.tabs[of.sharing[0] if shares_tab else shown],
        anchor=words.anchors[shown],
        tabs=_tabs(view, name, shown),
        counted=counted,
        bars=None if rows is None else _bars(view, listed, rows[:fits], whole),
        empty=_empty(view, name, shown),
        ghosts=GHOSTS[: of.ghosts - shares_tab if expected is None else min(expected, fits)],
        details=details_of(view, below.name if below is not None else shown),
        share="" if rows is None else share_help(of, listed, whole),
        failed=failed,
        choices=tuple(_tab(view, each, name, shown, words.choices) for each in of.sharing) if shares_tab else (),
        lists=" ".join(of.panels[name]),
        world=_world(view, drawn, below.countries, closer=bool(crumbs)) if below is not None else None,
        crumbs=crumbs,
        inside=words.tabs[below.name] if below is not None else "",
        converts=view.aim is not None,
        fits=fits,
        total=""
        if rows is None or len(rows) <= ON_PHONES
        else f"{COUNTED}+"
        if len(rows) > COUNTED
        else str(len(rows)),
    )


def _world(view: View, listed: FigureList, rows: Rows, *, closer: bool) -> World | None:
    """The map of a list of countries: each leads to itself instead of what is looked at, and back from itself."""
    wide = everywhere(view, listed)
    bars = [(_bar(wide, listed, row, 1, 1), row) for row in rows]
    chosen = view.plain.get(listed.field)
    return world(
        [
            CountryRow(
                bar.code or "",
                bar.label,
                row,
                wide.link() if row[listed.shown] == chosen else bar.href,
                row[listed.shown] == chosen,
            )
            for bar, row in bars
        ],
        shading_of(view, listed.counted),
        closer=closer,
    )


def place_of(expected: int | None) -> str:
    """The class of a place for this number of rows."""
    return "list-kept-few" if expected == FEW else "list-kept"


def details_of(view: View, shown: str) -> str:
    """The address of the table of a list."""
    if view.of.lists[shown].look == "map":
        shown = view.of.panel_of[shown]
    return address(replace(view, path=f"{view.path}/details/{shown}")) if view.of.has_tables else ""


def share_help(of: Board, listed: FigureList, whole: float | None) -> str:
    """The explanation of a list's shares."""
    shares = of.words.shares
    said = shares.get(f"apart {listed.counted}", shares[""]) if listed.apart else shares[listed.counted]
    return said.format(whole=figures.count(whole or 0))


def without(listed: FigureList, rows: Rows) -> Rows:
    """The rows of a list but the one that it leaves out."""
    return [row for row in rows if row[listed.shown] != listed.without] if listed.without else rows


def _most(of: Board, shown: str) -> int:
    """The number of rows that fit: a second row of tabs takes the place of one, a map that of several."""
    if of.lists[shown].look == "map":
        return ROWS_BELOW_A_MAP
    return ROWS - 1 if shown in of.sharing else ROWS


def _tabs(view: View, panel: str, shown: str) -> tuple[Tab, ...]:
    """A tab for each list of the panel; lists that share a tab have the name of the first."""
    sharing = view.of.sharing
    names = [name for name in view.of.panels[panel] if name not in sharing[1:]]
    selected = sharing[0] if shown in sharing else shown
    return tuple(_tab(view, name, panel, selected, view.of.words.tabs) for name in names)


def _tab(view: View, name: str, panel: str, shown: str, labels: Mapping[str, str]) -> Tab:
    chosen = view.tab(name)
    return Tab(name, labels[name], chosen.link(), chosen.part(panel), selected=name == shown)


def _empty(view: View, name: str, shown: str) -> Empty:
    of = view.of
    if view.is_filtered:
        return Empty(of.lists[name].icon or name, _("No data in this range matches the filters."), "", "")
    said = of.words.empty.get(shown) or of.words.empty[""]
    mark, code = next(((mark, code) for mark, code in of.words.codes.items() if mark in said), ("", ""))
    before, _rest, after = said.partition(mark) if mark else (said, "", "")
    return Empty(of.lists[name].icon or name, before, code, after)


def _bars(view: View, listed: FigureList, rows: Rows, whole: float | None) -> tuple[BarRow, ...]:
    counts = [row[listed.counted] for row in rows]
    largest = max(counts, default=0)
    if listed.apart:
        whole = sum(counts)
    return tuple(_bar(view, listed, row, largest, whole) for row in rows)


def _bar(view: View, listed: FigureList, row: Record, largest: float, whole: float | None) -> BarRow:
    counted, name = row[listed.counted], row[listed.shown] or ""
    href, selected = leads_to(view, listed, row)
    share = share_of(row, counted, whole)
    return BarRow(
        label=figures.visible(listed.label(name)) or _("Unknown"),
        detail=figures.visible(listed.detail(row)) if listed.detail is not None else "",
        value=figures.count(counted),
        share=figures.share(share) if share is not None else UNKNOWN,
        width=figures.bar_width(counted, largest),
        code=(row["country_code"] or "") if listed.places else None,
        href=href,
        selected=selected,
        done=_row_conversions(row) if CONVERSIONS in row else None,
    )


def _row_conversions(row: Record) -> RowConversions:
    conversions, rate = row[CONVERSIONS], row[RATE]
    return RowConversions(
        UNKNOWN if conversions is None else figures.count(conversions),
        UNKNOWN if rate is None else figures.percent(rate),
    )


def share_of(row: Record, counted: float, whole: float | None) -> float | None:
    """The share of a row in percent: of a whole, else as the answer has it."""
    if whole is None:
        share = row.get("percentage", 0)
        return None if share is None else float(share)
    return 100 * counted / whole if whole else 0.0


def leads_to(view: View, listed: FigureList, row: Record) -> tuple[str, bool]:
    """The page filtered by a row, or no longer where it is selected, and whether it is; empty for rows that no filter
    tells apart."""
    wanted = _filters(listed, row, row[listed.shown] or "")
    if not wanted:
        return "", False
    return view.narrowed(wanted).link(), view.holds(wanted)


def _filters(listed: FigureList, row: Record, name: str) -> dict[str, str]:
    """The filters that a click on a row sets. A region includes its country."""
    if not listed.field or not name:
        return {}
    within = {"country": row["country"]} if listed.places and row.get("country") else {}
    return {**within, listed.field: name}


def domain_beside(row: Record) -> str:
    """The detail of a source: its domain, unless the name says as much."""
    domain, name = row["domain"] or "", (row["name"] or "").casefold().replace(" ", "")
    return "" if name == domain or name in domain.split(".") else domain
