"""Check results of the demo's monitors, with incidents, and the status page that shows them.

Each UTC day of a monitor has its own random seed, so that days can be added later without changing those before.
"""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Final, Literal, NamedTuple

import msgspec
from msgspec import Struct

from analytics_box.app.demo import shop
from analytics_box.app.demo.monitors import DemoMonitors, Name
from analytics_box.base.acting import By
from analytics_box.base.clock import DAY, HOUR, MINUTE, SECOND, utc_day
from analytics_box.base.facts.layout import INSERT
from analytics_box.base.facts.tables import CHECKS
from analytics_box.base.facts.uptime import DEGRADED, DOWN, MAINTENANCE, PAUSED, UNKNOWN, UP
from analytics_box.base.store.db import Connection
from analytics_box.base.store.strings import Strings
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.monitor import Monitor
from analytics_box.products.monitors.result import CheckPhases, CheckResult, Outcome, Reason
from analytics_box.products.monitors.running import rows
from analytics_box.products.monitors.running.rollup_rows import ONE_BY_ONE
from analytics_box.products.monitors.running.rows import CheckRow
from analytics_box.products.monitors.running.states import FAILED, PASSED, MonitorStanding, Stroke
from analytics_box.products.monitors.running.watched import Overlay
from analytics_box.products.monitors.sealing import OpenedMonitors
from analytics_box.products.sample_data.site import NAME
from analytics_box.products.status_pages.access import touch_page
from analytics_box.products.status_pages.editing import change, components
from analytics_box.products.status_pages.incidents import change as incidents
from analytics_box.products.status_pages.incidents.messages import (
    CreateIncident,
    CreatePageMaintenance,
    UpdateIncident,
)
from analytics_box.products.status_pages.page import StatusPage
from analytics_box.products.status_pages.rows import PAGES
from analytics_box.resource.fields import date
from analytics_box.resource.reach import Reach
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.rules import Website

_EVERY: Final = 5 * MINUTE
_OFFSETS: Final[dict[Name, int]] = {"server": 11 * SECOND, "site": 74 * SECOND, "api": 158 * SECOND}
_NIGHT: Final = 130 * MINUTE  # of a UTC day, when the backup begins to be ready
_AGAIN: Final = 45 * MINUTE  # after which a backup that failed is tried again
_AT_ONCE: Final = 4  # checks of an older hour that took equally long
_TOOK_LONGER: Final = 14  # times as long, in the slow evening
_BYTES: Final[dict[Name, int]] = {"site": 66, "api": 52}


class DemoIncident(NamedTuple):
    """Something that went wrong: how many days after the first day, at which minute of it (UTC), and how long."""

    state: int
    names: frozenset[Name]
    age: int
    minute: int
    minutes: int
    http_code: int = 0
    reason: Reason = ""
    error: str = ""


_SHOP: Final = frozenset[Name](("server", "site", "api"))
_API: Final = frozenset[Name](("api",))
_BACKUP: Final = frozenset[Name](("backup",))
SHOP_DOWN: Final = DemoIncident(DOWN, _SHOP, 80, 845, 41, 0, "connect", "Connection refused")
INCIDENTS: Final = (
    DemoIncident(DOWN, _API, 57, 560, 12, 503, "assertion", "The server answers 503 Service Unavailable"),
    DemoIncident(DOWN, _BACKUP, 62, 120, 40, 0, "failed", "No space left on the disk of the backup"),
    DemoIncident(UNKNOWN, _SHOP | _BACKUP, 66, 70, 150),
    DemoIncident(DEGRADED, _API, 72, 1_050, 270, 200, "assertion", "The response time is not less than 400"),
    SHOP_DOWN,
)
_FINE: Final = DemoIncident(UP, frozenset(), 0, 0, 0, 200)
_OUTCOMES: Final[dict[int, Outcome]] = {UP: "pass", DEGRADED: "warn", DOWN: "fail"}


class IncidentPeriod(NamedTuple):
    """An incident between two instants (UTC ms)."""

    start: int
    end: int
    incident: DemoIncident


class DemoCheck(NamedTuple):
    """A check, and how many like it there were around its time; `streak` is how many had failed in a row."""

    result: CheckResult
    alike: int
    streak: int


