"""Alert rules, open alerts, and alerts held back by quiet hours, in box.db.

Every function takes a connection inside a transaction.
"""

import json
from collections.abc import Sequence
from typing import Final

from analytics_box.base.store import records
from analytics_box.base.store.db import Connection
from analytics_box.products.alerts.alert_rule import AlertNotice, AlertRule, Episode, Figure, HeldAlert
from analytics_box.resource.audited import AuditedTable
from analytics_box.resource.table import ChildList

_EPISODE = """alarm_id, subject, what, occurrence, began, told, reminded_at, escalates_at, escalated, due_at,
  acknowledged_at, acknowledged_by"""
_HELD = "id, alarm_id, subject, until, occurrence, lasts, over"


def find(db: Connection, rule_id: str, subject: str) -> Episode | None:
    return records.one_of(
        db,
        Episode,
        f"""
        -- alarms.episode
        select {_EPISODE} from alarm_episodes where alarm_id = ? and subject = ?
        """,
        (rule_id, subject),
    )


def of_organization(db: Connection, organization_id: str) -> list[Episode]:
    """All that lasts now, the latest first."""
    return records.all_of(
        db,
        Episode,
        f"""
        -- alarms.episodes
        select {_EPISODE} from alarm_episodes
        where alarm_id in (select id from alarms where organization_id = ?)
        order by began desc, alarm_id, subject
        """,
        (organization_id,),
    )


def of_rule(db: Connection, rule_id: str) -> list[Episode]:
    """All that lasts of one alarm."""
    return records.all_of(
        db, Episode, f"-- alarms.of_alarm\nselect {_EPISODE} from alarm_episodes where alarm_id = ?", (rule_id,)
    )


def of_subject(db: Connection, organization_id: str, subject: str) -> list[Episode]:
    """The open alerts about a subject, by rules of its organization."""
    return records.all_of(
        db,
        Episode,
        f"""
        -- alarms.of_subject
        select {_EPISODE} from alarm_episodes
        where subject = ? and alarm_id in (select id from alarms where organization_id = ?)
        """,
        (subject, organization_id),
    )


def notices(db: Connection, organization_id: str, subjects: Sequence[str]) -> dict[str, AlertNotice]:
    """The notices that have arrived of open alerts about these subjects; subjects without any are left out."""
    found = db.execute(
        """
        -- alarms.notices
        select episode.subject, channels.name, min(deliveries.ended_at) as at
        from alarm_episodes as episode
        join alarms on alarms.id = episode.alarm_id and alarms.organization_id = :organization
        join alarm_channels on alarm_channels.alarm_id = alarms.id
        join channels on channels.id = alarm_channels.channel_id
        join deliveries on deliveries.channel_id = channels.id
          and deliveries.topic = json_extract(episode.occurrence, '$.topic')
          and deliveries.ended_at is not null and deliveries.error is null
        where episode.subject in (select value from json_each(:subjects))
        group by episode.subject, channels.id
        order by at, channels.name
        """,
        {"organization": organization_id, "subjects": json.dumps(list(subjects))},
    ).fetchall()
    by_subject: dict[str, AlertNotice] = {}
    for subject, name, at in found:
        known = by_subject.get(str(subject), AlertNotice((), int(str(at))))
        by_subject[str(subject)] = AlertNotice((*known.channels, str(name)), known.at)
    return by_subject


def due(db: Connection, now: int, most: int) -> list[Episode]:
    """The open alerts to remind of or escalate now, of existing organizations."""
    return records.all_of(
        db,
        Episode,
        f"""
        -- alarms.due
        select {_EPISODE} from alarm_episodes
        where due_at <= ? and alarm_id in (
          select alarms.id from alarms
          join organizations on organizations.id = alarms.organization_id and organizations.deleted_at is null
        )
        order by due_at, alarm_id, subject limit ?
        """,
        (now, most),
    )


def store_episode(db: Connection, episode: Episode) -> None:
    """Begin an episode or change it."""
    db.execute(
        f"""
        -- alarms.put_episode
        insert into alarm_episodes ({_EPISODE}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        on conflict (alarm_id, subject) do update set
          what = excluded.what, occurrence = excluded.occurrence, began = excluded.began, told = excluded.told,
          reminded_at = excluded.reminded_at, escalates_at = excluded.escalates_at, escalated = excluded.escalated,
          due_at = excluded.due_at, acknowledged_at = excluded.acknowledged_at,
          acknowledged_by = excluded.acknowledged_by
        """,
        (
            episode.rule_id,
            episode.subject,
            episode.what,
            episode.occurrence,
            episode.began,
            int(episode.told),
            episode.reminded_at,
            episode.escalates_at,
            int(episode.escalated),
            episode.due_at,
            episode.acknowledged_at,
            episode.acknowledged_by,
        ),
    )


def delete(db: Connection, rule_id: str, subject: str) -> None:
    """Delete an episode that has ended."""
    db.execute(
        "-- alarms.delete_episode\ndelete from alarm_episodes where alarm_id = ? and subject = ?", (rule_id, subject)
    )


def postpone(db: Connection, until: int) -> None:
    """Nothing is due before this instant."""
    db.execute("-- alarms.postpone\nupdate alarm_episodes set due_at = ? where due_at < ?", (until, until))


def forget(db: Connection, organization_id: str, subject: str) -> None:
    """Delete open and held back alerts about this subject."""
    for table in ("alarm_episodes", "alarm_held"):
        db.execute(
            f"""
            -- alarms.forget
            delete from {table}
            where subject = ? and alarm_id in (select id from alarms where organization_id = ?)
            """,
            (subject, organization_id),
        )


