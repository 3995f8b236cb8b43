"""Alert rules: triggers, conditions, quiet hours and destinations. Pure."""

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from analytics_box.products.alerts.occurrence import What

Trigger = Literal["uptime", "traffic_spike", "traffic_drop", "error_rate", "first_event"]
Day = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
Id = Annotated[str, Meta(min_length=1, max_length=64)]
Label = Annotated[str, Meta(min_length=1, max_length=100)]
TimeOfDay = Annotated[str, Meta(pattern=r"^([01]\d|2[0-3]):[0-5]\d$")]

TRIGGERS: Final[tuple[Trigger, ...]] = Trigger.__args__  # type: ignore[attr-defined]  # the arguments of a Literal
DAYS: Final[tuple[Day, ...]] = Day.__args__  # type: ignore[attr-defined]  # the arguments of a Literal
MOST_ALARMS: Final = 100  # of one organization
MOST_DESTINATIONS: Final = 20
LONGEST_NAME, LONGEST_DESCRIPTION = 100, 500


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

    Monitors: those in `monitor_ids`, of these `groups`, or with one of these `tags`; without any of the three, all.
    `events`
    are the kinds of occurrence that are sent. Traffic: `threshold` in percent, over a window of `minutes`, with at
    least
    `min_visitors` (of error rates: sessions); `silence_hours` before a first event. All: a reminder every
    `reminder_minutes`, and after `escalate_after_minutes` the destinations of the escalation.
    """

    monitor_ids: Annotated[tuple[Id, ...], Meta(max_length=1_000)] = ()
    groups: Annotated[tuple[Label, ...], Meta(max_length=100)] = ()
    tags: Annotated[tuple[Label, ...], Meta(max_length=100)] = ()
    events: Annotated[tuple[What, ...], Meta(max_length=20)] = ()
    threshold: Annotated[float, Meta(gt=0, le=10_000)] | None = None
    minutes: Annotated[int, Meta(ge=15, le=1_440)] | None = None
    min_visitors: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None
    silence_hours: Annotated[int, Meta(ge=1, le=720)] | None = None
    reminder_minutes: Annotated[int, Meta(ge=5, le=10_080)] | None = None
    escalate_after_minutes: Annotated[int, Meta(ge=1, le=10_080)] | None = None
    quiet_hours: QuietHours | None = None


class Alarm(Struct, frozen=True, kw_only=True):
    """An alarm as it is stored. Times are UTC ms; `told_at` is when it last sent something.

    `channels` are told at once, `escalation` after a while, by the ids of the organization's channels.
    """

    id: str
    organization_id: str
    website_id: str | None
    name: str
    description: str
    enabled: bool
    trigger: Trigger
    conditions: Conditions
    told_at: int | None = None
    created_at: int
    updated_at: int
    channels: tuple[str, ...] = ()
    escalation: tuple[str, ...] = ()


class Episode(Struct, frozen=True, kw_only=True):
    """Something that lasts: an alarm and its subject, from the occurrence that began it until it is over.

    `told` is whether anybody heard of it. `began` is when it happened; `reminded_at` is what reminders count from, and
    `escalates_at` and `due_at` when something is to be done next. Times are UTC ms.
    """

    alarm_id: str
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
    """An alert held back by quiet hours. One that `lasts` may be `over` before they end. Times are UTC ms."""

    number: int
    alarm_id: str
    subject: str
    until: int
    occurrence: str
    lasts: bool
    over: int | None = None
