"""Studies: retention, activity and journeys, whose settings a request gives as filters (wire 1.19). Pure."""

import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.clock import DAY
from analytics_box.base.errors import InvalidQuery
from analytics_box.base.translation import _
from analytics_box.query import ranges
from analytics_box.query.catalog.types import QueryType, Record
from analytics_box.query.compose import CannotAnswer
from analytics_box.query.filters import Filter, FilterGroup
from analytics_box.query.filters import condition as condition_of
from analytics_box.query.plan import LONGEST_GAP, LOOK_BACK, FlowPlan, PeriodPlan, QueryPlan, runs_of
from analytics_box.query.ranges import DayRange, Granularity, TimeWindow

MOST_PERIODS = 100
MOST_COHORT_DAYS = 90
MOST_PATTERNS = 10
MOST_SHOWN_STEPS = 6
MOST_NODES = 20
_PERIODS: tuple[Granularity, ...] = ("day", "week", "month")
_DEFAULTS = {"week_start": str(ranges.SUNDAY), "steps": "5", "nodes": "8"}
_ANCHORS = {"from_page": "path", "to_page": "path", "from_event": "event_name", "to_event": "event_name"}


class Study(Struct, frozen=True):
    """A study of a question's days. `settings` are the values of `filters`, by their fields."""

    type: QueryType
    settings: Mapping[str, tuple[str, ...]]
    filters: tuple[Filter, ...] = ()

    def first(self, name: str) -> str:
        """The value of a setting, or its default."""
        return next(iter(self.settings.get(name, ())), _DEFAULTS.get(name, ""))

    def window(self, days: DayRange, zone: ZoneInfo, now: int) -> TimeWindow:
        """The range with its periods. Raises CannotAnswer."""
        kind = self.type.study
        if kind == "journeys":
            return ranges.window(days, zone)._replace(now=now)
        if kind == "stickiness":
            days = DayRange(days.first - timedelta(days=LONGEST_GAP - 1), days.last)
        window = ranges.window(days, zone, self.width(days), int(self.first("week_start")))._replace(now=now)
        most = MOST_COHORT_DAYS if kind == "profiles" else ranges.MAX_DAYS if kind == "stickiness" else MOST_PERIODS
        if len(window.buckets) > most:
            what = "days" if kind == "profiles" else "periods. Choose longer ones"
            raise CannotAnswer(
                _("{name} supports up to {most} {what}").format(name=self.type.name, most=most, what=what)
            )
        return window

    def width(self, days: DayRange) -> Granularity:
        """The width of its periods."""
        if self.type.study in {"stickiness", "profiles"}:
            return "day"
        named = next((one for one in _PERIODS if one == self.first("period")), None)
        return named or ("day" if days.length <= 14 else "week" if days.length <= 182 else "month")

    def notes(self, days: DayRange, window: TimeWindow, zone: ZoneInfo) -> Record:
        """Facts about the study for the rows of its answer."""
        if self.type.study == "journeys":
            return {"patterns": self.settings.get("collapse", ())}
        if self.type.study != "profiles":
            return {"finished": self._over(days, window, zone)}
        return {
            "cohort_from": days.first.isoformat(),
            "cohort_to": days.last.isoformat(),
            "observation_end": ranges.parse_date(self.first("observation_end"), "observation_end").isoformat(),
            "observed_before": self._until(window, zone),
            "timezone": zone.key,
            "horizon_days": int(self.first("horizon_days")),
        }

    def plan_for(self, plan: QueryPlan, days: DayRange, window: TimeWindow, zone: ZoneInfo) -> QueryPlan:
        """The plan with its settings."""
        if self.type.study == "journeys":
            return replace(plan, flow=self._flow())
        periods = PeriodPlan(
            shown=window.start,
            previous=self._previous(days, window, zone),
            finished=self._over(days, window, zone),
            activation=self.first("activation_event"),
            comeback=self.first("return_event"),
        )
        start = window.start - (LOOK_BACK if self.type.study in {"retention", "lifecycle"} else 0)
        if self.type.study == "profiles":
            namespace = self.first("namespace") if "namespace" in self.settings else None
            horizon = int(self.first("horizon_days")) * DAY
            periods = replace(periods, horizon=horizon, until=self._until(window, zone), namespace=namespace)
        return replace(plan, start=start, runs=runs_of(window), periods=periods)

    def _flow(self) -> FlowPlan:
        anchor = next(((name, field) for name, field in _ANCHORS.items() if name in self.settings), None)
        where = None
        if anchor is not None:
            name, field = anchor
            value = self.first(name)
            where = condition_of(pattern_filter(value) if field == "path" else Filter(field, "eq", (value,)))
        return FlowPlan(
            steps=int(self.first("steps")),
            nodes=int(self.first("nodes")),
            backwards=any(name in self.settings for name in ("to_page", "to_event"))
            or self.first("direction") == "backwards",
            anchor=where,
            collapsed=tuple(condition_of(pattern_filter(one)) for one in self.settings.get("collapse", ())),
            events=self.first("events") == "true",
        )

    def _until(self, window: TimeWindow, zone: ZoneInfo) -> int:
        """The instant up to which return events count."""
        last = ranges.parse_date(self.first("observation_end"), "observation_end")
        return min(ranges.midnight(last + timedelta(days=1), zone), window.now)

    def _over(self, days: DayRange, window: TimeWindow, zone: ZoneInfo) -> int:
        """The number of periods that are over. One that the range cuts off is not."""
        over = sum(bucket.start <= window.now for bucket in window.buckets[1:])
        if not window.buckets:
            return 0
        last = self._following(date.fromisoformat(window.buckets[-1].label), self.width(days))
        ends = last <= days.last + timedelta(days=1) and ranges.midnight(last, zone) <= window.now
        return over + int(ends)

    def _following(self, first: date, width: Granularity) -> date:
        """The day after a period; the first one of a range may have begun before it."""
        if width == "month":
            return (first.replace(day=1) + timedelta(days=32)).replace(day=1)
        if width == "week":
            return first + timedelta(days=7 - (first.weekday() - int(self.first("week_start"))) % 7)
        return first + timedelta(days=1)

    def _previous(self, days: DayRange, window: TimeWindow, zone: ZoneInfo) -> int:
        """The instant at which the period before the first begins."""
        first = date.fromisoformat(window.buckets[0].label)
        width = self.width(days)
        before = (first.replace(day=1) - timedelta(days=1)).replace(day=1) if width == "month" else None
        return ranges.midnight(before or first - timedelta(days=7 if width == "week" else 1), zone)


