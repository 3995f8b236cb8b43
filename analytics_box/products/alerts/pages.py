"""The pages under /alerts: the list, the form, and what is going on. They do what the procedures do."""

from collections.abc import Mapping, Sequence
from typing import Final

from litestar.params import FromPath
from msgspec import Struct

from analytics_box.base import errors, figures
from analytics_box.base.clock import HOUR, MINUTE
from analytics_box.base.identity import SignedInPerson
from analytics_box.base.notify import change as channels
from analytics_box.base.notify.rules import Channel
from analytics_box.base.translation import _, ngettext
from analytics_box.products.alerts import calls as procedures
from analytics_box.products.alerts import change, form, messages, rules
from analytics_box.products.alerts.alert_rule import TRIGGERS, AlertRule, Conditions, Episode, MonitorsOfOrganization
from analytics_box.products.alerts.calls import AcknowledgeAlert, AlertRuleId, ChangedAlertRule, NewAlertRule
from analytics_box.products.alerts.rows import rates_of
from analytics_box.products.alerts.rules import FIGURE_LABELS, RATES, TRIGGER_LABELS, USUAL
from analytics_box.resource.reach import reach
from analytics_box.tenants.accounts.preferences import zone_groups
from analytics_box.tenants.tenancy.messages import message_of
from analytics_box.tenants.websites.directory import Directory
from analytics_box.web.page import dates
from analytics_box.web.page.edits import FIELD, version_of
from analytics_box.web.page.resource_form import Form, FormPages
from analytics_box.web.page.visit import Again, Answer, Next, Page, PageRequest, Visitor

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


_DONE = {
    "created": _("Alert rule created. Send a test to check that it arrives."),
    "saved": _("Alert rule saved."),
    "on": _("Alert rule enabled."),
    "off": _("Alert rule disabled."),
    "deleted": _("Alert rule deleted."),
    "acknowledged": _("Alert acknowledged. Reminders and escalation have stopped."),
}


HOME = "/alerts"
# An alert that is sent while someone edits its rule is no conflict.
_CHANGED_BY_USE = ("told_at",)
# Fields of the form under Advanced whose value is a change from the default.
_ADVANCED = {
    "description": _("Description"),
    "groups": _("Groups"),
    "tags": _("Tags"),
    "threshold": _("Threshold (%)"),
    "minutes": _("Window (minutes)"),
    "min_visitors": _("Minimum visitors"),
    "silence_hours": _("Silence (hours)"),
    "reminder_minutes": _("Reminders"),
    "digest_minutes": _("Digest"),
    "escalate_after_minutes": _("Escalation"),
    "start": _("Quiet hours"),
}


async def list_page(visit: Visitor) -> Page:
    """GET /alerts."""
    return await alert_rules_page(visit, Again(), done=_DONE.get(visit.asked("done"), ""))


async def alert_rules_page(visit: PageRequest, again: Again, *, done: str = "") -> Page:
    """The list of alert rules and what is going on; `general` of a form says what went wrong."""
    person, own = visit.person, reach(visit.call)
    found = await visit.call.read(lambda db: change.list_alert_rules(db, own))
    names = {rule.id: rule.name for rule in found.rules}
    return visit.settings_page(
        "alert_rules.html",
        "alerts",
        again=again,
        rules=[row(rule, found.channels, _websites(visit), person) for rule in found.rules],
        going=[
            going(episode, names[episode.rule_id], person, visit.call.now)
            for episode in found.episodes
            if episode.rule_id in names
        ],
        channels=len(found.channels),
        editable=found.changeable,
        acknowledges=person.may("member"),
        done=done,
    )


async def former_page(visit: Visitor) -> Next:
    """GET /alarms and the pages under it: redirect to the same page under /alerts."""
    url = visit.request.url
    path = HOME + url.path.removeprefix("/alarms")
    return visit.go(f"{path}?{url.query}" if url.query else path)


async def confirm(visit: Visitor, alarm_id: FromPath[str], action: FromPath[str]) -> Page:
    """GET /alerts/{id}/delete: are you sure? Raises NotFound."""
    if action != "delete":
        raise errors.NotFound(_("This page does not exist"))
    rule = await _find(visit, alarm_id)
    return visit.confirm(
        "alerts",
        title=_("Delete alert rule"),
        text=_("{name} will no longer send alerts. Its channels are kept.").format(name=figures.visible(rule.name)),
        action=f"{HOME}/{rule.id}/delete",
        back=HOME,
    )


async def act(visit: Visitor, alarm_id: FromPath[str], action: FromPath[str]) -> Answer:
    """POST /alerts/{id}/{test, on, off, delete or acknowledge}. Raises NotFound."""
    call = visit.call
    match action:
        case "test":
            return await _test(visit, alarm_id)
        case "on" | "off":
            await procedures.update(call, ChangedAlertRule(alarmId=alarm_id, enabled=action == "on"))
            return visit.go(f"{HOME}?done={action}")
        case "delete":
            await procedures.delete(call, AlertRuleId(alarm_id))
            return visit.go(f"{HOME}?done=deleted")
        case "acknowledge":
            fields = await visit.form()
            await procedures.acknowledge(call, AcknowledgeAlert(alarm_id, fields.get("subject", "")[:255]))
            return visit.go(f"{HOME}?done=acknowledged")
        case _:
            raise errors.NotFound(_("This page does not exist"))


