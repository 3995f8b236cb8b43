"""Alarms in box.db. Every function takes a connection inside the caller's transaction."""

import msgspec
from msgspec import Struct

from analytics_box.base.store import records
from analytics_box.base.store.db import Connection
from analytics_box.products.alerts.alarm import Alarm, Conditions, Trigger

_COLUMNS = """id, organization_id, website_id, name, description, enabled, trigger_type, conditions, told_at,
  created_at, updated_at,
  (select json_group_array(json_array(channel_id, escalation)) from alarm_channels where alarm_id = alarms.id)"""


class _AlarmRow(Struct, frozen=True):
    """A row as it is stored; `channels` is JSON of ids with whether they are of the escalation."""

    id: str
    organization_id: str
    website_id: str | None
    name: str
    description: str
    enabled: bool
    trigger: Trigger
    conditions: str
    told_at: int | None
    created_at: int
    updated_at: int
    channels: str


def of(db: Connection, organization_id: str) -> list[Alarm]:
    """The alarms of an organization, the oldest first."""
    return _alarms(db, "organization_id = ?", organization_id)


def enabled_of(db: Connection, organization_id: str, *, uptime: bool) -> list[Alarm]:
    """The enabled rules: about monitors, or about traffic."""
    about = "trigger_type = 'uptime'" if uptime else "trigger_type <> 'uptime'"
    return _alarms(db, f"organization_id = ? and enabled = 1 and {about}", organization_id)


def of_traffic(db: Connection) -> list[Alarm]:
    """All that are switched on and about traffic, of organizations that are there."""
    return _alarms(
        db,
        """enabled = 1 and trigger_type <> ?
        and organization_id in (select id from organizations where deleted_at is null)""",
        "uptime",
    )


def find(db: Connection, alarm_id: str) -> Alarm | None:
    return next(iter(_alarms(db, "id = ?", alarm_id)), None)


def insert(db: Connection, alarm: Alarm) -> None:
    db.execute(
        """
        -- alarms.insert
        insert into alarms (id, organization_id, website_id, name, description, enabled, trigger_type, conditions,
          created_at, updated_at)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (
            alarm.id,
            alarm.organization_id,
            alarm.website_id,
            alarm.name,
            alarm.description,
            int(alarm.enabled),
            alarm.trigger,
            _json(alarm.conditions),
            alarm.created_at,
            alarm.updated_at,
        ),
    )
    _put_channels(db, alarm)


def update(db: Connection, alarm: Alarm) -> None:
    """Store all that a person may change of an alarm."""
    db.execute(
        """
        -- alarms.update
        update alarms set website_id = ?, name = ?, description = ?, enabled = ?, trigger_type = ?, conditions = ?,
          updated_at = ?
        where id = ?
        """,
        (
            alarm.website_id,
            alarm.name,
            alarm.description,
            int(alarm.enabled),
            alarm.trigger,
            _json(alarm.conditions),
            alarm.updated_at,
            alarm.id,
        ),
    )
    db.execute("-- alarms.update\ndelete from alarm_channels where alarm_id = ?", (alarm.id,))
    _put_channels(db, alarm)


def delete(db: Connection, alarm_id: str) -> None:
    """Remove an alarm with its episodes and all that it holds back."""
    db.execute("-- alarms.delete\ndelete from alarms where id = ?", (alarm_id,))


def note_topic(db: Connection, alarm_id: str, topic: str, now: int) -> bool:
    """Write down that an alarm has dealt with this topic; whether it had not before."""
    found = db.execute(
        """
        -- alarms.note_topic
        insert into alarm_topics (alarm_id, topic, at) values (?, ?, ?) on conflict do nothing returning at
        """,
        (alarm_id, topic, now),
    )
    return bool(found.fetchall())


def forget_topics(db: Connection, before: int) -> None:
    """Forget what alarms dealt with before this instant."""
    db.execute("-- alarms.forget_topics\ndelete from alarm_topics where at < ?", (before,))


def note_told(db: Connection, alarm_id: str, now: int) -> None:
    """Record that the rule has just sent something."""
    db.execute("-- alarms.note_told\nupdate alarms set told_at = ? where id = ?", (now, alarm_id))


def _put_channels(db: Connection, alarm: Alarm) -> None:
    for channels, escalation in ((alarm.channels, 0), (alarm.escalation, 1)):
        for channel_id in channels:
            db.execute(
                "-- alarms.put_channels\n"
                "insert into alarm_channels (alarm_id, channel_id, escalation) values (?, ?, ?) on conflict do nothing",
                (alarm.id, channel_id, escalation),
            )


def _alarms(db: Connection, condition: str, value: str) -> list[Alarm]:
    found = records.all_of(
        db,
        _AlarmRow,
        f"""
        -- alarms.of, enabled_of, of_traffic, find
        select {_COLUMNS} from alarms where {condition} order by created_at, id
        """,
        (value,),
    )
    return [_alarm(row) for row in found]


def _alarm(row: _AlarmRow) -> Alarm:
    channels = msgspec.json.decode(row.channels, type=list[tuple[str, int]])
    return Alarm(
        id=row.id,
        organization_id=row.organization_id,
        website_id=row.website_id,
        name=row.name,
        description=row.description,
        enabled=row.enabled,
        trigger=row.trigger,
        conditions=msgspec.json.decode(row.conditions, type=Conditions),
        told_at=row.told_at,
        created_at=row.created_at,
        updated_at=row.updated_at,
        channels=tuple(channel for channel, escalation in channels if not escalation),
        escalation=tuple(channel for channel, escalation in channels if escalation),
    )


def _json(conditions: Conditions) -> str:
    return msgspec.json.encode(conditions).decode()
