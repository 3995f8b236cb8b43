"""Expiring domain registrations: alert rules are notified 30, 14, 7, 3 and 1 days before, once each.

Only domains of monitors that are checked are asked for, of organizations with a rule about domains: each once a day.
What was told is known by its topic, so nothing of this is stored.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from analytics_box.base.clock import DAY, Clock
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.translation import _, ngettext
from analytics_box.products.alerts import telling
from analytics_box.products.alerts.alert_rule import Occurrence, monitor_subject
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.monitor import HOME, Monitor
from analytics_box.products.monitors.probing.address import host_of
from analytics_box.products.monitors.probing.registration import Registration, Registrations
from analytics_box.products.monitors.running.notices import DAYS

AT_ONCE: Final = 100  # hosts of one run: registries do not like to be asked much

_LONGEST: Final = 150  # characters of a domain in a topic


class DomainWatch:
    """Asks registries. Call `run` each hour."""

    def __init__(
        self, registrations: Registrations, monitors: Monitors, box_db: Db, clock: Clock, public_url: str
    ) -> None:
        self._registrations = registrations
        self._monitors = monitors
        self._db = box_db
        self._clock = clock
        self._public_url = public_url
        self._asked_at: dict[str, int] = {}

    @property
    def lookups(self) -> Mapping[str, int]:
        """Questions to registries since the start, by outcome."""
        return self._registrations.outcomes

    async def run(self) -> int:
        """Ask for the hosts whose turn it is; the number of messages."""
        hosts = await self._hosts()
        self._asked_at = {host: at for host, at in self._asked_at.items() if host in hosts}
        now = self._clock.now()
        told = 0
        for host in self._due(hosts, now)[:AT_ONCE]:
            self._asked_at[host] = now
            found = await self._registrations.find(host, now)
            if found is not None:
                told += await self._tell(found, hosts[host], now)
        return told

    def _due(self, hosts: dict[str, list[Monitor]], now: int) -> list[str]:
        """The hosts that were not asked for during a day, in turns of one of each organization; the longest waiting
        first."""
        due = [host for host in hosts if self._asked_at.get(host, now - DAY) <= now - DAY]
        due.sort(key=lambda host: self._asked_at.get(host, 0))
        turns, taken = dict[str, int](), Counter[str]()
        for host in due:
            owner = hosts[host][0].organization_id
            turns[host] = taken[owner]
            taken[owner] += 1
        return sorted(due, key=turns.__getitem__)

    async def _hosts(self) -> dict[str, list[Monitor]]:
        """The hosts that someone wants to know of, with their monitors."""
        monitors = [monitor for monitor in self._monitors.all() if not self._monitors.rests(monitor)]
        organizations = {monitor.organization_id for monitor in monitors}

        def wanted(db: Connection) -> set[str]:
            return {each for each in organizations if telling.is_wanted(db, each, "domain")}

        wanting = await self._db.read(wanted) if organizations else set()
        hosts: defaultdict[str, list[Monitor]] = defaultdict(list)
        for monitor in monitors:
            if monitor.organization_id in wanting and (host := host_of(monitor.kind, monitor.url)):
                hosts[host].append(monitor)
        return dict(hosts)

    async def _tell(self, found: Registration, monitors: list[Monitor], now: int) -> int:
        days = due_days(found.ends_at, now)
        if days is None:
            return 0
        occurrences = [occurrence(monitor, found, days, now, self._public_url) for monitor in monitors]
        return await self._db.write(lambda db: sum(telling.tell(db, one, now=now) for one in occurrences))


def due_days(ends_at: int, now: int) -> int | None:
    """Of which of the numbers of days before the end it is time to tell; None if of none. Instants are UTC ms."""
    left = ends_at - now
    return min((days for days in DAYS if 0 <= left <= days * DAY), default=None)


def occurrence(monitor: Monitor, found: Registration, days: int, now: int, public_url: str) -> Occurrence:
    """The occurrence for alert rules. Its topic is that of the domain, so that an alert rule for many of its monitors
    notifies once.
    """
    left = (found.ends_at - now) // DAY
    title = ngettext(
        "The registration of {domain} expires in 1 day", "The registration of {domain} expires in {days} days", left
    )
    return Occurrence(
        topic=f"domain:{found.domain[-_LONGEST:]}:{found.ends_at}:{days}",
        subject=monitor_subject(monitor.id),
        what="domain",
        organization_id=monitor.organization_id,
        at=now,
        title=title.format(domain=found.domain, days=left),
        text=_("Renew {domain} with its registrar.").format(domain=found.domain),
        fields=(
            (_("Expires on"), f"{datetime.fromtimestamp(found.ends_at / 1000, UTC):%Y-%m-%d}"),
            (_("Monitor"), monitor.called),
        ),
        url=f"{public_url}{HOME}/{monitor.id}",
        website_id=monitor.website_id,
        monitor_id=monitor.id,
        group=monitor.group,
        tags=monitor.tags,
    )