async def _test(visit: PageRequest, rule_id: str) -> Page:
    tried = await procedures.try_now(visit.call, rule_id)
    wrong = [f"{channel.name}: {outcome.error}" for channel, outcome in tried if outcome.error]
    if wrong or not tried:
        failed = _("The test did not arrive. {errors}").format(
            errors="; ".join(wrong) or _("Choose at least one channel.")
        )
        return await alert_rules_page(visit, Again(general=failed))
    names = ", ".join(channel.name for channel, _rest in tried)
    return await alert_rules_page(visit, Again(), done=_("The test arrived: {channels}.").format(channels=names))


async def _find_any(visit: PageRequest) -> tuple[list[Channel], AlertRule | None]:
    """The channels of the organization, and the alert rule that an address names; None for a new one."""
    rule_id = visit.path("alarm_id")
    return await _channels(visit), await _find(visit, rule_id) if rule_id else None


def _fill(visit: PageRequest, own: list[Channel], rule: AlertRule | None) -> Form:
    zone = visit.person.time_zone
    return form.empty(zone, visit.asked("type"), own) if rule is None else form.values(rule, zone)


async def _save(visit: PageRequest, own: list[Channel], rule: AlertRule | None, fields: Form) -> str:
    given = form.message(fields, rule, own)
    if rule is None:
        await procedures.create(visit.call, message_of(given, NewAlertRule))
        return f"{HOME}?done=created"
    given |= {"alarmId": rule.id}
    await procedures.update(visit.call, message_of(given, ChangedAlertRule))
    return f"{HOME}?done=saved"


async def _show(visit: PageRequest, own: list[Channel], rule: AlertRule | None, again: Again) -> Page:
    """The form of a new alert rule, or of one that there is."""
    organization = visit.person.organization_id
    monitors = visit.parts[MonitorsOfOrganization].of(organization)
    choices = form.monitor_choices(monitors, again.values)
    websites, chosen = _websites(visit), again.values.get("website", "")
    return visit.settings_page(
        "alert_rule_form.html",
        "alerts",
        values={FIELD: version_of(rule, without=_CHANGED_BY_USE) if rule is not None else ""},
        again=again,
        rule=rule,
        triggers=TRIGGERS,
        websites=websites if not chosen or chosen in websites else {**websites, chosen: _("Deleted website")},
        monitors=choices,
        more_monitors=len(monitors) > len(choices),
        groups=sorted({one.group for one in monitors if one.group}),
        tags=sorted({tag for one in monitors for tag in one.tags}),
        channels=form.channel_choices(own, again.values),
        trigger_labels=TRIGGER_LABELS,
        zones=zone_groups(again.values.get("zone", ""), visit.person.time_zone),
        figures=await _figures(visit, websites, again.values.get("figure", "")),
        changed=_changed_labels(again.values),
    )


RULE: Final = FormPages(
    find=_find_any,
    fill=_fill,
    show=_show,
    save=_save,
    names={"triggerType": "trigger", "triggerConditions": "escalate_after_minutes", "websiteId": "website"},
    unversioned=_CHANGED_BY_USE,
)


def _changed_labels(values: Mapping[str, str]) -> list[str]:
    """The labels of advanced settings that differ from the defaults, as the summary of the form names them."""
    trigger = values.get("trigger", "uptime")
    found = [_("Name")] if values.get("name", "") not in {"", TRIGGER_LABELS.get(trigger)} else []
    found += [label for name, label in _ADVANCED.items() if values.get(name)]
    events = {name.removeprefix("event-") for name, value in values.items() if name.startswith("event-") and value}
    if trigger == "uptime" and events and events != {*USUAL}:
        found.append(_("Events"))
    if any(value for name, value in values.items() if name.startswith("day-")):
        found.append(_("Days"))
    return found


async def _channels(visit: PageRequest) -> list[Channel]:
    organization = visit.person.organization_id
    return await visit.call.read(lambda db: channels.of(db, organization))


async def _figures(visit: PageRequest, websites: Mapping[str, str], chosen: str) -> list[tuple[str, str]]:
    """The figures to choose from: values of the form and their labels, with the goals and funnels of the websites, and
    a chosen one that is no longer there."""
    found = await visit.call.read(lambda db: rates_of(db, visit.person.organization_id))
    plain = [(name, label) for name, label in FIGURE_LABELS.items() if name not in RATES]
    rates: list[tuple[str, str]] = [
        (f"{figure}:{target}", f"{FIGURE_LABELS[figure]}: {name} ({websites[website]})")
        for figure, target, name, website in found
        if website in websites
    ]
    found_all = [("", _("Visitors")), *plain, *rates]
    return found_all if chosen in dict(found_all) else [*found_all, (chosen, _("Deleted or inactive goal or funnel"))]


def _websites(visit: PageRequest) -> dict[str, str]:
    return {one.id: one.name for one in visit.parts[Directory].of(visit.person.organization_id)}


async def _find(visit: PageRequest, rule_id: str) -> AlertRule:
    own = reach(visit.call)
    return await visit.call.read(lambda db: change.existing(db, own, rule_id))
