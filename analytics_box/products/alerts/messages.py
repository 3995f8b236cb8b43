"""Messages to channels about occurrences: alerts, reminders, escalations, and the summary after quiet hours.

Pure.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

import msgspec
from msgspec.structs import replace

from analytics_box.base.clock import MINUTE
from analytics_box.base.notify.message import Message, Tone
from analytics_box.base.translation import _
from analytics_box.products.alerts import rules
from analytics_box.products.alerts.alert_rule import OF_MONITORS, AlertRule, HeldAlert, Occurrence, What
from analytics_box.query.ranges import zone

_TONES: Final[dict[What, Tone]] = {
    "recovered": "good",
    "stable": "good",
    "first_event": "good",
    "certificate": "neutral",
    "domain": "neutral",
    "traffic_spike": "neutral",
}
# What opens and closes one alert. A certificate near its end is another one: it stays when the monitor is up again.
_STATES: Final = OF_MONITORS - {"certificate", "domain"}
_MOST: Final = 30  # lines of a summary


def parse_occurrence(stored: str) -> Occurrence:
    """An occurrence as it was stored."""
    return msgspec.json.decode(stored, type=Occurrence)


def of(occurrence: Occurrence) -> Message:
    """The message of an occurrence."""
    ends = occurrence.what in rules.ENDS and occurrence.still is None
    return Message(
        type=type_of(occurrence),
        title=occurrence.title,
        text=occurrence.text,
        at=occurrence.at,
        tone="bad" if occurrence.still is not None else _TONES.get(occurrence.what, "bad"),
        url=occurrence.url,
        fields=occurrence.fields,
        subject=occurrence.subject if occurrence.what in _STATES else f"{occurrence.subject}:{occurrence.what}",
        action="resolve" if ends else "trigger",
    )


def resolve_message(occurrence: Occurrence, *, now: int) -> Message:
    """The message that resolves the alert of an occurrence without notifying anybody."""
    title = _("Ended: {title}").format(title=occurrence.title)
    return replace(of(occurrence), title=title, text="", at=now, tone="good", fields=(), action="resolve")


def type_of(occurrence: Occurrence) -> str:
    """The type of an occurrence for programs, such as monitor.down or website.traffic_drop."""
    return f"{'monitor' if occurrence.what in OF_MONITORS else 'website'}.{occurrence.what}"


def reminder(occurrence: Occurrence, *, began: int, now: int) -> Message:
    """The reminder of an open alert."""
    return _again(occurrence, _("Ongoing: {title}"), began=began, now=now)


def escalation(occurrence: Occurrence, *, began: int, now: int) -> Message:
    """The escalation of an alert that has been open for too long."""
    return _again(occurrence, _("Escalated: {title}"), began=began, now=now)


def _again(occurrence: Occurrence, title: str, *, began: int, now: int) -> Message:
    first = of(occurrence)
    lasts = _("It has lasted for {duration}.").format(duration=duration(now - began))
    return replace(
        first, title=title.format(title=occurrence.title), text=f"{lasts}\n{occurrence.text}".rstrip(), at=now
    )


def summary(rule: AlertRule, held: Sequence[HeldAlert], *, now: int) -> Message:
    """The summary after quiet hours, or of a digest: open alerts first, then a line for each that is over."""
    quiet = rule.conditions.quiet_hours
    tz = zone(quiet.time_zone if quiet is not None else None)
    found = [(one, parse_occurrence(one.occurrence)) for one in held]
    lasting = [
        _line(_("Ongoing since {at}: {title}"), one, occurrence, tz)
        for one, occurrence in found
        if one.lasts and one.over is None
    ]
    others = [
        _line(
            _("Ended, {at} to {until}: {title}") if one.over is not None else _("At {at}: {title}"), one, occurrence, tz
        )
        for one, occurrence in found
        if not (one.lasts and one.over is None)
    ]
    lines = [*lasting, *others]
    if len(lines) > _MOST:
        lines = [*lines[:_MOST], _("And {count} more").format(count=len(lines) - _MOST)]
    return Message(
        type="alarm.summary",
        title=_summary_title(rule, len(found)),
        text="\n".join(lines),
        at=now,
        tone="bad" if lasting else "neutral",
    )


def _summary_title(rule: AlertRule, count: int) -> str:
    if rule.conditions.digest_minutes is not None:
        said = _("{count} alerts of {name}") if count > 1 else _("1 alert of {name}, already resolved")
    elif count > 1:
        said = _("{count} alerts during the quiet hours of {name}")
    else:
        said = _("1 alert during the quiet hours of {name}, already resolved")
    return said.format(count=count, name=rule.name)


def duration(milliseconds: int) -> str:
    """A duration such as 2 h 5 min, in its two largest units."""
    minutes = max(milliseconds, 0) // MINUTE
    parts = (
        (minutes // 1_440, _("{count} d")),
        (minutes // 60 % 24, _("{count} h")),
        (minutes % 60, _("{count} min")),
    )
    said = [text.format(count=count) for count, text in parts if count]
    return " ".join(said[:2]) or _("{count} min").format(count=0)


def _line(form: str, one: HeldAlert, occurrence: Occurrence, tz: ZoneInfo) -> str:
    until = "" if one.over is None else _clock(one.over, tz)
    return form.format(title=occurrence.title, at=_clock(occurrence.at, tz), until=until)


def _clock(instant: int, tz: ZoneInfo) -> str:
    return f"{datetime.fromtimestamp(instant / 1000, tz):%H:%M}"
