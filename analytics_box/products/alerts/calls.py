"""The procedures `alarms.*` (wire 10.5). Scopes: read:monitors, write:monitors; manage:config to change rules.

Everybody in the organization sees its alert rules. Changing one decides where the box sends messages, so it is
for owners, admins and keys that may set up channels; members and keys with write:monitors acknowledge.
"""

import asyncio
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType, field
from msgspec.structs import replace

from analytics_box.base import errors
from analytics_box.base.notify import change as channels
from analytics_box.base.notify.change import ChannelTools
from analytics_box.base.notify.deliveries import send_test
from analytics_box.base.notify.message import Message
from analytics_box.base.notify.rules import Channel
from analytics_box.base.notify.send import ChannelSender, SendOutcome
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.alerts import change, messages
from analytics_box.products.alerts.alert_rule import (
    AlertRule,
    Conditions,
    Destination,
    Episode,
    GivenTrigger,
    Trigger,
    What,
)
from analytics_box.resource.fields import answer_of, input_of, values_of
from analytics_box.resource.reach import Reach, reach
from analytics_box.tenants.configuration import channels as configuration_channels
from analytics_box.tenants.tenancy.messages import OrganizationInput, Success, Text, date
from analytics_box.tenants.websites.directory import Directory
from analytics_box.web.call import Call


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
    config = configuration_channels.readable(tools, channel)
    identifier = change.identifier(channel.kind, config) or channel.shown
    return DestinationShown(channel.kind, identifier, change.open_part(channel.kind, config), channel.id, escalation)


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


TESTS = 5  # tests that one caller may make per 60 s (wire 10.5)

Value = Annotated[str, Meta(max_length=10_000)]


class GivenDestination(Struct, frozen=True, forbid_unknown_fields=True):
    """The destination of an alert rule.

    `type` is a kind of channel and `identifier` its place: an address, or a telegram's chat; the rest stands in
    `config`, as in config.createChannel. If the organization has a channel that leads there it is used, else one is
    made. `channelId` names a channel, as does the type `channel` with an id as `identifier`. What is marked with
    `escalation` is told later.
    """

    type: Annotated[str, Meta(max_length=40)]
    identifier: Annotated[str, Meta(max_length=2_048)] = ""
    config: Annotated[dict[Annotated[str, Meta(max_length=40)], Value], Meta(max_length=20)] | None = None
    channelId: Text | None = None
    escalation: bool = False


Destinations = Annotated[list[GivenDestination], Meta(max_length=50)]


