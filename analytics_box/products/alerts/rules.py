"""Valid alert rules, and the occurrences that they match. Pure."""

from collections.abc import Collection, Mapping
from typing import Final
from zoneinfo import ZoneInfo

from msgspec import Struct

from analytics_box.base.clock import MINUTE
from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _
from analytics_box.products.alerts.alert_rule import (
    OF_MONITORS,
    AlertRule,
    Conditions,
    Episode,
    Figure,
    Occurrence,
    QuietHours,
    Trigger,
    What,
)

TRIGGER_LABELS: Final[Mapping[str, str]] = {
    "uptime": _("Monitor outages"),
    "traffic_spike": _("Traffic spike"),
    "traffic_drop": _("Traffic drop"),
    "error_rate": _("Error rate"),
    "first_event": _("First event after silence"),
}
BEGINS: Final[frozenset[What]] = frozenset(
    ("down", "degraded", "flapping", "traffic_spike", "traffic_drop", "error_rate")
)
ENDS: Final[frozenset[What]] = frozenset(("recovered", "stable"))
OFFERED: Final[tuple[What, ...]] = ("down", "recovered", "degraded", "flapping", "stable", "certificate", "domain")
USUAL: Final[tuple[What, ...]] = ("down", "recovered", "flapping", "stable", "certificate", "domain")


class Usual(Struct, frozen=True):
    """The defaults of a trigger."""

    threshold: float = 0
    minutes: int = 0
    min_visitors: int = 0
    silence_hours: int = 0


DEFAULTS: Final[dict[Trigger, Usual]] = {
    "uptime": Usual(),
    "traffic_spike": Usual(threshold=100, minutes=60, min_visitors=30),
    "traffic_drop": Usual(threshold=50, minutes=60, min_visitors=30),
    "error_rate": Usual(threshold=5, minutes=60, min_visitors=30),
    "first_event": Usual(silence_hours=24),
}
# The defaults of alerts about error groups.
OF_ERRORS: Final[dict[str, Usual]] = {
    "new": Usual(minutes=60, min_visitors=1),
    "rising": Usual(threshold=100, minutes=60, min_visitors=10),
}
# The defaults of alerts on figures of whole days.
OF_FIGURES: Final = Usual(threshold=30, min_visitors=100)
FIGURE_LABELS: Final[Mapping[Figure, str]] = {
    "goal_rate": _("Goal rate"),
    "funnel_rate": _("Funnel conversion rate"),
    "not_found_views": _("404 views"),
    "lcp_p75": _("LCP (75th percentile)"),
    "inp_p75": _("INP (75th percentile)"),
    "mcp_error_rate": _("MCP error rate"),
    "mcp_p95": _("MCP duration (95th percentile)"),
    "revenue": _("Revenue"),
    "failed_payments": _("Failed payments"),
}
# Figures that need a goal or a funnel.
RATES: Final[tuple[Figure, ...]] = ("goal_rate", "funnel_rate")
_OF_MONITORS: Final = ("monitor_ids", "groups", "tags", "events")
_ONLY: Final[dict[str, tuple[Trigger, ...]]] = {
    **dict.fromkeys(_OF_MONITORS, ("uptime",)),
    **dict.fromkeys(("threshold", "minutes", "min_visitors"), ("traffic_spike", "traffic_drop", "error_rate")),
    "silence_hours": ("first_event",),
    "errors": ("error_rate",),
    **dict.fromkeys(("figure", "figure_id"), ("traffic_spike", "traffic_drop")),
}
_WIRE: Final = {
    "monitor_ids": "monitorIds",
    "min_visitors": "minVisitors",
    "silence_hours": "silenceHours",
    "figure_id": "figureId",
}


