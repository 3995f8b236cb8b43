"""Create, update and delete alert rules with their destinations, and acknowledge alerts: each with its audit entry."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import errors, ids
from analytics_box.base.acting import By
from analytics_box.base.errors import BadRequest, BoxError
from analytics_box.base.identity import at_least
from analytics_box.base.notify import change as channels
from analytics_box.base.notify.change import ChannelTools
from analytics_box.base.notify.kinds.kind import ChannelKind, Config, clean
from analytics_box.base.notify.kinds.table import KINDS
from analytics_box.base.notify.rules import Channel
from analytics_box.base.outgoing.addresses import Fence
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.alerts import messages, rows, rules
from analytics_box.products.alerts.alert_rule import (
    CHANNEL,
    MOST_DESTINATIONS,
    MOST_RULES,
    AlertRule,
    Conditions,
    Destination,
    Episode,
)
from analytics_box.resource.fields import difference
from analytics_box.resource.reach import Reach, check, in_reach, role_of
from analytics_box.tenants.configuration import channels as configuration_channels

TYPES: Final = (CHANNEL, *KINDS)
_USUAL: Final = ("url", "to", "chatId")  # fields that an identifier fills, where a kind has one of them
_LONGEST_NAME: Final = 100


class ChosenChannels(Struct, frozen=True):
    """The ids of the channels: told at once, and as the escalation."""

    channels: tuple[str, ...]
    escalation: tuple[str, ...]


def choose_channels(
    db: Connection, tools: ChannelTools, organization_id: str, by: By, given: Sequence[Destination]
) -> ChosenChannels:
    """The channels of these destinations, made where there is none. Raises Forbidden, BadRequest or Conflict."""
    at_once: dict[str, None] = {}
    later: dict[str, None] = {}
    for place, destination in enumerate(given):
        try:
            channel_id = _channel(db, tools, organization_id, by, destination)
        except BadRequest as wrong:
            details = wrong.details
            text = f"Destination {place + 1}: {details[0].message if details else wrong.message}"
            raise BadRequest.about("destinations", text) from wrong
        (later if destination.escalation else at_once)[channel_id] = None
    if not at_once:
        raise BadRequest.about("destinations", _("Add at least one destination that is not for escalation only"))
    return ChosenChannels(tuple(at_once), tuple(one for one in later if one not in at_once))


def identifier(kind: str, config: Config) -> str:
    """The place of a channel, in the words of the wire; empty if that is a secret."""
    own = _own(KINDS[kind])
    return KINDS[kind].open_part(config).get(own, "")


def open_part(kind: str, config: Config) -> dict[str, str]:
    """The part of a channel's configuration, besides the identifier, that users who can change it see: no secret."""
    own = _own(KINDS[kind])
    return {name: value for name, value in KINDS[kind].open_part(config).items() if value and name != own}


def _own(kind: ChannelKind) -> str:
    """The field that an identifier fills: an address, else the first."""
    names = [field.name for field in kind.fields]
    return next((name for name in _USUAL if name in names), names[0])


def _channel(db: Connection, tools: ChannelTools, organization_id: str, by: By, given: Destination) -> str:
    """The id of the channel of one destination."""
    named = given.channel_id or (given.identifier if given.type == CHANNEL else "")
    if named:
        try:
            return channels.existing(db, named, organization_id).id
        except BoxError as unknown:
            raise BadRequest(_("There is no channel with this id")) from unknown
    kind = _kind(given.type)
    wanted = _config(kind, given)
    for channel in channels.of(db, organization_id):
        if channel.kind == kind.name and _leads_there(
            configuration_channels.readable(tools, channel), wanted, tools.fence_of(organization_id), kind
        ):
            return channel.id
    name = (wanted.get("to") or wanted.get("chatId") or kind.label)[:_LONGEST_NAME]  # an address may be a secret
    made, _rest = configuration_channels.create(
        db, tools, organization_id, by, kind=kind, name=name, enabled=True, config=wanted
    )
    return made.id


def _kind(name: str) -> ChannelKind:
    if name not in KINDS:
        raise BadRequest(_("Enter one of these types: {types}").format(types=", ".join(TYPES)))
    return KINDS[name]


def _config(kind: ChannelKind, given: Destination) -> Config:
    """The place that was given. Raises BadRequest for fields that no channel of this kind has."""
    known = [field.name for field in kind.fields]
    strange = sorted(given.config.keys() - set(known))
    if strange:
        raise BadRequest(
            _("config does not have the field {strange}. Its fields are {known}").format(
                strange=strange[0], known=", ".join(known)
            )
        )
    fields = {name: value.strip() for name, value in given.config.items()}
    if given.identifier:
        fields[_own(kind)] = given.identifier.strip()
    return fields


def _leads_there(there: Config | None, wanted: Config, fence: Fence, kind: ChannelKind) -> bool:
    """Whether a channel leads to a place. What was not given, as a token that is never shown, may be anything."""
    needed = {field.name for field in kind.fields if field.required and not field.secret and not field.default}
    if there is None or not all(wanted.get(name) for name in (_own(kind), *needed)):
        return False
    typed = {field.name: there.get(field.name, "") for field in kind.fields}  # without what the box signs with
    cleaned = clean(kind, {**typed, **wanted}, fence)
    return all(there.get(name) == cleaned.get(name) for name in wanted)


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
        episodes=[episode for episode in rows.of_organization(db, organization_id) if episode.told],
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
    _check_figure(db, rule)
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
    if (after.conditions.figure_id, after.website_id) != (before.conditions.figure_id, before.website_id):
        _check_figure(db, after)
    changes = partial(difference, without=("told_at",))
    after = rows.ALERT_RULES.change(db, own.by, own.organization_id, before, after, changes)
    if not after.enabled or after.trigger != before.trigger or after.website_id != before.website_id:
        rows.forget_rule(db, after.id)
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
    episode = rows.find(db, rule_id, subject)
    if episode is None:
        raise errors.NotFound.of("alarm", rule_id, OVER)
    if episode.acknowledged_at is None:
        rows.store_episode(db, replace(episode, acknowledged_at=by.now, acknowledged_by=by.actor, due_at=None))
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
    chosen = choose_channels(db, tools, own.organization_id, own.by, places)
    return replace(rule, channels=chosen.channels, escalation=chosen.escalation)


def _check_figure(db: Connection, rule: AlertRule) -> None:
    """Check that the goal or the funnel of a rate belongs to the rule's website, or to one of its organization. Raises
    BadRequest."""
    if rule.conditions.figure_id is None:
        return
    table = "goals" if rule.conditions.figure == "goal_rate" else "funnels"
    found = db.execute(
        f"""
        -- alerts.check_figure
        select 1 from {table} join websites on websites.id = website_id
        where {table}.id = ? and organization_id = ? and coalesce(?, websites.id) = websites.id
        """,
        (rule.conditions.figure_id, rule.organization_id, rule.website_id),
    )
    if found.fetchone() is None:
        text = _("figureId is not the ID of a goal or funnel of the website")
        raise errors.BadRequest.about("triggerConditions", text)


def _follow(db: Connection, rule: AlertRule, now: int) -> None:
    """Apply new conditions to open and held back alerts."""
    rows.release_now(db, rule.id, now)
    for episode in rows.of_rule(db, rule.id):
        rows.store_episode(db, replace(episode, due_at=rules.due_at(rule.conditions, episode)))
