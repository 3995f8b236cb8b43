"""Alarms as the list shows them. Pure but for the time zone."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from analytics_box.base.clock import HOUR, MINUTE
from analytics_box.base.identity import SignedInPerson
from analytics_box.base.notify.rules import Channel
from analytics_box.base.texts import Alarms as Words
from analytics_box.products.alerts import messages, rules
from analytics_box.products.alerts.alarm import Alarm, Conditions, Episode
from analytics_box.web.page import dates


class Going(Struct, frozen=True):
    """Something that goes on: what an alarm said of it, since when, and whether somebody looks after it."""

    alarm_id: str
    subject: str
    title: str
    note: str
    acknowledged: str


class AlertRuleRow(Struct, frozen=True):
    """An alarm in the list."""

    id: str
    name: str
    description: str
    enabled: bool
    trigger: str
    about: str
    to: str
    leads: bool
    last: str


def row(
    alarm: Alarm, channels: Mapping[str, Channel], websites: Mapping[str, str], person: SignedInPerson
) -> AlertRuleRow:
    """An alarm for this reader; `websites` are names by id."""
    return AlertRuleRow(
        id=alarm.id,
        name=alarm.name,
        description=alarm.description,
        enabled=alarm.enabled,
        trigger=Words.triggers[alarm.trigger],
        about=about(alarm, websites),
        to=_to(alarm, channels),
        leads=any(channel in channels for channel in alarm.channels),
        last=Words.never if alarm.told_at is None else Words.last.format(when=dates.moment(alarm.told_at, person)),
    )


def going(episode: Episode, name: str, person: SignedInPerson, now: int) -> Going:
    """Something that goes on, for this reader; `name` is the alarm's."""
    since = dates.moment(episode.began, person)
    return Going(
        alarm_id=episode.alarm_id,
        subject=episode.subject,
        title=messages.parse_occurrence(episode.occurrence).title,
        note=Words.since.format(name=name, when=since, duration=messages.duration(now - episode.began)),
        acknowledged=""
        if episode.acknowledged_at is None
        else Words.acknowledged.format(when=dates.moment(episode.acknowledged_at, person)),
    )


def about(alarm: Alarm, websites: Mapping[str, str]) -> str:
    """The subject of an alert rule, in a few words."""
    website = "" if alarm.website_id is None else websites.get(alarm.website_id, Words.website_gone)
    parts = [website or ("" if alarm.trigger == "uptime" else Words.any_website)]
    if alarm.trigger == "uptime":
        parts.append(_monitors(alarm.conditions))
    elif alarm.trigger == "first_event":
        usual = rules.DEFAULTS[alarm.trigger]
        silence = alarm.conditions.silence_hours or usual.silence_hours
        parts.append(Words.after_silence.format(duration=messages.duration(silence * HOUR)))
    else:
        usual = rules.DEFAULTS[alarm.trigger]
        parts.append(
            Words.limits[alarm.trigger].format(
                threshold=f"{alarm.conditions.threshold or usual.threshold:g}",
                window=messages.duration((alarm.conditions.minutes or usual.minutes) * MINUTE),
            )
        )
    return ", ".join(part for part in parts if part)


def _monitors(conditions: Conditions) -> str:
    parts = []
    if conditions.monitor_ids:
        count = len(conditions.monitor_ids)
        parts.append(Words.of_one if count == 1 else Words.of_some.format(count=count))
    if conditions.groups:
        parts.append(Words.of_group.format(names=", ".join(conditions.groups)))
    if conditions.tags:
        parts.append(Words.of_tag.format(names=", ".join(conditions.tags)))
    return ", ".join(parts) or Words.of_all


def _to(alarm: Alarm, channels: Mapping[str, Channel]) -> str:
    """Its destinations; empty if no channel is left."""
    now = _names(alarm.channels, channels)
    if not now:
        return Words.to_nobody
    later, minutes = _names(alarm.escalation, channels), alarm.conditions.escalate_after_minutes
    parts = [Words.to.format(channels=now)]
    if later and minutes is not None:
        parts.append(Words.escalates.format(duration=messages.duration(minutes * MINUTE), channels=later))
    return ", ".join(parts)


def _names(ids: Sequence[str], channels: Mapping[str, Channel]) -> str:
    found = [channels[one] for one in ids if one in channels]
    return ", ".join(one.name if one.enabled else Words.channel_off.format(name=one.name) for one in found)
