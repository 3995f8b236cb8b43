"""The plans that events.db can answer alone, when the oldest facts are only in ClickHouse."""

from datetime import UTC, datetime

from analytics_box.base.clock import DAY
from analytics_box.base.errors import InClickHouse
from analytics_box.base.facts import trimmed
from analytics_box.base.store.db import Db
from analytics_box.base.translation import _
from analytics_box.query.plan import LOOK_BACK, RETURNING, SESSION_AFTER, SESSION_BEFORE, QueryPlan

# Of these nothing is trimmed.
_WHOLE = frozenset(("link_clicks", "checks", "monitor_spans"))
# Their sites are numbers of links: which websites they lead to is not known before.
_OF_LINKS = frozenset(("landings",))


class TrimTimes:
    """Until when facts are in ClickHouse only, by the number of the website; in memory."""

    def __init__(self, events: Db) -> None:
        self._events = events
        self._latest: dict[int, int] | None = None

    async def load(self) -> None:
        """Read it where it is not known."""
        if self._latest is None:
            found = await self._events.read(trimmed.latest)
            self._latest = self._latest or found

    async def reload(self) -> None:
        """Read it again: some of them were removed."""
        self._latest = await self._events.read(trimmed.latest)

    def note(self, last: trimmed.TrimPiece) -> None:
        """Record a trim that is about to begin: from now on, reads may lack its rows."""
        known = self._latest = self._latest or {}
        for site, time in last.last.items():
            known[site] = max(known.get(site, 0), time)

    def lacks(self, plan: QueryPlan) -> int | None:
        """Until when (UTC ms) facts are missing here that the plan looks at; None if it lacks none."""
        if not self._latest or plan.source in _WHOLE:
            return None
        sites = self._latest if plan.source in _OF_LINKS else plan.sites
        last = max((self._latest[site] for site in sites if site in self._latest), default=None)
        return last if last is not None and last >= plan.start - _back(plan) else None

    async def refuse(self, plan: QueryPlan, why: str) -> None:
        """Raise InClickHouse where this plan cannot be answered from what is here."""
        await self.load()
        last = self.lacks(plan)
        if last is not None:
            whole = datetime.fromtimestamp((last + _back(plan)) // DAY * DAY // 1000 + DAY // 1000, UTC).date()
            raise InClickHouse(
                _("Events of this range are in ClickHouse only, {why}; ranges from {day} on are answered").format(
                    why=why, day=whole.isoformat()
                )
            )


def _back(plan: QueryPlan) -> int:
    """The time before its start that a plan also reads, in ms."""
    returning = LOOK_BACK if RETURNING in plan.group else 0
    return max(returning, plan.given_before, SESSION_BEFORE + SESSION_AFTER)
