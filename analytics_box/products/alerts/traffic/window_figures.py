"""The figures that traffic alerts judge, of closed windows of a website."""

from typing import Final

from analytics_box.base.clock import HOUR
from analytics_box.base.facts.event import CUSTOM, PAGE_VIEW
from analytics_box.products.alerts.traffic import rules
from analytics_box.products.alerts.traffic.rules import DAYS, WEEKS, Sessions, expected_value
from analytics_box.query.engines import Engines
from analytics_box.query.filters import FilterCondition
from analytics_box.query.plan import PlanOrder, QueryPlan, Source

_SECONDS = 5.0  # for one look
# The most error groups of a window that are judged.
MOST_GROUPS: Final = 200
_PEOPLE = (PAGE_VIEW, CUSTOM)


class TrafficFigures:
    """The figures of one round; each is asked for once, however many alert rules want it. Windows are [start, end)."""

    def __init__(self, engines: Engines) -> None:
        self._engines = engines
        self._known: dict[QueryPlan, int | None] = {}

    async def visitors(self, site: int, start: int, end: int) -> int:
        """Distinct visitors."""
        return await self._count("events", "visitors", site, start, end)

    async def usual(self, site: int, start: int, end: int) -> float | None:
        """The usual number of visitors in this window; None if unknown."""
        for steps in (WEEKS, DAYS):
            earlier = [await self.visitors(site, start - step, end - step) for step in steps]
            found = expected_value(earlier)
            if found is not None:
                return found
        return None

    async def sessions(self, site: int, start: int, end: int) -> Sessions:
        """Sessions, and those of them that met an error."""
        failing = await self._count("errors", "sessions", site, start, end)
        seen = await self._count("events", "unique_sessions", site, start, end)
        return Sessions(max(seen, failing), failing)

    async def last(self, site: int, start: int, end: int, fingerprint: str) -> int | None:
        """The last time of an error group in a window (UTC ms); None if it did not happen."""
        where = (FilterCondition("fingerprint", "is", (fingerprint,), negated=False),)
        plan = QueryPlan("errors", (site,), start, end, measures=("last",), where=where)
        ((found,),) = await self._engines.rows(plan, seconds=_SECONDS)
        return None if found is None else int(str(found))

    async def groups(self, site: int, start: int, end: int, only: tuple[str, ...] = ()) -> dict[str, rules.WindowGroup]:
        """The error groups of a window by fingerprint, those that affect most sessions first; or `only` some."""
        where = (FilterCondition("fingerprint", "is", only, negated=False),) if only else ()
        plan = QueryPlan(
            "errors",
            (site,),
            start,
            end,
            measures=("sessions", "latest_message", "latest_time"),
            group=("fingerprint",),
            where=where,
            order=(PlanOrder("sessions"),),
            limit=MOST_GROUPS,
        )
        found = await self._engines.rows(plan, seconds=_SECONDS)
        return {
            str(fingerprint): rules.WindowGroup(int(str(sessions)), str(message), int(str(last)))
            for fingerprint, sessions, message, last in found
        }

    async def first(self, site: int, start: int, end: int) -> int | None:
        """The time of the first event of a window (UTC ms), if there is one."""
        if not await self._count("events", "total_events", site, start, end):
            return None
        return await self._ask("events", "first", site, start, end)

    async def is_silent(self, site: int, start: int, end: int) -> bool:
        """Whether there is no event in a window. The latest hour is looked at first: mostly that is enough."""
        near = max(start, end - HOUR)
        if await self._count("events", "total_events", site, near, end):
            return False
        return not await self._count("events", "total_events", site, start, near)

    async def _count(self, source: Source, measure: str, site: int, start: int, end: int) -> int:
        return await self._ask(source, measure, site, start, end) or 0

    async def _ask(self, source: Source, measure: str, site: int, start: int, end: int) -> int | None:
        if end <= start:
            return 0
        kinds = _PEOPLE if source == "events" else ()
        plan = QueryPlan(source, (site,), start, end, measures=(measure,), kinds=kinds)
        if plan not in self._known:
            ((found,),) = await self._engines.rows(plan, seconds=_SECONDS)
            self._known[plan] = None if found is None else int(str(found))
        return self._known[plan]
