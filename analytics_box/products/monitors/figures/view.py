"""The contents of a monitor's page in addition to its figures. Pure but for the person's time zone."""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.clock import DAY, SECOND
from analytics_box.base.facts.uptime import DEGRADED, DOWN, MAINTENANCE, STATES, UNKNOWN, UptimeSpan, uptime
from analytics_box.base.identity import SignedInPerson
from analytics_box.base.translation import _, ngettext
from analytics_box.products.monitors.editing.shown import AssertionAnswer
from analytics_box.products.monitors.engine import MonitorStatus
from analytics_box.products.monitors.listing.lines import NOTHING, duration_text
from analytics_box.products.monitors.monitor import DEFAULT_TIMEOUT, HOME, SECONDS, Assertion, Monitor
from analytics_box.products.monitors.page_frame import (
    COMPARISON_LABELS,
    EVERY_LABELS,
    KIND_LABELS,
    STATE_LABELS,
    SUBJECT_LABELS,
    state_label,
    state_name,
)
from analytics_box.query.catalog.types import Record
from analytics_box.query.ranges import TimeWindow
from analytics_box.web.page import dates

PHASE_LABELS = {
    "dns": _("DNS"),
    "connect": _("Connect"),
    "tls": _("TLS"),
    "first_byte": _("First byte"),
    "transfer": _("Transfer"),
}
STATUS_LABELS = {0: _("Down"), 1: _("Up"), 2: _("Not confirmed")}
WINDOW_LABELS = {1: _("24 hours"), 7: _("7 days"), 30: _("30 days"), 90: _("90 days"), 365: _("365 days")}
_FACTS = {
    "kind": _("What it is"),
    "url": _("Target"),
    "interval": _("Checked"),
    "timeout": _("Time limit"),
    "expects": _("Expected"),
    "failures": _("Down after"),
    "successes": _("Up after"),
    "parent": _("Depends on"),
    "group": _("Group"),
    "tags": _("Tags"),
    "website": _("Website"),
    "created": _("Created"),
    "changed": _("Changed"),
}


CHECKS: Final = 50  # the latest ones that are listed
HISTORY: Final = 50  # the latest spans that are listed
WARNED: Final = 14  # days of a certificate from which on it is marked
_STATUS: Final = {1: "up", 0: "down", 2: "verifying"}
_TOLD: Final = frozenset((DEGRADED, DOWN, UNKNOWN, MAINTENANCE))  # states of spans that the history lists


class UptimeFigure(Struct, frozen=True):
    """The uptime of the last so many days; `note` says how much was observed, where that is not all."""

    label: str
    value: str
    note: str


class SpanLine(Struct, frozen=True):
    """A time in which a monitor was not simply up."""

    state: str
    label: str
    began: str
    lasted: str
    ongoing: bool


class CheckLine(Struct, frozen=True):
    """A check in the list."""

    time: str
    state: str
    label: str
    code: str
    total: str
    address: str
    error: str


class MonitorFact(Struct, frozen=True):
    """Something that a monitor is, in words; `parts` stand below each other."""

    name: str
    parts: tuple[str, ...]


class MonitorShown(Struct, frozen=True):
    """A monitor on its own page. `twins` are other monitors of its URL: their page and name."""

    name: str
    href: str
    state: str
    state_label: str
    is_paused: bool
    push: bool
    error: str
    uptimes: tuple[UptimeFigure, ...]
    last_check: str
    next_check: str
    certificate: str
    certificate_warns: bool
    history: tuple[SpanLine, ...]
    history_help: str
    checks: tuple[CheckLine, ...]
    facts: tuple[MonitorFact, ...]
    twins: tuple[tuple[str, str], ...] = ()
    push_url: str = ""
    push_help: str = ""


def monitor_view(
    monitor: Monitor,
    live: MonitorStatus | None,
    spans: Sequence[UptimeSpan],
    window: TimeWindow,
    checks: Sequence[Record],
    names: Mapping[str, str],
    twins: Sequence[Monitor],
    person: SignedInPerson,
    now: int,
    public_url: str,
) -> MonitorShown:
    """A monitor as its page shows it. `spans` are those of the last year and of the range that is chosen, the `window`;
    `names` are those of its parent and website."""
    state = state_name(live)
    certificate, warns = _certificate(live, person, now)
    last = live.last if live is not None else None
    incidents = _incidents(spans, window)
    return MonitorShown(
        name=figures.visible(monitor.called),
        href=f"{HOME}/{monitor.id}",
        state=state,
        state_label=state_label(live),
        is_paused=monitor.is_paused,
        push=monitor.kind == "push",
        error=figures.visible(last.error) if last is not None and state in {"down", "verifying"} else "",
        uptimes=tuple(_uptime(monitor, spans, days, person, now) for days in WINDOW_LABELS),
        last_check=dates.moment(last.at, person) if last is not None else "",
        next_check=dates.moment(live.next_at, person) if live is not None and live.next_at is not None else "",
        certificate=certificate,
        certificate_warns=warns,
        history=_history(incidents[-HISTORY:], person, now),
        history_help=_history_help(len(incidents)),
        checks=tuple(_check(row, person) for row in checks),
        facts=_facts(monitor, names, person),
        twins=tuple((f"{HOME}/{one.id}", figures.visible(one.called)) for one in twins),
        push_url=f"{public_url}/push/{monitor.secrets.token}" if monitor.kind == "push" else "",
        push_help=_(
            "Call this address at least every {every}. If nothing arrives in that time and "
            "{grace} more, the monitor is down. Add ?status=down&msg=… to report a failure."
        ).format(every=duration_text(monitor.interval), grace=duration_text(monitor.options.grace)),
    )


