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
WINDOW_LABELS = {1: _("24 hours"), 7: _("7 days"), 30: _("30 days"), 90: _("90 days")}
_FACTS = {
    "kind": _("Type"),
    "url": _("Target"),
    "interval": _("Interval"),
    "timeout": _("Timeout"),
    "expects": _("Conditions"),
    "failures": _("Down after"),
    "successes": _("Up after"),
    "parent": _("Depends on"),
    "group": _("Group"),
    "tags": _("Tags"),
    "website": _("Website"),
    "created": _("Created"),
    "changed": _("Last changed"),
}


CHECKS: Final = 60  # the latest checks, as bars
HISTORY: Final = 50  # the latest spans of a list
WARNED: Final = 14  # days of a certificate from which on it is marked
_STATUS: Final = {1: "up", 0: "down", 2: "verifying"}
_INCIDENTS: Final = frozenset((DEGRADED, DOWN, UNKNOWN))  # states of spans that are incidents


class UptimeFigure(Struct, frozen=True):
    """The uptime of a number of days until now; `note` is the observed share, if that is not all."""

    label: str
    value: str
    note: str


class SpanLine(Struct, frozen=True):
    """An incident, with the error of its first failed check, or a maintenance window."""

    state: str
    label: str
    cause: str
    began: str
    lasted: str
    ongoing: bool


class IncidentList(Struct, frozen=True):
    """The latest spans of a list, and how many there are in the selected range."""

    lines: tuple[SpanLine, ...]
    count: str


class CheckBar(Struct, frozen=True):
    """A check as a bar; `said` is its time and result."""

    state: str
    said: str


class CheckLine(Struct, frozen=True):
    """A check in the list of failures and changes."""

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
    incidents: IncidentList
    maintenance: IncidentList
    bars: tuple[CheckBar, ...]
    bars_said: str
    checks: tuple[CheckLine, ...]
    facts: tuple[MonitorFact, ...]
    twins: tuple[tuple[str, str], ...] = ()
    push_url: str = ""
    push_help: str = ""


def monitor_view(
    monitor: Monitor,
    live: MonitorStatus | None,
    spans: Sequence[UptimeSpan],
    incidents: Sequence[UptimeSpan],
    maintenance: Sequence[UptimeSpan],
    causes: Mapping[int, str],
    checks: Sequence[Record],
    names: Mapping[str, str],
    twins: Sequence[Monitor],
    person: SignedInPerson,
    now: int,
    public_url: str,
) -> MonitorShown:
    """A monitor as its page shows it.

    `spans` are those of the last 90 days, `incidents` and `maintenance` those of the selected range, `causes` errors by
    the start of an incident, `names` those of its parent and website.
    """
    state = state_name(live)
    certificate, warns = _certificate(live, person, now)
    last = live.last if live is not None else None
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
        incidents=_span_list(incidents, causes, person, now),
        maintenance=_span_list(maintenance, {}, person, now),
        bars=tuple(_bar(row, person) for row in reversed(checks)),
        bars_said=ngettext("Last check", "Last {count} checks, {failed} failed", len(checks)).format(
            count=len(checks), failed=sum(row["status"] != 1 for row in checks)
        ),
        checks=tuple(_check(row, person) for row in failures_and_changes(checks)),
        facts=_facts(monitor, names, person),
        twins=tuple((f"{HOME}/{one.id}", figures.visible(one.called)) for one in twins),
        push_url=f"{public_url}/push/{monitor.secrets.token}" if monitor.kind == "push" else "",
        push_help=_(
            "Send a heartbeat at least every {every} (grace period: {grace}). "
            "Add ?status=down&msg=… to report a failure."
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
        return _("expired on {when}").format(when=when), True
    words = ngettext("valid until {when} (1 day)", "valid until {when} ({days} days)", days)
    return words.format(when=when, days=figures.count(days)), days <= WARNED or last.certificate_valid is False


def spans_within(spans: Sequence[UptimeSpan], window: TimeWindow) -> tuple[list[UptimeSpan], list[UptimeSpan]]:
    """The incidents and the maintenance windows that overlap a range, the earliest first."""
    within = [span for span in spans if span.start < window.end and (not span.until or span.until > window.start)]
    incidents = [span for span in within if span.state in _INCIDENTS]
    return incidents, [span for span in within if span.state == MAINTENANCE]


def _span_list(
    spans: Sequence[UptimeSpan], causes: Mapping[int, str], person: SignedInPerson, now: int
) -> IncidentList:
    """The latest spans, the newest first."""
    lines = tuple(
        SpanLine(
            state=STATES[span.state],
            label=STATE_LABELS[STATES[span.state]],
            cause=figures.visible(causes.get(span.start, "")),
            began=dates.moment(span.start, person),
            lasted=duration_text(((span.until or now) - span.start) // SECOND),
            ongoing=not span.until,
        )
        for span in reversed(spans[-HISTORY:])
    )
    return IncidentList(lines, figures.count(len(spans)))


def failures_and_changes(checks: Sequence[Record]) -> list[Record]:
    """The checks, the newest first, that failed or whose status differs from the check before."""
    before = [*checks[1:], *checks[-1:]]
    return [one for one, older in zip(checks, before, strict=True) if one["status"] != 1 or older["status"] != 1]


def _bar(row: Record, person: SignedInPerson) -> CheckBar:
    said = [dates.exact(row["timestamp"], person), STATUS_LABELS[row["status"]]]
    if row["total_ms"] is not None:
        said.append(figures.milliseconds(row["total_ms"]))
    return CheckBar(_STATUS[row["status"]], ", ".join(said))


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
            ngettext("1 successful check", "{count} successful checks in a row", monitor.successes_to_up).format(
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
        return (_("any status below 500"), *said)
    return said


def assertion_text(one: Assertion | AssertionAnswer) -> str:
    """An assertion in words."""
    of = f" {one.property}" if one.property else ""
    said = f"{SUBJECT_LABELS[one.subject]}{of} {COMPARISON_LABELS[one.comparison]} {one.value}".rstrip()
    return said if one.level == "fail" else f"{said} (" + _("Degraded").lower() + ")"