@input_of(AlertRule, needed=("name", "trigger"))
class NewAlertRule(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Input of alarms.create. The older types goal and custom are refused."""

    destinations: Destinations
    conditions: Conditions | UnsetType | None = field(default=UNSET, name="triggerConditions")
    organizationId: Text | None = None


@input_of(AlertRule)
class ChangedAlertRule(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Input of alarms.update; omitted fields keep their values. `triggerConditions` and `destinations` are replaced as
    a whole.
    """

    alarmId: Text
    destinations: Destinations | None = None
    name: Text | UnsetType | None = UNSET
    enabled: bool | UnsetType | None = UNSET
    trigger: GivenTrigger | UnsetType | None = field(default=UNSET, name="triggerType")
    conditions: Conditions | UnsetType | None = field(default=UNSET, name="triggerConditions")
    organizationId: Text | None = None


class AlertRuleId(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that names an alarm."""

    alarmId: Text
    organizationId: Text | None = None


class AcknowledgeAlert(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of alarms.acknowledge. `subject` is that of one of the alert rule's `open` entries."""

    alarmId: Text
    subject: Text
    organizationId: Text | None = None


class DestinationTestResult(Struct, frozen=True):
    """The result of a test at one destination. `channel` is its type; `error` is the reason of a failure."""

    success: bool
    channel: str
    error: str | UnsetType = UNSET


class AlertTestAnswer(Struct, frozen=True):
    """Output of alarms.test."""

    results: list[DestinationTestResult]


async def list_rules(call: Call, given: OrganizationInput) -> list[AlertRuleAnswer]:
    """alarms.list: list alert rules, oldest first. Raises Forbidden."""
    own = reach(call, given.organizationId)
    found = await call.read(lambda db: change.list_alert_rules(db, own))
    places = found.changeable and call.identity.may_act_for_organization("manage:config")
    tools = call.parts[ChannelTools]
    return [alert_rule_answer(rule, found.channels, found.episodes, tools, places=places) for rule in found.rules]


async def create(call: Call, given: NewAlertRule) -> AlertRuleAnswer:
    """alarms.create: create an alert rule. Raises Forbidden, BadRequest or Conflict."""
    own, tools = reach(call, given.organizationId), call.parts[ChannelTools]
    values, places = _values(call, own, given), places_of(given.destinations)
    return await _answer_to_editor(call, await call.write(lambda db: change.create(db, tools, own, values, places)))


async def update(call: Call, given: ChangedAlertRule) -> AlertRuleAnswer:
    """alarms.update: update an alert rule. Raises Forbidden, NotFound, BadRequest or Conflict."""
    own, tools = reach(call, given.organizationId), call.parts[ChannelTools]
    values = _values(call, own, given)
    places = None if given.destinations is None else places_of(given.destinations)
    changed = await call.write(lambda db: change.update(db, tools, own, given.alarmId, values, places))
    return await _answer_to_editor(call, changed)


def _values(call: Call, own: Reach, given: NewAlertRule | ChangedAlertRule) -> dict[str, Any]:
    """The given values of a rule's fields; null leaves all but the website as they are. Raises BadRequest."""
    kept = [name for name in given.__struct_fields__ if getattr(given, name) is None and name != "website_id"]
    values = values_of(replace(given, **dict.fromkeys(set(kept) & {*AlertRule.__struct_fields__}, UNSET)), AlertRule)
    _check_website(call, own.organization_id, values.get("website_id"))
    return values


async def delete(call: Call, given: AlertRuleId) -> Success:
    """alarms.delete: delete an alert rule. Raises Forbidden or NotFound.

    Its channels stay.
    """
    own = reach(call, given.organizationId)
    await call.write(lambda db: change.delete(db, own, given.alarmId))
    return Success()


async def test(call: Call, given: AlertRuleId) -> AlertTestAnswer:
    """alarms.test: send a test message to all destinations of an alert rule. Raises Forbidden, NotFound or
    RateLimited."""
    tried = await try_now(call, given.alarmId, given.organizationId)
    return AlertTestAnswer(
        [DestinationTestResult(not outcome.error, channel.kind, outcome.error or UNSET) for channel, outcome in tried]
    )


async def acknowledge(call: Call, given: AcknowledgeAlert) -> Success:
    """alarms.acknowledge: acknowledge an alert. Raises Forbidden or NotFound.

    Stops its reminders and escalation.
    """
    own = reach(call, given.organizationId)
    await call.write(lambda db: change.acknowledge(db, own, given.alarmId, given.subject))
    return Success()


async def try_now(call: Call, rule_id: str, organization_id: str | None = None) -> list[tuple[Channel, SendOutcome]]:
    """Send a test to all channels of a rule and keep what came of it. Raises Forbidden, NotFound or RateLimited."""
    own = reach(call, organization_id)

    def find(db: Connection) -> tuple[AlertRule, list[Channel]]:
        rule = change.existing(db, own, rule_id)
        known = {channel.id: channel for channel in channels.of(db, own.organization_id)}
        return rule, [known[one] for one in (*rule.channels, *rule.escalation) if one in known]

    rule, found = await call.read(find)
    call.parts.limits.take("alarm tests", call.identity.limit_name, TESTS)
    url = call.parts.settings.public_url
    message = Message(
        type="alarm.test",
        title=_("Test alert from Analytics Box"),
        text=_("This is a test of the alert rule “{name}”. Nothing has happened.").format(name=rule.name),
        at=call.now,
        url=url,
    )
    db, seal, sender = call.parts.box_db, call.parts[ChannelTools].seal, call.parts[ChannelSender]
    outcomes = await asyncio.gather(*(send_test(db, seal, sender, channel, message) for channel in found))
    return list(zip(found, outcomes, strict=True))


def _check_website(call: Call, organization_id: str, website_id: str | None) -> None:
    """Raises BadRequest for a website that is not the organization's."""
    if website_id is None:
        return
    website = call.parts[Directory].find(website_id)
    if website is None or website.organization_id != organization_id:
        raise errors.BadRequest.about("websiteId", _("There is no website with this id"))


def places_of(given: list[GivenDestination]) -> list[Destination]:
    """Destinations as they were given."""
    return [
        Destination(one.type, one.identifier, one.config or {}, one.channelId or "", one.escalation) for one in given
    ]


async def _answer_to_editor(call: Call, rule: AlertRule) -> AlertRuleAnswer:
    """An alert rule as the caller who changed it sees it."""
    found = await call.read(lambda db: change.list_alert_rules(db, reach(call, rule.organization_id)))
    return alert_rule_answer(rule, found.channels, found.episodes, call.parts[ChannelTools], places=found.changeable)
