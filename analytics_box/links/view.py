"""What the address of a link's own page asks for, as on an overview: range, metric, comparison, tabs, filters.

    range=last_30d | custom&from=2026-10-22&to=2026-11-20      metric=clicks      compare=off      tab=cities,systems
    more=sources      show=table      country=Germany      zone=Europe/Berlin      wait=all (no part may come later)

Pages are forgiving: what cannot be read falls back to the default, and defaults are left out of addresses.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Final, Literal
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.links.lists import FIELDS, LISTS, PANEL_OF, PANELS
from analytics_box.query.ranges import PRESETS, Days, Preset, of_preset
from analytics_box.texts import Filters
from analytics_box.websites import figures
from analytics_box.websites.chips import Chip
from analytics_box.websites.view import LONGEST, LONGEST_VALUE, day_in, zone_in

METRICS: Final = ("clicks", "visitors")


class LinkView(Struct, frozen=True):
    """One state of the page. `path` is the page's own path; own dates are both inclusive local days."""

    path: str
    range: Preset | Literal["custom"] = "last_30d"
    first: date | None = None
    last: date | None = None
    metric: str = "clicks"
    compare: bool = True
    tabs: tuple[str, ...] = ()
    more: str = ""
    table: bool = False
    zone: str = ""
    wait: bool = False
    filters: tuple[tuple[str, str], ...] = ()

    def link(self, **changes: Any) -> str:
        """The address of this state with some of it changed, for templates."""
        return address(replace(self, **changes))

    def tab(self, shown: str) -> "LinkView":
        """The same with another list in the panel of that list."""
        panel = PANEL_OF[shown]
        others = tuple(name for name in self.tabs if PANEL_OF[name] != panel)
        more = "" if PANEL_OF.get(self.more) == panel else self.more
        return replace(self, tabs=_in_order((*others, shown)), more=more)

    def list_of(self, panel: str) -> str:
        """Which of its lists a panel shows."""
        return next((name for name in self.tabs if PANEL_OF[name] == panel), panel)

    def narrowed(self, wanted: Mapping[str, str]) -> "LinkView":
        """The same with these filters too; where all of them are there, without them."""
        given = dict(self.filters)
        if wanted.items() <= given.items():
            left = {name: value for name, value in given.items() if name not in wanted}
        else:
            left = {**given, **wanted}
        return replace(self, filters=tuple((name, left[name]) for name in FIELDS if name in left), more="")

    def part(self, name: str) -> str:
        """The address of one part of this page (a panel, or "figures") as a fragment."""
        return address(replace(self, path=f"{self.path}/parts/{name}"))

    @property
    def waiting_link(self) -> str:
        """The same page, answered only when every part is ready: for browsers without scripts."""
        return address(replace(self, wait=True))

    @property
    def fields(self) -> tuple[tuple[str, str], ...]:
        """What a form that chooses own dates carries along: everything but the range."""
        return tuple(_parameters(replace(self, range="last_30d", first=None, last=None)).items())


def read_view(path: str, query: Mapping[str, str]) -> LinkView:
    """The state that an address asks for. Never raises."""
    chosen = query.get("range", "")
    first, last = day_in(query.get("from")), day_in(query.get("to"))
    if first and last and first > last:
        first, last = last, first
    custom = chosen == "custom" and first is not None and last is not None and last - first <= LONGEST
    more = query.get("more", "")
    return LinkView(
        path=path,
        range="custom" if custom else next((preset for preset in PRESETS if preset == chosen), "last_30d"),
        first=first if custom else None,
        last=last if custom else None,
        metric="visitors" if query.get("metric") == "visitors" else "clicks",
        compare=query.get("compare") != "off",
        tabs=_in_order(query.get("tab", "").split(",")),
        more=more if more in LISTS else "",
        table=query.get("show") == "table",
        zone=zone_in(query.get("zone", "")),
        wait=query.get("wait") == "all",
        filters=tuple((name, value) for name in FIELDS if (value := query.get(name, "")[:LONGEST_VALUE])),
    )


def days_of(view: LinkView, now: int, zone: ZoneInfo) -> Days:
    """The local days that are shown: own dates, else the preset's (spec 2.8). `now` is in UTC ms."""
    if view.range == "custom":
        return Days(view.first or date.min, view.last or date.max)
    return of_preset(view.range, now, zone)


def address(view: LinkView) -> str:
    """The canonical address of a state."""
    parameters = _parameters(view)
    return f"{view.path}?{urlencode(parameters, safe='/,')}" if parameters else view.path


def chips(view: LinkView) -> tuple[Chip, ...]:
    """The filters of an address, in the order of the page."""
    return tuple(
        Chip(field, Filters.names[field], figures.visible(value), view.narrowed({field: value}).link())
        for field, value in view.filters
    )


def _parameters(view: LinkView) -> dict[str, str]:
    given = {
        "range": view.range if view.range != "last_30d" else "",
        "from": view.first.isoformat() if view.first else "",
        "to": view.last.isoformat() if view.last else "",
        "metric": view.metric if view.metric != "clicks" else "",
        "compare": "" if view.compare else "off",
        "tab": ",".join(view.tabs),
        "more": view.more,
        "show": "table" if view.table else "",
        "zone": view.zone,
        "wait": "all" if view.wait else "",
        **dict(view.filters),
    }
    return {name: value for name, value in given.items() if value}


def _in_order(names: Sequence[str]) -> tuple[str, ...]:
    """Of each panel the last that is named, unless it is the panel's first list."""
    chosen = {PANEL_OF[name]: name for name in names if name in PANEL_OF}
    return tuple(chosen[panel] for panel in PANELS if chosen.get(panel, panel) != panel)
