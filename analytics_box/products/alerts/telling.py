"""From an occurrence to messages: the alert rules that are about it, and what each of them does, in one transaction.

The topic of a message is that of its occurrence. So a channel hears each thing once, however many rules lead to it,
and telling the same occurrence again after a crash changes nothing.
"""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import msgspec
from msgspec.structs import replace

from analytics_box.base.clock import MINUTE
from analytics_box.base.notify import deliveries
from analytics_box.base.notify.message import Message
from analytics_box.base.store.db import Connection
from analytics_box.products.alerts import messages, rows, rules
from analytics_box.products.alerts.alert_rule import DAYS, OF_MONITORS, AlertRule, Episode, Occurrence, QuietHours, What
from analytics_box.query.ranges import zone

_ONE = timedelta(days=1)


def ends_at(quiet: QuietHours | None, what: What, now: int) -> int | None:
    """The end of the quiet hours that hold this back; None if it can be sent now. Instants are UTC ms.

    The recovery is sent to all who were notified of the outage. Hours that begin and end at one time are a whole day.
    """
    if quiet is None or what in quiet.through or (what == "recovered" and "down" in quiet.through):
        return None
    tz = zone(quiet.time_zone)
    today = datetime.fromtimestamp(now / 1000, tz).date()
    found = [
        end
        for day in (today - _ONE, today)
        if not quiet.days or DAYS[day.weekday()] in quiet.days
        for begin, end in (_hours(quiet, day, tz),)
        if begin <= now < end
    ]
    return max(found, default=None)


def _held_until(db: Connection, rule: AlertRule, what: What, now: int) -> int | None:
    """The end of the quiet hours or of the digest that holds an alert; None if it can be sent now."""
    quiet, minutes = ends_at(rule.conditions.quiet_hours, what, now), rule.conditions.digest_minutes
    if minutes is None:
        return quiet
    return max(quiet or 0, rows.digest_end(db, rule.id, now) or now + minutes * MINUTE)


def _hours(quiet: QuietHours, day: date, tz: ZoneInfo) -> tuple[int, int]:
    """The quiet hours that begin on this day."""
    last = day if quiet.end > quiet.start else day + _ONE
    return _instant(day, quiet.start, tz), _instant(last, quiet.end, tz)


def _instant(day: date, clock: str, tz: ZoneInfo) -> int:
    return round(datetime.combine(day, time.fromisoformat(clock), tz).timestamp() * 1000)


def tell(db: Connection, occurrence: Occurrence, *, now: int) -> int:
    """Tell everyone who wants to know, in the caller's transaction; the number of messages that were put.

    `now` is UTC ms. After the commit call `Deliveries.soon`.
    """
    return tell_all(db, (occurrence,), now=now)


def tell_all(db: Connection, occurrences: Sequence[Occurrence], *, now: int) -> int:
    """Tell of several things in their order, as `tell` does."""
    found: dict[tuple[str, bool], list[AlertRule]] = {}
    told = 0
    for occurrence in occurrences:
        key = occurrence.organization_id, occurrence.what in OF_MONITORS
        if key not in found:
            found[key] = rows.enabled_of(db, key[0], uptime=key[1])
        told += sum(to(db, rule, occurrence, now=now) for rule in found[key] if rules.matches(rule, occurrence))
    return told


def is_wanted(db: Connection, organization_id: str, what: What) -> bool:
    """Whether an alert rule of the organization tells this, so that it is worth finding out."""
    alert_rules = rows.enabled_of(db, organization_id, uptime=what in OF_MONITORS)
    return any(rules.tells(rule, what) for rule in alert_rules)


def to(db: Connection, rule: AlertRule, occurrence: Occurrence, *, now: int, others: Sequence[str] = ()) -> int:
    """Let one rule deal with an occurrence, once; the number of messages. `others` are further subjects that it is
    about; their end sends no message."""
    if not rows.note_topic(db, rule.id, occurrence.topic, now):
        return 0
    begins = rules.begins(occurrence)
    if begins is None and occurrence.what in rules.ENDS:
        return _end(db, rule, occurrence, now)
    wanted = rules.wants(rule, occurrence)
    until = _held_until(db, rule, begins or occurrence.what, now) if wanted else None
    if begins is not None:
        _begin(db, rule, occurrence, begins, told=wanted, now=until or now)
        for subject in others:
            _begin(db, rule, replace(occurrence, subject=subject), begins, told=False, now=until or now)
    if not wanted:
        return 0
    if until is not None:
        _hold(db, rule, occurrence, until)
        return 0
    return send(db, rule, messages.of(occurrence), rule.channels, topic=occurrence.topic, now=now)