class MonitorCourse(Struct, frozen=True):
    """The course of a monitor in the demo."""

    name: Name
    monitor: Monitor
    seed: str
    first_day: int
    overlay: Overlay

    def checks(self, start: int, end: int, alone: int) -> Iterator[DemoCheck]:
        """The checks of [start, end), in order; from `alone` on each by itself. All three are UTC ms."""
        for day in range(utc_day(start), utc_day(end) + 1):
            of_day = self._alone(day) if day * DAY >= alone else self._by_hour(day)
            yield from (found for found in of_day if start <= found.result.at < end)

    def strokes(self, start: int, end: int) -> list[Stroke]:
        """Its timeline from `start` on, as far as it is known at `end` (UTC ms)."""
        turns = [(self._next(period.start), self._next(period.end), period.incident.state) for period in self._periods]
        gaps = [(period.start, period.end) for period in self._periods if period.incident.state == UNKNOWN]
        edges = {start, *(edge for gap in gaps for edge in gap), *(edge for turn in turns for edge in turn[:2])}
        change = self.overlay.next_change(start)
        while change is not None and change < end:
            edges.add(change)
            change = self.overlay.next_change(change)

        def state(instant: int) -> int:
            if any(since <= instant < until for since, until in gaps):
                return UNKNOWN
            if self.overlay.in_maintenance(instant):
                return MAINTENANCE
            found = (state for since, until, state in turns if since <= instant < until and state != UNKNOWN)
            return next(found, UP)

        return [Stroke(self.monitor.number, edge, state(edge)) for edge in sorted(edges) if start <= edge < end]

    @property
    def _periods(self) -> list[IncidentPeriod]:
        return [
            IncidentPeriod(begun, begun + one.minutes * MINUTE, one)
            for one in INCIDENTS
            for begun in ((self.first_day + one.age) * DAY + one.minute * MINUTE,)
            if self.name in one.names
        ]

    def _times(self, day: int) -> list[int]:
        """The times of its checks or heartbeats on this UTC day."""
        if self.name != "backup":
            return list(range(day * DAY + _OFFSETS[self.name], (day + 1) * DAY, _EVERY))
        ready = day * DAY + _NIGHT + _chance(f"{self.seed}:backup:{day}").randrange(20 * MINUTE)
        failed = any(one.start <= ready < one.end and one.incident.state == DOWN for one in self._periods)
        return [ready, ready + _AGAIN] if failed else [ready]

    def _next(self, instant: int) -> int:
        """The first check from then on."""
        day = utc_day(instant)
        return next(at for later in (day, day + 1) for at in self._times(later) if at >= instant)

    def _alone(self, day: int) -> Iterator[DemoCheck]:
        random = _chance(f"{self.seed}:{self.name}:{day}")
        yield from self._each(random, self._times(day), self._on(day * DAY, DAY))

    def _by_hour(self, day: int) -> Iterator[DemoCheck]:
        random = _chance(f"{self.seed}:{self.name}:{day}:hours")
        times = self._times(day)
        for hour in range(day * DAY, (day + 1) * DAY, HOUR):
            of_hour = [at for at in times if hour <= at < hour + HOUR]
            wrong = self._on(hour, HOUR)
            if wrong or len(of_hour) < _AT_ONCE:
                yield from self._each(random, of_hour, wrong)
            else:
                for at in of_hour[::_AT_ONCE]:
                    yield DemoCheck(self._result(random, at, _FINE), _AT_ONCE, 0)

    def _on(self, start: int, lasts: int) -> list[IncidentPeriod]:
        return [one for one in self._periods if one.start < start + lasts and start < one.end]

    def _each(self, random: Random, times: list[int], wrong: list[IncidentPeriod]) -> Iterator[DemoCheck]:
        streak = 0
        for at in times:
            incident = next((one.incident for one in wrong if one.start <= at < one.end), _FINE)
            streak = streak + 1 if incident.state == DOWN else 0
            if incident.state != UNKNOWN:
                yield DemoCheck(self._result(random, at, incident), 1, streak)

    def _result(self, random: Random, at: int, incident: DemoIncident) -> CheckResult:
        said = {"at": at, "outcome": _OUTCOMES[incident.state], "reason": incident.reason, "error": incident.error}
        if self.name == "backup":
            return CheckResult(**said)  # type: ignore[arg-type]  # of these types
        connect, transfer = 140 + int(random.expovariate(1 / 60)), 60 + int(random.expovariate(1 / 40))
        if self.name == "server" or incident.reason == "connect":
            phases = CheckPhases() if incident.reason == "connect" else CheckPhases(connect=connect)
            return CheckResult(**said, total=connect, phases=phases, address=shop.HOST)  # type: ignore[arg-type]  # as above
        first = shop.delay(random, shop.SITE if self.name == "site" else shop.API, at)
        first *= _TOOK_LONGER if incident.state == DEGRADED else 1
        return CheckResult(
            **said,  # type: ignore[arg-type]  # as above
            total=connect + first + transfer,
            ttfb=connect + first,
            phases=CheckPhases(connect=connect, first_byte=first, transfer=transfer),
            http_code=incident.http_code,
            bytes=_BYTES[self.name],
            address=shop.HOST,
        )


