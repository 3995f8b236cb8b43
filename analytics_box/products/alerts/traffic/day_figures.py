"""Alerts on figures of whole days: rates, missing pages, loading times, MCP tool calls, revenue, failed payments.

Each day (UTC) is compared with the median of the same weekday of the four weeks before, once it is over. A rate also
has to differ by more than chance explains.
"""

import logging
from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal
from functools import partial
from math import sqrt
from statistics import median
from typing import Final
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.clock import DAY, HOUR, Clock
from analytics_box.base.errors import BoxError
from analytics_box.base.money import amount_text
from analytics_box.base.store.db import Db
from analytics_box.base.translation import _
from analytics_box.products.alerts import rows
from analytics_box.products.alerts.alert_rule import AlertRule, Figure
from analytics_box.products.alerts.rules import FIGURE_LABELS
from analytics_box.products.alerts.traffic import rules
from analytics_box.products.alerts.traffic.occurrences import TrafficWindow, describe
from analytics_box.products.alerts.traffic.rules import Verdict
from analytics_box.products.alerts.traffic.watch import begin_alert, end_alert
from analytics_box.products.goals.figures import GoalFigures, GoalPeriod, goal_figures
from analytics_box.query import ranges
from analytics_box.query.access import ReadScope
from analytics_box.query.catalog.types import Record
from analytics_box.query.ranges import DayRange
from analytics_box.query.request import MAX_LIMIT, GivenQuery, QueryFilterInput, check
from analytics_box.query.run import QueryRunner
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.call import Parts

log = logging.getLogger(__name__)

# Days of the past that are compared, and the fewest of them that say what is usual.
WEEKS: Final = 4
LEAST_DAYS: Final = 2
# After midnight, for events that arrive late.
LATE: Final = HOUR
_UTC: Final = ZoneInfo("UTC")
_VITALS: Final[dict[str, str]] = {"lcp_p75": "LCP", "inp_p75": "INP"}
_OF_CALLS: Final[dict[str, str]] = {"mcp_error_rate": "error_rate", "mcp_p95": "p95_ms"}
_PERCENT: Final = frozenset(("goal_rate", "funnel_rate", "mcp_error_rate"))


class DayFigure(Struct, frozen=True):
    """A figure of a day, and the visitors, sessions, measurements or calls behind it. Revenue has a `currency`."""

    value: float
    samples: int
    currency: str = ""


class FigureReader(Struct, frozen=True):
    """Reads figures of whole days by the queries of pages. Every function raises BoxError."""

    queries: QueryRunner
    db: Db
    now: int

    async def read(self, website: Website, figure: Figure, target: str, day: date) -> DayFigure:
        """A figure of a day; zero of nothing."""
        match figure:
            case "goal_rate":
                return await self._goal(website, target, day)
            case "funnel_rate":
                only = QueryFilterInput("funnel", "eq", target)
                steps = await self._rows(website, "funnel", day, (only,))
                return DayFigure(steps[-1]["conversion_rate"], steps[0]["users"]) if steps else DayFigure(0, 0)
            case "not_found_views":
                found = await self._rows(website, "missing_pages", day)
                views = sum(row["views"] for row in found)
                return DayFigure(views, views)
            case "mcp_error_rate" | "mcp_p95":
                (calls,) = await self._rows(website, "mcp_summary", day) or ({},)
                return DayFigure(calls.get(_OF_CALLS[figure]) or 0, calls.get("calls", 0))
            case "revenue" | "failed_payments":
                return await self._money(website, figure, day)
        measured = await self._rows(website, "vitals_overview", day)
        row = next((one for one in measured if one["metric_name"] == _VITALS[figure]), None)
        return DayFigure(0, 0) if row is None else DayFigure(row["p75"] or 0, row["samples"])

    async def _money(self, website: Website, figure: Figure, day: date) -> DayFigure:
        """The revenue in the currency of most recent orders, or the failed payments; about the visitors of the day."""
        last = ranges.today(self.now, _UTC)
        recent = await self._rows(website, "revenue_overview", last - timedelta(weeks=WEEKS + 1), until=last)
        (visits,) = await self._rows(website, "summary_totals", day)
        rows = await self._rows(website, "revenue_overview", day)
        if figure == "failed_payments":
            return DayFigure(sum(row["failed_payment_attempts"] for row in rows), visits["visitors"])
        usual = max(recent, key=lambda row: row["total_transactions"], default={"currency": ""})["currency"]
        total = sum(row["total_revenue"] for row in rows if row["currency"] == usual)
        return DayFigure(float(total), visits["visitors"], usual)

    async def _goal(self, website: Website, goal_id: str, day: date) -> DayFigure:
        from analytics_box.products.goals.lookup import GOALS  # noqa: PLC0415  pages come with it, which the start does not need

        goal = await self.db.read(lambda db: GOALS.find(db, goal_id))
        if goal is None or goal.website_id != website.id:
            return DayFigure(0, 0)
        period = GoalPeriod(DayRange(day, day), _UTC, self.now)
        (found,) = await goal_figures(self.queries, website.site, [goal.definition], period)
        return DayFigure(found.rate, found.visitors) if isinstance(found, GoalFigures) else DayFigure(0, 0)

    async def _rows(
        self,
        website: Website,
        name: str,
        day: date,
        filters: Sequence[QueryFilterInput] = (),
        until: date | None = None,
    ) -> list[Record]:
        given = GivenQuery([name], day.isoformat(), (until or day).isoformat(), limit=MAX_LIMIT, filters=list(filters))
        request = check(given, zone_name="UTC", now=self.now)
        (entry,) = await self.queries.answer(request, ReadScope((website.site,)))
        return entry.data if entry.success else []


