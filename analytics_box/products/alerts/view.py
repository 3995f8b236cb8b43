"""Alert rules as the list shows them. Pure but for the time zone."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from analytics_box.base.clock import HOUR, MINUTE
from analytics_box.base.identity import SignedInPerson
from analytics_box.base.notify.rules import Channel
from analytics_box.base.translation import _, ngettext
from analytics_box.products.alerts import messages, rules
from analytics_box.products.alerts.alert_rule import AlertRule, Conditions, Episode
from analytics_box.web.page import dates

_LIMITS = {
    "traffic_spike": _("{threshold} % more than usual in {window}"),
    "traffic_drop": _("{threshold} % less than usual in {window}"),
    "new": _("new errors in {window}"),
    "rising": _("errors that affect {threshold} % more sessions than usual in {window}"),
    "error_rate": _("more than {threshold} % of the sessions of {window}"),
}


class Going(Struct, frozen=True):
    """Something that goes on: what an alert rule said of it, since when, and whether someone looks after it."""

    rule_id: str
    subject: str
    title: str
    note: str
    acknowledged: str


class AlertRuleRow(Struct, frozen=True):
    """An alert rule in the list."""

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
    rule: AlertRule, channels: Mapping[str, Channel], websites: Mapping[str, str], person: SignedInPerson
) -> AlertRuleRow:
    """An alert rule for this reader; `websites` are names by id."""
    return AlertRuleRow(
        id=rule.id,
        name=rule.name,
        description=rule.description,
        enabled=rule.enabled,
        trigger=rules.TRIGGER_LABELS[rule.trigger],
        about=about(rule, websites),
        to=_to(rule, channels),
        leads=any(channel in channels for channel in rule.channels),
        last=_("No alerts sent yet.")
        if rule.told_at is None
        else _("Last alert {when}.").format(when=dates.moment(rule.told_at, person)),
    )


def going(episode: Episode, name: str, person: SignedInPerson, now: int) -> Going:
    """Something that goes on, for this reader; `name` is the alert rule's."""
    since = dates.moment(episode.began, person)
    return Going(
        rule_id=episode.rule_id,
        subject=episode.subject,
        title=messages.parse_occurrence(episode.occurrence).title,
        note=_("{name}. Since {when}, for {duration}.").format(
            name=name, when=since, duration=messages.duration(now - episode.began)
        ),
        acknowledged=""
        if episode.acknowledged_at is None
        else _("Acknowledged {when}.").format(when=dates.moment(episode.acknowledged_at, person)),
    )


def about(rule: AlertRule, websites: Mapping[str, str]) -> str:
    """The subject of an alert rule, in a few words."""
    website = "" if rule.website_id is None else websites.get(rule.website_id, _("Deleted website"))
    parts = [website or ("" if rule.trigger == "uptime" else _("All websites"))]
    if rule.trigger == "uptime":
        parts.append(_monitors(rule.conditions))
    elif rule.trigger == "first_event":
        usual = rules.DEFAULTS[rule.trigger]
        silence = rule.conditions.silence_hours or usual.silence_hours
        parts.append(_("after {duration} without an event").format(duration=messages.duration(silence * HOUR)))
    else:
        kind, figure = rule.conditions.errors, rule.conditions.figure
        usual = rules.OF_ERRORS[kind] if kind else rules.OF_FIGURES if figure else rules.DEFAULTS[rule.trigger]
        parts += [rules.FIGURE_LABELS[figure]] if figure else []
        parts.append(
            _LIMITS[kind or rule.trigger].format(
                threshold=f"{rule.conditions.threshold or usual.threshold:g}",
                window=_("a day") if figure else messages.duration((rule.conditions.minutes or usual.minutes) * MINUTE),
            )
        )
    return ", ".join(part for part in parts if part)


def _monitors(conditions: Conditions) -> str:
    parts = []
    if conditions.monitor_ids:
        count = len(conditions.monitor_ids)
        parts.append(ngettext("1 monitor", "{count} monitors", count).format(count=count))
    if conditions.groups:
        parts.append(_("group {names}").format(names=", ".join(conditions.groups)))
    if conditions.tags:
        parts.append(_("tag {names}").format(names=", ".join(conditions.tags)))
    return ", ".join(parts) or _("all monitors")


def _to(rule: AlertRule, channels: Mapping[str, Channel]) -> str:
    """Its destinations; empty if no channel is left."""
    now = _names(rule.channels, channels)
    if not now:
        return _("No channels. Choose at least one.")
    later, minutes = _names(rule.escalation, channels), rule.conditions.escalate_after_minutes
    parts = [_("Notifies {channels}").format(channels=now)]
    if later and minutes is not None:
        parts.append(
            _("escalates to {channels} after {duration}").format(
                duration=messages.duration(minutes * MINUTE), channels=later
            )
        )
    return ", ".join(parts)


def _names(ids: Sequence[str], channels: Mapping[str, Channel]) -> str:
    found = [channels[one] for one in ids if one in channels]
    return ", ".join(one.name if one.enabled else _("{name} (disabled)").format(name=one.name) for one in found)