def _chance(seed: str) -> Random:
    return Random(seed)  # noqa: S311  believable, not secret


ALONE: Final = 30  # days for which checks stand by themselves, as the box keeps them
_SUMMED: Final = frozenset(name for name, how in ONE_BY_ONE.items() if how.startswith("sum"))
_DROPPED: Final = frozenset(name for name, how in ONE_BY_ONE.items() if how == "0")


def append(db: Connection, strings: Strings, made: DemoMonitors, seed: str, *, first_day: int, now: int) -> None:
    """Write what the monitors have found since the box last watched; of new ones, since the first day.

    It belongs into one transaction. What is paused stays as it is, and of monitors that are not the demo's nothing is
    known of the time since.
    """
    stored = rows.load_states(db)
    since = now if stored.alive_at is None else min(stored.alive_at, now)
    standings: dict[int, MonitorStanding] = {}
    for name, monitor in made.monitors.items():
        before = stored.standings.get(monitor.number, MonitorStanding())
        start = since if monitor.number in stored.open_spans else first_day * DAY
        if monitor.is_paused or start >= now:
            continue
        course = MonitorCourse(name, monitor, seed, first_day, Overlay(monitor, made.windows))
        last, strokes = _append(db, strings, course, start, now), course.strokes(start, now)
        rows.paint(db, strokes)
        standings[monitor.number] = MonitorStanding(
            base="up",
            since=before.since if before.base == "up" and len(strokes) == 1 else strokes[-1].at,
            heard=(last or before.heard) if monitor.kind == "push" else 0,
        )
    unknown = [
        Stroke(number, since, UNKNOWN)
        for number, span in stored.open_spans.items()
        if number not in standings and span.state != PAUSED and since < now
    ]
    rows.paint(db, unknown)
    rows.save(db, standings)
    rows.alive(db, now)


def _append(db: Connection, strings: Strings, course: MonitorCourse, start: int, end: int) -> int:
    """Write the checks between two instants; returns when the last of them was, 0 without any."""
    alone, monitor = (utc_day(end) - ALONE) * DAY, course.monitor
    found = list(course.checks(start, end, alone))
    together = [one for one in found if one.result.at < alone]
    rows.append(db, strings, (_check(monitor, one) for one in found[len(together) :]))
    db.executemany(INSERT["checks"], _together(db, strings, monitor, together))
    return found[-1].result.at if found else 0


def _check(monitor: Monitor, found: DemoCheck) -> CheckRow:
    status = FAILED if found.result.outcome == "fail" else PASSED
    return CheckRow(monitor, found.result, status, 1, found.streak)


def _together(
    db: Connection, strings: Strings, monitor: Monitor, found: Sequence[DemoCheck]
) -> Iterator[tuple[object, ...]]:
    """Rows of checks as they are once they were put together by hour."""
    for one in found:
        row = rows.row(db, strings, _check(monitor, one))
        yield tuple(_stored_checks(name, value, one.alike) for name, value in zip(CHECKS.names, row, strict=True))


def _stored_checks(name: str, value: object, count: int) -> object:
    if name == "time":
        return int(str(value)) // HOUR * HOUR
    if name in _DROPPED:
        return 0
    return value * count if name in _SUMMED and isinstance(value, int) else value


