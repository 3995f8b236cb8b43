"""Watches the traffic of websites for alert rules, in closed windows of whole minutes.

Nothing is judged but what the box has watched: after it was off, or after its clock jumped, a whole window has to pass
first. While the monitor of a website is down, and until a whole window lies behind that, its traffic is not judged.
"""

import logging
from collections.abc import Collection, Mapping
from functools import partial
from typing import Final

from msgspec import Struct

from analytics_box.base.cache import BoundedCache
from analytics_box.base.clock import DAY, HOUR, MINUTE, Clock
from analytics_box.base.errors import BoxError
from analytics_box.base.store.db import Connection, Db
from analytics_box.products.alerts import rows as alert_rows
from analytics_box.products.alerts import telling
from analytics_box.products.alerts.alert_rule import AlertRule, ErrorAlert, MonitorsOfOrganization, Occurrence
from analytics_box.products.alerts.traffic import rows, rules
from analytics_box.products.alerts.traffic.occurrences import (
    GROUP_MARK,
    MOST_ALERTS,
    TrafficWindow,
    drop,
    error_groups,
    errors,
    first_event,
    group_subject,
    spike,
    subject,
)
from analytics_box.products.alerts.traffic.rows import WatchedPeriod
from analytics_box.products.alerts.traffic.rules import Terms, Verdict
from analytics_box.products.alerts.traffic.window_figures import TrafficFigures
from analytics_box.query.engines import Engines
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.rules import Website

log = logging.getLogger(__name__)

# For the error groups of earlier looks.
_KNOWN_BYTES: Final = 4_000_000
# An error that did not happen for this long is new.
NEW_AFTER: Final = 90 * DAY
STEP: Final = 5 * MINUTE  # between two judgements
LATE: Final = MINUTE  # that events may take to arrive
GAP: Final = 3 * MINUTE  # in which nobody watched, that does no harm
_FIRST_WINDOW: Final = 3 * STEP  # in which a first event is looked for; it is told once
_REMEMBERED: Final = 31 * DAY  # outages: longer than any silence


class TrafficJudgement(Struct, frozen=True):
    """The result for a website and an alert rule; `occurrence` is set if an alert begins."""

    verdict: Verdict
    occurrence: Occurrence | None = None


class KnownErrorGroup(Struct, frozen=True):
    """The last times of an error group before an earlier window and in that window (UTC ms; 0 for never)."""

    earlier: int
    latest: int


class AlertingGroups(Struct, frozen=True):
    """The error groups of a window that an alert rule is about: messages by fingerprint, most sessions first."""

    about: TrafficWindow
    kind: ErrorAlert
    messages: Mapping[str, str]


class TrafficWatch:
    """Looks at the websites of all alert rules about traffic. Call `run` each minute."""

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
        self._known_groups: BoundedCache[tuple[int, str], KnownErrorGroup] = BoundedCache(
            most_weight=_KNOWN_BYTES, weigh=lambda key, _group: 200 + 4 * len(key[1])
        )

    async def run(self) -> int:
        """Judge what has been closed since the last look; the number of messages. One website never stops others."""
        now = self._clock.now()
        alert_rules, before, outages = await self._db.read(_state)
        if not alert_rules:
            return 0
        span = self._span(before, now)
        pairs = [(rule, website) for rule in alert_rules for website in self._of(rule)]
        down = {website.id for _rest, website in pairs if self._monitored.is_down(website.id)}
        outages |= dict.fromkeys(down, now)
        await self._db.write(partial(_note, span=span, down=down, now=now))
        end = (now - LATE) // STEP * STEP
        if end == self._judged:
            return 0
        told, measured = 0, TrafficFigures(self._engines)
        for rule, website in pairs:
            since = max(span.since, outages.get(website.id, 0))
            try:
                told += await self._one(rule, website, measured, end=end, since=since, now=now)
            except BoxError as busy:
                log.warning("The traffic of %s could not be checked: %s", website.id, busy.message)
        there = {(rule.id, subject(website.id)) for rule, website in pairs}
        await self._db.write(partial(_end_others, alert_rules=alert_rules, there=there, now=now))
        self._judged = end
        return told

    def _of(self, rule: AlertRule) -> list[Website]:
        """The websites of an alert rule: the one that it names, if that is still there, or all."""
        own = self._websites.of(rule.organization_id)
        return [website for website in own if rule.website_id in {None, website.id}]

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
        self, rule: AlertRule, website: Website, measured: TrafficFigures, *, end: int, since: int, now: int
    ) -> int:
        found = await self._judge(rule, website, measured, end=end, since=since, now=now)
        if isinstance(found, AlertingGroups):
            return await self._db.write(partial(_follow_groups, rule_id=rule.id, found=found, now=now))
        if found is None or found.verdict == "lasts":
            return 0
        if found.occurrence is None:
            await self._db.write(partial(end_alert, rule=rule, website_id=website.id, now=now))
            return 0
        return await self._db.write(partial(begin_alert, rule_id=rule.id, occurrence=found.occurrence, now=now))

    async def _judge(
        self, rule: AlertRule, website: Website, measured: TrafficFigures, *, end: int, since: int, now: int
    ) -> TrafficJudgement | AlertingGroups | None:
        """The result of an alert rule for a website; None if there is too little data."""
        wanted = rules.terms(rule)
        if rule.conditions.figure is not None:
            return None
        if rule.trigger == "first_event":
            return await self._first_event(website, measured, wanted, end=end, since=since)
        start = end - wanted.minutes * MINUTE
        # A new error is new, however long this server has been watching.
        if since > start and rule.conditions.errors != "new":
            return None
        about = TrafficWindow(website, wanted, end=end, at=min(end, now), public_url=self._url)
        if rule.trigger == "error_rate":
            if rule.conditions.errors is not None:
                return await self._groups(rule.conditions.errors, about, measured, start)
            sessions = await measured.sessions(website.site, start, end)
            verdict = rules.error_rate(sessions, wanted)
            return TrafficJudgement(verdict, errors(about, sessions) if verdict == "begins" else None)
        usual = await measured.usual(website.site, start, end)
        if usual is None:
            return None
        visitors = await measured.visitors(website.site, start, end)
        verdict = (rules.spike if rule.trigger == "traffic_spike" else rules.drop)(visitors, usual, wanted)
        made = spike if rule.trigger == "traffic_spike" else drop
        return TrafficJudgement(verdict, made(about, visitors, usual) if verdict == "begins" else None)

    async def _groups(
        self, kind: ErrorAlert, about: TrafficWindow, measured: TrafficFigures, start: int
    ) -> AlertingGroups:
        """The error groups that are new, back or rising. Ignored groups never are."""
        website, wanted = about.website, about.terms
        now = await measured.groups(website.site, start, about.end)
        ignored = await self._db.read(lambda db: rows.decided_groups(db, website.id, "ignored"))
        now = {fingerprint: group for fingerprint, group in now.items() if fingerprint not in ignored}
        messages: Mapping[str, str] = {}
        if now and kind == "new":
            decided = await self._db.read(lambda db: rows.decided_groups(db, website.id, "resolved"))
            before = await self._earlier_groups(measured, website.site, start, now, decided)
            messages = rules.new_groups(now, before, decided, wanted.least)
        elif now:
            usual = await measured.groups(website.site, start - DAY, start, tuple(now))
            messages = rules.rising_groups(now, usual, DAY / (wanted.minutes * MINUTE), wanted)
        return AlertingGroups(about, kind, messages)

    async def _earlier_groups(
        self,
        measured: TrafficFigures,
        site: int,
        start: int,
        now: Mapping[str, rules.WindowGroup],
        decided: Collection[str],
    ) -> Mapping[str, int]:
        """The last times (UTC ms) of those error groups of a window that had also happened in the 90 days before it.

        Groups of earlier looks are remembered. Of `decided` ones the instant matters, which is asked for each time.
        """
        before: dict[str, int] = {}
        for fingerprint, group in now.items():
            known = self._known_groups.get((site, fingerprint)) or KnownErrorGroup(0, 0)
            earlier = known.latest if known.latest < start else known.earlier
            self._known_groups.put((site, fingerprint), KnownErrorGroup(earlier, group.last))
            if start - NEW_AFTER <= earlier < start and fingerprint not in decided:
                before[fingerprint] = earlier
        for fingerprint in [one for one in now if one not in before]:
            last = await measured.last(site, start - NEW_AFTER, start, fingerprint)
            if last is not None:
                self._known_groups.put((site, fingerprint), KnownErrorGroup(last, now[fingerprint].last))
                before[fingerprint] = last
        return before

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
        about = TrafficWindow(website, wanted, end=first, at=first, public_url=self._url)
        return TrafficJudgement("begins", first_event(about, ever=ever))


