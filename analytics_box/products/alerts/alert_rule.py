"""Alert rules: triggers, conditions, quiet hours and destinations, each field declared once; and what they report on.
Pure.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Final, Literal, get_args

from msgspec import Meta, Struct

from analytics_box.base import names
from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _
from analytics_box.resource.fields import Field, Stamp, date, or_null

What = Literal[
    # of monitors
    "down",
    "recovered",
    "degraded",
    "flapping",
    "stable",
    "certificate",
    "domain",
    # of the traffic of a website
    "traffic_spike",
    "traffic_drop",
    "error_rate",
    "first_event",
]
OF_MONITORS: frozenset[What] = frozenset(
    ("down", "recovered", "degraded", "flapping", "stable", "certificate", "domain")
)


def monitor_subject(monitor_id: str) -> str:
    """The subject of alerts about a monitor."""
    return f"monitor:{monitor_id}"


class Occurrence(Struct, frozen=True, kw_only=True):
    """Something that happened. `topic` is the same whenever the same is told again, so that it is sent once.

    `subject` names what it is about over time (`monitor:ID`, `website:ID`): a recovery ends the reminders of what went
    before. `at` is UTC ms; `fields` are label and value for people; `url` leads to its page. `still` is what goes on
    all the same: a monitor that was flapping may be stable and down.
    """

    topic: str
    subject: str
    what: What
    organization_id: str
    at: int
    title: str
    text: str
    fields: tuple[tuple[str, str], ...] = ()
    url: str = ""
    website_id: str | None = None
    monitor_id: str | None = None
    still: What | None = None
    group: str = ""
    tags: tuple[str, ...] = ()


Trigger = Literal["uptime", "traffic_spike", "traffic_drop", "error_rate", "first_event"]
# Alerts about a figure of whole days instead of visitors.
Figure = Literal[
    "goal_rate",
    "funnel_rate",
    "not_found_views",
    "lcp_p75",
    "inp_p75",
    "mcp_error_rate",
    "mcp_p95",
    "revenue",
    "failed_payments",
]
# Alerts about error groups instead of the error rate.
ErrorAlert = Literal["new", "rising"]
Day = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
# The older triggers goal and custom are refused, with the reason.
GivenTrigger = Literal["uptime", "traffic_spike", "traffic_drop", "error_rate", "first_event", "goal", "custom"]
Id = Annotated[str, Meta(min_length=1, max_length=64)]
Label = Annotated[str, Meta(min_length=1, max_length=100)]
TimeOfDay = Annotated[str, Meta(pattern=r"^([01]\d|2[0-3]):[0-5]\d$", examples=["09:30"])]

FIGURES: Final[tuple[Figure, ...]] = get_args(Figure)
ERROR_ALERTS: Final[tuple[ErrorAlert, ...]] = ErrorAlert.__args__  # type: ignore[attr-defined]  # the arguments of a Literal
TRIGGERS: Final[tuple[Trigger, ...]] = Trigger.__args__  # type: ignore[attr-defined]  # the arguments of a Literal
DAYS: Final[tuple[Day, ...]] = Day.__args__  # type: ignore[attr-defined]  # the arguments of a Literal
MOST_RULES: Final = 100  # of one organization
MOST_DESTINATIONS: Final = 20
LONGEST_NAME, LONGEST_DESCRIPTION = 100, 500
# The type of a destination that names a channel by its id.
CHANNEL: Final = "channel"


class Destination(Struct, frozen=True):
    """The destination of an alert rule as it was given: a type with its place, or a channel's id."""

    type: str
    identifier: str = ""
    config: Mapping[str, str] = {}
    channel_id: str = ""
    escalation: bool = False


def clean_trigger(given: str) -> Trigger:
    """The trigger of this name. Raises BadRequest."""
    for trigger in TRIGGERS:
        if trigger == given:
            return trigger
    text = _("Unknown alert rule type {given}. Use one of {triggers}")
    raise BadRequest(text.format(given=given[:40], triggers=", ".join(TRIGGERS)))


