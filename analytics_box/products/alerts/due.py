"""Scheduled work of alert rules: reminders, escalations, and the end of quiet hours.

All of one look is one transaction, and each action moves the time of the next one. So a crash repeats nothing, and a
box
that was off sends one reminder after the pause, not one for each interval.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence

from msgspec.structs import replace

from analytics_box.base.clock import DAY, MINUTE, Clock
from analytics_box.base.store.db import Connection, Db
from analytics_box.products.alerts import messages, rows, rules, telling
from analytics_box.products.alerts.alert_rule import AlertRule, Episode, HeldAlert, MonitorsOfOrganization
from analytics_box.products.alerts.telling import send, split

KEPT = 30 * DAY  # topics are known that long, as deliveries are
AGAIN = 5 * MINUTE  # until what rests is looked at again
SETTLING = 3 * MINUTE  # after a start, in which monitors are looked at before anybody is reminded
_ROUND = 200  # episodes in one transaction


class Reminders:
    """Does what is due. Call `run` each minute."""

    def __init__(self, db: Db, clock: Clock, monitored: MonitorsOfOrganization) -> None:
        self._db = db
        self._clock = clock
        self._monitored = monitored
        self._settled = False

    async def run(self) -> int:
        """Do all that is due; the number of messages. Nothing is written where nothing is due.

        After a start nobody is reminded at once of what may be over by now.
        """
        now = self._clock.now()
        if not self._settled:
            await self._db.write(lambda db: rows.postpone(db, now + SETTLING))
            self._settled = True
        due, released = await self._db.read(
            lambda db: ({episode.subject for episode in rows.due(db, now, _ROUND)}, bool(rows.released_alerts(db, now)))
        )
        if not due and not released:
            return 0
        resting = {subject for subject in due if self._rests(subject)}
        return await self._db.write(lambda db: work_off(db, now, resting))

    def _rests(self, subject: str) -> bool:
        """Whether it is a monitor of which nobody is to be reminded now: it is paused, in maintenance, or gone."""
        kind, _, monitor_id = subject.partition(":")
        return kind == "monitor" and self._monitored.rests(monitor_id)

    async def sweep(self) -> None:
        """Forget topics that cannot come again."""
        before = self._clock.now() - KEPT
        await self._db.write(lambda db: rows.forget_topics(db, before))


def work_off(db: Connection, now: int, resting: Collection[str] = ()) -> int:
    """Do what is due in the caller's transaction; the number of messages. What rests is looked at again later."""
    told = 0
    for episode in rows.due(db, now, _ROUND):
        if episode.subject in resting:
            rows.store_episode(db, replace(episode, due_at=now + AGAIN))
        else:
            told += _remind(db, episode, now)
    held: defaultdict[str, list[HeldAlert]] = defaultdict(list)
    for one in rows.released_alerts(db, now):
        held[one.rule_id].append(one)
    return told + sum(_release(db, rule_id, found, now) for rule_id, found in held.items())


def _remind(db: Connection, episode: Episode, now: int) -> int:
    """Escalate or remind, unless it is quiet; then that waits for the end of the quiet hours."""
    rule = rows.ALERT_RULES.find(db, episode.rule_id)
    if rule is None or not rule.enabled:
        rows.delete(db, episode.rule_id, episode.subject)
        return 0
    until = telling.ends_at(rule.conditions.quiet_hours, episode.what, now)
    if until is not None:
        rows.store_episode(db, replace(episode, due_at=until))
        return 0
    told, after = _act(db, rule, episode, now)
    rows.store_episode(db, replace(after, due_at=rules.due_at(rule.conditions, after)))
    return told


def _act(db: Connection, rule: AlertRule, episode: Episode, now: int) -> tuple[int, Episode]:
    """Send what is due of an episode; the number of messages, and the episode afterwards."""
    occurrence, told, after = messages.parse_occurrence(episode.occurrence), 0, episode
    minutes = (now - episode.began) // MINUTE
    if episode.escalates_at is not None and not episode.escalated and episode.escalates_at <= now:
        message = messages.escalation(occurrence, began=episode.began, now=now)
        told += send(db, rule, message, rule.escalation, topic=f"{occurrence.topic}/escalation", now=now)
        after = replace(after, escalated=True)
    every = rule.conditions.reminder_minutes
    if every is not None and episode.reminded_at + every * MINUTE <= now:
        channels = (*rule.channels, *rule.escalation) if episode.escalated else rule.channels
        message = messages.reminder(occurrence, began=episode.began, now=now)
        told += send(db, rule, message, channels, topic=f"{occurrence.topic}/reminder/{minutes}", now=now)
        after = replace(after, reminded_at=now)
    return told, after


def _release(db: Connection, rule_id: str, held: list[HeldAlert], now: int) -> int:
    """The quiet hours are over: tell what they held back. One thing that still lasts is told as it would have been.

    Where alerts stay open there is no summary: what still lasts gets its own alert.
    """
    for one in held:
        rows.remove_held(db, one.number)
    rule = rows.ALERT_RULES.find(db, rule_id)
    if rule is None or not rule.enabled:
        return 0
    lasting, others = split(db, rule)
    if len(held) == 1 and held[0].over is None:
        return _tell(db, rule, held[0], rule.channels, now)
    told = sum(_tell(db, rule, one, lasting, now) for one in held if one.over is None)
    topic = f"quiet/{rule.id}/{held[0].until}/{held[0].number}"
    return told + send(db, rule, messages.summary(rule, held, now=now), others, topic=topic, now=now)


def _tell(db: Connection, rule: AlertRule, held: HeldAlert, channels: Sequence[str], now: int) -> int:
    """Tell what was held back as it would have been told."""
    occurrence = messages.parse_occurrence(held.occurrence)
    return send(db, rule, messages.of(occurrence), channels, topic=occurrence.topic, now=now)
