"""Creating, changing and deleting alarms, and acknowledging what lasts: each verb with its rows and its audit entry."""

from typing import Final

from msgspec import Struct, UnsetType
from msgspec.structs import replace

from analytics_box.base import audit, errors, ids
from analytics_box.base.acting import By
from analytics_box.base.notify import change as channels
from analytics_box.base.notify.change import ChannelTools
from analytics_box.base.notify.rules import Channel
from analytics_box.base.store.db import Connection
from analytics_box.products.alerts import destinations, episode_rows, messages, rows, rules
from analytics_box.products.alerts.alarm import MOST_ALARMS, MOST_DESTINATIONS, Alarm, Conditions, Episode
from analytics_box.products.alerts.destinations import ChosenChannels
from analytics_box.products.alerts.draft import AlertRuleDraft
from analytics_box.resource.reach import Reach, check, in_reach
from analytics_box.tenants.tenancy import access
from analytics_box.tenants.tenancy.rules import may

OVER: Final = "This rule has no open alert for this subject"
_SUBJECT: Final = "alarm"


class VisibleAlertRules(Struct, frozen=True):
    """The alarms that somebody sees, with their channels and what lasts; `changeable` says whether they may be changed.

    Channels are by id, and the places that they lead to are for those who may change them.
    """

    alarms: list[Alarm]
    channels: dict[str, Channel]
    episodes: list[Episode]
    changeable: bool


def list_alert_rules(db: Connection, organization_id: str, by: By) -> VisibleAlertRules:
    """The organization's alarms, the oldest first. Raises Forbidden."""
    role = access.check(db, organization_id, by, "read")
    return VisibleAlertRules(
        alarms=rows.of(db, organization_id),
        channels={channel.id: channel for channel in channels.of(db, organization_id)},
        episodes=[episode for episode in episode_rows.of_organization(db, organization_id) if episode.told],
        changeable=may(role, "update"),
    )


def existing(db: Connection, organization_id: str, by: By, alarm_id: str) -> Alarm:
    """An alarm for somebody who may change it. Raises Forbidden or NotFound."""
    access.check(db, organization_id, by, "update")
    return in_reach(Reach(organization_id, by), rows.ALARMS.find(db, alarm_id), "alarm", alarm_id)


def create(db: Connection, tools: ChannelTools, organization_id: str, by: By, given: AlertRuleDraft) -> Alarm:
    """A new alarm. Raises Forbidden, BadRequest or Conflict."""
    access.check(db, organization_id, by, "update")
    if len(rows.of(db, organization_id)) >= MOST_ALARMS:
        raise errors.Conflict.full(
            "alarms", MOST_ALARMS, f"An organization can have up to {MOST_ALARMS} alert rules; delete one first"
        )
    before = Alarm(
        id=ids.new_id(),
        organization_id=organization_id,
        website_id=None,
        name="",
        description="",
        enabled=True,
        trigger="uptime",
        conditions=Conditions(),
        created_at=by.now,
        updated_at=by.now,
    )
    alarm = _update_alarm(
        db, tools, before, by, replace(given, name=given.name or "", destinations=given.destinations or ())
    )
    rows.ALARMS.insert(db, alarm)
    detail = {"name": alarm.name, "triggerType": alarm.trigger, "enabled": alarm.enabled}
    audit.record(db, by, organization_id, "created", _SUBJECT, alarm.id, detail)
    return alarm


def update(
    db: Connection, tools: ChannelTools, organization_id: str, by: By, alarm_id: str, given: AlertRuleDraft
) -> Alarm:
    """A changed alarm. Raises Forbidden, NotFound, BadRequest or Conflict.

    What lasts goes on under the new conditions, unless the alarm is switched off or is about something else now.
    """
    before = existing(db, organization_id, by, alarm_id)
    after = _update_alarm(db, tools, before, by, given)
    detail = audit.difference(
        before,
        after,
        shown={"channels": sorted, "escalation": sorted},  # Ids of channels are no secrets.
        names={"website_id": "websiteId", "trigger": "triggerType", "conditions": "triggerConditions"},
    )
    if not detail:
        return before
    after = replace(after, updated_at=by.now)
    rows.ALARMS.update(db, after)
    if not after.enabled or after.trigger != before.trigger or after.website_id != before.website_id:
        episode_rows.forget_alarm(db, after.id)
    elif after.conditions != before.conditions:
        _follow(db, after, by.now)
    audit.record(db, by, organization_id, "updated", _SUBJECT, after.id, {"name": after.name, **detail})
    return after


def delete(db: Connection, organization_id: str, by: By, alarm_id: str) -> Alarm:
    """Delete an alert rule; its channels stay. Raises Forbidden or NotFound."""
    gone = existing(db, organization_id, by, alarm_id)
    rows.ALARMS.delete(db, gone.id)
    audit.record(db, by, organization_id, "deleted", _SUBJECT, gone.id, {"name": gone.name})
    return gone


def acknowledge(db: Connection, organization_id: str, by: By, alarm_id: str, subject: str) -> Alarm:
    """Acknowledge an alert: no more reminders and no escalation. Raises Forbidden or NotFound."""
    own = Reach(organization_id, by)
    check(db, own, "member")
    alarm = in_reach(own, rows.ALARMS.find(db, alarm_id), "alarm", alarm_id)
    episode = episode_rows.find(db, alarm_id, subject)
    if episode is None:
        raise errors.NotFound.of("alarm", alarm_id, OVER)
    if episode.acknowledged_at is None:
        episode_rows.store_episode(db, replace(episode, acknowledged_at=by.now, acknowledged_by=by.actor, due_at=None))
        detail = {"name": alarm.name, "acknowledged": messages.parse_occurrence(episode.occurrence).title}
        audit.record(db, by, organization_id, "updated", _SUBJECT, alarm.id, detail)
    return alarm


def _update_alarm(db: Connection, tools: ChannelTools, before: Alarm, by: By, given: AlertRuleDraft) -> Alarm:
    """The alarm with what was given. Raises BadRequest and what making a channel raises."""
    trigger = before.trigger if given.trigger is None else rules.clean_trigger(given.trigger)
    conditions = before.conditions if given.conditions is None else given.conditions
    led = ChosenChannels(before.channels, before.escalation)
    if given.destinations is not None:
        if len(given.destinations) > MOST_DESTINATIONS:
            raise errors.BadRequest.about("destinations", f"A rule can have up to {MOST_DESTINATIONS} destinations")
        rules.check(trigger, conditions, escalates=any(one.escalation for one in given.destinations))
        led = destinations.choose_channels(db, tools, before.organization_id, by, given.destinations)
    else:
        rules.check(trigger, conditions, escalates=bool(before.escalation))
    website = given.website_id
    return replace(
        before,
        name=before.name if given.name is None else rules.clean_name(given.name),
        description=before.description if given.description is None else rules.clean_description(given.description),
        website_id=before.website_id if isinstance(website, UnsetType) else website,
        enabled=before.enabled if given.enabled is None else given.enabled,
        trigger=trigger,
        conditions=conditions,
        channels=led.channels,
        escalation=led.escalation,
    )


def _follow(db: Connection, alarm: Alarm, now: int) -> None:
    """Apply new conditions to open and held back alerts."""
    episode_rows.release_now(db, alarm.id, now)
    for episode in episode_rows.of_alarm(db, alarm.id):
        episode_rows.store_episode(db, replace(episode, due_at=rules.due_at(alarm.conditions, episode)))
