"""Watches the traffic of websites for alarms, in closed windows of whole minutes.

Nothing is judged but what the box has watched: after it was off, or after its clock jumped, a whole window has to pass
first. While the monitor of a website is down, and until a whole window lies behind that, its traffic is not judged.
"""

import logging
from functools import partial
from typing import Final

from msgspec import Struct

from analytics_box.base.clock import DAY, HOUR, MINUTE, Clock
from analytics_box.base.errors import BoxError
from analytics_box.base.store.db import Connection, Db
from analytics_box.products.alerts import episode_rows, telling
from analytics_box.products.alerts import rows as alarm_rows
from analytics_box.products.alerts.alarm import Alarm
from analytics_box.products.alerts.monitored import MonitorsOfOrganization
from analytics_box.products.alerts.occurrence import Occurrence
from analytics_box.products.alerts.traffic import occurrences, rows, rules
from analytics_box.products.alerts.traffic.measured import TrafficFigures
from analytics_box.products.alerts.traffic.rows import WatchedPeriod
from analytics_box.products.alerts.traffic.rules import Terms, Verdict
from analytics_box.query.engines import Engines
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.rules import Website

log = logging.getLogger(__name__)

STEP: Final = 5 * MINUTE  # between two judgements
LATE: Final = MINUTE  # that events may take to arrive
GAP: Final = 3 * MINUTE  # in which nobody watched, that does no harm
_FIRST_WINDOW: Final = 3 * STEP  # in which a first event is looked for; it is told once
_REMEMBERED: Final = 31 * DAY  # outages: longer than any silence


class TrafficJudgement(Struct, frozen=True):
    """The result for a website and an alert rule; `occurrence` is set if an alert begins."""

    verdict: Verdict
    occurrence: Occurrence | None = None