def _state(db: Connection) -> tuple[list[AlertRule], WatchedPeriod | None, dict[str, int]]:
    return alert_rows.of_traffic(db), rows.span(db), rows.outages(db)


def _note(db: Connection, *, span: WatchedPeriod, down: set[str], now: int) -> None:
    rows.put_span(db, span)
    for website_id in sorted(down):
        rows.note_outage(db, website_id, now)
    rows.forget_outages(db, now - _REMEMBERED)


def begin_alert(db: Connection, *, rule_id: str, occurrence: Occurrence, now: int) -> int:
    """Tell it unless that lasts already, or the alert rule has been switched off in the meantime."""
    rule = alert_rows.ALERT_RULES.find(db, rule_id)
    if rule is None or not rule.enabled or alert_rows.find(db, rule_id, occurrence.subject) is not None:
        return 0
    return telling.to(db, rule, occurrence, now=now)


def _follow_groups(db: Connection, *, rule_id: str, found: AlertingGroups, now: int) -> int:
    """Begin an alert for each group that has none yet, and end those of groups that are as usual again."""
    rule = alert_rows.ALERT_RULES.find(db, rule_id)
    if rule is None or not rule.enabled:
        return 0
    website_id = found.about.website.id
    wanted = {
        group_subject(website_id, fingerprint): (fingerprint, text) for fingerprint, text in found.messages.items()
    }
    own = f"{subject(website_id)}{GROUP_MARK}"
    lasting = {one.subject for one in alert_rows.of_rule(db, rule_id) if one.subject.startswith(own)}
    for gone in sorted(lasting - {*wanted}):
        telling.end(db, rule, gone, now=now)
    fresh = [one for one in wanted if one not in lasting]
    alone = fresh if len(fresh) <= MOST_ALERTS else fresh[: MOST_ALERTS - 1]
    told = 0
    for subjects in (*([one] for one in alone), fresh[len(alone) :]):
        if subjects:
            groups = [wanted[one] for one in subjects]
            occurrence = error_groups(found.about, found.kind, groups, subjects)
            told += telling.to(db, rule, occurrence, now=now, others=subjects[1:])
    return told


def end_alert(db: Connection, *, rule: AlertRule, website_id: str, now: int) -> None:
    """End the alert of a website, if it lasts."""
    telling.end(db, rule, subject(website_id), now=now)


def _end_others(db: Connection, *, alert_rules: list[AlertRule], there: set[tuple[str, str]], now: int) -> None:
    """End the episodes of deleted websites."""
    for rule in alert_rules:
        for episode in alert_rows.of_rule(db, rule.id):
            if (rule.id, episode.subject.partition(GROUP_MARK)[0]) not in there:
                telling.end(db, rule, episode.subject, now=now)
