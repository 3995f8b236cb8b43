"""The result of a test check, as the form shows it. Pure but for the person's time zone."""

from typing import Final

from msgspec import Struct

from analytics_box.base.identity import SignedInPerson
from analytics_box.base.texts import MonitorForm, MonitorStats, figures
from analytics_box.products.monitors.editing.shown import AssertionAnswer, CheckAnswer
from analytics_box.products.monitors.figures.view import assertion_text
from analytics_box.products.monitors.result import Outcome
from analytics_box.tenants.tenancy.messages import millis
from analytics_box.web.page import dates

_CERTIFICATE: Final = MonitorStats.certificate


class Phase(Struct, frozen=True):
    """A step of a check; `width` is a class w0 … w100, of the longest step."""

    name: str
    duration: str
    width: str


class CheckFact(Struct, frozen=True):
    """Something that the check found, in words."""

    name: str
    value: str


class AssertionLine(Struct, frozen=True):
    """An assertion, whether it held, and what it saw."""

    text: str
    held: bool
    level: str
    seen: str


class Trial(Struct, frozen=True):
    """The result of a test check."""

    outcome: Outcome
    total: str
    error: str
    phases: tuple[Phase, ...]
    facts: tuple[CheckFact, ...]
    held: tuple[AssertionLine, ...]


def trial(check: CheckAnswer, person: SignedInPerson) -> Trial:
    """The result of a check of a monitor as it is typed."""
    return Trial(
        outcome=check.outcome,
        total=figures.milliseconds(check.total_ms) if check.total_ms is not None else "",
        error=figures.visible(check.error),
        phases=_phases(check),
        facts=tuple(_facts(check, person)),
        held=tuple(_assertion_line(one) for one in check.assertions),
    )


def _phases(check: CheckAnswer) -> tuple[Phase, ...]:
    measured = {name: getattr(check.phases, name) for name in MonitorStats.phases}
    longest = max((one for one in measured.values() if one is not None), default=0)
    return tuple(
        Phase(label, figures.milliseconds(taken), figures.bar_width(taken, longest))
        for name, label in MonitorStats.phases.items()
        if (taken := measured[name]) is not None
    )


def _facts(check: CheckAnswer, person: SignedInPerson) -> list[CheckFact]:
    found = []
    if check.http_code:
        found.append(CheckFact(MonitorForm.answer, str(check.http_code)))
    if check.address:
        found.append(CheckFact(MonitorStats.check_columns["address"], check.address))
    if check.ssl_expiry is not None:
        ends = dates.day(millis(check.ssl_expiry), person)
        found.append(CheckFact(_CERTIFICATE, MonitorStats.certificate_until.format(when=ends)))
    return found


def _assertion_line(one: AssertionAnswer) -> AssertionLine:
    said = MonitorForm.saw.format(seen=figures.visible(one.seen)) if one.seen else ""
    return AssertionLine(figures.visible(assertion_text(one)), one.held, one.level, said)
