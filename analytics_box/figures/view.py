"""The state of a page of figures in its address: range, metric, comparison, tabs. Everything on the page is a URL.

        range=last_30d | custom&from=2026-10-22&to=2026-11-20      metric=visitors      beside=pageviews (a second one)
        by=hour | day | week | month (points of the chart)      compare=year | off | own&cfrom=2026-08-01&cto=2026-08-31
        tab=channels,systems (of each panel the list that is not its first)      show=table
        country=Germany&path.contains=/blog (filters, as narrowing_address.py says)      segment=ID (those of a segment)
        goal=ID (conversions of it)      shade=conversions (what colour shows)
        kind=bot (one of the board's kinds)      zone=Europe/Berlin      wait=all (no part may come later)

Pages are forgiving: what cannot be read falls back to the default, which the page says; defaults are left out of
addresses.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from functools import lru_cache, partial
from typing import Any, Final, Literal
from urllib.parse import quote_plus
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.translation import _
from analytics_box.figures.board import Board, FigureList, Metric
from analytics_box.figures.comparing import Comparison, read_comparison
from analytics_box.figures.converting import COLUMNS, GoalTarget
from analytics_box.figures.detail_view import TableState, detail_parameters, read_detail
from analytics_box.figures.narrowing import EVERYTHING, Narrowing, Segment, read_narrowing
from analytics_box.figures.periods import Step, read_step
from analytics_box.figures.spans import USUAL, YOUNG, RangeName, RangeSpan, quoted_value, read_span
from analytics_box.query.named import DROPOFF, GOAL

# The filter by an error: its message, or the fingerprint of its group.
ERROR: Final = "error"


class View(Struct, frozen=True):
    """A state of such a page. `path` is the page's own path, empty at the root of a domain; a custom range has local
    days, both included.

    Without `range` in its address it shows the `usual` one, which depends on the age of its subject: None until
    that is known. Without `by`, points are as wide as fits the range. `beside` is a second metric in the same
    chart. `shade` is what colour shows of the goal instead of visitors. `goals` are those that are there of all
    that its address names, by id with their names; None until looked up. `unread` says what could not be
    read of the address. `own` are parameters of this page alone. `named` are names of what its filters name by ids:
    messages of error groups by their fingerprints, and steps of funnels.
    """

    path: str
    of: Board
    metric: str
    range: RangeName = USUAL
    first: date | None = None
    last: date | None = None
    by: Step | Literal[""] = ""
    compare: Comparison = Comparison()
    beside: str = ""
    tabs: tuple[str, ...] = ()
    table: bool = False
    zone: str = ""
    wait: bool = False
    filters: Narrowing = EVERYTHING
    segment: Segment | None = None
    goal: GoalTarget | None = None
    goals: tuple[tuple[str, str], ...] | None = None
    shade: str = ""
    kind: str = ""
    unread: tuple[str, ...] = ()
    usual: RangeName | None = USUAL
    detail: TableState = TableState()
    own: tuple[tuple[str, str], ...] = ()
    named: tuple[tuple[str, str], ...] = ()

    def link(self, **changes: Any) -> str:
        """The address of this state with some of it changed, for templates."""
        return address(replace(self, **changes))

    def tab(self, shown: str) -> "View":
        """This view with another list in the panel of that list."""
        panel_of = self.of.panel_of
        panel = panel_of[shown]
        others = tuple(name for name in self.tabs if panel_of[name] != panel)
        return replace(self, tabs=_in_order((*others, shown), self.of))

    def list_of(self, panel: str) -> str:
        """The list that a panel shows."""
        return next((name for name in self.tabs if name in self.of.panels[panel]), panel)

    def narrowed(self, wanted: Mapping[str, str]) -> "View":
        """This view with these filters added, or removed if all of them are set."""
        own = self.of.kinds.field if self.of.kinds is not None else ""
        if own in wanted:
            return replace(self, kind="" if self.kind == wanted[own] else wanted[own])
        return replace(self, filters=self.filters.toggled(wanted))

    def holds(self, wanted: Mapping[str, str]) -> bool:
        """Whether it shows these values only."""
        own = self.of.kinds.field if self.of.kinds is not None else ""
        return self.kind == wanted[own] if own in wanted else self.filters.holds(wanted)

    def part(self, name: str) -> str:
        """The address of a part of this page (a panel, or "figures") as a fragment; or of several, with commas."""
        return address(replace(self, path=f"{self.path}/parts/{name}"))

    def file(self, form: str) -> str:
        """The address of this page as a file."""
        return address(replace(self, path=f"{self.path}/export/{form}", wait=False, table=False))

    @property
    def plain(self) -> dict[str, str]:
        """The filters that let one value through, and the kind of what the page is about, by field."""
        own = {self.of.kinds.field: self.kind} if self.of.kinds is not None and self.kind else {}
        return {**self.filters.plain, **own}

    @property
    def is_filtered(self) -> bool:
        """Whether filters say what it shows, its own or those of a segment."""
        return bool(self.filters.items or self.segment)

    @property
    def is_narrow(self) -> bool:
        """Whether it shows less than there is in its range."""
        return self.is_filtered or bool(self.kind)

    @property
    def values_link(self) -> str:
        """The address of the values that the form for filters suggests."""
        home = "/".join(self.path.split("/")[:3])
        plain = replace(
            self, path=f"{home}/values", filters=EVERYTHING, segment=None, kind="", tabs=(), detail=TableState(), own=()
        )
        return address(plain)

    @property
    def aim(self) -> GoalTarget | None:
        """The chosen goal, once its filters have been looked up."""
        return self.goal if self.goal is not None and self.goal.filters else None

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """Its tiles; those of the goal are last."""
        of_goal = self.of.converting if self.goal is not None else ()
        return tuple(dict.fromkeys((*self.of.metrics, *of_goal)))

    @property
    def charted(self) -> dict[str, Metric]:
        """The metrics that can be drawn, by name."""
        return {metric.name: metric for metric in self.metrics if metric.series}

    def listed(self, name: str) -> FigureList:
        """A list; if a goal is chosen, its table also has its conversions."""
        listed = self.of.lists[name]
        return listed if self.aim is None else replace(listed, columns=(*COLUMNS, *listed.columns))

    def called(self, field: str, value: str) -> str:
        """The display name of a field's value."""
        if field == GOAL:
            return dict(self.goals or ()).get(value, _("a deleted goal"))
        if field == DROPOFF:
            return dict(self.named).get(value, _("a deleted funnel"))
        if field == ERROR:
            return dict(self.named).get(value) or self.of.called(field, value)
        return self.of.called(field, value)

    @property
    def goal_ids(self) -> frozenset[str] | None:
        """The existing goals of all that its address names; None until looked up."""
        return None if self.goals is None else frozenset(dict(self.goals))

    def without_goal(self, *unread: str) -> "View":
        """This view when no goal is chosen."""
        drawn, beside = (name if name in self.of.charted else "" for name in (self.metric, self.beside))
        metric = drawn or self.of.default
        beside = beside if beside != metric else ""
        return replace(self, goal=None, shade="", metric=metric, beside=beside, unread=(*self.unread, *unread))

    @property
    def everything(self) -> str:
        """The address of this page without its filters."""
        return address(replace(self.without_goal(), filters=EVERYTHING, segment=None, kind=""))

    def page_link(self, name: str) -> str:
        """The address of another page of the website with this range and these filters, such as its sessions; empty on
        pages of other subjects, on pages whose filters do not select sessions, and on that page itself."""
        parts = self.path.split("/")
        if parts[1:2] != ["sites"] or parts[-1] == name or "path" not in self.of.fields:
            return ""
        return address(replace(self, path=f"/sites/{parts[2]}/{name}", detail=TableState(), tabs=(), own=()))

    @property
    def waiting_link(self) -> str:
        """A link to this page that is answered only when every part is ready: for browsers without scripts."""
        return address(replace(self, wait=True))

    @property
    def span(self) -> RangeSpan:
        """The range."""
        return RangeSpan(self.range, self.first, self.last)

    def open_for(self, begun: int | None, now: int) -> "View":
        """This view of a subject with its first fact at `begun` (UTC ms): on its usual range, unless its address names
        one."""
        usual: RangeName = USUAL if begun is None or now - begun >= YOUNG else "today"
        return replace(self, usual=usual, range=self.range if self.usual is not None else usual)

    def own_value(self, name: str, usual: str = "") -> str:
        """The value of one of the page's parameters."""
        for own, value in self.own:
            if own == name:
                return value
        return usual

    def choose(self, usual: Mapping[str, str] = {}, /, **own: str) -> str:
        """The address of this page with other values of its parameters; empty and `usual` ones are left out."""
        chosen = {**dict(self.own), **own}
        kept = tuple((name, value) for name, value in chosen.items() if value and value != usual.get(name))
        return address(replace(self, own=kept))

    def of_range(self, name: RangeName) -> "View":
        """This view of another range, without the steps and own dates to compare with that were chosen for this one."""
        compare = self.compare if self.compare.how != "own" else Comparison()
        return replace(self, range=name, first=None, last=None, by="", compare=compare)

    @property
    def fields(self) -> tuple[tuple[str, str], ...]:
        """The hidden fields of the form for a custom range: everything but the range."""
        return tuple(pair for pair in _parameters(self.of_range(USUAL)) if pair[0] != "range")

    @property
    def uncompared_fields(self) -> tuple[tuple[str, str], ...]:
        """The hidden fields of the form for a custom comparison: everything but the comparison."""
        return tuple(_parameters(replace(self, compare=Comparison())))

    @property
    def all_fields(self) -> tuple[tuple[str, str], ...]:
        """The hidden fields of the form that adds a filter."""
        return tuple(_parameters(self))