def check(trigger: Trigger, conditions: Conditions, *, escalates: bool) -> None:
    """Raises BadRequest for conditions that do not go with the trigger, or with each other."""
    for field, triggers in _ONLY.items():
        if getattr(conditions, field) not in {None, ()} and trigger not in triggers:
            name = _WIRE.get(field, field)
            raise BadRequest.about(
                "triggerConditions",
                _("{name} is for alert rules of type {triggers}").format(name=name, triggers=" or ".join(triggers)),
            )
    strange = sorted(set(conditions.events).difference(OFFERED))
    if strange:
        raise BadRequest.about("triggerConditions", _("{strange} is not a monitor event").format(strange=strange[0]))
    if trigger == "traffic_drop" and (conditions.threshold or 0) > 100:
        raise BadRequest.about("triggerConditions", _("Enter a threshold of up to 100 percent"))
    if conditions.figure is not None and conditions.minutes is not None:
        raise BadRequest.about("triggerConditions", _("Figures of whole days have no window. Omit minutes"))
    if (conditions.figure in RATES) != (conditions.figure_id is not None):
        raise BadRequest.about("triggerConditions", _("A rate needs the id of its goal or funnel in figureId"))
    if conditions.errors == "new" and conditions.threshold is not None:
        raise BadRequest.about("triggerConditions", _("New errors have no threshold"))
    if trigger == "error_rate" and conditions.errors is None and (conditions.threshold or 0) > 100:
        raise BadRequest.about("triggerConditions", _("Enter a threshold of up to 100 percent"))
    if escalates and conditions.escalate_after_minutes is None:
        raise BadRequest.about("triggerConditions", _("Enter escalateAfterMinutes"))
    if conditions.escalate_after_minutes is not None and not escalates:
        raise BadRequest.about("destinations", _("Mark a destination with escalation, or omit escalateAfterMinutes"))
    if conditions.quiet_hours is not None:
        _check_quiet(conditions.quiet_hours)


def _check_quiet(quiet: QuietHours) -> None:
    if not is_zone(quiet.time_zone):
        raise BadRequest.about("triggerConditions", _("Enter an IANA time zone for quiet hours"))


def is_zone(name: str) -> bool:
    """Whether there is an IANA time zone of this name."""
    try:
        ZoneInfo(name)
    except (ValueError, OSError, LookupError):
        return False
    return True


def matches(rule: AlertRule, occurrence: Occurrence) -> bool:
    """Whether an alert rule is about this, apart from whether it wants to be told of its kind."""
    if rule.organization_id != occurrence.organization_id:
        return False
    if rule.website_id is not None and rule.website_id != occurrence.website_id:
        return False
    if occurrence.what not in OF_MONITORS:
        return rule.trigger == occurrence.what
    return rule.trigger == "uptime" and _is_of(rule.conditions, occurrence)


def _is_of(conditions: Conditions, occurrence: Occurrence) -> bool:
    """Whether the monitor is among those of an alert rule; without conditions all are."""
    if not (conditions.monitor_ids or conditions.groups or conditions.tags):
        return True
    return (
        occurrence.monitor_id in conditions.monitor_ids
        or (occurrence.group != "" and _share_a_name(conditions.groups, (occurrence.group,)))
        or _share_a_name(conditions.tags, occurrence.tags)
    )


def _share_a_name(wanted: Collection[str], there: Collection[str]) -> bool:
    """Whether two sets of names share one, without regard to case."""
    return not {name.casefold() for name in wanted}.isdisjoint(name.casefold() for name in there)


def wants(rule: AlertRule, occurrence: Occurrence) -> bool:
    """Whether a rule tells this kind of occurrence. What flapping ends with counts as what it is then as well."""
    if tells(rule, occurrence.what):
        return True
    return occurrence.what == "stable" and tells(rule, occurrence.still or "recovered")


def tells(rule: AlertRule, what: What) -> bool:
    """Whether this is among what an alert rule tells."""
    return what not in OF_MONITORS or what in (rule.conditions.events or USUAL)


def begins(occurrence: Occurrence) -> What | None:
    """The kind of alert that this occurrence opens; None if it opens none."""
    if occurrence.what in ENDS:
        return occurrence.still
    return occurrence.what if occurrence.what in BEGINS else None


def due_at(conditions: Conditions, episode: Episode) -> int | None:
    """The time of the next action for an open alert: a reminder or the escalation. UTC ms."""
    if not episode.told or episode.acknowledged_at is not None:
        return None
    times = []
    if conditions.reminder_minutes is not None:
        times.append(episode.reminded_at + conditions.reminder_minutes * MINUTE)
    if episode.escalates_at is not None and not episode.escalated:
        times.append(episode.escalates_at)
    return min(times, default=None)
