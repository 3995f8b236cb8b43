"""Why somebody gets what a flag gives, in sentences. Pure."""

from typing import Any, Final

import msgspec
from msgspec import Struct

from analytics_box.base.texts import FlagTester, figures
from analytics_box.products.flags.evaluation.bucketing import ANONYMOUS
from analytics_box.products.flags.evaluation.tracing import Check, Draw, Step, Trace
from analytics_box.products.flags.sentences import Part, Sentence, compared, percent, shown

_TREES: Final = {"all": FlagTester.all_of, "any": FlagTester.any_of, "none": FlagTester.none_of}
LONGEST_FOUND: Final = 200  # bytes of JSON that is shown of a value


class CheckSaid(Struct, frozen=True):
    """Something that was compared, and what was found; `inside` are the parts of several."""

    parts: Sentence
    matched: bool
    inside: "tuple[CheckSaid, ...]" = ()


class StepSaid(Struct, frozen=True):
    """Something that the flag looked at. `decided` is the last one."""

    title: Sentence
    matched: bool
    decided: bool
    checks: tuple[CheckSaid, ...] = ()
    draw: str = ""


class TraceSaid(Struct, frozen=True):
    """What somebody gets. `because` and `steps` are empty where there is no flag for them."""

    gets: Sentence
    because: str
    steps: tuple[StepSaid, ...]
    reason: str


def said(trace: Trace, who: str) -> TraceSaid:
    """A trace in sentences; `who` is what the user is called, or empty."""
    words = FlagTester
    subject = Part(figures.visible(who), "value") if who else Part(words.anonymous)
    if trace.flag is None or trace.reason is None:
        return TraceSaid((subject, Part(words.gets_nothing)), words.no_flag, (), "FLAG_NOT_FOUND")
    steps = tuple(_step(one, decided=one is trace.steps[-1]) for one in trace.steps)
    return TraceSaid((subject, Part(words.gets), *_outcome(trace)), _because(trace), steps, trace.reason)


def _outcome(trace: Trace) -> Sentence:
    words = FlagTester
    if trace.variant:
        return (Part(words.variant), Part(figures.visible(trace.variant), "variant"))
    return (Part(words.on, "on"),) if trace.enabled else (Part(words.off, "off"),)


def _because(trace: Trace) -> str:
    last, reason = trace.steps[-1], trace.reason or ""
    share = last.draw.end if last.draw is not None else 0
    text = FlagTester.reasons[reason]
    step = _rule_name(last.at, last.name)
    return text.format(step=step[:1].lower() + step[1:], name=figures.visible(last.name), percent=percent(share))


def _step(step: Step, *, decided: bool) -> StepSaid:
    checks = (_check(step.check),) if step.check is not None else ()
    draw = _draw(step.draw) if step.draw is not None else ""
    return StepSaid(_title(step), step.matched, decided, checks, draw)


def _title(step: Step) -> Sentence:
    words, name = FlagTester, Part(figures.visible(step.name), "value")
    match step.kind:
        case "dependency":
            return (name, Part(words.needed_active if step.matched else words.needed_inactive))
        case "prerequisite":
            if not step.gave:
                return (name, Part(words.needed_inactive))
            gave = {"true": words.on, "false": words.off}.get(step.gave, figures.visible(step.gave))
            rest = words.needed_gives_not if step.matched else words.needed_wrong
            return (name, Part(words.needed_gives), Part(gave, "value"), Part(rest))
        case "rule":
            return (Part(_rule_name(step.at, step.name)),)
        case "target_group":
            return (Part(words.group_rule.format(name=name.text, number=_number(step.at))),)
        case "variant":
            return (Part(words.variants),)
        case "rollout":
            return (Part(words.rollout),)
        case "off":
            return (Part(words.off_value),)
    return (Part(words.default),)


def _rule_name(at: str, name: str) -> str:
    step = FlagTester.rule.format(number=_number(at))
    return FlagTester.named.format(step=step, name=figures.visible(name)) if name else step


def _number(at: str) -> int:
    """The number of a rule as people count, out of `targetGroupIds[0].rules[2]`; 1 where there is none."""
    last = at.rpartition("[")[2].rstrip("]")
    return int(last) + 1 if last.isdecimal() else 1


def _check(check: Check) -> CheckSaid:
    words, inside = FlagTester, tuple(_check(one) for one in check.inside)
    match check.what:
        case "compare":
            asked = compared(check.attribute, check.operator or "equals", check.wanted)
            return CheckSaid((*asked, *_found(check.found)), check.matched)
        case "group":
            return CheckSaid((Part(words.group), Part(figures.visible(check.group), "value")), check.matched, inside)
        case "nothing":
            return CheckSaid((Part(words.nothing),), check.matched)
    return CheckSaid((Part(_TREES[check.what]),), check.matched, inside)


def _found(found: Any) -> Sentence:
    if found is None:
        return (Part(FlagTester.not_given),)
    if isinstance(found, str | int | float):
        return (Part(FlagTester.it_is), Part(shown(found) or "“”", "value"))
    text = msgspec.json.encode(found).decode(errors="replace")
    return (Part(FlagTester.it_is), Part(figures.visible(text[:LONGEST_FOUND]), "value"))


def _draw(draw: Draw) -> str:
    words = FlagTester
    who = words.nobody if draw.identity == ANONYMOUS else figures.visible(draw.identity)
    if draw.of != 100:
        return words.drawn_place.format(who=who, place=round(draw.drawn) + 1, of=round(draw.of))
    drawn = words.drawn.format(who=who, drawn=_plain(draw.drawn))
    text = words.drawn_inside if draw.inside else words.drawn_outside
    return text.format(drawn=drawn, start=_plain(draw.start), end=_plain(draw.end))


def _plain(number: float) -> str:
    return f"{round(number, 4):.10g}"