def pattern_filter(pattern: str) -> Filter:
    """A filter on the pages that match a pattern with `*`."""
    if pattern.endswith("*") and "*" not in pattern[:-1]:
        return Filter("path", "starts_with", (pattern[:-1],))
    if "*" not in pattern:
        return Filter("path", "eq", (pattern,))
    return Filter("path", "regex", (f"^{'.*'.join(map(re.escape, pattern.split('*')))}$",))


def study_of(query_type: QueryType, filters: Sequence[Filter | FilterGroup]) -> Study | None:
    """The study that a request asks for, None for all other types. Raises CannotAnswer."""
    if not query_type.study:
        return None
    own = tuple(item for item in filters if isinstance(item, Filter) and item.field in query_type.alone)
    settings = {item.field: item.values for item in own}
    for name, values in settings.items():
        if name != "collapse" and len(values) != 1:
            raise CannotAnswer(_("{name} takes one value").format(name=name))
        wrong = _wrong_setting(name, values)
        if wrong:
            raise CannotAnswer(wrong)
    if sum(name in settings for name in _ANCHORS) > 1:
        raise CannotAnswer(_("A journey begins or ends at one page or event"))
    return Study(query_type, settings, own)


def _wrong_setting(name: str, values: tuple[str, ...]) -> str:
    """Return why a setting is invalid; empty if it is valid."""
    value = next(iter(values), "")
    allowed = {
        "period": _PERIODS,
        "week_start": tuple(str(number) for number in range(7)),
        "horizon_days": ("7", "30"),
        "steps": tuple(str(number) for number in range(2, MOST_SHOWN_STEPS + 1)),
        "nodes": tuple(str(number) for number in range(1, MOST_NODES + 1)),
        "direction": ("forwards", "backwards"),
        "events": ("true", "false"),
    }.get(name)
    if allowed is not None and value not in allowed:
        return f"{name} is one of {', '.join(allowed)}"
    if name == "observation_end":
        try:
            ranges.parse_date(value, name)
        except InvalidQuery as wrong:
            return wrong.message
    if name == "collapse" and len(values) > MOST_PATTERNS:
        return f"Up to {MOST_PATTERNS} patterns can be collapsed"
    if name in {"activation_event", "return_event"} and not value:
        return f"{name} is the name of a custom event"
    return ""