def forget_rule(db: Connection, rule_id: str) -> None:
    """Nothing lasts for this alert rule, and nothing is held back."""
    for table in ("alarm_episodes", "alarm_held"):
        db.execute(f"-- alarms.forget_alarm\ndelete from {table} where alarm_id = ?", (rule_id,))


# Alerts held back by quiet hours or for a digest


def hold(db: Connection, *, rule_id: str, subject: str, until: int, occurrence: str, lasts: bool) -> None:
    """Tell it when the quiet hours end; `lasts` is whether it can be over before."""
    db.execute(
        """
        -- alarms.hold
        insert into alarm_held (alarm_id, subject, until, occurrence, lasts) values (?, ?, ?, ?, ?)
        """,
        (rule_id, subject, until, occurrence, int(lasts)),
    )


def digest_end(db: Connection, rule_id: str, now: int) -> int | None:
    """Return the time at which held back alerts are sent; None if there are none."""
    found = db.execute(
        "-- alarms.digest_end\nselect min(until) from alarm_held where alarm_id = ? and until > ?", (rule_id, now)
    ).fetchone()
    return None if found is None or found[0] is None else int(str(found[0]))


def set_over(db: Connection, rule_id: str, subject: str, at: int) -> bool:
    """Mark held back alerts about this subject as over; return whether there were any."""
    found = db.execute(
        """
        -- alarms.set_over
        update alarm_held set over = ? where alarm_id = ? and subject = ? and lasts = 1 and over is null
        returning id
        """,
        (at, rule_id, subject),
    )
    return bool(found.fetchall())


def release_now(db: Connection, rule_id: str, now: int) -> None:
    """The alert rule's quiet hours have been changed: what they hold back is due now."""
    db.execute("-- alarms.release_now\nupdate alarm_held set until = min(until, ?) where alarm_id = ?", (now, rule_id))


def released_alerts(db: Connection, now: int) -> list[HeldAlert]:
    """Alerts held back until now or before, in the order of their events; of existing organizations."""
    return records.all_of(
        db,
        HeldAlert,
        f"""
        -- alarms.released
        select {_HELD} from alarm_held
        where until <= ? and alarm_id in (
          select alarms.id from alarms
          join organizations on organizations.id = alarms.organization_id and organizations.deleted_at is null
        )
        order by id
        """,
        (now,),
    )


def remove_held(db: Connection, number: int) -> None:
    """Delete a held back alert that was sent."""
    db.execute("-- alarms.remove_held\ndelete from alarm_held where id = ?", (number,))


ALERT_RULES: Final = AuditedTable(
    "alarms",
    AlertRule,
    "alarm",
    "alarm",
    about=lambda rule: {"name": rule.name},
    columns={"trigger": "trigger_type"},
    lists={
        "channels": ChildList("alarm_channels", "alarm_id", "channel_id", {"escalation": 0}),
        "escalation": ChildList("alarm_channels", "alarm_id", "channel_id", {"escalation": 1}),
    },
)


def of(db: Connection, organization_id: str) -> list[AlertRule]:
    """The alert rules of an organization, the oldest first."""
    return ALERT_RULES.all(db, "organization_id = ? order by created_at, id", organization_id)


def enabled_of(db: Connection, organization_id: str, *, uptime: bool) -> list[AlertRule]:
    """The enabled rules: about monitors, or about traffic."""
    condition = "organization_id = ? and enabled = 1 and (trigger_type = 'uptime') = ? order by created_at, id"
    return ALERT_RULES.all(db, condition, organization_id, uptime)


def of_traffic(db: Connection) -> list[AlertRule]:
    """All that are switched on and about traffic, of organizations that are there."""
    return ALERT_RULES.all(
        db,
        """
        enabled = 1 and trigger_type <> 'uptime'
          and organization_id in (select id from organizations where deleted_at is null)
        order by created_at, id
        """,
    )


def rates_of(db: Connection, organization_id: str) -> list[tuple[Figure, str, str, str]]:
    """The goals and funnels of an organization that rules can be about: the figure, their ids, names and websites."""
    found = db.execute(
        """
        -- alarms.rates_of
        select figure, id, name, website_id from (
          select 'goal_rate' as figure, id, name, website_id, is_active from goals
          union all select 'funnel_rate', id, name, website_id, is_active from funnels
        )
        where is_active = 1 and website_id in (select id from websites where organization_id = ? and deleted_at is null)
        order by figure desc, name, id limit 500
        """,
        (organization_id,),
    )
    return [
        ("goal_rate" if figure == "goal_rate" else "funnel_rate", str(one), str(name), str(website))
        for figure, one, name, website in found
    ]


def note_topic(db: Connection, rule_id: str, topic: str, now: int) -> bool:
    """Write down that an alert rule has dealt with this topic; whether it had not before."""
    found = db.execute(
        """
        -- alarms.note_topic
        insert into alarm_topics (alarm_id, topic, at) values (?, ?, ?) on conflict do nothing returning at
        """,
        (rule_id, topic, now),
    )
    return bool(found.fetchall())


def forget_topics(db: Connection, before: int) -> None:
    """Forget what alert rules dealt with before this instant."""
    db.execute("-- alarms.forget_topics\ndelete from alarm_topics where at < ?", (before,))


def note_told(db: Connection, rule_id: str, now: int) -> None:
    """Record that the rule has just sent something."""
    db.execute("-- alarms.note_told\nupdate alarms set told_at = ? where id = ?", (now, rule_id))
