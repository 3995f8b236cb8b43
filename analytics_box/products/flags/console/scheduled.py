"""Schedules of a flag in lines of text. Pure."""

from collections.abc import Iterable

from msgspec import Struct

from analytics_box.base.identity import SignedInPerson
from analytics_box.base.texts import FlagRollout
from analytics_box.products.flags.schedules.schedule import FlagSchedule
from analytics_box.products.flags.sentences import percent
from analytics_box.web.page import dates


class ScheduleLine(Struct, frozen=True):
    """A schedule; `note` says how far it is or how it ended."""

    id: str
    what: str
    note: str
    pending: bool
    is_bad: bool


def lines(schedules: Iterable[FlagSchedule], person: SignedInPerson) -> list[ScheduleLine]:
    """The schedules in words: pending ones, then finished ones."""
    return [_line(one, person) for one in schedules]


def _line(one: FlagSchedule, person: SignedInPerson) -> ScheduleLine:
    pending = one.next_at is not None
    return ScheduleLine(one.id, _what(one, person), _note(one, person), pending, bool(one.error))


def _what(one: FlagSchedule, person: SignedInPerson) -> str:
    words = FlagRollout
    if not one.steps:
        return words.switch_at.format(at=dates.moment(one.scheduled_at, person), what=words.kinds[one.type])
    first, last = one.steps[0], one.steps[-1]
    if first is last:
        text = f"{words.kinds[one.type]} {percent(first.percentage)}"
        return words.switch_at.format(at=dates.moment(first.at, person), what=text)
    return words.ramp.format(
        steps=len(one.steps),
        start=percent(first.percentage),
        first=dates.moment(first.at, person),
        end=percent(last.percentage),
        last=dates.moment(last.at, person),
    )


def _note(one: FlagSchedule, person: SignedInPerson) -> str:
    words = FlagRollout
    if one.next_at is None:
        text = words.failed if one.error else words.ended
        return text.format(at=dates.moment(one.ended_at or one.last_at, person), error=one.error)
    done = sum(step.doneAt is not None for step in one.steps)
    if not done:
        return ""
    waiting = next(step for step in one.steps if step.doneAt is None)
    next_said = words.step_at.format(at=dates.moment(waiting.at, person), percent=percent(waiting.percentage))
    return words.done_steps.format(done=done, steps=len(one.steps), next=next_said)