# The longest value of a page's own parameter.
LONGEST_OWN = 256


def read_view(path: str, query: Mapping[str, str], of: Board, own: Sequence[str] = ()) -> View:
    """The state that an address asks for, with the parameters that are the page's `own`. Never raises."""
    span, comparison, (by, no_step) = read_span(query), read_comparison(query), read_step(query.get("by", ""))
    goal = GoalTarget(query["goal"][:64]) if of.converting and query.get("goal") else None
    charted = tuple(View(path, of, of.default, goal=goal).charted)
    metric = _one_of(charted, query.get("metric"), of.default)
    view = View(
        path=path,
        of=of,
        range=span.name,
        usual=USUAL if query.get("range") else None,
        first=span.first,
        last=span.last,
        metric=metric,
        by=by,
        compare=replace(comparison, unread=""),
        beside=_one_of(tuple(name for name in charted if name != metric), query.get("beside"), ""),
        tabs=_in_order(query.get("tab", "").split(","), of),
        table=query.get("show") == "table",
        zone=zone_in(query.get("zone", "")),
        wait=query.get("wait") == "all",
        filters=read_narrowing(query, of.filtered, partial(_canonical_value, of)),
        segment=Segment(query["segment"][:64]) if of.segmented and query.get("segment") else None,
        goal=goal,
        shade=_one_of(tuple(one.name for one in of.converting) if goal is not None else (), query.get("shade"), ""),
        kind=_kind(query, of),
        detail=read_detail(query),
        own=tuple((name, query[name].strip()[:LONGEST_OWN]) for name in own if query.get(name, "").strip()),
    )
    unread = (
        span.unread,
        comparison.unread,
        no_step and _("Unknown interval “{name}”. Showing the default of this range.").format(name=no_step),
        *_unread(query, view),
    )
    return replace(view, unread=tuple(text for text in unread if text))


