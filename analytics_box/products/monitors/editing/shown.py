"""Monitors and their checks as procedures answer with them (wire 8.2). Secrets are in no answer."""

from datetime import datetime
from typing import Final, Literal

from msgspec import Struct

from analytics_box.base.settings import Settings
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.engine import State
from analytics_box.products.monitors.monitor import (
    GRANULARITIES,
    Assertion,
    Comparison,
    Granularity,
    Kind,
    Level,
    Monitor,
    Options,
    Subject,
)
from analytics_box.products.monitors.result import CheckResult, Outcome, Reason
from analytics_box.resource.fields import answer_of, answer_with
from analytics_box.tenants.tenancy.messages import date
from analytics_box.tenants.websites.directory import Directory

_CRON: Final[dict[Granularity, str]] = {
    "minute": "* * * * *",
    "five_minutes": "*/5 * * * *",
    "ten_minutes": "*/10 * * * *",
    "thirty_minutes": "*/30 * * * *",
    "hour": "0 * * * *",
    "six_hours": "0 */6 * * *",
    "twelve_hours": "0 */12 * * *",
    "day": "0 0 * * *",
}


class WebsiteNamed(Struct, frozen=True):
    """The website that a monitor is of."""

    id: str
    name: str
    domain: str


class CheckPhasesAnswer(Struct, frozen=True, rename="camel"):
    """Durations of the phases of a check, in ms; null for phases that it did not have or did not reach."""

    dns: float | None = None
    connect: float | None = None
    tls: float | None = None
    first_byte: float | None = None
    transfer: float | None = None


class AssertionAnswer(Struct, frozen=True, kw_only=True):
    """An assertion, whether it held, and the value that it was about."""

    subject: Subject
    comparison: Comparison
    value: str
    property: str
    level: Level
    held: bool
    seen: str


class CheckAnswer(Struct, frozen=True, kw_only=True, rename="camel"):
    """The result of a check. Durations are in ms. `reason` says in a word why it failed, `error` in a sentence."""

    at: datetime
    outcome: Outcome
    reason: Reason
    error: str
    http_code: int | None
    total_ms: float | None
    ttfb_ms: float | None
    phases: CheckPhasesAnswer
    response_bytes: int | None
    redirects: int
    address: str
    ssl_expiry: datetime | None
    ssl_valid: bool | None
    assertions: tuple[AssertionAnswer, ...]


@answer_with(Options)
@answer_with(Monitor)
class MonitorAnswer(Struct, frozen=True, kw_only=True, rename="camel"):
    """A monitor. `timeout` is in ms. `schedulerStatus` is active while it is checked, or waits for a push.

    Of secrets only the names of `headers`, whether there is a body, and how a check signs in. `problem` is the reason
    why it is not checked although it is not paused; empty if there is none.
    """

    id: str
    organization_id: str
    cron: str
    is_paused: bool
    created_at: datetime
    updated_at: datetime
    scheduler_status: Literal["active", "missing"]
    website: WebsiteNamed | None
    kind: Kind
    header_names: tuple[str, ...]
    has_body: bool
    auth: Literal["none", "basic", "bearer"]
    user: str
    state: State | None
    state_since: datetime | None
    last_check: CheckAnswer | None
    problem: str


def monitor_answer(monitor: Monitor, monitors: Monitors, websites: Directory) -> MonitorAnswer:
    """A monitor for an answer, as it is now."""
    live = monitors.state_of(monitor)
    secrets = monitor.secrets
    return answer_of(
        MonitorAnswer,
        monitor,
        monitor.options,
        cron=_CRON[GRANULARITIES[monitor.interval]],
        scheduler_status="active" if live is not None and not monitors.rests(monitor) else "missing",
        website=_website(monitor, websites),
        header_names=tuple(name for name, _ in secrets.headers),
        has_body=bool(secrets.body),
        auth="bearer" if secrets.bearer else "basic" if secrets.user else "none",
        user=secrets.user,
        state=live.state if live is not None else None,
        state_since=date(live.since) if live is not None and live.since else None,
        last_check=check_answer(live.last, monitor) if live is not None and live.last is not None else None,
        problem=monitors.problem(monitor),
    )


def check_answer(result: CheckResult, monitor: Monitor) -> CheckAnswer:
    """The result of a check of this monitor, for an answer."""
    known = monitor.options.assertions
    return CheckAnswer(
        at=date(result.at),
        outcome=result.outcome,
        reason=result.reason,
        error=result.error,
        http_code=result.http_code or None,
        total_ms=_ms(result.total),
        ttfb_ms=_ms(result.ttfb),
        phases=CheckPhasesAnswer(
            **{name: _ms(getattr(result.phases, name)) for name in CheckPhasesAnswer.__struct_fields__},
        ),
        response_bytes=result.bytes,
        redirects=result.redirects,
        address=result.address,
        ssl_expiry=date(result.certificate_ends) if result.certificate_ends is not None else None,
        ssl_valid=result.certificate_valid,
        assertions=tuple(
            _assertion_answer(known[held.number], held.held, held.seen)
            for held in result.held
            if held.number < len(known)
        ),
    )


def push_url(token: str, settings: Settings) -> str:
    """The URL that a push goes to."""
    return f"{settings.public_url}/push/{token}"


def _assertion_answer(assertion: Assertion, held: bool, seen: str) -> AssertionAnswer:
    plain = {name: getattr(assertion, name) for name in Assertion.__struct_fields__}
    return AssertionAnswer(**plain, held=held, seen=seen)


def _website(monitor: Monitor, websites: Directory) -> WebsiteNamed | None:
    found = websites.find(monitor.website_id) if monitor.website_id is not None else None
    if found is None or found.organization_id != monitor.organization_id:
        return None
    return WebsiteNamed(found.id, found.name, found.domain)


def _ms(microseconds: int | None) -> float | None:
    return None if microseconds is None else round(microseconds / 1000, 3)
