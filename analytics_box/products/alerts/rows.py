"""Alert rules in box.db. Every function takes a connection inside the caller's transaction."""

from typing import Final

from analytics_box.base.store.db import Connection
from analytics_box.products.alerts.alert_rule import AlertRule, Figure
from analytics_box.resource.audited import AuditedTable
from analytics_box.resource.table import ChildList

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
