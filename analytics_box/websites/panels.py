"""The lists below the chart of an overview: bars, tabs, and how many there are. Pure."""

from collections.abc import Sequence

from msgspec import Struct

from analytics_box.texts import Panels
from analytics_box.websites import figures
from analytics_box.websites.view import View

ROWS, MORE_ROWS = 8, 100
PANELS = ("pages", "sources", "browsers", "events")


class ListRow(Struct, frozen=True):
    """One row of a list, whatever its type: path or name, what is counted, and its share in percent."""

    name: str | None = None
    path: str | None = None
    domain: str | None = None
    visitors: float = 0
    total_events: float = 0
    percentage: float = 0


class Bar(Struct, frozen=True):
    """One row of a bar list; `width` is a class w0 … w100."""

    label: str
    detail: str
    value: str
    share: str
    width: str


class Tab(Struct, frozen=True):
    """One of the lists that share a panel."""

    label: str
    href: str
    selected: bool


class Panel(Struct, frozen=True):
    """A list below the chart. `bars` is None while its query still runs; `source` gives it as a fragment."""

    name: str
    shown: str
    tabs: tuple[Tab, ...]
    counted: str
    bars: tuple[Bar, ...] | None
    source: str
    more: str = ""
    fewer: str = ""
    failed: bool = False


def list_of(view: View, panel: str) -> str:
    """Which list a panel shows: its own, or the one of its tabs that the address chose."""
    return view.tab if panel == "browsers" else panel


def rows_wanted(view: View, panel: str) -> int:
    """The limit to query with: one more than is shown, to know whether there is more."""
    return MORE_ROWS if view.more == list_of(view, panel) else ROWS + 1


def panel(view: View, name: str, rows: Sequence[ListRow] | None, *, failed: bool = False) -> Panel:
    """One panel; `rows` is None while its query still runs."""
    shown = list_of(view, name)
    extended = view.more == shown
    return Panel(
        name=name,
        shown=shown,
        tabs=_tabs(view, name),
        counted=Panels.counted[shown],
        bars=None if rows is None else _bars(shown, rows if extended else rows[:ROWS]),
        source=view.part(name),
        more=view.link(more=shown) if not extended and rows is not None and len(rows) > ROWS else "",
        fewer=view.link(more="") if extended else "",
        failed=failed,
    )


def _tabs(view: View, name: str) -> tuple[Tab, ...]:
    if name != "browsers":
        return (Tab(Panels.tabs[name], "", selected=True),)
    return tuple(
        Tab(Panels.tabs[tab], view.link(tab=tab, more=""), selected=view.tab == tab) for tab in ("browsers", "systems")
    )


def _bars(shown: str, rows: Sequence[ListRow]) -> tuple[Bar, ...]:
    def counted(row: ListRow) -> float:
        return row.total_events if shown == "events" else row.visitors

    largest = max((counted(row) for row in rows), default=0)
    return tuple(
        Bar(
            label=figures.visible((row.path if shown == "pages" else row.name) or "") or Panels.unknown,
            detail=figures.visible(row.domain or "") if shown == "sources" and row.domain != row.name else "",
            value=figures.count(counted(row)),
            share=figures.percent(row.percentage),
            width=figures.bar_width(counted(row), largest),
        )
        for row in rows
    )
