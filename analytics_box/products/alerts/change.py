"""Create, update and delete alert rules, and acknowledge alerts: each with its rows and its audit entry."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import errors, ids
from analytics_box.base.identity import at_least
from analytics_box.base.notify import change as channels
from analytics_box.base.notify.change import ChannelTools
from analytics_box.base.notify.rules import Channel
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.alerts import destinations, episode_rows, messages, rows, rules
from analytics_box.products.alerts.alert_rule import (
    MOST_DESTINATIONS,
    MOST_RULES,
    AlertRule,
    Conditions,
    Destination,
    Episode,
)
from analytics_box.resource.fields import difference
from analytics_box.resource.reach import Reach, check, in_reach, role_of

OVER: Final = "This rule has no open alert for this subject"


class VisibleAlertRules(Struct, frozen=True):
    """The alert rules that someone sees, with channels and open alerts, and whether they are `changeable`.

    Channels are by id, and the places that they lead to are for those who may change them.
    """

    rules: list[AlertRule]
    channels: dict[str, Channel]
    episodes: list[Episode]
    changeable: bool


def list_alert_rules(db: Connection, own: Reach) -> VisibleAlertRules:
    """The organization's alert rules, the oldest first. Raises Forbidden."""
    role, organization_id = role_of(db, own.organization_id, own.by), own.organization_id
    return VisibleAlertRules(
        rules=rows.of(db, organization_id),
        channels={channel.id: channel for channel in channels.of(db, organization_id)},
        episodes=[episode for episode in episode_rows.of_organization(db, organization_id) if episode.told],
        changeable=at_least(role, "admin"),
    )


def existing(db: Connection, own: Reach, rule_id: str) -> AlertRule:
    """An alert rule for an administrator. Raises Forbidden or NotFound."""
    check(db, own, "admin")
    return in_reach(own, rows.ALERT_RULES.find(db, rule_id), "alarm", rule_id)


def create(
    db: Connection, tools: ChannelTools, own: Reach, values: Mapping[str, Any], places: Sequence[Destination]
) -> AlertRule:
    """A new alert rule of these values of its fields. Raises Forbidden, BadRequest or Conflict."""
    check(db, own, "admin")
    full = _("An organization can have up to {most} alert rules; delete one first").format(most=MOST_RULES)
    rows.ALERT_RULES.check_room(db, MOST_RULES, full, "organization_id = ?", own.organization_id)
    known: dict[str, Any] = {"website_id": None, "description": "", "enabled": True, "conditions": Conditions()}
    before = AlertRule(
        **known | dict(values),
        id=ids.new_id(),
        organization_id=own.organization_id,
        created_at=own.by.now,
        updated_at=own.by.now,
    )
    rule = _with_channels(db, tools, own, before, places)
    detail = {"triggerType": rule.trigger, "enabled": rule.enabled}
    return rows.ALERT_RULES.create(db, own.by, own.organization_id, rule, detail)


def update(
    db: Connection,
    tools: ChannelTools,
    own: Reach,
    rule_id: str,
    values: Mapping[str, Any],
    places: Sequence[Destination] | None,
) -> AlertRule:
    """A changed alert rule; without `places` its channels stay. Raises Forbidden, NotFound, BadRequest or Conflict.

    Open alerts continue under the new conditions, unless the rule is disabled or has another trigger or website.
    """
    before = existing(db, own, rule_id)
    after = _with_channels(db, tools, own, replace(before, **values), places)
    changes = partial(difference, without=("told_at",))
    after = rows.ALERT_RULES.change(db, own.by, own.organization_id, before, after, changes)
    if not after.enabled or after.trigger != before.trigger or after.website_id != before.website_id:
        episode_rows.forget_rule(db, after.id)
    elif after.conditions != before.conditions:
        _follow(db, after, own.by.now)
    return after


def delete(db: Connection, own: Reach, rule_id: str) -> AlertRule:
    """Delete an alert rule; its channels stay. Raises Forbidden or NotFound."""
    gone = existing(db, own, rule_id)
    rows.ALERT_RULES.remove(db, own.by, own.organization_id, gone)
    return gone


def acknowledge(db: Connection, own: Reach, rule_id: str, subject: str) -> AlertRule:
    """Acknowledge an alert: no more reminders and no escalation. Raises Forbidden or NotFound."""
    check(db, own, "member")
    rule, by = in_reach(own, rows.ALERT_RULES.find(db, rule_id), "alarm", rule_id), own.by
    episode = episode_rows.find(db, rule_id, subject)
    if episode is None:
        raise errors.NotFound.of("alarm", rule_id, OVER)
    if episode.acknowledged_at is None:
        episode_rows.store_episode(db, replace(episode, acknowledged_at=by.now, acknowledged_by=by.actor, due_at=None))
        detail = {"acknowledged": messages.parse_occurrence(episode.occurrence).title}
        rows.ALERT_RULES.record(db, by, own.organization_id, "updated", rule, detail)
    return rule


def _with_channels(
    db: Connection, tools: ChannelTools, own: Reach, rule: AlertRule, places: Sequence[Destination] | None
) -> AlertRule:
    """The rule with the channels of its destinations, checked as a whole. Raises BadRequest and what creating a channel
    raises.
    """
    if places is None:
        rules.check(rule.trigger, rule.conditions, escalates=bool(rule.escalation))
        return rule
    if len(places) > MOST_DESTINATIONS:
        text = _("A rule can have up to {most} destinations").format(most=MOST_DESTINATIONS)
        raise errors.BadRequest.about("destinations", text)
    rules.check(rule.trigger, rule.conditions, escalates=any(one.escalation for one in places))
    chosen = destinations.choose_channels(db, tools, own.organization_id, own.by, places)
    return replace(rule, channels=chosen.channels, escalation=chosen.escalation)


def _follow(db: Connection, rule: AlertRule, now: int) -> None:
    """Apply new conditions to open and held back alerts."""
    episode_rows.release_now(db, rule.id, now)
    for episode in episode_rows.of_rule(db, rule.id):
        episode_rows.store_episode(db, replace(episode, due_at=rules.due_at(rule.conditions, episode)))