def _unread(query: Mapping[str, str], view: View) -> tuple[str, ...]:
    """Remarks on invalid values for the figures and the zone."""
    metric, beside, zone = (query.get(name, "") for name in ("metric", "beside", "zone"))
    names = view.of.about(view.plain).names
    return (
        _("Unknown metric “{name}”. The chart shows {metric}.").format(
            name=quoted_value(metric), metric=names[view.metric]
        )
        if metric not in {"", view.metric}
        else "",
        _("The metric “{name}” cannot be added.").format(name=quoted_value(beside))
        if beside not in {"", view.metric, view.beside}
        else "",
        _("Unknown time zone “{name}”.").format(name=quoted_value(zone)) if zone and not view.zone else "",
    )


def address(view: View) -> str:
    """The canonical address of a state."""
    parameters = "&".join(f"{_quote(name)}={_quote(value)}" for name, value in _parameters(view))
    path = view.path or "/"
    return f"{path}?{parameters}" if parameters else path


@lru_cache(256)  # a page has some hundred addresses of the same few parts
def _quote(text: str) -> str:
    return quote_plus(text, safe="/,^")


def _parameters(view: View) -> list[tuple[str, str]]:
    given = {
        "range": view.range if view.range != USUAL or view.usual not in {None, USUAL} else "",
        "from": view.first.isoformat() if view.first else "",
        "to": view.last.isoformat() if view.last else "",
        "metric": view.metric if view.metric != view.of.default else "",
        "beside": view.beside,
        "by": view.by,
        **view.compare.parameters,
        "tab": ",".join(view.tabs),
        "show": "table" if view.table else "",
        "zone": view.zone,
        "wait": "all" if view.wait else "",
        **detail_parameters(view.detail),
        "segment": view.segment.id if view.segment is not None else "",
        "goal": view.goal.id if view.goal is not None else "",
        "shade": view.shade,
        view.of.kinds.field if view.of.kinds is not None else "kind": view.kind,
    }
    return [*((name, value) for name, value in given.items() if value), *view.own, *view.filters.parameters]


def _canonical_value(of: Board, field: str, value: str) -> str:
    """The value by the name that the facts know it by."""
    called = of.values.get(field, {})
    known = next((name for name, label in called.items() if name and label.casefold() == value.casefold()), value)
    return of.stored[field](known) if field in of.stored else known


def _kind(query: Mapping[str, str], of: Board) -> str:
    """The subject of the page, if it is not the usual one."""
    if of.kinds is None:
        return ""
    field = of.kinds.field
    value = query.get("value", "") if query.get("field") == field else query.get(field, "")
    known = _canonical_value(of, field, value.strip())
    return known if known in of.kinds.names else ""


def _in_order(names: Sequence[str], of: Board) -> tuple[str, ...]:
    """Of each panel the last that is named, unless it is the panel's first list."""
    panel_of = of.panel_of
    chosen = {panel_of[name]: name for name in names if name in panel_of}
    return tuple(chosen[panel] for panel in of.panels if chosen.get(panel, panel) != panel)


def _one_of(allowed: tuple[str, ...], value: str | None, default: str) -> str:
    return value if value in allowed else default


def zone_in(name: str) -> str:
    """The time zone in an address; empty for what is none."""
    if not name or len(name) > 64:
        return ""
    try:
        return ZoneInfo(name).key
    except (KeyError, ValueError, OSError):  # unknown, absolute or a folder of the zone database
        return ""
