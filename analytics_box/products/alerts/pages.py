"""The pages under /alerts: the list, the form, and what is going on. They do what the procedures do."""

from collections.abc import Mapping
from functools import partial

from litestar.params import FromPath

from analytics_box.base import errors, figures
from analytics_box.base.notify import change as channels
from analytics_box.base.notify.rules import Channel
from analytics_box.base.translation import _
from analytics_box.products.alerts import calls as procedures
from analytics_box.products.alerts import change, form, view
from analytics_box.products.alerts.alert_rule import TRIGGERS, AlertRule
from analytics_box.products.alerts.calls import AcknowledgeAlert, AlertRuleId, ChangedAlertRule, NewAlertRule
from analytics_box.products.alerts.monitored import MonitorsOfOrganization
from analytics_box.products.alerts.rows import rates_of
from analytics_box.products.alerts.rules import FIGURE_LABELS, RATES, TRIGGER_LABELS, USUAL
from analytics_box.resource.reach import reach
from analytics_box.tenants.tenancy.messages import message_of
from analytics_box.tenants.websites.directory import Directory
from analytics_box.web.page.edits import FIELD, check_version, version_of
from analytics_box.web.page.visit import Again, Answer, Next, Page, PageRequest, Visitor

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
_FIELDS = {"triggerType": "trigger", "triggerConditions": "escalate_after_minutes", "websiteId": "website"}


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
        rules=[view.row(rule, found.channels, _websites(visit), person) for rule in found.rules],
        going=[
            view.going(episode, names[episode.rule_id], person, visit.call.now)
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


async def new_rule_form(visit: Visitor) -> Page:
    """GET /alerts/new, with ?type= of what it is about."""
    own = await _channels(visit)
    values = form.empty(visit.person.time_zone, visit.asked("type"), own)
    return await _form(visit, Again(values=values))


async def add_rule(visit: Visitor) -> Answer:
    """POST /alerts/new."""
    fields, own = await visit.form(), await _channels(visit)

    async def save() -> str:
        given = message_of(form.message(fields, None, own), NewAlertRule, _("Invalid input: {message}"))
        await procedures.create(visit.call, given)
        return f"{HOME}?done=created"

    return await visit.submit(save, _form, values=fields)


async def edit_rule_form(visit: Visitor, alarm_id: FromPath[str]) -> Page:
    """GET /alerts/{id}. Raises NotFound."""
    rule = await _find(visit, alarm_id)
    return await _form(visit, Again(values=form.values(rule, visit.person.time_zone)), rule=rule)


async def save_rule(visit: Visitor, alarm_id: FromPath[str]) -> Answer:
    """POST /alerts/{id}. Raises NotFound."""
    fields, own, rule = await visit.form(), await _channels(visit), await _find(visit, alarm_id)

    async def save() -> str:
        check_version(fields, rule, without=_CHANGED_BY_USE)
        given = form.message(fields, rule, own) | {"alarmId": alarm_id}
        await procedures.update(visit.call, message_of(given, ChangedAlertRule, _("Invalid input: {message}")))
        return f"{HOME}?done=saved"

    return await visit.submit(save, partial(_form, rule=rule), values=fields)


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


async def _form(visit: PageRequest, again: Again, *, rule: AlertRule | None = None) -> Page:
    """The form of a new alert rule, or of one that there is."""
    own, organization = await _channels(visit), visit.person.organization_id
    monitors = visit.parts[MonitorsOfOrganization].of(organization)
    choices = form.monitor_choices(monitors, again.values)
    websites, chosen = _websites(visit), again.values.get("website", "")
    wrong = {_FIELDS.get(name, name): message for name, message in again.wrong.items()}
    return visit.settings_page(
        "alert_rule_form.html",
        "alerts",
        values={FIELD: version_of(rule, without=_CHANGED_BY_USE) if rule is not None else ""},
        again=Again(again.code, again.values, wrong, again.general),
        rule=rule,
        triggers=TRIGGERS,
        websites=websites if not chosen or chosen in websites else {**websites, chosen: _("Deleted website")},
        monitors=choices,
        more_monitors=len(monitors) > len(choices),
        groups=sorted({one.group for one in monitors if one.group}),
        tags=sorted({tag for one in monitors for tag in one.tags}),
        channels=form.channel_choices(own, again.values),
        trigger_labels=TRIGGER_LABELS,
        figures=await _figures(visit, websites, again.values.get("figure", "")),
        changed=_changed_labels(again.values),
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
