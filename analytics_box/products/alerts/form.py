"""The form of an alert rule: filled in from a rule, and read as API input. Pure."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.errors import BadRequest
from analytics_box.base.notify.rules import Channel
from analytics_box.base.translation import _
from analytics_box.products.alerts import rules
from analytics_box.products.alerts.alert_rule import (
    CHANNEL,
    DAYS,
    ERROR_ALERTS,
    FIGURES,
    AlertRule,
    Conditions,
    MonitorName,
    QuietHours,
    Trigger,
    What,
    clean_trigger,
)
from analytics_box.products.alerts.rules import TRIGGER_LABELS
from analytics_box.resource import forms

MOST_MONITORS: Final = 300  # that the form lists; groups and tags reach the others
LATER: Final = "later"  # what a channel of the escalation is marked with

_NUMBERS: Final[Mapping[str, tuple[int, int]]] = {
    "minutes": (15, 1_440),
    "min_visitors": (1, 1_000_000),
    "silence_hours": (1, 720),
    "reminder_minutes": (5, 10_080),
    "escalate_after_minutes": (1, 10_080),
    "digest_minutes": (5, 1_440),
}


class AlertFormChoice(Struct, frozen=True):
    """A channel or monitor to choose, with the name of its field. `value` is what is chosen now."""

    field: str
    name: str
    value: str


def message(posted: Mapping[str, str], before: AlertRule | None, channels: Collection[Channel]) -> dict[str, Any]:
    """The API input of the form, by wire names. Raises BadRequest with the wrong field.

    Fields that do not belong to the chosen trigger are ignored.
    """
    trigger = clean_trigger(posted.get("trigger", ""))
    conditions = _conditions(posted, trigger, before.conditions if before is not None else Conditions())
    places = [
        {"type": CHANNEL, "identifier": channel.id}
        | ({"escalation": True} if posted[f"to-{channel.id}"] == LATER else {})
        for channel in channels
        if posted.get(f"to-{channel.id}")
    ]
    if any("escalation" in one for one in places) and conditions.escalate_after_minutes is None:
        raise BadRequest.about("escalate_after_minutes", _("Enter the minutes until escalation"))
    plain = forms.read_posted(posted, AlertRule, posted.get("zone", "") or "UTC", before)
    return plain | {
        "name": plain.get("name") or TRIGGER_LABELS[trigger],
        "websiteId": posted.get("website") or None,
        "triggerType": trigger,
        "triggerConditions": msgspec.to_builtins(conditions),
        "destinations": places,
    }


def values(rule: AlertRule, zone: str) -> dict[str, str]:
    """The initial values of an alert rule's form; `zone` is offered for quiet hours."""
    given, quiet = rule.conditions, rule.conditions.quiet_hours
    shown = forms.fill(rule, zone) | {
        "trigger": rule.trigger,
        "errors": given.errors or "",
        "figure": ":".join(one for one in (given.figure, given.figure_id) if one),
        "website": rule.website_id or "",
        "zone": zone,
        "groups": ", ".join(given.groups),
        "tags": ", ".join(given.tags),
        "threshold": "" if given.threshold is None else f"{given.threshold:g}",
        **{name: str(value) for name in _NUMBERS if (value := getattr(given, name)) is not None},
        **{f"monitor-{monitor}": "on" for monitor in given.monitor_ids},
        **{f"event-{what}": "on" for what in given.events or rules.USUAL},
        **{f"to-{channel}": "now" for channel in rule.channels},
        **{f"to-{channel}": LATER for channel in rule.escalation},
    }
    if quiet is not None:
        shown |= {"start": quiet.start, "end": quiet.end, "zone": quiet.time_zone}
        shown |= {f"day-{day}": "on" for day in quiet.days}
        if "down" in quiet.through:
            shown["through"] = "on"
    return shown


def empty(zone: str, trigger: str, channels: Sequence[Channel]) -> dict[str, str]:
    """The initial values of a new alert rule's form: the only channel is chosen."""
    shown = {"trigger": trigger if trigger in rules.DEFAULTS else "uptime", "zone": zone}
    shown |= {f"event-{what}": "on" for what in rules.USUAL}
    return shown | ({f"to-{channels[0].id}": "now"} if len(channels) == 1 else {})


def monitor_choices(monitors: Sequence[MonitorName], fields: Mapping[str, str]) -> list[AlertFormChoice]:
    """The monitors that the form lists: those that are chosen, however many, then others by name."""
    found = [AlertFormChoice(f"monitor-{one.id}", one.name, fields.get(f"monitor-{one.id}", "")) for one in monitors]
    found.sort(key=lambda choice: (not choice.value, choice.name.casefold()))
    return found[: max(MOST_MONITORS, sum(bool(choice.value) for choice in found))]


