"""Alert rules as procedures answer with them (wire 10.5)."""

from collections.abc import Mapping
from datetime import datetime

from msgspec import Struct

from analytics_box.base.notify.change import ChannelTools
from analytics_box.base.notify.rules import Channel
from analytics_box.products.alerts import destinations, messages
from analytics_box.products.alerts.alert_rule import AlertRule, Conditions, Episode, Trigger
from analytics_box.products.alerts.occurrence import What
from analytics_box.resource.fields import answer_of
from analytics_box.tenants.configuration import channels
from analytics_box.tenants.tenancy.messages import date


class DestinationShown(Struct, frozen=True):
    """A destination of an alert rule. Without the right to change it `identifier` is shortened and `config` is null."""

    type: str
    identifier: str
    config: dict[str, str] | None
    channelId: str
    escalation: bool


class OpenShown(Struct, frozen=True):
    """Something that goes on. `subject` is what alarms.acknowledge takes."""

    subject: str
    event: What
    title: str
    since: datetime
    escalated: bool
    acknowledgedAt: datetime | None
    acknowledgedBy: str | None


class AlertRuleAnswer(Struct, frozen=True):
    """An alarm. `lastToldAt` is when it last sent something; `open` is what goes on now."""

    id: str
    organizationId: str
    websiteId: str | None
    name: str
    description: str | None
    enabled: bool
    triggerType: Trigger
    triggerConditions: Conditions
    destinations: list[DestinationShown]
    open: list[OpenShown]
    lastToldAt: datetime | None
    createdAt: datetime
    updatedAt: datetime


def alert_rule_answer(
    rule: AlertRule, led: Mapping[str, Channel], episodes: list[Episode], tools: ChannelTools, *, places: bool
) -> AlertRuleAnswer:
    """An alert rule for an answer; with the places that it leads to for those who may see them."""
    return answer_of(
        AlertRuleAnswer,
        rule,
        destinations=[
            _destination(led[channel_id], tools, escalation=escalation, places=places)
            for ids, escalation in ((rule.channels, False), (rule.escalation, True))
            for channel_id in ids
            if channel_id in led
        ],
        open=[_open(episode) for episode in episodes if episode.rule_id == rule.id],
    )


def _destination(channel: Channel, tools: ChannelTools, *, escalation: bool, places: bool) -> DestinationShown:
    if not places:
        return DestinationShown(channel.kind, channel.shown, None, channel.id, escalation)
    config = channels.readable(tools, channel)
    identifier = destinations.identifier(channel.kind, config) or channel.shown
    return DestinationShown(
        channel.kind, identifier, destinations.open_part(channel.kind, config), channel.id, escalation
    )


def _open(episode: Episode) -> OpenShown:
    return OpenShown(
        subject=episode.subject,
        event=episode.what,
        title=messages.parse_occurrence(episode.occurrence).title,
        since=date(episode.began),
        escalated=episode.escalated,
        acknowledgedAt=None if episode.acknowledged_at is None else date(episode.acknowledged_at),
        acknowledgedBy=episode.acknowledged_by,
    )