class TrafficWatch:
    """Looks at the websites of all alarms about traffic. Call `run` each minute."""

    def __init__(
        self,
        box_db: Db,
        engines: Engines,
        websites: Directory,
        monitored: MonitorsOfOrganization,
        clock: Clock,
        public_url: str,
    ) -> None:
        self._db = box_db
        self._engines = engines
        self._websites = websites
        self._monitored = monitored
        self._clock = clock
        self._url = public_url
        self._seen: tuple[int, float] | None = None  # what both clocks showed at the last look
        self._judged = 0  # the end of the windows that were judged last

    async def run(self) -> int:
        """Judge what has been closed since the last look; the number of messages. One website never stops others."""
        now = self._clock.now()
        alarms, before, outages = await self._db.read(_state)
        if not alarms:
            return 0
        span = self._span(before, now)
        pairs = [(alarm, website) for alarm in alarms for website in self._of(alarm)]
        down = {website.id for _, website in pairs if self._monitored.is_down(website.id)}
        outages |= dict.fromkeys(down, now)
        await self._db.write(partial(_note, span=span, down=down, now=now))
        end = (now - LATE) // STEP * STEP
        if end == self._judged:
            return 0
        told, measured = 0, TrafficFigures(self._engines)
        for alarm, website in pairs:
            since = max(span.since, outages.get(website.id, 0))
            try:
                told += await self._one(alarm, website, measured, end=end, since=since, now=now)
            except BoxError as busy:
                log.warning("The traffic of %s could not be looked at: %s", website.id, busy.message)
        there = {(alarm.id, occurrences.subject(website.id)) for alarm, website in pairs}
        await self._db.write(partial(_end_others, alarms=alarms, there=there, now=now))
        self._judged = end
        return told

    def _of(self, alarm: Alarm) -> list[Website]:
        """The websites of an alarm: the one that it names, if that is still there, or all."""
        own = self._websites.of(alarm.organization_id)
        return [website for website in own if alarm.website_id in {None, website.id}]

    def _span(self, before: WatchedPeriod | None, now: int) -> WatchedPeriod:
        """The period in which traffic has been watched until now. A gap, or a clock that jumped, starts it again."""
        shown, self._seen = self._seen, (now, self._clock.monotonic())
        if before is None or not -GAP <= now - before.seen_at <= GAP:
            return WatchedPeriod(now, now)
        if shown is not None:
            jumped = (now - shown[0]) - (self._seen[1] - shown[1]) * 1000
            if abs(jumped) > GAP:
                return WatchedPeriod(now, now)
        return WatchedPeriod(min(before.since, now), now)

    async def _one(
        self, alarm: Alarm, website: Website, measured: TrafficFigures, *, end: int, since: int, now: int
    ) -> int:
        found = await self._judge(alarm, website, measured, end=end, since=since, now=now)
        if found is None or found.verdict == "lasts":
            return 0
        if found.occurrence is None:
            await self._db.write(partial(_end, alarm=alarm, website_id=website.id, now=now))
            return 0
        return await self._db.write(partial(_begin, alarm_id=alarm.id, occurrence=found.occurrence, now=now))

    async def _judge(
        self, alarm: Alarm, website: Website, measured: TrafficFigures, *, end: int, since: int, now: int
    ) -> TrafficJudgement | None:
        """The result of an alert rule for a website; None if there is too little data."""
        wanted = rules.terms(alarm)
        if alarm.trigger == "first_event":
            return await self._first_event(website, measured, wanted, end=end, since=since)
        start = end - wanted.minutes * MINUTE
        if since > start:
            return None
        about = occurrences.TrafficWindow(website, wanted, end=end, at=min(end, now), public_url=self._url)
        if alarm.trigger == "error_rate":
            sessions = await measured.sessions(website.site, start, end)
            verdict = rules.error_rate(sessions, wanted)
            return TrafficJudgement(verdict, occurrences.errors(about, sessions) if verdict == "begins" else None)
        usual = await measured.usual(website.site, start, end)
        if usual is None:
            return None
        visitors = await measured.visitors(website.site, start, end)
        verdict = (rules.spike if alarm.trigger == "traffic_spike" else rules.drop)(visitors, usual, wanted)
        made = occurrences.spike if alarm.trigger == "traffic_spike" else occurrences.drop
        return TrafficJudgement(verdict, made(about, visitors, usual) if verdict == "begins" else None)

    async def _first_event(
        self, website: Website, measured: TrafficFigures, wanted: Terms, *, end: int, since: int
    ) -> TrafficJudgement | None:
        """Whether the first event after silence lies in the latest windows. It is told once, by its own instant."""
        site, near = website.site, end - _FIRST_WINDOW
        first = await measured.first(site, near, end)
        if first is None:
            return None
        silent = first - wanted.silence_hours * HOUR
        if not await measured.is_silent(site, silent, first):
            return None
        ever = website.created_at > silent and await measured.first(site, 0, silent) is None
        if not ever and since > silent:
            return None
        about = occurrences.TrafficWindow(website, wanted, end=first, at=first, public_url=self._url)
        return TrafficJudgement("begins", occurrences.first_event(about, ever=ever))


def _state(db: Connection) -> tuple[list[Alarm], WatchedPeriod | None, dict[str, int]]:
    return alarm_rows.of_traffic(db), rows.span(db), rows.outages(db)


def _note(db: Connection, *, span: WatchedPeriod, down: set[str], now: int) -> None:
    rows.put_span(db, span)
    for website_id in sorted(down):
        rows.note_outage(db, website_id, now)
    rows.forget_outages(db, now - _REMEMBERED)


def _begin(db: Connection, *, alarm_id: str, occurrence: Occurrence, now: int) -> int:
    """Tell it unless that lasts already, or the alarm has been switched off meanwhile."""
    alarm = alarm_rows.find(db, alarm_id)
    if alarm is None or not alarm.enabled or episode_rows.find(db, alarm_id, occurrence.subject) is not None:
        return 0
    return telling.to(db, alarm, occurrence, now=now)


def _end(db: Connection, *, alarm: Alarm, website_id: str, now: int) -> None:
    telling.end(db, alarm, occurrences.subject(website_id), now=now)


def _end_others(db: Connection, *, alarms: list[Alarm], there: set[tuple[str, str]], now: int) -> None:
    """End what lasts of websites that are not there any more."""
    for alarm in alarms:
        for episode in episode_rows.of_alarm(db, alarm.id):
            if (alarm.id, episode.subject) not in there:
                telling.end(db, alarm, episode.subject, now=now)