def end(db: Connection, rule: AlertRule, subject: str, *, now: int) -> int:
    """Close an alert without notifying people: only alerts that would stay open are resolved. Return the number of
    messages.
    """
    episode = rows.find(db, rule.id, subject)
    if episode is None:
        return 0
    rows.delete(db, rule.id, subject)
    if rows.set_over(db, rule.id, subject, now) or not episode.told:
        return 0
    first = messages.parse_occurrence(episode.occurrence)
    channels = deliveries.keeping_open(db, rule.organization_id, _notified_channels(rule, episode))
    return send(db, rule, messages.resolve_message(first, now=now), channels, topic=f"{first.topic}/over", now=now)


def forget(db: Connection, organization_id: str, subject: str, *, now: int) -> None:
    """Close the alerts about a removed subject. Alerts that would stay open are resolved."""
    for episode in rows.of_subject(db, organization_id, subject):
        rule = rows.ALERT_RULES.find(db, episode.rule_id)
        if rule is not None:
            end(db, rule, subject, now=now)
    rows.forget(db, organization_id, subject)


def send(db: Connection, rule: AlertRule, message: Message, channels: Sequence[str], *, topic: str, now: int) -> int:
    """Put a message for some of an alert rule's channels; for how many."""
    if not channels:
        return 0
    told = deliveries.queue_deliveries(db, rule.organization_id, message, topic=topic, now=now, only=channels)
    if told:
        rows.note_told(db, rule.id, now)
    return told


def split(db: Connection, rule: AlertRule) -> tuple[list[str], list[str]]:
    """The channels that are told at once: those in which an alert stays open until it is resolved, and the others."""
    lasting = deliveries.keeping_open(db, rule.organization_id, rule.channels)
    return lasting, [one for one in rule.channels if one not in lasting]


notices = rows.notices


def _begin(db: Connection, rule: AlertRule, occurrence: Occurrence, what: What, *, told: bool, now: int) -> None:
    """Begin an episode. Another kind of trouble with the same subject begins a new one, if anybody learns of it."""
    before = rows.find(db, rule.id, occurrence.subject)
    if before is not None and (before.what == what or (before.told and not told)):
        return
    wait = rule.conditions.escalate_after_minutes
    episode = Episode(
        rule_id=rule.id,
        subject=occurrence.subject,
        what=what,
        occurrence=_json(occurrence),
        began=occurrence.at,
        told=told,
        reminded_at=now,
        escalates_at=now + wait * MINUTE if wait is not None and rule.escalation else None,
    )
    rows.store_episode(db, replace(episode, due_at=rules.due_at(rule.conditions, episode)))


def _end(db: Connection, rule: AlertRule, occurrence: Occurrence, now: int) -> int:
    """Close an alert and send the recovery to all who were notified.

    Alerts that would stay open are also resolved if no rule wants the recovery, and during quiet hours.
    """
    episode = rows.find(db, rule.id, occurrence.subject)
    if episode is None:
        return 0
    rows.delete(db, rule.id, occurrence.subject)
    if rows.set_over(db, rule.id, occurrence.subject, occurrence.at):
        return 0
    wanted = rules.wants(rule, occurrence)
    until = _held_until(db, rule, occurrence.what, now)
    channels = _notified_channels(rule, episode)
    if not wanted or until is not None:
        channels = deliveries.keeping_open(db, rule.organization_id, channels) if episode.told else ()
    if wanted and until is not None:
        _hold(db, rule, occurrence, until)
    return send(db, rule, messages.of(occurrence), channels, topic=occurrence.topic, now=now)


def _notified_channels(rule: AlertRule, episode: Episode) -> Sequence[str]:
    """The channels that have been told of an episode."""
    return (*rule.channels, *rule.escalation) if episode.escalated else rule.channels


def _hold(db: Connection, rule: AlertRule, occurrence: Occurrence, until: int) -> None:
    rows.hold(
        db,
        rule_id=rule.id,
        subject=occurrence.subject,
        until=until,
        occurrence=_json(occurrence),
        lasts=rules.begins(occurrence) is not None,
    )


def _json(occurrence: Occurrence) -> str:
    return msgspec.json.encode(occurrence).decode()
