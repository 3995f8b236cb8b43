"""The lists below the chart of an overview: bars, tabs, and how many there are. Pure."""

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.texts import Panels, figures
from analytics_box.websites.lists import CAMPAIGNS, LISTS, PANELS, Listed
from analytics_box.websites.view import View

ROWS, MORE_ROWS = 8, 100
CAMPAIGN_ROWS = 7  # their second row of tabs takes the place of one


class ListRow(Struct, frozen=True):
    """One row of a list, whatever its type: what names it, what is counted, and its share in percent."""

    name: str | None = None
    path: str | None = None
    href: str | None = None
    text: str | None = None
    domain: str | None = None
    country: str | None = None
    country_code: str = ""
    device_type: str = ""
    visitors: float = 0
    total_events: float = 0
    total_clicks: float = 0
    percentage: float = 0


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


class Tab(Struct, frozen=True):
    """One of the lists that share a panel. `href` is the page with it, `part` the panel alone."""

    name: str
    label: str
    href: str
    part: str
    selected: bool


class Panel(Struct, frozen=True):
    """A list below the chart. `bars` is None while its query still runs; `source` gives it as a fragment.

    `choices` are the lists of the chosen tab, where it has several.
    """

    name: str
    shown: str
    tabs: tuple[Tab, ...]
    counted: str
    bars: tuple[Bar, ...] | None
    source: str
    more: str = ""
    fewer: str = ""
    failed: bool = False
    choices: tuple[Tab, ...] = ()
    lists: str = ""


def shares_of(rows: Sequence[ListRow], visitors: float) -> list[ListRow]:
    """The rows with their shares of so many visitors."""
    return [replace(row, percentage=100 * row.visitors / visitors if visitors else 0) for row in rows]


def rows_wanted(view: View, panel: str) -> int:
    """The limit to query with: one more than is shown, to know whether there is more."""
    shown = view.list_of(panel)
    return MORE_ROWS if view.more == shown else _rows(shown) + 1


def panel(view: View, name: str, rows: Sequence[ListRow] | None, *, failed: bool = False) -> Panel:
    """One panel; `rows` is None while its query still runs."""
    shown = view.list_of(name)
    extended = view.more == shown
    fits = _rows(shown)
    return Panel(
        name=name,
        shown=shown,
        tabs=_tabs(view, name, shown),
        counted=Panels.counted[LISTS[shown].counted],
        bars=None if rows is None else _bars(view, shown, rows if extended else rows[:fits]),
        source=view.part(name),
        more=view.link(more=shown) if not extended and rows is not None and len(rows) > fits else "",
        fewer=view.link(more="") if extended else "",
        failed=failed,
        choices=tuple(_tab(view, each, name, shown) for each in CAMPAIGNS) if shown in CAMPAIGNS else (),
        lists=" ".join(PANELS[name]),
    )


def _rows(shown: str) -> int:
    return CAMPAIGN_ROWS if shown in CAMPAIGNS else ROWS


def _tabs(view: View, panel: str, shown: str) -> tuple[Tab, ...]:
    """One tab for each list of the panel; all of campaigns share one."""
    names = [name for name in PANELS[panel] if name not in CAMPAIGNS[1:]]
    return tuple(_tab(view, name, panel, CAMPAIGNS[0] if shown in CAMPAIGNS else shown, Panels.tabs) for name in names)


def _tab(view: View, name: str, panel: str, shown: str, labels: Mapping[str, str] = Panels.choices) -> Tab:
    chosen = view.tab(name)
    return Tab(name, labels[name], chosen.link(), chosen.part(panel), selected=name == shown)


def _bars(view: View, shown: str, rows: Sequence[ListRow]) -> tuple[Bar, ...]:
    listed = LISTS[shown]
    largest = max((getattr(row, listed.counted) for row in rows), default=0)
    return tuple(_bar(view, shown, row, largest) for row in rows)


def _bar(view: View, shown: str, row: ListRow, largest: float) -> Bar:
    listed = LISTS[shown]
    counted, name = getattr(row, listed.counted), getattr(row, listed.shown) or ""
    wanted = _filters(listed, row, name)
    return Bar(
        label=figures.visible(_label(shown, name)) or Panels.unknown,
        detail=figures.visible(_detail(shown, row)),
        value=figures.count(counted),
        share=figures.percent(row.percentage),
        width=figures.bar_width(counted, largest),
        code=row.country_code if listed.places else None,
        href=view.narrowed(wanted).link() if wanted else "",
        selected=bool(wanted) and wanted.items() <= dict(view.filters).items(),
    )


def _filters(listed: Listed, row: ListRow, name: str) -> dict[str, str]:
    """What a click on a row filters by. A region is one of its country."""
    if not listed.field or not name:
        return {}
    within = {"country": row.country} if listed.places and row.country else {}
    return {**within, listed.field: name}


def _label(shown: str, name: str) -> str:
    if shown == "windows":
        return name.replace("x", " × ")
    return name.removeprefix("https://") if shown == "links" else name


def _detail(shown: str, row: ListRow) -> str:
    """What tells rows apart beside their names."""
    if shown == "sources":
        return (row.domain or "") if row.domain != row.name else ""
    if shown == "windows":
        return row.device_type
    return (row.text or "") if shown == "links" else ""