class QuietHours(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    """Times without alerts: from `start` to `end`, HH:MM of an IANA zone, over midnight if need be.

    `days` are those on which it begins; none is every day. Events in `through` are sent all the same.
    """

    start: TimeOfDay
    end: TimeOfDay
    time_zone: Annotated[str, Meta(max_length=64)] = "UTC"
    days: Annotated[tuple[Day, ...], Meta(max_length=7)] = ()
    through: Annotated[tuple[What, ...], Meta(max_length=20)] = ()


class Conditions(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    """The conditions of an alert rule. None is the default of its trigger (rules.DEFAULTS).

    Spikes and drops are about visitors, or with a `figure` about that of whole days; rates name their goal or funnel by
    `figure_id`.

    Monitors: those in `monitor_ids`, of these `groups`, or with one of these `tags`; without any of the three, all.
    `events`
    are the kinds of occurrence that are sent. Errors: with `errors`, groups that are new or back, or rising, instead of
    the rate. Traffic: `threshold` in percent, over a window of `minutes`, with at
    least
    `min_visitors` (of error rates: sessions); `silence_hours` before a first event. All: a reminder every
    `reminder_minutes`, and after `escalate_after_minutes` the destinations of the escalation. With `digest_minutes`,
    alerts are collected for this time from the first one on, and sent as one message.
    """

    monitor_ids: Annotated[tuple[Id, ...], Meta(max_length=1_000)] = ()
    groups: Annotated[tuple[Label, ...], Meta(max_length=100)] = ()
    tags: Annotated[tuple[Label, ...], Meta(max_length=100)] = ()
    events: Annotated[tuple[What, ...], Meta(max_length=20)] = ()
    errors: ErrorAlert | None = None
    figure: Figure | None = None
    figure_id: Id | None = None
    threshold: Annotated[float, Meta(gt=0, le=10_000)] | None = None
    minutes: Annotated[int, Meta(ge=15, le=1_440)] | None = None
    min_visitors: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None
    silence_hours: Annotated[int, Meta(ge=1, le=720)] | None = None
    reminder_minutes: Annotated[int, Meta(ge=5, le=10_080)] | None = None
    escalate_after_minutes: Annotated[int, Meta(ge=1, le=10_080)] | None = None
    digest_minutes: Annotated[int, Meta(ge=5, le=1_440)] | None = None
    quiet_hours: QuietHours | None = None


class AlertRule(Struct, frozen=True, kw_only=True, rename="camel"):
    """An alert rule as it is stored. Times are UTC ms; `told_at` is the time of its latest alert.

    `channels` are notified immediately, `escalation` later, by the ids of the organization's channels. Both are given
    as destinations (destinations.py).
    """

    id: str
    organization_id: str
    website_id: Annotated[str, Meta(max_length=255), Field()] | None
    name: Annotated[str, Meta(max_length=LONGEST_NAME), Field(clean=names.clean_name)]
    description: Annotated[str, Meta(max_length=LONGEST_DESCRIPTION), Field(clean=str.strip, null=True, shown=or_null)]
    enabled: Annotated[bool, Field()]
    trigger: Annotated[Trigger, Field(name="triggerType", clean=clean_trigger, wire=GivenTrigger)]
    conditions: Annotated[Conditions, Field(name="triggerConditions")]
    told_at: Annotated[int | None, Field(name="lastToldAt", given=False, shown=date)] = None
    created_at: Stamp
    updated_at: Stamp
    channels: Annotated[tuple[str, ...], Field(given=False, audited=sorted)] = ()
    escalation: Annotated[tuple[str, ...], Field(given=False, audited=sorted)] = ()


class Episode(Struct, frozen=True, kw_only=True):
    """Something that lasts: an alert rule and its subject, from the occurrence that began it until it is over.

    `told` is whether anybody heard of it. `began` is when it happened; `reminded_at` is what reminders count from, and
    `escalates_at` and `due_at` when something is to be done next. Times are UTC ms.
    """

    rule_id: str
    subject: str
    what: What
    occurrence: str
    began: int
    told: bool
    reminded_at: int
    escalates_at: int | None = None
    escalated: bool = False
    due_at: int | None = None
    acknowledged_at: int | None = None
    acknowledged_by: str | None = None


class AlertNotice(Struct, frozen=True):
    """The channels that were notified of an open alert, by name, and when the first message arrived (UTC ms)."""

    channels: tuple[str, ...]
    at: int


class HeldAlert(Struct, frozen=True, kw_only=True):
    """An alert held back by quiet hours or for a digest. One that `lasts` may be `over` before it is sent.

    Times are UTC ms.
    """

    number: int
    rule_id: str
    subject: str
    until: int
    occurrence: str
    lasts: bool
    over: int | None = None


class MonitorName(Struct, frozen=True):
    """A monitor to choose: its id and what people call it, its group and tags."""

    id: str
    name: str
    group: str = ""
    tags: tuple[str, ...] = ()


class MonitorsOfOrganization(Struct, frozen=True):
    """The monitors of an organization by its id, and whether the monitor of a website (by its id) is down now
    or in maintenance.

    `rests` is whether nobody is to be reminded of a monitor (by its id) now: it is paused, in maintenance, or gone,
    or what it depends on is in trouble.
    """

    of: Callable[[str], list[MonitorName]] = lambda _: []
    is_down: Callable[[str], bool] = lambda _: False
    rests: Callable[[str], bool] = lambda _: False