class FigureWatch:
    """Judges the day before for each rule and website, once a day and after each change of a rule."""

    def __init__(self, db: Db, websites: Directory, clock: Clock, public_url: str) -> None:
        self._db = db
        self._websites = websites
        self._clock = clock
        self._url = public_url
        self._judged: dict[tuple[str, str], tuple[date, int]] = {}

    async def run(self, parts: Parts) -> int:
        """Judge what has not been judged; return the number of messages. One website never stops others."""
        now = self._clock.now()
        day = ranges.today(now - LATE, _UTC) - timedelta(days=1)
        alert_rules = [one for one in await self._db.read(rows.of_traffic) if one.conditions.figure is not None]
        if not alert_rules:
            return 0
        reader, told, judged = FigureReader(parts[QueryRunner], self._db, now), 0, {}
        for rule in alert_rules:
            for website in self._websites.of(rule.organization_id):
                if rule.website_id not in {None, website.id}:
                    continue
                key, state = (rule.id, website.id), (day, rule.updated_at)
                if self._judged.get(key) != state:
                    try:
                        told += await self._judge(reader, rule, website, day)
                    except BoxError as busy:
                        log.warning("A figure of %s could not be checked: %s", website.id, busy.message)
                        continue
                judged[key] = state
        self._judged = judged
        return told

    async def _judge(self, reader: FigureReader, rule: AlertRule, website: Website, day: date) -> int:
        figure, target, wanted = rule.conditions.figure, rule.conditions.figure_id or "", rules.terms(rule)
        if figure is None:
            return 0
        now = await reader.read(website, figure, target, day)
        days = [day - timedelta(weeks=number) for number in range(1, WEEKS + 1)]
        earlier = [await reader.read(website, figure, target, one) for one in days]
        known = [
            one
            for day_before, one in zip(days, earlier, strict=True)
            if one.samples >= wanted.least
            or (figure == "not_found_views" and day_before > ranges.today(website.created_at, _UTC))
        ]
        if len(known) < LEAST_DAYS:
            return 0
        usual = median([one.value for one in known])
        verdict = judge(figure, now, usual, wanted, is_spike=rule.trigger == "traffic_spike")
        if verdict == "ends":
            await self._db.write(partial(end_alert, rule=rule, website_id=website.id, now=reader.now))
        if verdict != "begins":
            return 0
        end = ranges.window(DayRange(day, day), _UTC, None).end
        about = TrafficWindow(website, replace(wanted, minutes=DAY // 60_000), end, reader.now, self._url)
        values = value_text(figure, now.value, now.currency), value_text(figure, usual, now.currency)
        text = _("{figure} on {day}: {value}. Usual on this weekday: {usual}.").format(
            figure=FIGURE_LABELS[figure], day=day.isoformat(), value=values[0], usual=values[1]
        )
        title = (
            _("{figure} higher than usual: {website}")
            if rule.trigger == "traffic_spike"
            else _("{figure} lower than usual: {website}")
        ).format(figure=FIGURE_LABELS[figure], website=website.name)
        fields = ((FIGURE_LABELS[figure], values[0]), (_("Usual"), values[1]))
        made = describe(
            "traffic_spike" if rule.trigger == "traffic_spike" else "traffic_drop", about, title, text, fields
        )
        occurrence = replace(made, topic=f"{made.topic}:{figure}:{target}")
        return await self._db.write(partial(begin_alert, rule_id=rule.id, occurrence=occurrence, now=reader.now))


def judge(figure: Figure, now: DayFigure, usual: float, wanted: rules.Terms, *, is_spike: bool) -> Verdict:
    """Judge a figure against the usual value. Days with too few samples change nothing."""
    if now.samples < wanted.least and figure != "not_found_views":
        return "lasts"
    difference = now.value - usual if is_spike else usual - now.value
    limit = usual * wanted.threshold / 100
    if difference >= limit and difference > _chance(figure, now, usual) and now.samples >= wanted.least:
        return "begins"
    return "ends" if difference < limit * rules.BACK else "lasts"


def _chance(figure: Figure, now: DayFigure, usual: float) -> float:
    """The difference that chance explains: three standard deviations of a count or a rate."""
    if figure in {"not_found_views", "failed_payments"}:
        return rules.CHANCE * sqrt(usual)
    if figure in _PERCENT:
        return rules.CHANCE * sqrt(usual * (100 - usual) / max(now.samples, 1))
    return 0.0


def value_text(figure: Figure, value: float, currency: str = "") -> str:
    """The value of a figure in words."""
    if figure == "revenue":
        return amount_text(Decimal(str(value)), currency)
    if figure in {"not_found_views", "failed_payments"}:
        return figures.count(value)
    return figures.percent(value) if figure in _PERCENT else figures.milliseconds(value)
