"""What a check found, as the form shows it. Pure but for the person's time zone."""

from msgspec import Struct

from analytics_box.http.page import dates
from analytics_box.identity import Person
from analytics_box.monitors.monitor import Monitor
from analytics_box.monitors.result import Outcome, Result
from analytics_box.texts import MonitorForm, MonitorStats, figures


class Phase(Struct, frozen=True):
    """A step of a check; `width` is a class w0 … w100, of the longest step."""

    name: str
    duration: str
    width: str


class Fact(Struct, frozen=True):
    """Something that the check found, in words."""

    name: str
    value: str


class HeldShown(Struct, frozen=True):
    """An assertion, whether it held, and what it saw."""

    text: str
    held: bool
    level: str
    seen: str


class Trial(Struct, frozen=True):
    """What a check found."""

    outcome: Outcome
    total: str
    error: str
    phases: tuple[Phase, ...]
    facts: tuple[Fact, ...]
    held: tuple[HeldShown, ...]


def trial(monitor: Monitor, result: Result, person: Person) -> Trial:
    """The result of a check of a monitor as it is typed."""
    return Trial(
        outcome=result.outcome,
        total=milliseconds(result.total) if result.total is not None else "",
        error=figures.visible(result.error),
        phases=_phases(result),
        facts=tuple(_facts(result, person)),
        held=tuple(_held(monitor, result)),
    )


def milliseconds(duration: int) -> str:
    """A duration in microseconds, in words."""
    return figures.milliseconds(duration / 1000)


def _phases(result: Result) -> tuple[Phase, ...]:
    measured = {name: getattr(result.phases, name) for name in MonitorStats.phases}
    longest = max((one for one in measured.values() if one is not None), default=0)
    return tuple(
        Phase(label, milliseconds(taken), figures.bar_width(taken, longest))
        for name, label in MonitorStats.phases.items()
        if (taken := measured[name]) is not None
    )


def _facts(result: Result, person: Person) -> list[Fact]:
    found = []
    if result.http_code:
        found.append(Fact(MonitorForm.answer, str(result.http_code)))
    if result.address:
        found.append(Fact(MonitorStats.check_columns["address"], result.address))
    if result.certificate_ends is not None:
        ends = MonitorStats.certificate_until.format(when=dates.day(result.certificate_ends, person))
        found.append(Fact(MonitorStats.certificate, ends))
    return found


def _held(monitor: Monitor, result: Result) -> list[HeldShown]:
    shown = []
    for one in result.held:
        assertion = monitor.options.assertions[one.number]
        subject = MonitorForm.subjects[assertion.subject]
        of = f" {assertion.property}" if assertion.property else ""
        said = f"{subject}{of} {MonitorForm.comparisons[assertion.comparison]} {assertion.value}".rstrip()
        seen = MonitorForm.saw.format(seen=figures.visible(one.seen))
        shown.append(HeldShown(figures.visible(said), one.held, assertion.level, seen))
    return shown
