"""Tiles, chart and lists of a link's own page, from the rows of the answers. Pure."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.http.dates import Formats
from analytics_box.links.clicks.kinds import KINDS
from analytics_box.links.lists import LISTS, PANELS, Listed
from analytics_box.links.view import METRICS, kind_of
from analytics_box.texts import LinkStats, Panels
from analytics_box.websites import figures, series
from analytics_box.websites.panels import Bar, Panel, Tab
from analytics_box.websites.series import Chart, SeriesRow
from analytics_box.websites.tiles import Change, change_of_count
from analytics_box.websites.view import View

ROWS, MORE_ROWS = 8, 100


class Totals(Struct, frozen=True):
    """`link_total_clicks`."""

    total: float = 0
    visitors: float = 0


class ClickRow(Struct, frozen=True):
    """A bucket of `link_clicks_by_day`."""

    date: str
    clicks: float = 0
    visitors: float = 0


class ListRow(Struct, frozen=True):
    """A row of a list, whatever its type."""

    name: str | None = None
    clicks: float = 0
    percentage: float = 0
    domain: str | None = None
    country: str | None = None
    country_code: str | None = None
    kind: str = ""


class Landing(Struct, frozen=True):
    """`link_landings`."""

    sessions: float = 0


class LinkTile(Struct, frozen=True):
    """A figure; with an address it draws the chart of it. `help` is what stands below one that is not compared."""

    metric: str
    label: str
    value: str
    change: Change | None = None
    selected: bool = False
    href: str = ""
    help: str = ""


class LinkFigures(Struct, frozen=True):
    """Tiles and chart; `label` is what the chart shows."""

    tiles: tuple[LinkTile, ...]
    chart: Chart
    label: str


def tiles(
    view: View,
    totals: Totals,
    before: Totals | None,
    landing: Landing,
    kinds: Sequence[ListRow],
    *,
    unfinished: bool,
) -> tuple[LinkTile, ...]:
    """Clicks and visitors with what has changed, the visits that followed, and what is not counted."""
    names = metric_names(view)
    pairs = {
        "clicks": (totals.total, before.total if before is not None else None),
        "visitors": (totals.visitors, before.visitors if before is not None else None),
    }
    counted = tuple(
        LinkTile(
            metric,
            names[metric],
            figures.count(now),
            _change(view, now, then, unfinished=unfinished) if then is not None else None,
            selected=view.metric == metric,
            href=view.link(metric=metric),
        )
        for metric, (now, then) in pairs.items()
    )
    others = sum(row.clicks for row in kinds if row.name != "click")
    return (
        *counted,
        LinkTile("sessions", names["sessions"], figures.count(landing.sessions), help=LinkStats.helps["sessions"]),
        LinkTile("others", names["others"], figures.count(others), help=LinkStats.helps["others"]),
    )


def _change(view: View, now: float, then: float, *, unfinished: bool) -> Change:
    """More clicks are better; more programs are neither good nor bad."""
    change = change_of_count(now, then, judged=not unfinished)
    return replace(change, tone="neutral") if kind_of(view) else change


def metric_names(view: View) -> Mapping[str, str]:
    """What is counted on the page: clicks of people, or what is not counted as one."""
    return {**LinkStats.metrics, **LinkStats.other_metrics} if kind_of(view) else LinkStats.metrics


def chart(
    view: View, rows: Sequence[ClickRow], before: Sequence[ClickRow] | None, *, now: datetime, formats: Formats
) -> Chart:
    """The series of the chosen metric beside the period before."""
    return series.chart(
        "visitors",
        _series(view, rows),
        _series(view, before) if before is not None else None,
        now=now,
        formats=formats,
    )


def rows_wanted(view: View, panel: str) -> int:
    """The limit to query with: one more than is shown, to know whether there is more."""
    return MORE_ROWS if view.more == view.list_of(panel) else ROWS + 1


def panel(view: View, name: str, rows: Sequence[ListRow] | None, *, failed: bool = False) -> Panel:
    """One panel; `rows` is None while its query still runs."""
    shown = view.list_of(name)
    extended = view.more == shown
    if rows is not None and shown == "kinds":
        rows = [row for row in rows if row.name != KINDS[1]]
    return Panel(
        name=name,
        shown=shown,
        tabs=tuple(_tab(view, each, name, shown) for each in PANELS[name]),
        counted=metric_names(view)["clicks"] if name != "kinds" else "",
        bars=None if rows is None else _bars(view, shown, rows if extended else rows[:ROWS]),
        source=view.part(name),
        more=view.link(more=shown) if not extended and rows is not None and len(rows) > ROWS else "",
        fewer=view.link(more="") if extended else "",
        failed=failed,
        lists=" ".join(PANELS[name]),
    )


def _series(view: View, rows: Sequence[ClickRow]) -> list[SeriesRow]:
    return [SeriesRow(row.date, visitors=row.clicks if view.metric == METRICS[0] else row.visitors) for row in rows]


def _tab(view: View, name: str, panel: str, shown: str) -> Tab:
    chosen = view.tab(name)
    return Tab(name, LinkStats.tabs[name], chosen.link(), chosen.part(panel), selected=name == shown)


def _bars(view: View, shown: str, rows: Sequence[ListRow]) -> tuple[Bar, ...]:
    largest = max((row.clicks for row in rows), default=0)
    total = sum(row.clicks for row in rows)
    return tuple(_bar(view, shown, row, largest, total) for row in rows)


def _bar(view: View, shown: str, row: ListRow, largest: float, total: float) -> Bar:
    listed = LISTS[shown]
    wanted = _filters(listed, row)
    share = row.percentage if shown not in {"kinds", "bots"} else 100 * row.clicks / total if total else 0
    return Bar(
        label=figures.visible(_label(shown, row.name or "")) or Panels.unknown,
        detail=figures.visible(_detail(shown, row)),
        value=figures.count(row.clicks),
        share=figures.percent(share),
        width=figures.bar_width(row.clicks, largest),
        code=(row.country_code or "") if listed.places else None,
        href=view.narrowed(wanted).link() if wanted else "",
        selected=bool(wanted) and wanted.items() <= dict(view.filters).items(),
    )


def _filters(listed: Listed, row: ListRow) -> dict[str, str]:
    """What a click on a row filters by. A region is one of its country."""
    if not listed.field or not row.name:
        return {}
    within = {"country": row.country} if listed.places and row.country else {}
    return {**within, listed.field: row.name}


def _label(shown: str, name: str) -> str:
    if shown == "kinds":
        return LinkStats.kinds.get(name, name)
    if shown == "devices":
        return LinkStats.devices.get(name, name)
    if shown == "rules":
        return LinkStats.rule_names.get(name, name)
    return name if name or shown != "variants" else LinkStats.no_variant


def _detail(shown: str, row: ListRow) -> str:
    """What tells rows apart beside their names."""
    if shown == "sources":
        return (row.domain or "") if row.domain != row.name else ""
    return LinkStats.kinds.get(row.kind, "") if shown == "bots" and row.kind != "bot" else ""
