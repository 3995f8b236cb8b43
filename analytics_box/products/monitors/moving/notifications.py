"""Alert rules for the notifications of an imported file, in the caller's transaction.

Channels are never created: their secrets are not in every file, and nothing is sent to an address that nobody entered
here.
"""

from collections.abc import Sequence

from analytics_box.base.notify import change as channels
from analytics_box.base.notify.change import ChannelTools
from analytics_box.base.notify.rules import Channel
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.alerts import change
from analytics_box.products.alerts.alert_rule import CHANNEL, AlertRule, Conditions, Destination
from analytics_box.products.monitors.moving.wanted import ImportNotification
from analytics_box.resource.reach import Reach

_MOST = 1_000  # monitors that a rule can name


def follow(
    db: Connection,
    tools: ChannelTools,
    acting: Reach,
    notification: ImportNotification,
    monitor_ids: Sequence[str],
    *,
    creates: bool,
    dry: bool,
) -> str:
    """Create an alert rule for a notification, unless one exists or no channel matches; the note about it.

    Raises Forbidden or Conflict.
    """
    seen = change.list_alert_rules(db, acting)
    channel = _matching(channels.of(db, acting.organization_id), notification)
    names = {"name": notification.name, "kind": notification.kind}
    if channel is None:
        return _("Notification {name}: no matching {kind} channel. Add one, then import the file again.").format(
            **names
        )
    names |= {"channel": channel.name}
    rule = next((one for one in seen.alarms if _covers(one, channel, monitor_ids)), None)
    if rule is not None:
        return _("Notification {name}: the alert rule {rule} already notifies {channel}.").format(
            **names, rule=rule.name
        )
    if not monitor_ids:
        return _("Notification {name}: matches the channel {channel}, but no monitor uses it.").format(**names)
    if not creates:
        return _("Notification {name}: an administrator can create an alert rule for the channel {channel}.").format(
            **names
        )
    if dry:
        return _("Notification {name}: a new alert rule will notify {channel}.").format(**names)
    values = {
        "name": notification.name,
        "trigger": "uptime",
        "conditions": Conditions(monitor_ids=tuple(monitor_ids[:_MOST])),
    }
    made = change.create(db, tools, acting, values, (Destination(CHANNEL, channel.id),))
    return _("Notification {name}: the new alert rule {rule} notifies {channel}.").format(**names, rule=made.name)


def _matching(known: Sequence[Channel], notification: ImportNotification) -> Channel | None:
    """The channel of this kind and name, else the only channel of this kind."""
    same = [one for one in known if one.kind == notification.kind]
    named = [one for one in same if one.name.casefold() == notification.name.casefold()]
    return named[0] if named else same[0] if len(same) == 1 else None


def _covers(rule: AlertRule, channel: Channel, monitor_ids: Sequence[str]) -> bool:
    """Whether a rule notifies this channel of outages of all these monitors."""
    about = rule.conditions
    is_about_all = not (about.monitor_ids or about.groups or about.tags) and rule.website_id is None
    is_used = rule.enabled and rule.trigger == "uptime" and channel.id in rule.channels
    return is_used and (is_about_all or {*monitor_ids} <= {*about.monitor_ids})