def _uptime(monitor: Monitor, spans: Sequence[UptimeSpan], days: int, person: SignedInPerson, now: int) -> UptimeFigure:
    """Of a monitor that is younger than that, since it was made."""
    start, note = now - days * DAY, ""
    found = uptime(spans, max(start, monitor.created_at), now, now)
    if start < monitor.created_at:
        note = _("since {day}").format(day=dates.day(monitor.created_at, person))
    elif found.percentage is not None and found.coverage is not None and found.coverage < 1:
        note = _("{percent} observed").format(percent=figures.uptime(100 * found.coverage))
    value = figures.uptime(found.percentage) if found.percentage is not None else NOTHING
    return UptimeFigure(WINDOW_LABELS[days], value, note)


def _certificate(live: MonitorStatus | None, person: SignedInPerson, now: int) -> tuple[str, bool]:
    """The text on the certificate's expiry, and whether it is a warning; empty if there is no certificate."""
    last = live.last if live is not None else None
    if last is None or last.certificate_ends is None:
        return "", False
    when, days = dates.day(last.certificate_ends, person), (last.certificate_ends - now) // DAY
    if days < 0:
        return _("ended on {when}").format(when=when), True
    words = ngettext("valid until {when} (1 day)", "valid until {when} ({days} days)", days)
    return words.format(when=when, days=figures.count(days)), days <= WARNED or last.certificate_valid is False


def _incidents(spans: Sequence[UptimeSpan], window: TimeWindow) -> list[UptimeSpan]:
    """The incidents and maintenance windows that began in a range or lasted into it."""
    within = [span for span in spans if span.start < window.end and (not span.until or span.until > window.start)]
    return [span for span in within if span.state in _TOLD]


def _history_help(count: int) -> str:
    if count <= HISTORY:
        return _("Times when the monitor was down, degraded, in maintenance or unknown in the selected range.")
    return " ".join(
        (
            _("Times when the monitor was down, degraded, in maintenance or unknown in the selected range."),
            _("The latest {shown} of {count} are listed.").format(shown=HISTORY, count=figures.count(count)),
        )
    )


def _history(incidents: Sequence[UptimeSpan], person: SignedInPerson, now: int) -> tuple[SpanLine, ...]:
    """Lines about incidents, the newest first."""
    return tuple(
        SpanLine(
            state=STATES[span.state],
            label=STATE_LABELS[STATES[span.state]],
            began=dates.moment(span.start, person),
            lasted=duration_text(((span.until or now) - span.start) // SECOND),
            ongoing=not span.until,
        )
        for span in reversed(incidents)
    )


def _check(row: Record, person: SignedInPerson) -> CheckLine:
    status = row["status"]
    return CheckLine(
        time=dates.exact(row["timestamp"], person),
        state=_STATUS[status],
        label=STATUS_LABELS[status],
        code=str(row["http_code"] or ""),
        total=figures.milliseconds(row["total_ms"]) if row["total_ms"] is not None else NOTHING,
        address=row["probe_ip"] or "",
        error=figures.visible(row["error"] or ""),
    )


def _facts(monitor: Monitor, names: Mapping[str, str], person: SignedInPerson) -> tuple[MonitorFact, ...]:
    granularity = next((name for name, seconds in SECONDS.items() if seconds == monitor.interval), "")
    timed = monitor.kind != "push"
    given: dict[str, tuple[str, ...]] = {
        "kind": (KIND_LABELS[monitor.kind],),
        "url": (monitor.url if timed else "",),
        "interval": (EVERY_LABELS.get(granularity, figures.duration(monitor.interval)),),
        "timeout": (figures.duration((monitor.timeout or DEFAULT_TIMEOUT) / 1000) if timed else "",),
        "expects": _expectations(monitor),
        "failures": (
            ngettext("1 failed check", "{count} failed checks in a row", monitor.failures_to_down).format(
                count=monitor.failures_to_down
            )
            if timed
            else "",
        ),
        "successes": (
            ngettext("1 good check", "{count} good checks in a row", monitor.successes_to_up).format(
                count=monitor.successes_to_up
            ),
        ),
        "parent": (names.get(monitor.parent_id or "", ""),),
        "group": (monitor.group,),
        "tags": (", ".join(monitor.tags),),
        "website": (names.get(monitor.website_id or "", ""),),
        "created": (dates.moment(monitor.created_at, person),),
        "changed": (dates.moment(monitor.updated_at, person) if monitor.updated_at != monitor.created_at else "",),
    }
    return tuple(
        MonitorFact(_FACTS[name], tuple(figures.visible(part) for part in parts if part))
        for name, parts in given.items()
        if any(parts)
    )


def _expectations(monitor: Monitor) -> tuple[str, ...]:
    said = tuple(assertion_text(one) for one in monitor.options.assertions)
    if monitor.kind == "http" and all(one.subject != "status" for one in monitor.options.assertions):
        return (_("any answer below 500"), *said)
    return said


def assertion_text(one: Assertion | AssertionAnswer) -> str:
    """An assertion in words."""
    of = f" {one.property}" if one.property else ""
    said = f"{SUBJECT_LABELS[one.subject]}{of} {COMPARISON_LABELS[one.comparison]} {one.value}".rstrip()
    return said if one.level == "fail" else f"{said} (" + _("Degraded").lower() + ")"
