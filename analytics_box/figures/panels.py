"""The lists below the chart: bars, tabs, and how many there are. Pure."""

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.texts import Panels, figures
from analytics_box.figures.board import Board, Listed, Rows
from analytics_box.figures.converting import CONVERSIONS, RATE
from analytics_box.figures.places import Crumb, everywhere, way_back
from analytics_box.figures.shade_picker import shading_of
from analytics_box.figures.view import View, address
from analytics_box.figures.world import Counted, World, world
from analytics_box.query.catalog.types import Record

ROWS, FEW = 8, 3
ROWS_BELOW_A_MAP = 5
COUNTRIES = 300  # more than there are
UNKNOWN = "–"  # a share of what is not counted in the whole


class Converted(Struct, frozen=True):
    """What of a row's visitors reached the goal that is chosen."""

    conversions: str
    rate: str


class Bar(Struct, frozen=True):
    """One row of a bar list; `width` is a class w0 … w100. `code` is that of a country, None where rows have none.

    `href` filters the page by the row, or no longer where it is `selected`; empty where it cannot be filtered by.
    """

    label: str
    detail: str
    value: str
    share: str
    width: str
    code: str | None = None
    href: str = ""
    selected: bool = False
    done: Converted | None = None


class Tab(Struct, frozen=True):
    """One of the lists that share a panel. `href` is the page with it, `part` the panel alone."""

    name: str
    label: str
    href: str
    part: str
    selected: bool


class Below(Struct, frozen=True):
    """What stands below a map: the list of this name. The map shows the rows of `countries`."""

    name: str
    countries: Rows


class Empty(Struct, frozen=True):
    """What stands in a list without rows; `code` is set as such, between the texts."""

    icon: str
    before: str
    code: str
    after: str


class Panel(Struct, frozen=True):
    """A list below the chart. `bars` is None while its query still runs.

    `choices` are the lists of the chosen tab, where it has several. `anchor` is that of its definition, `share` says
    what its shares are of. `ghosts` are the widths of what stands in the place of bars. `details` is the address of
    the table of all rows. What came late may be as high as the place that was `kept` for it, a class. Beside a map of
    the `world`, `crumbs` lead back from the place that is looked at, and `inside` is what the bars below it are.
    """

    name: str
    shown: str
    label: str
    anchor: str
    tabs: tuple[Tab, ...]
    counted: str
    bars: tuple[Bar, ...] | None
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


GHOSTS = (92, 74, 61, 50, 42, 35, 29, 24)


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
    """One panel; `rows` is None while its query still runs. Shares are of `whole`, if given. `expected` is how many
    rows it had when it was last shown, if that is known. What stands `below` a map is another list."""
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
    )


def _world(view: View, listed: Listed, rows: Rows, *, closer: bool) -> World | None:
    """The map of a list of countries: each leads to itself instead of what is looked at, and back from itself."""
    wide = everywhere(view, listed)
    bars = [(_bar(wide, listed, row, 1, 1), row) for row in rows]
    chosen = view.plain.get(listed.field)
    return world(
        [
            Counted(
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
    """The class of a place for so many rows."""
    return "list-kept-few" if expected == FEW else "list-kept"


def details_of(view: View, shown: str) -> str:
    """The address of the table of a list."""
    if view.of.lists[shown].look == "map":
        shown = view.of.panel_of[shown]
    return address(replace(view, path=f"{view.path}/details/{shown}"))


def share_help(of: Board, listed: Listed, whole: float | None) -> str:
    """What the shares of a list are of."""
    said = of.words.shares["" if listed.apart else listed.counted]
    return said.format(whole=figures.count(whole or 0))


def without(listed: Listed, rows: Rows) -> Rows:
    """The rows of a list but the one that it leaves out."""
    return [row for row in rows if row[listed.shown] != listed.without] if listed.without else rows


def _most(of: Board, shown: str) -> int:
    """How many rows there is room for: a second row of tabs takes the place of one, a map that of several."""
    if of.lists[shown].look == "map":
        return ROWS_BELOW_A_MAP
    return ROWS - 1 if shown in of.sharing else ROWS


def _tabs(view: View, panel: str, shown: str) -> tuple[Tab, ...]:
    """One tab for each list of the panel; those that share one have the name of the first."""
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
        return Empty(of.lists[name].icon or name, Panels.narrow, "", "")
    said = of.words.empty.get(shown) or of.words.empty[""]
    mark, code = next(((mark, code) for mark, code in of.words.codes.items() if mark in said), ("", ""))
    before, _, after = said.partition(mark) if mark else (said, "", "")
    return Empty(of.lists[name].icon or name, before, code, after)


def _bars(view: View, listed: Listed, rows: Rows, whole: float | None) -> tuple[Bar, ...]:
    counts = [row[listed.counted] for row in rows]
    largest = max(counts, default=0)
    if listed.apart:
        whole = sum(counts)
    return tuple(_bar(view, listed, row, largest, whole) for row in rows)


def _bar(view: View, listed: Listed, row: Record, largest: float, whole: float | None) -> Bar:
    counted, name = row[listed.counted], row[listed.shown] or ""
    href, selected = leads_to(view, listed, row)
    share = share_of(row, counted, whole)
    return Bar(
        label=figures.visible(listed.label(name)) or Panels.unknown,
        detail=figures.visible(listed.detail(row)) if listed.detail is not None else "",
        value=figures.count(counted),
        share=figures.percent(share) if share is not None else UNKNOWN,
        width=figures.bar_width(counted, largest),
        code=(row["country_code"] or "") if listed.places else None,
        href=href,
        selected=selected,
        done=_converted(row) if CONVERSIONS in row else None,
    )


def _converted(row: Record) -> Converted:
    conversions, rate = row[CONVERSIONS], row[RATE]
    return Converted(
        UNKNOWN if conversions is None else figures.count(conversions),
        UNKNOWN if rate is None else figures.percent(rate),
    )


def share_of(row: Record, counted: float, whole: float | None) -> float | None:
    """The share of a row in percent: of a whole, else as the answer has it."""
    if whole is None:
        share = row.get("percentage", 0)
        return None if share is None else float(share)
    return 100 * counted / whole if whole else 0.0


def leads_to(view: View, listed: Listed, row: Record) -> tuple[str, bool]:
    """The page filtered by a row, or no longer where it is selected, and whether it is; empty for rows that no filter
    tells apart."""
    wanted = _filters(listed, row, row[listed.shown] or "")
    if not wanted:
        return "", False
    return view.narrowed(wanted).link(), view.holds(wanted)


def _filters(listed: Listed, row: Record, name: str) -> dict[str, str]:
    """What a click on a row filters by. A region is one of its country."""
    if not listed.field or not name:
        return {}
    within = {"country": row["country"]} if listed.places and row.get("country") else {}
    return {**within, listed.field: name}


def domain_beside(row: Record) -> str:
    """The detail of a source: its domain, unless that is its name."""
    return (row["domain"] or "") if row["domain"] != row["name"] else ""