def channel_choices(channels: Sequence[Channel], fields: Mapping[str, str]) -> list[AlertFormChoice]:
    """The channels, and how each is chosen: now, later or not."""
    return [
        AlertFormChoice(
            f"to-{channel.id}",
            channel.name if channel.enabled else _("{name} (disabled)").format(name=channel.name),
            fields.get(f"to-{channel.id}", ""),
        )
        for channel in channels
    ]


def _conditions(fields: Mapping[str, str], trigger: Trigger, before: Conditions) -> Conditions:
    found = Conditions(
        reminder_minutes=_number(fields, "reminder_minutes"),
        escalate_after_minutes=_number(fields, "escalate_after_minutes"),
        digest_minutes=_number(fields, "digest_minutes"),
        quiet_hours=_quiet(fields, before.quiet_hours),
    )
    if trigger == "uptime":
        events = tuple(what for what in rules.OFFERED if f"event-{what}" in fields)
        if not events:
            raise BadRequest.about("events", _("Select at least one event"))
        return replace(
            found,
            monitor_ids=tuple(name.removeprefix("monitor-") for name in fields if name.startswith("monitor-")),
            groups=_list(fields, "groups"),
            tags=_list(fields, "tags"),
            events=() if set(events) == set(rules.USUAL) else events,
        )
    if trigger == "first_event":
        return replace(found, silence_hours=_number(fields, "silence_hours"))
    compares = trigger in {"traffic_spike", "traffic_drop"}
    name, _colon, target = fields.get("figure", "").partition(":")
    figure = next((one for one in FIGURES if compares and one == name), None)
    kind = next((one for one in ERROR_ALERTS if trigger == "error_rate" and one == fields.get("errors")), None)
    return replace(
        found,
        errors=kind,
        figure=figure,
        figure_id=target or None if figure is not None else None,
        threshold=_percent(fields, most=10_000 if trigger == "traffic_spike" or kind else 100),
        minutes=_number(fields, "minutes") if figure is None else None,
        min_visitors=_number(fields, "min_visitors"),
    )


def _quiet(fields: Mapping[str, str], before: QuietHours | None) -> QuietHours | None:
    """The quiet hours, where a begin or an end was typed. What else goes through, by the API, stays as it was."""
    start, end = fields.get("start", "").strip()[:5], fields.get("end", "").strip()[:5]
    if not (start or end):
        return None
    for name, clock in (("start", start), ("end", end)):
        if not _is_clock(clock):
            raise BadRequest.about(name, _("Enter a time such as 22:00 in both fields"))
    zone = fields.get("zone", "").strip() or "UTC"
    others: tuple[What, ...] = tuple(what for what in (before.through if before is not None else ()) if what != "down")
    down: tuple[What, ...] = ("down",) if "through" in fields else ()
    quiet = QuietHours(
        start=start,
        end=end,
        time_zone=zone,
        days=tuple(day for day in DAYS if f"day-{day}" in fields),
        through=(*down, *others),
    )
    if not rules.is_zone(zone):
        raise BadRequest.about("zone", _("Unknown time zone. Enter a name such as Europe/Berlin"))
    return quiet


def _is_clock(text: str) -> bool:
    hours, _rest, minutes = text.partition(":")
    return (
        len(text) == 5
        and hours.isdecimal()
        and minutes.isdecimal()
        and text.isascii()
        and hours < "24"
        and minutes < "60"
    )


def _list(fields: Mapping[str, str], name: str) -> tuple[str, ...]:
    """Names that were separated by commas, each once."""
    found = tuple(dict.fromkeys(part for text in fields.get(name, "").split(",") if (part := text.strip())))
    if len(found) > 100 or any(len(part) > 100 for part in found):
        raise BadRequest.about(name, _("Enter up to 100 names of up to 100 characters"))
    return found


def _number(fields: Mapping[str, str], name: str) -> int | None:
    text, (least, most) = fields.get(name, "").strip(), _NUMBERS[name]
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 9 and least <= int(text) <= most):
        raise BadRequest.about(
            name, _("Enter a whole number from {least} to {most}, or leave it blank").format(least=least, most=most)
        )
    return int(text)


def _percent(fields: Mapping[str, str], *, most: int) -> float | None:
    text = fields.get("threshold", "").strip().removesuffix("%").strip().replace(",", ".")
    if not text:
        return None
    whole, _rest, part = text.partition(".")
    if not (text.isascii() and whole.isdecimal() and (not part or part.isdecimal()) and 0 < float(text) <= most):
        raise BadRequest.about(
            "threshold",
            _("Enter a percentage above 0 and up to {most}, such as 5 or 12.5, or leave it blank").format(most=most),
        )
    return float(text)