SLUG: Final = "inkwell"
_BY: Final = "demo"
_AHEAD: Final = 3  # Days until the scheduled maintenance.
_SHOWN: Final[tuple[tuple[Name, str, str], ...]] = (
    ("site", "Shop", "Browsing and checkout"),
    ("api", "Partner API", "Catalog and orders"),
    ("server", "Server", ""),
)


class DemoUpdate(NamedTuple):
    """An update of the demo's incident, in minutes after the outage began."""

    minute: int
    status: Literal["identified", "monitoring", "resolved", "postmortem"]
    message: str


_BEGAN: Final = "The shop is not loading. We are investigating."
_WENT_ON: Final = (
    DemoUpdate(14, "identified", "A full disk stopped our database. We are freeing up space."),
    DemoUpdate(43, "monitoring", "The shop is back. We are monitoring the results."),
    DemoUpdate(95, "resolved", "The shop has been stable for an hour. Thank you for your patience."),
    DemoUpdate(
        1_500,
        "postmortem",
        "Old backups filled the disk. To prevent this:\n\n- Backups are now **deleted after a week**.\n"
        "- We are alerted when the disk is 80 % full.",
    ),
)


def make(db: Connection, website: Website, watched: DemoMonitors, first_day: int, *, now: int) -> None:
    """Create the page on the first start, dated back to the demo's first day."""
    organization_id = website.organization_id
    if PAGES.count(db, "organization_id = ?", organization_id) or any(
        name not in watched.monitors for name, _, _ in _SHOWN
    ):
        return
    known = Monitors(OpenedMonitors(tuple(watched.monitors.values())), (), Directory([website]))
    page, shown = _page(db, Reach(organization_id, By(_BY, first_day * DAY)), watched)
    _incident(db, known, organization_id, page, shown, first_day)
    _maintenance(db, known, Reach(organization_id, By(_BY, now)), page, shown, now)


def _page(db: Connection, own: Reach, watched: DemoMonitors) -> tuple[StatusPage, list[str]]:
    """The page and the ids of the components of its shop."""
    page = change.create(
        db, own, {"name": NAME, "slug": SLUG, "description": "Live status of our shop and partner API."}
    ).page
    group = components.add_group(db, own, page.id, {"name": "Online shop"})
    shown = [
        components.add(
            db,
            own,
            page.id,
            {
                "name": called,
                "description": description,
                "group_id": group.id,
                "hide_url": True,
                "hide_latency": name == "server",
            },
            watched.monitors[name].id,
        ).id
        for name, called, description in _SHOWN
    ]
    components.add(db, own, page.id, {"name": "Customer service", "description": "Email and phone"})
    touch_page(db, page.id, own.by.now)  # The first state of its components is recorded for this instant.
    return page, shown


def _incident(
    db: Connection, known: Monitors, organization_id: str, page: StatusPage, shown: Sequence[str], first_day: int
) -> None:
    began = (first_day + SHOP_DOWN.age) * DAY + SHOP_DOWN.minute * MINUTE

    def own(minute: int) -> Reach:
        return Reach(organization_id, By(_BY, began + minute * MINUTE))

    first = {
        "statusPageId": page.id,
        "title": "Shop unavailable",
        "message": _BEGAN,
        "severity": "critical",
        "affectedMonitors": [{"statusPageMonitorId": one, "impact": "down"} for one in shown],
    }
    made = incidents.create(db, known, own(4), msgspec.convert(first, CreateIncident))
    for said in _WENT_ON:
        given = UpdateIncident(incident_id=made.id, status=said.status, message=said.message)
        incidents.update(db, known, own(said.minute), given)


def _maintenance(db: Connection, known: Monitors, own: Reach, page: StatusPage, shown: Sequence[str], now: int) -> None:
    start = (utc_day(now) + _AHEAD) * DAY + 3 * HOUR
    given = {
        "statusPageId": page.id,
        "title": "Server upgrade",
        "message": "The shop and the partner API will be unavailable for a few minutes. No orders are lost.",
        "scheduledFor": date(start),
        "scheduledUntil": date(start + HOUR),
        "affectedMonitors": shown,
    }
    incidents.create_maintenance(db, known, own, msgspec.convert(given, CreatePageMaintenance))
